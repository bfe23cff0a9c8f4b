/* SPDX-License-Identifier: MIT */
/*
 * Bounds of open connections. Beyond a bound, the oldest connection of an address goes, so that a new client is served
 * at once however many connections others hold open. Thread-safe; knows neither HTTP nor the time.
 */
#ifndef CLI_EXPORTER_CONNECTIONS_H
#define CLI_EXPORTER_CONNECTIONS_H

#include <pthread.h>
#include <stdint.h>
#include <sys/socket.h>

/* In whole, and of one address: a 64-bit network of IPv6, an address of IPv4, or all clients of a socket file. */
enum { CONNECTIONS_MOST = 256, CONNECTIONS_OF_ADDRESS = 64 };

struct connection {
  int fd;
  uint64_t last; /* when it was opened or its last request ended, as a number in sequence */
  uint8_t address[8];
};

struct connections {
  pthread_mutex_t lock;
  struct connection items[CONNECTIONS_MOST];
  uint32_t n;
  uint64_t sequence, shut; /* shut: connections that went beyond a bound */
};

void connections_init(struct connections *c);

/* Adds a connection. Where its address has CONNECTIONS_OF_ADDRESS others, or there are CONNECTIONS_MOST, the oldest
 * connection of the address that has the most is shut down and forgotten; its owner still closes it. */
void connections_open(struct connections *c, int fd, const struct sockaddr *client);
/* A request of the connection was answered: it counts as new. No effect on one that was forgotten. */
void connections_renew(struct connections *c, int fd);
/* Before fd is closed. */
void connections_close(struct connections *c, int fd);

#endif
