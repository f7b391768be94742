#!/usr/bin/env bash
# Two threads work at the same time: over a step, CPU time is at least 1.5 times the wall time. Not a test of speed.
. "$(dirname "$0")/lib.bash"

[ -r /proc/self/stat ] || skip 'no /proc'
[ "$(nproc)" -ge 2 ] || skip 'one core only'
export OMP_WAIT_POLICY=passive      # a team that spins while idle would look busy

"$STEP0" train data.chars=20000 data.val_fraction=0 model.n_layer=6 model.n_embd=384 model.n_head=6 model.block_size=256 \
    train.batch_size=8 train.steps=100 log.detail=total --threads 2 --quiet --out run >"$scratch/stdout" 2>&1 &
pid=$!

# rows ROWS: until metrics.csv has so many lines; then sets wall and cpu, in microseconds
rows() {
    until [ -s run/metrics.csv ] && [ "$(wc -l <run/metrics.csv)" -ge "$1" ]; do
        kill -0 $pid || return 1
        sleep 0.02
    done
    local stat
    wall=${EPOCHREALTIME/./}
    read -r -a stat <"/proc/$pid/stat"
    cpu=$(((stat[13] + stat[14]) * 1000000 / $(getconf CLK_TCK)))
}

# A busy machine spoils a measurement: the best of some steps counts.
best=0
rows 2 || fail "ended early: $(cat "$scratch/stdout")"
for row in 3 4 5 6 7; do
    old_wall=$wall old_cpu=$cpu
    rows $row || { fail "ended early: $(cat "$scratch/stdout")"; break; }
    percent=$((100 * (cpu - old_cpu) / (wall - old_wall)))
    echo "a step with two threads: CPU time is $percent % of the wall time"
    [ $percent -le $best ] || best=$percent
    [ $best -lt 150 ] || break
done
shares=$(for task in /proc/$pid/task/*; do awk '{ print $14 }' "$task/stat"; done | sort -rn | head -2 | xargs)
{ kill -9 $pid && wait $pid; } 2>/dev/null || true
[ $best -lt 150 ] || exit 0

# Does the machine give two plain loops more than that? Where it does not, it is judged by how the threads shared the work.
end=$((${EPOCHREALTIME/./} + 2000000))
available=$({
    TIMEFORMAT='%R %U'
    time { for i in 1 2; do (until [ "${EPOCHREALTIME/./}" -gt $end ]; do :; done) & done; wait; }
} 2>&1 | awk '{ printf "%d", 100 * $2 / $1 }')
read -r most next <<<"$shares"
[ $((2 * ${next:-0})) -ge "$most" ] || fail "one thread does the work: the two had $shares ticks"
[ "$available" -lt 170 ] || fail "two threads are not at work at once: at best $best %"
[ $failures -gt 0 ] || skip "the machine is busy: two plain loops get $available % of the wall time; the threads shared the work ($shares ticks)"
