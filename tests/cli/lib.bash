# Sourced by the tests of this folder: an empty folder to work in, and the checks that they share. A failed check is
# printed and counted; the test goes on, and exits with 1 at its end.
set -eu
export LC_ALL=C
export OMP_WAIT_POLICY=passive        # idle threads that spin make a busy machine crawl
unset OPENBLAS_CORETYPE OMP_NUM_THREADS
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
STEP0=${STEP0:-$root/step0}
failures=0
scratch=$(mktemp -d)
mkdir "$scratch/here"
cd "$scratch/here"

finish() {
    local status=$?
    rm -rf "$scratch"
    if [ "$failures" -gt 0 ]; then
        echo "$failures checks failed" >&2
        exit 1
    fi
    exit $status
}
trap finish EXIT

skip() { echo "$*"; exit 77; }

is_sanitized() { [[ $(nm "$STEP0" 2>/dev/null) == *__asan_init* ]]; }     # then nothing can be preloaded, and it needs memory of its own

fail() {
    failures=$((failures + 1))
    echo "FAILED: $*" >&2
}

# equal WHAT GOT WANTED
equal() { [ "$2" = "$3" ] || fail "$1: got '${2:0:300}', not '${3:0:300}'"; }

# check WHAT COMMAND...: the command succeeds.
check() {
    local what=$1
    shift
    "$@" || fail "$what"
}

# contains WHAT TEXT PART
contains() { [[ $2 == *"$3"* ]] || fail "$1: no '$3' in '${2:0:600}'"; }

# A model that trains in some milliseconds.
tiny=(data.chars=20000 model.n_layer=2 model.n_head=2 model.n_embd=16 model.block_size=16 train.batch_size=4 train.steps=6
    eval.every=0 eval.batches=1)

# train DIR WORD...: trains into DIR, in silence; says what went wrong where it did.
train() {
    local dir=$1 said status=0
    shift
    said=$("$STEP0" train "$@" --out "$dir" --quiet 2>&1) || status=$?
    [ $status -eq 0 ] || fail "train $* exits with $status: $said"
}

# curve DIR: metrics.csv without seconds, all that a config decides.
curve() { cut -d, -f1,2,4- "$1/metrics.csv"; }

# field FILE COLUMN STEP: a number of metrics.csv.
field() {
    awk -F, -v name="$2" -v step="$3" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) column = i } NR > 1 && $1 == step { print $column }' "$1"
}

# near WHAT GOT WANTED RELATIVE
near() {
    awk -v a="$2" -v b="$3" -v e="$4" 'BEGIN { d = a - b; if (d < 0) d = -d; m = b < 0 ? -b : b; exit !(a != "" && d <= e * m) }' || fail "$1: got $2, not $3"
}

snapshot() { find . -printf '%p %y %s %T@ %C@\n'; }

# refuses STATUS 'PART|PART' WORD...: step0 WORD... exits with STATUS within 2 seconds of processor time; nothing on stdout; one message on
# stderr, which contains each PART (a further line may only show a line of the file, indented); no file made or touched.
refuses() {
    local wanted=$1 parts part before after spent TIMEFORMAT='%U %S' status=0 said= line messages=0
    IFS='|' read -r -a parts <<<"$2"
    shift 2
    before=$(snapshot)
    { time timeout 60 "$STEP0" "$@" >"$scratch/stdout" 2>"$scratch/stderr" </dev/null || status=$?; } 2>"$scratch/spent"
    spent=$(awk '{ print int(1000 * ($1 + $2)) }' "$scratch/spent")
    after=$(snapshot)
    local command="${*:1:6}"
    command="step0 ${command:0:200}"
    while IFS= read -r line || [ "$line" ]; do
        said+=$line$'\n'
        case $line in
            'step0: warning: '*) ;;
            'step0: '*) messages=$((messages + 1)) ;;
            '    '*) ;;
            *) fail "$command also says '$line'" ;;
        esac
    done <"$scratch/stderr"
    equal "status of $command ($said)" $status "$wanted"
    equal "number of messages of $command ($said)" $messages 1
    [ "$spent" -lt 2000 ] || fail "$command took $spent ms of processor time"
    [ ! -s "$scratch/stdout" ] || fail "$command wrote to stdout: $(head -c 200 "$scratch/stdout")"
    [ ${#said} -lt 6000 ] || fail "$command: a message of ${#said} characters"
    for part in "${parts[@]}"; do contains "message of $command" "$said" "$part"; done
    [ "$after" = "$before" ] || fail "$command changed the folder: $(diff <(echo "$before") <(echo "$after") | head -3)"
}

# keys: each key of a config, a line each: path, type, lowest, highest, "open" where the lowest itself is excluded.
keys() {
    "$STEP0" help schema | awk '
        function flush() { if (path != "") print path, type, low, high, open; path = "" }
        { match($0, /^\t*/); depth = RLENGTH; text = substr($0, depth + 1); word = text; sub(/^"/, "", word); sub(/".*/, "", word); value = text; sub(/^"[^"]*":\t*/, "", value) }
        depth == 2 && text ~ /\{$/ { flush(); group = word; path = word; type = low = high = open = "-" }
        depth == 3 && word == "properties" { path = "" }
        depth == 4 && text ~ /^"/ && text ~ /\{$/ { flush(); path = group "." word; type = low = high = open = "-" }
        path != "" && depth == (path ~ /\./ ? 5 : 3) {
            sub(/,$/, "", value)
            if (word == "type") { gsub(/["\[\] ]/, "", value); type = value }
            if (word == "enum") type = "choice"
            if (word == "minimum") low = value
            if (word == "exclusiveMinimum") { low = value; open = "open" }
            if (word == "maximum") high = value
        }
        END { flush() }' | grep -Ev '^(\$schema|about|sweep[^ ]*) '
}

# repeat TEXT N
repeat() {
    local blank
    printf -v blank '%*s' "$2" ''
    echo -n "${blank// /$1}"
}

# await COMMAND...: until it succeeds, for half a minute at most.
await() {
    local tries=0
    until "$@"; do
        tries=$((tries + 1))
        [ $tries -lt 3000 ] || { fail "waited in vain: $*"; return; }
        sleep 0.01
    done
}
