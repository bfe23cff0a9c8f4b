/* SPDX-License-Identifier: MIT */
/*
 * Registers in memory: a socket's memory BARs, whose addresses are in configuration space (817509 1.10.3), the
 * discovery page (1.10.1), and blocks whose addresses only that page has (block.h). They are mapped through the
 * resource file of their device, or through /dev/mem: through the first of these that can be mapped.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include "src/access/block.h"
#include "src/access/guard.h"
#include "src/access/memory.h"
#include "src/access/method.h"
#include "src/access/pci.h"
#include "src/access/resource.h"
#include "src/access/system.h"
#include "src/platform/bar.h"

#define NEEDS "CAP_SYS_RAWIO, and a kernel without lockdown whose /dev/mem can map devices (iomem=relaxed)"

enum { PAGE = 4096, WINDOWS = 256, DISCOVERY_SIZE = 0x80000 };

struct bar {
  bool known;
  int status;
  uint64_t base, size;
  struct memory_file file, combining;
};
struct window {
  uint64_t page;
  uint32_t package, device;
  void *at;
};

struct mmio {
  struct pmon_backend backend;
  struct system system;
  struct pmon_backend *pci;
  struct memory_file mem; /* if it is missing, resource files may still be available */
  struct bar bars[SYSTEM_PACKAGES][PMON_BARS];
  struct {
    struct pmon_discovery *page;
    bool known;
  } pages[SYSTEM_PACKAGES];
  struct window windows[WINDOWS];
  uint32_t n_windows;
  struct resources resources; /* of blocks that the pages list */
  struct guard guard;
  char reason[1024];
};

static struct mmio *mmio_backend(struct pmon_backend *b)
{
  return (struct mmio *)(void *)b;
}

static int mmio_write_reason(struct mmio *m, int status, const struct pmon_address *a, const char *why)
{
  snprintf(m->reason, sizeof m->reason, "memory of package %" PRIu32 ", BAR %" PRIu32 " + 0x%" PRIx64 ": %.900s",
           a->package, a->device, a->offset, why);
  m->backend.error_text = m->reason;
  return status;
}

static int find_discovery(struct mmio *m, const struct pmon_address *a, struct bar *bar)
{
  struct pci_page page;
  struct stat st;
  char path[MEMORY_NAME];
  if (!pci_discovery(m->pci, a->package, &page))
    return mmio_write_reason(m, PMON_E_NO_DEVICE, a, "no PCI function announces a discovery page");
  bar->base = page.address & ~(uint64_t)(PAGE - 1);
  bar->size = DISCOVERY_SIZE;
  snprintf(path, sizeof path, "bus/pci/devices/%s/resource%u", page.name, page.bar);
  memory_open(&bar->file, m->system.sys, path, O_RDONLY);
  snprintf(path, sizeof path, "bus/pci/devices/%s/resource%u_wc", page.name, page.bar);
  memory_open(&bar->combining, m->system.sys, path, O_RDONLY);
  if (bar->file.fd >= 0 && !fstat(bar->file.fd, &st) && st.st_size >= PAGE && (uint64_t)st.st_size < bar->size)
    bar->size = (uint64_t)st.st_size & ~(uint64_t)(PAGE - 1);
  return bar->base || bar->file.fd >= 0 || bar->combining.fd >= 0
             ? 0
             : mmio_write_reason(m, PMON_E_NO_DEVICE, a, "the discovery page's device has no address");
}

/* Returns the reason why a BAR has no address: the function with its registers cannot be read, or the BAR is not
 * assigned. */
static const char *unassigned_reason(struct mmio *m, const struct pmon_address *a)
{
  const struct pmon_address base = BAR_BASE_ADDRESS(a->package);
  uint64_t value;
  if (a->device == PMON_BAR_DISCOVERY)
    return "no PCI function announces a discovery page that is accessible";
  return a->device <= PMON_BAR_LAST_MEM && m->pci->ops->read(m->pci, &base, &value) && m->pci->error_text
             ? m->pci->error_text
             : "its address is not assigned";
}

