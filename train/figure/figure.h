/* A vector figure (SVG 1.1) as it grows: white paper, texts as texts, no script, nothing from elsewhere. Lengths are px of a
 * drawing FIGURE_WIDTH wide, y grows downwards. */
#ifndef STEP0_FIGURE_H
#define STEP0_FIGURE_H

#include "../../model/base.h"

enum { FIGURE_WIDTH = 640, FIGURE_FONT = 12, FIGURE_LINE = 17 };       /* letters' height; from a line of text to the next */
#define FIGURE_INK "#1b1f24"
#define FIGURE_SOFT "#59636e"
#define FIGURE_GRID "#d4d9df"

/* name: what ids start with, so that several figures can stand in one page; about: what it shows, for those who do not see it. */
typedef struct { const char *name; Text body, about; int clips; } Figure;
typedef struct { double left, top, right, bottom; } Box;

/* Markup as it stands. */
void figure_add(Figure *f, const char *fmt, ...) PRINTF(2, 3);

/* A line of text; anchor: "start", "middle" or "end" of it is at x. figure_text_up reads from below to above. */
void figure_text(Figure *f, double x, double y, const char *anchor, const char *text);
void figure_text_up(Figure *f, double x, double y, const char *text);

/* A text from x on that takes `width` at most: a longer one loses its middle, and is whole in its <title>. */
void figure_label(Figure *f, double x, double y, double width, const char *text);

/* About as wide as a wide font makes it. */
double figure_text_width(const char *text);

/* Any bytes as a text of XML: markup escaped, what XML cannot hold becomes U+FFFD. */
void figure_escape(Text *t, const char *text);

/* The file's text, released with free. */
char *figure_whole(const Figure *f, const char *title, double height);
void figure_free(Figure *f);

#endif
