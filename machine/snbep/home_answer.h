/* SPDX-License-Identifier: MIT */
/* The home agent's answers: data, completions, and their paths to the requester. */
#ifndef MACHINE_SNBEP_HOME_ANSWER_H
#define MACHINE_SNBEP_HOME_ANSWER_H

#include "machine/common/request.h"
#include "machine/snbep/uncore.h"

/* A request at its home. */
struct home_transaction {
  const struct request *r;
  struct socket *home;
  bool remote, conflict;
  fs_t at;
  uint32_t tracker;
};

/* The home's answer and its time; forwarded: a cache of the home's socket supplies the line, not memory. */
struct served {
  fs_t at, found;
  bool data, forwarded;
  enum line_state state;
};

/* Data from memory include the completion (DataC_*_Cmp); for data from a cache (DataC_*) the home sends a separate
 * completion. A response that was delayed by another request to the line reports the conflict (DataC_*_FrcAckCnflt):
 * here only the later of the two requests does. The acknowledgement has no opcode in Table 2-143 and is not
 * modelled. */
enum { DATA = 0, DATA_CONFLICT = 1, DATA_COMPLETE = 2 };

/* Sends a message between the socket's own agents over the ring; returns its arrival. */
fs_t home_ring_move(struct traffic *t, struct socket *s, struct snb_move m, fs_t at);

/* Sends the home's completion; returns its arrival at the link's stop of the requesting socket. */
fs_t home_completion_send(struct traffic *t, struct socket *h, uint64_t line, fs_t at);

/* The home sends its data directly to the requesting core and notifies the CBo; to the other socket, over a link. */
void home_answer_local(struct traffic *t, const struct home_transaction *q, const struct served *v, struct answer *a);
void home_answer_remote(struct traffic *t, const struct home_transaction *q, const struct served *v, struct answer *a);

#endif
