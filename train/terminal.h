/* Small pictures made of characters. */
#ifndef STEP0_TERMINAL_H
#define STEP0_TERMINAL_H

#include "../model/base.h"

/* Characters of one column each: height 0 (lowest) to 1, and a bar `width` columns long where full. Block characters
 * where the locale has UTF-8, ASCII elsewhere. Appended to `t`. */
void terminal_spark(Text *t, double height);
void terminal_bar(Text *t, double length, int width);

#endif
