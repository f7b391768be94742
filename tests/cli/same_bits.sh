#!/usr/bin/env bash
# The same config gives the same bits: for any number of threads, any flavour of OpenBLAS, whatever is logged or evaluated.
. "$(dirname "$0")/lib.bash"

odd=(data.chars=6000 model.n_layer=2 model.n_embd=15 model.n_head=3 model.n_inner=37 model.block_size=37 model.dropout=0.1
    model.tie_embeddings=false model.activation=gelu_exact train.batch_size=3 train.grad_accum=2 train.steps=4
    eval.every=2 eval.batches=0 log.detail=tensor)
even=(data.chars=6000 model.n_layer=2 model.n_embd=64 model.n_head=4 model.block_size=64 train.batch_size=8
    model.bias=false train.steps=4 eval.every=2 eval.batches=1 log.detail=tensor)

# same NAME WANTED DIR
same() { [ "$(curve "$3")" = "$2" ] || fail "$1: $(diff <(echo "$2") <(curve "$3") | head -4 | cut -c1-200)"; }

train odd "${odd[@]}" --threads 1
train even "${even[@]}" --threads 1
odd_curve=$(curve odd)
even_curve=$(curve even)
equal 'rows' "$(wc -l <<<"$odd_curve")" 6
weights() { sha256sum "$1"/checkpoint/model.safetensors | cut -d' ' -f1; }

for threads in 2 3 5 7; do
    train "odd$threads" "${odd[@]}" --threads $threads
    train "even$threads" "${even[@]}" --threads $threads
    same "$threads threads, odd sizes" "$odd_curve" "odd$threads"
    same "$threads threads" "$even_curve" "even$threads"
    equal "weights with $threads threads" "$(weights odd$threads)" "$(weights odd)"
    equal "init.csv with $threads threads" "$(cat odd$threads/init.csv)" "$(cat odd/init.csv)"
done

# --- what must change it does ---

differs() { [ "$(curve "$3")" != "$2" ] || fail "$1 changed nothing"; }
for key in seed init.seed data.seed; do
    train "$key" "${odd[@]}" $key=2
    differs "$key" "$odd_curve" "$key"
done
equal 'data.seed moves no weight' "$(cat data.seed/init.csv)" "$(cat odd/init.csv)"
train text "${odd[@]}" data.text_seed=2
differs data.text_seed "$odd_curve" text

# --- what must not change it does not ---

export OMP_NUM_THREADS=3 OPENBLAS_NUM_THREADS=5 OMP_SCHEDULE=dynamic OMP_DYNAMIC=true GOTO_NUM_THREADS=2 LANG=tr_TR.UTF-8
train environment "${odd[@]}"
same 'environment variables' "$odd_curve" environment
export OMP_NUM_THREADS=nonsense OPENBLAS_NUM_THREADS=-7 OMP_DYNAMIC=maybe OMP_THREAD_LIMIT=2
train nonsense "${odd[@]}"
same 'nonsense in environment variables' "$odd_curve" nonsense
unset OMP_NUM_THREADS OPENBLAS_NUM_THREADS OMP_SCHEDULE OMP_DYNAMIC OMP_THREAD_LIMIT GOTO_NUM_THREADS LANG

# losses DIR: step, loss, total norm of the even steps
losses() { awk -F, 'NR == 1 || $1 % 2 == 0 { print $1, $5, $7 }' "./$1/metrics.csv"; }
for change in eval.every=0 eval.every=1 eval.batches=1 log.every=2 log.detail=total log.detail=layer checkpoint.every=2 name=x; do
    train "$change" "${odd[@]}" "$change"
    equal "losses with $change" "$(losses "$change")" "$(losses odd)"
done

# --- every flavour of OpenBLAS ---

flavours=
for library in /usr/lib/*/openblas-*/libopenblas.so.0; do
    [ -e "$library" ] || continue
    folder=${library%/*} flavour=${library%/*} flavour=${flavour##*openblas-}
    says=$(LD_LIBRARY_PATH=$folder "$STEP0" info | sed -n 's/^threading *//p')
    case $flavour:$says in
        pthread:pthread* | openmp:OpenMP* | serial:serial*) flavours+=" $flavour" ;;
        *) fail "the library in $folder says '$says'" ;;
    esac
    for threads in 1 2 3 3; do      # a race may hide in one run: several
        LD_LIBRARY_PATH=$folder train flavour.odd "${odd[@]}" --threads $threads --overwrite
        LD_LIBRARY_PATH=$folder train flavour.even "${even[@]}" --threads $threads --overwrite
        same "flavour $flavour, $threads threads, odd sizes" "$odd_curve" flavour.odd
        same "flavour $flavour, $threads threads" "$even_curve" flavour.even
    done
done
echo "flavours tried:$flavours"

# --- two schemes: the same batches, and transforms of the same noise ---

# init DIR PART COLUMN (part,role,layer,rows,cols,"rule",expected,measured,z,mean,min,max,kurtosis; a rule has commas)
init() { sed 's/"[^"]*"/rule/' "$1/init.csv" | awk -F, -v part="$2" -v column="$3" '$1 == part { print $column }'; }
eight=(data.chars=20000 model.n_layer=8 model.n_embd=16 model.n_head=2 model.block_size=16 train.batch_size=4 train.steps=0
    eval.batches=1)
for scheme in gpt2 bert normal1; do train "scheme.$scheme" "${eight[@]}" init.scheme=$scheme; done
for part in wte.weight wpe.weight h.3.attn.q.weight; do
    equal "$part of bert and gpt2" "$(init scheme.bert $part 8)" "$(init scheme.gpt2 $part 8)"
done
for column in 8 10 11 12; do
    near "mlp.proj, column $column, 4 times smaller in gpt2" "$(init scheme.bert h.3.mlp.proj.weight $column)" \
        "$(init scheme.gpt2 h.3.mlp.proj.weight $column | awk '{ printf "%.12g", 4 * $1 }')" 1e-6
    near "wte, column $column, 50 times greater in normal1" "$(init scheme.normal1 wte.weight $column)" \
        "$(init scheme.gpt2 wte.weight $column | awk '{ printf "%.12g", 50 * $1 }')" 1e-6
done
# With all weights and their learning alike but for one rule that changes nothing, the curve stays: the batches are the same.
train rule "${odd[@]}" 'init.rules.*={"normal":"std"}' init.scheme=bert
train bert "${odd[@]}" init.scheme=bert
equal 'bert spelled as a rule' "$(curve rule)" "$(curve bert)"
differs 'another scheme' "$odd_curve" bert
