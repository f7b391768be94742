#!/usr/bin/env bash
# probe: its numbers against those of other commands and of theory, the CSV, --batches, --coord.
. "$(dirname "$0")/lib.bash"

small=(data.chars=5000 model.n_layer=6 model.n_head=2 model.n_embd=32 model.block_size=16 train.batch_size=8 --threads 1)

# value FILE CONFIG LAYER COLUMN: a cell of the CSV (LAYER "": the row of the whole network).
value() {
    awk -F, -v c="\"$2\"" -v l="$3" -v n="$4" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == n) at = i } $1 == c && $2 == l { print $at }' "$1"
}

text=$("$STEP0" probe "${small[@]}" init.scheme=gpt2,gpt2_sqrt_l,bert,zero_proj --csv p.csv)
contains 'a sentence on depth' "$text" 'times from first to last'
contains 'schemes side by side' "$text" 'zero_proj'
equal 'a row for the whole and one for each stream' "$(wc -l <p.csv)" $((1 + 4 * 8))

train run "${small[@]}" train.steps=0 eval.batches=1 log.detail=tensor
near 'loss is that of metrics.csv' "$(value p.csv scheme=gpt2 '' loss)" "$(field run/metrics.csv loss 0)" 1e-6
for part in wte.weight ln_f.bias; do
    near "gradient of $part" "$(value p.csv scheme=gpt2 '' grad_norm.$part)" "$(field run/metrics.csv grad_norm.$part 0)" 1e-6
done
near 'gradient of a part in a block' "$(value p.csv scheme=gpt2 3 grad_norm.attn.q.weight)" "$(field run/metrics.csv grad_norm.h.3.attn.q.weight 0)" 1e-6
equal "k's bias is left out" "$(head -n 1 p.csv | grep -c 'attn.k.bias')" 0

# Theory knows only the rules; a network of this size is within a tenth of it, behind every block.
for scheme in gpt2 gpt2_sqrt_l bert; do
    for layer in 0 1 2 3 4 5; do
        near "$scheme: the stream leaving block $layer as predicted" "$(value p.csv scheme=$scheme $layer leaving_rms)" "$(value p.csv scheme=$scheme $layer predicted_rms)" 0.1
    done
    near "$scheme: the stream at the top as predicted" "$(value p.csv scheme=$scheme '' top_rms)" "$(value p.csv scheme=$scheme '' predicted_top_rms)" 0.1
done
equal 'zero projections add nothing' "$(value p.csv scheme=zero_proj 2 mlp_rms)" 0
near 'and let every gradient pass: the Jacobian is the identity' "$(value p.csv scheme=zero_proj '' jacobian)" 1 0.05
near 'attention at step 0 is nearly uniform: the mean of ln t' "$(value p.csv scheme=gpt2 0 attn_entropy)" \
    "$(awk 'BEGIN { for (t = 1; t <= 16; t++) s += log(t); print s / 16 }')" 1e-3

# --- over batches ---
"$STEP0" probe "${small[@]}" init.scheme=gpt2 train.beta1=0.5 --batches 4 --csv b.csv >batches.txt
contains 'sharpness beside its limit' "$(cat batches.txt)" 'unstable above'
near 'the limit' "$(value b.csv gpt2 '' sharpness_limit)" 6000 1e-6
check 'a sharpness above 0' awk -v s="$(value b.csv gpt2 '' sharpness)" 'BEGIN { exit !(s > 0) }'
check 'batches differ less than they agree, in the whole' awk -v m="$(value b.csv gpt2 0 grad_mean)" -v d="$(value b.csv gpt2 0 grad_deviation)" \
    'BEGIN { exit !(m > 0 && d > 0) }'
refuses 1 '--batches is "1"' probe "${small[@]}" --batches 1

# --- the coordinate check ---
coord=(data.chars=5000 model.n_layer=2 model.n_head=2 model.block_size=16 train.batch_size=8 train.lr=1e-3 model.n_embd=64,128,256 --threads 1)
"$STEP0" probe --coord "${coord[@]}" init.scheme=bert,mup --csv c.csv >coord.txt
equal 'one verdict a scheme' "$(grep -cE '^  (pass|fail)' coord.txt)" 2
contains 'mup passes' "$(grep -A 8 'mup: exponent' coord.txt)" 'pass: no output'
contains 'bert fails' "$(grep -A 8 'bert: exponent' coord.txt | sed -n 7p)" 'fail'
equal 'a row a size, step and output' "$(wc -l <c.csv)" $((1 + 2 * 3 * 4 * 5))
refuses 1 'several sizes' probe --coord "${coord[@]/#model.n_embd=*/model.n_embd=64}"
