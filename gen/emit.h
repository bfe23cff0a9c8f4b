/* SPDX-License-Identifier: MIT */
#ifndef GEN_EMIT_H
#define GEN_EMIT_H

#include <stdio.h>
#include "src/facts/db.h"

/* Writes the tables as C source that defines db_builtin. Only integers, apart from the pointers of db_builtin
 * itself. */
void emit_db(FILE *f, const struct db *db);

#endif
