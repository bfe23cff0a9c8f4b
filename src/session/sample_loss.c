/* SPDX-License-Identifier: MIT */
/*
 * Lost samples: from an overflow until the session has observed it and read the buffer, the thread's monitors are
 * frozen, and its events are not counted (Montecito 3.3.1, 3.3.4). The time of the overflow is known to be after the
 * previous poll. The thread's activity in the frozen time is unknown; its events are assumed to be as frequent as in
 * the time in which they were counted.
 */
#include "src/base/sized.h"
#include "src/platform/context.h"
#include "src/session/samples.h"
#include "src/session/session.h"

void session_note_frozen(struct pmon_session *s, uint64_t looked_ns, uint64_t noticed_ns)
{
  uint64_t packages = 0;
  for (uint32_t i = 0; i < s->n_regs; i++)
    if (s->regs[i].overflowed && s->regs[i].address.package < SESSION_PACKAGES)
      packages |= UINT64_C(1) << s->regs[i].address.package;
  for (; packages; packages &= packages - 1) {
    struct session_loss *loss = &s->losses[__builtin_ctzll(packages)];
    loss->samples++;
    loss->frozen_least_ns += s->resume_ns > noticed_ns ? s->resume_ns - noticed_ns : 0;
    loss->frozen_most_ns += s->resume_ns > looked_ns ? s->resume_ns - looked_ns : 0;
  }
}

/* Returns the expected number of samples in the frozen time, at the rate of the other time. */
static double lost_samples(uint64_t samples, double frozen_ns, double all_ns)
{
  return frozen_ns < all_ns ? (double)samples * frozen_ns / (all_ns - frozen_ns) : 0;
}

int pmon_session_sample_loss(const struct pmon_session *s, struct pmon_sample_loss *ret_loss)
{
  struct pmon_sample_loss loss = {.size = sizeof loss};
  const double all_ns = s->now_ns > s->start_ns ? (double)(s->now_ns - s->start_ns) : 0;
  uint32_t threads = 0;
  if (!s->source.kind)
    return context_fail(s->plan->context, PMON_E_INVALID, 0, "the session has no sample source");
  for (uint32_t i = 0; i < SESSION_PACKAGES && all_ns > 0; i++) {
    const struct session_loss *l = &s->losses[i];
    if (!l->samples)
      continue;
    threads++;
    loss.samples += l->samples;
    loss.lost_low += lost_samples(l->samples, (double)l->frozen_least_ns, all_ns);
    loss.lost_high += lost_samples(l->samples, (double)l->frozen_most_ns, all_ns);
    loss.frozen_low += (double)l->frozen_least_ns / all_ns;
    loss.frozen_high += (double)l->frozen_most_ns / all_ns;
  }
  loss.frozen_low /= threads ? threads : 1;
  loss.frozen_high /= threads ? threads : 1;
  const int status = sized_fill(ret_loss, &loss, sizeof loss);
  return status ? context_fail(s->plan->context, status, 0, "the size of struct pmon_sample_loss is not set") : status;
}
