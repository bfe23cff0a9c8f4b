/* SPDX-License-Identifier: MIT */
/* The machine's limits (pmon_session_options.limits). */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "src/session/session.h"

/* True if the limit is a number of parts, which adds up over packages; for rates, the highest one applies. */
static bool is_number_of_parts(const char *name)
{
  return !strcmp(name, "channels");
}

double session_limit(const struct pmon_session *s, const char *name, uint32_t package)
{
  double all = 0, here = 0;
  for (uint32_t i = 0; i < s->n_limits; i++) {
    const struct pmon_limit *l = &s->limits[i];
    if (strcmp(l->name, name) != 0)
      continue;
    if (l->package == PMON_ALL)
      all = l->number;
    else if (package == PMON_ALL)
      here = is_number_of_parts(name) ? here + l->number : fmax(here, l->number);
    else if (l->package == package)
      here = l->number;
  }
  return here > 0 ? here : all;
}

int session_take_limits(struct pmon_session *s, const struct pmon_limit *limits, uint32_t n)
{
  s->limits = calloc(n + 1, sizeof *s->limits);
  for (; s->limits && s->n_limits < n; s->n_limits++) {
    s->limits[s->n_limits] = limits[s->n_limits];
    if (!(s->limits[s->n_limits].name = strdup(limits[s->n_limits].name)))
      break;
  }
  return s->limits && s->n_limits == n ? 0 : PMON_E_MEMORY;
}

void session_free_limits(struct pmon_session *s)
{
  for (uint32_t i = 0; i < s->n_limits; i++)
    free((char *)(uintptr_t)s->limits[i].name);
  free(s->limits);
  s->limits = NULL;
  s->n_limits = 0;
}
