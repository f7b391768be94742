/* step0 probe: the network at step 0, over one batch and by depth, schemes side by side; --coord: over widths. */
#include "probe.h"

#include <stdlib.h>

#include "../commands.h"
#include "coord.h"
#include "../config/grid.h"
#include "../config/plan.h"
#include "../run/spare.h"

static int probe_cells(const Args *args, const Cell *cell, int cells)
{
    Probe *probe = xcalloc((size_t)cells, sizeof *probe);
    int batches = (int)number_flag("--batches", args->batches, 0, 2, 10000, true);
    for (int i = 0; i < cells; i++) {
        Args own = *args;
        own.override = cell[i].override;
        own.overrides = cell[i].overrides;
        Setup s = setup_new(&own, NULL);
        probe[i] = probe_measure(&s, cell[i].label, batches);
        setup_free(&s);
    }
    probe_print(probe, cells);
    if (args->csv) probe_csv(args->csv, probe, cells);
    for (int i = 0; i < cells; i++) probe_free(&probe[i]);
    free(probe);
    return EXIT_DONE;
}

static void check_output(const Args *args, const Cell *cell, int cells)
{
    spare_own("--csv", args->csv);
    bool *given = xcalloc((size_t)config_keys, sizeof *given);
    for (int i = 0; i < cells; i++) {
        Plan plan = plan_read(args->words ? args->word[0] : NULL, cell[i].override, cell[i].overrides, given);
        spare_inputs("--csv", args->csv, args, &plan.config);
        plan_free(&plan);
    }
    free(given);
}

int command_probe(const Args *args)
{
    int cells;
    Cell *cell = grid_cells(NULL, args->override, args->overrides, &cells);
    if (args->csv) check_output(args, cell, cells);
    int status = args->coord ? coord_cells(args, cell, cells) : probe_cells(args, cell, cells);
    grid_free(cell, cells);
    return status;
}
