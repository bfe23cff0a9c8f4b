/* SPDX-License-Identifier: MIT */
/* Preloaded: counts comparisons of names, and writes their number to the file $COMPARISONS at exit. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

static unsigned long compared;

int strcasecmp(const char *a, const char *b)
{
  compared++;
  while (*a && tolower((unsigned char)*a) == tolower((unsigned char)*b))
    a++, b++;
  return tolower((unsigned char)*a) - tolower((unsigned char)*b);
}

__attribute__((destructor)) static void comparisons_write(void)
{
  const char *path = getenv("COMPARISONS");
  FILE *f = path ? fopen(path, "we") : NULL;
  if (!f)
    return;
  fprintf(f, "%lu\n", compared);
  fclose(f);
}
