#!/usr/bin/env bash
# A disk that fails or is full: one message with path and reason, status 1, nothing lost, nothing called finished; the run
# can be resumed. Each call where STEP0_HEAVY is set, with each reason where it is 3.
. "$(dirname "$0")/lib.bash"
. "$root/tests/cli/faults.bash"

declare -A reason=([28]='No space left on device' [5]='Input/output error' [122]='Disk quota exceeded')
errors=(28 5 122)
shimmed SHIM_LOG=calls train "${run[@]}" --out whole --quiet
mapfile -t call < <(echo; cat calls)
total=$((${#call[@]} - 1))
last_rename=$(grep -n '^rename$' calls | tail -n 1 | cut -d: -f1)

finished_status() { grep -q '"finished"' "$1/run.json" 2>/dev/null; }

# failed_at K [NAME=VALUE]: with the reason that is K's turn.
failed_at() {
    local k=$1 error=${errors[$1 % 3]} dir="fail$1" status=0 said
    said=$(shimmed ${2:-} SHIM_FAIL=$k SHIM_ERRNO=$error train "${run[@]}" --out "$dir" --quiet 2>&1) || status=$?
    if [ $status -eq 0 ] && [[ "${call[k]} ${call[k + 1]:-}" =~ ^(mkdir .*|open unlink)$ ]]; then
        [ -z "$said" ] || echo "making a folder that is there, or locking one that goes, fails ($error), and: '$said'"
    elif [ $status -eq 0 ]; then
        # What nothing needs any more may stay; that is said.
        [[ ${call[k]} =~ ^(unlink|rmdir)$ && $said == 'step0: warning: cannot remove '*": ${reason[$error]}; "* ]] || echo "${call[k]} $k fails ($error), and: '$said'"
    else
        [ $status -eq 1 ] || echo "status $status"
        [[ $said == 'step0: cannot '*"$dir"*": ${reason[$error]}" || $said == "step0: cannot sync the folder .: ${reason[$error]}" ]] || echo "the message is: '$said'"
        [ "$(grep -c 'step0: ' <<<"$said")" -eq 1 ] || echo "messages: $said"
        # Behind the rename of the last run.json the run is finished, all of it on the disk; where another one can be written, it says failed.
        ! finished_status "$dir" || [ "${2:-} $((k > last_rename))" = 'SHIM_STAYS=1 1' ] || echo 'the run counts as finished'
    fi
    sound "$dir"
    resumed "$dir"
    rm -rf "$dir"
}
once() { about "call $1 (${call[$1]}) fails" failed_at "$1"; }
from_then() { about "call $1 (${call[$1]}) and all behind it that take room fail" failed_at "$1" SHIM_STAYS=1; }
if [ -n "${STEP0_HEAVY:-}" ]; then
    for ((turn = 0; turn < STEP0_HEAVY; turn++)); do
        in_pairs once $(seq "$total")
        errors=("${errors[@]:1}" "${errors[0]}")
    done
else
    in_pairs once $(some 1 "$total" 19)
fi
in_pairs from_then $(for ((k = 1; k <= total; k++)); do [[ ${call[k]} =~ ^(unlink|rmdir|rename|close)$ ]] || echo $k; done | awk -v all="${STEP0_HEAVY:-}" 'all || NR % 25 == 2')

# The reason is that of the first call that failed, not of what cannot be written about it.
message_at() {
    shimmed ${2:-} SHIM_FAIL=$1 SHIM_ERRNO=28 train "${run[@]}" --out "why$1" --quiet 2>&1 || true
    rm -rf "why$1"
}
same_reason() {
    local once all
    once=$(message_at "$1")
    all=$(message_at "$1" SHIM_STAYS=1)
    [ "$once" = "$all" ] || echo "call $1 (${call[$1]}) fails: '$once'; with all behind it: '$all'"
}
in_pairs same_reason $(grep -n '^write$' calls | cut -d: -f1 | awk -v all="${STEP0_HEAVY:-}" 'all || NR % 10 == 3')

# --- what goes on: short writes, interrupted calls ---
for how in SHIM_SHORT SHIM_EINTR; do
    said=$(shimmed $how=1 train "${run[@]}" --out $how --quiet 2>&1) || fail "$how: $said"
    equal "$how" "$said$(state $how)" "$wanted"
done
cp -a upto1 read
held=read/$(readlink read/checkpoint)
before=$(cd "$held" && sha256sum -- *)
exec 9<"$held"
flock -s 9
shimmed SHIM_EINTR=1 train "${run[@]}" --out read --resume --quiet 2>/dev/null
equal 'a checkpoint that somebody reads, its lock interrupted' "$(cd "$held" && sha256sum -- *)" "$before"
exec 9<&-

# --- the folder of a run that another one is about to replace: the first call that fails leaves it as it was ---
before=$(state upto2; cat upto2/run.json)
status=0
shimmed SHIM_FAIL=2 SHIM_ERRNO=28 train "${run[@]}" --out upto2 --overwrite --quiet >/dev/null 2>&1 || status=$?
equal 'an old run that could not be replaced' "$status$(state upto2; cat upto2/run.json)" "1$before"

# --- files of results: whole, or what stood there before ---
# keeps FILE WORD...: each call of step0 WORD... that writes FILE fails once.
keeps() {
    local file=$1 k status said renamed
    shift
    rm -f calls
    shimmed SHIM_LOG=calls "$@" >/dev/null 2>&1 || fail "$* does not work"
    check "$* writes $file" [ -s "$file" ]
    renamed=$(grep -n '^rename$' calls | cut -d: -f1)
    for ((k = 1; k <= $(wc -l <calls); k++)); do
        echo old >"$file"
        status=0
        said=$(shimmed SHIM_FAIL=$k SHIM_ERRNO=28 "$@" 2>&1 >/dev/null) || status=$?
        equal "status of $* where call $k fails" $status 1
        contains "message of $* where call $k fails" "$said" 'cannot '
        contains "message of $* where call $k fails" "$said" ': No space left on device'
        # Behind the rename the folder is synced: the file is there, and may not last.
        [ "$(cat "$file")" = old ] || [ "$k" -gt "${renamed:-1000}" ] || fail "$* loses what stood in $file where call $k fails"
        check "$* leaves no $file.step0-new" [ ! -e "$file.step0-new" ]
    done
}
small=(data.chars=3000 model.n_layer=1 model.n_head=1 model.block_size=8 train.batch_size=2 --threads 1)
keeps r.html compare upto1 upto3 --html r.html
keeps r.csv compare upto1 upto3 --csv r.csv
keeps r.json compare upto1 upto3 --json r.json
keeps p.csv probe "${small[@]}" model.n_embd=8 --csv p.csv
keeps c.csv probe --coord "${small[@]}" model.n_embd=8,16 --csv c.csv
echo old >target
ln -s target linked.csv
"$STEP0" compare upto1 upto3 --csv linked.csv >/dev/null 2>&1
check 'a link stays a link' [ -L linked.csv ]
check 'and what it points to is written' grep -q '^run,' target

# --- a sweep: every run that fails is named with its reason, the sweep fails ---
status=0
said=$(shimmed SHIM_FAIL=40 SHIM_ERRNO=28 sweep "${run[@]:1}" seed=1,2 --out swept --jobs 1 2>&1) || status=$?
equal 'status of a sweep whose runs fail' $status 1
contains 'the reason' "$said" 'No space left on device'
said=$(LD_PRELOAD=$shim "$STEP0" sweep "${run[@]:1}" seed=1,2 --out swept --jobs 1 2>&1) || fail "the sweep, again: $said"
equal 'the runs of the sweep, again' "$(curve swept/seed=1)" "$(curve whole)"

# --- standard output on a full disk, for every command ---
# full WORD...
full() {
    local status=0 said
    said=$("$STEP0" "$@" 2>&1 >/dev/full) || status=$?
    equal "status of step0 $* on a full disk" $status 1
    contains "message of step0 $* on a full disk" "$said" 'step0: cannot write to standard output: No space left on device'
}
commands=$("$STEP0" help | sed -n 's/^  step0 \([a-z]*\).*/\1/p' | sort -u)
tried=$(sort -u <<'WORDS' | tee words | cut -d' ' -f1 | sort -u
bench SMALL --steps 1
bench SMALL --steps 1 --json
compare upto1 upto3
eval upto3 --threads 1
help
help config
help metrics
help probe
help schema
help schemes
help train
help verdicts
info
probe SMALL
probe --coord SMALL model.n_embd=8,16
sample upto3 --threads 1 --tokens 9
schemes
schemes gpt2
sweep SMALL train.steps=1 seed=1,2 --list
sweep SMALL train.steps=1 seed=1,2 --out swept2
train --help
train SMALL --dry-run
train SMALL train.steps=1 --out printed
version
WORDS
)
equal 'commands tried on a full disk' "$tried" "$commands"
while read -r words; do full ${words/SMALL/${small[*]}}; done <words
# One write of several fails, and then other calls: a file is looked for that is not there yet.
status=0
said=$(shimmed SHIM_STDOUT=1 SHIM_ERRNO=5 probe "${small[@]}" model.n_embd=8 seed="$(seq -s, 24)" --csv fresh.csv 2>&1 >table) || status=$?
equal 'a table of which a part was lost' "$status$said" '1step0: cannot write to standard output: Input/output error'
contains 'the run whose summary could not be printed' "$(cat printed/run.json)" '"finished"'

# --- a real disk that fills: a small file system in memory ---
mkdir disk
if mount -t tmpfs -o size=64k tmpfs disk 2>/dev/null; then
    status=0
    said=$("$STEP0" train "${run[@]}" --out disk/run --quiet 2>&1) || status=$?
    equal 'status on a small disk' $status 1
    [[ $said == 'step0: cannot write disk/run'*': No space left on device' ]] || fail "on a small disk: '$said'"
    about 'on a small disk' sound disk/run
    contains 'run.json on a small disk' "$(cat disk/run/run.json)" '"failed"'
    mount -o remount,size=10m disk
    about 'with more room' resumed disk/run
    umount disk
else
    echo 'skipped: a small file system (no right to mount one)'
fi

# --- folders that cannot be written: nothing happens but a message; what only reads works ---
cp -a upto3 disk/done
cp -a upto1 disk/part
readonly_folder() {
    local word
    equal "$1: sample" "$("$STEP0" sample disk/done --tokens 5 --threads 1)" "$("$STEP0" sample upto3 --tokens 5 --threads 1)"
    check "$1: eval" "$STEP0" eval disk/done --threads 1 >/dev/null 2>&1
    check "$1: compare" "$STEP0" compare disk/done disk/part >/dev/null 2>&1
    for word in '--out disk/new' '--out disk/done --overwrite' '--out disk/part --resume train.steps=1'; do refuses 1 "disk/|$2" train "${run[@]}" $word; done
    for word in html csv json; do refuses_result "$2" compare disk/done disk/part --$word disk/result; done
    refuses_result "$2" sweep "${run[@]:1}" seed=1,2 --out disk/new
    refuses_result "$2" probe "${small[@]}" --csv disk/result
}
# The table is printed before the file is written.
refuses_result() {
    local reason=$1 status=0 said
    shift
    said=$("$STEP0" "$@" 2>&1 >/dev/null) || status=$?
    equal "status of $*" $status 1
    contains "message of $*" "$said" 'disk/'
    contains "message of $*" "$said" "$reason"
}
if mount --bind disk disk 2>/dev/null && mount -o remount,ro,bind disk 2>/dev/null; then
    readonly_folder 'a read-only disk' 'Read-only file system'
    umount disk
else
    echo 'skipped: a read-only file system (no right to mount one)'
fi
if [ "$(id -u)" -ne 0 ]; then
    chmod -R a-w disk
    readonly_folder 'a folder without the right to write' 'Permission denied'
    chmod -R u+w disk
else
    echo 'skipped: a folder without the right to write (root has every right)'
fi
