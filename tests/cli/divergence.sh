#!/usr/bin/env bash
# A run stops at the first norm that is not finite, before the update: status 3, step and part named, files that can be read.
. "$(dirname "$0")/lib.bash"

# diverges DIR WORD...
diverges() {
    local dir=$1 status=0 step said last
    shift
    "$STEP0" train "${tiny[@]}" train.steps=200 train.grad_clip=0 --quiet --out "$dir" "$@" >"$scratch/stdout" 2>"$scratch/stderr" || status=$?
    said=$(grep -v '^step0: warning: ' "$scratch/stderr" || true)
    equal "status of $*" $status 3
    equal "messages of $*" "$(wc -l <<<"$said")" 1
    [[ $said =~ ^"step0: diverged at step "([0-9]+)": the gradient of "([a-z_0-9.]+)" is not finite" ]] || fail "$*: '$said'"
    step=${BASH_REMATCH[1]:-none}
    grep -q "^${BASH_REMATCH[2]:-none}," "$dir/init.csv" || fail "$*: ${BASH_REMATCH[2]:-no word} is no part"
    last=$(tail -n 1 "$dir/metrics.csv")
    equal "last row of $*" "${last%%,*}" "$step"
    equal "end of metrics.csv of $*" "$(tail -c 1 "$dir/metrics.csv" | od -An -c | tr -d ' ')" '\n'
    [[ $(cut -d, -f7 <<<"$last") =~ ^(nan|inf)$ ]] || fail "$*: the norm of the last row is in '$last'"
    awk -F, 'NR == 1 { columns = NF } NR > 1 && NF != columns { print "columns of", $0; bad = 1 }
        NR > 1 { for (i = 1; i <= NF; i++) if ($i != "" && $i !~ /^(nan|inf|-?[0-9.]+(e[-+]?[0-9]+)?)$/) { print "not a number:", $i; bad = 1 } }
        END { exit bad }' "$dir/metrics.csv" || fail "$*: metrics.csv cannot be read"
    equal "rows of $* before the last that are not finite" "$(sed '$d' "$dir/metrics.csv" | cut -d, -f7 | grep -c -e nan -e inf || true)" 0
    grep -q '"status":	"diverged"' "$dir/run.json" || fail "$*: no status diverged in run.json"
    grep -q "\"last_step\":	$step," "$dir/run.json" || fail "$*: last_step is not $step in run.json"
    if [ -d "$dir/checkpoint" ]; then      # float32 bits of nan or inf: the exponent's bits all set
        tail -c +9 "$dir/checkpoint/model.safetensors" | od -An -v -t f4 -j "$(od -An -t u8 -N 8 "$dir/checkpoint/model.safetensors" | tr -d ' ')" |
            grep -q -e nan -e inf && fail "$*: the checkpoint holds numbers that are not finite"
    fi
    return 0
}

diverges lr1e30 train.lr=1e30 train.schedule=constant
diverges lr1e12 train.lr=1e12 train.schedule=constant
diverges lr1e6 train.lr=1e6 train.schedule=constant train.steps=2000 model.activation=relu init.scheme=normal1
diverges relu train.lr=1e20 train.schedule=constant model.activation=relu model.tie_embeddings=false log.every=50
diverges accumulated train.lr=1e25 train.schedule=constant train.grad_accum=2 train.batch_size=2 model.bias=false log.detail=tensor
diverges clipped train.lr=1e30 train.schedule=constant train.grad_clip=1 log.detail=total
diverges loud train.lr=1e4 train.schedule=constant model.norm=none
contains 'where nothing was saved before' "$(cat "$scratch/stderr")" '--overwrite with a lower train.lr, not --resume'
said=$("$STEP0" train --out loud --resume 2>&1) || true
contains 'resumed, it diverges in the same state' "$said" '--overwrite with a lower train.lr, not --resume'
contains 'a loss that is no number' "$said" '  loss nan  |g| nan'
diverges saved train.lr=1e30 train.schedule=constant train.warmup_steps=0 checkpoint.every=1
diverges weights 'init.rules.mlp={"normal":"1e25"}'
diverges head model.tie_embeddings=false 'init.rules.lm_head={"normal":"1e30"}' 'init.rules.ln_f.gain={"constant":"1e30"}'
equal 'a run that starts so stops at step' "$(tail -n 1 weights/metrics.csv | cut -d, -f1)" 0

# No update was made by the step that diverged: a run that ends right before it has the same curve.
step=$(tail -n 1 lr1e30/metrics.csv | cut -d, -f1)
[ "$step" -gt 0 ] || fail "this test needs a run that diverges after step 0"
equal 'lr of the row that diverged is the one of the update that was not made' "$(field lr1e30/metrics.csv lr "$step")" 1e+30

