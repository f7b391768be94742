#!/usr/bin/env bash
# sweep: one run a combination, side by side; finished ones are skipped, failed ones reported, stopped ones go on.
. "$(dirname "$0")/lib.bash"

small=(data.chars=5000 model.n_layer=1 model.n_head=1 model.n_embd=16 model.block_size=8 train.batch_size=4 train.steps=4 eval.batches=1)

listed=$("$STEP0" sweep "${small[@]}" init.scheme=gpt2,bert seed=1,2 --out s --list)
equal 'a command a line' "$(wc -l <<<"$listed")" 4
equal '--list runs nothing' "$(ls)" ''
contains 'of one run' "$("$STEP0" sweep "${small[@]}" --list 2>&1 >/dev/null)" 'nothing varies, so this is one run'
"$STEP0" sweep "${small[@]}" init.scheme=gpt2,bert seed=1,2 --out s >table.txt 2>first.txt
equal 'a folder a combination, named by what varies' "$(ls s | grep -v report | tr '\n' ' ')" 'scheme=bert_seed=1 scheme=bert_seed=2 scheme=gpt2_seed=1 scheme=gpt2_seed=2 '
equal 'a line a run' "$(grep -c finished first.txt)" 4
equal 'no escape sequence where there is no terminal' "$(grep -c $'\033' first.txt)" 0
equal 'the table of compare at the end' "$(head -n -2 table.txt)" "$("$STEP0" compare s)"
equal 'and where the report is' "$(tail -n 1 table.txt) $(grep -c '</html>' s/report.html)" 'report: s/report.html 1'
contains 'held against the first combination' "$("$STEP0" compare s)" 'Against gpt2, paired'
contains 'at the end too' "$(cat table.txt)" 'Against gpt2, paired'
mv s/.order order
contains 'else against the first name' "$("$STEP0" compare s)" 'Against bert, paired'
printf 'gone\nscheme=gpt2_seed=2\nscheme=gpt2_seed=2\n' >s/.order
contains 'each run once, whatever an order says' "$("$STEP0" compare s 2>&1)" 'Against gpt2, paired'
equal 'and all' "$("$STEP0" compare s 2>&1 | awk '$1 == "gpt2" || $1 == "bert" { print $2 }' | head -n 2 | tr '\n' ' ')" '2 2 '
mv order s/.order
equal 'keys that end alike are told apart' "$("$STEP0" sweep "${small[@]}" seed=1,2 data.seed=3,4 log.every=1,2 eval.every=1 --out s --list | grep -o 's/.*' | cut -d/ -f2 | cut -d"'" -f1 | tail -n 1)" \
    'seed=2_data.seed=4_every=2'
train alone "${small[@]}" init.scheme=bert seed=2
equal 'a run of a sweep has the bits of the run alone' "$(curve 's/scheme=bert_seed=2')" "$(curve alone)"

rm -r 's/scheme=gpt2_seed=1'
"$STEP0" sweep "${small[@]}" init.scheme=gpt2,bert seed=1,2 --out s 2>again.txt >table.txt
equal 'only what is missing runs' "$(grep -c finished again.txt)" 1

# The second combination cannot be read before anything runs; the third fails when it runs.
refuses 1 '"seed=1," on the command line: value 2 of its list is empty' sweep "${small[@]}" seed=1, --out t
refuses 1 'unknown scheme' sweep "${small[@]}" init.scheme=gpt2,nothing --out t
equal 'nothing ran' "$(ls -d t 2>/dev/null)" ''
status=0
"$STEP0" sweep "${small[@]}" --out u 'data.val_fraction=0.999,0.1' >table.txt 2>said.txt || status=$?
equal 'a run that fails fails the sweep' $status 1
contains 'the other one has run' "$(cat said.txt)" 'finished  u/val_fraction=0.1'
contains 'what it said is its reason' "$(grep 'failed: ' said.txt)" 'u/val_fraction=0.999 failed: data.'
equal 'the table of what there is' "$(grep -c finished table.txt)" "$("$STEP0" compare u/val_fraction=0.1 | grep -c finished)"
status=0
"$STEP0" sweep "${small[@]}" train.lr=1e-3,1e30 train.grad_clip=0 train.schedule=constant --out d >table.txt 2>said.txt || status=$?
equal 'a run that diverges is a result' "$status $(grep -c 'diverged  d/lr=1e+30: diverged at step' said.txt)" '0 1'

