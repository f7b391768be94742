#include "terminal.h"

#include <langinfo.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <wchar.h>

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

bool terminal_live(void)
{
    const char *term = getenv("TERM");
    return isatty(STDERR_FILENO) && term && *term && strcmp(term, "dumb");
}

bool terminal_colors(void)
{
    const char *none = getenv("NO_COLOR");
    return terminal_live() && !(none && *none);
}

void terminal_size(int *columns, int *rows)
{
    struct winsize size;
    bool known = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0;
    *columns = known && size.ws_col > 0 ? size.ws_col : 80;
    *rows = known && size.ws_row > 0 ? size.ws_row : 24;
}

int terminal_fit(Text *t, const char *text, int columns)
{
    int taken = 0;
    mbstate_t state = {0};
    for (const char *p = text, *end = text + strlen(text); p < end;) {
        wchar_t c;
        size_t length = mbrtowc(&c, p, (size_t)(end - p), &state);
        bool good = length != (size_t)-1 && length != (size_t)-2;
        int width = good ? wcwidth(c) : -1;
        if (taken + (width < 0 ? 1 : width) > columns) break;
        if (width < 0) text_add(t, "?");
        else text_add_bytes(t, p, length);
        if (!good) state = (mbstate_t){0};
        taken += width < 0 ? 1 : width;
        p += good ? length : 1;
    }
    return taken;
}

char *terminal_plain(char *text, char instead)
{
    unsigned char *p = (unsigned char *)text;
    for (const unsigned char *end = p + strlen(text); p < end;) {
        size_t length = utf8_length(p, end);
        if (*p < 0x20 || *p == 0x7f || !length) *p = (unsigned char)instead;
        p += length ? length : 1;
    }
    return text;
}
