#!/usr/bin/env bash
# Texts of any bytes: Greek, emoji, Latin-1, NUL, line ends of Windows, one symbol, one long line; char and byte tokenizers.
. "$(dirname "$0")/lib.bash"

model=(model.n_layer=1 model.n_head=2 model.n_embd=8 model.block_size=8 train.batch_size=2 train.steps=3 eval.batches=1)
fact() { sed -n "s/^.*\"$2\":[[:space:]]*\([^,]*\),*$/\1/p" "$1/run.json"; }
distinct() { od -An -v -t u1 "$1" | tr -s ' ' '\n' | grep . | sort -u | wc -l; }

# tokens NAME: the file of that name trains with both tokenizers; its tokens are its bytes
tokens() {
    local size vocabulary tokenizer
    size=$(stat -c %s "$1") vocabulary=$(distinct "$1")
    for tokenizer in char byte; do
        train "$1.$tokenizer" "${model[@]}" data.text="./$1" data.tokenizer=$tokenizer
        equal "tokens of $1, $tokenizer" "$(fact "$1.$tokenizer" tokens)" "$size"
        equal "both parts of $1, $tokenizer" "$(($(fact "$1.$tokenizer" train_tokens) + $(fact "$1.$tokenizer" val_tokens)))" "$size"
        equal "rows of $1, $tokenizer that are not finite" "$(grep -c -e nan -e inf "$1.$tokenizer/metrics.csv" || true)" 0
        equal "rows of $1, $tokenizer" "$(wc -l <"$1.$tokenizer/metrics.csv")" 5
    done
    equal "vocabulary of $1, char" "$(fact "$1.char" vocab_size)" "$vocabulary"
    equal "vocabulary of $1, byte" "$(fact "$1.byte" vocab_size)" 256
}

lines() { for i in {1..40}; do printf "$1" "$i"; done; }
lines 'Η γλώσσα %d είναι ελληνική\n' >greek
lines 'smile \xf0\x9f\x98\x80\xf0\x9f\x91\xa9\xe2\x80\x8d\xf0\x9f\x92\xbb %d\n' >emoji
lines 'caf\xe9 na\xefve %d \x80\xff\xfe\n' >latin1
(cat greek; printf '\xf0\x9f\x98') >cut
lines 'a\0b\0%d\n' >nul
lines 'line %d\r\n' >windows
(printf '\xef\xbb\xbf'; cat greek) >marked
repeat x 400 >symbol
lines 'no line ever ends %d ' >line
for ((i = 0; i < 256; i++)); do printf "\\x$(printf %02x $i)"; done >all
cat all all all >every
for text in greek emoji latin1 cut nul windows marked symbol line every; do tokens $text; done
for run in greek.char emoji.byte latin1.char cut.char nul.char every.byte symbol.char; do
    check "sampling of $run" "$STEP0" sample $run --tokens 60 --temperature 3 >"$scratch/sampled" 2>"$scratch/stderr"
    check "something sampled of $run" test "$(stat -c %s "$scratch/sampled")" -ge 60
done
equal 'vocabulary of all bytes' "$(fact every.char vocab_size)" 256
equal 'char and byte agree where all bytes occur' "$(curve every.char)" "$(curve every.byte)"
equal 'loss of a text of one symbol' "$(cut -d, -f5 symbol.char/metrics.csv | sed 1d | sort -u)" 0
near 'ln V of one symbol' "$(fact symbol.char ln_vocab)" 0 0
near 'its bigrams' "$(fact symbol.char bigram)" 0 0

# The split: floor(n (1 - f)) tokens to train on.
train split "${model[@]}" data.text=./greek data.val_fraction=0.25
equal 'train tokens' "$(fact split train_tokens)" "$(awk "BEGIN { print int($(stat -c %s greek) * 0.75) }")"
refuses 1 'to validate on|at least 9|val_fraction' train "${model[@]}" data.text=./symbol data.val_fraction=0.01
refuses 1 'to train on|at least 9|lower data.val_fraction' train "${model[@]}" data.text=./symbol data.val_fraction=0.99
head -c 9 symbol >nine
train nine.char "${model[@]}" data.text=./nine data.val_fraction=0

