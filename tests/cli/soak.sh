#!/usr/bin/env bash
# A long run: its memory stays flat, no descriptor leaks, log and checkpoint are sound at the end. STEP0_HEAVY=1: 200,000 steps.
. "$(dirname "$0")/lib.bash"

steps=4000
[ -z "${STEP0_HEAVY:-}" ] || steps=200000
small=(data.chars=20000 model.n_layer=1 model.n_head=1 model.n_embd=8 model.block_size=8 train.batch_size=2 --threads 1 train.schedule=constant
    eval.every=$((steps / 20)) eval.batches=1 checkpoint.every=$((steps / 40)) log.signals=true)

# seen STEP: rows of metrics.csv reach it.
seen() { [ -s soak/metrics.csv ] && [ "$(tail -n 1 soak/metrics.csv | cut -d, -f1)" -ge "$1" ] 2>/dev/null; }
resident() { awk '/^VmRSS/ { print $2 }' /proc/$pid/status; }
# The fewest of some looks: a checkpoint that is being written has files open.
open_files() { for _ in {1..20}; do find /proc/$pid/fd -mindepth 1 2>/dev/null | wc -l; sleep 0.01; done | sort -n | head -n 1; }
waits_for() { until seen "$1"; do kill -0 $pid 2>/dev/null || { fail "it ended before step $1: $(cat said)"; exit 1; }; sleep 0.05; done; }

# AddressSanitizer holds back what is freed, which is no leak: here it frees at once.
ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}quarantine_size_mb=0:thread_local_quarantine_size_kb=0 \
    "$STEP0" train "${small[@]}" train.steps=100000000 --out soak --quiet 2>said &
pid=$!
waits_for $((steps / 20))
early=$(resident) early_files=$(open_files)
waits_for $steps
late=$(resident) late_files=$(open_files)
kill -INT $pid
wait $pid || true
echo "resident: $early KiB early, $late KiB at step $steps; open files: $early_files, $late_files"
check "memory is flat ($early KiB, then $late KiB)" [ "$late" -le $((early + 512)) ]
check "no descriptor leaks ($early_files, then $late_files)" [ "$late_files" -le "$early_files" ]

# Soundness: every row once, whole; what is left of checkpoints is the last and the best one; the end goes on.
step=$(sed -n 's/.*"step":[^0-9]*\([0-9]*\).*/\1/p' soak/checkpoint/state.json)
equal 'rows' "$(awk -F, 'NR == 1 { columns = NF } NR > 1 && ($1 != NR - 2 || NF != columns) { bad++ } END { print NR - 1 ":" bad + 0 }' soak/metrics.csv)" "$step:0"
equal 'seconds that go back' "$(awk -F, 'NR > 1 { if ($3 == "" || $3 < last) n++; last = $3 } END { print n + 0 }' soak/metrics.csv)" 0
equal 'checkpoints left' "$(ls -d soak/checkpoint-* | wc -l):$(ls -d soak/best-* | wc -l)" 1:1
train soak train.steps=$((step + 2)) --resume
equal 'rows after a resume of the end' "$(awk -F, 'NR > 1 && $1 != NR - 2 { bad++ } END { print NR - 1 ":" bad + 0 }' soak/metrics.csv)" "$((step + 3)):0"
