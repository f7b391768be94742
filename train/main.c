/* The command line: which command, which flags, and help about both. */
#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../model/blas.h"
#include "commands.h"
#include "config/config_doc.h"
#include "cpu.h"
#include "run/metrics.h"
#include "probe/probe.h"
#include "run/record.h"
#include "signals.h"
#include "threads.h"
#include "compare/verdict.h"

enum { TRAIN = 1, COMPARE = 2, PROBE = 4, SAMPLE = 8, EVAL = 16, SCHEMES = 32, INFO = 64, HELP = 128, VERSION = 256, SWEEP = 512, BENCH = 1024 };
enum { ANY = 1 << 20 };          /* words: as many as there are */

typedef struct {
    const char *name, *usage, *help;
    int bit, words;            /* which one in a flag's set; most operands */
    bool overrides;            /* takes key=value */
    int (*run)(const Args *);
} Command;

static const Command command[] = {
    {"train", "[CONFIG] [key=value ...]", "train a model; a run's folder holds its curves and weights", TRAIN, 1, true, command_train},
    {"sweep", "[CONFIG] [key=a,b,c ...]", "every combination as a run of its own, side by side; finished runs are skipped", SWEEP, 1, true, command_sweep},
    {"compare", "DIR...", "runs side by side, those that differ in seed alone as one row", COMPARE, ANY, false, command_compare},
    {"probe", "[CONFIG] [key=a,b,c ...]", "the network at step 0, by depth: no training", PROBE, 1, true, command_probe},
    {"sample", "RUN", "text from a run's checkpoint, or from a folder such as RUN/best", SAMPLE, 1, false, command_sample},
    {"eval", "RUN [key=value ...]", "loss of a run's checkpoint, or of a folder such as RUN/best, on all of its validation text, or of another: data.text=PATH", EVAL, 1, true, command_eval},
    {"schemes", "[NAME] [CONFIG] [key=value ...]", "the catalogue of initializations: what, source, formulas, numbers", SCHEMES, 2, true, command_schemes},
    {"bench", "[CONFIG] [key=value ...]", "what a training step costs, beside this machine's limits; random tokens", BENCH, 1, true, command_bench},
    {"info", "", "this build and this machine", INFO, 0, false, command_info},
    {"help", "[TOPIC]", "commands, config (every key), schemes (how to write one), probe (what it shows), metrics (columns of metrics.csv), verdicts (what compare says, with formulas), schema (of configs, as JSON)", HELP, 1, false, command_help},
    {"version", "", "this build's version", VERSION, 0, false, command_version},
};

typedef struct {
    const char *name, *value, *help;   /* value: its name in help; NULL: a switch */
    size_t offset;                     /* into Args: a const char * or a bool */
    int commands;
} Flag;

static const Flag flag[] = {
    {"--out", "DIR", "the run's folder; of a sweep, the folder of its runs' folders", offsetof(Args, out), TRAIN | SWEEP},
    {"--resume", NULL, "continue an interrupted run", offsetof(Args, resume), TRAIN},
    {"--overwrite", NULL, "start a run anew in a folder that holds one", offsetof(Args, overwrite), TRAIN},
    {"--report", NULL, "keep report.html in the run's folder fresh while the run goes on", offsetof(Args, report), TRAIN},
    {"--dry-run", NULL, "check, initialize, measure and print, but do not train", offsetof(Args, dry_run), TRAIN},
    {"--jobs", "N", "runs at a time (as many as cores); they share the cores, each with cores / runs threads, at least one, or --threads", offsetof(Args, jobs), SWEEP},
    {"--list", NULL, "print one command a line and run none", offsetof(Args, list), SWEEP},
    {"--threads", "N", "instead of OMP_NUM_THREADS or all cores; never changes a result", offsetof(Args, threads), TRAIN | SWEEP | BENCH | PROBE | SAMPLE | EVAL | INFO},
    {"--cpu", CPU_LEVEL, "the same bits on every x86 processor with AVX2", offsetof(Args, cpu), TRAIN | SWEEP | BENCH | PROBE | SAMPLE | EVAL | INFO},
    {"--html", "FILE", "curves, heat maps, tables and samples as a page of one file that needs no network", offsetof(Args, html), COMPARE},
    {"--svg", "FOLDER", "each panel of that page as a vector figure: train_loss.svg, gradient_norms.svg, ...", offsetof(Args, svg), COMPARE},
    {"--csv", "FILE", "the numbers as a table", offsetof(Args, csv), PROBE | COMPARE},
    {"--reference", "ROW", "what the others are held against: a row's label or a scheme (the row of the first run; of a sweep's folder, of its first combination)", offsetof(Args, reference), COMPARE},
    {"--batches", "K", "also over K batches: mean and deviation of the gradient, sharpness", offsetof(Args, batches), PROBE},
    {"--coord", NULL, "how outputs and their changes go with model.n_embd=a,b,c (or model.n_layer): muP's coordinate check", offsetof(Args, coord), PROBE},
    {"--prompt", "TEXT", "what the sample continues", offsetof(Args, prompt), SAMPLE},
    {"--tokens", "N", "to generate (500)", offsetof(Args, tokens), SAMPLE},
    {"--temperature", "T", "of the draw (0.8); 0: the most likely token each time", offsetof(Args, temperature), SAMPLE},
    {"--top-k", "K", "draw among the K most likely tokens (0: all)", offsetof(Args, top_k), SAMPLE},
    {"--seed", "S", "of the draws (1)", offsetof(Args, seed), SAMPLE},
    {"--markdown", NULL, "the whole catalogue with what is measured of it: configs/schemes/README.md", offsetof(Args, markdown), SCHEMES},
    {"--vocab", "N", "size of the vocabulary (65)", offsetof(Args, vocab), BENCH},
    {"--steps", "N", "rounds to measure (20)", offsetof(Args, steps), BENCH},
    {"--json", NULL, "as JSON", offsetof(Args, json), BENCH},
    {"--json", "FILE", "everything as JSON: runs, rows, differences, verdicts", offsetof(Args, json_file), COMPARE},
    {"--quiet", NULL, "no progress, no summary", offsetof(Args, quiet), TRAIN},
};