# The built-in text: its length, its own seed.
for chars in 300 5000; do
    train stories$chars "${model[@]}" data.chars=$chars
    equal 'tokens of the built-in text' "$(fact stories$chars tokens)" $chars
done
train of_one "${model[@]}" data.chars=5000 'data.text=["builtin:stories"]'
equal 'a list of one is that one' "$(fact of_one floor)" "$(fact stories5000 floor)"
train seeded "${model[@]}" data.chars=5000 seed=9
train reseeded "${model[@]}" data.chars=5000 data.text_seed=9
equal 'seed changes the built-in text' "$(fact seeded hash)" "$(fact stories5000 hash)"
[ "$(fact reseeded hash)" != "$(fact stories5000 hash)" ] || fail 'data.text_seed does not change the built-in text'
train listed "${model[@]}" 'data.text=["greek","emoji"]'
equal 'tokens of two files' "$(fact listed tokens)" "$(($(stat -c %s greek) + $(stat -c %s emoji)))"
echo "{\"data\": {\"text\": [$(yes '"greek",' | head -n 100000) \"emoji\"]}}" >hoard.json
refuses 1 'hoard.json:1:11: "data.text" lists more than 100000 paths' train "${model[@]}" --out hoard hoard.json

# Weights whose tokenizer does not know a byte of the text: the byte and its place.
if [ -e line.char/checkpoint/tokenizer.json ]; then
    (cat line; printf '@') >unknown
    refuses 1 "0x40 at offset $(stat -c %s line)" train "${model[@]}" init.from=line.char data.text=./unknown
    train again "${model[@]}" init.from=line.char data.text=./line train.steps=0
    near 'loss of the weights that were saved' "$(tail -n 1 again/metrics.csv | cut -d, -f6)" "$(tail -n 1 line.char/metrics.csv | cut -d, -f6)" 1e-8
fi

# What happens to a file after it was read does not matter; a resumed run refuses another text of the same length.
train still "${model[@]}" data.text=./greek train.steps=1500
for what in ': >moving' 'seq 9 >other; mv other moving' 'rm moving'; do
    cat greek >moving
    rm -rf moved
    "$STEP0" train "${model[@]}" data.text=./moving train.steps=1500 --out moved --quiet >/dev/null 2>"$scratch/said" &
    await test -s moved/metrics.csv
    eval "$what"
    check "a run whose text changed ($what): $(cat "$scratch/said")" wait $!
    equal "the curve of a run whose text changed ($what)" "$(curve moved)" "$(curve still)"
done
cp emoji before
train stopped "${model[@]}" data.text=./before
tr s t <emoji >other
touch -r before other
mv other before
resume() { "$STEP0" train "${model[@]}" data.text=./before train.steps=9 --out stopped --resume 2>&1 || echo "status $?"; }
contains 'resuming on another text of the same length and time' "$(resume)" 'data.text has changed'
rm before
contains 'resuming without the text' "$(resume)" "$PWD/before: No such file"
contains 'the status of a resume that was refused' "$(resume)" 'status 1'
equal 'rows of a run that was not resumed' "$(wc -l <stopped/metrics.csv)" 5

# Fewer bytes than the system promised, as of a file that shrinks while it is read; none promised.
online=/sys/devices/system/cpu/online
if [ "$(stat -c %s $online 2>/dev/null)" = 4096 ]; then refuses 1 "$online ended after |of its 4096 bytes|while it was read" train data.text=$online; fi
if [ -e /proc/version ]; then refuses 1 'is empty (0 bytes)' train data.text=/proc/version; fi

# 1e8 bytes in one line: how long it takes is printed, not tested.
yes 'the quick brown fox jumps over the lazy dog, and again ' | tr -d '\n' | head -c 100000000 >big
started=${EPOCHREALTIME/./}
train big.char "${model[@]}" data.text=./big train.steps=0
echo "a run of 0 steps on 1e8 bytes: $(((${EPOCHREALTIME/./} - started) / 1000)) ms"
equal 'tokens of 1e8 bytes' "$(fact big.char tokens)" 100000000
