#!/usr/bin/env bash
# Damaged and hostile files of a run, from every command that reads them: one message that names the file and the reason,
# nothing of the run touched, never fresh weights in the place of those asked for.
. "$(dirname "$0")/lib.bash"

train run "${tiny[@]}" eval.every=3
cp -r run sound
inside=run/checkpoint
weights=$inside/model.safetensors
from=(data.chars=20000 train.steps=1 init.from=run)

# mend: the run as it was.
mend() { rm -rf run && cp -r sound run; }

# each PART [COMMAND...]: the commands refuse; without names, resume and sample.
each() {
    local part=$1
    shift
    [ $# -gt 0 ] || set -- resume sample
    for command; do
        case $command in
            resume) refuses 1 "$part" train --out run --resume ;;
            train | probe) refuses 1 "$part" $command "${from[@]}" ;;
            *) refuses 1 "$part" $command run ;;
        esac
    done
}

flip() { # FILE BYTE: one bit of it.
    local byte
    byte=$(od -An -t u1 -j "$2" -N 1 "$1")
    printf "\\x$(printf %x $((byte ^ 1)))" | dd of="$1" bs=1 seek="$2" conv=notrunc status=none
}

flip $weights 3000
each 'run/checkpoint|/model.safetensors: damaged or changed' resume sample eval train probe
mend

# What a copy without its links leaves is mended from whole files alone, and nothing goes for one that cannot be read.
listed() { (cd run && find . -type f -exec sha256sum {} + | sort); }
kept=run/$(readlink run/checkpoint)
for damage in 'printf x >>$kept/state.json' ': >$kept/state.json' 'flip $kept/state.json 30'; do
    rm run/checkpoint
    eval "$damage"
    before=$(listed)
    refuses 1 "$kept/state.json" train --out run --resume train.steps=20
    equal "nothing goes after $damage" "$(listed)" "$before"
    mend
done
for kind in checkpoint best; do
    for damage in 'truncate -s -1' rm; do
        rm -r run
        cp -rL sound run
        $damage run/$kind/model.safetensors
        before=$(listed | grep " ./$kind")
        status=0
        said=$("$STEP0" train --out run --resume train.steps=20 2>&1) || status=$?
        equal "status with a damaged $kind in place of its link" $status 1
        contains "which is named" "$said" "run/$kind/model.safetensors"
        equal "the whole $kind beside a damaged one" "$(listed | grep " ./$kind")" "$before"
        mend
    done
done

# Another run's checkpoint, though whole, does not pass for its own: beside it, in the place of its folder, of its link.
train other "${tiny[@]}" seed=2
rm run/checkpoint
for copy in 'cp -r other/checkpoint-6 run/checkpoint-9' 'rm -r $kept && cp -r other/checkpoint-6 $kept' 'cp -rL other/checkpoint run/checkpoint'; do
    eval "$copy"
    before=$(listed)
    refuses 1 'of another run' train --out run --resume train.steps=20
    equal "nothing goes after $copy" "$(listed)" "$before"
    mend
    rm run/checkpoint
done
mend

rm run/checkpoint
mv $kept run/checkpoint
cp -r other/checkpoint-6 $kept
refuses 1 'is of another run, and in the place where run/checkpoint belongs' train --out run --resume train.steps=20
mend
again=(train --out run --resume --quiet train.steps=9)
cp -r other/checkpoint-6 run/checkpoint-3
cp -r other/checkpoint-6 run/best-1
"$STEP0" "${again[@]}" 2>/dev/null || fail 'another run beside a whole checkpoint'
check 'which stays' diff -r other/checkpoint-6 run/checkpoint-3
check 'as the best of another run' diff -r other/checkpoint-6 run/best-1
mend
best=run/$(readlink run/best)
rm -r $best && cp -r other/checkpoint-6 $best
refuses 1 'of another run' train --out run --resume train.steps=9
rm -r $best
contains 'a best that is gone is said' "$("$STEP0" "${again[@]}" 2>&1)" "$best is gone, the weights of the lowest validation loss"
mend
sed -i '/"run":/d' run/run.json
refuses 1 'run.json lacks "run"' train --out run --resume train.steps=9
mend

# A checkpoint on another disk: what a link leads to is not emptied, and a disk that is not there ends nothing.
mkdir -p disk
mv $kept disk/
ln -s ../disk/checkpoint-6 $kept
"$STEP0" "${again[@]}" 2>/dev/null || fail 'a checkpoint on another disk'
check 'is still there' diff -r sound/checkpoint-6 disk/checkpoint-6
mend
rm -r $kept run/checkpoint
ln -s ../disk/checkpoint-6 run/checkpoint
mv disk away
refuses 1 'run/checkpoint is a link to a folder that is not there' train --out run --resume train.steps=9
mend
mv $kept run/checkpoint-7
refuses 1 'run/checkpoint-7 is the checkpoint of step 6' train --out run --resume train.steps=9
mend

