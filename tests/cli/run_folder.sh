#!/usr/bin/env bash
# What a run leaves behind: names of folders, resolved.json, metrics.csv, init.csv, run.json.
. "$(dirname "$0")/lib.bash"

# --- resolved.json trains to the same bits ---

printf '{"init": {"scheme": "mine/own.json", "params": {"s": 0.03}, "rules": {"wpe": {"zeros": true}}}, "data": {"text": ["a.txt", "b.txt"]},
 "model": {"n_layer": 2, "n_head": 2, "n_embd": 16, "block_size": 16, "dropout": 0.1},
 "train": {"steps": 4, "batch_size": 3, "grad_accum": 2, "warmup_steps": 1, "schedule": "linear"}, "eval": {"every": 2, "batches": 0}}' >c.json
mkdir -p conf/mine elsewhere/deep
mv c.json conf/first.json
echo '{"params": {"s": 0.02}, "weights": {"*": {"normal": "s"}, "mlp": {"uniform": "s/layer"}}}' >conf/mine/own.json
for i in {1..60}; do echo "line $i: the cat sat on mat $((i * 7 % 13))"; done >conf/a.txt
echo 'The end has no newline, and a letter of its own: Q' | tr -d '\n' >conf/b.txt
train one conf/first.json
(cd elsewhere/deep && train ../../two ../../one/resolved.json)
equal 'trained from resolved.json' "$(curve two)" "$(curve one)"
equal 'init.csv from resolved.json' "$(cat two/init.csv)" "$(cat one/init.csv)"
grep -q "\"$PWD/conf/a.txt\"" one/resolved.json || fail 'no absolute path in resolved.json'
mv conf/mine/own.json conf/mine/gone.json
train three one/resolved.json
equal 'trained from resolved.json without the scheme file' "$(curve three)" "$(curve one)"
cat conf/a.txt conf/b.txt >joined.txt
mv conf/mine/gone.json conf/mine/own.json
train joined conf/first.json data.text=joined.txt
equal 'files joined as they are' "$(curve joined)" "$(curve one)"
hash_of() { grep '"hash"' "$1/run.json"; }
equal 'hash of the text' "$(hash_of joined)" "$(hash_of one)"

# Relative to the config's folder in a config, to the current one on the command line.
cp joined.txt conf/joined.txt
echo 'another text of the same name, long enough to train on, which nobody should have read' >joined.txt
refuses 1 "$PWD/missing.txt" train conf/first.json data.text=missing.txt
train here conf/first.json data.text=conf/joined.txt
equal 'an override is relative to the current folder' "$(curve here)" "$(curve one)"

# --- names of folders ---