/* Finds the address of a BAR, once if possible. */
static int find_bar(struct mmio *m, const struct pmon_address *a, struct bar **ret_bar)
{
  struct bar *bar = &m->bars[a->package][a->device];
  *ret_bar = bar;
  if (bar->known)
    return bar->status ? mmio_write_reason(m, bar->status, a, unassigned_reason(m, a)) : 0;
  memory_close(&bar->file);
  memory_close(&bar->combining);
  if (a->device == PMON_BAR_PHYSICAL)
    bar->size = UINT64_C(1) << 52;
  else if (a->device == PMON_BAR_DISCOVERY)
    bar->status = find_discovery(m, a, bar);
  else if ((bar->status = pmon_bar_address(m->pci, a->package, a->device, &bar->base, &bar->size)))
    mmio_write_reason(m, bar->status, a,
                      bar->status == PMON_E_RANGE       ? "no register contains its address"
                      : bar->status == PMON_E_NO_DEVICE ? unassigned_reason(m, a)
                                                        : m->pci->error_text);
  if (bar->status == PMON_E_RANGE)
    bar->status = PMON_E_NO_DEVICE;
  bar->known = !bar->status || bar->status == PMON_E_NO_DEVICE; /* any other failure may be temporary */
  return bar->status;
}

/* Offers the device's own range for the discovery page, which is only read. */
static bool offer_device(const struct mmio *m, const struct bar *bar, const struct window *w, struct memory_try *t)
{
  (void)m;
  *t = (struct memory_try){&bar->file, w->page, true};
  return w->device == PMON_BAR_DISCOVERY;
}

/* Offers the write-combining file of the same range. Its reads and writes may be combined, so that it is used for the
 * discovery page only. */
static bool offer_combining(const struct mmio *m, const struct bar *bar, const struct window *w, struct memory_try *t)
{
  (void)m;
  *t = (struct memory_try){&bar->combining, w->page, true};
  return w->device == PMON_BAR_DISCOVERY && bar->combining.error != ENOENT;
}

/* Offers the range of the device that contains a block. */
static bool offer_block(const struct mmio *m, const struct bar *bar, const struct window *w, struct memory_try *t)
{
  (void)bar;
  if (w->device != PMON_BAR_PHYSICAL)
    return false;
  t->file = resources_find(&m->resources, w->page, PAGE, &t->at);
  t->read_only = false;
  return t->file;
}

static bool offer_memory(const struct mmio *m, const struct bar *bar, const struct window *w, struct memory_try *t)
{
  *t = (struct memory_try){&m->mem, bar->base + w->page, w->device == PMON_BAR_DISCOVERY};
  return bar->base || w->device == PMON_BAR_PHYSICAL;
}

/* The files for a page, in the order in which they are tried: first those that reach no further than the device. */
typedef bool (*memory_offer)(const struct mmio *m, const struct bar *bar, const struct window *w, struct memory_try *t);
static const memory_offer ways[] = {offer_device, offer_combining, offer_block, offer_memory};
enum { WAYS = sizeof ways / sizeof *ways };

static int map_page(struct mmio *m, const struct pmon_address *a, struct window *w)
{
  struct memory_reason why = {.needs = NEEDS};
  struct memory_try tries[WAYS];
  size_t n = 0;
  struct bar *bar;
  int status = find_bar(m, a, &bar);
  if (status)
    return status;
  if (bar->size < PAGE || w->page > bar->size - PAGE)
    return mmio_write_reason(m, PMON_E_NO_DEVICE, a, "it is past the BAR's end");
  for (size_t i = 0; i < WAYS; i++)
    n += ways[i](m, bar, w, &tries[n]);
  status = memory_map(tries, n, &why, &w->at);
  return status ? mmio_write_reason(m, status, a, why.text) : 0;
}

/* Returns a package's discovery page, read once; NULL: it has none. */
static const struct pmon_discovery *page_of(struct mmio *m, uint32_t package)
{
  if (!m->pages[package].known)
    pmon_discovery_read(&m->backend, package, NULL, NULL, &m->pages[package].page);
  m->pages[package].known = true;
  return m->pages[package].page;
}

/* Converts an address that only the page has to a physical address: the address of a CXL port, or the first package's
 * address of a block in another package. */
