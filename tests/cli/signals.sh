#!/usr/bin/env bash
# log.signals: its columns, what their numbers are, and that watching changes nothing.
. "$(dirname "$0")/lib.bash"

watched=("${tiny[@]}" log.signals=true)

# signals DIR: step and the columns that log.signals adds.
signals() {
    awk -F, 'NR == 1 { for (i = NF; i > 0; i--) if ($i == "resid_rms.h.0") first = i }
        { printf "%s", $1; for (i = first; i <= NF; i++) printf ",%s", $i; print "" }' "$1/metrics.csv"
}

# spans FILE BLOCK: where its tensors lie in a safetensors file: offset and bytes, a line each.
spans() {
    local length from to
    length=$(od -An -t u8 -N 8 "$1" | tr -d ' ')
    head -c $((8 + length)) "$1" | tail -c +9 | grep -o "\"transformer\.h\.$2\.[^}]*" | sed 's/.*\[\([0-9]*\),\([0-9]*\)\].*/\1 \2/' |
        while read -r from to; do echo $((8 + length + from)) $((to - from)); done
}

# weights DIR BLOCK: of its checkpoint, a line each.
weights() {
    local file=$1/checkpoint/model.safetensors from bytes
    spans "$file" "$2" | while read -r from bytes; do od -An -v -w4 -t f4 -j "$from" -N "$bytes" "$file"; done
}

# norm: of the numbers on stdin.
norm() { awk '{ sum += $1 * $1 } END { printf "%.12g", sqrt(sum) }'; }

# --- columns: behind the others, which keep their bits, as the weights do ---

for detail in total layer tensor; do
    train off "${tiny[@]}" log.detail=$detail model.dropout=0.1 eval.every=2 train.grad_accum=2 --overwrite
    train on "${watched[@]}" log.detail=$detail model.dropout=0.1 eval.every=2 train.grad_accum=2 --overwrite
    columns=$(head -n 1 off/metrics.csv | tr , '\n' | wc -l)
    equal "columns of log.detail $detail" "$(head -n 1 on/metrics.csv | cut -d, -f$((columns + 1))-)" \
        "$(printf '%s.h.0,%s.h.1,' {resid_rms,branch_ratio,update_rms,update_ratio,weight_norm,attn_max,attn_entropy}{,})logit_std,log_z"
    equal "columns before them with log.detail $detail" "$(curve on | cut -d, -f1-$((columns - 1)))" "$(curve off)"
    for file in checkpoint/model.safetensors checkpoint/optimizer.safetensors best/model.safetensors samples.txt; do
        check "$file is the same with signals" cmp off/$file on/$file
    done
done
equal 'rows of another width' "$(awk -F, 'NR == 1 { columns = NF } NF != columns' on/metrics.csv)" ''
equal 'empty numbers before the last row' "$(signals on | sed '$d' | grep -e ',,' -e ',$' || true)" ''
equal 'empty columns of the last row' "$(signals on | awk -F, 'NR == 1 { split($0, name) } END { for (i = 1; i <= NF; i++) if ($i == "") printf "%s ", name[i] }')" \
    'update_rms.h.0 update_rms.h.1 update_ratio.h.0 update_ratio.h.1 '

# --- the same numbers for any number of threads, whatever is evaluated, saved or logged beside ---

wide=(data.chars=6000 model.n_layer=2 model.n_embd=64 model.n_head=4 model.block_size=37 model.dropout=0.1 train.batch_size=8 train.steps=6
    train.grad_accum=2 eval.every=0 eval.batches=3 log.signals=true)
train one "${wide[@]}" --threads 1
for threads in 2 5; do
    train more "${wide[@]}" --threads $threads --overwrite
    equal "signals with $threads threads" "$(signals more)" "$(signals one)"
done
for change in eval.every=1 eval.batches=0 log.detail=total checkpoint.every=2; do
    train more "${wide[@]}" "$change" --overwrite
    equal "signals with $change" "$(signals more)" "$(signals one)"
