/* SPDX-License-Identifier: MIT */
/* The columns of a struct sample_total in the tables `count`, `sum`, `region_count` and `region_sum`. */
#ifndef PMON_RECORD_TOTAL_H
#define PMON_RECORD_TOTAL_H

#include <sqlite3.h>
#include "src/session/private.h"

/* Columns for CREATE TABLE, SELECT and INSERT. `spread` is NULL if a total has one slice at most: everything else then
 * follows from the other columns. */
#define RECORD_TOTAL "count REAL, seconds REAL, slices INTEGER, seen INTEGER, round INTEGER, turn INTEGER, spread BLOB"
#define RECORD_TOTAL_NAMES "count, seconds, slices, seen, round, turn, spread"
#define RECORD_TOTAL_MARKS "?,?,?,?,?,?,?"

/* Binds the columns to the parameters of `stmt` from `at` on. *t is in use until the statement is reset. */
void record_total_bind(sqlite3_stmt *stmt, int at, const struct sample_total *t);

/* Reads a total from the columns of a row, from `at` on. `rounds`: the recording's number of rounds. False: a total
 * cannot have such contents. */
bool record_total_read(sqlite3_stmt *stmt, int at, uint32_t rounds, struct sample_total *ret_total);

/* Adds a later interval of the same counter. */
void record_total_add(struct sample_total *into, const struct sample_total *from);

#endif
