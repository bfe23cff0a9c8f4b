/* SPDX-License-Identifier: MIT */
/* Coherent requests: from a CHA through home agent and snoops to the answer, and the links between sockets. */
#ifndef MACHINE_EMR_COHERENCE_H
#define MACHINE_EMR_COHERENCE_H

#include "machine/common/request.h"
#include "machine/emr/socket.h"
#include "machine/emr/attr.h"

/* cha.c: serves a request from the socket itself. ret_answer->done is the answer's arrival at the requester's tile. */
void cha_request(struct traffic *t, const struct request *r, struct answer *ret_answer);
/* Evicts a line from a core's L2; llc.c inserts it into the LLC. */
void cha_evict(struct traffic *t, const struct request *r, enum line_state state);
/* write_back.c: a core writes a line back or passes it on, and keeps it. Returns the completion time. */
fs_t cha_keep(struct traffic *t, const struct request *r);

/* A request's entry in the TOR of a CHA. cha_accept() takes a request that arrives at its CHA at `arrived`. cha_pass()
 * sends one that is not for memory to the CHA to which its address maps, and accepts it there. */
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
/* Opcode and TOR queue, ingress queue, and kind of look-up of a request. */
struct op_facts {
  uint16_t opcode;
  uint64_t queue, ingress, lookup;
};
extern const struct op_facts cha_op_facts[OP_N];
static inline const struct op_facts *op_facts(enum tor_op op)
{
  return &cha_op_facts[op];
}

/* home.c: serves a miss of socket r->socket at the line's home. `at` and ret_answer->released are times at the
 * requester's CHA, ret_answer->done is the data's arrival at r->tile. */
void home_request(struct traffic *t, const struct request *r, unsigned cha, fs_t at, struct answer *ret_answer);
/* home_write.c: data for the home that the socket's caches do not keep. home_push(): data that a device of this socket
 * has written. home_flush(): a line that is not modified in any cache of this socket leaves all caches; *a is unchanged
 * if the directory says that the other socket has no copy. */
void home_push(struct traffic *t, const struct request *r, fs_t at);
void home_flush(struct traffic *t, const struct request *r, unsigned cha, fs_t at, struct answer *a);
void home_write(struct traffic *t, const struct request *r, unsigned cha, bool partial, fs_t at);

/* snoop.c: the result of a snoop of the other socket. had: it had the line; modified: it had modified the line;
 * forwarded: it forwarded the line for that reason; keeps: it has the line as before; done: arrival of the answer at
 * the home CHA. */
struct snoop_answer {
  fs_t done;
  bool had, modified, forwarded, keeps;
};
struct snooping {
  unsigned home;
  bool invalidate, broadcast;
}; /* home: the requesting CHA */
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
/* Flag in an opcode: memory sends the data past the CHA. */
#define UPI_DIRECT 0x10u
/* A message from socket `from` to the other one over the line's link. */
struct upi_message {
  unsigned from;
  uint64_t line;
  enum upi_class class;
  unsigned opcode;
};
/* Sends a message; returns its arrival at the other side's link tile. */
fs_t upi_send(struct traffic *t, const struct upi_message *m, fs_t at);
/* Returns the number of the line's link. */
unsigned upi_of(const struct traffic *t, uint64_t line);
/* True if half or all of the link's lanes are off. */
bool link_sleeps(const struct link *l, fs_t at);
void upi_advance(struct traffic *t, struct socket *s, fs_t until);

#endif
