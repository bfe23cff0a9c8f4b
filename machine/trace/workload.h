/* SPDX-License-Identifier: MIT */
/*
 * A workload from a source of records: each thread runs on its core, interleaved by simulated time.
 */
#ifndef MACHINE_TRACE_WORKLOAD_H
#define MACHINE_TRACE_WORKLOAD_H

#include "machine/machine.h"
#include "machine/trace/placement.h"
#include "machine/trace/sampled.h"
#include "machine/trace/source.h"

/* Owns source and placement from the call on, also after a failure. live_result() can use the source until the
 * workload is freed. PMON_E_MEMORY. */
int trace_workload_new(struct trace_source *source, struct placement *placement,
                       struct machine_workload **ret_workload);

/* Whether the source has described on what addresses depend (machine/trace/ring.h); else loads wait for none. */
bool trace_workload_has_dependences(const struct machine_workload *workload);

/* The source is a run of which only intervals are traced in full: what they show goes to `run`, which is all zeros and
 * lives as long as the workload. Unless this is called, phases of such a run have no effect. */
void trace_workload_sample(struct machine_workload *workload, struct sampled_run *run);

/* Where a thread passed the begin or end of a region. */
enum trace_mark_kind { TRACE_MARK_BEGIN, TRACE_MARK_END, TRACE_MARK_THREAD_ENDS /* with regions that it began */ };
struct trace_mark {
  enum trace_mark_kind kind;
  unsigned thread;  /* counted from 0 in the order in which threads begin */
  const char *name; /* the source's own; NULL: of a trace that does not have it, or the thread ends */
};

/*
 * From now on the workload rests at each mark, which machine_run() reports by an early return: every other thread that
 * has something to do has then reached the time of the mark, and at most 50 ns more. Unless this is called, marks have
 * no effect.
 */
void trace_workload_stop_at_marks(struct machine_workload *workload);
/* The mark at which the workload rests, once. false: it does not. */
bool trace_workload_take_mark(struct machine_workload *workload, struct trace_mark *ret_mark);

#endif
