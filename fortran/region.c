/* SPDX-License-Identifier: MIT */
/*
 * pmon/region.h as functions, for languages that cannot include it: libpmon-region, which needs no other library.
 * `name` has n bytes; what is beyond PMON_REGION_NAME_MAX is cut off.
 */
#include <stddef.h>
#include <string.h>
#include <pmon/region.h>

void pmon_region_begin_text(const char *name, size_t n);
void pmon_region_end_text(const char *name, size_t n);

static void region_copy_name(char *text, const char *name, size_t n)
{
  n = n < PMON_REGION_NAME_MAX ? n : PMON_REGION_NAME_MAX;
  memcpy(text, name, n);
  text[n] = 0;
}

void pmon_region_begin_text(const char *name, size_t n)
{
  char text[PMON_REGION_NAME_MAX + 1];
  region_copy_name(text, name, n);
  pmon_region_begin(text);
}

void pmon_region_end_text(const char *name, size_t n)
{
  char text[PMON_REGION_NAME_MAX + 1];
  region_copy_name(text, name, n);
  pmon_region_end(text);
}
