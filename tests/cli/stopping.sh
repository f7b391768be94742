#!/usr/bin/env bash
# Signals, wherever in a run they come: what can be saved is, the reason is said, and the run goes on to the same bits.
. "$(dirname "$0")/lib.bash"

run=("${tiny[@]}" --threads 1 train.steps=40 model.dropout=0.1)
result() { curve "$1"; sha256sum <"$1/checkpoint/model.safetensors"; cat "$1/samples.txt"; }
has_status() { [ "$(status_of "$1")" = "$2" ]; }
status_of() { sed -n 's/.*"status":[^"]*"\([a-z]*\)".*/\1/p' "$1/run.json"; }
train whole "${run[@]}"
wanted=$(result whole)

# begin DIR WORD...: a training in the background, its process in $pid; after 5 seconds of processor time, which nothing here needs that
# stops when it is asked to, the system ends it.
begin() {
    local dir=$1
    shift
    (ulimit -t 5; exec "$STEP0" train "${run[@]}" "$@" --out "$dir" --quiet) >"$dir.said" 2>&1 &
    pid=$!
}

# ends WHAT STATUS
ends() {
    local status=0
    wait $pid 2>/dev/null || status=$?
    equal "status, $1" $status "$2"
}

# stopped WHAT DIR STATUS: it ended so, is called interrupted, says how to go on.
stopped() {
    ends "$1" "$3"
    equal "run.json, $1" "$(status_of "$2")" interrupted
    contains "message, $1" "$(cat "$2.said")" "step0 train --out $2 --resume"
}

# --- a long evaluation, a long accumulation: each is left where it is ---

for row in 'INT 130' 'TERM 143' 'HUP 129'; do
    read -r signal status <<<"$row"
    begin "evaluation$signal" eval.batches=1000000
    await [ -s "evaluation$signal/metrics.csv" ]
    kill -"$signal" $pid
    stopped "SIG$signal in an evaluation" "evaluation$signal" "$status"
    train "evaluation$signal" "${run[@]}" eval.batches=1 --resume
    equal "resumed after SIG$signal in an evaluation" "$(result "evaluation$signal")" "$wanted"
done
begin accumulation train.grad_accum=100000
await [ -s accumulation/metrics.csv ]
kill -INT $pid
stopped 'in an accumulation' accumulation 130
equal 'rows of half a step' "$(wc -l <accumulation/metrics.csv)" 1

# --- before anything was made ---

begin startup data.chars=2000000000
sleep 0.3
kill -TERM $pid
ends 'while the text is made' 143
check 'no folder' [ ! -e startup ]

# --- SIGHUP: a closed terminal's comes twice, from the system and from the shell; nohup's is ignored ---

begin twice train.steps=100000000 model.n_embd=256
await [ -s twice/metrics.csv ]
while kill -HUP $pid 2>/dev/null && [ -e /proc/$pid/fd ] && [ "$(status_of twice)" != interrupted ]; do :; done
stopped 'SIGHUP again and again' twice 129
(trap '' HUP; exec "$STEP0" train "${run[@]}" train.steps=400 --out nohup --quiet >nohup.said 2>&1) &
pid=$!
await [ -s nohup/metrics.csv ]
kill -HUP $pid
ends 'SIGHUP under nohup' 0
equal 'it ran to its end' "$(status_of nohup)" finished

# --- a sweep: its runs save, the same command goes on ---

sweep=("${tiny[@]}" train.steps=1500 seed=1,2 --jobs 2 --out sweep)
"$STEP0" sweep "${sweep[@]}" >sweep.said 2>&1 &
pid=$!
await [ -s sweep/seed=1/metrics.csv -a -s sweep/seed=2/metrics.csv ]
kill -HUP $pid
ends 'SIGHUP to a sweep' 129
for seed in 1 2; do equal "seed $seed of a sweep" "$(status_of sweep/seed=$seed)" interrupted; done
"$STEP0" sweep "${sweep[@]}" >sweep.said 2>&1 || fail "the same sweep again: $(cat sweep.said)"
train alone "${tiny[@]}" train.steps=1500 seed=2
equal 'a run of a sweep that was stopped' "$(result sweep/seed=2)" "$(result alone)"
"$STEP0" sweep "${sweep[@]}" --out killed >/dev/null 2>&1 &
pid=$!
await [ -s killed/seed=1/metrics.csv -a -s killed/seed=2/metrics.csv ]
{ kill -9 $pid && wait $pid; } 2>/dev/null || true
for seed in 1 2; do await has_status killed/seed=$seed interrupted; done

# --- a reader that is gone: a filter ends of it in silence, a training goes on ---

for command in "sample whole" schemes "help config"; do
    # shellcheck disable=SC2086
    { sleep 0.3; "$STEP0" $command 2>gone || echo $? >status; } | true
    equal "step0 $command, whose reader is gone" "$(cat status)$(cat gone)" 141
    rm status
