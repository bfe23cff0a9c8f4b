/* SPDX-License-Identifier: MIT */
/* Register accesses as a driver makes them: an MSR is accessed whole; configuration space and MMIO are accessed by
 * one dword, or by two at once. */
#include <stdio.h>
#include <pmon/status.h>
#include "machine/pmon/bus.h"
#include "machine/pmon/registers.h"

static const char *const spaces[] = {"MSR", "PCI configuration space", "MMIO", "PMC", "PMD"};

/* True for registers that are accessed whole: MSRs, and the values that the kernel's resctrl shows. */
static bool is_whole(uint8_t space)
{
  return space == PMON_SPACE_MSR || space == PMON_SPACE_RESCTRL;
}

/* Software that searches for registers accesses many that do not exist: the text of an error is made only on
 * request. */
static int access_error(struct machine *m, const struct pmon_address *a, int status, const char *why)
{
  m->refused = (struct refused_access){.address = *a, .why = why};
  return status;
}

const char *machine_error(struct machine *m)
{
  const struct pmon_address *a = &m->refused.address;
  char place[80], bits[40] = "";
  if (!m->refused.why)
    return NULL;
  if (a->space == PMON_SPACE_PCI)
    snprintf(place, sizeof place, "PCI B%u:D%u.F%u offset 0x%llx", a->device >> 8, a->device >> 3 & 31, a->device & 7,
             (unsigned long long)a->offset);
  else
    snprintf(place, sizeof place, "%s %u:0x%llx", a->space < 5 ? spaces[a->space] : "space ?", a->device,
             (unsigned long long)a->offset);
  if (m->refused.bits)
    snprintf(bits, sizeof bits, "bits 0x%llx ", (unsigned long long)m->refused.bits);
  snprintf(m->error, sizeof m->error, "socket %u, %s, %u bits: %s%s", a->package, place, a->width_bits, bits,
           m->refused.why);
  return m->error;
}

static int access_check(struct machine *m, const struct pmon_address *a)
{
  if (a->package >= m->n_sockets)
    return access_error(m, a, PMON_E_NO_DEVICE, "the machine has no such socket");
  if (is_whole(a->space))
    return a->width_bits == 64 ? PMON_OK : access_error(m, a, PMON_E_INVALID, "an MSR access must be 64 bits wide");
  if (a->space != PMON_SPACE_PCI && a->space != PMON_SPACE_MMIO)
    return access_error(m, a, PMON_E_NO_DEVICE, "this processor has no such registers");
  if (a->width_bits != 32 && a->width_bits != 64)
    return access_error(m, a, PMON_E_INVALID, "an access must be 32 or 64 bits wide");
  if (a->offset % 4)
    return access_error(m, a, PMON_E_INVALID, "the offset is not a multiple of 4");
  return PMON_OK;
}

/* Reads one dword (or MSR). It may belong to a PMON register or to the platform (configuration headers, discovery
 * page). */
static int access_read_part(struct machine *m, const struct pmon_address *a, uint64_t offset, uint64_t *ret_value)
{
  const struct socket *s = &m->sockets[a->package];
  const struct reg *r = map_find(&m->map, a->space, a->device, offset);
  struct pmon_address part = *a;
  bool there;
  if (r) {
    *ret_value = register_read(m, s, r);
    if (!is_whole(a->space))
      *ret_value = (uint32_t)(*ret_value >> (offset == r->base ? 0 : 32));
    return PMON_OK;
  }
  part.offset = offset;
  if (overlay_read(&m->overlay, &part, &there, ret_value))
    return there ? PMON_OK : PMON_E_NO_DEVICE;
  return m->platform->info(m, &part, ret_value) ? PMON_OK : PMON_E_NO_DEVICE;
}

int machine_read(struct machine *m, const struct pmon_address *a, uint64_t *ret_value)
{
  uint64_t low = 0, high = 0;
  int status = access_check(m, a);
  bool ones;
  if (status)
    return status;
  if (m->faulty.n && faults_hide(m, a, &ones)) {
    *ret_value = a->width_bits == 32 ? UINT32_MAX : UINT64_MAX;
    return ones ? PMON_OK
                : access_error(m, a, PMON_E_NO_DEVICE, "no register at this address: an injected fault hides it");
  }
  if (access_read_part(m, a, a->offset, &low))
    return access_error(m, a, PMON_E_NO_DEVICE, "no register at this address");
  if (!is_whole(a->space) && a->width_bits == 64 && access_read_part(m, a, a->offset + 4, &high))
    high = 0; /* wider than the register, and no register follows */
  *ret_value = low | high << 32;
  return PMON_OK;
}

void machine_set_faults(struct machine *m, bool on)
{
  m->faults = on;
}

/* Refuses the write of an MSR because of some bits. */
static int access_refuse_bits(struct machine *m, const struct reg_write *w, uint64_t bits)
{
  register_check_bits(m, w);
  access_error(m, w->address, PMON_E_RANGE, "are not writable: general protection fault");
  m->refused.bits = bits;
  return PMON_E_RANGE;
}

static int access_write_part(struct machine *m, const struct pmon_address *a, uint64_t offset, uint64_t value)
{
  struct reg_write w = {.socket = &m->sockets[a->package], .address = a};
  struct pmon_address part = *a;
  uint64_t unused;
  w.reg = map_find(&m->map, a->space, a->device, offset);
  if (w.reg) {
    unsigned shift = !is_whole(a->space) && offset != w.reg->base ? 32 : 0;
    w.mask = is_whole(a->space) ? UINT64_MAX : UINT64_C(0xffffffff) << shift;
    w.value = value << shift;
    const uint64_t refused = m->faults && a->space == PMON_SPACE_MSR ? register_refused(&w) : 0;
    if (refused)
      return access_refuse_bits(m, &w, refused);
    register_write(m, &w);
    return PMON_OK;
  }
  part.offset = offset;
  if (!m->platform->info(m, &part, &unused))
    return PMON_E_NO_DEVICE;
  violation_add(m, &(struct machine_violation){.address = part,
                                               .name = "configuration",
                                               .field = "-",
                                               .bits = UINT64_MAX,
                                               .value = value,
                                               .rule = "this register cannot be written",
                                               .section = m->platform->rules->info_section});
  return PMON_OK;
}

int machine_write(struct machine *m, const struct pmon_address *a, uint64_t value)
{
  struct reg_write w = {.address = a, .value = value, .mask = UINT64_MAX};
  int status = access_check(m, a);
  bool ones;
  if (status)
    return status;
  if (m->faulty.n && faults_hide(m, a, &ones))
    return ones ? PMON_OK
                : access_error(m, a, PMON_E_NO_DEVICE, "no register at this address: an injected fault hides it");
  if (is_whole(a->space) || a->width_bits == 32)
    status = access_write_part(m, a, a->offset, is_whole(a->space) ? value : (uint32_t)value);
  else {
    w.socket = &m->sockets[a->package];
    w.reg = map_find(&m->map, a->space, a->device, a->offset);
    if (w.reg && w.reg->base == a->offset && w.reg->rows->width_bits == 64) {
      register_write(m, &w); /* one access to one register */
      return PMON_OK;
    }
    status = access_write_part(m, a, a->offset, (uint32_t)value);
    if (status == PMON_OK && access_write_part(m, a, a->offset + 4, value >> 32) && value >> 32)
      return access_error(m, a, PMON_E_NO_DEVICE, "the register is 32 bits wide, and no register follows it");
  }
  return status && status != PMON_E_RANGE ? access_error(m, a, PMON_E_NO_DEVICE, "no register at this address")
                                          : status;
}