# named FOLDER WORD...: where a run without --out goes
named() {
    local folder=$1
    shift
    rm -rf runs
    "$STEP0" train "$@" --quiet >/dev/null 2>&1 || fail "train $* exits with $?"
    equal "folder of $*" "$(ls runs)" "$folder"
}
few=("${tiny[@]}")
echo '{"data": {"chars": 3000}, "model": {"n_layer": 1, "n_head": 2, "n_embd": 8, "block_size": 8}, "train": {"steps": 1, "batch_size": 2}}' >plain.json
named plain plain.json
named plain plain.json eval.every=5 log.detail=total eval.batches=1 log.every=2 checkpoint.every=1
named plain_scheme=bert_lr=0.003 plain.json init.scheme=bert train.lr=0.003
named plain_scheme=bert_lr=0.003 plain.json init.scheme=bert log.every=3 train.lr=3e-3
named plain_lr=0.003_scheme=bert plain.json train.lr=0.003 init.scheme=bert
named plain_std=0.05 plain.json init.params.std=0.05
named other_seed=7 plain.json name=other seed=7
named plain_init.seed=7 plain.json init.seed=7
named plain_lr=0.02 plain.json train.lr=0.01 train.lr=0.02
named plain_scheme=own.json plain.json init.scheme=conf/mine/own.json
ls -A runs/*/ | grep -q metrics.csv || fail 'the folder holds no metrics.csv'
check 'an odd name stays below runs' test "$(ls runs | wc -l)" -eq 1

# --- metrics.csv ---

base=(data.chars=20000 model.n_layer=2 model.n_head=2 model.n_embd=16 model.block_size=16 train.batch_size=4 eval.batches=2 train.steps=10)
start=step,tokens,seconds,lr,loss,val_loss,grad_norm,clipped
layers=,grad_norm.wte,grad_norm.wpe,grad_norm.h.0,grad_norm.h.1,grad_norm.ln_f
block() {
    local part
    for part in ln_1.weight ln_1.bias attn.q.weight attn.k.weight attn.v.weight attn.q.bias attn.k.bias attn.v.bias attn.proj.weight attn.proj.bias \
        ln_2.weight ln_2.bias mlp.fc.weight mlp.fc.bias mlp.proj.weight mlp.proj.bias; do printf ',grad_norm.h.%d.%s' "$1" $part; done
}
parts=,grad_norm.wte.weight,grad_norm.wpe.weight$(block 0)$(block 1),grad_norm.ln_f.weight,grad_norm.ln_f.bias
header() { head -n 1 "$1/metrics.csv"; }
sorted() { tr , '\n' <<<"$1" | sort; }
train total "${base[@]}" log.detail=total
train layer "${base[@]}" eval.every=4 log.every=3
train tensor "${base[@]}" log.detail=tensor
train untied "${base[@]}" model.tie_embeddings=false
train untied_tensor "${base[@]}" model.tie_embeddings=false log.detail=tensor
train biasless "${base[@]}" model.bias=false log.detail=tensor train.steps=1
equal 'header, total' "$(header total)" "$start"
equal 'header, layer' "$(header layer)" "$start$layers"
equal 'header, layer, untied' "$(header untied)" "$start$layers,grad_norm.lm_head"
equal 'header, tensor' "$(sorted "$(header tensor)")" "$(sorted "$start$parts")"
equal 'header, tensor, untied' "$(sorted "$(header untied_tensor)")" "$(sorted "$start$parts,grad_norm.lm_head.weight")"
equal 'header, tensor, without biases' "$(header biasless | tr , '\n' | grep -c bias || true)" 0

steps_of() { awk -F, 'NR > 1 { print $1 }' "$1/metrics.csv" | xargs; }
validated() { awk -F, 'NR > 1 && $6 != "" { print $1 }' "$1/metrics.csv" | xargs; }
equal 'rows by default' "$(steps_of total)" '0 1 2 3 4 5 6 7 8 9 10'
equal 'validations at the ends' "$(validated total)" '0 10'
equal 'rows of log.every 3, eval.every 4' "$(steps_of layer)" '0 3 4 6 8 9 10'
equal 'validations of eval.every 4' "$(validated layer)" '0 4 8 10'
train none "${base[@]}" data.val_fraction=0 eval.every=2 log.every=100
equal 'rows without a validation text' "$(steps_of none)" '0 10'
equal 'validations without a validation text' "$(validated none)" ''

for run in layer tensor untied untied_tensor biasless; do
    awk -F, 'NR > 1 {
            sum = 0
            for (i = 9; i <= NF; i++) sum += $i * $i
            if (NF < 9 || sum < $7 * $7 * (1 - 1e-6) || sum > $7 * $7 * (1 + 1e-6)) { print $1, sqrt(sum), $7; bad = 1 }
        } END { exit bad }' $run/metrics.csv || fail "$run: the squares of the columns do not sum to the square of grad_norm"
done
equal 'tokens' "$(awk -F, 'NR > 1 && $2 != $1 * 64' total/metrics.csv)" ''
train accumulated "${base[@]}" train.grad_accum=3 train.steps=2
equal 'tokens of a step of three micro-batches' "$(field accumulated/metrics.csv tokens 2)" 384
equal 'no update leaves the last row' "$(field total/metrics.csv lr 10):$(field total/metrics.csv clipped 10)" ':'
equal 'rows whose clipped is wrong' "$(awk -F, 'NR > 1 && $1 < 10 && $8 != ($7 > 1)' total/metrics.csv)" ''
train unclipped "${base[@]}" train.grad_clip=0 train.steps=2
equal 'clipped, without clipping' "$(field unclipped/metrics.csv clipped 0)" 0
equal 'seconds that go back' "$(awk -F, 'NR > 1 { if ($3 == "" || $3 < last) print; last = $3 }' total/metrics.csv)" ''
awk -F, 'NR > 1 { for (i = 4; i <= NF; i++) { n = $i; sub(/e.*/, "", n); gsub(/[-.]/, "", n); sub(/^0+/, "", n); if (length(n) > 9) bad = 1; if (length(n) == 9) nine++ } }
    END { exit bad || nine < 50 }' tensor/metrics.csv || fail 'numbers do not have nine digits'

# A row holds what the weights after s updates give: row 0 of a run of 0 steps is row 0 of a longer one.
train zero "${base[@]}" train.steps=0
equal 'a run of 0 steps' "$(steps_of zero)" 0
equal 'loss of step 0' "$(field zero/metrics.csv loss 0):$(field zero/metrics.csv val_loss 0)" "$(field total/metrics.csv loss 0):$(field total/metrics.csv val_loss 0)"

# --- learning rates (update s of N, w: warm-up) ---

