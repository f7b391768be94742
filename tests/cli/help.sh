#!/usr/bin/env bash
# What the program says about itself, on stdout, with nothing on stderr.
. "$(dirname "$0")/lib.bash"

# says PART WORD...: status 0, stdout contains PART, stderr is empty. The output stays in $said.
says() {
    local part=$1 status=0
    shift
    "$STEP0" "$@" >"$scratch/stdout" 2>"$scratch/stderr" || status=$?
    said=$(cat "$scratch/stdout")
    equal "status of $*" $status 0
    equal "stderr of $*" "$(cat "$scratch/stderr")" ''
    contains "$*" "$said" "$part"
}

says 'step0 train' help
commands=$said
for word in train schemes info help version --out --resume --overwrite --dry-run --threads --cpu --quiet key=value; do contains help "$commands" "$word"; done
for spelling in --help -h; do
    says 'step0 train' $spelling
    equal "$spelling" "$said" "$commands"
done
for command in train probe sweep; do
    says "step0 $command" help $command
    help=$said
    for spelling in "$command --help" "$command -h"; do
        says "step0 $command" $spelling
        contains "$spelling is the beginning of help $command, but for topics" "$help$commands" "$said"
    done
done
says 'step0 0.' version
equal 'lines of version' "$(wc -l <<<"$said")" 1
version=$said
says "$version" --version
says 'grad_norm' help metrics
says 'Jacobian' help probe
for topic in config schemes probe metrics verdicts schema; do
    contains 'topics in help' "$commands" "step0 help $topic"
    contains 'topics of help' "$commands" "$topic ("
    refuses 2 "$topic" help nothing
done
says 'kernel' info
for word in step0 processor threads OpenBLAS threading; do contains info "$said" "$word"; done
says 'threads      3' info --threads 3

# --- config ---

says 'train.lr' help config
config=$said
equal 'keys of help config and of the schema' "$(sed -n 's/^  \([a-z][a-z_0-9.]*\) .*/\1/p' <<<"$config" | sort)" "$(keys | cut -d' ' -f1 | sort)"
for key in name seed init.seed data.seed data.text data.chars data.text_seed data.tokenizer data.val_fraction data.order model.n_layer model.n_head \
    model.n_embd model.block_size model.n_inner model.bias model.tie_embeddings model.dropout model.activation init.scheme init.params init.rules \
    init.from train.steps train.batch_size train.grad_accum train.lr train.min_lr train.warmup_steps train.schedule train.decay_steps train.beta1 \
    train.beta2 train.eps train.weight_decay train.grad_clip eval.every eval.batches log.every log.detail checkpoint.every; do
    grep -q "^  $key " <<<"$config" || fail "no $key in help config"
done
printf '{}' >defaults.json
says '' train defaults.json data.chars=3000 model.n_embd=16 train.steps=0 --quiet --out defaults
for pair in 'n_layer": 4' 'batch_size": 12' 'lr": 0.001' 'min_lr": 0.0001' 'schedule": "cosine"' 'decay_steps": 0' 'beta2": 0.99' 'grad_clip": 1' 'detail": "layer"' \
    'val_fraction": 0.1' 'block_size": 64' 'n_inner": 64' 'tie_embeddings": true' 'weight_decay": 0.1' 'eps": 1e-08' 'tokenizer": "char"'; do
    contains resolved.json "$(tr -s '\t' ' ' <defaults/resolved.json)" "\"$pair"
done

says 'draft-07' help schema
if [ -e "$root/configs" ]; then
    equal 'configs/schema.json is what help schema says' "$(cat "$root/configs/schema.json")" "$said"
    for file in "$root"/configs/*.json; do
        [ "${file##*/}" != schema.json ] || continue
        # Every key of the configs to copy from is known; a text that is not there is the only reason to refuse one.
        "$STEP0" train "$file" data.text=builtin:stories data.chars=3000 model.n_embd=16 train.steps=1 train.warmup_steps=0 --dry-run >"$scratch/stdout" 2>&1 ||
            fail "${file##*/}: $(tail -n 1 "$scratch/stdout")"
    done
fi

# --- schemes ---

