# Sourced by valgrind and races: every_command PROGRAM… runs step0's commands on tiny models in an empty folder, each under
# what stands before the program; says which one failed (with its output) and "N commands"; fails where one did.
export OMP_WAIT_POLICY=passive LC_ALL=C

tiny=(data.chars=5000 model.n_layer=2 model.n_head=2 model.n_embd=8 model.block_size=8 train.batch_size=4 train.steps=4 eval.every=0 eval.batches=1)
# So large that a thread's share of weights and of activations has several pieces.
large=(model.n_layer=1 model.n_head=2 model.n_embd=96 model.block_size=64 train.steps=1)
everything=(model.dropout=0.1 train.grad_accum=2 log.signals=true log.detail=tensor model.qk_norm=true model.ada_ln=true)

every_command() {
    local folder count=0 failures=0
    folder=$(mktemp -d)
    run() {
        count=$((count + 1))
        (cd "$folder" && "${program[@]}" "$@") >"$folder/said" 2>&1 && return
        failures=$((failures + 1))
        echo "FAILED: step0 $*"; tail -n 60 "$folder/said"
    }
    local program=("$@")
    run train "${tiny[@]}" --threads 3 --out a --quiet
    run train "${tiny[@]}" "${everything[@]}" --threads 3 --out b --quiet
    run train "${tiny[@]}" "${everything[@]}" "${large[@]}" --threads 3 --out large --quiet
    sed -i 's/"steps": 4/"steps": 6/' "$folder/a/resolved.json"
    run train "$folder/a/resolved.json" train.steps=6 --threads 3 --out a --resume --quiet
    for scheme in $SCHEMES; do run train "${tiny[@]}" init.scheme="$scheme" train.steps=1 --threads 3 --out "$scheme" --quiet; done
    run sample a --tokens 20
    run eval a
    run probe "${tiny[@]}" init.scheme=gpt2,bert --threads 3
    run sweep "${tiny[@]}" init.scheme=gpt2,bert seed=1 --out s --list      # under valgrind /proc/self/exe, its children, is valgrind
    run compare a b --html page.html --json all.json --csv all.csv --svg figures
    rm -rf "$folder"
    echo "$count commands, $failures failed"
    [ $failures -eq 0 ]
}
