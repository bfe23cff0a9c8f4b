/* SPDX-License-Identifier: MIT */
/*
 * Look-up of rows by name, in any case. Each function returns a row's index or DB_NONE; none allocates. Events, umasks,
 * fields and units, of which there are thousands, go through db.index; for the others the platform's few rows are
 * searched. Aliases count as names.
 */
#ifndef PMON_FACTS_INDEX_H
#define PMON_FACTS_INDEX_H

#include "src/base/text.h"
#include "src/facts/db.h"

/* A name with its hash, for look-ups in several places. */
struct db_key {
  struct text text;
  uint32_t hash;
};

static inline struct db_key db_key(const struct db *db, struct text t)
{
  return (struct db_key){t, text_hash(db->index_key, t.s, t.n)};
}

uint32_t db_find_event(const struct db *db, uint32_t set, const char *name, size_t len);
uint32_t db_find_umask(const struct db *db, uint32_t event, const char *name, size_t len);
uint32_t db_find_platform(const struct db *db, const char *name, size_t len);
uint32_t db_find_unit(const struct db *db, uint32_t platform, const char *name, size_t len);
uint32_t db_find_set(const struct db *db, uint32_t platform, const char *name, size_t len);
uint32_t db_find_layout(const struct db *db, uint32_t platform, const char *name, size_t len);
uint32_t db_find_values(const struct db *db, uint32_t platform, const char *name, size_t len);
uint32_t db_find_clock(const struct db *db, uint32_t platform, const char *name, size_t len);
/* A metric of `unit` (DB_NONE: of any unit, the first of that name). */
uint32_t db_find_metric(const struct db *db, uint32_t platform, uint32_t unit, const char *name, size_t len);
/* A field of a layout by name or alias. */
uint32_t db_find_field(const struct db *db, uint32_t layout, const char *name, size_t len);

/* Finds REGISTER.FIELD of a filter or fixed control register of a unit (row of db.units): REGISTER is the register's
 * name or its end after an underscore. */
bool db_find_filter(const struct db *db, uint32_t unit, struct text name, uint32_t *ret_reg, uint32_t *ret_field);

/* As db_find_event(), for a key. */
uint32_t db_find_event_key(const struct db *db, uint32_t set, const struct db_key *key);
/* A unit by any of its names, Linux perf's and libpfm4's included: the platform's first. */
uint32_t db_find_unit_called(const struct db *db, uint32_t platform, struct text name);
/* A unit with registers by the longest prefix of event files (UNC_CHA_) with which an event's name begins: the
 * platform's first. */
uint32_t db_find_unit_of_event(const struct db *db, uint32_t platform, struct text name);

/* Fills db->index from the other rows (malloc'ed, freed by facts_free()), and the derived columns. PMON_E_MEMORY. */
int index_build(struct db *db);

#endif
