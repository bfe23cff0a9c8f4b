/* SPDX-License-Identifier: MIT */
/*
 * The vocabularies of fact files: the names of spaces (PMON_SPACES, pmon/access.h), register roles (PMON_ROLES,
 * pmon/platform.h) and field accesses (DB_ACCESSES, src/facts/db.h). Each list exists once; the enum, the names and the
 * parser are generated from it.
 */
#ifndef PMON_FACTS_VOCABULARY_H
#define PMON_FACTS_VOCABULARY_H

#include "src/base/text.h"

enum vocabulary { VOCABULARY_SPACES, VOCABULARY_ROLES, VOCABULARY_ACCESSES, VOCABULARIES };

/* The number of values in a list: values are 0 to the number minus 1. */
uint32_t vocabulary_count(enum vocabulary list);

/* The name of a value; NULL when the list has no such value. */
const char *vocabulary_name(enum vocabulary list, uint32_t value);

/* Finds the value that has the name, in exact case; false: the list has no such name. */
bool vocabulary_find(enum vocabulary list, struct text name, uint32_t *ret_value);

#endif
