/* SPDX-License-Identifier: MIT */
/* Translates the guest's accesses to accesses of the machine. */
#include <limits.h>
#include <stdio.h>
#include <pmon/status.h>
#include "vm/bus.h"
#include "vm/msr_names.h"

/* Offsets of fields in a function's header, and its size. */
enum { HEADER_ID = 0x00, HEADER_CLASS = 0x08, HEADER_TYPE = 0x0c, BAR_0 = 0x10, HEADER_SIZE = 0x40 };

/* IDs of functions that pmon adds to the machine's: 1234 is the vendor number of QEMU's own devices. */
enum {
  FILLER_ID = 0x706d1234,
  DOORBELL_ID = 0x70641234,
  CLASS_OTHER = 0x0880,
  MULTIFUNCTION = 0x80,
  BAR_BYTES = 1 << 16
};

/* A function in PCI Express: its list of capabilities begins after the header, and the capability in it is that of an
 * endpoint integrated into the root complex. Linux reads the extended space of no other function. */
enum { STATUS = 0x04, HAS_LIST = 1 << 20, LIST = 0x34, EXPRESS_AT = 0x40, EXPRESS = 0x00920010 };

static const uint64_t FS_PER_NS = 1000000;

static struct pmon_address config_address(const struct bus *b, unsigned devfn, unsigned offset)
{
  const unsigned bus = devfn >> 8, n = b->kind->n_buses;
  return (struct pmon_address){.package = bus / n,
                               .space = PMON_SPACE_PCI,
                               .width_bits = 32,
                               .device = b->kind->bus[bus % n].number << 8 | (devfn & 0xff),
                               .offset = offset};
}

unsigned bus_system_number(const struct bus *b, unsigned devfn)
{
  const unsigned bus = devfn >> 8, n = b->kind->n_buses;
  return b->kind->bus[bus % n].system + bus / n * b->kind->next_buses;
}

static bool bus_has_function(struct bus *b, unsigned devfn)
{
  const struct pmon_address a = config_address(b, devfn, 0);
  uint64_t id;
  return machine_read(b->machine, &a, &id) == PMON_OK && (uint32_t)id != UINT32_MAX && id != 0;
}

static void bus_find_functions(struct bus *b, unsigned device)
{
  const unsigned first = b->n;
  uint64_t bar;
  for (unsigned devfn = device; devfn < device + 8; devfn++) {
    const struct pmon_address a = config_address(b, devfn, BAR_0);
    if (!bus_has_function(b, devfn))
      continue;
    if (devfn != device && b->n == first)
      b->devfn[b->n++] = (uint16_t)device;
    b->devfn[b->n++] = (uint16_t)devfn;
    if (machine_read(b->machine, &a, &bar) == PMON_OK && bar)
      b->bar[a.package] = (struct bus_bar){.devfn = devfn, .address = (uint32_t)bar & ~(uint32_t)(BAR_BYTES - 1)};
  }
}

void bus_init(struct bus *b, struct machine *m, struct pmon_backend *backend, const struct guest_kind *kind,
              const struct guest_shape *shape)
{
  *b = (struct bus){.machine = m, .backend = backend, .kind = kind, .shape = *shape};
  for (unsigned i = 0; i < KIND_SOCKETS; i++)
    b->bar[i].devfn = UINT_MAX;
  for (unsigned bus = 0; bus < kind->n_buses * shape->sockets; bus++)
    for (unsigned dev = 0; dev < 31 && b->n + 8 < BUS_FUNCTIONS; dev++)
      bus_find_functions(b, bus << 8 | dev << 3);
  b->devfn[b->n++] = BUS_DOORBELL;
}

static void bus_judge(struct bus *b, int status)
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

/* Processes the guest's earlier accesses before the answer to this one. */
static void bus_process_pending(struct bus *b)
{
  bool more;
  if (!b->guest)
    return;
  guest_stands(b->guest, true);
  bus_follow(b, UINT64_MAX, &more);
  guest_stands(b->guest, false);
}

