#!/usr/bin/env bash
# The rules of tests/layers.sh hold; and it notices where they are broken.
. "$(dirname "$0")/lib.bash"
[ -e "$root/Makefile" ] || skip 'no sources here'
check 'layers' "$root/tests/layers.sh" "$root"

# broken FILE LINE: a copy of the sources with a line more is refused
broken() {
    mkdir -p copy/.ci
    cp -r "$root"/{model,data,train,Makefile} copy
    touch copy/.ci/run
    echo "$2" >>"copy/$1"
    ! "$root/tests/layers.sh" copy >"$scratch/stdout" 2>&1 || fail "not noticed in $1: $2"
    rm -rf copy
}
broken model/gpt.c '#include "../train/config.h"'
broken model/param.h '#include "../data/corpus.h"'
broken data/corpus.c '#include "../train/out.h"'
broken model/base.h '#include "gpt.h"'
broken train/config/config.h '#include "../run/train.c"'
broken model/gpt.c 'void f(void) { cblas_sgemm(); }'
broken train/config/config.c '#include <cJSON.h>'
broken model/scheme.c 'muParserHandle_t p = mupCreate(0);'
broken model/init.c '#include <Random123/philox.h>'
broken Makefile 'CFLAGS += -ffast-math'