for file in model.safetensors config.json tokenizer.json; do
    truncate -s -1 $inside/$file
    each "run/checkpoint|/$file: damaged or changed"
    rm $inside/$file
    each 'checkpoint'
    mend
done
flip $inside/optimizer.safetensors 2000
each 'optimizer.safetensors: damaged or changed' resume
check 'weights need no moments' "$STEP0" sample run --tokens 3 >/dev/null
mend
sed -i 's/"step":\t6/"step":\t5/' $inside/state.json
each 'state.json: damaged or changed: its content'
mend
sed -i 's/"format":\t3/"format":\t2/' $inside/state.json
each 'state.json: of format 2'
mend

# --- a run's own config ---
sed -i 's/"n_head":\t2/"n_head":\t4/' run/resolved.json
each 'run/checkpoint|/config.json: n_head is 2|resolved.json has 4' sample eval train probe
mend

# not_resumed PART: a resume with more steps refuses in one message, announces nothing and leaves metrics.csv.
not_resumed() {
    local status=0
    [ ! -f run/metrics.csv ] || cp run/metrics.csv before
    said=$(timeout -k 1 20 "$STEP0" train --out run --resume train.steps=9 --quiet 2>&1) || status=$?
    equal "status of a resume ($1)" $status 1
    contains 'refusal of a resume' "$said" "$1"
    equal "lines of a refused resume ($said)" "$(grep -c . <<<"$said")" 1
    [ ! -f run/metrics.csv ] || equal "metrics.csv ($1)" "$(cat run/metrics.csv)" "$(cat before)"
    mend
}

# --- metrics.csv with rows that do not rise, or as an editor or a spreadsheet saved it ---
sed -i 's/^3,/30,/' run/metrics.csv
not_resumed 'run/metrics.csv:6: damaged: "4,'
sed -i '3s/,0\.0/,0,0/' run/metrics.csv
not_resumed 'run/metrics.csv:3: damaged: 14 columns, but the header has 13'
sed -i 's/,[^,]*$//' run/metrics.csv
sed -i "1s/.*/$(head -n 1 sound/metrics.csv)/" run/metrics.csv
not_resumed 'run/metrics.csv:2: damaged: 12 columns, but the header has 13'
sed -i 's/$/\r/' run/metrics.csv
not_resumed 'run/metrics.csv: its first line is not the header of this run'

sed -i '4d' run/metrics.csv
not_resumed 'run/metrics.csv: damaged: 5 rows before step 6, where the run wrote 6'
sed -i '2,$d' run/metrics.csv
check 'a resume with no row left' "$STEP0" train --out run --resume train.steps=9 --quiet
equal 'first row after it' "$(sed -n '2s/,.*//p' run/metrics.csv)" 6
(head -n 7 sound/metrics.csv; tail -n +2 run/metrics.csv) >joined
cp joined run/metrics.csv
check 'a resume with more rows than the run wrote, put back by hand' "$STEP0" train --out run --resume train.steps=10 --quiet
equal 'which stay' "$(head -n 10 run/metrics.csv)" "$(head -n 10 joined)"
mend
printf 'garbage\n\n3,\n' >>run/metrics.csv
check 'a resume with damage behind the last row' "$STEP0" train --out run --resume train.steps=9 --quiet
equal 'which goes' "$(cut -d, -f1 run/metrics.csv | tail -n 4 | xargs)" '6 7 8 9'
mend

# --- a pipe in the place of a file: nobody waits for its other end ---
for file in samples.txt metrics.csv resolved.json; do
    rm -f run/$file before
    mkfifo run/$file
    not_resumed "$file is not a regular file but a pipe"
done
mkfifo run/samples.txt.step0-new
ln -s ../mine run/run.json.step0-new
echo mine >mine
said=$(timeout -k 1 20 "$STEP0" train --out run --resume train.steps=9 --quiet 2>&1) || fail "a pipe beside samples.txt: $said"
equal 'what a link beside run.json named' "$(cat mine)" mine
check 'samples.txt' test -f run/samples.txt -a ! -L run/run.json
mend

