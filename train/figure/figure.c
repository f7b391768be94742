#include "figure.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void figure_add(Figure *f, const char *fmt, ...)
{
    char *text;
    va_list args;
    va_start(args, fmt);
    int length = vasprintf(&text, fmt, args);
    va_end(args);
    assert(length >= 0);
    text_add_bytes(&f->body, text, (size_t)length);
    free(text);
}

/* --- text --- */

#define UNKNOWN "\xef\xbf\xbd"         /* U+FFFD */
#define ELLIPSIS "\xe2\x80\xa6"

/* Bytes of the character at p, 0 where it is none that XML 1.0 can hold (control characters, U+FFFE, U+FFFF). */
static size_t character(const char *p)
{
    size_t n = utf8_length((const unsigned char *)p, (const unsigned char *)p + strlen(p));
    bool control = n == 1 && (unsigned char)*p < ' ', none = n == 3 && (!memcmp(p, "\xef\xbf\xbe", 3) || !memcmp(p, "\xef\xbf\xbf", 3));
    return control || none ? 0 : n;
}

/* The text in characters that XML can hold; released with free. */
static char *clean(const char *text)
{
    Text t = {0};
    text_add(&t, "%s", "");
    for (size_t n; *text; text += n ? n : 1) {
        n = character(text);
        text_add_bytes(&t, n ? text : UNKNOWN, n ? n : strlen(UNKNOWN));
    }
    return t.at;
}

void figure_escape(Text *t, const char *text)
{
    char *plain = clean(text);
    text_add(t, "%s", "");
    for (const char *p = plain; *p; p++)
        switch (*p) {
        case '<': text_add(t, "&lt;"); break;
        case '>': text_add(t, "&gt;"); break;
        case '&': text_add(t, "&amp;"); break;
        case '"': text_add(t, "&quot;"); break;
        default: text_add_bytes(t, p, 1);
        }
    free(plain);
}

/* Of a byte in a font like DejaVu Sans, which is wide; those behind a character's first take none. */
static double byte_width(unsigned char c)
{
    if (c >= 0x80 && c < 0xc0) return 0;
    double em = c >= 0xe0 ? 1 : strchr("ijl|'.,:;! ft/()[]-", c) ? 0.4 : strchr("mwMW@%=+<>~#", c) ? 0.98 : 0.66;
    return em * FIGURE_FONT;
}

double figure_text_width(const char *text)
{
    double width = 0;
    for (; *text; text++) width += byte_width((unsigned char)*text);
    return width;
}

/* The text, or its beginning and its end; released with free. */
static char *fitted(const char *text, double width)
{
    if (figure_text_width(text) <= width) return xstrdup(text);
    double half = (width - figure_text_width(ELLIPSIS)) / 2, used = 0;
    const char *head = text, *tail = text + strlen(text);
    for (; used + byte_width((unsigned char)*head) <= half; head++) used += byte_width((unsigned char)*head);
    for (used = 0; used + byte_width((unsigned char)tail[-1]) <= half; tail--) used += byte_width((unsigned char)tail[-1]);
    while (((unsigned char)*head & 0xc0) == 0x80) head--;
    while (((unsigned char)*tail & 0xc0) == 0x80) tail++;
    return text_format("%.*s" ELLIPSIS "%s", (int)(head - text), text, tail);
}

static void add_text(Figure *f, const char *attributes, const char *title, const char *text)
{
    figure_add(f, "<text %s>", attributes);
    if (title) {
        figure_add(f, "<title>");
        figure_escape(&f->body, title);
        figure_add(f, "</title>");
    }
    figure_escape(&f->body, text);
    figure_add(f, "</text>\n");
}

void figure_text(Figure *f, double x, double y, const char *anchor, const char *text)
{
    char at[96];
    snprintf(at, sizeof at, "x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\"", x, y, anchor);
    add_text(f, at, NULL, text);
}

void figure_text_up(Figure *f, double x, double y, const char *text)
{
    char at[96];
    snprintf(at, sizeof at, "transform=\"translate(%.1f,%.1f) rotate(-90)\" text-anchor=\"middle\"", x, y);
    add_text(f, at, NULL, text);
}

void figure_label(Figure *f, double x, double y, double width, const char *text)
{
    char at[96], *plain = clean(text), *shown = fitted(plain, width);
    snprintf(at, sizeof at, "x=\"%.1f\" y=\"%.1f\"", x, y);
    add_text(f, at, strcmp(shown, plain) ? plain : NULL, shown);
    free(plain);
    free(shown);
}

/* --- the whole --- */

char *figure_whole(const Figure *f, const char *title, double height)
{
    Text t = {0};
    text_add(&t, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %.0f\" width=\"%d\" height=\"%.0f\" role=\"img\" "
                 "font-family=\"Helvetica, Arial, sans-serif\" font-size=\"%d\" fill=\"" FIGURE_INK "\">\n<title>",
             FIGURE_WIDTH, height, FIGURE_WIDTH, height, FIGURE_FONT);
    figure_escape(&t, title);
    text_add(&t, "</title>\n<desc>");
    figure_escape(&t, f->about.at);
    text_add(&t, "</desc>\n<rect width=\"100%%\" height=\"100%%\" fill=\"#ffffff\"/>\n");
    text_add_bytes(&t, f->body.at, f->body.length);
    text_add(&t, "</svg>\n");
    return t.at;
}

void figure_free(Figure *f)
{
    free(f->body.at);
    free(f->about.at);
}
