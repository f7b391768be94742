/* What a terminal shows: small pictures made of characters, lines that fit, colours. */
#ifndef STEP0_TERMINAL_H
#define STEP0_TERMINAL_H

#include "../model/base.h"

/* Characters of one column each: height 0 (lowest) to 1, and a bar `width` columns long where full. Block characters
 * where the locale has UTF-8, ASCII elsewhere. Appended to `t`. */
void terminal_spark(Text *t, double height);
void terminal_bar(Text *t, double length, int width);

/* Whether stderr is a terminal where lines can be redrawn, and whether it may have colours (NO_COLOR). */
bool terminal_live(void);
bool terminal_colors(void);

/* Of stderr; 80 x 24 where it does not say. */
void terminal_size(int *columns, int *rows);

/* Appends as much of a UTF-8 text as fits into `columns`, and returns the columns taken. What a terminal cannot show as it
 * stands (control characters, broken UTF-8) becomes "?". */
int terminal_fit(Text *t, const char *text, int columns);

/* In place: control characters and bytes that are no UTF-8 become `instead`. Returns text. */
char *terminal_plain(char *text, char instead);

#endif
