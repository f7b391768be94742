#!/usr/bin/env bash
# Bad input: one message each that names place and value, status 1 (2 for a wrong command line), nothing made or touched.
. "$(dirname "$0")/lib.bash"

# bad PARTS CONFIG: a config file that is refused.
bad() {
    printf '%s' "$2" >c.json
    refuses 1 "$1" train c.json
}

good() {
    printf '%s' "$2" >c.json
    check "$1: $(head -c 100 c.json)" "$STEP0" train c.json data.chars=3000 --dry-run >"$scratch/stdout" 2>&1
}

long=$(repeat x 5000)
printf 0123456789%.0s {1..40} >t400
for n in 20 32 33; do head -c $n t400 >t$n; done
: >empty

# --- every key with a value that it cannot have (test_config_errors has many more) ---

while read -r key type low high open; do
    group=${key%.*} leaf=${key##*.}
    case $type in
        integer | number | boolean) value='"4"' ;;
        choice | object | string*) value=true ;;
        *) fail "key $key has a type that this test does not know: $type" ;;
    esac
    if [ "$key" = "$leaf" ]; then bad "c.json:1:2: |\"$key\"|$value" "{\"$key\": $value}"
    else bad "c.json:1:$((${#group} + 7)): |\"$key\"|$value" "{\"$group\": {\"$leaf\": $value}}"; fi
done < <(keys)
bad 'data.text' '{"data": {"text": ["33", 5]}}'
bad 'data.text' '{"data": {"text": [["33"]]}}'
bad 'c.json:1:11|too large' '{"seed":  1e999}'
bad "c.json:1:11|60 digits" "{\"seed\":  $(repeat 9 5000)}"

# --- keys that are not there ---

bad 'c.json:1:11|"train.learing_rate"|did you mean "train.lr"' '{"train":{"learing_rate":0.1,"lr":1e-3}}'
bad 'c.json:1:2|"learing_rate"|did you mean "train.lr"' '{"learing_rate":0.1}'
bad 'c.json:1:2|"lr"|did you mean "train.lr"' '{"lr":0.1}'
bad 'c.json:1:11|"model.lr"|did you mean "train.lr"' '{"model":{"lr":0.1}}'
bad 'c.json:1:11|"train.LR"|did you mean "train.lr"' '{"train":{"LR":0.1}}'
bad 'c.json:1:2|"Train"|did you mean "train"' '{"Train":{"lr":0.1}}'
bad 'c.json:1:11|"train.warmup"|did you mean "train.warmup_steps"' '{"train":{"warmup":5}}'
bad 'c.json:1:2|"train.lr"|{"train": {"lr"' '{"train.lr":0.1}'
bad 'c.json:1:20|"train.x"' '{"train": {"lr": 1,"x":1}}'
bad 'c.json:1:2|""' '{"":1}'
bad 'c.json:1:2|unknown key' "{\"$long\":1}"
bad 'c.json:1:2|"train" is a group' '{"train":0.1}'
bad 'c.json:2:1|"seed" stands twice' '{"seed": 1,
"seed": 2}'
bad 'c.json:1:27|"train" stands twice' '{"train":{"lr":1},        "train":{"lr":2}}'
bad 'c.json:1:1|an object, not an array' '[]'
bad 'c.json:1:1|an object, not null' 'null'
bad 'c.json:1:1|an object, not a string' '"text"'

# --- text that is not JSON ---

bad 'c.json:2:18|no comma after the last value' '{
 "train":{"lr":1,}}'
bad 'c.json:1:11|no comma after the last value' '{"seed":1,}'
bad 'c.json:1:22|no comma after the last value' '{"data":{"text":["a",]}}'
bad 'c.json:3:3|no comments|// a note' '{"train":{"lr":1},

  // a note
