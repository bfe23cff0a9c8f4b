/* SPDX-License-Identifier: MIT */
/*
 * Finds events by their full name as lists print it (unit/EVENT.UMASK/), exactly, or as event files have it
 * (UNC_CHA_EVENT.UMASK), in any case: one look-up instead of one for each part. The table lacks names that mean more
 * than their row (a default umask, a filter that must be set), and names whose parts alone resolve otherwise.
 */
#ifndef PMON_FACTS_FULL_NAME_H
#define PMON_FACTS_FULL_NAME_H

#include "src/base/text.h"
#include "src/facts/db.h"

/* Returns the event of that platform (row of db.platforms); NULL: the name is not in the table. *ret_prefixed: the name
 * is that of event files. */
const struct db_listed *db_find_listed(const struct db *db, uint32_t platform, struct text name, bool *ret_prefixed);

/* Fills db->listed and its places (malloc'ed, freed by facts_free()); index and derived columns must be there.
 * PMON_E_MEMORY. */
int listed_build(struct db *db);

#endif
