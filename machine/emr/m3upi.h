/* SPDX-License-Identifier: MIT */
/* A link's mesh stop (m3upi.c), and the messages that upi.c reports to it. */
#ifndef MACHINE_EMR_M3UPI_H
#define MACHINE_EMR_M3UPI_H

#include "machine/emr/coherence.h"

/* at: arrival from the mesh; begin: start of transmission on the link; there: arrival at the other side; flit, cycle:
 * durations of a flit on the link and of an uncore cycle; direct: data that come straight from memory. */
struct link_message {
  enum upi_class class;
  unsigned opcode, slot;
  bool direct, credits; /* the message also returns credits for received messages */
  uint32_t flits;
  fs_t at, begin, there, flight, flit, cycle;
  struct block *receiver; /* the link's block at the other side */
};

void link_stop_sends(struct link_stop *ls, const struct link_message *m);
void link_stop_receives(struct link_stop *ls, const struct link_message *m);
void link_stop_advance(struct link_stop *ls, fs_t until);

/* Credits for data that memory sends straight to the link: link_stop_direct() reports that one is held during `span`,
 * link_stop_no_direct() that none is free during `span`. */
void link_stop_direct(struct link_stop *ls, const fs_t *credits, const fs_t span[2]);
void link_stop_no_direct(struct link_stop *ls, const fs_t span[2]);
/* Reports that a message from the link to an I/O stack (by number), bypass (NCB) or standard (NCS), holds a credit of
 * the stack's mesh stop during `span`. */
void link_stop_to_stack(struct link_stop *ls, unsigned stack, bool bypass, const fs_t span[2]);

#endif
