#!/usr/bin/env bash
# Two threads work at the same time: CPU time is at least 1.5 times the wall time of a step. Not a test of speed.
. "$(dirname "$0")/lib.bash"

cores=$(nproc)
[ "$cores" -ge 2 ] || skip 'one core only'
export OMP_WAIT_POLICY=passive      # a team that spins while idle would look busy

# spent STEPS: wall and CPU seconds of a run
spent() {
    local TIMEFORMAT='%R %U %S'
    { time "$STEP0" train data.chars=20000 data.val_fraction=0 model.n_layer=6 model.n_embd=384 model.n_head=6 model.block_size=256 train.batch_size=8 \
        train.steps="$1" log.detail=total --threads 2 --quiet --overwrite --out run >"$scratch/stdout" 2>&1; } 2>&1 | tail -n 1
}

# Start and end of a run are alike in both; a busy machine can spoil a measurement, so the best of some counts.
for try in 1 2 3; do
    ratio=$({ spent 0; spent 1; } | awk '{ wall = $1 - wall; cpu = $2 + $3 - cpu } END { printf "%.2f", (wall > 0 ? cpu / wall : 0) }')
    echo "a step, 2 threads: CPU time / wall time = $ratio"
    awk "BEGIN { exit !($ratio >= 1.5) }" && exit 0
done
fail "two threads are not used: $ratio in the last try"
