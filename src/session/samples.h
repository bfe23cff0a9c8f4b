/* SPDX-License-Identifier: MIT */
/* Overflows: they end intervals, and the sample buffers are read. */
#ifndef SRC_SESSION_SAMPLES_H
#define SRC_SESSION_SAMPLES_H

#include "src/session/session.h"

/* Intervals that an overflow ends (overflow.c): prepares the runs of the event; clears overflow bits, if there are such
 * intervals; runs to the next overflow, until_ns or the end. */
int session_lay_out_overflow(struct pmon_session *s);
int session_clear_overflows(struct pmon_session *s);
int session_run_to_overflow(struct pmon_session *s, uint64_t until_ns, bool *ret_ended);

/* Sample buffers at overflows (sample_buffer.c): adds their registers; saves their contents, once all counters are
 * frozen. */
int session_lay_out_buffers(struct pmon_session *s);
int session_save_buffers(struct pmon_session *s);
/* Buffers whose samples are counted, not taken (counted_buffers.c): adds their registers, PMON_E_MEMORY; clears the
 * status of one, or of all of them. The last two functions, of sample_buffer.c: programs the buffers of the runs that
 * overflow; takes the samples of packages whose counter overflowed. */
int session_lay_out_counted_buffers(struct pmon_session *s);
int session_clear_buffer(struct pmon_session *s, struct session_register *r);
int session_clear_counted_buffers(struct pmon_session *s);
int session_program_buffers(struct pmon_session *s);
int session_take_samples(struct pmon_session *s);
/* Notes the frozen time of overflows (sample_loss.c): they were observed at noticed_ns, and not yet at looked_ns;
 * counting has resumed at resume_ns. */
void session_note_frozen(struct pmon_session *s, uint64_t looked_ns, uint64_t noticed_ns);

#endif