static int find_block(struct mmio *m, const struct pmon_address *a, struct pmon_address *ret_address)
{
  const struct pmon_discovery *own = page_of(m, a->package), *first = page_of(m, 0);
  const char *why = "the package has no discovery page, and only that page has the addresses of these registers";
  int status = PMON_E_NO_DEVICE;
  if (own && a->device == PMON_BAR_CXL)
    status = block_of_cxl(own, a->offset, &ret_address->offset, &why);
  else if (own && first)
    status = block_of_package(first, own, a->offset, &ret_address->offset, &why);
  ret_address->device = PMON_BAR_PHYSICAL;
  return status ? mmio_write_reason(m, status, a, why) : 0;
}

/* Returns the window in which a page is mapped, or a free one; NULL: there is no room. A discovery page is read once
 * from beginning to end, and may be long: it gets a single window. */
static struct window *find_window(struct mmio *m, const struct window *w)
{
  for (uint32_t i = 0; i < m->n_windows; i++) {
    struct window *v = &m->windows[i];
    if (v->package == w->package && v->device == w->device && (v->page == w->page || v->device == PMON_BAR_DISCOVERY))
      return v;
  }
  return m->n_windows < WINDOWS ? &m->windows[m->n_windows] : NULL;
}

static int find_page(struct mmio *m, const struct pmon_address *a, volatile void **ret_at)
{
  struct pmon_address in_memory = *a;
  m->backend.error_text = m->reason;
  if (a->space != PMON_SPACE_MMIO || a->package >= m->backend.packages || a->device >= PMON_BARS)
    return mmio_write_reason(m, PMON_E_NO_DEVICE, a, "no such package or BAR");
  if ((a->width_bits != 32 && a->width_bits != 64) || a->offset % (a->width_bits / 8))
    return mmio_write_reason(m, PMON_E_INVALID, a, "expected an aligned access of 32 or 64 bits");
  if (a->device == PMON_BAR_CXL || (a->device == PMON_BAR_PHYSICAL && a->package)) {
    int status = find_block(m, a, &in_memory);
    if (status)
      return status;
    a = &in_memory;
  }
  struct window w = {.page = a->offset & ~(uint64_t)(PAGE - 1), .package = a->package, .device = a->device};
  struct window *v = find_window(m, &w);
  if (!v)
    return mmio_write_reason(m, PMON_E_MEMORY, a, "too many pages are mapped");
  if (!v->at || v->page != w.page) {
    int status = map_page(m, a, &w);
    if (status)
      return status;
    if (v->at)
      munmap(v->at, PAGE);
    else
      m->n_windows++;
    *v = w;
  }
  *ret_at = (char *)v->at + a->offset % PAGE;
  return 0;
}

static int vanished(struct mmio *m, const struct pmon_address *a)
{
  return mmio_write_reason(m, PMON_E_NO_DEVICE, a, "its device was removed during the access (SIGBUS)");
}

static int mmio_read(struct pmon_backend *b, const struct pmon_address *a, uint64_t *ret_value)
{
  volatile void *at = NULL;
  int status = find_page(mmio_backend(b), a, &at);
  if (status)
    return status;
  return guard_read(&mmio_backend(b)->guard, at, a->width_bits, ret_value) ? 0 : vanished(mmio_backend(b), a);
}

static int mmio_write(struct pmon_backend *b, const struct pmon_address *a, uint64_t value)
{
  volatile void *at = NULL;
  int status = a->device == PMON_BAR_DISCOVERY
                   ? mmio_write_reason(mmio_backend(b), PMON_E_PERMISSION, a, "the discovery page is read-only")
                   : find_page(mmio_backend(b), a, &at);
  if (status)
    return status;
  return guard_write(&mmio_backend(b)->guard, at, a->width_bits, value) ? 0 : vanished(mmio_backend(b), a);
}

static bool mmio_fault(struct pmon_backend *b)
{
  return guard_fault(&mmio_backend(b)->guard) ||
         (!mmio_backend(b)->system.pci && pmon_backend_bus_error(mmio_backend(b)->pci));
}

static int mmio_wait(struct pmon_backend *b, uint64_t until_ns, uint64_t *ret_now_ns, bool *ret_ended)
{
  return system_wait(&mmio_backend(b)->system, until_ns, ret_now_ns, ret_ended);
}

