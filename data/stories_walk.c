#include "stories_walk.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../model/noise.h"
#include "stories_rules.h"

typedef struct { int chars, choices; double cost; bool upper; int article; } Pen;
typedef struct Rest { const Item *at; const struct Rest *next; } Rest;      /* what is to come after a field */

struct Walk {
    Grammar *grammar;
    const char *given;                  /* the text to read; NULL: write */
    int given_chars;
    uint64_t seed;
    uint32_t number;
    Pen pen;
    int held[MAX_NAMES];                /* slot: 1 + option, 0: free */
    int held_rule[MAX_NAMES];
    struct { int from, to; } printed[MAX_NAMES];        /* slot: the text of an option with choices of its own */
    int weight[MAX_OPTIONS], total[MAX_RULES];          /* of options, 0 while a slot holds one; their sum */
    Story *draft;
    int found, reached;
    double mass;                        /* of the derivations that begin with the whole given text */
    Story *out;
};

static void walk(Walk *w, const Item *item, const Rest *rest);

/* False where the given text differs, or ends: then all that may follow begins with it. */
static bool put_raw(Walk *w, char c)
{
    if (w->given && w->pen.chars == w->given_chars) {
        w->mass += exp(-w->pen.cost);
        return false;
    }
    if (w->given && w->given[w->pen.chars] != c) return false;
    assert(w->pen.chars < STORY_MAX_CHARS);
    w->draft->text[w->pen.chars++] = c;
    if (w->pen.chars > w->reached) w->reached = w->pen.chars;
    return true;
}

/* The space after an article waits for the letter that decides between a and an. */
static bool put(Walk *w, char c)
{
    if (w->pen.article == 1) {
        assert(c == ' ');
        w->pen.article = 2;
        return true;
    }
    if (w->pen.article == 2) {
        w->pen.article = 0;
        if (strchr("aeiou", c) && !put_raw(w, 'n')) return false;
        if (!put_raw(w, ' ')) return false;
    }
    if (w->pen.upper) c = (char)toupper((unsigned char)c);
    w->pen.upper = false;
    return put_raw(w, c);
}

static bool put_literal(Walk *w, const Item *item)
{
    if (!w->given && !w->pen.upper && !w->pen.article) {          /* most of a text, at once */
        assert(w->pen.chars + item->length <= STORY_MAX_CHARS);
        memcpy(w->draft->text + w->pen.chars, item->text, (size_t)item->length);
        w->pen.chars += item->length;
        return true;
    }
    for (int i = 0; i < item->length; i++)
        if (!put(w, item->text[i])) return false;
    return true;
}

static int draw(const Walk *w, const Rule *r, int total)
{
    Noise n = noise_at(w->seed, NOISE_TEXT, w->number, (uint32_t)w->pen.choices, 0, 0);
    int left = (int)((uint64_t)n.word[0] * (uint64_t)total >> 32), o = r->first;
    while ((left -= w->weight[o]) >= 0) o++;
    return o;
}

/* An option with choices of its own is recalled as it was printed. */
static void print_kept(Walk *w, int slot, const Option *o, const Rest *rest)
{
    Item printed[] = { { .kind = PRINTED, .name = slot }, { .kind = END } };
    assert(o->plain || w->pen.article == 0);
    w->printed[slot].from = w->pen.chars;
    walk(w, o->field[0], &(Rest){ printed, rest });
}

static void take(Walk *w, const Item *item, const Rule *r, int option, int total, const Rest *rest)
{
    const Option *o = &w->grammar->option[option];
    const int weight = w->weight[option];
    double cost = log((double)total / weight);
    assert(w->pen.choices < STORY_MAX_CHOICES);
    w->draft->choice[w->pen.choices++] = (StoryChoice){ r->source->name, option - r->first, cost };
    w->pen.cost += cost;
    if (item->kind == CHOOSE) {
        walk(w, o->field[0], rest);
        return;
    }
    assert(!w->held[item->name]);
    w->held[item->name] = option + 1;
    w->held_rule[item->name] = item->other;
    w->weight[option] = 0;
    w->total[item->other] -= weight;
    if (item->print) print_kept(w, item->name, o, rest);
    else walk(w, rest->at, rest->next);
    w->held[item->name] = 0;
    w->weight[option] = weight;
    w->total[item->other] += weight;
}

