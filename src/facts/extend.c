/* SPDX-License-Identifier: MIT */
/* A compiled platform with a user's files: the `.platform` file that says so is written here, in memory. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <pmon/status.h>
#include "src/facts/facts.h"

/* The file in memory has a unique name in the user's folder: the files that it lists are in the same folder. */
static const char virtual_name[] = "";

static int read_virtual(void *context, const char *path, char **ret_text, size_t *ret_size)
{
  if (strcmp(path, virtual_name))
    return facts_read_disk(NULL, path, ret_text, ret_size);
  *ret_text = strdup(context);
  *ret_size = strlen(context);
  return *ret_text ? 0 : PMON_E_MEMORY;
}

/* The text of the platform file; NULL: no memory. */
static char *write_platform(const struct db_platform *platform, const char *files)
{
  char *text = NULL;
  size_t size;
  FILE *f = open_memstream(&text, &size);
  if (!f)
    return NULL;
  const char *name = db_text(&db_builtin, platform->name);
  fprintf(f, "platform %s\ntitle %s\ncite %s\nimport %s\n", name, db_text(&db_builtin, platform->title),
          db_text(&db_builtin, platform->origin.cite), name);
  for (size_t n; *files; files += n + (files[n] == ','))
    if ((n = strcspn(files, ",")) != 0)
      fprintf(f, "file \"%.*s\"\n", (int)n, files);
  bool whole = !ferror(f);
  if (fclose(f) || !whole) {
    free(text);
    return NULL;
  }
  return text;
}

int facts_extend(const struct db_platform *platform, const char *files, struct text_error *error, struct db **ret_db)
{
  char *text = write_platform(platform, files);
  if (!text) {
    text_error_set(error, "", 0, 0, "no memory");
    return PMON_E_MEMORY;
  }
  const char *name = virtual_name;
  const struct facts_reader reader = {read_virtual, text};
  const struct facts_input input = {.files = &name, .n = 1, .reader = &reader, .base = &db_builtin};
  int status = facts_load_all(&input, error, ret_db);
  free(text);
  return status;
}
