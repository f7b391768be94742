#include "figure_style.h"

#include <stdlib.h>
#include <string.h>

/* Okabe and Ito's yellow is darkened for white paper, their black is white on a dark screen. */
const Hue style_hue[] = {
    {"#0072b2", "#3d9fe0"}, {"#d55e00", "#f07a2a"}, {"#009e73", "#1fc498"}, {"#cc79a7", "#e79bc6"},
    {"#56b4e9", "#8fd0fa"}, {"#e69f00", "#f2b632"}, {"#000000", "#f2f2f2"}, {"#b5a800", "#f0e442"}};
const int style_hues = COUNT(style_hue);

static const char *const dash[] = {"", "7,3", "2,2", "9,3,2,3", "12,4", "4,2,1,2", "1,3", "14,3,3,3"};

const unsigned char style_ramp[][3] = {{68, 1, 84}, {65, 68, 135}, {42, 120, 142}, {34, 168, 132}, {122, 209, 81}, {253, 231, 37}};
const int style_ramp_stops = COUNT(style_ramp);

/* The first group of the same scheme. */
static int first_of_scheme(const Study *s, int group)
{
    int i = 0;
    while (strcmp(outcome_scheme(s->group[i].run[0]), outcome_scheme(s->group[group].run[0]))) i++;
    return i;
}

static void choose_shown(Style *style, const Study *s)
{
    bool all = s->groups <= SHOWN_ALL;
    int shown = 0;
    for (int i = 0; i < s->groups; i++) {
        style[i].shown = all || (first_of_scheme(s, i) == i && shown < SHOWN_FIRST);
        shown += style[i].shown;
    }
    for (int i = 0; i < s->groups && shown < SHOWN_FIRST; i++) {
        shown += !style[i].shown;
        style[i].shown = true;
    }
}

Style *styles_of(const Study *s)
{
    Style *style = xcalloc((size_t)s->groups, sizeof *style);
    int *scheme = xcalloc((size_t)s->groups, sizeof *scheme), *seen = xcalloc((size_t)s->groups, sizeof *seen), schemes = 0;
    for (int i = 0; i < s->groups; i++) {
        int first = first_of_scheme(s, i);
        scheme[i] = first == i ? schemes++ : scheme[first];
    }
    for (int i = 0; i < s->groups; i++) {
        int at = schemes == 1 ? i : scheme[i], variant = schemes == 1 ? 0 : seen[scheme[i]]++;
        style[i].hue = at % style_hues;
        style[i].dash = dash[(at / style_hues + variant) % (int)COUNT(dash)];
    }
    choose_shown(style, s);
    free(scheme);
    free(seen);
    return style;
}
