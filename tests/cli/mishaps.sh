#!/usr/bin/env bash
# What happens to a run's folder between two commands, and around the program.
. "$(dirname "$0")/lib.bash"

run=("${tiny[@]}" --threads 1 train.steps=20 eval.every=5 checkpoint.every=10)
result() { curve "$1"; sha256sum <"$1/checkpoint/model.safetensors"; sha256sum <"$1/best/model.safetensors"; }
train whole "${run[@]}" train.steps=30 train.schedule=constant
train part "${run[@]}" train.schedule=constant

# --- links that a copy lost or followed ---
cp -a part unlinked
rm unlinked/checkpoint unlinked/best
said=$("$STEP0" train "${run[@]}" train.steps=30 train.schedule=constant --out unlinked --resume --quiet 2>&1) || fail "$said"
contains 'a lost link is made again' "$said" 'linked to checkpoint-20 again'
equal 'and the run goes on' "$(result unlinked)" "$(result whole)"
cp -rL part followed
rm -r followed/checkpoint-* followed/best-*
train followed "${run[@]}" train.steps=30 train.schedule=constant --resume
equal 'folders in the place of links' "$(result followed)" "$(result whole)"
check 'are links again' [ -L followed/checkpoint -a -L followed/best ]
cp -rL part followed2
train followed2 "${run[@]}" train.steps=30 train.schedule=constant --overwrite
equal '--overwrite removes them' "$(result followed2)" "$(result whole)"
cp -a part nometrics
rm nometrics/metrics.csv
said=$("$STEP0" train "${run[@]}" train.steps=30 train.schedule=constant --out nometrics --resume --quiet 2>&1) || fail "$said"
contains 'a lost metrics.csv' "$said" 'starts anew at step 20'
cp -a part norows
sed -i 1q norows/metrics.csv
said=$("$STEP0" train "${run[@]}" train.steps=30 train.schedule=constant --out norows --resume --quiet 2>&1) || fail "$said"
contains 'lost rows, all of them' "$said" 'has no row of the steps before; it starts anew at step 20'

# --- nothing is destroyed by a config that cannot train ---
before=$(result part)
refuses 1 '0 tokens to train on|data.val_fraction' train "${run[@]}" --out part --overwrite data.val_fraction=1
refuses 1 '0 tokens to train on' train "${run[@]}" --dry-run data.val_fraction=1
refuses 1 'which --overwrite would empty' train data.chars=20000 init.from=part --out part --overwrite
cp -a part inside
cp "$root/configs/schemes/bert.json" inside/checkpoint/mine.json
for input in data.text=inside/samples.txt data.text=inside/checkpoint/mine.json init.scheme=inside/checkpoint/mine.json; do
    refuses 1 "${input%%=*} is |which --overwrite would empty" train train.steps=1 model.n_layer=1 "$input" --out inside --overwrite
done
mkfifo inside/report.html
refuses 1 'inside/report.html is not a regular file but a pipe' train "${run[@]}" train.steps=30 train.schedule=constant --out inside --resume --report
rm -r inside
refuses 2 'one of them' train "${run[@]}" --out part --overwrite --resume
equal 'the run is as it was' "$(result part)" "$before"

# --- init.from: a resume needs the source no more ---
mkdir sources
train sources/a "${run[@]}"
from=(data.chars=20000 init.from=sources/a train.batch_size=4 eval.every=5 eval.batches=1 --threads 1 train.schedule=constant)
train child_whole "${from[@]}" train.steps=9
train child "${from[@]}" train.steps=5
rm -r sources child/checkpoint
train child "${from[@]}" train.steps=9 --resume
equal 'a child of a run that is gone, its own link lost' "$(result child)" "$(result child_whole)"
refuses 1 'leave init.from out' eval part init.from=child

# --- a vocabulary that is not the tokenizer's ---
cp -rL part/checkpoint padded
rm padded/state.json
sed -i 's/\("vocab_size":[^0-9]*\)[0-9]*/\1400/' padded/config.json
refuses 1 'tokenizer.json has|a vocabulary of 400' sample padded
sed -i 's/\("vocab_size":[^0-9]*\)[0-9]*/\10/' padded/config.json
refuses 1 'a vocabulary of 0' sample padded

# --- standard streams that are closed, or read no further ---
"$STEP0" train "${run[@]}" --out noerr 2>&- >/dev/null || fail 'a closed stderr'
equal 'no progress in metrics.csv' "$(curve noerr)" "$(train plain "${run[@]}"; curve plain)"
"$STEP0" train "${run[@]}" --out pipe 2>&1 | head -c 1 >/dev/null || true
contains 'a reader that is gone stops nothing' "$(cat pipe/run.json)" '"finished"'

# --- folder names that a shell takes apart ---
"$STEP0" train "${run[@]}" train.steps=100000 --out 'a b=c' --quiet 2>said &
pid=$!
await [ -s 'a b=c/metrics.csv' ]
kill -INT $pid
wait $pid || true
contains 'how to go on' "$(cat said)" "step0 train --out 'a b=c' --resume"