rates() {
    local schedule=$1
    shift
    train rates "${base[@]}" train.schedule=$schedule train.lr=0.01 train.min_lr=0.001 train.warmup_steps=3 log.detail=total --overwrite "$@"
    awk -F, -v schedule=$schedule 'BEGIN { N = 10; w = 3; lr = 0.01; low = 0.001; D = 2; pi = atan2(0, -1) }
        NR > 1 && $1 < N {
            s = $1; p = (s - w) / (N - 1 - w); start = N - D
            if (s < w) want = lr * (s + 1) / w
            else if (schedule == "cosine") want = low + (lr - low) * (1 + cos(pi * p)) / 2
            else if (schedule == "linear") want = lr + (low - lr) * p
            else if (schedule == "wsd" && s >= start) want = ""
            else want = lr
            if (want == "" ? $4 > lr || $4 < low : ($4 - want > 1e-8 * want || want - $4 > 1e-8 * want)) { print "row", s, "has", $4, "not", want; bad = 1 }
            last = $4
        }
        END { if (schedule == "wsd" && last != low) { print "wsd ends at", last; bad = 1 } exit bad }' rates/metrics.csv || fail "learning rates of $schedule"
}
for schedule in cosine linear constant wsd; do rates $schedule; done

# --- init.csv ---

equal 'header of init.csv' "$(head -n 1 total/init.csv)" part,role,layer,rows,cols,rule,expected_std,measured_std,z,mean,min,max,kurtosis
equal 'rows of init.csv' "$(awk -F, 'NR > 1 { print "grad_norm." $1 }' untied_tensor/init.csv | sort)" \
    "$(header untied_tensor | tr , '\n' | grep grad_norm. | sort)"
contains 'init.csv' "$(cat total/init.csv)" 'h.1.attn.proj.weight,attn.proj,1,16,16,"normal(std / sqrt(2*n_layer))",0.01,0.'
contains 'init.csv' "$(cat total/init.csv)" 'h.0.ln_1.weight,ln_1.gain,0,1,16,"constant(1)",0,0,,1,1,1,'
equal 'standard deviations 5 errors off' "$(sed 's/"[^"]*"//' total/init.csv | awk -F, 'NR > 1 && $9 != "" && ($9 > 5 || $9 < -5)')" ''

# --- run.json ---

facts=$(cat total/run.json)
for fact in '"version"' '"threads"' '"cpu"' '"blas"' '"kernel"' '"scheme":	"gpt2"' '"hash"' '"tokens":	20000' '"parameters":	' '"ln_vocab"' '"unigram"' \
    '"bigram"' '"floor"' '"status":	"finished"' '"last_step":	10' '"seconds"'; do contains run.json "$facts" "$fact"; done
fact() { sed -n "s/^.*\"$2\":[[:space:]]*\([^,]*\),*$/\1/p" "$1/run.json"; }
elements=$(sed 's/"[^"]*"//' total/init.csv | awk -F, 'NR > 1 { n += $4 * $5 } END { print n }')
equal 'parameters' "$(fact total parameters)" "$elements"
vocabulary=$(fact total vocab_size)
near ln_vocab "$(fact total ln_vocab)" "$(awk "BEGIN { printf \"%.12f\", log($vocabulary) }")" 1e-9
awk "BEGIN { exit !($(fact total ln_vocab) > $(fact total unigram) && $(fact total unigram) > $(fact total bigram) && $(fact total bigram) > $(fact total floor) && $(fact total floor) > 0) }" ||
    fail "yardsticks are not in order: $(grep -A5 yardsticks total/run.json)"
near 'loss of step 0 and ln V' "$(field total/metrics.csv loss 0)" "$(fact total ln_vocab)" 0.05
equal 'floor of a text of the user' "$(fact one floor)" null

# --- the smallest text: block_size + 1 bytes ---

printf '%s' 'abcdefghijklmnopq' >seventeen
for order in random sequential; do
    train least_$order data.text=seventeen data.val_fraction=0 data.order=$order model.block_size=16 model.n_layer=1 model.n_head=1 model.n_embd=8 \
        train.steps=3 train.batch_size=2
    equal "rows, $order" "$(steps_of least_$order)" '0 1 2 3'
done

# --- streams: results on stdout, progress on stderr ---

"$STEP0" train "${tiny[@]}" --out loud >"$scratch/stdout" 2>"$scratch/stderr"
contains 'stdout of train' "$(cat "$scratch/stdout")" 'loud'
contains 'stderr of train' "$(cat "$scratch/stderr")" 'step 6/6'
equal 'control characters where stderr is no terminal' "$(tr -d '\n[:print:]' <"$scratch/stderr" | wc -c)" 0
"$STEP0" train "${tiny[@]}" --out loud --overwrite --quiet >"$scratch/stdout" 2>"$scratch/stderr"
equal 'output of --quiet' "$(cat "$scratch/stdout" "$scratch/stderr")" ''
status=0
"$STEP0" train "${tiny[@]}" --out full >/dev/full 2>"$scratch/stderr" || status=$?
equal 'status where stdout is full' $status 1
