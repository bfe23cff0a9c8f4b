/* SPDX-License-Identifier: MIT */
/* Columns of CSV (RFC 4180) and members of JSON objects, for every output that programs read. */
#ifndef PMON_OUTPUT_DATA_H
#define PMON_OUTPUT_DATA_H

#include <stdbool.h>
#include "src/output/report.h"

/* Returns the text of column "emulated": the word that marks values of an emulated machine, or "" without `machine`. */
const char *data_emulated(const char *machine);

/* Adds three columns, separated by commas: a region's name, thread and number of calls; empty without a region. */
void data_add_region(struct buffer *b, const struct pmon_report *r);

/* Adds a key of JSON; the first one of an object has no comma before it. */
void data_add_key(struct buffer *b, const char *key);
/* Add a member of JSON: a text (NULL: null), or a number (null unless `valid`). */
void data_add_text(struct buffer *b, const char *key, const char *s);
void data_add_json_number(struct buffer *b, const char *key, bool valid, double v);
/* Adds members of JSON: the access method, whether the machine is emulated and its description, the measured
 * command. */
struct data_origin {
  const char *platform, *backend, *machine, *command;
};
void data_add_origin(struct buffer *b, const struct data_origin *from);

#endif
