#!/usr/bin/env bash
# compare and sweep on what careless people have: files that were cut or edited, runs without a number that others have, names
# that no terminal shows, outputs that would replace a run's own files.
. "$(dirname "$0")/lib.bash"

small=(data.chars=5000 model.n_layer=1 model.n_head=1 model.n_embd=8 model.block_size=8 train.batch_size=2 train.steps=30 eval.every=10 eval.batches=1 --threads 1)
train a "${small[@]}" init.scheme=gpt2
train b "${small[@]}" init.scheme=bert

# --- metrics.csv ---

cp -r a cut
head -n 12 a/metrics.csv >cut/metrics.csv
contains 'a curve that was cut is said' "$("$STEP0" compare cut b 2>&1 >table)" 'cut finished at step 30, but its metrics.csv does not reach it'
: >cut/metrics.csv
contains 'an empty one as well' "$("$STEP0" compare cut b 2>&1 >table)" 'does not reach it'
sed 5,6d a/metrics.csv >cut/metrics.csv
contains 'a hole is said' "$("$STEP0" compare cut b 2>&1 >table)" 'cut: its metrics.csv has 28 of the 30 rows that the run wrote before step 30'
sed 2,9d a/metrics.csv >cut/metrics.csv
contains 'and a late beginning' "$("$STEP0" compare cut --json j.json 2>&1 >table)" 'cut: its metrics.csv does not begin at step 0'
equal 'of which no step 0 is told' "$(grep -cE '"(first_loss|gradient_by_depth)":[[:space:]]null' j.json) $(grep -c 'loss at 0' table)" '2 0'
equal 'a whole one is not' "$("$STEP0" compare a b 2>&1 >table)" ''
sed 's/$/\r/' a/metrics.csv >cut/metrics.csv
equal "a spreadsheet's ends of lines" "$("$STEP0" compare cut 2>&1)" "$("$STEP0" compare a)"
sed '1s/,loss,/,verlust,/' a/metrics.csv >cut/metrics.csv
refuses 1 'cut/metrics.csv|no column "loss"' compare cut b
for step in inf nan 3 '' -1 4.5; do
    sed "6s/^4,/$step,/" a/metrics.csv >cut/metrics.csv
    refuses 1 'cut/metrics.csv:6: step|must rise' compare cut b
done
for loss in inf nan -inf 1e400 ''; do
    awk -F, -v OFS=, -v loss="$loss" 'NR == 6 { $5 = loss } { print }' a/metrics.csv >cut/metrics.csv
    refuses 1 'cut/metrics.csv:6: its loss is no finite number' compare cut b
done
for number in 0x1p3 0X10; do
    awk -F, -v OFS=, -v number="$number" 'NR == 6 { $5 = number } { print }' a/metrics.csv >cut/metrics.csv
    refuses 1 "cut/metrics.csv:6: \"$number\" is no number" compare cut b
done
sed '1s/tokens/loss/' a/metrics.csv >cut/metrics.csv
refuses 1 'cut/metrics.csv:1: the column "loss" stands twice' compare cut b
sed "1s/grad_norm.wte/grad_norm.$(repeat x 5000)/" a/metrics.csv >cut/metrics.csv
"$STEP0" compare cut --csv long.csv >table 2>said || fail "a very long name of a column: status $?, $(cat said)"
contains 'a very long name of a column' "$(cat long.csv)" "$(repeat x 5000)"
sed 's/"finished"/"dancing"/' a/run.json >cut/run.json
refuses 1 'no run.json with a status' compare cut b

# --- what cannot be looked at is not taken for absent (root may read everything, but follows no link to itself) ---

for file in run.json resolved.json metrics.csv; do
    cp -r a loop
    ln -sf $file loop/$file
    refuses 1 "loop/$file|symbolic links" compare loop b
    rm -r loop
done
cp -r a loop
ln -sf init.csv loop/init.csv
if "$STEP0" compare a --html page.html >table 2>&1; then        # where built with dygraphs
    contains 'no init.csv for the page' "$("$STEP0" compare loop --html page.html 2>&1 >table)" 'loop/init.csv: Too many levels of symbolic links; what is in it is not shown'
fi
for link in loop/checkpoint loop/checkpoint/model.safetensors; do
    ln -sfn "$(basename $link)" $link
    refuses 1 "loop/checkpoint|symbolic links" sample loop
    rm -r loop
    cp -r a loop
done

# --- verdicts without an end ---

