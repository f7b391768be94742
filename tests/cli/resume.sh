#!/usr/bin/env bash
# Resume: the rules for what may differ, and the same bits after a stop by a signal at any step.
. "$(dirname "$0")/lib.bash"

run=("${tiny[@]}" --threads 1 train.steps=12 model.dropout=0.2 train.grad_accum=2 eval.every=5)
has_rows() { [ -s "$1" ] && [ "$(wc -l <"$1")" -gt "$2" ]; }
result() { curve "$1"; sha256sum <"$1/checkpoint/model.safetensors"; sha256sum <"$1/checkpoint/optimizer.safetensors"; }

# --- killed behind each save, for every schedule ---
for schedule in cosine linear constant wsd; do
    own=("${run[@]}" train.schedule=$schedule train.warmup_steps=2 train.decay_steps=4)
    train "whole_$schedule" "${own[@]}"
    train "cut_$schedule" "${own[@]}" train.steps=7 train.min_lr=1e-4
    # Seven steps under another length, then the rest: the learning rates of the first seven are those of a run of seven,
    # so only the constant schedule ends at the bits of the whole one.
    said=$("$STEP0" train "${own[@]}" --out "cut_$schedule" --resume --quiet 2>&1) || fail "$said"
    same=$([ "$(result "cut_$schedule")" = "$(result "whole_$schedule")" ] && echo yes || echo no)
    equal "$schedule, continued with more steps" $same $([ $schedule = constant ] && echo yes || echo no)
done

check 'a warm-up of the whole run leaves no steps to decay' "$STEP0" train "${run[@]}" train.schedule=wsd train.warmup_steps=12 --dry-run
said=$("$STEP0" train init.from=whole_wsd init.scheme=bert data.chars=20000 --dry-run 2>&1) || fail "$said"
contains 'what a scheme means beside init.from' "$said" 'init.scheme: the weights come from init.from'
equal 'nothing where none is named' "$("$STEP0" train init.from=whole_wsd data.chars=20000 --dry-run 2>&1 | grep -c init.scheme)" 0

# --- what is refused ---
said=$("$STEP0" train "${own[@]}" --out whole_wsd --resume train.batch_size=9 log.every=2 2>&1) || true
contains 'a refusal says what' "$said" 'train.batch_size: '
equal 'and announces nothing' "$(grep -c log.every <<<"$said")" 0
refuses 1 'whole holds no run that --resume could continue' train --out whole --resume
equal 'and nothing was made' "$(ls -d whole 2>/dev/null)" ''

# --- a checkpoint that is gone ---
rm -r whole_wsd/checkpoint*
said=$("$STEP0" train "${own[@]}" --out whole_wsd --resume --quiet 2>&1) || fail "$said"
contains "a lost checkpoint" "$said" "no checkpoint; starting over"
equal 'which is in its own folder' "$(grep -c 'named by --out' <<<"$said")" 0
contains 'no run at all' "$("$STEP0" train "${own[@]}" --out nowhere --resume --quiet 2>&1)" 'starting over; a run to continue is named by --out'
train again "${own[@]}"
equal "started over" "$(result whole_wsd)" "$(result again)"

# --- a run whose folder is moved away while it goes on, and replaced by another one ---
home=("${tiny[@]}" --threads 1 train.steps=1000000 eval.every=0 log.every=10 checkpoint.every=100)
"$STEP0" train "${home[@]}" --out moving --quiet 2>said &
pid=$!
await [ -e moving/checkpoint/state.json ]
mv moving away
train moving "${home[@]}" train.steps=10 checkpoint.every=0 seed=7
other=$(result moving)
status=0
wait $pid || status=$?
equal 'status of a run without its folder' $status 1
contains 'why' "$(cat said)" 'moving is no longer the folder that this run began in'
equal 'the run in its place' "$(result moving)" "$other"
step=$(sed -n 's/.*"step":[^0-9]*\([0-9]*\).*/\1/p' away/checkpoint/state.json)
train away "${home[@]}" train.steps=$((step + 5)) train.schedule=constant --resume
equal 'and the moved one goes on' "$(tail -n 1 away/metrics.csv | cut -d, -f1)" $((step + 5))

