/* SPDX-License-Identifier: MIT */
#include "src/access/register.h"

#include <pmon/hardware.h>
#include "src/platform/platform.h"

enum { TEAR_TRIES = 8 };

static int read_pair(struct pmon_backend *b, const struct pmon_address *a, uint64_t *ret_value)
{
  struct pmon_address low = *a, high = *a;
  uint64_t h = 0, l = 0, again = 0;
  low.width_bits = high.width_bits = 32;
  high.offset += 4;
  int status = b->ops->read(b, &high, &h);
  for (int i = 0; !status && i < TEAR_TRIES; i++) {
    status = b->ops->read(b, &low, &l);
    if (!status)
      status = b->ops->read(b, &high, &again);
    if (!status && h == again) {
      *ret_value = h << 32 | (l & UINT32_MAX);
      return 0;
    }
    h = again;
  }
  if (!status)
    b->error_text = "the two halves of a register kept changing";
  return status ? status : PMON_E_IO;
}

int access_read(struct pmon_backend *b, const struct pmon_address *a, uint64_t *ret_value)
{
  if (a->space == PMON_SPACE_PCI && a->width_bits == 64)
    return read_pair(b, a, ret_value);
  return b->ops->read(b, a, ret_value);
}

void access_sweep(struct pmon_backend *b, struct pmon_read *reads, uint32_t n)
{
  if (b->sweep)
    b->sweep(b, reads, n);
  for (uint32_t i = 0; !b->sweep && i < n; i++)
    reads[i].status = access_read(b, &reads[i].address, &reads[i].value);
}

int access_write(struct pmon_backend *b, const struct pmon_address *a, uint64_t value)
{
  if (a->space != PMON_SPACE_PCI || a->width_bits != 64)
    return b->ops->write(b, a, value);
  struct pmon_address half = *a;
  half.width_bits = 32;
  half.offset += 4;
  int status = b->ops->write(b, &half, value >> 32);
  if (status)
    return status;
  half.offset -= 4;
  return b->ops->write(b, &half, value & UINT32_MAX);
}

/* pmon clears no logs of the processor (DB_W0C). */
uint64_t access_writable(const struct pmon_platform *platform, const struct pmon_register_id *id)
{
  return platform_bits(platform, id, 1U << DB_RW | 1U << DB_WO | 1U << DB_W1C | 1U << DB_W1S);
}

int access_writable_at(const struct pmon_platform *platform, const struct pmon_address *a, uint64_t *ret_mask,
                       unsigned *ret_width)
{
  struct pmon_register_id id;
  struct pmon_address low = *a, whole;
  unsigned shift = 0;
  bool found = platform_register_at(platform, a, &id);
  if (!found && a->space != PMON_SPACE_MSR && a->width_bits == 32 && a->offset >= 4) {
    low.offset -= 4;
    shift = 32;
    found = platform_register_at(platform, &low, &id);
  }
  if (!found || pmon_register_address(platform, &id, &whole) || (shift && whole.width_bits != 64))
    return PMON_E_UNKNOWN;
  /* Constants that software must write back are written, too (Montecito 3.3.5.2, 3.3.6.2, 3.3.7). */
  const uint64_t mask = access_writable(platform, &id) |
                        (platform_reset_value(platform, &id) & platform_bits(platform, &id, 1U << DB_RO));
  *ret_mask = mask >> shift;
  *ret_width = whole.width_bits - shift;
  return mask ? PMON_OK : PMON_E_PERMISSION;
}

uint64_t access_stable(const struct pmon_platform *platform, const struct pmon_register_id *id)
{
  return platform_bits(platform, id, 1U << DB_RW);
}

uint64_t access_field(const struct pmon_platform *platform, const struct pmon_register_id *id, const char *name)
{
  return platform_field_bits(platform, id, name);
}

bool pmon_backend_bus_error(struct pmon_backend *backend)
{
  return backend && backend->fault && backend->fault(backend);
}