# One that is killed is reported; its folder goes on with the next sweep.
"$STEP0" sweep "${small[@]}" train.steps=2000000 log.every=1000 seed=1,2 --jobs 2 --out k >table.txt 2>said.txt &
sweep=$!
await test -s k/seed=1/metrics.csv -a -s k/seed=2/metrics.csv

# child TEXT: the process of the sweep's run whose command has it
child() {
    local process
    for process in $(cat "/proc/$sweep/task/$sweep/children"); do
        if tr '\0' ' ' <"/proc/$process/cmdline" | grep -q "$1"; then echo "$process"; fi
    done
}
first=$(child seed=1) second=$(child seed=2)
kill -KILL "$first"
await grep -q 'failed  k/seed=1: killed by signal 9' said.txt
check 'the rest goes on' kill -0 "$second"
kill -INT $sweep
status=0
wait $sweep || status=$?
equal 'status of a stopped sweep' $status 130
contains 'each has saved' "$(cat k/seed=2/run.json)" interrupted
contains 'and is said to have stopped' "$(cat said.txt)" 'stopped  k/seed=2: stopped before step'
check 'no process is left' test ! -e "/proc/$second"
contains 'a child that was killed is named at the end' "$(tail -n 2 said.txt)" 'step0: k/seed=1 failed: killed by signal 9'

# Ctrl-C, once, to the sweep alone: its run saves and stops, and a second sweep ends it.
long=(sweep "${small[@]}" train.steps=3000 eval.every=0 --out v)
"$STEP0" "${long[@]}" 2>/dev/null &
sweep=$!
await test -s v/run/metrics.csv
kill -INT $sweep
status=0
wait $sweep || status=$?
equal 'status of a stopped sweep' $status 130
contains 'its run has saved' "$(cat v/run/run.json)" interrupted
"$STEP0" "${long[@]}" >table.txt 2>said.txt
contains 'a second sweep goes on' "$(cat v/run/run.json)" finished
equal 'from where it stood' "$(wc -l <v/run/metrics.csv) $(grep -c 'starting over' said.txt)" '3002 0'
refuses 1 'model.n_layer: 1 -> 2' sweep "${small[@]}" model.n_layer=2 init.scheme=gpt2,bert seed=1,2 --out s
refuses 1 'share the folder' sweep "${small[@]}" init.scheme=gpt2,gpt2 --out w
refuses 1 'never learn' sweep "${small[@]}" 'model.gate=1,{"value":"0","shape":"scalar"}' init.scheme=zero_proj --out w
refuses 1 'given twice' sweep "${small[@]}" seed=1,2 seed=5 --out w
refuses 1 '--jobs is "0"' sweep "${small[@]}" --jobs 0

# --- a config's "sweep" ---

mkdir c
cp "$root/configs/schemes/bert.json" c/mine.json
cat >c/c.json <<'END'
{ "data": { "chars": 5000 }, "model": { "n_layer": 1, "n_head": 3, "n_embd": 16, "block_size": 8 },
  "train": { "batch_size": 4, "steps": 1 }, "eval": { "batches": 1 },
  "sweep": { "init.scheme": ["gpt2", "mine.json"], "model.n_head": [1], "train.lr": [1e-3, 3e-3], "init.params.std": [0.02] } }
END
"$STEP0" sweep c/c.json seed=7 --out x 2>/dev/null >table.txt
equal 'a folder a combination' "$(ls x | grep -v report | tr '\n' ' ')" 'scheme=gpt2_lr=0.001 scheme=gpt2_lr=0.003 scheme=mine.json_lr=0.001 scheme=mine.json_lr=0.003 '
(cd c && "$STEP0" sweep c.json init.scheme=gpt2,mine.json train.lr=1e-3,3e-3 init.params.std=0.02 model.n_head=1 seed=7 --out ../x 2>../said.txt >table.txt)
contains 'the same as in words' "$(cat said.txt)" '4 of 4 have ended before'
[ -e x/report.html ] || touch x/report.html
equal 'the report among the folders is passed over' "$("$STEP0" compare x/* | head -n 1)" "$("$STEP0" compare x | head -n 1)"
equal 'no sweep in what a run resolves' "$(cat x/*/resolved.json | grep -c sweep)" 0
listed=$("$STEP0" sweep c/c.json train.lr=5e-3 model.n_embd=8,16 --list --out y 2>said.txt)
equal 'the command line wins, key by key' "$(grep -c 'train.lr=5e-3' <<<"$listed") $(wc -l <<<"$listed")" '20 20'
contains 'two schemes without a seed are five seeds' "$(cat said.txt)" 'five seeds: seed=1,2,3,4,5'
contains 'the last of them' "$(tail -n 1 <<<"$listed")" "scheme=mine.json_n_embd=16_seed=5"
for word in seed=3 init.seed=3 data.seed=3; do
    equal "not with $word" "$("$STEP0" sweep c/c.json $word --list 2>&1 | wc -l)" 4