done
train more "${wide[@]}" log.every=4 --overwrite
equal 'signals with log.every=4' "$(signals more)" "$(signals one | awk -F, 'NR == 1 || $1 % 4 == 0 || $1 == 6')"

# --- micro-batches ---

twelve=("${watched[@]}" train.batch_size=12)
train whole "${twelve[@]}"
train halves "${twelve[@]}" train.batch_size=6 train.grad_accum=2
signals whole >wanted
signals halves | paste -d, - wanted | awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) name[i] = $i; half = NF / 2 }
    NR > 1 { for (i = 2; i <= half; i++) {
        if ($1 > 0 && name[i] !~ /^resid_rms/) continue
        seen++; d = $i - $(i + half)
        if (d * d > 1e-10 * $(i + half) ^ 2) { print name[i], "of step", $1, "is", $i, "not", $(i + half); bad = 1 }
    } } END { exit bad || seen != 16 + 2 * 6 }' || fail 'two micro-batches of 6 are not a batch of 12'

# --- updates: of the weights that checkpoints hold, decay included ---

moved=("${watched[@]}" train.weight_decay=5 train.lr=0.01)
train before "${moved[@]}" train.steps=0
train after "${moved[@]}" train.steps=1
for block in 0 1; do
    weights before $block >w0
    weights after $block >w1
    equal "weights of block $block" "$(wc -l <w1)" $((12 * 16 * 16 + 13 * 16))
    change=$(paste w1 w0 | awk '{ print $1 - $2 }' | norm)
    near "weight_norm.h.$block, row 0" "$(field after/metrics.csv weight_norm.h.$block 0)" "$(norm <w0)" 1e-6
    near "weight_norm.h.$block, row 1" "$(field after/metrics.csv weight_norm.h.$block 1)" "$(norm <w1)" 1e-6
    near "update_rms.h.$block" "$(field after/metrics.csv update_rms.h.$block 0)" "$(awk "BEGIN { printf \"%.12g\", $change / sqrt($(wc -l <w1)) }")" 1e-5
    near "update_ratio.h.$block" "$(field after/metrics.csv update_ratio.h.$block 0)" "$(awk "BEGIN { printf \"%.12g\", $change / $(norm <w0) }")" 1e-5
    equal "update_rms.h.$block of a run without updates" "$(field before/metrics.csv update_rms.h.$block 0)" ''
done
# AdamW's first step moves every weight by lr.
train first "${watched[@]}" train.weight_decay=0 train.eps=1e-30 train.lr=1e-3 train.steps=1
for block in 0 1; do near "the first step of block $block" "$(field first/metrics.csv update_rms.h.$block 0)" 1e-3 1e-4; done

# A block of zeros has no ratio until it has moved.
train source "${tiny[@]}" train.steps=0
file=source/checkpoint/model.safetensors
spans $file 1 >zeroed
while read -r from bytes; do dd if=/dev/zero of=$file bs=1 seek="$from" count="$bytes" conv=notrunc status=none; done <zeroed
rm source/checkpoint/state.json        # which names the checksums of the weights as they were
train zeros data.chars=20000 init.from=source/checkpoint train.batch_size=4 train.steps=2 eval.batches=1 log.signals=true
equal 'weight_norm of zeros' "$(field zeros/metrics.csv weight_norm.h.1 0)" 0
equal 'branch_ratio of zeros' "$(field zeros/metrics.csv branch_ratio.h.1 0)" 0
equal 'update_ratio of zeros' "$(field zeros/metrics.csv update_ratio.h.1 0)" ''
check 'update_rms of zeros' [ -n "$(field zeros/metrics.csv update_rms.h.1 0)" ]
check 'update_ratio of zeros that moved' [ -n "$(field zeros/metrics.csv update_ratio.h.1 1)" ]
check 'update_ratio of the other block' [ -n "$(field zeros/metrics.csv update_ratio.h.0 0)" ]

