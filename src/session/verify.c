/* SPDX-License-Identifier: MIT */
/*
 * Checks whether controls, and the filters that act on events, still have their programmed values. A check is an
 * access; checks are therefore spread over the counter reads: each read checks a share of the controls. Consecutive
 * shares contain controls from all over the list: other software usually takes a counter of every instance of a unit,
 * so that each share has some of the changed ones. If one has changed, all are checked.
 */
#include <stdlib.h>
#include "src/session/session.h"

static uint32_t common_divisor(uint32_t a, uint32_t b)
{
  return b ? common_divisor(b, a % b) : a;
}

/* Returns a step near the golden section of n and coprime to n: its multiples modulo n are evenly distributed, for any
 * number of them. */
static uint32_t verify_find_step(uint32_t n)
{
  uint32_t step = (uint32_t)(0.618 * n);
  while (step > 1 && common_divisor(step, n) != 1)
    step--;
  return step ? step : 1;
}

int session_lay_out_verify(struct pmon_session *s)
{
  s->controlled = calloc(s->n_runs + 1, sizeof *s->controlled);
  if (!s->controlled)
    return PMON_E_MEMORY;
  for (uint32_t i = 0; i < s->n_runs; i++)
    if (s->runs[i].n_writes && (s->rounds < 2 || s->runs[i].round == UINT32_MAX))
      s->controlled[s->n_controlled++] = i;
  s->verify_step = verify_find_step(s->n_controlled);
  return 0;
}

/* Returns the register of write k if it is a filter that acts on the run's event and is checked, else NULL; the run's
 * last write is its control. */
static struct session_register *verify_filter(const struct session_run *run, struct session_register *regs, uint32_t k)
{
  struct session_register *r = &regs[run->writes[k].reg];
  return r->filter && !r->missing && !run->writes[k].quiet ? r : NULL;
}

static void verify_add_registers(struct pmon_session *s, const struct session_run *run)
{
  for (uint32_t k = 0; k + 1 < run->n_writes; k++)
    if (verify_filter(run, s->regs, k))
      session_sweep_add(s, run->writes[k].reg);
  session_sweep_add(s, run->writes[run->n_writes - 1].reg);
}

static bool verify_filters_differ(const struct session_run *run, struct session_register *regs)
{
  bool differ = false;
  for (uint32_t k = 0; k + 1 < run->n_writes; k++) {
    const struct session_register *r = verify_filter(run, regs, k);
    differ |= r && (r->seen ^ run->writes[k].value) & run->writes[k].mask & r->stable;
  }
  return differ;
}

bool session_reads_ones(const struct session_register *r, uint64_t value)
{
  const uint64_t ones = r->address.width_bits < 64 ? (UINT64_C(1) << r->address.width_bits) - 1 : UINT64_MAX;
  return value == ones || value == UINT64_MAX;
}

/* True if the control or a filter reads as absent. A filter can be in another PCI function than its control (E5-2600's
 * QPI), and that function alone may be hidden. */
static bool verify_is_absent(const struct session_run *run, struct session_register *regs)
{
  const struct session_register *control = &regs[run->writes[run->n_writes - 1].reg];
  bool absent = session_reads_ones(control, control->seen);
  for (uint32_t k = 0; k + 1 < run->n_writes; k++) {
    const struct session_register *r = verify_filter(run, regs, k);
    absent |= r && session_reads_ones(r, r->seen) && (r->seen ^ run->writes[k].value) & run->writes[k].mask & r->stable;
  }
  return absent;
}

/* Returns the flags of a run whose control register or filters, as they were read, differ from their programmed values;
 * 0: they do not. */
static uint32_t verify_compare(struct pmon_session *s, struct session_run *run)
{
  const struct session_write *w = &run->writes[run->n_writes - 1];
  const uint64_t value = s->regs[w->reg].seen;
  run->changed = (value ^ w->value) & run->check || verify_filters_differ(run, s->regs);
  if (!run->changed)
    return 0;
  if (verify_is_absent(run, s->regs))
    return PMON_VALUE_UNAVAILABLE;
  if (!s->changed++ || run->verified_ns < s->changed_from_ns)
    s->changed_from_ns = run->verified_ns;
  return PMON_VALUE_STOLEN;
}

/* Checks the controls of runs that are due; *ret_found: a change was found that was not known before. */
static int verify_marked(struct pmon_session *s, bool *ret_found)
{
  uint32_t n = 0;
  *ret_found = false;
  for (uint32_t i = 0; i < s->n_runs; i++) {
    struct session_run *run = &s->runs[i];
    run->due &= run->n_writes && session_counts_now(s, run);
    n += run->due;
    if (run->due)
      verify_add_registers(s, run);
  }
  int status = n ? session_sweep(s) : 0;
  for (uint32_t i = 0; !status && i < s->n_runs; i++) {
    struct session_run *run = &s->runs[i];
    if (!run->due)
      continue;
    const bool known = run->changed;
    const uint32_t flags = run->gone ? 0 : verify_compare(s, run);
    *ret_found |= flags && !known;
    run->flags |= flags;
    s->cells[run->cell].flags |= flags;
    run->verified_ns = s->now_ns;
    run->due = false;
  }
  return status;
}

int session_verify_all(struct pmon_session *s)
{
  bool found;
  for (uint32_t i = 0; i < s->n_runs; i++)
    s->runs[i].due = true;
  s->shared_ns = s->now_ns;
  return verify_marked(s, &found);
}

int session_verify_rest(struct pmon_session *s)
{
  bool found;
  for (uint32_t i = 0; i < s->n_runs; i++)
    s->runs[i].due = s->runs[i].verified_ns < s->now_ns;
  return verify_marked(s, &found);
}

/* Marks the share of the controls that is due, of those that are not programmed anew in each round. */
static void verify_add_share(struct pmon_session *s)
{
  const double all = s->n_controlled;
  const uint64_t oldest_ns = s->now_ns > s->verify_ns ? s->now_ns - s->verify_ns : 0;
  double n = s->verify_ns ? all * (double)(s->now_ns - s->shared_ns) / (double)s->verify_ns : all;
  n = n < all ? (double)(uint32_t)n : all;
  for (uint32_t i = 0; i < (uint32_t)n; i++) {
    s->verify_next = (s->verify_next + s->verify_step) % s->n_controlled;
    s->runs[s->controlled[s->verify_next]].due = true;
  }
  if (n > 0)
    s->shared_ns += (uint64_t)(n / all * (double)s->verify_ns);
  if (s->shared_ns < oldest_ns)
    s->shared_ns = oldest_ns;
}

/* Marks all controls of the unit of a run with an odd count. */
static void verify_add_unit(struct pmon_session *s, const struct session_run *odd)
{
  const struct session_register *of = &s->regs[odd->counter];
  for (uint32_t i = 0; i < s->n_runs; i++) {
    const struct session_register *r = &s->regs[s->runs[i].counter];
    if (r->address.package != of->address.package || r->id.unit != of->id.unit || r->id.instance != of->id.instance)
      continue;
    s->runs[i].due = true;
    s->runs[i].odd = false;
  }
}

int session_verify_due(struct pmon_session *s)
{
  bool found;
  if (s->every_count || s->ended || !s->verify_ns)
    return session_verify_all(s);
  verify_add_share(s);
  for (uint32_t i = 0; i < s->n_runs; i++) {
    struct session_run *run = &s->runs[i];
    run->due |= run->changed || (s->rounds > 1 && run->round == s->round);
    if (run->odd && run->own)
      verify_add_unit(s, run);
  }
  int status = verify_marked(s, &found);
  return !status && found ? session_verify_rest(s) : status;
}
