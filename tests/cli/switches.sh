#!/usr/bin/env bash
# Schemes with switches on their way through files: resolved.json, checkpoints, best, resume, init.from; and what is refused.
. "$(dirname "$0")/lib.bash"

small=(data.chars=5000 model.n_layer=2 model.n_head=2 model.n_embd=16 model.block_size=8 train.batch_size=4 train.steps=4 eval.batches=1 --threads 1)

# --- a run's resolved.json ---
train rezero "${small[@]}" init.scheme=rezero
train gpt2 "${small[@]}" init.scheme=gpt2
train again rezero/resolved.json
equal 'resolved.json gives the same bits' "$(curve again)" "$(curve rezero)"
train other rezero/resolved.json init.scheme=gpt2
equal "with another scheme, the old one's switches go" "$(curve other)" "$(curve gpt2)"
train other2 gpt2/resolved.json init.scheme=rezero
equal 'and the other way' "$(curve other2)" "$(curve rezero)"
train mup "${small[@]}" init.scheme=mup init.params.base_width=8
train mup256 "${small[@]}" init.scheme=mup
train mup8 mup256/resolved.json init.params.base_width=8
equal 'params of formulas of the model can be changed' "$(curve mup8)" "$(curve mup)"
contains 'formulas are written with numbers' "$(cat mup/resolved.json)" '8 / n_embd'

refuses 1 'model.norm is "pre"' train gpt2/resolved.json init.scheme=rezero model.norm=pre --out x

# --- checkpoints ---
for scheme in rezero adaln_zero sub_ln mup fixup; do
    train "$scheme-run" "${small[@]}" init.scheme=$scheme train.lr=1e-4
    contains "$scheme: model_type" "$(cat "$scheme-run/checkpoint/config.json")" '"step0"'
    check "$scheme: samples of the best weights" "$STEP0" sample "$scheme-run/best" --tokens 5 --threads 1 >"$scratch/stdout"
    check "$scheme: init.from takes the run" "$STEP0" train "${small[@]:0:1}" train.steps=1 eval.batches=1 train.batch_size=4 --threads 1 init.from="$scheme-run" --out "$scheme-on" --quiet
done
contains "init.from goes on with the run's learning rates" "$(cat mup-on/resolved.json)" 'base_width'
mkdir alone && cp -L rezero-run/checkpoint/* alone/
refuses 1 'its model_type is step0' train "${small[@]}" init.from=alone --out x

# --- what is refused, and what is only said ---
refuses 1 'h.0.attn can never learn' train "${small[@]}" init.scheme=zero_proj 'model.gate={"value":"0","shape":"vector"}' --out x
refuses 1 'can never act' train "${small[@]}" model.gate=0 --out x
refuses 1 'model.norm is "pre", but the scheme "rezero" needs "none"' train "${small[@]}" init.scheme=rezero model.norm=pre --out x
refuses 1 'model.ada_ln makes the gate' train "${small[@]}" model.ada_ln=true model.gate=0.5 --out x
refuses 1 'must be above 0' train "${small[@]}" model.logit_scale=1e-50 --out x
refuses 1 'unknown name "foo"' train "${small[@]}" model.attn_scale=foo --out x

# --- formulas are evaluated late, and name where they were given ---
printf '{"model": {"n_layer": 4,\n  "norm_scale": "1/(layer-3)"}}' >late.json
sed 's|"skip": *{[^}]*}|"skip": "1/(layer-2)"|' "$root/configs/schemes/deepnorm.json" >late_scheme.json
line=$(grep -n '"skip"' late_scheme.json | cut -d: -f1)
refuses 1 'late.json:2:3: model.norm_scale in layer 1: formula "1/(layer-3)" gives -0.5' train late.json --out x
refuses 1 '"model.gate=1/(layer-2)" on the command line: model.gate in layer 2: ' train "${small[@]}" 'model.gate=1/(layer-2)' --out x
refuses 1 '"model.logit_scale=layer" on the command line: model.logit_scale: formula "layer": unknown name "layer"' train "${small[@]}" model.logit_scale=layer --out x
refuses 1 "late_scheme.json:$line:" train "${small[@]}" init.scheme=late_scheme.json --out x
refuses 1 'a norm of one number is 0' train "${small[@]}" model.n_embd=1 model.n_head=1 --out x
check 'blanks in a formula are no conflict' "$STEP0" train "${small[@]}" init.scheme=mup 'model.logit_scale=256/n_embd' --out blanks --quiet
"$STEP0" train "${small[@]}" init.rules.lm_head='{"normal":"1"}' --dry-run >"$scratch/stdout" 2>"$scratch/stderr"
contains 'a rule that means nothing here' "$(cat "$scratch/stderr")" 'init.rules.lm_head has no effect'
status=0
"$STEP0" train "${small[@]}" model.embd_scale=1e25 --out overflow --quiet 2>/dev/null || status=$?
equal 'squares that overflow are a divergence, not a healthy start' $status 3
