/* What is printed from the table of keys. */
#ifndef STEP0_CONFIG_DOC_H
#define STEP0_CONFIG_DOC_H

#include <stdio.h>

#include "config.h"

void config_help(FILE *out);           /* step0 help config */
Json *config_schema(void);             /* configs/schema.json (draft-07), owned by the caller */

#endif
