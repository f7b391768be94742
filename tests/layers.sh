#!/usr/bin/env bash
# Includes point one way: model/ knows nothing of data/ and train/, data/ nothing of train/, and no file includes itself
# through others. Each library's types stay in one file, one file calls BLAS, and no flag removes the checks for NaN.
set -eu
cd "${1:-$(dirname "$0")/..}"
bad=0
fail() {
    echo "layers: $*" >&2
    bad=1
}

# Each include as "includer included", both from the top.
includes=$(grep -H '^ *# *include *"' model/*.[ch] data/*.[ch] train/*.[ch] train/*/*.[ch] | awk -F: '{
    split($2, quoted, "\""); file = $1; path = quoted[2]; folder = file; sub(/\/[^\/]*$/, "", folder)
    while (sub(/^\.\.\//, "", path)) if (!sub(/\/[^\/]*$/, "", folder)) folder = ""
    print file, (folder == "" ? path : folder "/" path) }')
[ "$(wc -l <<<"$includes")" -gt 50 ] || fail "only $(wc -l <<<"$includes") includes found: this script reads them wrongly"
while read -r file; do [ -e "$file" ] || fail "$file is included and does not exist"; done < <(cut -d' ' -f2 <<<"$includes" | sort -u)

above=$(awk '{ split($1, from, "/"); split($2, to, "/")
    if (from[1] == "model" && to[1] != "model" || from[1] == "data" && to[1] == "train" || to[1] == "tests") print $1 " includes " $2 }' <<<"$includes")
[ -z "$above" ] || fail "against the order of the folders: $above"
! grep -q '\.c$' <<<"$includes" || fail 'a .c file is included'
cycle=$(tsort <<<"$includes" 2>&1 >/dev/null | xargs)
[ -z "$cycle" ] || fail "a cycle: $cycle"

# Lines as "file:line", without comments.
code=$(awk '{ gsub(/\/\*.*\*\//, "") } !/^ *\/?\*/ { print FILENAME ":" $0 }' model/*.[ch] data/*.[ch] train/*.[ch] train/*/*.[ch])

# only WORD FILE: no other source has the word
only() {
    local files
    files=$(grep -w -E "$1" <<<"$code" | cut -d: -f1 | uniq | xargs)
    [ "$files" = "$2" ] || fail "$1 stands in '$files', not in $2 alone"
}
only 'cblas_[a-z]+|cblas\.h|openblas_[a-z_]+' model/blas.c
only 'cJSON[A-Za-z_]*|cJSON\.h' model/json.c
only 'mup[A-Z][A-Za-z]*|muParserDLL\.h' model/formula.c
only 'philox[a-z0-9_]*|Random123' model/noise.c

! grep -n -E -e '-ffast-math|-Ofast|-ffinite-math-only|-funsafe-math|-DNDEBUG' Makefile .ci/run || fail 'a flag that removes checks'
exit $bad
