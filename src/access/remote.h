/* SPDX-License-Identifier: MIT */
/*
 * The protocol between pmon and its privileged helper (helper/): one message of fixed size in each direction, over a
 * socket pair that preserves message boundaries. The helper trusts nothing in a message; registers outside ranges.h are
 * neither read nor written.
 */
#ifndef PMON_ACCESS_REMOTE_H
#define PMON_ACCESS_REMOTE_H

#include <stdint.h>

enum { REMOTE_VERSION = 1, REMOTE_REGISTERS = 100, REMOTE_TEXT = 480 };

enum remote_operation {
  REMOTE_OPEN,   /* first request: returns the number of packages, or the reason why nothing is open */
  REMOTE_READ,   /* `n` registers, each with its own status */
  REMOTE_WRITE,  /* one register */
  REMOTE_CHECK,  /* whether one register may be written */
  REMOTE_LOCK,   /* the host's registers for this session */
  REMOTE_UNLOCK, /* undoes one lock */
  REMOTE_OPERATIONS
};

struct remote_register {
  uint64_t offset, value;
  uint32_t package, device;
  int32_t status;
  uint8_t space, width_bits;
  uint16_t zero;
};

/* A request, and its reply with status, packages and text. */
struct remote_message {
  uint32_t version, operation, n, packages;
  int32_t status;
  uint32_t zero;
  char text[REMOTE_TEXT];
  struct remote_register registers[REMOTE_REGISTERS];
};

#endif
