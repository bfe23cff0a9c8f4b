/* SPDX-License-Identifier: MIT */
/* Loading a scenario from a file, and freeing a parsed one. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <pmon/status.h>
#include "machine/trace/scenario_parser.h"

#define TEXT_MAX (1u << 20)

int scenario_load(const char *path, char *error, size_t error_size, struct scenario *ret)
{
  FILE *f = fopen(path, "re");
  char *text = malloc(TEXT_MAX + 1);
  size_t n = f && text ? fread(text, 1, TEXT_MAX + 1, f) : 0;
  int rc = 0;

  *ret = (struct scenario){0};
  if (!f || ferror(f)) {
    snprintf(error, error_size, "%s: cannot be %s: %s", path, f ? "read" : "opened", strerror(errno));
    rc = PMON_E_IO;
  } else if (!text) {
    snprintf(error, error_size, "out of memory");
    rc = PMON_E_MEMORY;
  } else if (n > TEXT_MAX) {
    snprintf(error, error_size, "%s: longer than %u MiB, the limit of a scenario", path, TEXT_MAX >> 20);
    rc = PMON_E_RANGE;
  } else {
    rc = scenario_parse(path, text, n, error, error_size, ret);
  }
  if (f)
    fclose(f);
  free(text);
  return rc;
}
