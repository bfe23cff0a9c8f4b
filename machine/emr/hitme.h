/* SPDX-License-Identifier: MIT */
/* HitMe: a home agent's cache of the few lines that travelled between the sockets last, and whether the home shares
 * them (817509 Tables 2-83 to 2-86). `at`: when the home has accepted the request. */
#ifndef MACHINE_EMR_HITME_H
#define MACHINE_EMR_HITME_H

#include "machine/emr/coherence.h"

/* What the home's own caches have of the line: anything; it modified or exclusive. */
struct hitme_line {
  bool shared, alone;
};
/* A request of the other socket. */
void hitme_request(struct socket *s, const struct request *r, const struct hitme_line *own, fs_t at);
/* A write of the other socket; `keeps`: it keeps the line. */
void hitme_write(struct socket *s, const struct request *r, bool keeps, fs_t at);
/* A line that the other socket has given to a request of this one. */
void hitme_take_back(struct socket *s, const struct request *r, fs_t at);

#endif