status=0
"$STEP0" train "${small[@]}" train.lr=1e30 train.schedule=constant train.grad_clip=0 --out v --quiet 2>said || status=$?
equal 'diverged' $status 3
"$STEP0" compare v a --json j.json >table
equal 'nobody reaches what has no end' "$(grep -c steps_to_reference j.json)" 0
train n1 "${small[@]}" data.val_fraction=0 init.scheme=gpt2
train n2 "${small[@]}" data.val_fraction=0 init.scheme=bert
contains 'why two runs are not comparable' "$("$STEP0" compare n1 n2)" 'bert: not comparable; a validation loss is missing'
for seed in 1 2 3; do
    cp -r a "g$seed"
    cp -r b "h$seed"
    sed -i "s/\"seed\":\t1/\"seed\":\t$seed/" "g$seed/resolved.json" "h$seed/resolved.json"
    awk -F, -v OFS=, 'NR > 1 && $6 != "" { $6 = 2.5 } { print }' a/metrics.csv | tee "g$seed/metrics.csv" >"h$seed/metrics.csv"
done
contains 'no seeds are needed for no difference' "$("$STEP0" compare g? h?)" '3 seeds end alike to the last digit'

train zero "${small[@]}" train.steps=0
equal 'a network that never learned is not stuck' "$("$STEP0" compare zero | sed -n '2s/.* //p')" finished
refuses 1 'a holds a run|--out' sweep "${small[@]}" seed=1,2 --out a

# --- outputs ---

for file in run.json resolved.json metrics.csv init.csv samples.txt; do refuses 1 "--csv: a/$file|own file" compare a b --csv a/$file; done
for flag in html json; do refuses 1 "--$flag: a/run.json|own file" compare a b --$flag a/run.json; done
ln -s a/metrics.csv alias
refuses 1 '--csv: alias|own file' compare a b --csv alias
refuses 1 '--csv: a/init.csv|own file' probe "${small[@]}" --csv a/init.csv
for file in model.safetensors optimizer.safetensors config.json tokenizer.json state.json; do
    refuses 1 "--html: a/checkpoint/$file|own file" compare a b --html a/checkpoint/$file
    refuses 1 "--csv: a/checkpoint/$file|own file" probe "${small[@]}" --csv a/checkpoint/$file
done

# --- outputs that would replace what is read ---

echo '{"data": {"text": ["words", "more"]}}' >read.json
echo '{"weights": {"*": {"normal": "0.02"}}}' >scheme.json
ln -s read.json link.json
repeat 'some words ' 2000 >words
cp words more
for file in read.json link.json ./words more scheme.json; do
    refuses 1 "--csv: $file is |which is read" probe read.json "${small[@]}" init.scheme=gpt2,scheme.json --csv $file
done
rm read.json link.json scheme.json words more
refuses 1 '--json and --csv name one file, x' compare a --csv x --json x
(cd a && refuses 1 '--csv: metrics.csv' compare . --csv metrics.csv && [ "$failures" = 0 ]) || fail 'a file of the folder one is in'
if "$STEP0" compare a --html a.html >table 2>said; then
    mkfifo pipe
    cat pipe >page &
    "$STEP0" compare a --html pipe >table
    wait $!
    check 'a pipe is written to, not replaced' test -p pipe -a -s page
    mkdir folder
    equal 'a folder is no page' "$("$STEP0" compare a --html folder 2>&1 | tail -n 1)" 'step0: --html: cannot write folder: Is a directory'
    check 'and nothing is left beside it' test ! -e folder.step0-new
    echo mine >table.csv.new
    check 'a table' "$STEP0" compare a --csv table.csv >/dev/null
    equal "a user's own file beside it" "$(cat table.csv.new)" mine
    for i in $(seq 10 40); do
        cp -r a "many$i"
        sed -i "s/\"weight_decay\":\t[^,]*/\"weight_decay\":\t0.$i/" "many$i/resolved.json"
    done
    ("$STEP0" compare many* --html many.html 2>said || :) | :
    check 'the page is there though nobody reads the table' test -s many.html
else
    contains 'no dygraphs' "$(cat said)" 'libjs-dygraphs'
fi

# --- names ---

refuses 2 'an empty operand' compare ''
cp -r b $'caf\xe9'
refuses 1 'valid UTF-8|rename' compare b $'caf\xe9'
rm -r $'caf\xe9'
refuses 1 'x/report.html|name the folder' compare x/report.html y/report.html
for text in one two; do printf 'a text, %s; %.0s' $(seq 99 | sed "s/.*/$text/") >$text.txt; done
train t1 "${small[@]}" data.text=one.txt
train t2 "${small[@]}" data.text='["one.txt","two.txt"]'
equal 'texts in rows' "$("$STEP0" compare t1 t2 2>said | sed -n 2,3p | sed 's/  .*//' | sort | tr '\n' ',')" 'gpt2 text=one.txt,gpt2 text=one.txt+two.txt,'

cp "$root/configs/schemes/bert.json" $'new\nline\e[31m.json'
"$STEP0" sweep "${small[@]}" $'init.scheme=gpt2,new\nline\e[31m.json' seed=1 --out s >table 2>said
equal 'folders' "$(ls s | grep -v report | tr '\n' ' ')" 'scheme=gpt2 scheme=new-line--31m.json '
equal 'rows' "$(cut -d' ' -f1 table | sed -n 2,3p | sort | tr '\n' ' ')" 'gpt2 new?line?[31m '
