/* SPDX-License-Identifier: MIT */
/*
 * Names for a processor without facts: applies an event file to a user-supplied platform, which `pmon discover -o` made
 * from the discovery page. That platform numbers its units; the event file names them; a known platform's facts map
 * numbers to names (817509 Table 1-7). The result does not refer to the user's files; it contains their contents.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cli/import/import.h"

bool import_is_file(const char *as)
{
  const char *suffix = strrchr(as, '.');
  return strchr(as, '/') || (suffix && !strcmp(suffix, ".platform"));
}

int import_load_base(struct import *im, const char *path)
{
  if (pmon_context_load(im->cli->context, path) != PMON_OK)
    return cli_fail_context(im->cli, NULL);
  im->base = pmon_platform_get(im->cli->context, 0); /* the platform loaded last comes first */
  im->base_path = path;
  return CLI_DONE;
}

uint32_t import_find_type(const struct import *im, uint32_t type)
{
  struct pmon_unit_info u = {.size = sizeof u};
  for (uint32_t i = 0; type != UINT32_MAX && pmon_unit_describe(im->base, i, &u) == PMON_OK; i++)
    if (u.discovery == type && u.registers)
      return i;
  return UINT32_MAX;
}

/* Returns the word after `key` if the line begins with that key; else NULL. */
static char *word_after(char *line, const char *key)
{
  const size_t n = strlen(key);
  if (strncmp(line, key, n) || line[n] != ' ')
    return NULL;
  char *word = line + n + strspn(line + n, " ");
  word[strcspn(word, " \n")] = 0;
  return word;
}

/* Writes the event file's name of a unit after the line that begins the unit. */
static void write_names(FILE *f, const struct import *im, const char *unit)
{
  for (uint32_t i = 0; i < im->n_units; i++)
    if (!strcmp(im->units[i].name, unit) && *im->units[i].alias)
      fprintf(f, "  alias %s\n  prefix %s\n", im->units[i].alias, im->units[i].prefix);
}

static void copy_file(FILE *f, const struct import *im, const char *name)
{
  const char *slash = strrchr(im->base_path, '/');
  char path[4200], *line = NULL, *copy = NULL;
  size_t size = 0;
  snprintf(path, sizeof path, "%.*s%s", slash ? (int)(slash + 1 - im->base_path) : 0, im->base_path, name);
  FILE *from = fopen(path, "re");
  while (from && getline(&line, &size, from) > 0) {
    fputs(line, f);
    free(copy);
    copy = strdup(line);
    const char *unit = copy ? word_after(copy, "unit") : NULL;
    if (unit)
      write_names(f, im, unit);
  }
  free(copy);
  free(line);
  if (from)
    fclose(from);
}

/* Calls `take` with each line of the user's platform file. */
static void read_base(FILE *f, const struct import *im, const char *suffix,
                      void (*take)(FILE *f, const struct import *im, char *line, const char *suffix))
{
  FILE *from = fopen(im->base_path, "re");
  char *line = NULL;
  size_t size = 0;
  while (from && getline(&line, &size, from) > 0)
    take(f, im, line, suffix);
  free(line);
  if (from)
    fclose(from);
}

static void page_copy_facts(FILE *f, const struct import *im, char *line, const char *suffix)
{
  const char *name = word_after(line, "file"), *end = name ? strrchr(name, '.') : NULL;
  if (end && !strcmp(end, suffix))
    copy_file(f, im, name);
}

static void page_copy_clock(FILE *f, const struct import *im, char *line, const char *suffix)
{
  (void)im, (void)suffix;
  if (!strncmp(line, "clock ", 6))
    fputs(line, f);
}

void import_copy_registers(FILE *f, const struct import *im)
{
  read_base(f, im, ".reg", page_copy_facts);
}

void import_copy_units(FILE *f, const struct import *im)
{
  read_base(f, im, ".unit", page_copy_facts);
}

void import_copy_clocks(FILE *f, const struct import *im)
{
  read_base(f, im, "", page_copy_clock);
}
