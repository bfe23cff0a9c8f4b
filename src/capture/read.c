/* SPDX-License-Identifier: MIT */
/* Captures a machine through a backend. */
#include <stdlib.h>
#include <string.h>
#include "src/access/register.h"
#include "src/base/writer.h"
#include "src/capture/capture.h"
#include "src/platform/page.h"
#include "src/platform/platform.h"
#include "src/platform/context.h"

/* The uncore's buses are numbered relative to the UBox's, which the guides call 30 or 63; buses of the I/O stacks have
 * lower numbers. */
enum { BUSES = 64, DEVFNS = 256 };

static int take_functions(struct pmon_capture *c, struct pmon_backend *b, uint32_t package)
{
  struct pmon_address a = {.package = package, .space = PMON_SPACE_PCI, .width_bits = 32};
  for (a.device = 0; a.device < BUSES * DEVFNS; a.device++) {
    uint64_t id = 0, class_code = 0;
    a.offset = 0;
    if (b->ops->read(b, &a, &id) || !id || (uint32_t)id == UINT32_MAX)
      continue;
    a.offset = 8;
    if (b->ops->read(b, &a, &class_code))
      class_code = 0;
    struct pmon_captured_function f = {package, a.device, (uint16_t)id, (uint16_t)(id >> 16),
                                       (uint16_t)(class_code >> 16)};
    if (!vec_append(&c->functions, &f, 1))
      return PMON_E_MEMORY;
  }
  return 0;
}

static int take_page(struct pmon_capture *c, struct pmon_backend *b, uint32_t package)
{
  size_t n = 0;
  int status = discovery_read_words(b, package, &c->pages[package].words, &n);
  c->pages[package].n = (uint32_t)n;
  return status == PMON_E_MEMORY ? status : 0;
}

static void capture_copy_name(char *to, size_t size, const char *from)
{
  struct writer w = {to, size, 0};
  write_text(&w, from);
  write_end(&w);
}

/* Lists the registers of one instance, without reading them. */
static int list_instance(struct pmon_capture *c, const struct pmon_platform *platform, uint32_t package,
                         const struct pmon_register_id *of)
{
  struct pmon_unit_info unit = {.size = sizeof unit};
  struct pmon_register_info reg = {.size = sizeof reg};
  struct pmon_register_id id = *of;
  platform_get_unit(platform, id.unit, &unit);
  for (id.reg = 0; platform_get_register(platform, id.unit, id.reg, &reg); id.reg++)
    for (id.index = 0; id.index < reg.count; id.index++) {
      struct pmon_captured r = {.instance = id.instance};
      /* Core registers are left out: cores are not part of the uncore. Values of resctrl are the kernel's. */
      if (pmon_register_address(platform, &id, &r.address) || r.address.space == PMON_SPACE_RESCTRL ||
          (r.address.space == PMON_SPACE_MSR && r.address.device) ||
          (r.address.space == PMON_SPACE_MMIO && r.address.device == PMON_BAR_DISCOVERY))
        continue;
      r.address.package = package;
      capture_copy_name(r.unit, sizeof r.unit, unit.name);
      pmon_register_name(platform, &id, r.name, sizeof r.name);
      if (!vec_append(&c->registers, &r, 1))
        return PMON_E_MEMORY;
    }
  return 0;
}

static int list_registers(struct pmon_capture *c, const struct pmon_platform *platform)
{
  struct pmon_unit_info unit = {.size = sizeof unit};
  struct pmon_register_id id = {0};
  int status = 0;
  for (uint32_t package = 0; package < c->n_packages; package++)
    for (id.unit = 0; platform_get_unit(platform, id.unit, &unit); id.unit++)
      for (id.instance = 0; !status && id.instance < unit.instances; id.instance++)
        status = list_instance(c, platform, package, &id);
  return status;
}

struct entry {
  struct pmon_address address;
  uint32_t row;
};

