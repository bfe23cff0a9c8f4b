/* SPDX-License-Identifier: MIT */
/* Marks in the program that the machine runs: begins and ends of regions. */
#include "cli/target/target.h"
#include "machine/trace/workload.h"

void target_stop_at_marks(struct machine_workload *threads)
{
  trace_workload_stop_at_marks(threads);
}

bool target_take_mark(struct machine_workload *threads, struct target_mark *ret_mark)
{
  static const enum target_mark_kind kinds[] = {[TRACE_MARK_BEGIN] = TARGET_MARK_BEGIN,
                                                [TRACE_MARK_END] = TARGET_MARK_END,
                                                [TRACE_MARK_THREAD_ENDS] = TARGET_MARK_THREAD_ENDS};
  struct trace_mark mark;
  if (!trace_workload_take_mark(threads, &mark))
    return false;
  *ret_mark = (struct target_mark){kinds[mark.kind], mark.thread, mark.name};
  return true;
}
