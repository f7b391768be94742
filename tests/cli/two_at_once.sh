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

# --- two that start at once in an empty place: one of them trains, the other says why not ---

for round in {1..6}; do
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
