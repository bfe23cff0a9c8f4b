/* SPDX-License-Identifier: MIT */
/* Locks that keep other processes away from the host's registers and the session's journal. */
#include "src/access/direct.h"
#include "src/platform/context.h"
#include "src/session/session.h"

int session_lock(struct pmon_session *s)
{
  struct pmon_reason reason = {""};
  const int status = access_lock(s->backend, &reason);
  s->locked = !status;
  return status ? context_fail(s->plan->context, status, 0, "%s", reason.text) : 0;
}

void session_unlock(struct pmon_session *s)
{
  session_close_journal(s);
  if (s->locked)
    access_unlock(s->backend);
  s->locked = false;
}
