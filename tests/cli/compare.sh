#!/usr/bin/env bash
# compare: canned runs against the table that they must give; grouping, verdicts, warnings. probe: its numbers.
. "$(dirname "$0")/lib.bash"

# canned DIR SCHEME SEED FINAL: a run of 40 rows whose validation loss ends at FINAL, or does not move behind step 10 where FINAL is
# above 3; at step 20 it is $half, where that is set.
canned() {
    train "$1" data.chars=5000 model.n_layer=2 model.n_head=1 model.n_embd=8 model.block_size=8 train.batch_size=2 train.steps=40 eval.every=0 eval.batches=1 \
        init.scheme="$2" seed="$3" "${@:5}" --threads 1
    awk -F, -v OFS=, -v final="$4" -v half="${half:-}" 'NR == 1 { print; next }
        { s = $1; $5 = 4 - 0.05 * (final > 3 && s > 10 ? 10 : s); $6 = s == 0 ? 4 : s == 20 ? half : s == 40 ? final : ""; $7 = 2 - s / 40; $11 = 3; $12 = s == 0 ? 1 : 2
          if (s == 20) $5 = 9; print }' "$1/metrics.csv" >canned.csv
    mv canned.csv "$1/metrics.csv"
}
canned a1 gpt2 1 1.50
canned a2 gpt2 2 1.52
canned a3 gpt2 3 1.54
canned b1 bert 1 1.40
canned c1 normal1 1 3.30
table=$("$STEP0" compare a1 a2 a3 b1 c1 2>said) || fail "compare exits with $?"
row() { grep "^$1 " <<<"$table"; }
equal 'groups, best first' "$(cut -d' ' -f1 <<<"$table" | sed -n 2,4p | tr '\n' ' ')" 'bert gpt2 normal1 '
contains 'three seeds as one row' "$(row gpt2 | tr -s ' ')" 'gpt2 3 40 4.000 2.000 1.5200±0.0200 '
contains 'norms: largest, last, first block over last at step 0 and at the end' "$(row bert | tr -s ' ')" ' 2 1 3 1.5 1 '
contains 'status' "$(row bert)" finished
contains 'stuck above the unigram entropy' "$(row normal1)" stuck
# fact KEY: of a1's run.json, in four digits
fact() { sed -n "s/.*\"$1\":[^0-9]*\([0-9.]*\).*/\1/p" a1/run.json | awk '{ printf "%.4f", $1 }'; }
contains 'the yardsticks by their names' "$table" "ln V $(fact ln_vocab), unigram $(fact unigram), bigram $(fact bigram), floor $(fact floor) (nats a token)"
equal 'no blanks behind a line' "$(grep -c ' $' <<<"$table" || true)" 0
equal 'nothing to warn of' "$(cat said)" ''
floor=$(sed -n 's/.*"floor":[^0-9]*\([0-9.]*\).*/\1/p' a1/run.json)
near 'above the floor' "$(row bert | tr -s ' ' | cut -d' ' -f7)" "$(awk -v f="$floor" 'BEGIN { print 1.40 - f }')" 1e-3

canned d1 gpt2 1 1.45 train.lr=3e-3
canned d2 gpt2 2 1.45 train.lr=3e-3 data.text_seed=2
table=$("$STEP0" compare a1 d1 d2 2>said) || fail "compare exits with $?"
contains 'what differs is named' "$table" 'lr=0.003'
contains 'another text warns' "$(cat said)" 'different texts'
contains 'the same seed counts once' "$("$STEP0" compare a1 a1 a2 2>said | tr -s ' ')" 'gpt2 2 40 '
contains 'and is said' "$(cat said)" 'repeats the seeds'
refuses 1 'nowhere holds no run' compare nowhere
refuses 1 'needs the folders of runs' compare

# --- pairs: differences -0.10, -0.13, -0.10 of bert; of normal1 0.02, -0.04, 0.02 ---

