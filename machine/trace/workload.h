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

/* Creates a workload, which owns source and placement from the call on, also after a failure. live_result() can use the
 * source until the workload is freed. PMON_E_MEMORY. */
int trace_workload_new(struct trace_source *source, struct placement *placement,
                       struct machine_workload **ret_workload);

/* True if the source has described dependences of addresses (machine/trace/ring.h); otherwise no load waits for
 * another. */
bool trace_workload_has_dependences(const struct machine_workload *workload);

/* Declares that the source is a run in which only intervals are traced in full. The results go to `run`, which is all
 * zeros and must live as long as the workload. Without this call, phases of such a run have no effect. */
void trace_workload_sample(struct machine_workload *workload, struct sampled_run *run);

/* A thread at the begin or end of a region. */
enum trace_mark_kind { TRACE_MARK_BEGIN, TRACE_MARK_END, TRACE_MARK_THREAD_ENDS /* with open regions */ };
struct trace_mark {
  enum trace_mark_kind kind;
  unsigned thread;  /* number in the order in which threads begin, from 0 */
  const char *name; /* owned by the source; NULL: missing in the trace, or the thread ends */
};

/*
 * Makes the workload rest at each mark, which machine_run() reports by an early return. Every other thread that has
 * records has then reached the time of the mark, and has passed it by 50 ns at most. Without this call, marks have no
 * effect.
 */
void trace_workload_stop_at_marks(struct machine_workload *workload);
/* Returns the mark at which the workload rests, once. false: it does not rest at a mark. */
bool trace_workload_take_mark(struct machine_workload *workload, struct trace_mark *ret_mark);

#endif
