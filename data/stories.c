#include "stories.h"

#include <stdlib.h>
#include <string.h>

#include "stories_walk.h"

void stories_story(Story *out, uint64_t seed, uint32_t number)
{
    Walk *w = walk_new();
    walk_write(w, out, seed, number);
    walk_free(w);
}

int stories_parse(Story *out, const char *text, size_t chars)
{
    Walk *w = walk_new();
    int found;
    walk_read(w, out, text, chars, &found);
    walk_free(w);
    return found;
}

/* -ln P(a story begins with the first `chars` characters of s). */
static double cost_of_beginning(Walk *w, const Story *s, size_t chars)
{
    if (chars == 0) return 0;
    if (chars == (size_t)s->chars) return s->cost;
    Story *part = xcalloc(1, sizeof *part);
    double cost = walk_read(w, part, s->text, chars, NULL);
    free(part);
    return cost;
}

double stories_cost(const char *text, size_t chars)
{
    Walk *w = walk_new();
    Story *s = xcalloc(1, sizeof *s);
    double cost = walk_read(w, s, text, chars, NULL);
    free(s);
    walk_free(w);
    return cost;
}

char *stories_text(size_t chars, uint64_t seed)
{
    char *text = xcalloc(chars + 1, 1);
    Walk *w = walk_new();
    Story *s = xcalloc(1, sizeof *s);
    size_t at = 0;
    for (uint32_t number = 0; at < chars; number++) {
        walk_write(w, s, seed, number);
        size_t length = (size_t)min_i64(s->chars, (int64_t)(chars - at));
        memcpy(text + at, s->text, length);
        at += length;
    }
    free(s);
    walk_free(w);
    return text;
}

/* The number of the story to which text[from] belongs; where it begins: *at. */
static uint32_t story_at(const char *text, size_t from, size_t *at)
{
    uint32_t number = 0;
    *at = 0;
    for (size_t i = 2; i <= from; i++)
        if (text[i - 2] == '\n' && text[i - 1] == '\n') {
            *at = i;
            number++;
        }
    return number;
}

double stories_floor(const char *text, size_t chars, uint64_t seed, size_t from)
{
    assert(from < chars);
    Walk *w = walk_new();
    Story *s = xcalloc(1, sizeof *s);
    double cost = 0;
    size_t at;
    for (uint32_t number = story_at(text, from, &at); at < chars; number++) {
        walk_write(w, s, seed, number);
        size_t end = at + (size_t)s->chars;
        cost += cost_of_beginning(w, s, (end < chars ? end : chars) - at);
        cost -= cost_of_beginning(w, s, at < from ? from - at : 0);
        at = end;
    }
    free(s);
    walk_free(w);
    return cost / (double)(chars - from);
}
