#!/usr/bin/env bash
# train --report: the page is there while the run goes on, says how it ended, and never stops or changes the run.
. "$(dirname "$0")/lib.bash"
status() { grep -o '"status":\["[a-z]*"\]' "$1/report.html" | head -n 1; }
train plain "${tiny[@]}"
train shown "${tiny[@]}" --report
[ -e shown/report.html ] || skip 'built without dygraphs'
check 'the end is shown' grep -qE '"status":\["(finished|stuck|unfinished)"\]' shown/report.html
check 'the same weights' cmp plain/checkpoint/model.safetensors shown/checkpoint/model.safetensors
equal 'the same curve' "$(curve shown)" "$(curve plain)"

"$STEP0" train "${tiny[@]}" train.steps=1000000 --report --out long --quiet 2>said &
run=$!
await test -s long/report.html
equal 'while it runs' "$(status long)" '"status":["running"]'
kill -INT $run
wait $run && fail 'a stopped run ends with 0'
equal 'stopped' "$(status long)" '"status":["interrupted"]'

train held "${tiny[@]}"
mkdir held/report.html
"$STEP0" train "${tiny[@]}" --report --out held --overwrite --quiet 2>said || fail "a page that cannot be written stops the run: $(cat said)"
contains 'it is said' "$(cat said)" 'the report could not be made'
