/* One walk through the grammar for both ways: writing takes one option at each choice, reading tries all of them and
 * compares with the text. So what is read back is what was written. */
#ifndef STEP0_STORIES_WALK_H
#define STEP0_STORIES_WALK_H

#include "stories.h"

typedef struct Walk Walk;

Walk *walk_new(void);
void walk_free(Walk *w);

/* Story number `number` of the seed. */
void walk_write(Walk *w, Story *out, uint64_t seed, uint32_t number);

/* -ln P(a story begins with this text), infinity where none does. found (may be NULL): the number of derivations of a
 * story that is this text and no more; out: the first of them, or no choices; out->reached as in stories.h. */
double walk_read(Walk *w, Story *out, const char *text, size_t chars, int *found);

#endif