# --- without checksums, as a Hugging Face folder has it ---
cp -rL $inside hf
rm hf/state.json hf/optimizer.safetensors
check 'a folder without checksums' "$STEP0" sample hf --tokens 3 >/dev/null
cp -r hf whole
# folder PART [COMMAND]: sample, or another command, refuses it.
folder() {
    case ${2-sample} in
        sample) refuses 1 "$1" sample hf ;;
        *) refuses 1 "$1" "$2" data.chars=20000 train.steps=1 init.from=hf ;;
    esac
    rm -r hf && cp -r whole hf
}

# claim KEY VALUE: config.json says so.
claim() { sed -i "s/\"$1\":\t[^,]*/\"$1\":\t$2/" hf/config.json; }

printf '\0\0\0\0\0\0\0\x80' | dd of=hf/model.safetensors bs=1 conv=notrunc status=none && folder 'hf/model.safetensors|9223372036854775808 bytes'
printf '\0\xe1\xf5\x05\0\0\0\0' | dd of=hf/model.safetensors bs=1 conv=notrunc status=none && folder 'hf/model.safetensors|100000000 bytes'
truncate -s 1T hf/model.safetensors && folder 'hf/model.safetensors|memory'
printf '\0\0\xc0\x7f' | dd of=hf/model.safetensors bs=1 seek=$(($(stat -c %s hf/model.safetensors) - 4)) conv=notrunc status=none && folder 'hf/model.safetensors|nan at index'
for command in sample train probe; do claim n_layer 10000 && folder 'hf/model.safetensors|too few for the 10000 layers' $command; done
claim n_positions 1000000000 && folder 'hf|block_size'
claim n_positions 1000000 && folder 'hf/model.safetensors|1000000 x 16'
claim n_embd 1000000 && folder 'hf/model.safetensors|60 x 1000000'
for command in sample train probe; do claim n_inner 1000000 && folder 'hf/model.safetensors|16 x 1000000' $command; done
claim n_inner '"wide"' && folder '"n_inner" is a string, but must be a number'
claim n_head 3 && folder 'hf: its n_head 3 does not divide its n_embd 16'
claim n_head 17 && folder 'hf: its n_head 17'
claim n_head 0 && folder 'model.n_head'
claim n_head 2.5 && folder 'model.n_head'
claim vocab_size 1e300 && folder 'a vocabulary of 1e+300'
claim vocab_size 2.5 && folder 'a vocabulary of 2.5'
claim tie_word_embeddings '"no"' && folder '"tie_word_embeddings" is a string, but must be a boolean'
claim activation_function 3 && folder '"activation_function" is a number, but must be a string'
claim layer_norm_epsilon '"1e-5"' && folder '"layer_norm_epsilon" is a string'
claim model_type 3 && folder '"model_type" is a number'

# vocabulary ID...: a tokenizer of such ids.
vocabulary() {
    local name=a line=
    for id in "$@"; do
        line+="${line:+,}\"$name\":$id"
        name=$(printf "\\x$(printf %x $(($(printf %d "'$name") + 1)))")
    done
    printf '{"model":{"type":"BPE","vocab":{%s},"merges":[]}}' "$line" >hf/tokenizer.json
}
vocabulary && folder 'hf/tokenizer.json|0 entries'
vocabulary 0 2 && folder 'hf/tokenizer.json'
vocabulary 0 0 && folder 'hf/tokenizer.json|once each'
vocabulary 0 -1 && folder 'hf/tokenizer.json|once each'
vocabulary 0 1e300 && folder 'hf/tokenizer.json|once each'
vocabulary 0 '"1"' && folder 'hf/tokenizer.json|once each'
vocabulary 0 1 && folder 'tokenizer.json has 2 tokens'
printf '{"model":{"type":"BPE","vocab":{"a":0},"merges":["a a"]}}' >hf/tokenizer.json && folder 'hf/tokenizer.json|merges'
printf '{"model":{"type":"BPE","vocab":{"a":0},"merges":3}}' >hf/tokenizer.json && folder 'hf/tokenizer.json|merges'
printf '{"model":{"type":"WordPiece","vocab":{"a":0}}}' >hf/tokenizer.json && folder 'hf/tokenizer.json|BPE'
for step in '"normalizer":{"type":"Lowercase"}' '"added_tokens":[{"id":0}]' '"pre_tokenizer":{"type":"Whitespace"}' '"decoder":{"type":"BPEDecoder"}' \
    '"pre_tokenizer":{"type":"ByteLevel","add_prefix_space":true}'; do
    printf '{%s,"model":{"type":"BPE","vocab":{"a":0},"merges":[]}}' "$step" >hf/tokenizer.json && folder 'hf/tokenizer.json: '
done
repeat '[' 100000 >hf/tokenizer.json && folder 'hf/tokenizer.json'
: >hf/tokenizer.json && folder 'hf/tokenizer.json'
