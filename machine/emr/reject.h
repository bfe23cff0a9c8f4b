/* SPDX-License-Identifier: MIT */
/* Rejections of requests at a CHA (reject.c). Call these functions only while rejects_observed of the emr_socket is
 * set. */
#ifndef MACHINE_EMR_REJECT_H
#define MACHINE_EMR_REJECT_H

#include <pmon/status.h>
#include "machine/emr/coherence.h"

/* Umask bits of Tables RxC_*0_REJECT; with bit 8 set, those of set 1. */
enum {
  REJECT_AD_REQ = 0x01,
  REJECT_AD_RSP = 0x02,
  REJECT_BL_RSP = 0x04,
  REJECT_BL_WB = 0x08,
  REJECT_BL_NCB = 0x10,
  REJECT_BL_NCS = 0x20,
  REJECT_AK = 0x40,
  REJECT_IV = 0x80,
  REJECT_HOME = 0x102,
  REJECT_LLC_VICTIM = 0x114,
  REJECT_FILTER_VICTIM = 0x118,
  REJECT_WAY = 0x120,
  REJECT_ALLOW_SNOOP = 0x140,
  REJECT_SAME_LINE = 0x180,
  REJECT_LINES = 64
};

/* PMON_E_MEMORY. */
int rejects_init(struct socket *s);
void rejects_fini(struct socket *s);
bool rejects_observed(const struct traffic *t, const struct socket *s);
/* Reports a request that is rejected at `at` and retried at `until`; reports nothing unless `until` is later. */
void reject(struct socket *s, const struct request *r, unsigned cause, fs_t at, fs_t until);
/* rejects_accepted(): rejects the request while an earlier one to the same line or set is in flight.
 * rejects_released(): a request ends. */
void rejects_accepted(struct socket *s, const struct request *r, fs_t at);
void rejects_released(struct socket *s, const struct request *r, fs_t done, bool missed);
/* A message to a link needs a credit of its class, which returns when the message is on the link. */
void rejects_link(struct socket *s, const struct request *r, unsigned cause, fs_t at, fs_t sent);

#endif
