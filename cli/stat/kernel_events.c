/* SPDX-License-Identifier: MIT */
#include "cli/stat/kernel_events.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SCALES_MAX = 32, TEXT = 320 };

/* A list of events in which the kernel's names are replaced by the events that they select, with the scale of their
 * counts. */
struct expansion {
  const struct hardware *h;
  FILE *out;
  struct {
    char event[TEXT];
    double scale;
    char unit[24];
  } scaled[SCALES_MAX];
  unsigned n;
};

static bool kernel_begins_event(const char *list, const char *at)
{
  return !strncmp(at, "uncore_", 7) && (at == list || strchr(",{ ", at[-1]));
}

/* `uncore_imc_0/cas_count_read/`: writes the selected event, and returns the length of the parsed text; 0: not such a
 * name. */
static size_t kernel_expand_event(struct expansion *x, const char *at)
{
  struct pmon_kernel_event found = {.size = sizeof found};
  char pmu[64], name[64];
  const size_t n = strcspn(at, "/"), k = at[n] ? strcspn(at + n + 1, "/,={") : 0;
  if (!k || n >= sizeof pmu || k >= sizeof name || !strchr("/,", at[n + 1 + k]))
    return 0;
  snprintf(pmu, sizeof pmu, "%.*s", (int)n, at);
  snprintf(name, sizeof name, "%.*s", (int)k, at + n + 1);
  if (pmon_kernel_event_find(&x->h->system, pmu, name, &found))
    return 0;
  fprintf(x->out, "%s/%s", pmu, found.terms);
  const char *rest = at + n + 1 + k;
  if (x->n < SCALES_MAX && (found.scale < 1 || found.scale > 1 || *found.unit)) {
    snprintf(x->scaled[x->n].event, TEXT, "%s/%s%.*s/", pmu, found.terms, (int)strcspn(rest, "/"), rest);
    snprintf(x->scaled[x->n].unit, sizeof x->scaled->unit, "%s", found.unit);
    x->scaled[x->n++].scale = found.scale;
  }
  return n + 1 + k;
}

static void kernel_expand(struct expansion *x, const char *list)
{
  for (const char *at = list; *at;) {
    const size_t n = kernel_begins_event(list, at) ? kernel_expand_event(x, at) : 0;
    if (!n)
      fputc(*at, x->out);
    at += n ? n : 1;
  }
}

static void kernel_set_scale(struct cli *cli, struct pmon_plan *plan, const struct expansion *x, unsigned i)
{
  const struct pmon_event *other;
  struct pmon_event *event;
  if (pmon_event_resolve(cli->context, cli->platform, x->scaled[i].event, &event))
    return;
  for (uint32_t k = 0; (other = pmon_plan_event(plan, k)); k++)
    if (!strcmp(pmon_event_name(other), pmon_event_name(event)))
      pmon_plan_set_scale(plan, k, x->scaled[i].scale, x->scaled[i].unit);
  pmon_event_free(event);
}

int kernel_events_add(struct cli *cli, const struct hardware *h, struct pmon_plan *plan, const char *list)
{
  struct expansion *x = calloc(1, sizeof *x);
  char *text = NULL;
  size_t n = 0;
  int result = CLI_DONE;
  if (x && hardware_is_host(cli, h) && (x->out = open_memstream(&text, &n))) {
    x->h = h;
    kernel_expand(x, list);
    if (fclose(x->out)) {
      free(text);
      text = NULL;
    }
  }
  if (pmon_plan_add_events(plan, text ? text : list))
    result = cli_fail_context(cli, text ? text : list);
  for (unsigned i = 0; result == CLI_DONE && text && i < x->n; i++)
    kernel_set_scale(cli, plan, x, i);
  free(text);
  free(x);
  return result;
}