static void bus_pass(struct bus *b, uint64_t until_ns)
{
  uint64_t now;
  if (b->guest && until_ns == UINT64_MAX) /* the guest feeds the machine and waits: the workload ends here */
    return;
  if (b->guest)
    guest_sleeps(b->guest, true);
  bus_judge(b, b->backend->ops->wait(b->backend, until_ns, &now, &b->ended));
  if (!b->status && b->ended && until_ns != UINT64_MAX && now < until_ns) /* the workload ended in this step */
    bus_judge(b, b->backend->ops->wait(b->backend, until_ns, &now, &b->ended));
  if (b->guest)
    guest_sleeps(b->guest, false);
}

static uint64_t bus_now_ns(const struct bus *b)
{
  return machine_now_fs(b->machine) / FS_PER_NS;
}

/* True if the machine has a register there; the check has no side effect. */
static bool bus_has_register(struct bus *b, const struct pmon_address *a)
{
  uint64_t value;
  return machine_read(b->machine, a, &value) == PMON_OK;
}

static void bus_remember(struct bus *b, const struct pmon_address *a, bool write, uint64_t value)
{
  b->last[(b->reads + b->writes) % BUS_LAST] = (struct bus_access){*a, bus_now_ns(b), value, write};
  if (b->callers)
    callers_note(b->callers, b->reads + b->writes + 1, b->shared->at);
}

static uint64_t bus_read_register(struct bus *b, const struct pmon_address *a)
{
  uint64_t value = 0;
  bus_process_pending(b);
  bus_judge(b, b->backend->ops->read(b->backend, a, &value));
  bus_remember(b, a, false, value);
  b->reads++;
  if (b->access_ns)
    bus_pass(b, bus_now_ns(b) + b->access_ns);
  return value;
}

/* Returns true if the register accepted the value. */
static bool bus_write_register(struct bus *b, const struct pmon_address *a, uint64_t value)
{
  bus_process_pending(b);
  const int status = b->backend->ops->write(b->backend, a, value);
  const bool refused = status == PMON_E_RANGE && a->space == PMON_SPACE_MSR;
  bus_judge(b, refused ? PMON_OK : status);
  bus_remember(b, a, true, value);
  b->writes++;
  if (b->access_ns)
    bus_pass(b, bus_now_ns(b) + b->access_ns);
  return !refused;
}

/* Returns a header field of a function that pmon adds. */
static uint32_t added_dword(uint32_t id, unsigned offset)
{
  switch (offset) {
  case HEADER_ID: return id;
  case HEADER_CLASS: return (uint32_t)CLASS_OTHER << 16;
  case HEADER_TYPE: return (uint32_t)MULTIFUNCTION << 16;
  default: return 0;
  }
}

static uint32_t doorbell_dword(const struct bus *b, unsigned offset)
{
  const uint64_t now = bus_now_ns(b);
  switch (offset) {
  case BUS_ENDED: return b->ended;
  case BUS_TIME: return (uint32_t)now;
  case BUS_TIME + 4: return (uint32_t)(now >> 32);
  default: return added_dword(DOORBELL_ID, offset);
  }
}

/* Returns the function's BAR; NULL: none. */
static struct bus_bar *bus_bar_of(struct bus *b, unsigned devfn)
{
  const unsigned socket = (devfn >> 8) / b->kind->n_buses;
  return socket < KIND_SOCKETS && b->bar[socket].devfn == devfn ? &b->bar[socket] : NULL;
}

/* Returns header fields that the function adds to the machine's registers. Functions that pmon adds have none of them,
 * so that Linux does not read their capabilities: each access is a message. */
static uint32_t bus_header_dword(struct bus *b, unsigned devfn, unsigned offset)
{
  const struct bus_bar *bar = bus_bar_of(b, devfn);
  if (bar && offset == BAR_0)
    return bar->address;
  if (!b->kind->express || (offset != STATUS && offset != LIST && offset != EXPRESS_AT) || !bus_has_function(b, devfn))
    return 0;
  if (offset == STATUS)
    return HAS_LIST | (bar ? bar->command : 0);
  return offset == LIST ? EXPRESS_AT : offset == EXPRESS_AT ? EXPRESS : 0;
}