# json FILE PATH: what stands there in a JSON file, through jq's kin in awk: the first "key": value behind each key of the path in turn.
json() {
    awk -v path="$2" 'BEGIN { n = split(path, key, "/"); k = 1 }
        k <= n && (at = index($0, "\"" key[k] "\":")) { if (k++ == n) { sub(/^[^:]*:[[:space:]]*/, ""); sub(/,$/, ""); print; exit } }' "$1"
}
canned b2 bert 2 1.39
canned b3 bert 3 1.44
canned n1 torch_default 1 1.52
canned n2 torch_default 2 1.48
half=1.53 canned n3 torch_default 3 1.56
table=$("$STEP0" compare a1 a2 a3 b1 b2 b3 n1 n2 n3 --json j.json --csv j.csv) || fail "compare exits with $?"
contains 'the interval in the direction of the difference' "$table" "bert: 0.110 below (95 % interval 0.067 to 0.153; Holm's p 0.016 for 2 comparisons); 3 seeds tell apart 0.043: it stands (correlation of the pairs 0.76)"
contains 'what a difference would need' "$table" 'torch_default: 0.000 above (95 % interval -0.086 to 0.086; Holm'\''s p 1 for 2 comparisons); 3 seeds tell apart 0.086; this difference would need more than 10000'
contains 'several against one' "$table" "Against gpt2, paired by seed; Holm's correction for 2 comparisons"
equal 'the reference is the first run' "$(json j.json reference)" '"gpt2"'
near 'mean of the differences' "$(json j.json contrasts/difference)" -0.11 1e-9
near 'their standard deviation' "$(json j.json contrasts/sd)" 0.017320508075688 1e-9
near "Holm: twice the lesser p" "$(json j.json contrasts/holm_p)" "$(awk -v p="$(json j.json contrasts/p)" 'BEGIN { printf "%.12g", 2 * p }')" 1e-9
contains 'a sentence a row' "$(json j.json rows/sentence)" 'ends at 1.410 ± 0.026 (3 seeds), 0.110 below gpt2 (95 % interval 0.067 to 0.153; Holm'\''s p 0.016 for 2 comparisons); gradient 3 times larger in the first block than in the last at step 0'

# Differences of 0.10, 0.065, 0.135: p 0.038, which two comparisons make 0.077.
canned k1 xavier_normal 1 1.40
canned k2 xavier_normal 2 1.455
canned k3 xavier_normal 3 1.405
taken_back=$("$STEP0" compare a1 a2 a3 k1 k2 k3 n1 n2 n3 --json k.json) || fail "compare exits with $?"
contains 'what Holm takes back' "$taken_back" "xavier_normal: 0.100 below (95 % interval 0.013 to 0.187; Holm's p 0.077 for 2 comparisons); 3 seeds tell apart 0.087, but with so many comparisons that may be chance"
contains 'no sentence suggests' "$(grep '"sentence"' k.json)" "Holm's p 0.077 for 2 comparisons), which may be chance with so many comparisons; gradient"
contains 'where one alone stands' "$("$STEP0" compare a1 a2 a3 k1 k2 k3)" 'xavier_normal: 0.100 below (95 % interval 0.013 to 0.187); 3 seeds tell apart 0.087: it stands'
contains 'those without a p do not count' "$("$STEP0" compare a1 a2 a3 b1 k1 k2 k3)" 'Against gpt2, paired by seed:'

contains 'another reference, by its scheme' "$("$STEP0" compare a1 a2 a3 b1 b2 b3 --reference bert)" 'gpt2: 0.110 above (95 % interval 0.067 to 0.153)'
contains 'two pairs are no interval' "$("$STEP0" compare a1 a2 b1 b2)" 'bert: 0.115 below; 2 pairs of seeds: no interval below 3'
contains 'no pair is no pair' "$("$STEP0" compare a1 b2)" 'no seeds in common'
refuses 1 '--reference is "nobody"|"bert", "gpt2"' compare a1 b1 --reference nobody
equal 'what differs' "$(grep '^The configs differ' <<<"$table")" 'The configs differ in: init.scheme.'

# --- --csv: a row a number ---

equal 'header' "$(head -n 1 j.csv)" 'run,row,scheme,init_seed,data_seed,step,quantity,part,layer,value'
equal 'a validation loss' "$(grep '^"a2",' j.csv | grep ',40,val_loss,')" '"a2","gpt2","gpt2",2,2,40,val_loss,,,1.52'
equal 'a norm of a block' "$(grep '^"b1",' j.csv | grep ',0,grad_norm,h.1,')" '"b1","bert","bert",1,1,0,grad_norm,h.1,1,1'
equal 'every cell that is not empty, without steps' "$(grep -c '^"n3",' j.csv)" "$(awk -F, 'NR > 1 { for (i = 2; i <= NF; i++) n += $i != "" } END { print n }' n3/metrics.csv)"

# --- verdicts ---

