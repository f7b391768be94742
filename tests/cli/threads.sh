#!/usr/bin/env bash
# Which cores the program uses, and how long libgomp's idle threads spin (OMP_DISPLAY_ENV shows what it was told).
. "$(dirname "$0")/lib.bash"
unset OMP_WAIT_POLICY GOMP_SPINCOUNT
cores() { "$@" info | sed -n 's/^threads *//p'; }
spins() { env "$@" version 2>&1 | sed -n "s/.*GOMP_SPINCOUNT = '\([0-9]*\)'.*/\1/p"; }

equal 'all cores are used' "$(cores "$STEP0")" "$(nproc) (of $(nproc) available)"
equal 'affinity is respected' "$(cores taskset -c 0 "$STEP0")" '1 (of 1 available)'
equal 'more threads than cores may be asked for' "$(cores env OMP_NUM_THREADS=3 "$STEP0")" "3 (of $(nproc) available)"
[ "$(spins OMP_DISPLAY_ENV=verbose GOMP_SPINCOUNT=5 "$STEP0")" = 5 ] || skip 'this OpenMP runtime shows nothing of itself'
equal 'idle threads spin for microseconds' "$(spins OMP_DISPLAY_ENV=verbose "$STEP0")" 1000
equal 'whatever the environment has' "$(spins -u PATH -u PWD OMP_DISPLAY_ENV=verbose "$STEP0")" 1000
check 'unless the user decides' [ "$(spins OMP_DISPLAY_ENV=verbose OMP_WAIT_POLICY=active "$STEP0")" -gt 1000000 ]
equal 'an empty environment is left empty' "$(env -i "$STEP0" version)" "$("$STEP0" version)"

# Behind the constructors every variable is as it was.
if ! is_sanitized; then    # a sanitizer refuses what is loaded before it
    echo '#include <stdio.h>
extern char **environ;
__attribute__((destructor)) static void show(void) { for (char **e = environ; *e; e++) dprintf(2, "%s\n", *e); }' >show.c
    gcc -shared -fPIC -o show.so show.c
    equal 'the environment of the program' "$(env -u _ LD_PRELOAD="$PWD/show.so" "$STEP0" version 2>&1 >/dev/null | grep -v '^LD_PRELOAD=' | sort)" "$(env -u _ cat /proc/self/environ | tr '\0' '\n' | sort)"
fi
