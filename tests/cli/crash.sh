#!/usr/bin/env bash
# A run that is killed at its k-th write, fsync, rename, unlink, …, for every k, goes on to the bits of an uninterrupted one.
. "$(dirname "$0")/lib.bash"
[[ $(file -b "$STEP0" 2>/dev/null; nm "$STEP0" 2>/dev/null) == *__asan_init* ]] && skip "no preloading beside a sanitizer"

gcc -D_GNU_SOURCE -shared -fPIC -O1 -o shim.so "$root/tests/cli/shim.c" -ldl
run=(data.chars=3000 model.n_layer=1 model.n_head=1 model.n_embd=8 model.block_size=8 model.dropout=0.1 train.batch_size=2 train.grad_accum=2
    train.steps=4 train.lr=1e-2 eval.every=2 eval.batches=1 checkpoint.every=2 --threads 1)

# state DIR: everything that must not depend on the interruption.
state() {
    curve "$1"
    (cd "$1" && ls && readlink checkpoint best && sha256sum checkpoint/*.safetensors checkpoint/*r.json checkpoint/config.json best/*.safetensors samples.txt init.csv)
}

LD_PRELOAD=$PWD/shim.so SHIM_COUNT=count train whole "${run[@]}"
total=$(cat count)
wanted=$(state whole)
check "there is something to interrupt ($total calls)" [ "$total" -gt 60 ]

# killed_at K: killed there, resumed; prints what is wrong.
killed_at() {
    local k=$1 said
    LD_PRELOAD=$PWD/shim.so SHIM_KILL=$k "$STEP0" train "${run[@]}" --out "crash$k" --quiet >/dev/null 2>&1 || true
    if said=$("$STEP0" train "${run[@]}" --out "crash$k" --resume --quiet 2>&1); then
        [ "$(state "crash$k")" = "$wanted" ] || echo "killed at call $k: $(diff <(echo "$wanted") <(state "crash$k") | head -5)"
    else
        echo "killed at call $k: $said"
    fi
    rm -rf "crash$k"
}
for ((k = 1; k <= total; k += 2)); do
    killed_at $k >odd &
    killed_at $((k + 1)) >even
    wait
    [ ! -s odd ] || fail "$(cat odd)"
    [ ! -s even ] || fail "$(cat even)"
done

# Twice in a row, and while resuming.
for k in 15 30 45; do
    rm -rf crash
    LD_PRELOAD=$PWD/shim.so SHIM_KILL=$((k + 10)) "$STEP0" train "${run[@]}" --out crash --quiet >/dev/null 2>&1 || true
    LD_PRELOAD=$PWD/shim.so SHIM_KILL=$k "$STEP0" train "${run[@]}" --out crash --resume --quiet >/dev/null 2>&1 || true
    train crash "${run[@]}" --resume
    equal "killed at $((k + 10)) and again at $k" "$(state crash)" "$wanted"
done
