/* SPDX-License-Identifier: MIT */
/*
 * The vocabularies of fact files: the names of spaces (PMON_SPACES, pmon/access.h), register roles (PMON_ROLES,
 * pmon/platform.h) and field accesses (DB_ACCESSES, src/facts/db.h). Each list exists once; the enum, the names and the
 * parser are generated from it.
 */
#ifndef PMON_FACTS_WORDS_H
#define PMON_FACTS_WORDS_H

#include "src/base/text.h"

enum word_list { WORDS_SPACES, WORDS_ROLES, WORDS_ACCESSES, WORD_LISTS };

/* The number of values in a list: values are 0 to the number minus 1. */
uint32_t words_count(enum word_list list);

/* The name of a value; NULL when the list has no such value. */
const char *words_name(enum word_list list, uint32_t value);

/* Finds the value that has the name, in exact case; false: the list has no such name. */
bool words_find(enum word_list list, struct text name, uint32_t *ret_value);

#endif
