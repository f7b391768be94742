#include "svg.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../out.h"
#include "svg_panels.h"

static const Panel panel[] = {
    {"train_loss", "Training loss", "loss", "training loss", draw_losses},
    {"validation_loss", "Validation loss", "val_loss", "validation loss", draw_losses},
    {"total_gradient_norm", "Gradient norm before clipping", "grad_norm", "gradient norm", draw_norms},
    {"gradient_norms", "Gradient norm by layer and step", "grad_norm.", "gradient norm", draw_maps},
    {"branch_over_stream", "Branch over stream by layer and step", "branch_ratio.", "branch over stream", draw_maps},
    {"step0_by_depth", "The network at step 0", NULL, NULL, draw_depth},
    {"learning_rate", "Final loss against learning rate", NULL, "final validation loss", draw_rates},
};

double draw_legend(Figure *f, double top, const Scene *s)
{
    LegendEntry *entry = xcalloc((size_t)s->study->groups, sizeof *entry);
    int n = 0;
    for (int i = 0; i < s->study->groups; i++)
        if (s->style[i].shown) entry[n++] = (LegendEntry){&s->style[i], s->study->group[i].label};
    double bottom = figure_legend(f, top, entry, n);
    free(entry);
    return bottom;
}

char *scene_choice(const Scene *s)
{
    int shown = 0;
    for (int i = 0; i < s->study->groups; i++) shown += s->style[i].shown;
    return shown == s->study->groups ? xstrdup("")
                                     : text_format("%d of %d groups: the best of each scheme, then the lowest losses", shown, s->study->groups);
}

static void write_figure(const char *path, const Figure *f, const Panel *p, double height)
{
    char *text = figure_whole(f, p->title, height), *error = out_replace(path, text, strlen(text));
    if (error) die("--svg: %s", error);
    free(text);
}

/* Whether the panel had something to show. */
static bool write_panel(const char *folder, const Panel *p, const Scene *s)
{
    Figure f = {.name = p->file};
    double height = p->draw(&f, p, s);
    char *path = text_format("%s/%s.svg", folder, p->file);
    if (height > 0) write_figure(path, &f, p, height);
    else if (!access(path, F_OK)) notice("%s is of an earlier call: these runs have nothing to show in it", path);
    figure_free(&f);
    free(path);
    return height > 0;
}

char *svg_write(const char *folder, const Study *s)
{
    char *error = out_folder(folder);
    if (error) die("--svg: %s", error);
    Style *style = styles_of(s);
    Scene scene = {s, style};
    Text names = {0};
    for (size_t i = 0; i < COUNT(panel); i++)
        if (write_panel(folder, &panel[i], &scene)) text_add(&names, "%s %s.svg", names.length ? "," : "", panel[i].file);
    char *said = text_format("figures in %s:%s", folder, names.at ? names.at : " none, there is nothing to show");
    free(names.at);
    free(style);
    return said;
}
