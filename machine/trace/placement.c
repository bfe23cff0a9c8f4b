/* SPDX-License-Identifier: MIT */
#include "machine/trace/placement.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <pmon/status.h>

struct placement {
  unsigned total;
  int *wish;
  unsigned wishes, granted;
  unsigned n;
  struct {
    unsigned core, threads;
  } place[]; /* in order of preference */
};

static void fill_order(struct placement *p, unsigned sockets, unsigned cores, int spread)
{
  for (unsigned i = 0; i < p->n; i++)
    p->place[i].core = spread ? i % sockets * cores + i / sockets : i;
}

static bool is_listed(const struct placement *p, unsigned long first, unsigned long last)
{
  for (unsigned i = 0; i < p->n; i++)
    if (p->place[i].core >= first && p->place[i].core <= last)
      return true;
  return false;
}

/* Parses "0,64,1-3" into p. An unknown core, or one that is listed twice, is an error. */
static int parse_list(struct placement *p, unsigned total, const char *text, char *error, size_t error_size)
{
  const char *at = text;

  p->n = 0;
  for (;;) {
    char *end;
    unsigned long first = strtoul(at, &end, 10), last = first;

    if (end == at || *at < '0' || *at > '9')
      goto syntax;
    if (*end == '-') {
      at = end + 1;
      last = strtoul(at, &end, 10);
      if (end == at || *at < '0' || *at > '9' || last < first)
        goto syntax;
    }
    if (last >= total || is_listed(p, first, last)) {
      snprintf(error, error_size, "placement '%s': expected cores from 0 to %u, each at most once", text, total - 1);
      return PMON_E_RANGE;
    }
    for (; first <= last; first++)
      p->place[p->n++].core = (unsigned)first;
    if (!*end)
      return 0;
    if (*end != ',')
      goto syntax;
    at = end + 1;
  }
syntax:
  snprintf(error, error_size, "placement '%s': expected compact, spread, or cores such as 0,64,1-3", text);
  return PMON_E_SYNTAX;
}

int placement_new(const char *policy, unsigned sockets, unsigned cores_per_socket, char *error, size_t error_size,
                  struct placement **ret_placement)
{
  unsigned total = sockets * cores_per_socket;
  struct placement *p = calloc(1, sizeof *p + total * sizeof p->place[0]);
  int rc = 0;

  if (!p) {
    snprintf(error, error_size, "out of memory");
    return PMON_E_MEMORY;
  }
  p->n = p->total = total;
  if (!policy || !strcmp(policy, "compact"))
    fill_order(p, sockets, cores_per_socket, 0);
  else if (!strcmp(policy, "spread"))
    fill_order(p, sockets, cores_per_socket, 1);
  else
    rc = parse_list(p, total, policy, error, error_size);
  if (rc < 0) {
    placement_free(p);
    return rc;
  }
  *ret_placement = p;
  return 0;
}

void placement_free(struct placement *p)
{
  if (p)
    free(p->wish);
  free(p);
}

int placement_wish(struct placement *p, int core)
{
  int *wish = core < (int)p->total ? realloc(p->wish, (p->wishes + 1) * sizeof *wish) : NULL;

  if (!wish)
    return core < (int)p->total ? PMON_E_MEMORY : PMON_E_RANGE;
  p->wish = wish;
  wish[p->wishes++] = core;
  return 0;
}

unsigned placement_take(struct placement *p)
{
  unsigned best = 0;
  int wish = p->granted < p->wishes ? p->wish[p->granted++] : -1;

  for (unsigned i = 0; i < p->n && wish >= 0; i++)
    if (p->place[i].core == (unsigned)wish)
      p->place[i].threads++;
  if (wish >= 0)
    return (unsigned)wish;
  for (unsigned i = 1; i < p->n && p->place[best].threads; i++)
    if (p->place[i].threads < p->place[best].threads)
      best = i;
  p->place[best].threads++;
  return p->place[best].core;
}

void placement_release(struct placement *p, unsigned core)
{
  for (unsigned i = 0; i < p->n; i++)
    if (p->place[i].core == core && p->place[i].threads) {
      p->place[i].threads--;
      return;
    }
}
