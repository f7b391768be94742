/* What is printed from the tables of keys, roles and rules. */
#ifndef STEP0_CONFIG_DOC_H
#define STEP0_CONFIG_DOC_H

#include <stdio.h>

#include "config.h"

void config_help(FILE *out);           /* step0 help config */
void scheme_help(FILE *out);           /* step0 help schemes */
Json *config_schema(void);             /* configs/schema.json (draft-07), owned by the caller */

#endif
