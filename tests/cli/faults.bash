# Sourced behind lib.bash by the tests of crashes and of failing disks: a run that saves at every step, calls that a
# preloaded library counts and spoils (shim.c), and what must be left behind.
is_sanitized && skip "no preloading beside a sanitizer"

shim=$scratch/shim.so
gcc -D_GNU_SOURCE -shared -fPIC -O1 -o "$shim" "$root/tests/cli/shim.c" -ldl
tiniest=(seed=1 data.chars=3000 model.n_layer=1 model.n_head=1 model.n_embd=8 model.block_size=8 model.dropout=0.1 train.batch_size=2 train.grad_accum=2
    train.lr=1e-2 train.schedule=constant eval.batches=1 --threads 1)
last=$([ -n "${STEP0_HEAVY:-}" ] && echo 4 || echo 3)       # four steps make more than 300 such calls
run=("${tiniest[@]}" train.steps=$last eval.every=1 checkpoint.every=1)

# shimmed [NAME=VALUE…] step0's words: step0 with the shim, which is told NAME=VALUE.
shimmed() {
    local settings=()
    while [[ $1 == SHIM_* ]]; do settings+=("$1"); shift; done
    env LD_PRELOAD="$shim" "${settings[@]}" "$STEP0" "$@"
}

# some FROM TO EVERY: numbers to try: all where STEP0_HEAVY is set, else one in EVERY, from FROM on.
some() { seq "$1" "$([ -n "${STEP0_HEAVY:-}" ] && echo 1 || echo "$3")" "$2"; }

# in_pairs COMMAND NUMBER…: COMMAND NUMBER for each, two at a time; what they print is what is wrong.
in_pairs() {
    local command=$1
    shift
    while [ $# -gt 0 ]; do
        "$command" "$1" >"$scratch/first" 2>&1 &
        : >"$scratch/second"
        [ $# -eq 1 ] || "$command" "$2" >"$scratch/second" 2>&1 || true
        wait
        [ ! -s "$scratch/first" ] || fail "$(head -c 1500 "$scratch/first")"
        [ ! -s "$scratch/second" ] || fail "$(head -c 1500 "$scratch/second")"
        shift $(($# > 1 ? 2 : 1))
    done
}

# state DIR: everything that must not depend on what happened on the way, leftovers included.
state() {
    curve "$1"
    (cd "$1" && ls -A && readlink checkpoint best && sha256sum checkpoint/*.safetensors checkpoint/tokenizer.json checkpoint/config.json best/*.safetensors samples.txt init.csv)
}

weights() { sha256sum <"$1/checkpoint/model.safetensors"; }

# The bits that the checkpoint of each step must have.
declare -A good
for step in $(seq $last); do
    LD_PRELOAD=$shim train "upto$step" "${run[@]}" train.steps=$step
    good[$step]=$(weights "upto$step")
done
wanted=$(state upto$last)

# sound DIR: says what is wrong with a run that was stopped anywhere: a checkpoint that cannot be read or is not the one
# of its step, more left over than one step can leave, a run that claims to be finished.
sound() {
    local dir=$1 said step
    if [ -e "$dir/checkpoint" ]; then
        said=$("$STEP0" sample "$dir" --tokens 2 --threads 1 2>&1) || echo "the checkpoint cannot be read: $said"
        step=$(sed -n 's/.*"step":[^0-9]*\([0-9]*\).*/\1/p' "$dir/checkpoint/state.json")
        [ "$(weights "$dir")" = "${good[$step]:-}" ] || echo "the checkpoint is not the one of step $step"
    fi
    [ "$(find "$dir" -maxdepth 1 -name 'checkpoint-*' 2>/dev/null | wc -l)" -le 2 ] || echo "leftovers: $(ls "$dir")"
    [ "$(find "$dir" -maxdepth 1 -name 'best-*' 2>/dev/null | wc -l)" -le 3 ] || echo "leftovers: $(ls "$dir")"
    [ "$(find "$dir" -name '*.step0-new' 2>/dev/null | wc -l)" -le 1 ] || echo "leftovers: $(find "$dir" -name '*.step0-new')"
}

# resumed DIR: goes on with it; says what differs from a run that nothing happened to.
resumed() {
    local said
    if said=$(shimmed train "${run[@]}" --out "$1" --resume --quiet 2>&1); then
        [ "$(state "$1")" = "$wanted" ] || diff <(echo "$wanted") <(state "$1") | head -5
    else
        echo "cannot be resumed: $said"
    fi
}

# about WHAT COMMAND…: what COMMAND prints, headed by WHAT; nothing where it prints nothing.
about() {
    local what=$1 said
    shift
    said=$("$@" 2>&1) || true
    [ -z "$said" ] || echo "$what: $said"
}
