#!/usr/bin/env bash
# Numbers that are far too large: refused at once, in one message, with what would do; limits of the system are respected.
. "$(dirname "$0")/lib.bash"
is_sanitized && skip "a sanitizer needs memory of its own"

# --- every size, alone at its highest and beyond what a number of 32 or 63 bits holds, and all of them together ---

sizes=(model.n_layer model.n_head model.n_embd model.n_inner model.block_size train.batch_size)
while read -r key type _ high _; do
    [ "$type" = integer ] || continue
    for value in 1099511627776 4611686018427387904; do
        [ $key = train.steps ] || [ $value != 1099511627776 ] || continue
        awk "BEGIN { exit !($value > $high) }" || continue
        refuses 1 "$key" train "$key=$value" --out no
    done
done < <(keys)
together=()
for key in "${sizes[@]}"; do
    high=$(keys | awk -v key="$key" '$1 == key { print $4 }')
    [ "$key" = model.n_head ] || together+=("$key=$high")
    [ "$key" = model.block_size ] || refuses 1 "$key" train "$key=$high" --out no
done
for command in "train --out no" probe "bench --steps 1"; do
    # shellcheck disable=SC2086
    refuses 1 'needs about|GiB|lower model.n_embd' $command "${together[@]}" data.chars=1200000
done
refuses 1 'model.block_size' train model.block_size=1000000 --out no

# Refused before the text is made, which alone would take longer than a refusal may.
refuses 1 'this run needs about' train model.n_embd=100000 model.n_head=1 data.chars=2000000000 --out no

# --- what is said would do does: alone, and with all else as it was ---

# advised WORD...: the values that a refused training names.
advised() { "$STEP0" train "$@" --dry-run 2>&1 | grep -o '[a-z]*\.[a-z_]*=[0-9]*' | grep -v grad_accum; }
large_ones=(train.batch_size=4096 'model.n_embd=2048 model.n_layer=2' 'train.batch_size=1024 log.signals=true')
[ -z "${STEP0_HEAVY:-}" ] || large_ones+=(model.n_layer=600 'model.n_inner=100000 model.n_layer=8' model.n_embd=2048)
(
    ulimit -v 400000
    for large in "${large_ones[@]}"; do
        # shellcheck disable=SC2086
        advised $large --threads 1 >advice || true
        check "$large is refused with advice" [ -s advice ]
        while read -r word; do
            # shellcheck disable=SC2086
            peak=$(ulimit -Sv unlimited 2>/dev/null; "$STEP0" train $large "$word" --threads 1 --dry-run 2>&1 | grep -c 'this run needs' || true)
            equal "$word in the place of $large: refused" "$peak" 0
        done <advice
    done
    exit $failures
) || failures=$((failures + $?))
contains 'the same steps' "$( (ulimit -v 400000; "$STEP0" train train.batch_size=4096 --threads 1 --dry-run 2>&1) || true)" 'with train.grad_accum='

# --- a limit of address space, as tight as it may be: it trains or says why not, and never hangs ---

# Large enough for products in both threads.
both=("${tiny[@]}" model.n_layer=1 model.n_head=1 model.n_embd=128 train.batch_size=16 train.steps=2 --threads 2)
train free "${both[@]}"
trained=0 refused=0
for limit in 12000 30000 90000 150000 220000 260000 300000 330000 360000 400000 500000 700000; do
    status=0
    (ulimit -v $limit; exec timeout 20 "$STEP0" train "${both[@]}" --out tight --overwrite --quiet) 2>said || status=$?
    case $status in
        0) trained=$((trained + 1)); equal "ulimit -v $limit" "$(curve tight)" "$(curve free)" ;;
        1) refused=$((refused + 1)); equal "messages, ulimit -v $limit: $(cat said)" "$(grep -c '^step0: .*\(ulimit\|GiB\)' said)/$(wc -l <said)" 1/1 ;;
        *) fail "ulimit -v $limit: status $status, $(cat said)" ;;
    esac
done
check "some were refused ($refused), some trained ($trained)" [ $refused -gt 3 -a $trained -gt 1 ]
contains 'info under ulimit -v' "$(ulimit -v 800000; "$STEP0" info)" '(`ulimit -v` allows)'

# --- real control groups, where they can be made ---

# group CONTROLLER: makes a group below this shell's own, of version 1 or 2, and says where.
group() {
    local at own
    for at in "$1:/sys/fs/cgroup/$1" ":/sys/fs/cgroup"; do
        own=$(sed -n "s/^[0-9]*:${at%%:*}:\/*//p" /proc/self/cgroup)
        own=${at#*:}/$own/step0-test-$$
        mkdir "$own" 2>/dev/null || continue
        if compgen -G "$own/$1.*" >/dev/null; then echo "$own"; return; fi
        rmdir "$own"
    done
    false
}
# within GROUP COMMAND...
within() { (echo "$BASHPID" >"$1/cgroup.procs" && "${@:2}"); }

unset OMP_WAIT_POLICY
if half=$(group cpu); then
    if [ -e "$half/cpu.max" ]; then echo '50000 100000' >"$half/cpu.max"; else echo 50000 >"$half/cpu.cfs_quota_us"; fi
    equal "half a core, by $half" "$(within "$half" "$STEP0" info | sed -n 's/^threads.*(of \([0-9]*\) available)/\1/p')" 1
    rmdir "$half"
else echo 'no control group of cpu can be made here'
fi
if box=$(group memory); then
    limit=$(find "$box" -name memory.max -o -name memory.limit_in_bytes)
    large=("${tiny[@]}" model.n_embd=256 train.batch_size=32 train.steps=2 --threads 2)
    need=$("$STEP0" train "${large[@]}" --dry-run | sed -n 's/^memory.*about \([0-9]*\).*/\1/p')
    echo $((need * 108 / 100 << 20)) >"$limit"
    within "$box" train fits "${large[@]}"
    contains "the limit, by $box" "$(within "$box" "$STEP0" info)" '(this process'\''s control group allows)'
    echo $((need * 95 / 100 << 20)) >"$limit"
    status=0
    within "$box" "$STEP0" train "${large[@]}" --out tighter 2>said || status=$?
    equal 'a tighter one refuses' "$status $(grep -c "this process's control group allows" said)" '1 1'
    rmdir "$box"
else echo 'no control group of memory can be made here'
fi
