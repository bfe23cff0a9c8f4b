/* SPDX-License-Identifier: MIT */
#include "vm/record.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "vm/file.h"
#include "vm/shared.h"
#include "vm/snapshot.h"

/* An item's first word: a message's kind, and whether code follows it; or TEXT, with the text's length in the
 * address. */
enum { WITH_CODE = 1 << 8, TEXT = 1 << 9, CODE_WORDS = 4, ROUND = 8, HEADER_BYTES = 0x40 };
/* More than any driver's: one access with its code takes two kilobytes. */
enum { RECORD_MOST = 64 << 20 };

_Static_assert(offsetof(struct shared_memory, stack) == 8 * CODE_WORDS, "the words before the stack");

void record_begin(struct record *r)
{
  record_free(r);
  r->on = true;
}

void record_free(struct record *r)
{
  free(r->bytes);
  *r = (struct record){.on = false};
}

static void record_add(struct record *r, const void *bytes, size_t n)
{
  const size_t wanted = r->n + (n + ROUND - 1) / ROUND * ROUND;
  if (wanted > r->room && !r->failed) {
    const size_t room = 2 * wanted;
    uint8_t *larger = wanted > RECORD_MOST ? NULL : realloc(r->bytes, room);
    r->failed = !larger;
    r->bytes = larger ? larger : r->bytes;
    r->room = larger ? room : r->room;
  }
  if (r->failed)
    return;
  memset(r->bytes + r->n, 0, wanted - r->n);
  memcpy(r->bytes + r->n, bytes, n);
  r->n = wanted;
}

void record_message(struct record *r, const struct port_message *m, const struct shared_memory *code)
{
  struct port_message item = *m;
  if (!r->on)
    return;
  item.kind |= code ? WITH_CODE : 0;
  record_add(r, &item, sizeof item);
  if (code)
    record_add(r, code, sizeof *code->stack * (CODE_WORDS + (code->words < SHARED_WORDS ? code->words : SHARED_WORDS)));
}

void record_text(struct record *r, const char *bytes, size_t n)
{
  const struct port_message item = {.kind = TEXT, .address = n};
  if (!r->on || !n)
    return;
  record_add(r, &item, sizeof item);
  record_add(r, bytes, n);
}

/* An item of a record. */
struct record_item {
  struct port_message message;
  const char *text; /* NULL: a message; else of `address` bytes */
  bool has_code;
  uint64_t code[CODE_WORDS + SHARED_WORDS];
  size_t code_words;
};

static bool item_read_code(const struct record *r, size_t *at, struct record_item *ret)
{
  uint64_t words;
  ret->has_code = ret->message.kind & WITH_CODE;
  ret->message.kind &= ~(uint32_t)WITH_CODE;
  if (!ret->has_code)
    return true;
  if (r->n - *at < sizeof words * CODE_WORDS)
    return false;
  memcpy(&words, r->bytes + *at + sizeof words * (CODE_WORDS - 1), sizeof words);
  ret->code_words = CODE_WORDS + (words < SHARED_WORDS ? words : SHARED_WORDS);
  if (r->n - *at < sizeof words * ret->code_words)
    return false;
  memcpy(ret->code, r->bytes + *at, sizeof words * ret->code_words);
  *at += sizeof words * ret->code_words;
  return true;
}

/* Reads the item at *at, and advances *at. False: there is no whole item. */
static bool record_item(const struct record *r, size_t *at, struct record_item *ret)
{
  struct port_message *m = &ret->message;
  if (r->n - *at < sizeof *m)
    return false;
  memcpy(m, r->bytes + *at, sizeof *m);
  *at += sizeof *m;
  ret->text = NULL;
  if (m->kind != TEXT)
    return item_read_code(r, at, ret) && m->kind && m->kind < PORT_KINDS && m->size <= 8;
  if (m->address > r->n - *at)
    return false;
  ret->text = (const char *)r->bytes + *at;
  *at += (m->address + ROUND - 1) / ROUND * ROUND;
  return *at <= r->n;
}