# --- step 0 by theory ---

# at DIR COLUMN WANTED RELATIVE
at() { near "$2 of $1" "$(field "$1/metrics.csv" "$2" 0)" "$3" "$4"; }
theory=(data.chars=20000 data.tokenizer=byte model.n_layer=2 model.n_head=2 model.n_embd=64 model.block_size=32 model.tie_embeddings=false train.steps=0
    eval.batches=1 log.signals=true)
train gpt2 "${theory[@]}"
uniform=$(awk 'BEGIN { for (t = 1; t <= 32; t++) sum += log(t); printf "%.12g", sum / 32 }')
for block in 0 1; do at gpt2 attn_entropy.h.$block "$uniform" 1e-3; done
at gpt2 logit_std 0.16 0.05
at gpt2 log_z "$(awk 'BEGIN { printf "%.12g", log(256) + 0.16 ^ 2 / 2 }')" 2e-3
train zero_proj "${theory[@]}" init.scheme=zero_proj
for block in 0 1; do
    at zero_proj resid_rms.h.$block "$(awk 'BEGIN { printf "%.12g", 0.02 * sqrt(2) }')" 0.05
    equal "branch_ratio.h.$block of zero_proj" "$(field zero_proj/metrics.csv branch_ratio.h.$block 0)" 0
done
# The branches of the first block take almost the same stream with another gate.
train gated "${theory[@]}" model.gate=0.5
at gated branch_ratio.h.0 "$(awk "BEGIN { print $(field gpt2/metrics.csv branch_ratio.h.0 0) / 2 }")" 0.05
# Behind norms |q| = |k| = √head_dim, which no score exceeds.
train qk_norm "${theory[@]}" model.qk_norm=true
for block in 0 1; do
    largest=$(field qk_norm/metrics.csv attn_max.h.$block 0)
    check "attn_max.h.$block, $largest, is below √32 and not far" awk "BEGIN { exit !($largest <= sqrt(32) && $largest > sqrt(32) / 2) }"
done

# --- a run that is stopped or killed goes on to the same bytes, seconds aside ---

has_rows() { [ -s "$1" ] && [ "$(wc -l <"$1")" -gt "$2" ]; }
long=("${watched[@]}" --threads 1 train.steps=700 model.dropout=0.1 eval.every=140 log.every=7)
train long "${long[@]}"
"$STEP0" train "${long[@]}" --out stopped --quiet 2>/dev/null &
pid=$!
await has_rows stopped/metrics.csv 20
kill -INT $pid
wait $pid || true
step=$(sed -n 's/.*"step":[^0-9]*\([0-9]*\).*/\1/p' stopped/checkpoint/state.json)
last=$(tail -n 1 stopped/metrics.csv | cut -d, -f1)
check "the last row ($last) is of a step before the checkpoint's ($step)" [ "$last" -lt "$step" -a "$last" -ge $((step - 7)) ]
check 'it has its update' [ -n "$(field stopped/metrics.csv update_rms.h.0 "$last")" ]
train stopped "${long[@]}" --resume
equal 'metrics.csv of a stopped run' "$(curve stopped)" "$(curve long)"
check 'its weights' cmp stopped/checkpoint/model.safetensors long/checkpoint/model.safetensors

for change in false true; do
    cp -r "$([ $change = true ] && echo source || echo stopped)" switched
    status=0
    said=$("$STEP0" train --resume log.signals=$change --out switched --quiet 2>&1) || status=$?
    equal "status of a resume with log.signals=$change" $status 1
    contains "a resume with log.signals=$change" "$said" 'cannot be resumed with another config'
    contains "a resume with log.signals=$change" "$said" 'log.signals'
    rm -r switched