half=1.53 canned s1 gpt2 1 1.50
half=1.30 canned s2 bert 1 1.60
canned u1 normal1 2 3.30
awk -F, -v OFS=, 'NR > 1 { $5 = 9 - $1 / 10 } { print }' u1/metrics.csv >u && mv u u1/metrics.csv
"$STEP0" compare b1 c1 --json c.json >said || fail "compare exits with $?: $(cat said)"
contains 'the sentence of a single run that failed' "$(grep '"sentence"' c.json)" '"stuck; ends at 3.300, 1.900 above bert; gradient'
contains 'above the unigram entropy, but still falling' "$("$STEP0" compare u1)" unfinished
awk -F, -v OFS=, 'NR > 1 && $6 != "" { $6 = $1 == 0 ? 9 : 9.1 } { print }' u1/metrics.csv >u && mkdir u2 && cp u1/*.json u2 && mv u u2/metrics.csv
contains 'falling from far above its start' "$("$STEP0" compare u2 | grep '^normal1 ')" stuck
"$STEP0" compare s1 s2 b1 --json s.json >said 2>&1 || fail "compare exits with $?: $(cat said)"
verdict() { awk -v row="\"label\":	\"$2\"" -v name="\"$3\":" 'index($0, row) { on = 1 } on && index($0, name) { found = 1 } found && /"text"/ { sub(/^[^:]*:[[:space:]]*"/, ""); sub(/",?$/, ""); print; exit }' "$1"; }
# spikes RISE: of a curve that falls by 0.05 a row, without noise, but for row 20, RISE above its place in it
spikes() {
    awk -F, -v OFS=, -v rise="$1" 'NR > 1 { $5 = 4 - 0.05 * $1 + ($1 == 20 ? rise : 0) } { print }' a1/metrics.csv >u && mkdir -p u3 && cp a1/*.json u3 && mv u u3/metrics.csv
    "$STEP0" compare u3 --json u3.json >said 2>&1 && verdict u3.json gpt2 spikes
}
equal 'a dent in a fall is no spike' "$(spikes 0.2)" 0
equal 'what rises above the rows before is one' "$(spikes 0.4)" 1
equal "the reference reaches its own end" "$(verdict s.json gpt2 steps_to_reference)" 40
equal 'sooner, though it ends higher' "$(verdict s.json bert steps_to_reference)" 20
"$STEP0" compare s1 n1 --json s.json >said || fail "compare exits with $?: $(cat said)"
equal 'never' "$(verdict s.json torch_default steps_to_reference)" '>40'
equal 'the profile afterwards over before' "$(verdict s.json gpt2 drift)" 0.5
canned f2 gpt2 2 3.30
canned f3 gpt2 3 1.70
table=$("$STEP0" compare a1 f2 f3 b1 b2 b3 --json f.json) || fail "compare exits with $?"
contains 'a failed seed: the median' "$(grep '^gpt2 ' <<<"$table" | tr -s ' ')" ' 1.7000 '
equal 'in every column' "$(grep '^gpt2 ' <<<"$table" | head -n 1 | tr -s ' ' | cut -d' ' -f3-7)" "40 4.000 2.000 1.7000 $(awk -v f="$floor" 'BEGIN { printf "%.3f", 1.7 - f }')"
contains 'and k of n' "$(json f.json rows/label >/dev/null; verdict f.json gpt2 stuck)" '1 of 3'
contains 'the sentence of failed seeds' "$(grep '"sentence"' f.json)" '1 of 3 seeds failed: finished 2 of 3, stuck 1 of 3; median 1.700; gradient'
contains 'no interval then' "$table" 'bert: 0.300 below (medians); 0 of 3 seeds failed, 1 of 3 of the reference: no interval'
for run in f2 f3; do sed -i 's/"status":\([[:space:]]*\)"[a-z]*"/"status":\1"diverged"/' $run/run.json; done
equal 'losses at the end are infinite where most diverged, others are not' "$("$STEP0" compare a1 f2 f3 b1 | grep '^gpt2 ' | head -n 1 | tr -s ' ' | cut -d' ' -f3-9)" '40 4.000 - - 1.7000 - 2'

# Losses that are one another's mirror image.
canned m1 gpt2 1 1.50
canned m2 gpt2 2 1.50
awk -F, -v OFS=, 'NR > 1 { $5 = 6 - $5 } { print }' m1/metrics.csv >m2/metrics.csv
equal 'the small curve is the mean of the seeds' "$("$STEP0" compare m1 m2 | awk '$1 == "gpt2" { print $(NF - 1); exit }' | grep -o . | sort -u | wc -l)" 1

status=0
"$STEP0" train data.chars=5000 model.n_layer=2 model.n_head=1 model.n_embd=8 model.block_size=8 train.batch_size=2 train.steps=40 train.lr=1e30 train.schedule=constant \
    train.grad_clip=0 log.detail=tensor --quiet --out v 2>said || status=$?
equal 'status of a diverged run' $status 3
contains 'step and part of the divergence, as train said' "$("$STEP0" compare v)" "$(sed -n 's/.*diverged \(at step [0-9]*\): the gradient of \([^ ]*\) .*/(\1, first in \2)/p' said)"

# --- learning rates: gpt2 1.50, 1.40, 9.50 (above ln V); bert 1.60, 1.45, 1.44 at 1e-3, 3e-3, 1e-2 ---

