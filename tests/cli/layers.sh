#!/usr/bin/env bash
# The rules of tests/layers.sh hold; and it notices where they are broken.
. "$(dirname "$0")/lib.bash"
[ -e "$root/Makefile" ] || skip 'no sources here'
check 'layers' "$root/tests/layers.sh" "$root"

# broken FILE LINE WHY: a copy of the sources with a line more is refused, and that is said
broken() {
    mkdir -p copy/.ci
    cp -r "$root"/{model,data,train,Makefile} copy
    touch copy/.ci/run
    echo "$2" >>"copy/$1"
    ! "$root/tests/layers.sh" copy >"$scratch/stdout" 2>&1 || fail "not noticed in $1: $2"
    contains "what is wrong in $1" "$(cat "$scratch/stdout")" "$3"
    rm -rf copy
}
broken model/gpt.c '#include "../train/config/config.h"' 'against the order'
broken model/param.h '#include "../data/corpus.h"' 'against the order'
broken data/corpus.c '#include "../train/out.h"' 'against the order'
broken model/base.h '#include "gpt.h"' 'a cycle'
broken train/config/config.h '#include "../run/train.c"' 'a .c file is included'
broken model/gpt.c 'void f(void) { cblas_sgemm(); }' cblas
broken train/config/config.c '#include <cJSON.h>' cJSON
broken model/scheme.c 'muParserHandle_t p = mupCreate(0);' mup
broken model/init.c '#include <Random123/philox.h>' philox
broken Makefile 'CFLAGS += -ffast-math' 'removes checks'
