#include "report.h"

#include <stdlib.h>
#include <string.h>

#include "../out.h"
#include "report_data.h"

/* Name and text of each file of the page; those of dygraphs are missing where the package was when this was built. */
typedef struct { const char *name, *text, *end; } Piece;
extern const Piece report_piece[];
extern const int report_piece_count;

static const Piece *piece_find(const char *name, size_t length)
{
    for (int i = 0; i < report_piece_count; i++)
        if (strlen(report_piece[i].name) == length && !strncmp(report_piece[i].name, name, length)) return &report_piece[i];
    return NULL;
}

/* JSON inside an element <script>: what HTML or JavaScript could take for its own is written as \u003c. These characters
 * stand in JSON inside strings only. */
static void add_escaped(Text *page, const char *json)
{
    static const struct { const char *from, *to; } escape[] = {
        {"<", "\\u003c"}, {">", "\\u003e"}, {"&", "\\u0026"}, {"\u2028", "\\u2028"}, {"\u2029", "\\u2029"}};
    for (const char *plain = json, *at = json; *at;) {
        size_t length = 0, e = 0;
        for (e = 0; e < COUNT(escape) && !length; e++)
            if (!strncmp(at, escape[e].from, strlen(escape[e].from))) length = strlen(escape[e].from);
        if (length) {
            text_add_bytes(page, plain, (size_t)(at - plain));
            text_add(page, "%s", escape[e - 1].to);
            plain = at + length;
        }
        at += length ? length : 1;
        if (!*at) text_add_bytes(page, plain, (size_t)(at - plain));
    }
}

/* The template with each {{file}} replaced by that file's text, and {{data}} by the data. */
static Text page_of(const Piece *template, const char *data)
{
    Text page = {0};
    assert(template);
    const char *at = template->text;
    for (const char *open, *close; (open = strstr(at, "{{")); at = close + 2) {
        close = strstr(open, "}}");
        assert(close);
        text_add_bytes(&page, at, (size_t)(open - at));
        size_t length = (size_t)(close - open) - 2;
        const Piece *piece = piece_find(open + 2, length);
        if (piece) text_add_bytes(&page, piece->text, (size_t)(piece->end - piece->text));
        else if (!strncmp(open, "{{data}}", 8)) add_escaped(&page, data);
        else die("this step0 was built without %.*s, which the report needs: install libjs-dygraphs (or set DYGRAPHS=FOLDER, see the Makefile) and run make again",
                 (int)length, open + 2);
    }
    text_add(&page, "%s", at);
    return page;
}

bool report_possible(void)
{
    return piece_find("dygraph.min.js", strlen("dygraph.min.js"));
}

void report_write(const char *path, const Study *s)
{
    const Piece *template = piece_find("page.html", strlen("page.html"));
    char *data = report_data(s);
    Text page = page_of(template, data);
    char *error = out_replace(path, page.at, page.length);
    if (error) die("--html: %s", error);
    free(data);
    free(page.at);
}
