#!/usr/bin/env bash
# Whatever a program finds around it: the right bits, or one clear message.
. "$(dirname "$0")/lib.bash"
unset OMP_WAIT_POLICY

run=("${tiny[@]}" train.steps=4 eval.every=2)
train plain "${run[@]}" --threads 1
wanted=$(curve plain)
weights=$(sha256sum <plain/checkpoint/model.safetensors)

# same WHAT DIR: the bits are right; the folder goes.
same() {
    equal "$1" "$(curve "$2")" "$wanted"
    equal "weights, $1" "$(sha256sum <"$2/checkpoint/model.safetensors")" "$weights"
    rm -rf "$2"
}

# with VARIABLE=VALUE...: trains among these.
with() {
    env "$@" "$STEP0" train "${run[@]}" --out with --quiet >said 2>&1 || fail "$*: status $?, $(cat said)"
    same "$*" with
}

# --- what others read from the environment, set to nonsense or to much ---

# Most of them read one variable each, so several are tried at a time.
with OMP_NUM_THREADS=abc OMP_STACKSIZE=1k OMP_SCHEDULE=nonsense OPENBLAS_NUM_THREADS=64 TZ=nonsense LC_ALL=xx_XX HOME=
with OMP_NUM_THREADS=-1 OMP_STACKSIZE=nonsense OMP_CANCELLATION=nonsense OPENBLAS_NUM_THREADS=-7 TZ=:/nowhere LC_ALL= LANG=nonsense HOME=/nowhere
with OMP_NUM_THREADS=0 OMP_PROC_BIND=nonsense OPENBLAS_DEFAULT_NUM_THREADS=99 OPENBLAS_VERBOSE=9 TZ= TERM= TMPDIR=/nowhere COLUMNS=-1
with OMP_NUM_THREADS=99999 OMP_THREAD_LIMIT=x OMP_WAIT_POLICY=nonsense GOTO_NUM_THREADS=9 TZ=Pacific/Kiritimati TERM=nonsense
for variable in OMP_NUM_THREADS=64 OMP_THREAD_LIMIT=1 OMP_DYNAMIC=true OMP_PROC_BIND={true,spread} 'OMP_PLACES={0},{1}' 'OMP_PLACES={77}' \
    OMP_MAX_ACTIVE_LEVELS=0 GOMP_CPU_AFFINITY=0; do
    with "$variable"
done
for threads in 1 3 64; do
    train threads "${run[@]}" --threads $threads
    same "$threads threads" threads
done
env -i "$STEP0" train "${run[@]}" --out empty --quiet || fail 'an empty environment'
same 'an empty environment' empty
OPENBLAS_CORETYPE=nonsense refuses 1 'OPENBLAS_CORETYPE is "nonsense"' train "${run[@]}" --out no
available() { "$STEP0" info 2>/dev/null | sed -n 's/^threads.*(of \([0-9]*\) available)/\1/p'; }
all=$(available)
for variable in OMP_PROC_BIND=true OMP_PLACES=cores "GOMP_CPU_AFFINITY=0"; do equal "cores with $variable" "$(export "${variable?}"; available)" "$all"; done

