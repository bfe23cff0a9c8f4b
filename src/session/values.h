/* SPDX-License-Identifier: MIT */
/* Values of a session for the library itself: an absent value is a valid result and does not change the error
 * record. */
#ifndef PMON_SESSION_VALUES_H
#define PMON_SESSION_VALUES_H

#include "src/plan/metric.h"

/* The values of a session in its current state; valid until the session continues. Caches what many values need. */
struct session_values {
  const struct pmon_session *session;
  struct metric_source source; /* source of the metrics' operands: this struct */
  /* By package, one bit per unit: whether an instance may be silent (silent.c), and where this is known already. */
  uint64_t silence_known[64], may_be_silent[64];
};

/* Initialises `v`, which must not be moved and owns nothing. */
void session_values_init(struct session_values *v, const struct pmon_session *s);

/* pmon_session_event(), and below pmon_session_metric(), without an error text. */
int session_event_value(struct session_values *v, uint32_t event, const struct pmon_scope *scope,
                        struct pmon_value *ret_value);
/* pmon_session_scaling() without an error text. */
int session_event_scaling(struct session_values *v, uint32_t event, const struct pmon_scope *scope,
                          struct pmon_scaling *ret_scaling);
int session_metric_value(struct session_values *v, uint32_t metric, const struct pmon_scope *scope,
                         struct pmon_value *ret_value);
/* metric_evaluate_base() with the session's counts. */
int session_metric_base(struct session_values *v, uint32_t metric, const struct pmon_scope *scope, double *ret_base);

#endif
