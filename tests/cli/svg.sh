#!/usr/bin/env bash
# compare --svg: which figures are written, where, and what stands in them. tests/reference/test_svg.py looks at them.
. "$(dirname "${BASH_SOURCE[0]}")/lib.bash"

train gpt2 "${tiny[@]}" init.scheme=gpt2
train bert "${tiny[@]}" init.scheme=bert
said=$("$STEP0" compare gpt2 bert --svg a/b/figures)
equal 'the line about figures' "$(tail -n 1 <<<"$said")" \
    'figures in a/b/figures: train_loss.svg, validation_loss.svg, total_gradient_norm.svg, gradient_norms.svg, step0_by_depth.svg'
equal 'the files' "$(ls a/b/figures | xargs)" 'gradient_norms.svg step0_by_depth.svg total_gradient_norm.svg train_loss.svg validation_loss.svg'
for file in a/b/figures/*; do
    contains "$file begins" "$(head -c 100 "$file")" '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 640 '
    equal "$file ends" "$(tail -n 1 "$file")" '</svg>'
done
contains 'a legend' "$(cat a/b/figures/train_loss.svg)" '>bert</text>'
contains 'a description' "$(cat a/b/figures/train_loss.svg)" "gpt2 (1 run): $(printf %.4g "$(field gpt2/metrics.csv loss 0)") at step 0"
check 'the table comes all the same' grep -q '^bert ' <<<"$said"

# Figures are replaced, other files stay, and what an earlier call left is told.
echo mine >a/b/figures/mine.svg
echo old >a/b/figures/train_loss.svg
touch a/b/figures/learning_rate.svg
said=$("$STEP0" compare gpt2 --svg a/b/figures 2>&1)
contains 'a figure of an earlier call' "$said" 'a/b/figures/learning_rate.svg is of an earlier call'
equal 'other files' "$(cat a/b/figures/mine.svg)" mine
contains 'a figure is replaced' "$(cat a/b/figures/train_loss.svg)" '>gpt2</text>'
equal 'only the runs given are in it' "$(grep -c '>bert<' a/b/figures/train_loss.svg)" 0

# A learning rate that varied.
train slow "${tiny[@]}" init.scheme=gpt2 train.lr=1e-4
"$STEP0" compare gpt2 slow bert --svg rates >said.txt
contains 'the rates' "$(tail -n 1 said.txt)" 'learning_rate.svg'
contains 'their axis' "$(cat rates/learning_rate.svg)" '>learning rate</text>'
equal 'bert has one rate only' "$(grep -c '>bert<' rates/learning_rate.svg)" 0
contains 'starts that are the same' "$(cat rates/step0_by_depth.svg)" 'of groups that start from the same network, one is shown'

# A name that is markup.
mkdir -p schemes
printf '{"weights": {"*": {"normal": "0.02"}}}' >'schemes/a<b>&"c.json'
train odd "${tiny[@]}" init.scheme='schemes/a<b>&"c.json'
"$STEP0" compare odd --svg odd.svg >/dev/null
contains 'an odd name' "$(cat odd.svg/train_loss.svg)" '>a&lt;b&gt;&amp;&quot;c</text>'

# Steps 0: a point is a figure.
train start "${tiny[@]}" train.steps=0
"$STEP0" compare start --svg start.svg >/dev/null
contains 'a single point' "$(cat start.svg/train_loss.svg)" '<circle '

touch file
refuses 2 '--svg|needs a value' compare gpt2 --svg ''
refuses 2 '--svg|needs a value' compare gpt2 --svg
refuses 1 '--svg|file|cannot make the folder' compare gpt2 --svg file
refuses 1 '--svg|cannot make the folder file' compare gpt2 --svg file/below
mkdir -p taken/train_loss.svg
refuses 1 '--svg|taken/train_loss.svg|directory' compare gpt2 --svg taken