"seed":1}'
bad 'c.json:1:13|no comments|/* note */' '{"seed": 1, /* note */ "name": "x"}'
bad 'c.json:1:1|no comments' '# note
{}'
bad "c.json:1:2|double quotes" "{'seed':1}"
bad "c.json:1:9|double quotes" "{\"name\":'x'}"
bad 'true, false and null' '{"seed":None}'
bad 'true, false and null' '{"seed":True}'
bad 'no NaN' '{"seed":NaN}'
bad 'not a number of JSON' '{"seed":.5}'
bad 'not a number of JSON' '{"seed":5.}'
bad 'not a number of JSON' '{"seed":+5}'
bad 'not a number of JSON' '{"seed":05}'
bad 'c.json:1:10' '{"seed":0x10}'
bad 'c.json:1:10' '{"seed":6_000}'
bad 'c.json:1:10' '{"seed":1e}'
bad 'c.json:1:9|ends too early' '{"seed":'
bad 'c.json:1:18|ends too early' '{"train":{"lr":1}'
bad 'c.json:1:|{"seed' '{"seed'
bad 'ends too early' ''
bad 'ends too early' '   '
bad 'c.json:1:12|text after the end' '{"seed":1} x'
bad 'c.json:2:1|text after the end' '{"seed":1}
{}'
bad 'c.json:1:11|' '{"seed" : ,}'
bad 'c.json:1:11|not valid JSON' '{"seed":1 "name":"x"}'
bad 'c.json:1:1|byte-order mark' $'\xef\xbb\xbf{}'
bad 'c.json:1:10|UTF-8' $'{"name":"\xff"}'
bad 'c.json:1:11|control character' $'{"name":"a\tb"}'
bad 'c.json:1:11|cannot stand' '{"name":"a\u0000b"}'
bad 'c.json:1:' "$(repeat '[' 100000)"
printf '{"seed": 1}\0' >c.json
refuses 1 'c.json:1:12|NUL' train c.json
good 'line ends of Windows' $'{\r\n"seed": 1\r\n}\r\n'
good '$schema' '{"$schema": "x"}'
good 'escapes' '{"name": "\u00e9\"x"}'
refuses 1 "$PWD/missing.json" train missing.json
refuses 1 "$PWD/no/missing.json" train no/missing.json
refuses 1 '. is a folder; a config is a file' train .
equal 'of a folder without a run nothing more' "$("$STEP0" train . 2>&1)" 'step0: . is a folder; a config is a file'
mkdir ran && : >ran/resolved.json
refuses 1 "ran is a folder; a config is a file, and a run's is ran/resolved.json" train ran
head -c 17000000 /dev/zero | tr '\0' ' ' >c.json
refuses 1 "$PWD/c.json has 17000000 bytes|at most 16777216" train c.json
printf '{"name": "x"' >c.json
for ((i = 0; i < 50000; i++)); do printf ',"k%d":1' $i; done >>c.json
printf '}' >>c.json
refuses 1 'c.json:1:14: unknown key "k0"' train c.json

# --- overrides ---

refuses 1 'train.lr=3e-4' train train.lr
refuses 1 'key=value' train =5
refuses 1 '"train.lr"|""' train train.lr=
refuses 1 '"train.lr"|nan' train train.lr=nan
refuses 1 '"trian.lr"|did you mean "train.lr"' train trian.lr=1
refuses 1 'unknown key' train "$long=1"
refuses 1 '"train=3"|"train" is a group of keys|train.steps' train train=3
refuses 1 '"train.lr"|above 0' train train.lr=-1
refuses 1 '"seed"|9007199254740991' train seed=9007199254740992
refuses 1 '"train.eps"|at least 1e-37' train train.eps=1e-300
refuses 1 'init.params.std=x|"std" is a number, not a string' train init.params.std=x
refuses 1 'init.params.sdt=1|gpt2 has no parameter "sdt"|has std' train init.params.sdt=1
for several in train.lr=1e-3,3e-3 seed=1,2 model.norm=pre,post model.bias=true,false init.scheme=gpt2,bert 'train.lr=[1e-3,3e-3]'; do
    refuses 1 "${several%%=*}|several values are for \`step0 sweep\`" train "$several"
done
refuses 1 'init.params:1:10|twice' train 'init.params={"std":1,"std":2}'
refuses 1 '"init.params."' train init.params.=5
refuses 1 'std|-1|not negative' train init.params.std=-1
refuses 1 'init.rules.wppe|"wppe"|did you mean wpe' train 'init.rules.wppe={"normal":"0.1"}'
refuses 1 'init.rules.wpe:1:2|"normale"|did you mean normal' train 'init.rules.wpe={"normale":"0.1"}'
refuses 1 'init.rules.wpe|a number' train init.rules.wpe=0.1
refuses 1 "$PWD/none" train data.text=none
refuses 1 "$PWD" train data.text=.