# Threads that are bound are bound to more than one core; those that are not may run on every core of the process.
if [ "$all" -gt 1 ] && grep -q Cpus_allowed_list /proc/self/status; then
    # places WORD...: where the threads of a training may run, a line each, among these variables.
    places() {
        rm -rf places
        env "$@" "$STEP0" train model.n_layer=1 model.n_embd=256 train.steps=100000 data.chars=20000 --threads 2 --out places --quiet >/dev/null 2>&1 &
        pid=$!
        await [ -s places/metrics.csv ]
        cat /proc/$pid/task/*/status | grep Cpus_allowed_list | sort -u
        { kill -9 $pid && wait $pid; } 2>/dev/null || true
    }
    equal 'cores of two bound threads' "$(places OMP_PROC_BIND=true | grep -c ':[[:space:]]*[0-9]*$')" 2
    equal 'places of threads that nobody bound' "$(places LANG=C)" "$(grep Cpus_allowed_list /proc/self/status)"
fi

# --- a locale with decimal commas ---

mkdir locales
if localedef -i de_DE -f UTF-8 "$PWD/locales/de_DE.UTF-8" >/dev/null 2>&1; then
    export LOCPATH=$PWD/locales LC_ALL=de_DE.UTF-8
    equal 'the locale has commas' "$(env printf '%.1f' 0,5 2>/dev/null)" 0,5
    train comma "${run[@]}" 'init.rules.wpe={"normal": "0.5*0.04"}' train.lr=1.5e-3
    "$STEP0" probe "${run[@]}" --csv comma.csv >comma.said 2>&1 || fail "probe: $(cat comma.said)"
    "$STEP0" sample comma --temperature 0.7 >comma.text || fail 'sample in a locale with commas'
    "$STEP0" compare plain comma --csv comma2.csv --json comma.json >comma.table 2>&1 || fail "compare: $(cat comma.table)"
    unset LOCPATH
    export LC_ALL=C
    train point "${run[@]}" 'init.rules.wpe={"normal": "0.5*0.04"}' train.lr=1.5e-3
    equal 'the curve' "$(curve comma)" "$(curve point)"
    for file in init.csv resolved.json samples.txt; do check "$file in a locale with commas" cmp comma/$file point/$file; done
    "$STEP0" probe "${run[@]}" --csv point.csv >point.said 2>&1
    check 'probe in a locale with commas' cmp comma.csv point.csv
    "$STEP0" sample point --temperature 0.7 >point.text
    check 'sample in a locale with commas' cmp comma.text point.text
    equal 'decimal commas' "$(grep -c '[0-9],[0-9]* *nats' comma.said)" 0
else
    echo 'no localedef de_DE here: not tried in a locale with commas'
fi

# --- a clock that is set back ---

if ! is_sanitized; then
    cat >back.c <<'EOF'
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
/* The wall's clock goes back by an hour at every look. */
static int looks;
int clock_gettime(clockid_t which, struct timespec *now)
{
    int status = (int)syscall(SYS_clock_gettime, which, now);
    if (which != CLOCK_MONOTONIC) now->tv_sec -= 3600 * ++looks;
    return status;
}
time_t time(time_t *out)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (out) *out = now.tv_sec;
    return now.tv_sec;
}
EOF
    gcc -D_GNU_SOURCE -shared -fPIC -o back.so back.c
    LD_PRELOAD=$PWD/back.so "$STEP0" train "${run[@]}" --out back >said 2>&1 || fail "a clock set back: $(cat said)"
    equal 'seconds that go back' "$(awk -F, 'NR > 1 { if ($3 < 0 || $3 < last || $3 > 60) n++; last = $3 } END { print n + 0 }' back/metrics.csv)" 0
    check 'no time left below 0' grep -q 'ETA 0:0' said
    same 'a clock set back' back
fi

# --- standard streams that are closed, in each combination: no file of the run takes their place ---

for closed in '<&-' '>&-' '2>&-' '<&- >&-' '<&- 2>&-' '>&- 2>&-' '<&- >&- 2>&-'; do
    eval "\"\$STEP0\" train \"\${run[@]}\" --out closed --quiet $closed" || fail "train $closed: status $?"
    same "train $closed" closed
    eval "\"\$STEP0\" train \"\${run[@]}\" train.lr=1e30 train.schedule=constant train.grad_clip=0 --out closed $closed" 2>/dev/null || true
    equal "messages in the run's files, $closed" "$(grep -l 'step0: \|step [0-9]*/' -r closed | xargs)" ''
    rm -rf closed
done
for command in info "sample plain" schemes "probe model.n_layer=1"; do
    # shellcheck disable=SC2086
    said=$("$STEP0" $command 2>&1 >&- || echo "status $?")
    contains "step0 $command >&-" "$said" 'cannot write to standard output'
    contains "step0 $command >&-" "$said" 'status 1'
done

# --- folders and limits ---

for mask in 077 000; do
    (umask $mask; train mask "${run[@]}"; exit $failures) || failures=$((failures + $?))
    equal "files that others may read, umask $mask" "$(find -L mask -type f -perm -044 | wc -l)" "$([ $mask = 077 ] && echo 0 || find -L mask -type f | wc -l)"
    same "umask $mask" mask
done
mkdir gone
(cd gone && rmdir ../gone && "$STEP0" train "${run[@]}" --out "$scratch/here/absolute" --quiet) || fail 'a current folder that is gone'
same 'a current folder that is gone' absolute
mkdir gone
said=$(cd gone && rmdir ../gone && "$STEP0" train "${run[@]}" --quiet 2>&1 || echo "status $?")
contains 'a run in a folder that is gone' "$said" 'status 1'
equal 'messages of it' "$(grep -c '^step0: ' <<<"$said")" 1
for limit in '-n 16' '-s 256' '-n 8 -s 128' '-c 0'; do
    # shellcheck disable=SC2086
    (ulimit $limit; exec "$STEP0" train "${run[@]}" --out limit --quiet) || fail "ulimit $limit: status $?"
    same "ulimit $limit" limit
done
for files in 5; do
    status=0
    said=$( (ulimit -n $files; exec "$STEP0" train "${run[@]}" --out few --quiet 2>&1) ) || status=$?
    [ $status -eq 0 ] || equal "messages with $files open files: $said" "$(grep -c . <<<"$said")" 1
    rm -rf few
done
