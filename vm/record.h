/* SPDX-License-Identifier: MIT */
/*
 * What a guest has asked of the machine, and what its kernel has printed, from one point of its run to another. A guest
 * that begins with its state at the second point needs a machine that has been asked the same: the record is repeated
 * to a new one.
 *
 * It is a sequence of items: a message as QEMU sends them (port.h) with its answer, where a register was accessed with
 * the code that did it (shared.h); or a text. Each is filled up to a multiple of 8 bytes.
 */
#ifndef VM_RECORD_H
#define VM_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "vm/port.h"

struct record {
  bool on;     /* items are added */
  bool failed; /* no memory, or longer than a record can be: of no use */
  uint8_t *bytes;
  size_t n, room;
};

/* An empty one, to which items are added from now on. */
void record_begin(struct record *r);
/* Takes over bytes of a file (allocated). False, and nothing is taken: these are no items. */
bool record_take(struct record *r, uint8_t *bytes, size_t n);
void record_free(struct record *r);

/* In a file the items have their length and a checksum behind them. Writes all that where the descriptor is. False with
 * errno set. */
bool record_write(const struct record *r, int fd);
/* Takes the items that end, with what is behind them, at byte `end`. False, and nothing is taken: they are cut short or
 * changed. */
bool record_read(struct record *r, int fd, size_t end);

/* Adds a message that was carried out; code: NULL when no register was accessed. */
void record_message(struct record *r, const struct port_message *m, const struct shared_memory *code);
void record_text(struct record *r, const char *bytes, size_t n);

/* Whether a machine that nothing was asked of has the same functions and discovery pages, and each message is one that
 * its guest can send: reading them has no effect. The bus stays as it is. */
bool record_fits(const struct record *r, const struct bus *bus);

struct record_repeated {
  void (*message)(void *user, const struct port_message *m);
  void (*text)(void *user, const char *bytes, size_t n);
  void *user;
};
/* Repeats everything to the bus, in order, and reports it. False: an answer differs, and the rest is not repeated. */
bool record_repeat(const struct record *r, struct bus *bus, const struct record_repeated *on);

#endif
