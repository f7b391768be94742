/* How groups look, in the page and in figures alike. Colours are Okabe and Ito's, which colour-blind people tell apart. */
#ifndef STEP0_FIGURE_STYLE_H
#define STEP0_FIGURE_STYLE_H

#include "../compare/study.h"

typedef struct { const char *light, *dark; } Hue;      /* on white paper, on a dark screen: #rrggbb */
extern const Hue style_hue[];
extern const int style_hues;

/* Colours of a heat map from its least number to its largest, at equal distances: red, green, blue. */
extern const unsigned char style_ramp[][3];
extern const int style_ramp_stops;
#define STYLE_CLIPPED "#d55e00"        /* where clipping fired */

typedef struct {
    int hue;
    const char *dash;          /* lengths of ink and gap, "7,3"; empty: a full line */
    bool shown;                /* among the SHOWN_FIRST at most that are drawn where there are very many groups */
} Style;

/* Of each group of a study. A scheme has one colour, its groups with other settings have other dashes; a single scheme's
 * groups are told apart by colour. Of more than SHOWN_ALL groups the best of each scheme are shown, then those of the lowest
 * loss. Released with free. */
enum { SHOWN_FIRST = 8, SHOWN_ALL = 10 };
Style *styles_of(const Study *s);

#endif