# --- schemes ---

schemes=$("$STEP0" schemes | awk '/^$/ { exit } { print $1 }')
for wrong in xaiver_uniform:xavier_uniform GPT2:gpt2 gtp2:gpt2 he-normal:he_normal ortogonal:orthogonal; do
    refuses 1 "\"${wrong%:*}\"; did you mean \"${wrong#*:}\"" train "init.scheme=${wrong%:*}"
    refuses 1 "\"${wrong%:*}\"; did you mean \"${wrong#*:}\"" schemes "${wrong%:*}"
done
refuses 1 "\"\"|$(echo $schemes)" train init.scheme=
refuses 1 "xxx\"; known are|$(echo $schemes)" train "init.scheme=$long"
refuses 1 "$PWD/none.json" train init.scheme=none.json
refuses 1 "$PWD/none" train init.scheme=./none

# scheme PARTS TEXT: a scheme file that is refused; its place is given.
scheme() {
    printf '%s' "$2" >s.json
    refuses 1 "$1" train init.scheme=s.json
}
ok='"weights":{"*":{"normal":"0.02"}}'
scheme 's.json:1:1|needs "weights"' '{}'
scheme 's.json:1:1|an array' '[]'
scheme 's.json:1:2|"weight"|did you mean weights' "{\"weight\":{},$ok}"
scheme 's.json:1:2|cannot be an array' '{"weights":[]}'
scheme 's.json:1:36|"about"' "{$ok,\"about\":1}"
scheme 's.json:1:12|no comma' '{"about":1,}'
scheme 's.json:1:13|"wtee"|did you mean wte' '{"weights":{"wtee":{"normal":"1"}}}'
scheme 's.json:2:1|"attn.qq"|did you mean attn.q' '{"weights":{"*":{"normal":"0.02"},
"attn.qq":{"normal":"1"}}}'
for known in n_layer n_head n_embd n_inner head_dim block_size vocab_size fan_in fan_out pi layer sqrt ln exp min max; do
    scheme "s.json:1:46|\"$known\" is a name" "{$ok,\"params\":{\"$known\":1}}"
done
for name in 'a b' '1a' '' 'é' 'a-b'; do scheme "s.json:1:46|cannot name" "{$ok,\"params\":{\"$name\":1}}"; done
scheme 's.json:1:46|"a" is a number, not a string' "{$ok,\"params\":{\"a\":\"1\"}}"
scheme 's.json:1:45|no "foo"' "{$ok,\"model\":{\"foo\":1}}"
scheme 's.json:1:45|"model.n_embd" is "x"' "{$ok,\"model\":{\"n_embd\":\"x\"}}"
refuses 1 'model.tie_embeddings is true|zero_head|false' train init.scheme=zero_head model.tie_embeddings=true
check 'zero_head without the key' "$STEP0" train init.scheme=zero_head data.chars=3000 --dry-run >"$scratch/stdout" 2>&1

# rule PARTS RULE [SELECTOR]: in a scheme's file, on line 2
rule() {
    local other=$([ "${3:-}" = '*' ] && echo attn || echo '*')
    printf '{"params": {"std": 0.02}, "weights": {"%s": {"normal": "std"},\n"%s": %s}}' "$other" "${3:-wpe}" "$2" >s.json
    refuses 1 "s.json:2:|$1" train init.scheme=s.json
}
rule '"normale"|did you mean normal' '{"normale":"1"}'
rule 'one rule is needed|"normal" and "uniform"' '{"normal":"1","uniform":"1"}'
rule '"cut"|truncated_normal' '{"truncated_normal":"1"}'
rule '"cut"|truncated_normal' '{"normal":"1","cut":"2"}'
rule 'names no distribution' '{"cut":"2"}'
rule 'names no distribution' '{}'
rule 'an object' '"0.02"'
rule 'formula in quotes' '{"normal":true}'
rule '{"zeros": true}' '{"zeros":"1"}'
rule '{"zeros": true}' '{"zeros":false}'
rule 'for matrices|ln_f.gain' '{"orthogonal":"1"}' ln_f.gain
rule 'for matrices|"bias"' '{"orthogonal":"1"}' bias
rule 'cut of 0' '{"truncated_normal":"1","cut":"0"}'
rule 'cut is not negative' '{"truncated_normal":"1","cut":"-2"}'
rule 'unknown name "layer"' '{"normal":"std*layer"}'
rule 'unknown name "layer"' '{"normal":"std*layer"}' '*'
check 'layer inside a block' "$STEP0" train 'init.rules.attn.q={"normal":"std/layer"}' data.chars=3000 --dry-run >"$scratch/stdout" 2>&1

