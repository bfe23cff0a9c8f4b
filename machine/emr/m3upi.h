/* SPDX-License-Identifier: MIT */
/* A link's mesh stop (m3upi.c), and the message reports of upi.c to it. */
#ifndef MACHINE_EMR_M3UPI_H
#define MACHINE_EMR_M3UPI_H

#include "machine/emr/coherence.h"

/* at: from the mesh; begin: onto the link; there: at the other side; flit, cycle: the times of a flit on the link and
 * of the uncore; direct: data that come straight from memory. */
struct link_message {
  enum upi_class class;
  unsigned opcode, slot;
  bool direct, credits; /* it has credits for received messages with it */
  uint32_t flits;
  fs_t at, begin, there, flight, flit, cycle;
  struct block *receiver; /* the link's block at the other side */
};

void link_stop_sends(struct link_stop *ls, const struct link_message *m);
void link_stop_receives(struct link_stop *ls, const struct link_message *m);
void link_stop_advance(struct link_stop *ls, fs_t until);

/* The credits for data that memory sends straight to the link: one is held for a time; there was none then. */
void link_stop_direct(struct link_stop *ls, const fs_t *credits, const fs_t span[2]);
void link_stop_no_direct(struct link_stop *ls, const fs_t span[2]);
/* A message from the link to an I/O stack (by number), bypass (NCB) or not (NCS): it holds a credit of its stop. */
void link_stop_to_stack(struct link_stop *ls, unsigned stack, bool bypass, const fs_t span[2]);

#endif
