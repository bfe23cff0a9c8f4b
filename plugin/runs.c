/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plugin/runs.h"

#include "plugin/calls.h"
#include "plugin/group.h"
#include "plugin/trace.h"

static bool has_runs;
static struct {
  bool runs; /* it may have some: not in a mark of a region */
  size_t n;  /* instructions so far */
  struct {
    uint8_t members; /* of the run that the instruction begins: 0 if it belongs to one before, or has no plain access */
    uint8_t first;   /* the instruction that begins its run */
  } at[RECORD_MAX_COUNT];
} piece; /* QEMU translates one block of a program at a time */

void runs_install(uint64_t id, bool is_64_bit)
{
  has_runs = groups_install(is_64_bit);
  if (has_runs)
    calls_install(id);
}

void runs_begin(const struct qemu_plugin_insn *head)
{
  uint64_t name;

  piece.runs = has_runs && region_of(head, &name) == REGION_NONE;
  piece.n = 0;
  if (piece.runs)
    groups_begin();
}

void runs_add(const struct qemu_plugin_insn *insn)
{
  if (!piece.runs)
    return;
  groups_add(qemu_plugin_insn_data(insn), qemu_plugin_insn_size(insn), qemu_plugin_insn_vaddr(insn));
  piece.n++;
}

/* Whether an access that follows the last one of a run belongs to it: [*low, *high) is what the run has so far. */
static bool run_takes(const struct access *first, unsigned members, const struct access *next, int64_t *low,
                      int64_t *high)
{
  const int64_t end = next->at + (INT64_C(1) << next->size_log2);
  const int64_t from = next->at < *low ? next->at : *low, to = end > *high ? end : *high;

  if (!next->follows || members == RUN_MOST || to - from > RUN_SPAN || (next->store && !first->store))
    return false;
  *low = from;
  *high = to;
  return true;
}

void runs_end(void)
{
  const struct access *first = NULL;
  size_t begin = 0;
  int64_t low = 0, high = 0;

  for (size_t i = 0; i < piece.n; i++) {
    const struct access *a = group_access(i);

    piece.at[i].members = 0;
    piece.at[i].first = (uint8_t)i;
    if (!a)
      continue;
    if (!first || !run_takes(first, piece.at[begin].members, a, &low, &high)) {
      first = a;
      begin = i;
      low = a->at;
      high = a->at + (INT64_C(1) << a->size_log2);
    }
    piece.at[i].first = (uint8_t)begin;
    piece.at[begin].members++;
  }
}

bool runs_register(struct qemu_plugin_insn *insn, size_t place, const size_t *ordinals)
{
  if (piece.runs && piece.at[place].first != place)
    return true;
  if (!piece.runs || piece.at[place].members < 2)
    return false;
  struct trace_run *run = call_allocate(sizeof *run + piece.at[place].members * sizeof *run->member);
  run->n = 0;
  for (size_t i = place; i < piece.n; i++) {
    const struct access *a = piece.at[i].first == place ? group_access(i) : NULL;

    if (!a)
      continue;
    run->member[run->n].at = (uint64_t)(a->at - group_access(place)->at);
    run->member[run->n++].bits = record_access(0, a->size_log2, a->store, (unsigned)ordinals[i]);
  }
  qemu_plugin_register_vcpu_mem_cb(insn, trace_run_function(run->n), PLUGIN_NO_REGISTERS, PLUGIN_READS_AND_WRITES, run);
  return true;
}