static void mmio_close(struct pmon_backend *b)
{
  struct mmio *m = mmio_backend(b);
  for (uint32_t i = 0; i < m->n_windows; i++)
    munmap(m->windows[i].at, PAGE);
  for (uint32_t i = 0; i < b->packages; i++)
    for (uint32_t k = 0; k < PMON_BARS; k++) {
      memory_close(&m->bars[i][k].file);
      memory_close(&m->bars[i][k].combining);
    }
  for (uint32_t i = 0; i < b->packages; i++)
    pmon_discovery_free(m->pages[i].page);
  resources_close(&m->resources);
  memory_close(&m->mem);
  if (!m->system.pci)
    pmon_backend_close(m->pci);
  free(m);
}

/* Opens the packages' discovery pages before privileges are dropped. True if one can be read without /dev/mem. */
static bool open_pages(struct mmio *m)
{
  struct pmon_address a = {.space = PMON_SPACE_MMIO, .width_bits = 32, .device = PMON_BAR_DISCOVERY};
  struct bar *bar;
  bool any = false;
  for (; a.package < m->backend.packages; a.package++)
    any |= !find_bar(m, &a, &bar) && (bar->file.fd >= 0 || bar->combining.fd >= 0);
  return any;
}

/* True if a block is in one of its package's memory BARs, which have no resource file. */
static bool is_in_bars(struct mmio *m, uint32_t package, const struct pmon_discovered_unit *u)
{
  struct pmon_address a = {.package = package, .space = PMON_SPACE_MMIO, .width_bits = 32};
  struct bar *bar;
  for (; a.device <= PMON_BAR_LAST_MEM; a.device++)
    if (!find_bar(m, &a, &bar) && u->address >= bar->base && u->address - bar->base < bar->size)
      return true;
  return false;
}

/* True if a page lists a block in that range. */
static bool is_named(void *user, uint64_t first, uint64_t last)
{
  struct mmio *m = user;
  const struct pmon_discovered_unit *u;
  for (uint32_t p = 0; p < m->backend.packages; p++)
    for (uint32_t i = 0; page_of(m, p) && (u = pmon_discovery_unit(page_of(m, p), i)); i++)
      if (u->space == PMON_SPACE_MMIO && u->address >= first && u->address <= last)
        return true;
  return false;
}

/* Opens the files of the blocks that no register leads to, if a page lists any. */
static void open_blocks(struct mmio *m)
{
  const struct pmon_discovered_unit *u;
  bool any = false;
  for (uint32_t p = 0; p < m->backend.packages; p++)
    for (uint32_t i = 0; !any && page_of(m, p) && (u = pmon_discovery_unit(page_of(m, p), i)); i++)
      any = u->space == PMON_SPACE_MMIO && !is_in_bars(m, p, u);
  if (any)
    resources_open(&m->resources, &m->system, is_named, m);
}

static int mmio_open(const struct system *s, struct pmon_reason *reason, struct pmon_backend **ret_backend)
{
  static const struct pmon_backend_ops ops = {sizeof ops, "mmio", mmio_read, mmio_write, mmio_wait, mmio_close};
  struct mmio *m = calloc(1, sizeof *m);
  if (!m)
    return PMON_E_MEMORY;
  for (uint32_t i = 0; i < SYSTEM_PACKAGES; i++)
    for (uint32_t k = 0; k < PMON_BARS; k++)
      m->bars[i][k].file.fd = m->bars[i][k].combining.fd = -1;
  m->backend = (struct pmon_backend){.ops = &ops, .packages = s->n_packages, .fault = mmio_fault};
  m->system = *s;
  m->mem.fd = -1;
  m->pci = s->pci;
  int status = m->pci ? 0 : access_method_pci.open(s, reason, &m->pci);
  if (!status)
    memory_open(&m->mem, m->system.dev, "mem", O_RDWR | O_SYNC);
  if (!status && (open_pages(m) || m->mem.fd >= 0)) {
    open_blocks(m);
    *ret_backend = &m->backend;
    return 0;
  }
  if (!status) {
    struct memory_reason why = {.needs = NEEDS};
    void *at;
    status = memory_map(&(struct memory_try){.file = &m->mem}, 1, &why, &at);
    snprintf(reason->text, sizeof reason->text, "%.470s", why.text);
  }
  mmio_close(&m->backend);
  return status;
}

static int mmio_lock_fd(const struct pmon_backend *b)
{
  return ((const struct mmio *)(const void *)b)->mem.fd;
}

const struct access_method access_method_mmio = {"mmio", "registers in memory: /dev/mem and resource files", NEEDS,
                                                 mmio_open, mmio_lock_fd};
