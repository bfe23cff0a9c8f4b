/* SPDX-License-Identifier: MIT */
/* Messages of QEMU's multi-process protocol, as far as a function with nothing but configuration space needs them. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <pmon/status.h>
#include "vm/proxy.h"

enum command { SYNC_MEMORY, ANSWER, CONFIG_WRITE, CONFIG_READ, BAR_WRITE, BAR_READ, SET_INTERRUPT, RESET, COMMANDS };

/* Payload of configuration accesses: offset, value, size, 4 bytes each. */
enum { PAYLOAD_MAX = 512, CONFIG_PAYLOAD = 12, CONFIG_SIZE = 4096 };

/* Payload of accesses to BARs. */
struct bar_access {
  uint64_t address, value;
  uint32_t size;
  bool memory;
};
_Static_assert(sizeof(struct bar_access) == 24, "payload as on the wire");

struct header {
  uint32_t command, unused;
  uint64_t length;
};
_Static_assert(sizeof(struct header) == 16, "header as on the wire");

/* 1: all read; 0: end of stream before the first byte; -1: error or a torn message */
static int vm_proxy_read_all(int fd, void *to, size_t n)
{
  size_t have = 0;
  while (have < n) {
    ssize_t got = read(fd, (char *)to + have, n - have);
    if (got < 0 && errno == EINTR)
      continue;
    if (got <= 0)
      return got == 0 && have == 0 ? 0 : -1;
    have += (size_t)got;
  }
  return 1;
}

int proxy_answer(const struct proxy_message *m, const struct proxy_function *f, unsigned devfn, struct proxy_reply *ret)
{
  uint32_t word[3] = {0}; /* offset, value, size */
  *ret = (struct proxy_reply){.wanted = m->command == BAR_WRITE || m->command == BAR_READ || m->command == RESET};
  if (m->command >= COMMANDS || m->command == ANSWER)
    return PMON_E_INVALID;
  if (m->command == BAR_READ && f->bar_read) {
    struct bar_access access;
    if (m->n < sizeof access)
      return PMON_E_INVALID;
    memcpy(&access, m->payload, sizeof access);
    ret->value = f->bar_read(f->user, devfn, access.address, access.size);
  }
  if (m->command != CONFIG_WRITE && m->command != CONFIG_READ)
    return PMON_OK;
  if (m->n < CONFIG_PAYLOAD)
    return PMON_E_INVALID;
  memcpy(word, m->payload, sizeof word);
  if (word[0] >= CONFIG_SIZE || (word[2] != 1 && word[2] != 2 && word[2] != 4) || word[0] % 4 + word[2] > 4)
    return PMON_E_INVALID;
  ret->wanted = true;
  if (m->command == CONFIG_READ)
    ret->value = f->read(f->user, devfn, word[0], word[2]);
  else
    f->write(f->user, devfn, word[0], word[2], word[1]);
  return PMON_OK;
}

int proxy_serve(int fd, const struct proxy_function *f, unsigned devfn, char *error, size_t error_size)
{
  struct {
    struct header header;
    uint64_t value;
  } answer = {.header = {.command = ANSWER, .length = 8}};
  uint8_t payload[PAYLOAD_MAX];
  struct proxy_reply reply;
  struct header h;
  int got = vm_proxy_read_all(fd, &h, sizeof h);
  if (got == 0 || (got < 0 && errno == ECONNRESET))
    return PMON_E_NO_DEVICE;
  if (got < 0 || h.length > sizeof payload || (h.length && vm_proxy_read_all(fd, payload, h.length) != 1) ||
      proxy_answer(&(struct proxy_message){h.command, payload, h.length}, f, devfn, &reply)) {
    snprintf(error, error_size, "function %u.%u: QEMU sent an unknown message; is it another version?", devfn >> 3 & 31,
             devfn & 7);
    return PMON_E_IO;
  }
  answer.value = reply.value;
  if (reply.wanted && write(fd, &answer, sizeof answer) != (ssize_t)sizeof answer)
    return PMON_E_NO_DEVICE;
  return PMON_OK;
}
