#!/usr/bin/env bash
# Which OpenBLAS kernel runs and who chose it; under emulated processors where qemu-user is installed.
. "$(dirname "$0")/lib.bash"
[ "$(uname -m)" = x86_64 ] || skip "kernels of x86-64"
is_sanitized && skip "no emulation under a sanitizer"
kernel() { "$@" 2>/dev/null | sed -n 's/^kernel *//p'; }

own=$(kernel "$STEP0" info)
contains "by default somebody chose" "$own" "chosen by"
contains "a variable set by the user is respected" "$(OPENBLAS_CORETYPE=Prescott kernel "$STEP0" info)" "Prescott, chosen by OPENBLAS_CORETYPE"
if grep -q avx2 /proc/cpuinfo; then
    contains "with a notice where it is slow" "$(OPENBLAS_CORETYPE=Prescott "$STEP0" info 2>&1)" "below this processor"
    contains "--cpu pins Haswell" "$(kernel "$STEP0" info --cpu x86-64-v3)" "Haswell, chosen by --cpu"
    OPENBLAS_CORETYPE=Prescott refuses 1 'OPENBLAS_CORETYPE is "Prescott"|unset it' info --cpu x86-64-v3
fi
OPENBLAS_CORETYPE=Nonsense refuses 1 'OPENBLAS_CORETYPE is "Nonsense"' info
grep -q avx512f /proc/cpuinfo || OPENBLAS_CORETYPE=SkylakeX refuses 1 'SkylakeX|instructions this processor lacks' info

# A false OpenBLAS that takes an old kernel by itself, and a better one that computes right, wrong, or not at all.
gcc -shared -fPIC -O1 -Wl,-soname,libopenblas.so.0 -o libopenblas.so.0 "$root/tests/cli/openblas.c"
with_false() { FAKE=$1 LD_LIBRARY_PATH=$PWD "${@:2}"; }
if grep -q avx2 /proc/cpuinfo; then
    contains "a better kernel that computes right is taken" "$(kernel with_false right "$STEP0" info)" "chosen by step0"
    for way in wrong signal; do
        contains "a better kernel that ends in '$way' is not" "$(kernel with_false $way "$STEP0" info)" "Prescott, chosen by OpenBLAS"
        contains "and it is said" "$(with_false $way "$STEP0" info 2>&1)" "below this processor"
    done
fi
FAKE=all-wrong LD_LIBRARY_PATH=$PWD refuses 1 "kernel Prescott computes wrong products|OPENBLAS_CORETYPE" train "${tiny[@]}" --out never

[ -n "${STEP0_HEAVY:-}" ] || skip "emulated processors take a while: STEP0_HEAVY=1"
command -v qemu-x86_64 >/dev/null || skip "qemu-user is not installed"
emulated() { qemu-x86_64 -cpu "$@"; }
leaves=$root/build/tests/leaves
if [ -x "$leaves" ]; then
    "$leaves" >leaves
    equal "lines of leaves" "$(wc -l <leaves)" 30
    for cpu in qemu64 Nehalem Haswell; do equal "clones of the leaves on $cpu" "$(emulated $cpu "$leaves" 2>/dev/null)" "$(cat leaves)"; done
fi
# A Haswell of a model number that OpenBLAS 0.3.21 does not know: it takes Prescott by itself.
contains "a choice below the processor is mended" "$(kernel emulated Haswell,model=207 "$STEP0" info)" "Haswell"
contains "an older processor keeps its kernel" "$(kernel emulated Nehalem "$STEP0" info)" "Nehalem, chosen by OpenBLAS"
said=$(emulated Nehalem "$STEP0" info --cpu x86-64-v3 2>&1) && fail "--cpu on a processor without AVX2 is taken"
contains "--cpu there" "$said" "needs a processor with AVX2 and FMA"

# The same bits on another processor with AVX2, weights and metrics.
train here "${tiny[@]}" --cpu x86-64-v3 --threads 1
for cpu in Haswell EPYC-Milan; do
    emulated $cpu "$STEP0" train "${tiny[@]}" --cpu x86-64-v3 --threads 1 --out "on_$cpu" --quiet 2>said || fail "on $cpu: $(cat said)"
    equal "metrics on $cpu" "$(curve "on_$cpu")" "$(curve here)"
    check "weights on $cpu" cmp here/checkpoint/model.safetensors "on_$cpu/checkpoint/model.safetensors"
done

# Stopped on one processor, resumed on the other.
steady=("${tiny[@]}" train.schedule=constant --cpu x86-64-v3 --threads 1)
train whole "${steady[@]}"
train stopped "${steady[@]}" train.steps=3
emulated Haswell "$STEP0" train "${steady[@]}" --out stopped --resume --quiet 2>said || fail "resumed on Haswell: $(cat said)"
check "weights after a change of the processor" cmp whole/checkpoint/model.safetensors stopped/checkpoint/model.safetensors
equal "metrics after it" "$(curve stopped)" "$(curve whole)"
