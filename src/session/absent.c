/* SPDX-License-Identifier: MIT */
#include "src/session/absent.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "src/access/register.h"
#include "src/base/text.h"
#include "src/base/writer.h"
#include "src/platform/context.h"
#include "src/platform/page.h"
#include "src/platform/platform.h"
#include "src/session/counts.h"
#include "src/session/session.h"

/* Returns which events an instance counts, to be freed; NULL: no memory. */
static bool *counting_events(const struct pmon_session *s)
{
  bool *counts = calloc(s->plan->n_events + 1, sizeof *counts);
  for (uint32_t i = 0; counts && i < s->n_runs; i++)
    counts[s->runs[i].event] |= !s->runs[i].gone;
  return counts;
}

void session_note_absent(struct pmon_session *s, uint32_t event, const char *text)
{
  if (!s->absent) {
    s->absent = calloc(s->plan->n_events, sizeof *s->absent);
    s->n_absent = s->absent ? s->plan->n_events : 0;
  }
  if (event < s->n_absent && !s->absent[event])
    s->absent[event] = strdup(text);
}

void session_forget_absent(struct pmon_session *s)
{
  bool *counts = s->n_absent ? counting_events(s) : NULL;
  for (uint32_t i = 0; counts && i < s->n_absent; i++)
    if (counts[i]) {
      free(s->absent[i]);
      s->absent[i] = NULL;
    }
  free(counts);
}

/* Returns a missing register of the run. */
static const struct session_register *missing_register(const struct pmon_session *s, const struct session_run *run)
{
  const struct session_register *r = &s->regs[run->counter];
  for (uint32_t k = run->n_neutral; !r->missing && k < run->n_writes; k++)
    r = &s->regs[run->writes[k].reg];
  return r;
}

void session_find_absent(struct pmon_session *s)
{
  uint64_t value;
  bool *counts = counting_events(s);
  for (uint32_t i = 0; counts && i < s->n_runs; i++) {
    const struct session_run *run = &s->runs[i];
    if (!run->gone || counts[run->event] || (run->event < s->n_absent && s->absent[run->event]))
      continue;
    s->backend->error_text = NULL;
    const int status = access_read(s->backend, &missing_register(s, run)->address, &value);
    /* Noted once for each event, even without a text, so that a log can be replayed. */
    session_note_absent(s, run->event, status && s->backend->error_text ? s->backend->error_text : "");
  }
  free(counts);
}

enum session_presence session_presence(const struct pmon_session *s, uint32_t cell)
{
  return s->presence ? (enum session_presence)s->presence[cell] : PRESENCE_UNKNOWN;
}

/* A page that is incomplete, or has invalid entries, does not show which units are absent. */
static void note_incomplete(void *user, const char *text)
{
  (void)text;
  *(bool *)user = true;
}

/* *ret_page is NULL if the package has no complete page. */
static int read_page(struct pmon_session *s, uint32_t package, struct pmon_discovery **ret_page)
{
  const struct pmon_address first = {
      .package = package, .space = PMON_SPACE_MMIO, .width_bits = 32, .device = PMON_BAR_DISCOVERY};
  uint64_t value;
  bool incomplete = false;
  *ret_page = NULL;
  if (access_read(s->backend, &first, &value) || !value)
    return 0;
  const int status = pmon_discovery_read(s->backend, package, note_incomplete, &incomplete, ret_page);
  if (incomplete) {
    pmon_discovery_free(*ret_page);
    *ret_page = NULL;
  }
  return status == PMON_E_IO || status == PMON_E_MEMORY ? session_fail(s, NULL, "the discovery page", status) : 0;
}

/* True if the run's MSRs cannot be read, and are not those of a core, which may be off. */
static bool run_lacks_unit(const struct pmon_session *s, const struct session_run *run)
{
  const struct session_register *r = &s->regs[run->counter];
  return run->gone && r->address.space == PMON_SPACE_MSR && !r->address.device && r->address.package < SESSION_PACKAGES;
}

/* True if an instance with the same or a higher number of the run's unit can be read. */
static bool run_is_in_range(const struct pmon_session *s, const struct session_run *run)
{
  const struct pmon_register_id *id = &s->regs[run->counter].id;
  bool in_range = false;
  for (uint32_t i = 0; i < s->n_runs && !in_range; i++) {
    const struct pmon_register_id *other = &s->regs[s->runs[i].counter].id;
    in_range = !s->runs[i].gone && other->unit == id->unit && other->instance >= id->instance;
  }
  return in_range;
}

/* Returns the presence of the run's unit; page NULL: there is none. */
static enum session_presence presence_on(const struct pmon_discovery *page, const struct pmon_session *s,
                                         const struct session_run *run)
{
  const struct pmon_register_id *id = &s->regs[run->counter].id;
  if (!page)
    return run_is_in_range(s, run) ? PRESENCE_IN_RANGE : PRESENCE_UNKNOWN;
  return discovery_lists_instance(page, s->plan->platform, id->unit, id->instance) ? PRESENCE_UNREADABLE
                                                                                   : PRESENCE_UNLISTED;
}