static void choose(Walk *w, const Item *item, const Rest *rest)
{
    const int rule = item->kind == BIND ? item->other : item->name, total = w->total[rule];
    const Rule *r = &w->grammar->rule[rule];
    assert(total > 0);
    Rest after = { item + 1, rest };
    if (!w->given) {
        take(w, item, r, draw(w, r, total), total, &after);
        return;
    }
    Pen before = w->pen;
    for (int o = r->first; o < r->first + r->count; o++) {
        w->pen = before;
        if (w->weight[o]) take(w, item, r, o, total, &after);
    }
}

static const Item *recalled(const Walk *w, const Item *item)
{
    const Rule *r = &w->grammar->rule[w->held_rule[item->name]];
    int field = 0;
    while (item->other >= 0 && r->field[field] != item->other) {
        field++;
        assert(field < r->fields);
    }
    return w->grammar->option[w->held[item->name] - 1].field[field];
}

static bool is_printed(const Walk *w, const Item *item)
{
    assert(w->held[item->name]);
    return item->other < 0 && !w->grammar->option[w->held[item->name] - 1].plain;
}

static bool put_again(Walk *w, const Item *item)
{
    assert(w->printed[item->name].to > w->printed[item->name].from);
    for (int i = w->printed[item->name].from; i < w->printed[item->name].to; i++)
        if (!put(w, w->draft->text[i])) return false;
    return true;
}

static void finish(Walk *w)
{
    if (w->given && w->pen.chars < w->given_chars) return;
    w->mass += exp(-w->pen.cost);
    if (w->found++ > 0) return;
    Story *s = w->out;
    memcpy(s->text, w->draft->text, (size_t)w->pen.chars);
    memcpy(s->choice, w->draft->choice, (size_t)w->pen.choices * sizeof s->choice[0]);
    s->text[w->pen.chars] = '\0';
    s->chars = w->pen.chars;
    s->choices = w->pen.choices;
    s->cost = w->pen.cost;
}

static bool put_item(Walk *w, const Item *item)
{
    if (item->kind == LITERAL) return put_literal(w, item);
    if (item->kind == RECALL) return put_again(w, item);
    if (item->kind == PRINTED) {
        w->printed[item->name].to = w->pen.chars;
        return true;
    }
    if (!put(w, 'a')) return false;
    w->pen.article = 1;
    return true;
}

/* Never returns before the story is written, or the text no longer agrees: what follows a field is its `rest`. */
static void walk(Walk *w, const Item *item, const Rest *rest)
{
    for (;; item++) {
        while (item->kind == END) {
            if (!rest) {
                finish(w);
                return;
            }
            item = rest->at;
            rest = rest->next;
        }
        w->pen.upper |= item->upper;
        if (item->kind == CHOOSE || item->kind == BIND) {
            choose(w, item, rest);
            return;
        }
        if (item->kind == RECALL && !is_printed(w, item)) {
            walk(w, recalled(w, item), &(Rest){ item + 1, rest });
            return;
        }
        if (!put_item(w, item)) return;
    }
}

Walk *walk_new(void)
{
    Walk *w = xcalloc(1, sizeof *w);
    w->grammar = grammar_new();
    w->draft = xcalloc(1, sizeof *w->draft);
    for (int rule = 0; rule < MAX_RULES; rule++) {
        const Rule *r = &w->grammar->rule[rule];
        for (int o = r->first; o < r->first + r->count; o++) {
            w->weight[o] = w->grammar->option[o].weight;
            w->total[rule] += w->weight[o];
        }
    }
    return w;
}

void walk_free(Walk *w)
{
    free(w->grammar);
    free(w->draft);
    free(w);
}

static void start(Walk *w, const char *given, size_t chars)
{
    w->given = given;
    w->given_chars = (int)chars;
    w->pen = (Pen){ 0 };
    w->found = w->reached = 0;
    w->mass = 0;
    walk(w, w->grammar->start, NULL);
}

void walk_write(Walk *w, Story *out, uint64_t seed, uint32_t number)
{
    w->out = out;
    w->seed = seed;
    w->number = number;
    start(w, NULL, 0);
    out->reached = out->chars;
}

double walk_read(Walk *w, Story *out, const char *text, size_t chars, int *found)
{
    w->out = out;
    out->choices = 0;
    if (chars > STORY_MAX_CHARS) chars = STORY_MAX_CHARS + 1;
    start(w, text, chars);
    out->reached = w->reached;
    if (found) *found = w->found;
    return -log(w->mass);
}
