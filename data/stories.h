/* The built-in corpus `builtin:stories`: short English tales from a seeded grammar, the same on every machine.
 *
 * A story is a paragraph or a few, 450 to 800 characters as a rule; a blank line ends it. Each story has exactly one
 * derivation: the sequence of choices among the grammar's weighted alternatives that makes its text. So the probability
 * of a text is the product of its choices' probabilities, and the entropy floor that no model can beat is known.
 * Thirteen plots, about 1200 words, 60 letters and signs, 0.28 nats a character (the letters' own entropy is 3.1).
 *
 * What to look for in a model's samples, from the first thing that training gets right to the last:
 *   spelling    only words of the corpus
 *   grammar     sentences that end, quotes that close, "an" before a vowel, "they were" after boots
 *   agreement   the hero is he or she throughout; an owl hoots and a goat bleats; the colour of a thing stays
 *   reference   the thing that was lost is the one that is found, and it lies where the hero had rested; what one swap
 *               brings is what the next one gives away; the friend keeps the name, the hero's song its first words
 *   cause       the ending follows from the trait that the story named: the careless hero loses again, the patient
 *               one's seed grows, the creature that was helped comes at its call and does what its kind can do
 * A model that sees 64 characters can have the first three; the last two need a context as long as the way back.
 * stories_parse does the same by machine: `reached` is how far a sample goes before no story could go on like that. */
#ifndef STEP0_STORIES_H
#define STEP0_STORIES_H

#include "../model/base.h"

enum { STORY_MAX_CHARS = 2048, STORY_MAX_CHOICES = 512 };

/* Of a rule's alternatives, in the grammar's order, the pick-th was taken: cost = -ln P, in nats. Alternatives that an
 * earlier choice ruled out (a friend is not the hero) have no share. A name that comes again is no choice. */
typedef struct { const char *rule; int pick; double cost; } StoryChoice;

typedef struct {
    char text[STORY_MAX_CHARS + 1];              /* with the blank line that ends it */
    int chars, choices;
    StoryChoice choice[STORY_MAX_CHOICES];       /* in the order of the text */
    double cost;                                 /* the sum of the choices': -ln P(text) */
    int reached;                                 /* by stories_parse; else chars */
} Story;

/* A text of exactly `chars` characters: stories 0, 1, 2, … of the seed, the last one cut where the text ends. A
 * longer text starts with the shorter one. seed: 0 to 2^53-1. Released with free. */
char *stories_text(size_t chars, uint64_t seed);

/* -ln P(text[from..chars) | text[0..from)) / (chars - from), in nats a character, exactly: the mean loss there of a
 * predictor that knows the grammar and has read everything before, and so a lower bound for any model's expected loss.
 * A story that a border cuts counts by the probability of all stories that share the part on this side.
 * text: that of stories_text with this seed; from < chars. */
double stories_floor(const char *text, size_t chars, uint64_t seed, size_t from);

/* Story number `number` of the seed. */
void stories_story(Story *out, uint64_t seed, uint32_t number);

/* The choices of a complete story from its text alone. Returns the number of derivations: 1 for a story, 0 for any
 * other text; `out` is the first one. Where there is none, out->choices is 0, and out->reached says how many leading
 * characters some story shares. */
int stories_parse(Story *out, const char *text, size_t chars);

/* -ln P(a story begins with this text), in nats; infinity where none does. */
double stories_cost(const char *text, size_t chars);

#endif
