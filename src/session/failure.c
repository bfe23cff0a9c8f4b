/* SPDX-License-Identifier: MIT */
/* Failed accesses: the error's text, units that are lost, and sessions that cannot count any more. */
#include "src/platform/context.h"
#include "src/session/session.h"

int session_fail(struct pmon_session *s, const struct session_register *r, const char *what, int status)
{
  char name[80] = "", address[64] = "";
  const char *text = s->backend->error_text ? s->backend->error_text : pmon_status_name(status);
  if (!r)
    return context_fail(s->plan->context, status, 0, "%s: %s", what, text);
  pmon_register_name(s->plan->platform, &r->id, name, sizeof name);
  pmon_address_format(&r->address, address, sizeof address);
  return context_fail(s->plan->context, status, 0, "%s %s (instance %u, package %u, %s): %s", what, name,
                      r->id.instance, r->address.package, address, text);
}

/* Marks a unit whose device has disappeared as lost: its counts are flagged, the other units continue. Restoring its
 * written registers is tried at close, and a failure is reported then. */
static void lose_unit(struct pmon_session *s, const struct session_register *of)
{
  for (uint32_t i = 0; i < s->n_regs; i++) {
    struct session_register *r = &s->regs[i];
    if (r->address.package == of->address.package && r->id.unit == of->id.unit && r->id.instance == of->id.instance &&
        !r->missing)
      r->missing = r->lost = true;
  }
  for (uint32_t i = 0; i < s->n_runs; i++) {
    struct session_run *run = &s->runs[i];
    bool lost = s->regs[run->counter].lost;
    for (uint32_t k = 0; k < run->n_writes; k++)
      lost |= s->regs[run->writes[k].reg].lost;
    if (!lost || run->gone)
      continue;
    run->gone = true;
    run->flags |= PMON_VALUE_VANISHED;
    s->cells[run->cell].flags |= PMON_VALUE_VANISHED;
  }
}

int session_fail_or_lose(struct pmon_session *s, const struct session_register *r, const char *what, int status)
{
  int failed = session_fail(s, r, what, status);
  if (status != PMON_E_NO_DEVICE || !s->started)
    return failed;
  lose_unit(s, r);
  return 0;
}

int session_note_failure(struct pmon_session *s, int status)
{
  s->failed |= status != 0;
  return status;
}

int session_check_counting(const struct pmon_session *s)
{
  if (s->failed)
    return context_fail(s->plan->context, PMON_E_STATE, 0,
                        "the session cannot count since one of its accesses failed; close it and make a new one");
  return s->started ? 0 : context_fail(s->plan->context, PMON_E_STATE, 0, "the session has not begun");
}
