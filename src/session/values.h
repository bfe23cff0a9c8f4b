/* SPDX-License-Identifier: MIT */
/* Values of a session for the library itself: an absent value is an answer and leaves the error record alone. */
#ifndef PMON_SESSION_VALUES_H
#define PMON_SESSION_VALUES_H

#include <pmon/session.h>

/* pmon_session_event() and pmon_session_metric() without a text. */
int session_event_value(const struct pmon_session *s, uint32_t event, const struct pmon_scope *scope,
                        struct pmon_value *ret_value);
int session_metric_value(const struct pmon_session *s, uint32_t metric, const struct pmon_scope *scope,
                         struct pmon_value *ret_value);
/* metric_evaluate_base() of the session's counts. */
int session_metric_base(const struct pmon_session *s, uint32_t metric, const struct pmon_scope *scope,
                        double *ret_base);

#endif
