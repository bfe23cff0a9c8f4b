/* SPDX-License-Identifier: MIT */
/* Shared by the files of the home agent: home.c (reads and ownership), home_write.c (arriving data, flushes). */
#ifndef MACHINE_EMR_HOME_H
#define MACHINE_EMR_HOME_H

#include "machine/emr/coherence.h"
#include "machine/emr/mesh.h"

/* A message from a request's CHA to the line's home: the ring to the link, class and opcode on the link, the operation
 * at the home, and the cause of rejection when the link has no credit. */
struct home_message {
  enum mesh_kind ring;
  enum upi_class class;
  unsigned opcode;
  enum tor_op op;
  unsigned reject;
};
/* Sends the message; returns the request as it arrives at the home's link. */
struct request home_message_send(struct traffic *t, const struct request *r, const struct home_message *m, fs_t at);
/* Sends a line's data from the CHA to memory. */
void home_memory_write(struct traffic *t, struct socket *s, const struct request *r, bool partial, fs_t at);
/* The part that writes a line only for its directory state. Each such write counts in the events of one part (Tables
 * 2-82, 2-261). */
enum directory_writer {
  DIRECTORY_BY_HA,  /* the home agent's pipe */
  DIRECTORY_BY_TOR, /* the CHA, after a core or the LLC of the home answered a remote request */
  DIRECTORY_BY_M2M  /* the M2M, when it returns memory's data */
};
struct directory_change {
  enum directory to;
  enum directory_writer by;
};
/* Writes only the directory's state, if it changes. */
void home_directory_write(struct traffic *t, struct socket *s, const struct request *r, struct directory_change change,
                          fs_t at);

#endif