for lr in 1e-3:1.50:1.60 3e-3:1.40:1.45 1e-2:9.50:1.44; do
    IFS=: read -r rate one two <<<"$lr"
    canned "l_gpt2_$rate" gpt2 1 "$one" train.lr="$rate"
    canned "l_bert_$rate" bert 1 "$two" train.lr="$rate"
done
table=$("$STEP0" compare l_gpt2_* l_bert_* --json l.json --csv l.csv) || fail "compare exits with $?"
contains 'each at its best rate' "$table" 'schemes are compared each at its best one'
contains 'which is this' "$table" 'bert lr=0.01: 0.040 above'
near 'sensitivity, capped' "$(verdict l.json 'gpt2 lr=0.003' lr_sensitivity)" "$(awk -v cap="$(json a1/run.json ln_vocab)" 'BEGIN { printf "%.3f", (1.5 + 1.4 + cap) / 3 - 1.4 }')" 1e-9
equal 'of the other' "$(verdict l.json 'bert lr=0.01' lr_sensitivity)" 0.057
equal 'the largest rate that trains' "$(verdict l.json 'gpt2 lr=0.003' largest_lr)" 0.003
equal 'or the end of the grid' "$(verdict l.json 'bert lr=0.01' largest_lr)" '>=0.01'
contains 'the key that differs is a column' "$(head -n 1 l.csv)" ',value,train.lr'
contains 'a rate as the reference' "$("$STEP0" compare l_gpt2_* l_bert_* --reference 'gpt2 lr=0.001')" 'gpt2 lr=0.003: 0.100 below'
contains 'a scheme as the reference: at its best' "$("$STEP0" compare l_gpt2_* l_bert_* --reference bert)" 'Against bert lr=0.01'

# --- a rate that has only begun, and none that has a loss ---

train l_gpt2_2e-2 data.chars=5000 model.n_layer=2 model.n_head=1 model.n_embd=8 model.block_size=8 train.batch_size=2 train.steps=40 eval.every=0 eval.batches=1 \
    init.scheme=gpt2 seed=1 train.lr=2e-2 --threads 1
sed -i 1q l_gpt2_2e-2/metrics.csv
sed -i 's/"status":\([[:space:]]*\)"finished"/"status":\1"running"/' l_gpt2_2e-2/run.json
"$STEP0" compare l_gpt2_* --json begun.json >/dev/null 2>&1 || fail "compare exits with $?"
contains 'a rate without a loss is no best one' "$(grep -E '"(label|best_lr)":' begun.json | grep -B 1 'best_lr.*true')" 'gpt2 lr=0.003'
equal 'nor has its family a sensitivity' "$(verdict begun.json 'gpt2 lr=0.003' lr_sensitivity)" ''
equal 'nor does it say what trains' "$(verdict begun.json 'gpt2 lr=0.003' largest_lr)" 0.003
for run in l_gpt2_* l_bert_*; do awk -F, -v OFS=, 'NR > 1 { $6 = "" } { print }' $run/metrics.csv >none.csv; mv none.csv $run/metrics.csv; done
none=$("$STEP0" compare l_gpt2_1* l_gpt2_3* --json none.json 2>/dev/null) || fail "compare exits with $?"
equal 'without a loss no rate is the best one' "$(grep -c 'each at its best one' <<<"$none")" 0
equal 'and no sensitivity' "$(grep -A4 '"lr_sensitivity"' none.json | grep -c '"text":.*[0-9]')" 0

# --- warm-up ---

canned w1 post_ln 1 3.50
canned w2 post_ln 1 1.60 train.warmup_steps=10
contains 'warm-up is needed' "$("$STEP0" compare w1 w2)" 'needed: 1 of 1 failed without, 0 of 1 with'
contains 'or not shown to matter' "$("$STEP0" compare a1 a2 a3 w2 w1 | tail -n 20; canned w3 gpt2 1 1.49 train.warmup_steps=10; "$STEP0" compare a1 w3)" 'not shown to matter (-0.010 with it)'

# --- labels ---

mkdir x y
printf '{"weights": {"*": {"normal": "0.03"}}}' >x/mine.json
printf '{"weights": {"*": {"normal": "0.04"}}}' >y/mine.json
canned t1 x/mine.json 1 1.6
canned t2 y/mine.json 1 1.7
table=$("$STEP0" compare t1 t2) || fail "compare exits with $?"
contains 'two files of one stem' "$table" 'mine (t1)'
contains 'are told apart' "$table" 'mine (t2)'

help=$("$STEP0" help verdicts)
for name in diverged stuck unfinished spikes gradient_by_depth drift steps_to_reference above_floor difference lr_sensitivity largest_lr warmup; do
    equal "$name is explained" "$(grep -c -x "  $name" <<<"$help")" 1
done
refuses 1 'nowhere' compare a1 --json nowhere/j.json

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