/* Only accesses beyond the header are counted: bus enumeration is the kernel's task. */
static uint32_t bus_read_dword(struct bus *b, unsigned devfn, unsigned offset)
{
  const struct pmon_address a = config_address(b, devfn, offset);
  bool ones;
  if (faults_hide(b->machine, &a, &ones))
    return UINT32_MAX;
  uint64_t value = bus_header_dword(b, devfn, offset);
  if (value)
    return (uint32_t)value;
  if (devfn == BUS_DOORBELL && offset >= HEADER_SIZE)
    bus_process_pending(b);
  if (devfn == BUS_DOORBELL)
    return doorbell_dword(b, offset);
  if (machine_read(b->machine, &a, &value) == PMON_OK)
    return (uint32_t)(offset >= HEADER_SIZE ? bus_read_register(b, &a) : value);
  return bus_has_function(b, devfn) ? 0 : added_dword(FILLER_ID, offset);
}

void bus_interrupt(void *user, const struct machine_pmi *pmi)
{
  struct bus *b = user;
  if (!b->shared || pmi->socket >= b->shape.sockets)
    return;
  shared_interrupt(b->shared, pmi->socket * b->shape.cores);
  b->interrupts++;
}

uint32_t bus_config_read(void *user, unsigned devfn, unsigned offset, unsigned size)
{
  uint32_t value = bus_read_dword(user, devfn, offset & ~3u) >> offset % 4 * 8;
  return size == 4 ? value : value & ((1u << size * 8) - 1);
}

/* Keeps the fields by which QEMU maps the BAR, because QEMU reads them back: firmware enables the BAR, and the kernel
 * writes the same value again. */
static void bus_write_bar(struct bus_bar *bar, unsigned offset, unsigned size, uint32_t value)
{
  if (offset == BAR_0 && size == 4)
    bar->address = value & ~(uint32_t)(BAR_BYTES - 1);
  if (offset == STATUS && size >= 2)
    bar->command = (uint16_t)value;
}

void bus_config_write(void *user, unsigned devfn, unsigned offset, unsigned size, uint32_t value)
{
  struct bus *b = user;
  struct pmon_address a = config_address(b, devfn, offset & ~3u);
  struct bus_bar *bar = bus_bar_of(b, devfn);
  uint64_t old;
  if (bar)
    bus_write_bar(bar, offset, size, value);
  if (offset < HEADER_SIZE) /* BAR sizing and device enabling do not concern the machine */
    return;
  if (devfn == BUS_DOORBELL) {
    bus_process_pending(b);
    if (offset == BUS_STEP && size == 4)
      bus_pass(b, value == BUS_TO_END ? UINT64_MAX : bus_now_ns(b) + value);
    return;
  }
  if (size < 4) {
    uint32_t mask = ((1u << size * 8) - 1) << offset % 4 * 8;
    if (machine_read(b->machine, &a, &old) != PMON_OK)
      return;
    value = (value << offset % 4 * 8 & mask) | ((uint32_t)old & ~mask);
  }
  if (bus_has_register(b, &a))
    bus_write_register(b, &a, value);
}

static uint64_t low_bytes(uint64_t value, unsigned size)
{
  return size < 8 ? value & ((UINT64_C(1) << 8 * size) - 1) : value;
}

/* Memory-mapped registers are read whole, and in halves; a smaller access is a part of such a half. */
static struct pmon_address memory_address(unsigned socket, uint32_t device, uint64_t offset, unsigned size)
{
  return (struct pmon_address){.package = socket,
                               .space = PMON_SPACE_MMIO,
                               .width_bits = size == 8 && offset % 8 == 0 ? 64 : 32,
                               .device = device,
                               .offset = offset & ~UINT64_C(3)};
}

