/* What a command line says. */
#ifndef STEP0_ARGS_H
#define STEP0_ARGS_H

#include "../model/base.h"

typedef struct {
    char **word; int words;            /* CONFIG, DIR, NAME, TOPIC */
    char **override; int overrides;    /* key=value */
    const char *out, *threads, *cpu, *csv, *batches, *jobs, *vocab, *steps, *html, *svg, *json_file, *reference;
    const char *prompt, *tokens, *temperature, *top_k, *seed;
    bool resume, overwrite, report, dry_run, quiet, coord, markdown, list, json, help;
    bool evaluates;                    /* eval: no train tokens are needed */
    bool own_text;                     /* a text that is not the checkpoint's is worth a notice */
} Args;

/* A flag's number from min to max, or `fallback` where the flag was not given (text NULL); dies where it is none. */
double number_flag(const char *name, const char *text, double fallback, double min, double max, bool whole);

#endif
