/* The grammar of the stories, compiled from the tables of stories_grammar.h: rules have options, an option has fields,
 * a field is a row of items up to END. The notation is explained there. */
#ifndef STEP0_STORIES_RULES_H
#define STEP0_STORIES_RULES_H

#include "../model/base.h"

/* A row of the tables: a rule's name, the names of its fields ("": one without a name), its options. */
typedef struct { const char *name, *fields, *options; } StoryRule;

enum { MAX_NAMES = 1024, MAX_RULES = 512, MAX_OPTIONS = 4096, MAX_ITEMS = 16384, MAX_FIELDS = 8 };

typedef enum { END, LITERAL, ARTICLE, CHOOSE, BIND, RECALL, PRINTED } ItemKind;     /* PRINTED: set by the walk */

typedef struct {
    ItemKind kind;
    bool upper, print;          /* capital letter; BIND: {slot:rule} rather than {slot=rule} */
    const char *text;           /* LITERAL */
    int length, name, other;    /* LITERAL; CHOOSE: rule; BIND: slot, rule; RECALL: slot, field or -1 */
} Item;

typedef struct { int weight; bool plain; const Item *field[MAX_FIELDS]; } Option;  /* plain: field 0 is one literal */
typedef struct { const StoryRule *source; int field[MAX_FIELDS], fields, first, count; } Rule;

typedef struct {
    const char *name[MAX_NAMES];                /* a hash table; a name's number is its place */
    int name_length[MAX_NAMES], rule_of[MAX_NAMES];     /* rule_of: 1 + rule, 0: none */
    bool bound[MAX_NAMES];                      /* a slot that some rule binds */
    Rule rule[MAX_RULES];
    Option option[MAX_OPTIONS];
    Item item[MAX_ITEMS];
    int options, items;
    Item start[2];                              /* a story */
} Grammar;

/* Released with free. A mistake in the tables is an assertion. */
Grammar *grammar_new(void);

#endif