done
printf '{"seed": 3, "sweep": {"init.scheme": ["gpt2", "bert"]}}' >three.json
equal 'nor with a seed in the config' "$("$STEP0" sweep three.json --list 2>&1 | wc -l)" 2
equal 'nor with one scheme' "$("$STEP0" sweep init.scheme=bert train.lr=1e-3,2e-3 --list 2>&1 | wc -l)" 2
"$STEP0" train c/c.json model.n_head=1 --out one --quiet 2>said.txt
contains 'train leaves it out and says so' "$(cat said.txt)" '"sweep" of c/c.json is left out'
equal 'one word that stands in no text' "$("$STEP0" sweep data.text='["a,b"],"c"' --list 2>&1 | tail -n 1)" 'step0: data.text: cannot read '"$PWD"'/a,b: No such file or directory'

# bad PARTS SWEEP
bad() {
    printf '{"sweep": %s}' "$2" >bad.json
    refuses 1 "$1" sweep bad.json
    refuses 1 "$1" train bad.json
}
bad 'bad.json:1:2|an object of keys' 3
bad 'bad.json:1:12|did you mean "train.lr"' '{"train.lrr": [1]}'
bad 'bad.json:1:28|"fast"' '{"train.lr": [1, "fast"]}'
bad 'bad.json:1:12|a list of values' '{"train.lr": 1}'
bad 'bad.json:1:12|a list of values' '{"train.lr": []}'
bad 'bad.json:1:12|"train.lr": [...]' '{"train": {"lr": [1]}}'

# --- threads ---

# threads WORD...: what a listed run gets.
threads() { "$STEP0" sweep seed=1,2,3 --list "$@" | sed -n '1s/.*--threads \([0-9]*\).*/\1/p'; }
cores=$("$STEP0" info | sed -n 's/^threads .*of \([0-9]*\) available.*/\1/p')
equal 'a thread a run' "$(threads)" 1
equal 'fewer jobs have more' "$(threads --jobs 1)" "$cores"
equal 'more jobs than cores' "$(threads --jobs 99)" "$((cores / 3 > 1 ? cores / 3 : 1))"
equal 'or as many as asked' "$(threads --threads 3)" 3

# --- a text that changes ---

for i in {1..400}; do echo "line $i of a text"; done >mine.txt
"$STEP0" sweep data.text=mine.txt seed=1,2 "${tiny[@]}" --out texts >said.txt 2>&1 || fail "a sweep over a text: $(tail -n 1 said.txt)"
contains 'a list says what it leaves out' "$("$STEP0" sweep data.text=mine.txt seed=1,2 "${tiny[@]}" --out texts --list 2>&1)" '2 of 2 have ended before'
contains 'the same text: nothing to run' "$("$STEP0" sweep data.text=mine.txt seed=1,2 "${tiny[@]}" --out texts 2>&1)" '2 of 2 have ended before'
mkdir elsewhere
mv mine.txt texts elsewhere
said=$("$STEP0" sweep data.text=elsewhere/mine.txt seed=1,2,3 "${tiny[@]}" --out elsewhere/texts 2>&1) || fail "a sweep that was moved: $said"
contains 'moved with its text, it goes on' "$said" '2 of 3 have ended before'
contains 'its runs are one row' "$("$STEP0" compare elsewhere/texts | sed -n 2p)" 'gpt2        3 '
mv elsewhere/* .
echo more >>mine.txt
refuses 1 'texts/seed=1 was trained on another text|hash' sweep data.text=mine.txt seed=1,2,4 "${tiny[@]}" --out texts
check 'and nothing is run' [ ! -e texts/seed=4 ]
sed -i 's/"finished"/"interrupted"/' texts/seed=[12]/run.json
refuses 1 'texts/seed=1 was trained on another text|hash' sweep data.text=mine.txt seed=1,2,4 "${tiny[@]}" --out texts
check 'nor beside runs that were stopped' [ ! -e texts/seed=4 ]
