/* SPDX-License-Identifier: MIT */
/* What a session does at overflows: ends intervals, and reads the sample buffers. */
#ifndef SRC_SESSION_SAMPLES_H
#define SRC_SESSION_SAMPLES_H

#include "src/session/session.h"

/* Intervals that an overflow ends (overflow.c): prepares the runs of the event; clears overflow bits, when there are
 * such intervals; runs to the next overflow, until_ns or the end. */
int session_lay_out_overflow(struct pmon_session *s);
int session_clear_overflows(struct pmon_session *s);
int session_run_to_overflow(struct pmon_session *s, uint64_t until_ns, bool *ret_ended);

/* Sample buffers at overflows (sample_buffer.c): adds their registers; reads, once all counters
 * are frozen, their contents; programs them, for the runs that overflow; reports their samples in packages whose
 * counter did. */
int session_lay_out_buffers(struct pmon_session *s);
int session_save_buffers(struct pmon_session *s);
/* Of buffers that are counted, not sampled (counted_buffers.c): adds their registers, PMON_E_MEMORY; clears the status
 * of one, or of all of them. */
int session_lay_out_counted_buffers(struct pmon_session *s);
int session_clear_buffer(struct pmon_session *s, struct session_register *r);
int session_clear_counted_buffers(struct pmon_session *s);
int session_program_buffers(struct pmon_session *s);
int session_take_samples(struct pmon_session *s);
/* sample_loss.c: counting goes on after the overflows that were noticed at noticed_ns, and not at looked_ns yet. */
void session_note_frozen(struct pmon_session *s, uint64_t looked_ns, uint64_t noticed_ns);

#endif
