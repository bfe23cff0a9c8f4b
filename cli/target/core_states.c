/* SPDX-License-Identifier: MIT */
#include "cli/target/core_states.h"

#include "machine/check/log.h"

uint64_t core_states_now_ns(const struct core_states *s)
{
  const uint64_t cycle = montecito_machine_cycle(s->m);
  return cycle / 8 * 5 + cycle % 8 * 5 / 8; /* 1.6 cycles a nanosecond */
}

static void core_state_report(const struct core_states *s, unsigned thread, unsigned which)
{
  const uint64_t value = s->reported[thread][which];
  if (s->checker)
    check_system(s->checker, thread, (enum check_register)which, value);
  if (s->log) {
    char line[80];
    log_format(&(struct log_entry){.kind = LOG_STATE,
                                   .time_ns = core_states_now_ns(s),
                                   .value = value,
                                   .address = {.package = thread, .offset = which}},
               line, sizeof line);
    fprintf(s->log, "%s\n", line);
  }
}

void core_states_report(struct core_states *s)
{
  static const unsigned ids[CHECK_REGISTERS] = {[CHECK_PSR] = MONTECITO_PSR,
                                                [CHECK_DCR] = MONTECITO_DCR,
                                                [CHECK_PMV] = MONTECITO_PMV,
                                                [CHECK_TPR] = MONTECITO_TPR};
  for (unsigned thread = 0; thread < MONTECITO_THREADS; thread++)
    for (unsigned k = 0; k < CHECK_REGISTERS; k++) {
      const uint64_t value = montecito_thread_register_get(s->m, thread, ids[k]);
      if (s->begun && value == s->reported[thread][k])
        continue;
      s->reported[thread][k] = value;
      core_state_report(s, thread, k);
    }
  s->begun = true;
}

static void core_states_on_access(void *arg, bool write, const struct pmon_address *a, uint64_t value)
{
  (void)write, (void)value;
  if (!a) /* one of the threads' registers */
    core_states_report(arg);
}

void core_states_follow(struct core_states *s, struct montecito_machine *m)
{
  s->m = m;
  montecito_machine_on_access(m, core_states_on_access, s);
  core_states_report(s);
}
