/* SPDX-License-Identifier: MIT */
/* Reads fact files (docs/formats.md) into tables. An error names file, line, column and what was expected there. */
#ifndef PMON_FACTS_FACTS_H
#define PMON_FACTS_FACTS_H

#include "src/base/error.h"
#include "src/facts/db.h"

/*
 * Where files come from. read: reads all of `path` into malloc'ed *ret_text of *ret_size bytes; 0, or a negative enum
 * pmon_status. With PMON_E_IO and PMON_E_PERMISSION errno is the reason, or 0.
 */
struct facts_reader {
  int (*read)(void *context, const char *path, char **ret_text, size_t *ret_size);
  void *context;
};

/* Reads from the disk; the reader's context is not used. PMON_E_RANGE: the file has a NUL byte, or 64 MiB or more. */
int facts_read_disk(void *context, const char *path, char **ret_text, size_t *ret_size);

/*
 * Reads the platforms that `files` (n names of .platform files) describe, in order, into one set of tables.
 * reader: NULL for the disk. base: tables to start from, so that a platform can import one of theirs, or NULL.
 * error may be NULL. *ret_db is the caller's, for facts_free().
 * PMON_E_SYNTAX, PMON_E_UNKNOWN, PMON_E_RANGE, PMON_E_CONFLICT, PMON_E_IO, PMON_E_MEMORY.
 */
struct facts_input {
  const char *const *files;
  uint32_t n;
  const struct facts_reader *reader;
  const struct db *base;
};
int facts_load_all(const struct facts_input *input, struct text_error *error, struct db **ret_db);

/* The same for one platform file on disk, on top of the compiled-in tables, from which it may import. */
int facts_load(const char *platform_file, struct text_error *error, struct db **ret_db);

/* Makes a platform that imports `platform`, a row of the compiled-in tables, under the same name, and adds `files`,
 * names separated by commas. */
int facts_extend(const struct db_platform *platform, const char *files, struct text_error *error, struct db **ret_db);

/* The same for a user's platform file, to which `files` are added. */
int facts_load_with(const char *platform_file, const char *files, struct text_error *error, struct db **ret_db);

/* Frees what facts_load() made; NULL is allowed. */
void facts_free(struct db *db);

#endif
