#!/usr/bin/env bash
# sweep: one run a combination, side by side; finished ones are skipped, failed ones reported, stopped ones go on.
. "$(dirname "$0")/lib.bash"

small=(data.chars=5000 model.n_layer=1 model.n_head=1 model.n_embd=16 model.block_size=8 train.batch_size=4 train.steps=4 eval.batches=1)

listed=$("$STEP0" sweep "${small[@]}" init.scheme=gpt2,bert seed=1,2 --out s --list)
equal 'a command a line' "$(wc -l <<<"$listed")" 4
equal '--list runs nothing' "$(ls)" ''
"$STEP0" sweep "${small[@]}" init.scheme=gpt2,bert seed=1,2 --out s 2>first.txt
equal 'a folder a combination, named by what varies' "$(ls s | tr '\n' ' ')" 'scheme=bert_seed=1 scheme=bert_seed=2 scheme=gpt2_seed=1 scheme=gpt2_seed=2 '
equal 'a line a run' "$(grep -c finished first.txt)" 4
train alone "${small[@]}" init.scheme=bert seed=2
equal 'a run of a sweep has the bits of the run alone' "$(curve 's/scheme=bert_seed=2')" "$(curve alone)"

rm -r 's/scheme=gpt2_seed=1'
"$STEP0" sweep "${small[@]}" init.scheme=gpt2,bert seed=1,2 --out s 2>again.txt
equal 'only what is missing runs' "$(grep -c finished again.txt)" 1

# The second combination cannot be read before anything runs; the third fails when it runs.
refuses 1 'unknown scheme' sweep "${small[@]}" init.scheme=gpt2,nothing --out t
equal 'nothing ran' "$(ls -d t 2>/dev/null)" ''
check 'a run that fails fails the sweep, the others run' test "$("$STEP0" sweep "${small[@]}" --out u 'data.val_fraction=0.1,0.999' 2>/dev/null; echo $?)" = 1
equal 'the other one' "$(ls u | head -n 1)" 'val_fraction=0.1'

# Ctrl-C, once, to the sweep alone: its run saves and stops, and a second sweep ends it.
"$STEP0" sweep "${small[@]}" train.steps=2000000 log.every=1000 --out v 2>/dev/null &
sweep=$!
await test -s v/run/metrics.csv
kill -INT $sweep
status=0
wait $sweep || status=$?
equal 'status of a stopped sweep' $status 130
contains 'its run has saved' "$(cat v/run/run.json)" interrupted
refuses 1 'model.n_layer: 1 -> 2' sweep "${small[@]}" model.n_layer=2 init.scheme=gpt2,bert seed=1,2 --out s
refuses 1 'share the folder' sweep "${small[@]}" init.scheme=gpt2,gpt2 --out w
refuses 1 'never learn' sweep "${small[@]}" 'model.gate=1,{"value":"0","shape":"scalar"}' init.scheme=zero_proj --out w
refuses 1 'given twice' sweep "${small[@]}" seed=1,2 seed=5 --out w
refuses 1 '--jobs is "0"' sweep "${small[@]}" --jobs 0
