/* SPDX-License-Identifier: MIT */
/* Columns that follow from other rows: worked out once, where tables are made, so that no look-up has to. */
#ifndef PMON_FACTS_DERIVE_H
#define PMON_FACTS_DERIVE_H

#include "src/facts/db.h"

/* Fills them; the index must be there, and the rows still the caller's to write. */
void derive_columns(const struct db *db);

#endif
