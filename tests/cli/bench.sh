#!/usr/bin/env bash
# bench: its numbers belong together; no assertion on a time itself.
. "$(dirname "$0")/lib.bash"

small=(model.n_layer=2 model.n_head=2 model.n_embd=32 model.block_size=16 train.batch_size=4 --threads 1 --steps 3)
"$STEP0" bench "${small[@]}" --vocab 301 --json >b.json
value() { sed -n "s/.*\"$1\":[[:space:]]*\([0-9.e+-]*\).*/\1/p" "$2"; }
for key in step_ms tokens_per_s peak_gflops peak_share peak_rss_mib products_ms step_over_products AdamW 'products of the head'; do
    check "$key is above 0" awk -v x="$(value "$key" b.json)" 'BEGIN { exit !(x > 0) }'
done
near 'tokens a second' "$(value tokens_per_s b.json)" "$(awk -v ms="$(value step_ms b.json)" 'BEGIN { printf "%.12g", 64 / ms * 1e3 }')" 1e-6
near 'step over products' "$(value step_over_products b.json)" "$(awk -v s="$(value step_ms b.json)" -v p="$(value products_ms b.json)" 'BEGIN { printf "%.12g", s / p }')" 1e-6
# 2 blocks of width 32: 6·64·(2·(4+8)·32²) of linear layers, 12·2·64·8.5·32 of attention, 6·64·32·301 of the head.
near 'operations of a step' "$(awk -v s="$(value step_ms b.json)" -v f="$(value peak_share b.json)" -v p="$(value peak_gflops b.json)" 'BEGIN { printf "%.12g", s * f * p * 1e6 }')" \
    $((6 * 64 * 2 * 12 * 1024 + 12 * 2 * 64 * 17 / 2 * 32 + 6 * 64 * 32 * 301)) 1e-6
"$STEP0" bench "${small[@]}" model.block_size=1 train.batch_size=1 train.grad_accum=200 --json >many.json
check 'AdamW is once a step, not once a micro-batch' [ "$(awk -v part="$(value AdamW many.json)" -v step="$(value step_ms many.json)" 'BEGIN { print part * 20 < step }')" -eq 1 ]
rm many.json
contains 'a table without --json' "$("$STEP0" bench "${small[@]}")" 'of the peak'
equal 'no run was made' "$(ls)" b.json
refuses 1 '--vocab is "0"' bench "${small[@]}" --vocab 0
refuses 1 '--steps is "x"' bench "${small[@]}" --steps x
refuses 1 'init.from' bench init.from=nowhere
