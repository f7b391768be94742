#include "terminal.h"

#include <langinfo.h>
#include <math.h>
#include <string.h>

static bool has_utf8(void)
{
    return !strcmp(nl_langinfo(CODESET), "UTF-8");
}

static int level(double x, int levels)
{
    if (!(x > 0)) return 0;
    return x >= 1 ? levels - 1 : (int)(x * levels);
}

void terminal_spark(Text *t, double height)
{
    static const char *const block[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"}, *const plain[] = {"_", ".", "-", "~", "=", "+", "*", "#"};
    if (isnan(height)) text_add(t, " ");
    else text_add(t, "%s", (has_utf8() ? block : plain)[level(height, COUNT(block))]);
}

void terminal_bar(Text *t, double length, int width)
{
    static const char *const end[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
    int eighths = isnan(length) ? 0 : (int)(fmin(fmax(length, 0), 1) * width * 8 + 0.5), columns = 0;
    for (; columns < eighths / 8; columns++) text_add(t, has_utf8() ? "█" : "#");
    if (has_utf8() && eighths % 8) {
        text_add(t, "%s", end[eighths % 8]);
        columns++;
    }
    text_add(t, "%*s", width - columns, "");
}