says 'gpt2' schemes
listed=$(awk '/^$/ { exit } { print $1 }' <<<"$said")
equal 'lines of schemes that say nothing' "$(awk '/^$/ { exit } NF < 3' <<<"$said")" ''
if [ -e "$root/configs/schemes" ]; then
    equal 'schemes lists every file of configs/schemes' "$(sort <<<"$listed")" "$(cd "$root/configs/schemes" && ls -- *.json | sed 's/\.json$//' | sort)"
fi
for scheme in bert gpt2 gpt2_sqrt_l gpt2_openai xavier_uniform xavier_normal he_uniform he_normal lecun torch_default normal1 orthogonal zero_proj \
    small_init wang embed_inv_sqrt_d zero_head ln_zero; do
    grep -qx "$scheme" <<<"$listed" || fail "no scheme $scheme"
done
for scheme in $listed; do
    says 'source: ' schemes "$scheme"
    grep -q '^  source: .....' <<<"$said" || fail "$scheme has no source"
    grep -q '^wte.weight ' <<<"$said" || fail "$scheme does not say what happens to wte"
done

# row PART FORMULA NUMBER...: of the table in $said: the rule and the numbers behind it
row() {
    local line part=$1 rule=$2
    line=$(grep "^$part " <<<"$said") || { fail "no row $part"; return 0; }
    contains "row $part" "$line" " $rule "
    equal "numbers of $part" "$(sed 's/.*) *//' <<<"$line" | xargs)" "${*:3}"
}
says 'std = 0.02 (init.params.std)' schemes gpt2
row h.0.attn.proj.weight 'normal(std / sqrt(2*n_layer))' 0.00707107 0.0070711 0.0070711 0.0070711
row wte.weight 'normal(std)' 0.02 0.02 0.02 0.02
says '' schemes gpt2 init.params.std=0.1 model.n_layer=8
row h.0.mlp.proj.weight 'normal(std / sqrt(2*n_layer))' 0.025 0.025 0.025 0.025
says '' schemes xavier_normal
row h.0.attn.q.weight 'normal(gain * sqrt(2 / (fan_in + fan_out)))' 0.0883883 0.088388 0.036084 0.015625
contains 'Xavier and He at the three widths' "$said" '0.088, 0.036, 0.016; He sqrt(2/d) = 0.125, 0.051, 0.022'
printf '{"model": {"n_layer": 2, "n_head": 2, "n_embd": 32}}' >narrow.json
says 'n_layer 2, n_embd 32' schemes xavier_normal narrow.json
row h.0.attn.q.weight 'normal(gain * sqrt(2 / (fan_in + fan_out)))' 0.176777 0.088388 0.036084 0.015625
printf '{"about": "mine", "source": "me", "weights": {"*": {"uniform": "1/layer_"}}, "params": {"layer_": 4}}' >own.json
says 'mine' schemes ./own.json
row wte.weight 'uniform(1/layer_)' 0.144338 0.14434 0.14434 0.14434

# --- --dry-run ---

says 'loss of step 0' train "${tiny[@]}" --dry-run
for word in parameters 'tokens to train on' 'ln V' unigram bigram floor memory kernel 'scheme       gpt2' wte.weight 'mlp.proj.weight x2' 'std of it' 'measured std' 'random parts measured'; do
    contains '--dry-run' "$said" "$word"
done
equal 'files of a dry run' "$(ls)" $'defaults\ndefaults.json\nnarrow.json\nown.json'
"$STEP0" train "${tiny[@]}" init.scheme=normal1 --dry-run >"$scratch/stdout" 2>"$scratch/stderr"
contains 'the warning of a first loss that is too great' "$(cat "$scratch/stderr")" 'warning: the loss of step 0 is'
contains 'its cause' "$(cat "$scratch/stderr")" 'wte'

# --- the README names every scheme of the catalogue and every command ---

readme=$(cat "$root/README.md")
table=$(cat "$root/configs/schemes/README.md")
for file in "$root"/configs/schemes/*.json; do
    scheme=$(basename "$file" .json)
    contains 'README' "$readme" "\`$scheme\`"
    contains 'configs/schemes/README.md (step0 schemes --markdown > configs/schemes/README.md)' "$table" "| **$scheme** | "
done
equal 'rows of configs/schemes/README.md' "$(grep -c '^| \*\*' <<<"$table")" "$(find "$root/configs/schemes" -name '*.json' | wc -l)"
for command in $("$STEP0" help | sed -n 's/^  step0 \([a-z]*\).*/\1/p'); do contains 'README' "$readme" "step0 $command"; done
