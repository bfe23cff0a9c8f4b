/* SPDX-License-Identifier: MIT */
#include "src/base/array.h"
#include "src/platform/context.h"
#include "src/session/counts.h"
#include "src/session/private.h"

int pmon_private_fail(struct pmon_context *context, int status, const char *text)
{
  return context_fail(context, status, 0, "%s", text);
}

int pmon_private_make_cells(struct pmon_session *s)
{
  return session_make_cells(s);
}

int pmon_private_add_part_use(struct pmon_session *s, const char *operands, uint32_t event, uint32_t part)
{
  return session_add_part_use(s, operands, event, part);
}

uint32_t pmon_private_instances(const struct pmon_session *s, uint32_t event)
{
  return session_instances(s, event);
}

struct sample_total *pmon_private_sum(const struct pmon_session *s, uint32_t event, uint32_t package)
{
  return session_sum(s, event, package);
}

void pmon_private_add_peak(struct sample_total *t, const struct sample_peak *peak)
{
  sample_add_peaks(t, peak, 1);
}

void pmon_private_find_bursts(struct pmon_session *s)
{
  session_find_bursts(s);
}

void pmon_private_clear_sums(struct pmon_session *s)
{
  session_clear_sums(s);
}

uint32_t pmon_private_frozen(const struct pmon_session *s)
{
  return session_frozen(s);
}

int pmon_private_add_event(struct pmon_plan *plan, const char *text, bool selected, uint32_t *ret_index)
{
  return plan_add_event(plan, text, selected, ret_index);
}

int pmon_private_grow(void *array, uint32_t n, uint32_t *cap, size_t size)
{
  return array_grow(array, n, cap, size);
}

const struct metric *pmon_private_metric_selected(const struct pmon_plan *plan, uint32_t i)
{
  return metric_selected(plan, i);
}

double pmon_private_count_instances(const struct pmon_session *s, uint32_t event, uint32_t package)
{
  return session_count_instances(s, event, &(struct pmon_scope){package, PMON_ALL});
}

double pmon_private_threads_per_core(const struct pmon_session *s)
{
  return session_threads_per_core(s);
}
