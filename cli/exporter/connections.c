/* SPDX-License-Identifier: MIT */
#include "cli/exporter/connections.h"
#include <netinet/in.h>
#include <stdbool.h>
#include <string.h>

/* Finds the address that identifies a client: see CONNECTIONS_OF_ADDRESS. */
static void client_identify(const struct sockaddr *client, uint8_t ret[8])
{
  memset(ret, 0, 8);
  if (client && client->sa_family == AF_INET)
    memcpy(ret, &((const struct sockaddr_in *)(const void *)client)->sin_addr, 4);
  if (!client || client->sa_family != AF_INET6)
    return;
  const uint8_t *bytes = ((const struct sockaddr_in6 *)(const void *)client)->sin6_addr.s6_addr;
  const bool mapped = IN6_IS_ADDR_V4MAPPED(&((const struct sockaddr_in6 *)(const void *)client)->sin6_addr);
  memcpy(ret, mapped ? bytes + 12 : bytes, mapped ? 4 : 8);
}

static uint32_t address_count(const struct connections *c, const uint8_t address[8])
{
  uint32_t n = 0;
  for (uint32_t i = 0; i < c->n; i++)
    n += !memcmp(c->items[i].address, address, 8);
  return n;
}

/* Returns the address with the most connections. */
static const uint8_t *address_with_most(const struct connections *c)
{
  uint32_t best = 0, most = 0;
  for (uint32_t i = 0; i < c->n; i++) {
    const uint32_t n = address_count(c, c->items[i].address);
    best = n > most ? i : best;
    most = n > most ? n : most;
  }
  return c->items[best].address;
}

static uint32_t connection_find(const struct connections *c, int fd)
{
  uint32_t i = 0;
  while (i < c->n && c->items[i].fd != fd)
    i++;
  return i;
}

static void close_oldest(struct connections *c, const uint8_t address[8])
{
  uint32_t oldest = c->n;
  for (uint32_t i = 0; i < c->n; i++)
    if (!memcmp(c->items[i].address, address, 8) && (oldest == c->n || c->items[i].last < c->items[oldest].last))
      oldest = i;
  shutdown(c->items[oldest].fd, SHUT_RDWR);
  c->items[oldest] = c->items[--c->n];
  c->shut++;
}

void connections_init(struct connections *c)
{
  memset(c, 0, sizeof *c);
  pthread_mutex_init(&c->lock, NULL);
}

void connections_open(struct connections *c, int fd, const struct sockaddr *client)
{
  struct connection added = {.fd = fd};
  client_identify(client, added.address);
  pthread_mutex_lock(&c->lock);
  if (address_count(c, added.address) >= CONNECTIONS_OF_ADDRESS)
    close_oldest(c, added.address);
  else if (c->n == CONNECTIONS_MOST)
    close_oldest(c, address_with_most(c));
  added.last = ++c->sequence;
  c->items[c->n++] = added;
  pthread_mutex_unlock(&c->lock);
}

void connections_renew(struct connections *c, int fd)
{
  pthread_mutex_lock(&c->lock);
  const uint32_t i = connection_find(c, fd);
  if (i < c->n)
    c->items[i].last = ++c->sequence;
  pthread_mutex_unlock(&c->lock);
}

void connections_close(struct connections *c, int fd)
{
  pthread_mutex_lock(&c->lock);
  const uint32_t i = connection_find(c, fd);
  if (i < c->n)
    c->items[i] = c->items[--c->n];
  pthread_mutex_unlock(&c->lock);
}
