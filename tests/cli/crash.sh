#!/usr/bin/env bash
# A run that is killed at its k-th write, fsync, rename, unlink, …, or anywhere, has a checkpoint that loads, and goes on
# to the bits of an uninterrupted one. Every k, and 200 random moments, where STEP0_HEAVY is set.
. "$(dirname "$0")/lib.bash"
. "$root/tests/cli/faults.bash"

shimmed SHIM_LOG=calls train "${run[@]}" --out whole --quiet
total=$(wc -l <calls)
check "there is something to interrupt ($total calls)" [ "$total" -gt $((75 * last)) ]
equal 'the run, counted' "$(state whole)" "$wanted"

# The shim must see all that changes a file: strace's count is the judge, where there is one.
names='write|rename|unlink|rmdir|mkdir|symlink'
if strace -o /dev/null true 2>/dev/null; then
    LD_PRELOAD=$shim strace -f -y -e trace=%file,%desc -o trace "$STEP0" train "${run[@]}" --out traced --quiet
    sed -i 's/^[0-9]* *//; /"\/dev\//d; /^write([012]<\|^write([0-9]*<pipe/d' trace
    equal 'calls that strace sees' "$(grep -Eo "^($names)\(" trace | tr -d '(' | sort | uniq -c)" "$(grep -Ex "$names" calls | sort | uniq -c)"
    equal 'files and folders that it sees opened' "$(grep -E '^openat.*O_(WRONLY|RDWR|CREAT|TRUNC|DIRECTORY)' trace | grep -vc O_NONBLOCK)" "$(grep -c '^open$' calls)"
    more='ftruncate|fallocate|pwrite|writev|link|renameat|unlinkat|mkdirat|symlinkat|sendfile|copy_file_range|chmod|fchmod|utimensat|fdatasync|sync'
    equal 'calls of other names that change files' "$(grep -E "^($more)[0-9v]*\(" trace)" ''
fi

killed_at() {
    shimmed ${2:-} SHIM_KILL=$1 train "${run[@]}" --out "crash$1" --quiet >/dev/null 2>&1 || true
    about "killed at call $1 ${2:-}" sound "crash$1"
    about "killed at call $1 ${2:-}, resumed" resumed "crash$1"
    rm -rf "crash$1"
}
torn_at() { killed_at "$1" SHIM_TORN=1; }
in_pairs killed_at $(some 1 "$total" 23)
in_pairs torn_at $(grep -n '^write$' calls | cut -d: -f1 | awk -v all="${STEP0_HEAVY:-}" 'all || NR % 6 == 1')

# Killed while resuming a run that had been killed between a checkpoint and its link.
cut=$(grep -n '^symlink$' calls | sed -n 3p | cut -d: -f1)
shimmed SHIM_KILL=$cut train "${run[@]}" --out half --quiet >/dev/null 2>&1 || true
killed_again_at() {
    cp -a half "again$1"
    shimmed SHIM_KILL=$1 train "${run[@]}" --out "again$1" --resume --quiet >/dev/null 2>&1 || true
    about "killed at call $cut and again at $1" sound "again$1"
    about "killed at call $cut and again at $1, resumed" resumed "again$1"
    rm -rf "again$1"
}
in_pairs killed_again_at $(some 1 60 13)

# Without a config, a resume in the first moment must not train another one.
emptied=$(grep -n '^unlink$' calls | head -n 1 | cut -d: -f1)
LD_PRELOAD=$shim train other "${run[@]}" seed=2
cp -a other first
shimmed SHIM_KILL=$((emptied + 1)) train "${run[@]}" --out first --overwrite --quiet >/dev/null 2>&1 || true
refuses 1 'first lacks resolved.json|--overwrite' train --out first --resume
refuses 1 'first lacks resolved.json|--overwrite' train "${run[@]}" --out first --resume

# Killed while it starts anew over another run, one that it must not mistake for its own.
before=$(state other)
killed_over_at() {
    local said
    cp -a other "over$1"
    shimmed SHIM_KILL=$1 train "${run[@]}" --out "over$1" --overwrite --quiet >/dev/null 2>&1 || true
    if said=$(shimmed train "${run[@]}" --out "over$1" --resume --quiet 2>&1); then
        [ "$(state "over$1")" = "$wanted" ] || echo "killed at call $1 of --overwrite: resumes to something else"
    else
        [[ $said == *'another config'* || $said == *'lacks resolved.json'* ]] || echo "killed at call $1 of --overwrite: $said"
        said=$(shimmed train "${run[@]}" --out "over$1" --overwrite --quiet 2>&1) || echo "killed at call $1 of --overwrite, again: $said"
        [ "$(state "over$1")" = "$wanted" ] || echo "killed at call $1 of --overwrite: starts anew to something else"
    fi
    # Up to the moment where run.json says that another run is on, the old one is whole.
    [ "$1" -gt 4 ] || shimmed SHIM_KILL=$1 train "${run[@]}" --out other --overwrite --quiet >/dev/null 2>&1 || true
    rm -rf "over$1"
}
in_pairs killed_over_at $(some 1 60 9)
equal 'a run that another one was about to start over' "$(state other | grep -v new)" "$before"

# kill -9 at random moments of a longer run.
moments=$([ -n "${STEP0_HEAVY:-}" ] && echo 200 || echo 5)
long=("${tiniest[@]}" train.steps=60 eval.every=7 checkpoint.every=1)
LD_PRELOAD=$shim train long "${long[@]}"
seed=${STEP0_SEED:-$RANDOM}
started=${EPOCHREALTIME/./}
LD_PRELOAD=$shim train long "${long[@]}" --overwrite
lasts=$((${EPOCHREALTIME/./} - started))
long_state=$(state long)
# Two at a time take a little longer.
mapfile -t moment < <(awk -v seed="$seed" -v n="$moments" -v us=$lasts 'BEGIN { srand(seed); for (i = 0; i <= n; i++) printf "%.4f\n", 1.2 * rand() * us / 1e6 }')
killed_after() {
    local dir="moment$1" what="killed after ${moment[$1]} s (seed $seed)" said process
    LD_PRELOAD=$shim "$STEP0" train "${long[@]}" --out "$dir" --quiet >/dev/null 2>&1 &
    process=$!
    sleep "${moment[$1]}"
    { kill -9 $process && wait $process; } 2>/dev/null || true
    [ ! -e "$dir/checkpoint" ] || said=$("$STEP0" sample "$dir" --tokens 2 --threads 1 2>&1) || echo "$what: the checkpoint cannot be read: $said"
    said=$(shimmed train "${long[@]}" --out "$dir" --resume --quiet 2>&1) || echo "$what: $said"
    [ "$(state "$dir")" = "$long_state" ] || { echo "$what, resumed:"; diff <(echo "$long_state") <(state "$dir") | head -5; }
    rm -rf "$dir"
}
in_pairs killed_after $(seq "$moments")
echo "seed $seed"
