/* SPDX-License-Identifier: MIT */
/* A platform with a user's files: writes in memory the `.platform` file that lists them, or lines to append to one. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <pmon/status.h>
#include "src/facts/facts.h"

/* The name of the file in memory: it has no folder, so that the files that it lists are found from the current one. */
static const char virtual_name[] = "";

static int read_virtual(void *context, const char *path, char **ret_text, size_t *ret_size)
{
  if (strcmp(path, virtual_name))
    return facts_read_disk(NULL, path, ret_text, ret_size);
  *ret_text = strdup(context);
  *ret_size = strlen(context);
  return *ret_text ? 0 : PMON_E_MEMORY;
}

/* Writes the text of the platform file; NULL: no memory. */
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

/* A user's platform file, and the lines appended to it. */
struct continued {
  const char *path, *lines;
};

static int read_continued(void *context, const char *path, char **ret_text, size_t *ret_size)
{
  const struct continued *c = context;
  int status = facts_read_disk(NULL, path, ret_text, ret_size);
  if (status || strcmp(path, c->path))
    return status;
  const size_t more = strlen(c->lines);
  char *grown = realloc(*ret_text, *ret_size + more + 2);
  if (!grown) {
    free(*ret_text);
    return PMON_E_MEMORY;
  }
  grown[*ret_size] = '\n';
  memcpy(grown + *ret_size + 1, c->lines, more + 1);
  *ret_text = grown;
  *ret_size += more + 1;
  return 0;
}

/* Writes a `file` line for each name, with its full path: a relative path would begin at the platform file's folder. */
static char *write_files(const char *files)
{
  char *text = NULL;
  size_t size;
  FILE *f = open_memstream(&text, &size);
  if (!f)
    return NULL;
  for (size_t n; *files; files += n + (files[n] == ',')) {
    char name[PATH_MAX], whole[PATH_MAX];
    if ((n = strcspn(files, ",")) == 0)
      continue;
    snprintf(name, sizeof name, "%.*s", (int)n, files);
    fprintf(f, "file \"%s\"\n", realpath(name, whole) ? whole : name);
  }
  bool good = !ferror(f);
  if (fclose(f) || !good) {
    free(text);
    return NULL;
  }
  return text;
}

int facts_load_with(const char *platform_file, const char *files, struct text_error *error, struct db **ret_db)
{
  char *lines = write_files(files);
  if (!lines) {
    text_error_set(error, "", 0, 0, "no memory");
    return PMON_E_MEMORY;
  }
  struct continued continued = {platform_file, lines};
  const struct facts_reader reader = {read_continued, &continued};
  const struct facts_input input = {.files = &platform_file, .n = 1, .reader = &reader, .base = &db_builtin};
  int status = facts_load_all(&input, error, ret_db);
  free(lines);
  return status;
}