/* --- help, info, version --- */

static void print_flag(FILE *out, const Flag *f)
{
    char *form = text_format("%s%s%s", f->name, f->value ? " " : "", f->value ? f->value : "");
    fprintf(out, "          %-18s %s\n", form, f->help);
    free(form);
}

static void print_command(FILE *out, const Command *c)
{
    fprintf(out, "  step0 %s%s%s\n        %s\n", c->name, *c->usage ? " " : "", c->usage, c->help);
    for (size_t f = 0; f < COUNT(flag); f++)
        if (flag[f].commands & c->bit) print_flag(out, &flag[f]);
}

static void print_commands(FILE *out)
{
    fputs("step0 trains small GPTs on text files and shows what the initialization did to the training.\n\n", out);
    for (size_t i = 0; i < COUNT(command); i++) print_command(out, &command[i]);
    fputs("\nkey=value sets a key of the config: train.lr=3e-4 (`step0 help config` lists them).\n"
          "Exit status: 0 done, 1 error, 2 unknown command or flag, 3 diverged, 129, 130 or 143 stopped by SIGHUP, SIGINT or SIGTERM after a checkpoint.\n"
          "More: step0 help COMMAND, step0 help config, step0 help schemes, step0 help probe, step0 help metrics, step0 help verdicts, step0 help schema.\n", out);
}

static void print_schema(FILE *out)
{
    Json *schema = config_schema();
    char *text = json_print(schema, true);
    fprintf(out, "%s\n", text);
    free(text);
    json_free(schema);
}

static const struct { const char *name; void (*print)(FILE *); } topic[] = {
    {"commands", print_commands}, {"config", config_help}, {"schemes", scheme_help}, {"probe", probe_help}, {"metrics", metrics_help}, {"verdicts", verdict_help}, {"schema", print_schema}};

int command_help(const Args *args)
{
    const char *name = args->words ? args->word[0] : "commands";
    bool known = false;
    for (size_t i = 0; i < COUNT(command); i++) {
        if (strcmp(command[i].name, name) || !strcmp(name, "schemes")) continue;
        print_command(stdout, &command[i]);
        known = true;
    }
    for (size_t i = 0; i < COUNT(topic); i++) {
        if (strcmp(topic[i].name, name)) continue;
        if (known) fputc('\n', stdout);
        topic[i].print(stdout);
        known = true;
    }
    if (known) return EXIT_DONE;
    fprintf(stderr, "step0: no help on \"%s\"; topics are", name);
    for (size_t i = 0; i < COUNT(topic); i++) fprintf(stderr, "%s %s", i ? "," : "", topic[i].name);
    fprintf(stderr, " and each command\n");
    return EXIT_USAGE;
}

int command_version(const Args *args)
{
    (void)args;
    puts("step0 " STEP0_VERSION);
    return EXIT_DONE;
}

int command_info(const Args *args)
{
    char cpu[128];
    const char *whose;
    double memory = cpu_memory(&whose);
    BlasInfo blas = blas_start(args->cpu);
    printf("step0        %s\nprocessor    %s\nthreads      %d (of %d available)\nmemory       %.1f MiB (%s)\nOpenBLAS     %s\nkernel       %s, chosen by %s\nthreading    %s; step0 calls it single-threaded in its own threads\n",
           STEP0_VERSION, cpu_name(cpu), threads_chosen(args->threads), threads_available(), memory / 1048576, whose, blas.library, blas.kernel, blas.chosen_by, blas.threading);
    return EXIT_DONE;
}

/* --- parsing --- */

static const char *command_name(int i, const void *data)
{
    (void)data;
    return command[i].name;
}

static const Command *find_command(const char *word)
{
    if (!strcmp(word, "--help") || !strcmp(word, "-h")) word = "help";
    if (!strcmp(word, "--version") || !strcmp(word, "-V")) word = "version";
    for (size_t i = 0; i < COUNT(command); i++)
        if (!strcmp(command[i].name, word)) return &command[i];
    const char *near = nearest_name(word, (int)COUNT(command), command_name, NULL);
    fprintf(stderr, "step0: unknown command \"%s\"%s%s%s (`step0 help` lists them)\n", word, near ? "; did you mean \"" : "", near ? near : "", near ? "\"?" : "");
    exit(EXIT_USAGE);
}

