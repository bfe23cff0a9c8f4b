/* SPDX-License-Identifier: MIT */
/*
 * Limits of open connections. At a limit, the oldest connection of an address is shut down, so that a new client is
 * served at once however many connections others hold open. Thread-safe; independent of HTTP and of time.
 */
#ifndef CLI_EXPORTER_CONNECTIONS_H
#define CLI_EXPORTER_CONNECTIONS_H

#include <pthread.h>
#include <stdint.h>
#include <sys/socket.h>

/* In total, and of one address: a 64-bit network of IPv6, an address of IPv4, or all clients of a socket file. */
enum { CONNECTIONS_MOST = 256, CONNECTIONS_OF_ADDRESS = 64 };

struct connection {
  int fd;
  uint64_t last; /* sequence number of its opening, or of the end of its last request */
  uint8_t address[8];
};

struct connections {
  pthread_mutex_t lock;
  struct connection items[CONNECTIONS_MOST];
  uint32_t n;
  uint64_t sequence, shut; /* shut: connections that were shut down at a limit */
};

void connections_init(struct connections *c);

/* Adds a connection. If its address has CONNECTIONS_OF_ADDRESS others, its oldest one is shut down and forgotten; else,
 * if there are CONNECTIONS_MOST, the oldest one of the address that has the most. Its owner still closes it. */
void connections_open(struct connections *c, int fd, const struct sockaddr *client);
/* Makes a connection the newest, because a request of it was answered. No effect on one that was forgotten. */
void connections_renew(struct connections *c, int fd);
/* Call it before fd is closed. */
void connections_close(struct connections *c, int fd);

#endif
