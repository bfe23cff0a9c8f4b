/* SPDX-License-Identifier: MIT */
/* From the guest's accesses to the machine's. */
#include <stdio.h>
#include <pmon/status.h>
#include "vm/bus.h"

/* Ids of functions that are ours and not the machine's: 1234 is the vendor number of QEMU's own devices. */
enum { FILLER_ID = 0x706d1234, DOORBELL_ID = 0x70641234, HEADER_SIZE = 0x40, CLASS_OTHER = 0x0880,
       MULTIFUNCTION = 0x80 };

static const uint64_t FS_PER_NS = 1000000;

static struct pmon_address config_address(const struct bus *b, unsigned devfn, unsigned offset)
{
  return (struct pmon_address){ .space = PMON_SPACE_PCI, .width_bits = 32, .device = b->number << 8 | devfn,
                                .offset = offset };
}

static bool has_function(struct bus *b, unsigned devfn)
{
  const struct pmon_address a = config_address(b, devfn, 0);
  uint64_t id;
  return machine_read(b->machine, &a, &id) == PMON_OK && (uint32_t)id != UINT32_MAX && id != 0;
}

void bus_init(struct bus *b, struct machine *m, struct pmon_backend *backend, uint32_t number)
{
  *b = (struct bus){ .machine = m, .backend = backend, .number = number };
  for (unsigned dev = 0; dev < 31; dev++) {
    unsigned first = b->n;
    for (unsigned fn = 0; fn < 8; fn++) {
      if (!has_function(b, dev << 3 | fn))
        continue;
      if (fn && b->n == first)
        b->devfn[b->n++] = (uint8_t)(dev << 3);
      b->devfn[b->n++] = (uint8_t)(dev << 3 | fn);
    }
  }
  b->devfn[b->n++] = BUS_DOORBELL;
}

static void judge(struct bus *b, int status)
{
  if (!status)
    return;
  b->status = status;
  snprintf(b->error, sizeof b->error, "%s", b->backend->error_text ? b->backend->error_text : pmon_status_name(status));
}

int bus_follow(struct bus *b, uint64_t until_fs, bool *ret_more)
{
  bool ended;
  int status = machine_run(b->machine, until_fs, &ended, b->error, sizeof b->error);
  if (status)
    b->status = status;
  *ret_more = machine_now_fs(b->machine) >= until_fs;
  return status;
}

/* The guest waits for an answer: what it did up to now comes first. */
static void catch_up(struct bus *b)
{
  bool more;
  if (!b->guest)
    return;
  guest_stands(b->guest, true);
  bus_follow(b, UINT64_MAX, &more);
  guest_stands(b->guest, false);
}

static void pass(struct bus *b, uint64_t until_ns)
{
  uint64_t now;
  if (b->guest && until_ns == UINT64_MAX)  /* the guest is the feed, and it waits: this is its end */
    return;
  if (b->guest)
    guest_sleeps(b->guest, true);
  judge(b, b->backend->ops->wait(b->backend, until_ns, &now, &b->ended));
  if (b->guest)
    guest_sleeps(b->guest, false);
}

static uint64_t now_ns(const struct bus *b)
{
  return machine_now_fs(b->machine) / FS_PER_NS;
}

/* Whether the machine has a register there; looking changes nothing. */
static bool exists(struct bus *b, const struct pmon_address *a)
{
  uint64_t value;
  return machine_read(b->machine, a, &value) == PMON_OK;
}

static uint64_t read_register(struct bus *b, const struct pmon_address *a)
{
  uint64_t value = 0;
  catch_up(b);
  judge(b, b->backend->ops->read(b->backend, a, &value));
  b->reads++;
  if (b->access_ns)
    pass(b, now_ns(b) + b->access_ns);
  return value;
}

static void write_register(struct bus *b, const struct pmon_address *a, uint64_t value)
{
  catch_up(b);
  judge(b, b->backend->ops->write(b->backend, a, value));
  b->writes++;
  if (b->access_ns)
    pass(b, now_ns(b) + b->access_ns);
}

static uint32_t doorbell_dword(const struct bus *b, unsigned offset)
{
  const uint64_t now = now_ns(b);
  switch (offset) {
  case 0x00: return DOORBELL_ID;
  case 0x08: return (uint32_t)CLASS_OTHER << 16;
  case 0x0c: return (uint32_t)MULTIFUNCTION << 16;
  case BUS_ENDED: return b->ended;
  case BUS_TIME: return (uint32_t)now;
  case BUS_TIME + 4: return (uint32_t)(now >> 32);
  default: return 0;
  }
}

static uint32_t filler_dword(unsigned offset)
{
  return offset == 0 ? (uint32_t)FILLER_ID : offset == 8 ? (uint32_t)CLASS_OTHER << 16
         : offset == 0xc ? (uint32_t)MULTIFUNCTION << 16 : 0;
}

/* Only what lies behind the header is told of: looking through the bus is the kernel's own business. */
static uint32_t read_dword(struct bus *b, unsigned devfn, unsigned offset)
{
  const struct pmon_address a = config_address(b, devfn, offset);
  uint64_t value;
  if (devfn == BUS_DOORBELL && offset >= HEADER_SIZE)
    catch_up(b);
  if (devfn == BUS_DOORBELL)
    return doorbell_dword(b, offset);
  if (machine_read(b->machine, &a, &value) == PMON_OK)
    return (uint32_t)(offset >= HEADER_SIZE ? read_register(b, &a) : value);
  return has_function(b, devfn) ? 0 : filler_dword(offset);
}

uint32_t bus_config_read(void *user, unsigned devfn, unsigned offset, unsigned size)
{
  uint32_t value = read_dword(user, devfn, offset & ~3u) >> offset % 4 * 8;
  return size == 4 ? value : value & ((1u << size * 8) - 1);
}

void bus_config_write(void *user, unsigned devfn, unsigned offset, unsigned size, uint32_t value)
{
  struct bus *b = user;
  struct pmon_address a = config_address(b, devfn, offset & ~3u);
  uint64_t old;
  if (offset < HEADER_SIZE)                /* the kernel sizes BARs and enables devices: nothing of that is ours */
    return;
  if (devfn == BUS_DOORBELL) {
    catch_up(b);
    if (offset == BUS_STEP && size == 4)
      pass(b, value == BUS_TO_END ? UINT64_MAX : now_ns(b) + value);
    return;
  }
  if (size < 4) {
    uint32_t mask = ((1u << size * 8) - 1) << offset % 4 * 8;
    if (machine_read(b->machine, &a, &old) != PMON_OK)
      return;
    value = (value << offset % 4 * 8 & mask) | ((uint32_t)old & ~mask);
  }
  if (exists(b, &a))
    write_register(b, &a, value);
}

static struct pmon_address msr_address(uint32_t msr)
{
  return (struct pmon_address){ .space = PMON_SPACE_MSR, .width_bits = 64, .offset = msr };
}

bool bus_msr_read(struct bus *b, uint32_t msr, uint64_t *ret_value)
{
  const struct pmon_address a = msr_address(msr);
  if (!exists(b, &a))
    return false;
  *ret_value = read_register(b, &a);
  return true;
}

bool bus_msr_write(struct bus *b, uint32_t msr, uint64_t value)
{
  const struct pmon_address a = msr_address(msr);
  if (!exists(b, &a))
    return false;
  write_register(b, &a, value);
  return true;
}
