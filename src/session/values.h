/* SPDX-License-Identifier: MIT */
/* Values of a session for the library itself: an absent value is an answer and leaves the error record alone. */
#ifndef PMON_SESSION_VALUES_H
#define PMON_SESSION_VALUES_H

#include "src/plan/metric.h"

/* The values of a session as it is, until it goes on. What many of them ask for is found out once. */
struct session_values {
  const struct pmon_session *session;
  struct metric_source source; /* what metrics are computed from: this */
  /* By package, bits by unit: whether an instance may be silent (silent.c), where it is known already. */
  uint64_t silence_known[64], may_be_silent[64];
};

/* `v` stays where it is, and owns nothing. */
void session_values_init(struct session_values *v, const struct pmon_session *s);

/* pmon_session_event() and pmon_session_metric() without a text. */
int session_event_value(struct session_values *v, uint32_t event, const struct pmon_scope *scope,
                        struct pmon_value *ret_value);
/* pmon_session_scaling() without a text. */
int session_event_scaling(struct session_values *v, uint32_t event, const struct pmon_scope *scope,
                          struct pmon_scaling *ret_scaling);
int session_metric_value(struct session_values *v, uint32_t metric, const struct pmon_scope *scope,
                         struct pmon_value *ret_value);
/* metric_evaluate_base() of the session's counts. */
int session_metric_base(struct session_values *v, uint32_t metric, const struct pmon_scope *scope, double *ret_base);

#endif
