#!/usr/bin/env bash
# Which cores the program uses, and that libgomp's idle threads do not spin (OMP_DISPLAY_ENV shows the cores that it counted).
. "$(dirname "$0")/lib.bash"
unset OMP_WAIT_POLICY
cores() { "$@" info | sed -n 's/^threads *//p'; }
counted() { OMP_DISPLAY_ENV=true "$@" version 2>&1 | sed -n "s/.*OMP_NUM_THREADS = '\([0-9]*\)'.*/\1/p"; }

equal 'all cores are used' "$(cores "$STEP0")" "$(nproc) (of $(nproc) available)"
equal 'affinity is respected' "$(cores taskset -c 0 "$STEP0")" '1 (of 1 available)'
equal 'more threads than cores may be asked for' "$(cores env OMP_NUM_THREADS=3 "$STEP0")" "3 (of $(nproc) available)"
echo '#include <omp.h>
int main(void) { return omp_get_max_threads() < 1; }' >plain.c
gcc -fopenmp -o plain plain.c
[ "$(counted ./plain)" = "$(nproc)" ] || skip 'this OpenMP runtime does not show the cores that it counted'
equal 'libgomp sees one core' "$(counted "$STEP0")" 1
equal 'unless the user decides' "$(counted env OMP_WAIT_POLICY=active "$STEP0")" "$(nproc)"
equal 'unless the user decides otherwise' "$(counted env GOMP_SPINCOUNT=5 "$STEP0")" "$(nproc)"