done

# --- a limit of a file's size ---

long=("${run[@]}" log.detail=tensor train.steps=200 checkpoint.every=50)
train long "${long[@]}"
(ulimit -f 90; "$STEP0" train "${long[@]}" --out limit --quiet 2>&1 || echo "status $?") | cat >said
equal 'a limit on metrics.csv' "$(cat said)" "step0: cannot write limit/metrics.csv: File too large
status 1"
equal 'a run that met it' "$(status_of limit)" failed
check 'its checkpoint is kept' [ -s limit/checkpoint/model.safetensors ]
train limit "${long[@]}" --resume
equal 'it goes on' "$(result limit)" "$(result long)"
(ulimit -f 1; "$STEP0" sample whole --tokens 6000 2>&1 >text || echo "status $?") | cat >said
equal 'a limit on a sample' "$(cat said)" "step0: cannot write to standard output: File too large
status 1"
for row in 'probe --csv numbers.csv data.chars=20000 model.n_layer=40 model.n_head=1 model.n_embd=8 model.block_size=8' 'compare long whole --json numbers.json' 'compare long whole --csv numbers.csv'; do
    # shellcheck disable=SC2086
    (ulimit -f 1; "$STEP0" $row 2>&1 >/dev/null || echo "status $?") | cat >said
    contains "a limit, step0 $row" "$(cat said)" 'File too large'
    contains "a limit, step0 $row" "$(cat said)" 'numbers.'
    contains "a limit, step0 $row" "$(cat said)" 'status 1'
done

if ! is_sanitized; then

    # --- the samples at the end: no further token is drawn ---

    cat >draws.c <<'EOF'
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>
/* A draw takes exponentials: the first one behind the last checkpoint asks to stop, those behind it are counted. */
static int asked, behind;
double exp(double x)
{
    if (asked) behind++;
    else if (!access("samples/checkpoint", F_OK)) asked = !raise(SIGTERM);
    return exp2(x * 1.4426950408889634);
}
__attribute__((destructor)) static void tell(void)
{
    FILE *f = fopen("draws", "w");
    fprintf(f, "%d %d\n", asked, behind);
    fclose(f);
}
EOF
    gcc -shared -fPIC -fno-builtin -o draws.so draws.c -lm
    LD_PRELOAD=$PWD/draws.so "$STEP0" train "${run[@]}" train.steps=0 --out samples --quiet >samples.said 2>&1 &
    pid=$!
    stopped 'in the samples' samples 143
    check 'no samples' [ ! -e samples/samples.txt ]
    read -r asked behind <draws
    equal 'asked to stop in a draw' "$asked" 1
    check "$behind exponentials are those of one draw" [ "$behind" -lt 200 ]

    # --- while a checkpoint is written: it is finished; a second signal ends the program, and the checkpoint before it holds ---

    cat >waits.c <<'EOF'
#include <stdio.h>
#include <string.h>
#include <unistd.h>
/* The sync of checkpoint-20's first file waits for the file `go`. */
int fsync(int file)
{
    char link[64], path[512];
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t n = readlink(link, path, sizeof path - 1);
    path[n < 0 ? 0 : n] = 0;
    while (strstr(path, "checkpoint-20/model.safetensors") && access("go", F_OK)) usleep(1000);
    return 0;
}
EOF
    gcc -D_GNU_SOURCE -shared -fPIC -o waits.so waits.c
    # inside DIR: a training in the middle of its checkpoint at step 20, where it stays until there is a file `go`.
    inside() {
        train "$1" "${run[@]}" train.steps=10
        rm -f go
        LD_PRELOAD=$PWD/waits.so "$STEP0" train "${run[@]}" checkpoint.every=20 --out "$1" --resume --quiet >"$1.said" 2>&1 &
        pid=$!
        await [ -e "$1/checkpoint-20/model.safetensors" ]
    }
    run+=(train.schedule=constant)
    train whole "${run[@]}" --overwrite
    inside once
    kill -INT $pid
    touch go
    ends 'in a checkpoint' 130
    equal 'the checkpoint that was being written' "$(readlink once/checkpoint)" checkpoint-20
    equal 'it stopped right behind it' "$(tail -n 1 once/metrics.csv | cut -d, -f1)" 19
    inside again
    kill -INT $pid
    signal_is_taken() { ! grep -q '^SigPnd:.*[1-9a-f]\|^ShdPnd:.*[1-9a-f]' /proc/$pid/status; }
    await signal_is_taken
    check 'the first one waits for the checkpoint' kill -0 $pid
    kill -TERM $pid
    ends 'a second signal in a checkpoint' 143
    equal 'the checkpoint before' "$(readlink again/checkpoint)" checkpoint-10
    for dir in once again; do
        train $dir "${run[@]}" --resume
        equal "resumed, $dir" "$(result $dir)" "$(result whole)"
    done
fi