done
sed -i '1s/,log_z$//' stopped/metrics.csv
status=0
said=$("$STEP0" train --resume train.steps=701 --out stopped --quiet 2>&1) || status=$?
equal 'status of a resume behind another header' $status 1
contains 'another header' "$said" 'is not the header of this run'

if ! is_sanitized; then
    gcc -D_GNU_SOURCE -shared -fPIC -O1 -o shim.so "$root/tests/cli/shim.c" -ldl
    few=("${watched[@]}" --threads 1 train.steps=4 checkpoint.every=1 eval.every=2)
    LD_PRELOAD=$PWD/shim.so SHIM_COUNT=count train few "${few[@]}"
    for ((k = 12; k < $(cat count); k += 7)); do
        LD_PRELOAD=$PWD/shim.so SHIM_KILL=$k "$STEP0" train "${few[@]}" --out killed --quiet >/dev/null 2>&1 || true
        # A checkpoint on disk has every row before it, whole.
        step=$(sed -n 's/.*"step":[^0-9]*\([0-9]*\).*/\1/p' killed/checkpoint/state.json 2>/dev/null || echo 0)
        equal "rows before checkpoint $step, killed at call $k" "$(curve killed 2>/dev/null | awk -F, -v step="$step" 'NR > 1 && $1 < step')" \
            "$(curve few | awk -F, -v step="$step" 'NR > 1 && $1 < step')"
        train killed "${few[@]}" --resume
        equal "killed at call $k" "$(curve killed)" "$(curve few)"
        rm -r killed
    done
fi

# --- a run that diverges: its last row has all but an update, whether it was to be logged or not ---

for every in 1 50; do
    status=0
    "$STEP0" train "${watched[@]}" train.steps=60 train.lr=1e30 train.schedule=constant train.grad_clip=0 log.every=$every --quiet --out diverged$every 2>/dev/null || status=$?
    equal 'status of a run that diverges' $status 3
done
last=$(tail -n 1 diverged1/metrics.csv | cut -d, -f1)
check 'it diverges after step 0, before step 50' [ "$last" -gt 0 -a "$last" -lt 50 ]
equal 'its last row' "$(curve diverged50 | tail -n 1)" "$(curve diverged1 | tail -n 1)"
equal 'update_rms of it' "$(field diverged1/metrics.csv update_rms.h.0 "$last")" ''
check 'weight_norm of it' [ -n "$(field diverged1/metrics.csv weight_norm.h.1 "$last")" ]
equal 'resid_rms of it' "$(field diverged1/metrics.csv resid_rms.h.1 "$last")" nan

# --- the estimate of memory counts the copy of the weights ---

large=(data.chars=100000 data.tokenizer=byte model.n_layer=4 model.n_head=4 model.n_embd=384 model.block_size=32 train.batch_size=2 --threads 2)
peak() { "$STEP0" train "${large[@]}" log.signals="$1" --dry-run 2>/dev/null | sed -n 's/^memory.*about \([0-9.]*\) MiB/\1/p'; }
near 'what signals take' "$(awk "BEGIN { print $(peak true) - $(peak false) }")" "$(awk 'BEGIN { print 4 * (12 * 384 * 384 + 13 * 384) * 4 / 1048576 }')" 0.01
if ! is_sanitized; then
    train large "${large[@]}" log.signals=true train.steps=1 eval.batches=1
    near 'memory with signals' "$(peak true)" "$(sed -n 's/.*"peak_rss_mib":[^0-9]*\([0-9.]*\).*/\1/p' large/run.json)" 0.1
fi

# --- help metrics names every column ---

named() { "$STEP0" help metrics | sed -n 's/^  \([a-z_]*\)\(\.PART\|\.h\.i\)\{0,1\}  .*/\1\2/p'; }
equal 'columns in help metrics' "$(named)" "$(head -n 1 more/metrics.csv | tr , '\n' |
    sed -e 's/^grad_norm\..*/grad_norm.PART/' -e 's/\.h\.[0-9]*$/.h.i/' | awk '!seen[$0]++')"