# --- a run whose metrics.csv is taken away or changed while it goes on, which stops before it writes another row ---
changed='was changed by another program while this one wrote it: it has'
for case in 'rm $csv|No such file' ": >\$csv|$changed 0 bytes" 'cp $csv new && mv new $csv|another one is in its place' "echo hello >>\$csv|$changed"; do
    harm=${case%|*} reason=${case#*|} csv=harmed/metrics.csv
    rm -rf harmed
    "$STEP0" train "${home[@]}" train.steps=20000 --out harmed --quiet 2>said &
    pid=$!
    await [ -e harmed/checkpoint/state.json ]
    kill -STOP $pid
    eval "$harm"
    kill -CONT $pid
    status=0
    wait $pid || status=$?
    equal "status after $harm" $status 1
    contains "what is said after $harm" "$(cat said)" "$reason"
    contains "its run.json" "$(cat harmed/run.json)" '"failed"'
    step=$(sed -n 's/.*"step":[^0-9]*\([0-9]*\).*/\1/p' harmed/checkpoint/state.json)
    contains 'nor are the steps lost' "$(cat harmed/run.json)" "\"last_step\":	$step"
    train harmed "${home[@]}" train.steps=$((step + 5)) train.schedule=constant --resume 2>/dev/null
    equal "resumed after $harm" "$(tail -n 1 harmed/metrics.csv | cut -d, -f1)" $((step + 5))
done

# --- stopped by a signal: exit status, message, no row added, then the same bits ---
long=("${tiny[@]}" --threads 1 train.steps=2000 model.dropout=0.1 eval.every=300 log.every=10)
train whole "${long[@]}"
for signal in INT TERM; do
    number=$([ $signal = INT ] && echo 130 || echo 143)
    "$STEP0" train "${long[@]}" --out "stopped_$signal" --quiet 2>said &
    pid=$!
    await has_rows "stopped_$signal/metrics.csv" 20
    kill -$signal $pid
    status=0
    wait $pid || status=$?
    equal "status after SIG$signal" $status $number
    contains "message after SIG$signal" "$(cat said)" "--resume"
    contains "run.json after SIG$signal" "$(cat "stopped_$signal/run.json")" '"interrupted"'
    step=$(sed -n 's/.*"step":[^0-9]*\([0-9]*\).*/\1/p' "stopped_$signal/checkpoint/state.json")
    last=$(tail -n 1 "stopped_$signal/metrics.csv" | cut -d, -f1)
    check "no row of the step $step that was not made (last is $last)" [ "$last" -lt "$step" ]
    train "stopped_$signal" "${long[@]}" --resume
    equal "resumed after SIG$signal" "$(result "stopped_$signal")" "$(result whole)"
done

# --- checkpoints by the clock: made without a word of checkpoint.every, and no other bits ---
for minutes in 0.0001 0; do
    "$STEP0" train "${long[@]}" checkpoint.minutes=$minutes --out "timed_$minutes" --quiet 2>/dev/null &
    pid=$!
    await has_rows "timed_$minutes/metrics.csv" 25
    kill -9 $pid
    wait $pid 2>/dev/null || true
done
check 'a checkpoint after a while' [ -e timed_0.0001/checkpoint/state.json ]
equal 'none where none is asked for' "$(ls -d timed_0/checkpoint* 2>/dev/null)" ''
train timed_0.0001 "${long[@]}" checkpoint.minutes=0.0001 --resume
equal 'resumed from it' "$(result timed_0.0001)" "$(result whole)"

# --- kill -9 at any moment ---
for i in 1 2 3; do
    "$STEP0" train "${long[@]}" checkpoint.every=100 --out killed --overwrite --quiet 2>/dev/null &
    pid=$!
    await [ -s killed/metrics.csv ]
    sleep "0.$((i * 13 % 40 + 10))"
    kill -9 $pid 2>/dev/null || true
    wait $pid 2>/dev/null || true
    train killed "${long[@]}" checkpoint.every=100 --resume
    equal "resumed after kill -9" "$(result killed)" "$(result whole)"
done

# --- what may differ is announced, anything else refused ---
train base "${run[@]}"
said=$("$STEP0" train "${run[@]}" train.steps=14 train.lr=2e-3 eval.every=7 --out base --resume --quiet 2>&1) || fail "a resume with more steps: $said"
contains 'announced' "$said" 'train.steps: 12 -> 14'
contains 'announced' "$said" 'train.lr: 0.001 -> 0.002'
equal 'rows after it' "$(tail -n 1 base/metrics.csv | cut -d, -f1)" 14
equal 'no row twice' "$(cut -d, -f1 base/metrics.csv | sort | uniq -d)" ''
before=$(result base)
for change in model.dropout=0.3 init.scheme=bert seed=2 data.seed=2 model.n_layer=1 train.batch_size=5 log.detail=total init.params.std=0.03 data.text_seed=2; do
    status=0
    said=$("$STEP0" train "${run[@]}" train.steps=14 "$change" --out base --resume --quiet 2>&1) || status=$?
    equal "status of a resume with $change" $status 1
    contains "refusal of $change" "$said" "cannot be resumed with another config"
done
equal 'nothing was touched' "$(result base)" "$before"

# --- a text that has changed since ---
head -c 9000 "$root/README.md" >text.txt 2>/dev/null || repeat 'abcdefg hij ' 700 >text.txt
train text data.text=text.txt model.n_layer=1 model.n_embd=16 model.n_head=1 model.block_size=8 train.steps=3 eval.batches=1
echo changed >>text.txt
status=0
said=$("$STEP0" train data.text=text.txt model.n_layer=1 model.n_embd=16 model.n_head=1 model.block_size=8 train.steps=4 eval.batches=1 --out text --resume --quiet 2>&1) || status=$?
equal 'status with a changed text' $status 1
contains 'a changed text' "$said" 'data.text has changed'
equal 'and announces nothing' "$(grep -c train.steps <<<"$said")" 0

# --- a text that was moved: the same bytes elsewhere will do, others will not ---
mkdir moved
head -c -8 text.txt >moved/text.txt
rm text.txt
said=$("$STEP0" train --out text --resume --quiet data.text=moved/text.txt train.steps=4 2>&1) || fail "a resume with a text that was moved: $said"
contains 'announced' "$said" "text.txt\" -> \"$PWD/moved/text.txt\""
equal 'its end' "$(tail -n 1 text/metrics.csv | cut -d, -f1)" 4
for other in "$root/Makefile" builtin:stories; do
    status=0
    said=$("$STEP0" train --out text --resume --quiet data.text="$other" train.steps=5 2>&1) || status=$?
    equal "status with $other" $status 1
    contains "$other" "$said" 'data.text has changed'
done

# --- without CONFIG a resume reads the run's own ---
"$STEP0" train --out base --resume --quiet || fail 'resume without a config'

# --- one folder, one process ---
"$STEP0" train "${long[@]}" --out locked --quiet 2>/dev/null &
pid=$!
await [ -s locked/metrics.csv ]
for how in --overwrite --resume; do
    status=0
    said=$("$STEP0" train "${long[@]}" --out locked $how --quiet 2>&1) || status=$?
    equal "status of a second run with $how" $status 1
    contains "a second run with $how" "$said" 'being written by another step0'
done
kill -9 $pid
wait $pid 2>/dev/null || true
train locked "${long[@]}" --resume
equal 'the first one was not disturbed' "$(result locked)" "$(result whole)"
