/* SPDX-License-Identifier: MIT */
/* Register contents that a stream expects, for scenarios that test themselves. */
#include <inttypes.h>
#include <stdio.h>
#include <pmon/status.h>
#include "machine/montecito/core/state.h"
#include "machine/montecito/monitors/monitors.h"
#include "machine/pmon/compare.h"

int montecito_check_expectation(struct montecito_machine *m, const struct montecito_record *r)
{
  const struct pmon_address a = {.package = r->thread, .space = (uint8_t)r->n, .width_bits = 64, .offset = r->a};
  uint64_t value;
  const enum compare compare = r->b;
  int status =
      r->n == PMON_SPACE_PMD ? montecito_machine_read_user(m, &a, &value) : montecito_machine_read(m, &a, &value);
  if (!status)
    montecito_report_access(m, false, &a, value);
  if (status || compare_holds(compare, value, r->value))
    return status;
  if (!m->unmet++)
    snprintf(m->unmet_text, sizeof m->unmet_text,
             "line %" PRIu64 ": %s %u of thread %u is %" PRIu64 " (0x%" PRIx64 "), expected %s %" PRIu64 " (0x%" PRIx64
             ")",
             r->address, r->n == PMON_SPACE_PMC ? "pmc" : "pmd", r->a, r->thread, value, value, compare_name(compare),
             r->value, r->value);
  return PMON_OK;
}

uint64_t montecito_machine_failed_expectations(const struct montecito_machine *m, const char **ret_text)
{
  *ret_text = m->unmet_text;
  return m->unmet;
}
