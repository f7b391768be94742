#!/usr/bin/env bash
# Two processes and one folder: one writes it, any number may read it.
. "$(dirname "$0")/lib.bash"

run=("${tiny[@]}" --threads 1 train.steps=30 eval.every=3)
endless=("${run[@]}" train.steps=1000000 train.schedule=constant checkpoint.every=2000 eval.every=4000)
result() { curve "$1"; sha256sum <"$1/checkpoint/model.safetensors"; }
train whole "${run[@]}"

# --- the second is refused; when the first is killed nothing refuses any more ---

"$STEP0" train "${endless[@]}" --out busy --quiet --report >/dev/null 2>&1 &
pid=$!
await [ -e busy/checkpoint/state.json ]
for how in --resume --overwrite; do
    said=$("$STEP0" train "${endless[@]}" --out busy --quiet $how 2>&1 || echo "status $?")
    contains "train $how beside a run" "$said" 'busy is being written by another step0'
    contains "train $how beside a run" "$said" 'status 1'
done

# --- what is read beside it is whole ---

for _ in {1..4}; do
    for command in "sample busy --tokens 5" "eval busy eval.batches=1" "compare busy whole" "train init.from=busy data.chars=20000 --dry-run"; do
        # shellcheck disable=SC2086
        said=$("$STEP0" $command 2>&1 >/dev/null) || fail "step0 $command beside a run: $said"
    done
done
kill -0 $pid || fail 'the run beside which others read has ended'
{ kill -9 $pid && wait $pid; } 2>/dev/null || true
"$STEP0" train "${endless[@]}" --out busy --quiet --resume >said 2>&1 &
pid=$!
sleep 0.5
check "a killed run keeps nobody out: $(cat said)" kill -0 $pid
kill -INT $pid
wait $pid || true
equal 'lock files' "$(find busy -name '*lock*')" ''

if ! is_sanitized; then
    # A program that waits for the file `go` before it opens the file that $WAITS names; `waiting` says that it does.
    cat >waits.c <<'EOF'
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
int open(const char *path, int flags, ...)
{
    va_list rest;
    va_start(rest, flags);
    int mode = flags & O_CREAT ? va_arg(rest, int) : 0;
    va_end(rest);
    if (strstr(path, getenv("WAITS"))) {
        int seen = (int)syscall(SYS_openat, AT_FDCWD, "waiting", O_CREAT | O_WRONLY, 0600);
        if (seen >= 0) close(seen);
        while (access("go", F_OK)) usleep(1000);
    }
    return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}
EOF
    gcc -D_GNU_SOURCE -shared -fPIC -o waits.so waits.c
    # waits FILE WORD...: step0 in the background, in $pid, until it stands before that file.
    waits() {
        rm -f go waiting
        WAITS=$1 LD_PRELOAD=$PWD/waits.so "$STEP0" "${@:2}" >/dev/null 2>waits.said &
        waiting=$!
        await [ -e waiting ]
    }
    # goes_on WHAT STATUS: it ends so.
    goes_on() {
        local status=0
        touch go
        wait $waiting || status=$?
        equal "status of $1: $(cat waits.said)" $status "$2"
    }

    # --- a run that another one made while this one still read its text ---

    repeat 'to be or not to be, ' 2000 >text
    late=("${run[@]}" data.text=text)
    waits text train "${late[@]}" --out late --quiet
    train late "${late[@]}"
    before=$(result late)
    goes_on 'one that came late' 1
    contains 'one that came late' "$(cat waits.said)" 'late holds a run (finished)'
    equal 'the run that was first' "$(result late)" "$before"

    # --- a checkpoint that is read stays until it was, however often the run saves meanwhile; then it goes ---

    saves=("${run[@]}" train.steps=1000000 train.schedule=constant checkpoint.every=1 eval.every=3)
    "$STEP0" train "${saves[@]}" --out saves --quiet >/dev/null 2>&1 &
    pid=$!
    await [ -e saves/checkpoint/state.json ]
    step_now() { readlink saves/checkpoint | tr -dc 0-9; }
    is_beyond() { [ "$(step_now)" -gt "$1" ]; }
    # further N: until the run has saved so many times again.
    further() { await is_beyond $(($(step_now) + $1)); }
    for command in "sample saves --tokens 5" "sample saves/best --tokens 5" "eval saves eval.batches=1" "train init.from=saves data.chars=20000 --dry-run" \
        "probe init.from=saves data.chars=20000"; do
        # shellcheck disable=SC2086
        waits model.safetensors $command
        further 10
        goes_on "step0 $command, beside a run that saves every step" 0
    done
    for _ in {1..5}; do
        "$STEP0" sample saves --tokens 1 >/dev/null 2>reader.said || fail "sample beside a run that saves every step: $(cat reader.said)"
    done
    further 3
    kill -INT $pid
    wait $pid || true
    equal 'checkpoints left' "$(find saves -name 'checkpoint-*' | wc -l):$(find saves -name 'best-*' | wc -l)" 1:1
fi

# --- a resume mends nothing before it holds the folder ---

train child init.from=whole data.chars=20000 train.batch_size=4 train.steps=4 eval.batches=1 --threads 1
rm child/checkpoint
exec 9<child
flock 9
refuses 1 'child is being written by another step0' train --out child --resume
equal 'a link that is gone, beside another process' "$(readlink child/checkpoint)" ''
exec 9<&-

# --- two that start at once in an empty place: one of them trains, the other says why not ---

for round in {1..4}; do
    for n in 1 2; do { status=0; "$STEP0" train "${run[@]}" --out race --quiet >race.said$n 2>&1 || status=$?; echo $status >race.status$n; } & done
    wait
    equal "statuses of two at once, round $round: $(cat race.said1 race.said2)" "$(sort race.status1 race.status2 | xargs)" '0 1'
    grep -q 'is being written by another step0\|holds a run' race.said1 race.said2 || fail "no reason: $(cat race.said1 race.said2)"
    equal 'the one that trained' "$(result race)" "$(result whole)"
    rm -r race
done

# --- a sweep, and a run in one of its folders: that combination fails, the other one does not ---

"$STEP0" train "${tiny[@]}" seed=1 eval.batches=1000000 --threads 1 --out sweep/seed=1 --quiet >/dev/null 2>&1 &
pid=$!
await [ -s sweep/seed=1/metrics.csv ]
said=$("$STEP0" sweep "${tiny[@]}" seed=1,2 --jobs 1 --out sweep 2>&1 >/dev/null || echo "status $?")
contains 'a sweep over a run' "$said" 'sweep/seed=1 failed: sweep/seed=1 is being written by another step0'
contains 'a sweep over a run' "$said" 'status 1'
contains 'its other run' "$(cat sweep/seed=2/run.json)" '"finished"'
kill -0 $pid || fail 'the run was disturbed by the sweep'
{ kill -9 $pid && wait $pid; } 2>/dev/null || true