# Of the states that a run saves as it goes, the last one with a finite gradient stays, and the run can go on from it: with
# a sane rate to the bits of a run that never had the other.
sane=(train.schedule=constant train.steps=12 checkpoint.every=1 log.signals=true)
train whole "${tiny[@]}" "${sane[@]}"
train late "${tiny[@]}" "${sane[@]}" train.steps=5
status=0
"$STEP0" train "${tiny[@]}" "${sane[@]}" train.lr=1e30 --out late --resume --quiet 2>said || status=$?
equal 'status of a resume that diverges' $status 3
contains 'a resume that diverges' "$(cat said)" 'diverged at step 6: the gradient of '
equal 'its checkpoint' "$(readlink late/checkpoint)" checkpoint-5
[[ $(cat said) == *'no update was made' ]] || fail "advice against a resume that can help: $(cat said)"
status=0
"$STEP0" train "${tiny[@]}" "${sane[@]}" train.lr=1e30 --out late --resume --quiet 2>again || status=$?
equal 'resumed as it is, it diverges again' "$status$(cat again)" "3$(grep diverged said)"
equal 'with the same end' "$(tail -n 1 late/metrics.csv | cut -d, -f1)" 6
train late "${tiny[@]}" "${sane[@]}" train.lr=1e-3 train.min_lr=1e-4 --resume
equal 'resumed with a sane rate' "$(curve late)" "$(curve whole)"
equal 'and the weights' "$(sha256sum <late/checkpoint/model.safetensors)" "$(sha256sum <whole/checkpoint/model.safetensors)"

# The loss is finite and the gradient is not: its parts are products of numbers near the ends of their range.
diverges overflow model.tie_embeddings=false model.logit_scale=1e20 'init.rules.lm_head={"normal":"1e20"}' 'init.rules.ln_f.gain={"constant":"1e-40"}' \
    log.detail=tensor log.signals=true
[[ $(field overflow/metrics.csv loss 0) =~ ^[0-9] ]] || fail "the loss is not finite: $(field overflow/metrics.csv loss 0)"
[[ $(field overflow/metrics.csv grad_norm.ln_f.weight 0) =~ nan|inf ]] || fail 'the gradient of the gain is finite'
diverges watched train.lr=1e30 train.schedule=constant log.signals=true log.every=50 train.grad_accum=2

# The first part in the order of the backward pass: what lies nearer to the loss is finite.
first_bad() {
    paste -d' ' <(head -n 1 "$1/metrics.csv" | tr , '\n') <(tail -n 1 "$1/metrics.csv" | tr , '\n') | sed -n 's/^grad_norm\.\([^ ]*\) \(nan\|inf\)$/\1/p' | tail -n 1
}
contains 'the first part that is not finite' "$("$STEP0" train "${tiny[@]}" train.grad_clip=0 model.tie_embeddings=false model.logit_scale=1e20 \
    'init.rules.lm_head={"normal":"1e20"}' 'init.rules.ln_f.gain={"constant":"1e-40"}' log.detail=tensor --quiet --out named 2>&1 || true)" \
    "gradient of $(first_bad overflow) is not finite"

# An update that would take weights out of the range of numbers is not made.
for words in 'train.lr=1e30 train.weight_decay=1000000 init.rules.*={"normal":"1e4"}' 'train.lr=1e30 train.weight_decay=1000000 init.rules.wpe={"normal":"1e4"}'; do
    status=0
    "$STEP0" train "${tiny[@]}" train.grad_clip=0 log.signals=true $words --quiet --out unmade --overwrite 2>said || status=$?
    equal "status of $words" $status 3
    contains "$words" "$(cat said)" 'diverged at step 0: the update of '
    contains "$words" "$(cat said)" 'is not finite'
    equal "last row of $words" "$(tail -n 1 unmade/metrics.csv | cut -d, -f1)" 0
    equal "columns of $words" "$(tail -n 1 unmade/metrics.csv | tr -cd , | wc -c)" "$(head -n 1 unmade/metrics.csv | tr -cd , | wc -c)"
    equal "checkpoint of $words" "$(readlink unmade/checkpoint)" checkpoint-0
    check "sample of $words" "$STEP0" sample unmade --tokens 3 >/dev/null
done

# In a sweep a run that diverges is a result, and is not run again.
said=$("$STEP0" sweep "${tiny[@]}" train.lr=1e-3,1e30 seed=1 train.schedule=constant train.grad_clip=0 --out swept 2>&1) || fail "a sweep over it: $said"
contains 'a sweep over it' "$said" 'diverged at step 1: the gradient of '
said=$("$STEP0" sweep "${tiny[@]}" train.lr=1e-3,1e30 seed=1 train.schedule=constant train.grad_clip=0 --out swept 2>&1) || fail "the sweep, again: $said"
contains 'the sweep, again' "$said" '2 of 2 have ended before'

# It is stopped by the norm alone: a large rate that stays finite goes on.
train finite "${tiny[@]}" train.lr=10 train.schedule=constant train.grad_clip=1
# A diverged folder is not taken for a finished one: it can be started anew only when asked to.
refuses 1 'diverged|--overwrite' train "${tiny[@]}" --out lr1e30
train lr1e30 "${tiny[@]}" --overwrite
