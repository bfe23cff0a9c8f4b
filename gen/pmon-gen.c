/* SPDX-License-Identifier: MIT */
/*
 * The table compiler: `pmon-gen OUT.c DEPFILE NAME.platform ...` turns fact files into constant tables. A fact file
 * that it cannot parse ends the build with a message that has file, line and column; nothing is written then.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <pmon/status.h>
#include "gen/emit.h"
#include "src/base/vec.h"
#include "src/facts/facts.h"

/* The names of the files read from disk, for the depfile. */
struct sources {
  struct vec names;
};

static int read_source(void *context, const char *path, char **ret_text, size_t *ret_size)
{
  struct sources *sources = context;
  FILE *f = fopen(path, "rbe");
  if (!f)
    return PMON_E_IO;
  struct vec text;
  vec_init(&text, 1);
  char part[16384];
  size_t n;
  bool good = vec_append(&sources->names, path, strlen(path)) && vec_append(&sources->names, " ", 1);
  while (good && (n = fread(part, 1, sizeof part, f)) > 0)
    good = vec_append(&text, part, n);
  if (ferror(f))
    good = false;
  fclose(f);
  if (!good) {
    vec_fini(&text);
    return PMON_E_IO;
  }
  *ret_text = text.data;
  *ret_size = text.n;
  return 0;
}

static int write_depfile(const char *path, const char *target, const struct sources *sources)
{
  FILE *f = fopen(path, "we");
  if (!f)
    return -1;
  fprintf(f, "%s: %.*s\n", target, (int)sources->names.n, (const char *)sources->names.data);
  return fclose(f);
}

static int write_tables(const char *path, const struct db *db)
{
  FILE *f = fopen(path, "we");
  if (!f)
    return -1;
  emit_db(f, db);
  int bad = ferror(f);
  bad |= fclose(f);
  if (bad)
    remove(path);
  return bad;
}

int main(int argc, char **argv)
{
  if (argc < 4) {
    fprintf(stderr, "usage: pmon-gen OUT.c DEPFILE NAME.platform ...\n");
    return 2;
  }
  struct sources sources;
  vec_init(&sources.names, 1);
  struct facts_reader reader = {read_source, &sources};
  struct facts_input input = {.files = (const char *const *)argv + 3, .n = (uint32_t)argc - 3, .reader = &reader};
  struct text_error error = {"", 0, 0, ""};
  struct db *db = NULL;
  int status = facts_load_all(&input, &error, &db);
  if (status) {
    char text[600];
    text_error_format(&error, text, sizeof text);
    fprintf(stderr, "%s\n", text);
  } else if (write_tables(argv[1], db) || write_depfile(argv[2], argv[1], &sources)) {
    perror(argv[1]);
    status = PMON_E_IO;
  }
  facts_free(db);
  vec_fini(&sources.names);
  return status ? 1 : 0;
}
