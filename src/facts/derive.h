/* SPDX-License-Identifier: MIT */
/* Columns that follow from other rows: computed once, when tables are made, so that no look-up has to. */
#ifndef PMON_FACTS_DERIVE_H
#define PMON_FACTS_DERIVE_H

#include "src/facts/db.h"

/* Fills these columns; the index must exist, and the rows must still be writable. */
void derive_columns(const struct db *db);

#endif
