/* SPDX-License-Identifier: MIT */
/*
 * Events by the whole of their name as lists print it (unit/EVENT.UMASK/), to the letter, or as event files have it
 * (UNC_CHA_EVENT.UMASK), in any case: one look-up instead of one for each part. Names that mean more than their row (a
 * default umask, a filter that has to be set) are not among them, nor any that the parts alone would lead elsewhere.
 */
#ifndef PMON_FACTS_FULL_NAME_H
#define PMON_FACTS_FULL_NAME_H

#include "src/base/text.h"
#include "src/facts/db.h"

/* NULL: no event of that platform (row of db.platforms) is listed so. *ret_prefixed: the name is that of event files.
 */
const struct db_listed *db_find_listed(const struct db *db, uint32_t platform, struct text name, bool *ret_prefixed);

/* Fills db->listed and its places (malloc'ed, freed by facts_free()); the index and what is derived must be there.
 * PMON_E_MEMORY. */
int listed_build(struct db *db);

#endif