bool record_take(struct record *r, uint8_t *bytes, size_t n)
{
  const struct record taken = {.bytes = bytes, .n = n, .room = n};
  struct record_item item;
  for (size_t at = 0; at < n;)
    if (!record_item(&taken, &at, &item))
      return false;
  record_free(r);
  *r = taken;
  return true;
}

/* Follows the items in a file. */
struct record_end {
  uint64_t length, key;
};

static struct record_end record_end(const uint8_t *bytes, size_t n)
{
  return (struct record_end){n, snapshot_key(SNAPSHOT_KEY_BEGIN, bytes, n)};
}

bool record_write(const struct record *r, int fd)
{
  struct record_end end = record_end(r->bytes, r->n);
  return file_write_fd(fd, &(struct file){.bytes = r->bytes, .n = r->n}) &&
         file_write_fd(fd, &(struct file){.bytes = (uint8_t *)&end, .n = sizeof end});
}

bool record_read(struct record *r, int fd, size_t end)
{
  struct record_end has;
  if (end < sizeof has || pread(fd, &has, sizeof has, (off_t)(end - sizeof has)) != sizeof has ||
      has.length > end - sizeof has || has.length > RECORD_MOST)
    return false;
  uint8_t *bytes = malloc(has.length ? has.length : 1);
  if (bytes && pread(fd, bytes, has.length, (off_t)(end - sizeof has - has.length)) == (ssize_t)has.length &&
      record_end(bytes, has.length).key == has.key && record_take(r, bytes, has.length))
    return true;
  free(bytes);
  return false;
}

/* True if the guest's QEMU can send the message: the bus relies on that. */
static bool record_possible(const struct bus *b, const struct port_message *m)
{
  const bool config = m->kind == PORT_CONFIG_READ || m->kind == PORT_CONFIG_WRITE;
  bool has = !config && m->kind != PORT_BAR_READ;
  for (unsigned i = 0; i < b->n && !has; i++)
    has = b->devfn[i] == m->processor;
  return has && (port_is_msr(m) || m->size == 1 || m->size == 2 || m->size == 4 || (m->size == 8 && !config));
}

/* Repeats a message; true if the answer was the same. */
static bool repeat_message(struct bus *b, const struct port_message *m)
{
  struct port_message again = *m;
  port_carry_out(b, &again);
  return again.value == m->value && again.answer == m->answer;
}

bool record_fits(const struct record *r, const struct bus *bus)
{
  struct bus copy = *bus; /* it has the addresses that the guest assigns, and nothing else that these messages change */
  struct record_item item;
  bool fits = true;
  for (size_t at = 0; at < r->n && fits;) {
    const struct port_message *m = &item.message;
    fits = record_item(r, &at, &item) && (item.text || record_possible(bus, m));
    if (fits && !item.text &&
        (m->kind == PORT_BAR_READ ||
         ((m->kind == PORT_CONFIG_READ || m->kind == PORT_CONFIG_WRITE) && m->address < HEADER_BYTES)))
      fits = repeat_message(&copy, m);
  }
  return fits;
}

bool record_repeat(const struct record *r, struct bus *bus, const struct record_repeated *on)
{
  struct record_item item;
  bool same = true;
  for (size_t at = 0; at < r->n && same;) {
    same = record_item(r, &at, &item);
    if (same && item.text) {
      on->text(on->user, item.text, item.message.address);
      continue;
    }
    if (same && bus->shared && bus->shared->at) {
      bus->shared->at->rip = 0;
      if (item.has_code)
        memcpy(bus->shared->at, item.code, sizeof *item.code * item.code_words);
    }
    same = same && repeat_message(bus, &item.message);
    if (same)
      on->message(on->user, &item.message);
  }
  if (bus->shared && bus->shared->at)
    bus->shared->at->rip = 0;
  return same;
}
