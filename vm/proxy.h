/* SPDX-License-Identifier: MIT */
/*
 * pmon's end of QEMU's `x-pci-proxy-dev`: a PCI function whose configuration space and BARs live in another process,
 * which QEMU queries over a stream socket. A message is a header of 16 bytes (command: 4, unused: 4, length of the
 * payload: 8, all in the host's order) and a payload; a query is answered by a message of 8 bytes.
 */
#ifndef VM_PROXY_H
#define VM_PROXY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Callbacks for one function's configuration space; size is 1, 2 or 4, and an access does not cross a dword. */
struct proxy_function {
  uint32_t (*read)(void *user, unsigned devfn, unsigned offset, unsigned size);
  void (*write)(void *user, unsigned devfn, unsigned offset, unsigned size, uint32_t value);
  void *user;
  /* Reads at a physical address within one of its BARs; NULL: it has none. Writes there are dropped. */
  uint64_t (*bar_read)(void *user, unsigned devfn, uint64_t address, unsigned size);
};

/* Reads one message from `fd`, which must have one, and answers it. PMON_OK; PMON_E_NO_DEVICE: the other side closed;
 * PMON_E_IO with the reason in error. */
int proxy_serve(int fd, const struct proxy_function *f, unsigned devfn, char *error, size_t error_size);

/* A message that was read, and the reply to it. */
struct proxy_message {
  uint32_t command;
  const uint8_t *payload;
  size_t n;
};
struct proxy_reply {
  bool wanted;
  uint64_t value;
};

/* Computes the reply alone, for tests. PMON_OK; PMON_E_INVALID: no such message. */
int proxy_answer(const struct proxy_message *m, const struct proxy_function *f, unsigned devfn,
                 struct proxy_reply *ret);

#endif