# formula PARTS FORMULA: one that has no value, or a negative one; the parts name it and the position.
formula() { rule "formula \"$2\"|$1" "{\"normal\":\"$2\"}"; }
formula 'end of expression at position 6 ' '0.1 +'
formula 'not 2 separated by commas' '0,02'
formula 'unknown name "fan_im" at position 8|fan_in' 'sqrt(2/fan_im)'
formula 'unknown name "sin" at position 1' 'sin(1)'
formula 'empty' ''
formula '"2" at position 3' '1 2'
formula "';' at position 2" '1;2'
formula "'<' at position 2" '1<2'
formula "'?' at position 2" '1?2:3'
formula "'=' at position 4" 'std=5'
formula "'x' at position 2" '0x10'
formula "'s' at position 2" '2std'
formula '"1e" at position 1' '1e'
formula 'parenthesis at position 3' '(1'
formula '")" at position 2' '1)'
formula 'Too few parameters' 'sqrt()'
formula 'Too many parameters' 'sqrt(1,2)'
formula 'gives inf' '1/0'
formula 'gives nan' 'ln(-1)'
formula 'gives inf' '2^1000000'
formula 'not negative' '0-std'
formula 'at most 1e30' '1e31'
rule 'at most 1000' "{\"normal\":\"$(repeat '(' 3000)1$(repeat ')' 3000)\"}"
rule 'position' "{\"normal\":\"$(repeat '(' 400)1\"}"
rule 'inf' '{"normal":"1/(n_embd-128)"}'
rule 'gives -1 for attn.q in layer 1|not negative' '{"normal":"1/(layer-2)"}' attn.q
refuses 1 'init.from is' schemes gpt2 init.from=none

# --- what is no regular file, wherever one is read: no waiting, no end ---

mkfifo pipe
ln -s nowhere dangling
ln -s loop loop
mkdir folder
sockets=
if perl -MIO::Socket::UNIX -e 'IO::Socket::UNIX->new(Local => "socket", Listen => 1) or die' 2>/dev/null; then sockets=socket:socket; fi
for odd in pipe:pipe $sockets folder:folder /dev/zero:device /dev/null:device /dev/full:device; do
    path=${odd%:*}
    refuses 1 "$(realpath "$path") is not a regular file but a ${odd#*:}" train data.text="$path"
    refuses 1 "$(realpath "$path") is not a regular file but a ${odd#*:}" train init.scheme="$(realpath "$path")"
    if [ "$path" = folder ]; then refuses 1 'folder is a folder; a config is a file' train "$path"
    else refuses 1 "$(realpath "$path") is not a regular file but a ${odd#*:}" train "$path"; fi
done
for odd in './dangling:No such file' './loop:symbolic links' './folder/none:No such file' './pipe/none:Not a directory' "./$(repeat n 300):name too long"; do
    for word in data.text= init.scheme= ''; do refuses 1 "cannot open|${odd#*:}" train "$word${odd%:*}"; done
done
if [ "$(id -u)" -ne 0 ]; then
    : >secret
    chmod 000 secret
    for word in data.text= init.scheme=./ ''; do refuses 1 "$PWD/secret|Permission denied" train "${word}secret"; done
fi
for key in data.text init.scheme init.from; do refuses 1 "\"$key=./nnn|at most 4095" train "$key=./$(repeat n 5000)"; done
refuses 1 'cannot open|name too long' train "./$(repeat n 5000)"
if truncate -s 1T sparse; then
    refuses 1 'GiB|text' train data.text=sparse
    refuses 1 'GiB' train 'data.text=["sparse", "t400"]'
    refuses 1 '1099511627776 bytes|at most 16777216' train sparse
    refuses 1 '1099511627776 bytes|at most 16777216' train init.scheme=./sparse
fi