/* The discovery page is not a register: reads of it are not counted. */
uint64_t bus_bar_read(void *user, unsigned devfn, uint64_t address, unsigned size)
{
  struct bus *b = user;
  const struct bus_bar *bar = bus_bar_of(b, devfn);
  uint64_t value;
  if (!bar)
    return 0;
  const struct pmon_address a =
      memory_address((unsigned)(bar - b->bar), b->kind->bar_device, address - bar->address, size);
  if (machine_read(b->machine, &a, &value))
    return 0;
  return low_bytes(value >> address % 4 * 8, size);
}

static bool memory_find(const struct bus *b, uint64_t at, unsigned size, struct pmon_address *ret)
{
  const struct guest_kind *kind = b->kind;
  for (unsigned i = 0; i < kind->n_areas * b->shape.sockets; i++) {
    const struct kind_area *area = &kind->area[i % kind->n_areas];
    const unsigned socket = i / kind->n_areas;
    const uint64_t base = area->base + socket * kind->next_areas;
    if (at >= base && at - base < area->size) {
      *ret = memory_address(socket, area->device, at - base, size);
      return true;
    }
  }
  return false;
}

bool bus_memory_read(struct bus *b, uint64_t address, unsigned size, uint64_t *ret_value)
{
  struct pmon_address a;
  if (!memory_find(b, address, size, &a) || !bus_has_register(b, &a))
    return false;
  *ret_value = low_bytes(bus_read_register(b, &a) >> address % 4 * 8, size);
  return true;
}

bool bus_memory_write(struct bus *b, uint64_t address, unsigned size, uint64_t value)
{
  struct pmon_address a;
  if (!memory_find(b, address, size, &a) || size * 8 != a.width_bits || !bus_has_register(b, &a))
    return false;
  bus_write_register(b, &a, value);
  return true;
}

/* Finds an MSR of the processor, else of its socket. False: the machine has neither. */
static bool msr_find(struct bus *b, unsigned processor, uint32_t msr, struct pmon_address *ret)
{
  *ret = (struct pmon_address){.package = processor / b->shape.cores,
                               .space = PMON_SPACE_MSR,
                               .width_bits = 64,
                               .device = processor % b->shape.cores + 1,
                               .offset = msr};
  if (bus_has_register(b, ret))
    return true;
  ret->device = 0;
  return bus_has_register(b, ret);
}

/* True if the MSR is one of the processor's own counters, which are those of the machine's core. */
static bool is_own_counter(struct bus *b, unsigned processor, uint32_t msr)
{
  if (processor >= b->shape.sockets * b->shape.cores || !counters_have(msr))
    return false;
  bus_process_pending(b);
  return true;
}

/* Returns the answer for an MSR that the machine does not have. */
static enum bus_answer msr_elsewhere(const struct bus *b, uint32_t msr)
{
  return b->lenient || msr_is_own(msr, b->kind->recent) ? BUS_ELSEWHERE : BUS_FAULT;
}

enum bus_answer bus_msr_read(struct bus *b, unsigned processor, uint32_t msr, uint64_t *ret_value)
{
  struct pmon_address a;
  if (is_own_counter(b, processor, msr)) {
    *ret_value = counters_read(machine_traffic(b->machine), processor, msr);
    return BUS_DONE;
  }
  if (machine_fault_hits_msr(b->machine, processor, msr))
    return BUS_FAULT;
  if (!msr_find(b, processor, msr, &a))
    return msr_elsewhere(b, msr);
  *ret_value = bus_read_register(b, &a);
  return BUS_DONE;
}

enum bus_answer bus_msr_write(struct bus *b, unsigned processor, uint32_t msr, uint64_t value)
{
  struct pmon_address a;
  if (is_own_counter(b, processor, msr)) {
    counters_write(machine_traffic(b->machine), processor, msr, value);
    return BUS_DONE;
  }
  if (machine_fault_hits_msr(b->machine, processor, msr))
    return BUS_FAULT;
  if (!msr_find(b, processor, msr, &a))
    return msr_elsewhere(b, msr);
  return bus_write_register(b, &a, value) ? BUS_DONE : BUS_FAULT;
}
