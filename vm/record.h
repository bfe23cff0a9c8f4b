/* SPDX-License-Identifier: MIT */
/*
 * A record of a guest's accesses to the machine, and of its kernel's output, from one point of its run to another. A
 * guest that starts from its snapshot at the second point needs a machine that has processed the same accesses: the
 * record is repeated to a new machine.
 *
 * It is a sequence of items: a message in the form of QEMU's (port.h) with its answer and, if it accessed a register,
 * with the code that made the access (shared.h); or a text. Each is padded to a multiple of 8 bytes.
 */
#ifndef VM_RECORD_H
#define VM_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "vm/port.h"

struct record {
  bool on;     /* items are added */
  bool failed; /* out of memory, or longer than a record can be: unusable */
  uint8_t *bytes;
  size_t n, room;
};

/* Begins an empty record; items are added from now on. */
void record_begin(struct record *r);
/* Takes over allocated bytes of a file. False, and nothing is taken: these are no items. */
bool record_take(struct record *r, uint8_t *bytes, size_t n);
void record_free(struct record *r);

/* Writes the items at the descriptor's position, followed by their length and a checksum. False with errno set. */
bool record_write(const struct record *r, int fd);
/* Reads the items that end, with length and checksum, at byte `end`. False, and nothing is taken: they are truncated or
 * changed. */
bool record_read(struct record *r, int fd, size_t end);

/* Adds a message that was executed; code: NULL if no register was accessed. */
void record_message(struct record *r, const struct port_message *m, const struct shared_memory *code);
void record_text(struct record *r, const char *bytes, size_t n);

/* True if a fresh machine has the functions and discovery pages of the record, and its guest can send each message:
 * reading them has no effect. The bus does not change. */
bool record_fits(const struct record *r, const struct bus *bus);

struct record_repeated {
  void (*message)(void *user, const struct port_message *m);
  void (*text)(void *user, const char *bytes, size_t n);
  void *user;
};
/* Repeats everything to the bus, in order, and reports it. False: an answer differs, and the rest is not repeated. */
bool record_repeat(const struct record *r, struct bus *bus, const struct record_repeated *on);

#endif