static int compare_entries(const void *a, const void *b)
{
  const struct entry *x = a, *y = b;
  int order = capture_compare(&x->address, &y->address);
  return order ? order : x->row < y->row ? -1 : 1;
}

/* Marks registers that are shared with an earlier instance: *ret_again[row]. */
static int find_shared(const struct pmon_capture *c, bool **ret_again)
{
  const uint32_t n = c->registers.n;
  struct entry *entries = calloc(n + 1, sizeof *entries);
  bool *again = calloc(n + 1, sizeof *again);
  if (!entries || !again) {
    free(entries);
    free(again);
    return PMON_E_MEMORY;
  }
  for (uint32_t i = 0; i < n; i++)
    entries[i] = (struct entry){((const struct pmon_captured *)vec_at(&c->registers, i))->address, i};
  qsort(entries, n, sizeof *entries, compare_entries);
  for (uint32_t i = 1; i < n; i++)
    again[entries[i].row] = !capture_compare(&entries[i - 1].address, &entries[i].address);
  free(entries);
  *ret_again = again;
  return 0;
}

/* Reads the listed registers, each one once, and removes absent ones. */
static int read_registers(struct pmon_capture *c, struct pmon_backend *b)
{
  struct pmon_read *reads = calloc(c->registers.n + 1, sizeof *reads);
  bool *again = NULL;
  uint32_t kept = 0, n = 0;
  int status = reads ? find_shared(c, &again) : PMON_E_MEMORY;
  for (uint32_t i = 0; !status && i < c->registers.n; i++)
    if (!again[i])
      reads[n++].address = ((const struct pmon_captured *)vec_at(&c->registers, i))->address;
  if (!status)
    access_sweep(b, reads, n);
  n = 0;
  for (uint32_t i = 0; !status && i < c->registers.n; i++) {
    if (again[i])
      continue;
    const struct pmon_read *read = &reads[n++];
    struct pmon_captured r = *(const struct pmon_captured *)vec_at(&c->registers, i);
    r.status = read->status;
    r.value = read->status ? 0 : read->value;
    if (r.status != PMON_E_NO_DEVICE)
      *(struct pmon_captured *)vec_at(&c->registers, kept++) = r;
  }
  c->registers.n = status ? c->registers.n : kept;
  free(again);
  free(reads);
  return status;
}

int pmon_capture_take(const struct pmon_platform *platform, const struct pmon_capture_source *source,
                      struct pmon_capture **ret_capture)
{
  struct pmon_capture_source full = {0};
  struct pmon_platform_info info = {.size = sizeof info};
  int status = CONTEXT_TAKE(platform->context, full, source);
  if (status)
    return status;
  if (full.backend->packages > PMON_CAPTURE_PACKAGES)
    return context_fail(platform->context, PMON_E_RANGE, 0, "the backend has %u packages; a capture holds at most %d",
                        full.backend->packages, PMON_CAPTURE_PACKAGES);
  struct pmon_capture *c = capture_new();
  uint32_t row;
  if (!c)
    return context_fail(platform->context, PMON_E_MEMORY, 0, "no memory for a capture");
  pmon_platform_describe(platform, &info);
  capture_copy_name(c->platform, sizeof c->platform, info.name);
  c->has_cpu = full.cpu != NULL;
  if (full.cpu)
    c->cpu = *full.cpu;
  c->n_packages = full.backend->packages;
  for (uint32_t i = 0; i < c->n_packages; i++)
    c->packages[i] = full.packages ? full.packages[i] : (struct pmon_package){.id = i};
  status = list_registers(c, platform);
  if (!status)
    status = read_registers(c, full.backend);
  for (uint32_t i = 0; !status && i < c->n_packages; i++) {
    status = take_functions(c, full.backend, i);
    if (!status)
      status = take_page(c, full.backend, i);
  }
  if (!status)
    status = capture_sort(c, &row);
  if (!status)
    *ret_capture = c;
  else
    pmon_capture_free(c);
  return status;
}