# --- texts ---

small=(model.block_size=32 train.steps=2 model.n_embd=16)
refuses 1 "$PWD/empty|0 bytes" train "${small[@]}" data.text=empty
refuses 1 '20 tokens|block_size 32|at least 33|block_size to 19' train "${small[@]}" data.text=t20 data.val_fraction=0
refuses 1 '18 tokens|at least 33|val_fraction' train "${small[@]}" data.text=t20
refuses 1 '32 tokens|at least 33|block_size to 31' train "${small[@]}" data.text=t32 data.val_fraction=0
refuses 1 '20 tokens to validate|at least 33|val_fraction to 0.085' train "${small[@]}" data.text=t400 data.val_fraction=0.05
refuses 1 'at least 65' train data.chars=1
refuses 1 '10 tokens to validate|add text or set data.val_fraction to 0' train data.chars=100
train runs33 "${small[@]}" data.text=t33 data.val_fraction=0
train runs400 "${small[@]}" data.text=t400 data.val_fraction=0.085

# --- keys that do not fit together ---

refuses 1 'model.n_head is 4|30|3 or 5' train model.n_embd=30
refuses 1 'model.n_head is 48|12|swapped' train model.n_embd=12 model.n_head=48
refuses 1 'warmup_steps is 41|40' train train.steps=40 train.warmup_steps=41
refuses 1 'min_lr is 0.1|0.001' train train.min_lr=0.1
refuses 1 'decay_steps is 41|40' train train.steps=40 train.schedule=wsd train.decay_steps=41
for edge in 'steps=4 train.warmup_steps=4' 'steps=4 train.warmup_steps=0' steps=1 'steps=1 train.warmup_steps=1' 'steps=4 train.warmup_steps=3'; do
    for schedule in cosine linear constant; do
        train edge "${tiny[@]}" train.$edge train.schedule=$schedule --overwrite
        equal "learning rates of $edge $schedule that are not above 0" "$(awk -F, 'NR > 1 && $4 != "" && !($4 > 0 && $4 < 1)' edge/metrics.csv)" ''
    done
done
ASAN_OPTIONS=${ASAN_OPTIONS:-}:allocator_may_return_null=1 refuses 1 'GiB|this machine has|take model.n_embd=' train model.n_embd=1000000

# --- weights from a folder ---

fixture=$root/tests/parity/tied_gelu_cosine
cp -r "$fixture" hf
weights=$fixture/model.safetensors size=$(stat -c %s "$fixture/model.safetensors")
from() { refuses 1 "$1" train hf/step0.json init.from=hf; }
check 'the fixture itself' "$STEP0" train hf/step0.json --dry-run >"$scratch/stdout" 2>&1
head -c $((size / 2)) "$weights" >hf/model.safetensors && from "$PWD/hf/model.safetensors|damaged"
head -c $((size - 1)) "$weights" >hf/model.safetensors && from 'damaged'
(cat "$weights"; echo) >hf/model.safetensors && from 'damaged'
head -c 20 "$weights" >hf/model.safetensors && from 'truncated'
head -c 7 "$weights" >hf/model.safetensors && from '7 bytes'
: >hf/model.safetensors && from '0 bytes'
seq 10000 >hf/model.safetensors && from 'not a safetensors file'
(head -c 7 "$weights"; printf '\x7f'; tail -c +9 "$weights") >hf/model.safetensors && from 'not a safetensors file'
for at in 9 12 40 60 100; do
    (head -c $((at - 1)) "$weights"; printf '\x01'; tail -c +$((at + 1)) "$weights") >hf/model.safetensors
    from 'hf/model.safetensors'
done
LC_ALL=C sed '1s/"F32"/"F64"/' "$weights" >hf/model.safetensors && from 'F64|F32'
LC_ALL=C sed '1s/"F32"/"F3"/' "$weights" >hf/model.safetensors && from 'hf/model.safetensors'
rm hf/model.safetensors && from "$PWD/hf has no model.safetensors"
cp "$weights" hf && printf '{"model_type":' >hf/config.json && from 'hf/config.json:1:'
rm hf/config.json && from 'hf/config.json'
refuses 1 "there is no folder $PWD/none" train init.from=none
cp "$fixture/config.json" hf
refuses 1 'model.n_embd' train hf/step0.json init.from=hf model.n_embd=100

