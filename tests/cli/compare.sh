#!/usr/bin/env bash
# compare: canned runs against the table that they must give; grouping, verdicts, warnings. probe: its numbers.
. "$(dirname "$0")/lib.bash"

# canned DIR SCHEME SEED FINAL: a run of 40 rows whose validation loss ends at FINAL.
canned() {
    train "$1" data.chars=5000 model.n_layer=2 model.n_head=1 model.n_embd=8 model.block_size=8 train.batch_size=2 train.steps=40 eval.every=0 eval.batches=1 \
        init.scheme="$2" seed="$3" "${@:5}" --threads 1
    awk -F, -v OFS=, -v final="$4" 'NR == 1 { print; next }
        { s = $1; $5 = 4 - 0.05 * s; $6 = s == 0 ? 4 : s == 40 ? final : ""; $7 = 2 - s / 40; $11 = 3; $12 = s == 0 ? 1 : 2
          if (s == 20) $5 = 9; print }' "$1/metrics.csv" >canned.csv
    mv canned.csv "$1/metrics.csv"
}
canned a1 gpt2 1 1.50
canned a2 gpt2 2 1.52
canned a3 gpt2 3 1.54
canned b1 bert 1 1.40
canned c1 normal1 1 3.30
table=$("$STEP0" compare a1 a2 a3 b1 c1 2>said)
row() { grep "^$1 " <<<"$table"; }
equal 'groups, best first' "$(cut -d' ' -f1 <<<"$table" | sed -n 2,4p | tr '\n' ' ')" 'bert gpt2 normal1 '
contains 'three seeds as one row' "$(row gpt2 | tr -s ' ')" 'gpt2 3 40 4.000 2.000 1.5200±0.0200 '
contains 'norms: largest, last, first block over last at step 0 and at the end' "$(row bert | tr -s ' ')" ' 2 1 3 1.5 1 '
contains 'status' "$(row bert)" finished
contains 'stuck above the unigram entropy' "$(row normal1)" stuck
equal 'nothing to warn of' "$(cat said)" ''
floor=$(sed -n 's/.*"floor":[^0-9]*\([0-9.]*\).*/\1/p' a1/run.json)
near 'above the floor' "$(row bert | tr -s ' ' | cut -d' ' -f7)" "$(awk -v f="$floor" 'BEGIN { print 1.40 - f }')" 1e-3

canned d1 gpt2 1 1.45 train.lr=3e-3
canned d2 gpt2 2 1.45 train.lr=3e-3 data.text_seed=2
table=$("$STEP0" compare a1 d1 d2 2>said)
contains 'what differs is named' "$table" 'lr=0.003'
contains 'another text warns' "$(cat said)" 'different texts'
contains 'the same seed counts once' "$("$STEP0" compare a1 a1 a2 2>said | tr -s ' ')" 'gpt2 2 40 '
contains 'and is said' "$(cat said)" 'repeats the seeds'
refuses 1 'nowhere holds no run' compare nowhere
refuses 1 'needs the folders of runs' compare
sed -i '5s/,/;/' a2/metrics.csv
refuses 1 'a2/metrics.csv:5' compare a1 a2

# --- probe ---
probe=(data.chars=5000 model.n_layer=3 model.n_head=1 model.n_embd=16 model.block_size=8 train.batch_size=4 --threads 1)
text=$("$STEP0" probe "${probe[@]}" init.scheme=gpt2,zero_proj --csv probe.csv)
contains 'a picture a scheme' "$text" 'scheme=zero_proj'
equal 'rows of the table' "$(wc -l <probe.csv)" 11
stream() { awk -F, -v c="\"scheme=$1\"" '$1 == c && $2 != "" { print $3 }' probe.csv; }
equal 'zero projections leave the stream as it is' "$(stream zero_proj | sort -u | wc -l)" 1
equal 'others let it grow' "$(stream gpt2 | sort -g)" "$(stream gpt2)"
train one "${probe[@]}" train.steps=0 eval.batches=1
near "the first block's gradient is that of metrics.csv" "$(awk -F, '$1 == "\"scheme=gpt2\"" && $2 == 0 { print $4 }' probe.csv)" "$(field one/metrics.csv grad_norm.h.0 0)" 1e-6
