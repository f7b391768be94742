/* step0 probe: the network at step 0, over one batch and by depth, schemes side by side; --coord: over widths. */
#include "probe.h"

#include <stdlib.h>

#include "../commands.h"
#include "coord.h"
#include "../config/grid.h"
#include "../run/record.h"

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

int command_probe(const Args *args)
{
    int cells;
    if (args->csv) record_spare("--csv", args->csv);
    Cell *cell = grid_cells(NULL, args->override, args->overrides, &cells);
    int status = args->coord ? coord_cells(args, cell, cells) : probe_cells(args, cell, cells);
    grid_free(cell, cells);
    return status;
}