# --- the run's folder ---

train done "${tiny[@]}"
mkdir other
echo mine >other/note
echo mine >file
refuses 1 "$PWD/done|finished|--overwrite" train "${tiny[@]}" --out done
refuses 1 "$PWD/other|not empty" train "${tiny[@]}" --out other
refuses 1 "$PWD/other|not empty" train "${tiny[@]}" --out other --overwrite
refuses 1 "$PWD/file|a file" train "${tiny[@]}" --out file
refuses 1 "$PWD/file|a file" train "${tiny[@]}" --out file --overwrite
refuses 1 'the folder file|a file of that name' train "${tiny[@]}" --out file/run
mkdir empty_folder
train empty_folder "${tiny[@]}"
train new/parents/run "${tiny[@]}"
before=$(curve done)
train done "${tiny[@]}" seed=2 --overwrite
[ "$before" != "$(curve done)" ] || fail '--overwrite left the old curve'
if [ "$(id -u)" -ne 0 ]; then
    mkdir -m 555 closed
    refuses 1 'closed|Permission denied' train "${tiny[@]}" --out closed/run
    refuses 1 'closed|Permission denied' train "${tiny[@]}" --out closed
fi

# --- the command line ---

refuses 2 '"trian"|did you mean "train"' trian
refuses 2 '"foo"|step0 help' foo
refuses 2 '""' ''
refuses 2 '--foo|unknown flag' train --foo
refuses 2 '-q|unknown flag' train -q
refuses 2 'unknown flag' train --
refuses 2 '--dry-run=yes|no value' train --dry-run=yes
refuses 2 '--threads|needs a value' train --threads
refuses 2 '--out|needs a value' train --out
for flag in train.--out compare.--svg compare.--html compare.--csv compare.--reference sweep.--jobs probe.--csv sample.--tokens; do
    refuses 2 "${flag#*.}|needs a value" "${flag%.*}" a "${flag#*.}" ''
    refuses 2 "${flag#*.}|needs a value" "${flag%.*}" a "${flag#*.}="
    refuses 2 "${flag#*.}|needs a value" "${flag%.*}" a "${flag#*.}" "${flag#*.}"
done
refuses 2 '--out: needs a value' train --out --quiet
refuses 2 '--prompt: needs a value' sample a --prompt --tokens 5
for command in train sweep probe bench sample eval compare schemes; do refuses 2 'an empty operand' $command ''; done
refuses 2 '--out|unknown flag' schemes --out x
refuses 2 'b: one operand too many' train a b
refuses 2 'too many' info x
refuses 2 'too many' version x
refuses 2 'too many' help config schema
refuses 2 '"confg"' help confg
refuses 2 'b: one operand too many' schemes gpt2 a b
refuses 1 'the whole catalogue|leave gpt2 out' schemes gpt2 --markdown
refuses 1 'init.scheme is given twice|gpt2' schemes gpt2 init.scheme=bert
refuses 1 '"model.n_embd=32"|step0 schemes gpt2 model.n_embd=32' schemes model.n_embd=32
for n in 0 -1 x 2x 1.5 99999 1e2; do refuses 1 "--threads|\"$n\"|from 1 to" train "${tiny[@]}" --threads "$n"; done
refuses 2 'x86-64-v4|x86-64-v3' train --cpu x86-64-v4
if grep -qw avx2 /proc/cpuinfo && grep -qw fma /proc/cpuinfo; then
    OPENBLAS_CORETYPE=Nehalem refuses 1 'Haswell|OPENBLAS_CORETYPE|"Nehalem"' train "${tiny[@]}" --cpu x86-64-v3
    check '--cpu with the variable in accord' env OPENBLAS_CORETYPE=Haswell "$STEP0" info --cpu x86-64-v3 >"$scratch/stdout" 2>&1
fi
if [ "$(uname -m)" = x86_64 ]; then OPENBLAS_CORETYPE=None refuses 1 'OPENBLAS_CORETYPE|"None"' train "${tiny[@]}"; fi
status=0
"$STEP0" >"$scratch/stdout" 2>"$scratch/stderr" || status=$?
equal 'status without a command' $status 2
contains 'help without a command' "$(cat "$scratch/stderr")" 'step0 train'
