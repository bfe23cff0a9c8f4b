/* SPDX-License-Identifier: MIT */
/* Requests for lines: from a CHA over home and snoops to the answer, and links between sockets. */
#ifndef MACHINE_EMR_COHERENCE_H
#define MACHINE_EMR_COHERENCE_H

#include "machine/common/request.h"
#include "machine/emr/socket.h"
#include "machine/emr/attr.h"

/* cha.c: a request from the socket itself, to the answer's arrival at its tile. */
void cha_request(struct traffic *t, const struct request *r, struct answer *ret_answer);
/* A line that leaves a core's L2; llc.c puts it into the LLC. */
void cha_evict(struct traffic *t, const struct request *r, enum line_state state);
/* write_back.c: a line that its core writes back or hands on, and keeps; when that is done. */
fs_t cha_keep(struct traffic *t, const struct request *r);

/* A request's entry in the TOR of a CHA; of one that is not for memory, of the CHA that its address belongs to. */
struct cha_entry {
  struct socket *s;
  struct cha *cha;
  fs_t accepted;
  uint32_t slot;
};
struct cha_entry cha_accept(struct traffic *t, struct socket *s, const struct request *r, fs_t arrived);
struct cha_entry cha_pass(struct traffic *t, struct socket *s, struct request *r);
void cha_release(struct traffic *t, const struct cha_entry *e, const struct request *r, fs_t done, bool missed);
void cha_lookup_report(struct socket *s, const struct cha_entry *e, const struct request *r, uint64_t state);
/* Opcode and queue in the TOR, queue of the ingress, kind of look-up. */
struct op_facts {
  uint16_t opcode;
  uint64_t queue, ingress, lookup;
};
extern const struct op_facts cha_op_facts[OP_N];
static inline const struct op_facts *op_facts(enum tor_op op)
{
  return &cha_op_facts[op];
}

/* home.c: what a miss of socket r->socket asks of the line's home; `at` and the answer at the requester's CHA, the
 * data's time at r->tile. */
void home_request(struct traffic *t, const struct request *r, unsigned cha, fs_t at, struct answer *ret_answer);
/* home_write.c: data for the home, that the socket's caches do not keep; home_push: those that a device of this socket
 * has written. home_flush: a line that no cache of this socket has modified leaves all caches; *a has its times if the
 * home knows that the other socket has no copy. */
void home_push(struct traffic *t, const struct request *r, fs_t at);
void home_flush(struct traffic *t, const struct request *r, unsigned cha, fs_t at, struct answer *a);
void home_write(struct traffic *t, const struct request *r, unsigned cha, bool partial, fs_t at);

/* snoop.c: what the other socket has of a line; whether it was modified there and was forwarded for that, whether the
 * socket has it as before, its answer's time at the home CHA. */
struct snoop_answer {
  fs_t done;
  bool had, modified, forwarded, keeps;
};
struct snooping {
  unsigned home;
  bool invalidate, broadcast;
}; /* home: the CHA that asks */
struct snoop_answer snoop_socket(struct traffic *t, const struct request *r, const struct snooping *how, fs_t at);

/* upi.c */
enum upi_class {
  MESSAGE_REQ = UPI_REQ,
  MESSAGE_SNP = UPI_SNP,
  MESSAGE_RSP2 = UPI_RSP2,
  MESSAGE_RSP4 = UPI_RSP4,
  MESSAGE_WB = UPI_WB,
  MESSAGE_NCB = UPI_NCB,
  MESSAGE_NCS = UPI_NCS
};
/* In an opcode: of data that memory sends past the CHA. */
#define UPI_DIRECT 0x10u
/* A message from socket `from` to the other over the line's link. */
struct upi_message {
  unsigned from;
  uint64_t line;
  enum upi_class class;
  unsigned opcode;
};
/* Sends one; its time at the other side's link tile. */
fs_t upi_send(struct traffic *t, const struct upi_message *m, fs_t at);
/* The number of the line's link. */
unsigned upi_of(const struct traffic *t, uint64_t line);
/* Whether it has half of its lanes off, or all. */
bool link_sleeps(const struct link *l, fs_t at);
void upi_advance(struct traffic *t, struct socket *s, fs_t until);

#endif
