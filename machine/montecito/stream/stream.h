/* SPDX-License-Identifier: MIT */
/* The stream of records: the text form (docs/bundles.md), and a seeded generator. */
#ifndef MACHINE_MONTECITO_STREAM_STREAM_H
#define MACHINE_MONTECITO_STREAM_STREAM_H

#include <stdint.h>
#include "machine/montecito/machine.h"
#include "machine/montecito/stream/record.h"

/* Parses one line into `ret`. *thread keeps the current thread from line to line. *ret_any is false for a line
 * without a record. PMON_E_SYNTAX, PMON_E_RANGE, with the reason in error. The buffer for the error text takes two of
 * the six parameters. */
int montecito_stream_parse_line(const char *line, uint8_t *thread, struct montecito_record *ret, bool *ret_any,
                                char *error, size_t error_size);

/* Opens a file of records ("-": standard input); unless it may be empty, one without a record
 * fails when it is read. PMON_E_IO, PMON_E_MEMORY
 * with the reason in error. montecito_machine_attach() takes the source. */
int montecito_stream_open(const char *path, bool may_be_empty, char *error, size_t error_size,
                          struct montecito_source **ret_source);

/* The generator's programs; montecito_workload_name() gives their names. */
enum montecito_workload {
  WORKLOAD_LOOPS,
  WORKLOAD_CALLS,
  WORKLOAD_CHASE,
  WORKLOAD_STREAM,
  WORKLOAD_BRANCHES,
  WORKLOAD_MIXED, /* the five before, alternating */
  WORKLOAD_PREDICATES,
  WORKLOAD_SPECULATION,
  WORKLOAD_FRAMES,
  WORKLOAD_THREADS, /* the only one that uses more than thread 0 */
  WORKLOAD_N
};
const char *montecito_workload_name(unsigned workload);
int montecito_workload_find(const char *name);

/* A source of `bundles` bundles for thread 0. PMON_E_MEMORY. */
int montecito_generator_new(unsigned workload, uint64_t bundles, uint64_t seed, struct montecito_source **ret_source);
/* As montecito_generator_new(), from a text NAME[:BUNDLES[:SEED]]; the defaults are a million bundles and seed 1.
 * PMON_E_UNKNOWN, PMON_E_SYNTAX with the text in error; PMON_E_MEMORY. */
int montecito_generator_open(const char *text, char *error, size_t error_size, struct montecito_source **ret_source);

#endif