_Noreturn static void misuse(const Command *c, const char *what, const char *word)
{
    fprintf(stderr, "step0: %s %s: %s; usage: step0 %s %s\n", c->name, word, what, c->name, c->usage);
    exit(EXIT_USAGE);
}

static bool is_flag(const char *word)
{
    for (size_t f = 0; f < COUNT(flag); f++)
        if (!strcmp(flag[f].name, word)) return true;
    return false;
}

/* The flag at word[*i], with its value in the same word (--out=DIR) or the next one, which is no flag. */
static void parse_flag(Args *args, const Command *c, char **word, int words, int *i)
{
    const char *equals = strchr(word[*i], '=');
    size_t length = equals ? (size_t)(equals - word[*i]) : strlen(word[*i]);
    for (size_t f = 0; f < COUNT(flag); f++) {
        if (strlen(flag[f].name) != length || strncmp(flag[f].name, word[*i], length) || !(flag[f].commands & c->bit)) continue;
        void *at = (char *)args + flag[f].offset;
        if (!flag[f].value) {
            if (equals) misuse(c, "takes no value", word[*i]);
            *(bool *)at = true;
            return;
        }
        bool lacks = !equals && (*i + 1 == words || is_flag(word[*i + 1]));
        const char *value = equals ? equals + 1 : lacks ? "" : word[++*i];
        if (lacks || (!*value && strcmp(flag[f].value, "TEXT"))) misuse(c, "needs a value", flag[f].name);
        *(const char **)at = value;
        return;
    }
    misuse(c, "unknown flag", word[*i]);
}

static bool is_override(const char *word)
{
    const char *equals = strchr(word, '=');
    return equals && !memchr(word, '/', (size_t)(equals - word));
}

static Args parse(const Command *c, char **word, int words)
{
    Args args = {.word = xcalloc((size_t)words + 1, sizeof(char *)), .override = xcalloc((size_t)words + 1, sizeof(char *))};
    for (int i = 0; i < words; i++) {
        if (!strcmp(word[i], "--help") || !strcmp(word[i], "-h")) {
            args.help = true;
            return args;
        }
        if (!*word[i]) misuse(c, "an empty operand", "\"\"");
        if (word[i][0] == '-') parse_flag(&args, c, word, words, &i);
        else if (c->overrides && is_override(word[i])) args.override[args.overrides++] = word[i];
        else if (c->overrides && config_find(word[i]) && access(word[i], F_OK))
            die("\"%s\" on the command line: an override is written key=value, for instance train.lr=3e-4", word[i]);
        else if (args.words < c->words) args.word[args.words++] = word[i];
        else misuse(c, "one operand too many", word[i]);
    }
    if (args.overwrite && args.resume) misuse(c, "--overwrite starts anew, --resume goes on: one of them", "--overwrite --resume");
    if (args.cpu && strcmp(args.cpu, CPU_LEVEL)) misuse(c, "--cpu takes " CPU_LEVEL " only", args.cpu);
    return args;
}

/* A closed standard stream's number must not go to a file of a run. Its replacement cannot be written to. */
static void hold_standard_streams(void)
{
    for (int stream = 0; stream <= 2; stream++)
        if (fcntl(stream, F_GETFD) < 0 && open("/dev/null", O_RDONLY) != stream) exit(EXIT_ERROR);
}

/* Writes all of it, or keeps the reason. */
static ssize_t write_or_keep_reason(void *reason, const char *bytes, size_t n)
{
    size_t done = 0;
    for (ssize_t now; done < n; done += (size_t)now) {
        now = TEMP_FAILURE_RETRY(write(STDOUT_FILENO, bytes + done, n - done));
        if (now > 0) continue;
        *(int *)reason = now < 0 ? errno : ENOSPC;
        break;
    }
    return (ssize_t)done;
}

/* A stdout that keeps the reason of what fails, however much is printed behind it. */
static void open_standard_output(int *reason)
{
    stdout = fopencookie(reason, "w", (cookie_io_functions_t){.write = write_or_keep_reason});
    if (!stdout) die("no memory for standard output");
    if (isatty(STDOUT_FILENO)) setvbuf(stdout, NULL, _IOLBF, BUFSIZ);
}

int main(int argc, char **argv)
{
    int reason = 0;
    hold_standard_streams();
    open_standard_output(&reason);
    signals_of_files();
    setlocale(LC_CTYPE, "");
    if (argc < 2) {
        print_commands(stderr);
        return EXIT_USAGE;
    }
    const Command *c = find_command(argv[1]);
    Args args = parse(c, argv + 2, argc - 2);
    int status = EXIT_DONE;
    if (args.help) print_command(stdout, c);
    else status = c->run(&args);
    free(args.word);
    free(args.override);
    fclose(stdout);
    if (!reason) return status;
    fprintf(stderr, "step0: cannot write to standard output: %s\n", strerror(reason));
    return EXIT_ERROR;
}