int session_find_presence(struct pmon_session *s)
{
  struct pmon_discovery *pages[SESSION_PACKAGES] = {NULL};
  uint64_t read = 0; /* packages whose page was read */
  int status = 0;
  for (uint32_t i = 0; !status && i < s->n_runs; i++) {
    const struct session_register *r = &s->regs[s->runs[i].counter];
    const uint32_t p = r->address.package;
    struct pmon_unit_info info = {.size = sizeof info};
    if (!run_lacks_unit(s, &s->runs[i]) || !platform_get_unit(s->plan->platform, r->id.unit, &info))
      continue;
    const bool has_page = info.discovery != UINT32_MAX;
    if (has_page && !(read >> p & 1)) {
      status = read_page(s, p, &pages[p]);
      read |= UINT64_C(1) << p;
    }
    if (!s->presence && !(s->presence = calloc(s->n_cells, sizeof *s->presence)))
      status = session_fail(s, NULL, "the absent units", PMON_E_MEMORY);
    if (!status)
      s->presence[s->runs[i].cell] = (uint8_t)presence_on(has_page ? pages[p] : NULL, s, &s->runs[i]);
  }
  for (uint32_t p = 0; p < SESSION_PACKAGES; p++)
    pmon_discovery_free(pages[p]);
  return status;
}

static void write_instance(struct writer *w, const struct pmon_unit_info *unit, uint32_t instance)
{
  write_text(w, unit->name);
  if (unit->instances > 1)
    write_decimal(w, instance);
}

/* Writes instances of a unit, as "iio0 to iio9, iio11". */
static void write_instances(struct writer *w, const struct pmon_unit_info *unit, uint64_t instances)
{
  bool any = false;
  for (uint32_t i = 0, last; i < 64; i = last + 1) {
    last = i;
    if (!(instances >> i & 1))
      continue;
    while (last + 1 < 64 && instances >> (last + 1) & 1)
      last++;
    write_text(w, any ? ", " : "");
    any = true;
    write_instance(w, unit, i);
    if (last == i)
      continue;
    write_text(w, last == i + 1 ? ", " : " to ");
    write_instance(w, unit, last);
  }
  write_text(w, any ? "" : "none");
}

int session_fail_absent(struct pmon_session *s)
{
  const struct session_register *first = &s->regs[s->runs[0].counter];
  struct pmon_unit_info info = {.size = sizeof info};
  struct pmon_discovery *page = NULL;
  uint64_t absent = 0, listed = 0;
  bool unlisted = true;
  char text[300];
  struct writer w = {text, sizeof text, 0};
  const int failed = session_fail(s, NULL, "none of the plan's units exists", PMON_E_NO_DEVICE);
  int status = session_find_presence(s);
  for (uint32_t i = 0; !status && i < s->n_runs; i++) {
    const struct session_register *r = &s->regs[s->runs[i].counter];
    unlisted &= session_presence(s, s->runs[i].cell) == PRESENCE_UNLISTED;
    if (r->id.unit == first->id.unit && r->id.instance < 64)
      absent |= UINT64_C(1) << r->id.instance;
  }
  if (!status && unlisted)
    status = read_page(s, first->address.package, &page);
  if (status || !page)
    return status ? status : failed;
  platform_get_unit(s->plan->platform, first->id.unit, &info);
  for (uint32_t i = 0; i < info.instances && i < 64; i++)
    if (discovery_lists_instance(page, s->plan->platform, first->id.unit, i))
      listed |= UINT64_C(1) << i;
  pmon_discovery_free(page);
  write_instances(&w, &info, absent);
  write_text(&w, ": the processor has no such unit; its discovery page lists ");
  write_instances(&w, &info, listed);
  write_end(&w);
  return context_fail(s->plan->context, PMON_E_NO_DEVICE, 0, "%s", text);
}

void session_explain_absent(const struct pmon_session *s, uint32_t event, uint32_t cell, struct pmon_value *value)
{
  if (value->flags == PMON_VALUE_UNAVAILABLE && session_presence(s, cell) == PRESENCE_UNLISTED) {
    snprintf(value->reason, sizeof value->reason,
             "the processor has no such unit: its discovery page does not list it");
    return;
  }
  const char *text = event < s->n_absent && value->flags == PMON_VALUE_UNAVAILABLE ? s->absent[event] : NULL;
  if (!text || !*text)
    return;
  const size_t n = strlen(value->reason), room = sizeof value->reason - n - 3;
  size_t fits = strlen(text) > room ? room : 0;
  while (fits && (text[fits] != ';' || text[fits + 1] != ' ')) /* truncate after a whole clause, if there is one */
    fits--;
  if (fits)
    snprintf(value->reason + n, sizeof value->reason - n, ": %.*s", (int)fits, text);
  else
    text_copy(stpcpy(value->reason + n, ": "), room + 1, text);
}

void session_free_absent(struct pmon_session *s)
{
  for (uint32_t i = 0; i < s->n_absent; i++)
    free(s->absent[i]);
  free(s->absent);
  free(s->presence);
}
