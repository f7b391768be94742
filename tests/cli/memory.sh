#!/usr/bin/env bash
# The peak of memory that --dry-run predicts is within 10 % of the measured one; what cannot fit is refused at once.
. "$(dirname "$0")/lib.bash"
is_sanitized && skip "a sanitizer needs memory of its own"

sizes=("model.n_layer=4" "model.n_layer=3 model.n_head=4 model.n_embd=256 model.block_size=64 train.batch_size=8"
    "model.n_layer=2 model.n_head=4 model.n_embd=256 model.block_size=16 train.batch_size=2 data.tokenizer=byte")
[ -z "${STEP0_HEAVY:-}" ] || sizes+=("model.n_layer=4 model.n_head=4 model.n_embd=384 model.block_size=128 train.batch_size=8 data.tokenizer=byte")
for size in "${sizes[@]}"; do
    # shellcheck disable=SC2086
    predicted=$("$STEP0" train $size data.chars=100000 --dry-run --threads 2 2>/dev/null | sed -n 's/^memory.*about \([0-9.]*\) MiB/\1/p')
    # shellcheck disable=SC2086
    train run --overwrite $size data.chars=100000 train.steps=1 eval.batches=1 --threads 2
    measured=$(sed -n 's/.*"peak_rss_mib":[^0-9]*\([0-9.]*\).*/\1/p' run/run.json)
    near "memory of $size" "$predicted" "$measured" 0.1
done
refuses 1 'this run needs about|GiB; take model.n_embd=' train model.n_embd=100000 model.n_head=1 --out no
refuses 1 'this run needs about|GiB; take train.batch_size=' train train.batch_size=1000000 --out no
