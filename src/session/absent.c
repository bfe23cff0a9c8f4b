/* SPDX-License-Identifier: MIT */
#include "src/session/absent.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "src/access/register.h"
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

void session_settle_absent(struct pmon_session *s)
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

void session_explain_absent(const struct pmon_session *s, uint32_t event, struct pmon_value *value)
{
  const char *text = event < s->n_absent && value->flags == PMON_VALUE_UNAVAILABLE ? s->absent[event] : NULL;
  if (!text || !*text)
    return;
  const size_t n = strlen(value->reason), room = sizeof value->reason - n - 3;
  size_t fits = strlen(text);
  if (fits > room) { /* truncate after a whole clause, if there is one */
    fits = room;
    for (size_t i = room; i > 0; i--)
      if (text[i] == ';' && text[i + 1] == ' ') {
        fits = i;
        break;
      }
  }
  snprintf(value->reason + n, sizeof value->reason - n, ": %.*s", (int)fits, text);
}

void session_free_absent(struct pmon_session *s)
{
  for (uint32_t i = 0; i < s->n_absent; i++)
    free(s->absent[i]);
  free(s->absent);
}
