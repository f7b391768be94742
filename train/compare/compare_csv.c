#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compare.h"
#include "../out.h"

/* What stands in front of and behind each number of a run. */
typedef struct { char *front, *back; } Frame;

static bool is_structure(const Key *k)
{
    return k->type == KEY_SCHEME || k->type == KEY_OBJECT;
}

/* A number or a truth bare, else in quotes. */
static char *value_text(const Outcome *o, const Key *k)
{
    Json *value = config_value(&o->config, k);
    char *plain = json_print(value, false), *text = plain;
    if (value->kind != JSON_NUMBER && value->kind != JSON_BOOL) {
        text = csv_quoted(value->kind == JSON_STRING ? value->string : plain);
        free(plain);
    }
    json_free(value);
    return text;
}

static Frame frame_of(const Group *g, const Outcome *o, const int *key, int keys)
{
    char *folder = csv_quoted(o->folder), *row = csv_quoted(g->label), *scheme = csv_quoted(outcome_scheme(o));
    Text back = {0};
    for (int i = 0; i < keys; i++) {
        char *text = value_text(o, &config_key[key[i]]);
        text_add(&back, ",%s", text);
        free(text);
    }
    text_add(&back, "\n");
    Frame f = {text_format("%s,%s,%s,%lld,%lld", folder, row, scheme, (long long)o->config.init_seed, (long long)o->config.data_seed), back.at};
    free(folder);
    free(row);
    free(scheme);
    return f;
}

/* The keys with a column: not those whose values are whole objects, which the row's label names. */
static int key_columns(int *key, const Study *s)
{
    int all = study_differing_keys(key, s), kept = 0;
    for (int i = 0; i < all; i++)
        if (!is_structure(&config_key[key[i]])) key[kept++] = key[i];
    return kept;
}

/* quantity,part,layer of a column: grad_norm.h.3.attn.q.weight is grad_norm of h.3.attn.q.weight, layer 3. */
static char *column_text(const char *name)
{
    int length = (int)strcspn(name, ".");
    const char *part = name[length] ? name + length + 1 : "";
    int digits = strncmp(part, "h.", 2) ? 0 : (int)strspn(part + 2, "0123456789");
    return text_format("%.*s,%s,%.*s", length, name, part, digits, digits ? part + 2 : "");
}

static void write_run(Out *out, const Outcome *o, const Frame *f)
{
    const Table *m = &o->metrics;
    int step = table_column(m, "step");
    for (int c = 0; c < m->columns; c++) {
        if (c == step) continue;
        char *column = column_text(m->name[c]);
        for (int row = 0; row < m->rows; row++)
            if (!isnan(table_cell(m, row, c))) {
                out_write(out, f->front, strlen(f->front));
                out_print(out, ",%.0f,%s,%.9g", table_cell(m, row, step), column, table_cell(m, row, c));
                out_write(out, f->back, strlen(f->back));
            }
        free(column);
    }
}

void compare_write_csv(const char *path, const Study *s)
{
    int *key = xcalloc((size_t)config_keys, sizeof *key), keys = key_columns(key, s);
    Out out = out_create(path);
    out_print(&out, "run,row,scheme,init_seed,data_seed,step,quantity,part,layer,value");
    for (int i = 0; i < keys; i++) out_print(&out, ",%s", config_key[key[i]].path);
    out_print(&out, "\n");
    for (int i = 0; i < s->groups; i++)
        for (int r = 0; r < s->group[i].runs; r++) {
            Frame f = frame_of(&s->group[i], s->group[i].run[r], key, keys);
            write_run(&out, s->group[i].run[r], &f);
            free(f.front);
            free(f.back);
        }
    char *error = out_close(&out, false);
    if (error) die("%s", error);
    free(key);
}
