#include "stories_rules.h"

#include <stdlib.h>
#include <string.h>

#include "../model/noise.h"
#include "stories_grammar.h"

static int name_number(Grammar *g, const char *name, size_t length)
{
    assert(length > 0);
    size_t at = noise_hash(name, length) % MAX_NAMES, tries = 0;
    while (g->name[at] && (g->name_length[at] != (int)length || memcmp(g->name[at], name, length) != 0)) {
        at = (at + 1) % MAX_NAMES;
        tries++;
        assert(tries < MAX_NAMES / 2);
    }
    g->name[at] = name;
    g->name_length[at] = (int)length;
    return (int)at;
}

static Item *add_item(Grammar *g, Item item)
{
    assert(g->items < MAX_ITEMS);
    g->item[g->items] = item;
    return &g->item[g->items++];
}

/* What stands between braces: a, rule, slot, slot.field, slot=rule, slot:rule, each perhaps after ^. */
static void compile_reference(Grammar *g, const char *text, size_t length)
{
    bool upper = *text == '^';
    text += upper, length -= upper;
    size_t word = strcspn(text, "=:.}");
    int name = name_number(g, text, word);
    Item item = { .kind = RECALL, .upper = upper, .name = name, .other = -1 };
    if (word < length) {
        item.other = name_number(g, text + word + 1, length - word - 1);
        if (text[word] != '.') {
            item.kind = BIND;
            item.print = text[word] == ':';
            item.other = g->rule_of[item.other] - 1;
            assert(item.other >= 0 && !g->rule_of[name]);
            g->bound[name] = true;
        }
    } else if (length == 1 && *text == 'a') {
        item.kind = ARTICLE;
    } else if (g->rule_of[name]) {
        item.kind = CHOOSE;
        item.name = g->rule_of[name] - 1;
    }
    add_item(g, item);
}

static const Item *compile_field(Grammar *g, const char *at, const char *end)
{
    const Item *first = &g->item[g->items];
    while (at < end) {
        size_t length = strcspn(at, "{|/");
        if (length > 0) add_item(g, (Item){ .kind = LITERAL, .text = at, .length = (int)length });
        at += length;
        if (*at != '{') break;
        length = strcspn(at, "}");
        assert(at + length < end);
        compile_reference(g, at + 1, length - 1);
        at += length + 1;
    }
    add_item(g, (Item){ .kind = END });
    return first;
}

static const char *compile_option(Grammar *g, const char *at, int fields)
{
    assert(g->options < MAX_OPTIONS);
    Option *o = &g->option[g->options++];
    size_t digits = strspn(at, "0123456789");
    o->weight = digits > 0 ? atoi(at) : 1;
    assert(o->weight > 0 && (digits == 0 || at[digits] == '*'));
    at += digits > 0 ? digits + 1 : 0;
    for (int f = 0; f < fields; f++) {
        const char *end = at + strcspn(at, "/|");
        o->field[f] = compile_field(g, at, end);
        assert((*end == '/') == (f + 1 < fields));
        at = end + (*end != '\0');
    }
    o->plain = o->field[0]->kind == END || (o->field[0]->kind == LITERAL && o->field[0][1].kind == END);
    return at;
}

static void compile_rule(Grammar *g, Rule *r)
{
    for (const char *at = r->source->fields; *at; at += strspn(at, " ")) {
        assert(r->fields < MAX_FIELDS);
        size_t length = strcspn(at, " ");
        r->field[r->fields++] = name_number(g, at, length);
        at += length;
    }
    r->fields += r->fields == 0;
    r->first = g->options;
    const char *at = r->source->options;
    do {
        at = compile_option(g, at, r->fields);
        r->count++;
    } while (*at || at[-1] == '|');
}

Grammar *grammar_new(void)
{
    Grammar *g = xcalloc(1, sizeof *g);
    static_assert(COUNT(story_rules) <= MAX_RULES, "room for each rule");
    for (size_t i = 0; i < COUNT(story_rules); i++) {
        int name = name_number(g, story_rules[i].name, strlen(story_rules[i].name));
        assert(!g->rule_of[name]);
        g->rule_of[name] = (int)i + 1;
        g->rule[i].source = &story_rules[i];
    }
    for (size_t i = 0; i < COUNT(story_rules); i++) compile_rule(g, &g->rule[i]);
    for (int i = 0; i < g->items; i++) assert(g->item[i].kind != RECALL || g->bound[g->item[i].name]);
    int story = name_number(g, "story", 5);
    g->start[0] = (Item){ .kind = CHOOSE, .name = g->rule_of[story] - 1 };
    g->start[1] = (Item){ .kind = END };
    return g;
}
