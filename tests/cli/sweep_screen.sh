#!/usr/bin/env bash
# The screen of a sweep on a terminal: it fits, is redrawn in place, and the terminal is as it was afterwards.
. "$(dirname "$0")/lib.bash"
command -v script >/dev/null || skip 'no command script'

# screen COLUMNS ROWS WORD...: what a sweep writes to a terminal of that size, in the file `typed`.
screen() {
    cat >run.sh <<END
echo \$\$ >pid
stty cols $1 rows $2
exec "$STEP0" sweep data.chars=5000 model.n_layer=1 model.n_head=1 model.n_embd=16 model.block_size=8 train.batch_size=4 eval.batches=1 log.every=10 ${@:3} >table.txt
END
    status=0
    script -qec 'bash run.sh' typed >/dev/null </dev/null || status=$?
}

export TERM=xterm
unset NO_COLOR
began=${EPOCHREALTIME/./}
screen 64 6 init.scheme=gpt2,bert,zero_proj seed=1,2 train.steps=1500 --jobs 6 --out a
took=$((${EPOCHREALTIME/./} - began))
equal 'status' "$status" 0
plain=$(tr -d '\r' <typed | sed 's/\x1b\[[0-9]*[A-Zm]//g')
contains 'how many have ended, and how many run' "$plain" '0 of 6 ended, 6 running'
contains 'of each run: step and loss' "$plain" '/1500  loss '
contains 'and when it will be ready' "$(grep loss <<<"$plain")" 'ETA 0:'
contains 'the whole too' "$(grep ended <<<"$plain")" 'ETA 0:'
contains 'as many as fit' "$plain" 'and 3 more'
equal 'nothing is wider than the window' "$(awk 'length > 63 && !/finished/' <<<"$plain" | grep -v '^Script' || true)" ''
equal 'or higher' "$(grep -o $'\033''\[[0-9]*A' typed | tr -dc '0-9\n' | sort -n | tail -n 1)" 5
drawn=$(grep -c ' ended, ' <<<"$plain")
check "about five times a second, not $drawn times in $took microseconds" test $((drawn * 1000000)) -ge $((2 * took)) -a $((drawn * 1000000)) -le $((8 * took + 8000000))
equal 'a line stays for each that ended' "$(grep -c '  finished  a/' <<<"$plain")" 6
contains 'in colour' "$(cat typed)" $'\033[32mfinished'
equal 'the cursor is not hidden' "$(grep -c $'\033''\[?' typed)" 0

NO_COLOR=1 screen 64 6 seed=1,2 train.steps=5 --out b
equal 'NO_COLOR' "$(grep -c $'\033''\[[0-9]*m' typed)" 0
TERM=dumb screen 64 6 seed=1,2 train.steps=5 --out c
equal 'a terminal that can nothing' "$(grep -c $'\033' typed)" 0

screen 20 3 seed=1,2 train.steps=1500 --jobs 2 --out d
equal 'a very small window' "$(tr -d '\r' <typed | sed 's/\x1b\[[0-9]*[A-Zm]//g' | awk 'length > 19 && !/finished|run, / && !/^Script/')" ''

# Stopped: the block is gone, what stays is the lines of the runs.
screen 64 6 seed=1,2 train.steps=2000000 --jobs 2 --out e &
await test -s e/seed=1/metrics.csv -a -s e/seed=2/metrics.csv
sleep 0.5
kill -INT "$(cat pid)"
wait $!
equal 'a stopped one ends with its lines' "$(tr -d '\r' <typed | grep -c '^\(.*\[J\)\?[12] of 2  .*stopped')" 2
contains 'and says how to go on' "$(cat typed)" 'the same command goes on'

# A run that was killed goes on from its checkpoint: the rows behind it (here: some that no run made) go, and the screen with them.
mkdir -p f
"$STEP0" train data.chars=5000 model.n_layer=1 model.n_head=1 model.n_embd=16 model.block_size=8 train.batch_size=4 eval.batches=1 log.every=10 \
    train.steps=2000000 seed=1 --out f/seed=1 --quiet 2>said &
run=$!
await test -s f/seed=1/metrics.csv
kill -INT $run
wait $run || true
last=$(tail -n 1 f/seed=1/metrics.csv)
for i in $(seq 20000); do echo "$((1800000 + i)),${last#*,}"; done >>f/seed=1/metrics.csv
screen 64 6 seed=1,2 train.steps=2000000 --jobs 2 --out f &
await grep -qs 'seed=2  step [1-9]' typed
sleep 1
kill -INT "$(cat pid)"
wait $!
frame=$(tr -d '\r' <typed | grep -a 'seed=1  step' | tail -n 1)
check "steps count from the checkpoint: $frame" test "$(sed 's/.*step \([0-9]*\).*/\1/' <<<"$frame")" -lt 1800000
contains 'and so does the time' "$frame" 'ETA'
