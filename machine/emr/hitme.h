/* SPDX-License-Identifier: MIT */
/* HitMe: a home agent's cache of the few lines that moved between the sockets most recently, and whether the home
 * shares them (817509 Tables 2-83 to 2-86). `at`: when the home accepted the request. */
#ifndef MACHINE_EMR_HITME_H
#define MACHINE_EMR_HITME_H

#include "machine/emr/coherence.h"

/* The home's own copy of the line. shared: any copy; alone: modified or exclusive. */
struct hitme_line {
  bool shared, alone;
};
/* Reports a request of the other socket. */
void hitme_request(struct socket *s, const struct request *r, const struct hitme_line *own, fs_t at);
/* Reports a write of the other socket; `keeps`: that socket keeps the line. */
void hitme_write(struct socket *s, const struct request *r, bool keeps, fs_t at);
/* Reports that the other socket gave up a line for a request of this socket. */
void hitme_take_back(struct socket *s, const struct request *r, fs_t at);

#endif
