#!/usr/bin/env bash
# sample and eval: what a checkpoint writes, and how well it predicts.
. "$(dirname "$0")/lib.bash"

train run "${tiny[@]}" --threads 1 train.steps=60 train.lr=1e-2 eval.batches=0
sample() { "$STEP0" sample run --threads 1 "$@"; }

# --- draws are a function of the seed; 0 is greedy; top-k 1 is greedy ---
equal 'the same seed' "$(sample --tokens 80 --seed 3)" "$(sample --tokens 80 --seed 3)"
[ "$(sample --tokens 80 --seed 3)" != "$(sample --tokens 80 --seed 4)" ] || fail 'another seed draws the same'
equal 'greedy has no seed' "$(sample --tokens 60 --temperature 0 --seed 1)" "$(sample --tokens 60 --temperature 0 --seed 2)"
equal 'top-k 1 is greedy' "$(sample --tokens 60 --top-k 1 --seed 5)" "$(sample --tokens 60 --temperature 0)"
equal 'top-k above the vocabulary draws among all' "$(sample --tokens 60 --top-k 100000)" "$(sample --tokens 60)"
long=$(sample --tokens 90 --seed 2 --prompt ab)
short=$(sample --tokens 50 --seed 2 --prompt ab)
equal 'a longer sample starts with the shorter one' "${long:0:${#short}}" "$short"
equal 'threads change nothing' "$(sample --tokens 60 --seed 2)" "$("$STEP0" sample run --threads 3 --tokens 60 --seed 2)"
text=$(sample --prompt 'The hen' --tokens 40)
contains 'the prompt comes first' "$text" 'The hen'
equal 'length in bytes: prompt, tokens and a line end' "$(sample --prompt abc --tokens 200 | wc -c)" 204
contains 'samples.txt has three' "$(grep -c '^--- step 60' run/samples.txt)" 3

# --- bad input ---
refuses 1 "the prompt's character 'é'|0xc3 at offset 3|not in the model's vocabulary" sample run --prompt 'abcé'
refuses 1 '--temperature is "-1"' sample run --temperature -1
refuses 1 '--temperature is "hot"' sample run --temperature hot
refuses 1 '--tokens is "0"' sample run --tokens 0
refuses 1 '--top-k is "1.5"' sample run --top-k 1.5
refuses 1 'nothing' sample nothing
refuses 1 'needs the folder of a run' sample

# --- eval ---
loss_of() { "$STEP0" eval "$@" | cut -d' ' -f2; }
near 'eval gives the loss of the last row (eval.batches 0)' "$(loss_of run)" "$(tail -n 1 run/metrics.csv | cut -d, -f6)" 1e-6
near 'a second time' "$(loss_of run)" "$(loss_of run --threads 2)" 0
[ "$(loss_of run data.text_seed=2 data.chars=3000)" != "$(loss_of run)" ] || fail 'another text has the same loss'
contains 'another text counts whole' "$("$STEP0" eval run data.text_seed=2 data.chars=3000)" '3000 tokens'
refuses 1 'model.n_layer is 3' eval run model.n_layer=3
printf 'caf\303\251 caf\303\251 caf\303\251 caf\303\251 caf\303\251 caf\303\251' >other.txt
refuses 1 'byte 0xc3 at offset 3 is not in the vocabulary' eval run data.text=other.txt

# said_by WORD...: what eval says besides the loss.
said_by() { "$STEP0" eval "$@" 2>&1 >/dev/null || true; }
train ruled "${tiny[@]}" --threads 1 init.params.std=0.1 'init.rules.wpe={"normal":"0.1"}'
equal 'a run has nothing to be warned of' "$(said_by run)$(said_by ruled)" ''
for key in init.params.std=0.1 train.lr=3 eval.every=5 seed=2; do
    refuses 1 "$key has no effect on eval" eval run $key
done
near 'batches of other sizes' "$(loss_of run train.batch_size=1)" "$(loss_of run)" 1e-6
[ "$(loss_of run eval.batches=1)" != "$(loss_of run)" ] || fail 'one batch has the loss of all'
equal 'the checkpoint, named' "$(loss_of run/checkpoint)" "$(loss_of run)"
near 'the best weights' "$(loss_of run/best)" "$(sed -n 's/.*"best_val_loss":[^0-9]*\([0-9.]*\).*/\1/p' run/run.json)" 1e-6
cp -RL run/checkpoint hub
rm hub/state.json
refuses 1 'hub belongs to no run|data.text=PATH' eval hub
cp -R run half
rm half/resolved.json
refuses 1 'half lacks resolved.json|half/checkpoint would do' sample half
equal 'a folder of weights on a text' "$(loss_of hub data.text_seed=2 data.chars=3000)" "$(loss_of run data.text_seed=2 data.chars=3000)"

# A text that is not what it was is worth one notice, whatever comes of it; a text that is named is not.
"$STEP0" help >story.txt
cp story.txt before.txt
train own "${tiny[@]:1}" data.text=story.txt --threads 1
equal 'a text as it was' "$(said_by own)" ''
head -n 60 before.txt >story.txt
changed='step0: warning: data.text has changed since '
for run in own own/best; do
    said=$(said_by "$run")
    contains 'a text that changed' "$said" "$changed"
    equal 'said once' "$(wc -l <<<"$said")" 1
done
equal 'texts that are named' "$(said_by own data.text=before.txt)$(said_by own data.text=story.txt)" ''
printf '\xff' >>story.txt
refuses 1 "$changed|byte 0xff at offset" eval own

# --- init.from a run: its weights, its shape, its tokenizer ---
train more data.chars=20000 init.from=run train.steps=0 eval.batches=0 train.batch_size=4 --threads 1
near 'a run that starts from another has its loss' "$(tail -n 1 more/metrics.csv | cut -d, -f6)" "$(tail -n 1 run/metrics.csv | cut -d, -f6)" 1e-6
cmp -s more/checkpoint/model.safetensors run/checkpoint/model.safetensors || fail 'and its weights'
train bare "${tiny[@]}" --threads 1 model.bias=false
train again data.chars=20000 init.from=bare train.steps=0 train.batch_size=4 eval.batches=1 --threads 1
said=$("$STEP0" train data.chars=20000 init.from=bare train.steps=1 train.batch_size=4 eval.batches=1 --threads 1 --out again --resume --quiet 2>&1)
equal 'a resume of it has nothing to be warned of' "$said" 'train.steps: 0 -> 1'
contains 'a bias-free run stays so' "$(tr -d '\t\n' <again/resolved.json)" '"bias":false'
refuses 1 'model.bias is true, but' train data.chars=20000 init.from=bare model.bias=true --out no
