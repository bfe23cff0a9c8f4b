/* SPDX-License-Identifier: MIT */
/*
 * Registers in memory: a socket's memory BARs, whose places stand in configuration space (817509 1.10.3), and the
 * discovery page (1.10.1), which alone knows where the CXL ports' are (cxl.h). They are mapped through /dev/mem, the
 * page through its device's resource file first.
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
#include "cxl.h"
#include "guard.h"
#include "system.h"

#define NEEDS "CAP_SYS_RAWIO, and a kernel that is not locked down and lets /dev/mem reach devices (iomem=relaxed)"

enum { PAGE = 4096, WINDOWS = 256, BAR_DISCOVERY = 16, BAR_CXL = 17, BAR_PHYSICAL = 18, DISCOVERY_SIZE = 0x80000, BARS = 19,
       MMIO_DEVICE = 30 << 8 | 0 << 3 | 1, MMIO_BASE = 0xd0, MEM_BAR = 0xd8 };

struct bar { bool known; int status; uint64_t base, size; int fd; uint64_t fd_offset; };
struct window { uint64_t page; uint32_t package, device; void *at; };

struct mmio {
  struct pmon_backend backend;
  struct system system;
  struct pmon_backend *pci;
  int mem, mem_status;                         /* of /dev/mem; without it there are resource files still */
  struct pmon_reason mem_reason;
  struct bar bars[SYSTEM_PACKAGES][BARS];
  struct { struct pmon_discovery *page; int status; bool known; } pages[SYSTEM_PACKAGES];
  struct window windows[WINDOWS];
  uint32_t n_windows;
  struct guard guard;
  struct pmon_reason reason;
};

int pmon_bar_address(struct pmon_backend *backend, uint32_t package, uint32_t device, uint64_t *ret_address,
                     uint64_t *ret_size)
{
  struct pmon_address a = {.package = package, .space = PMON_SPACE_PCI, .width_bits = 32, .device = MMIO_DEVICE,
                           .offset = MMIO_BASE};
  uint64_t base = 0, bar = 0;
  if (device > 3)
    return PMON_E_RANGE;
  int status = backend->ops->read(backend, &a, &base);
  a.offset = MEM_BAR + 4 * (uint64_t)device;
  if (!status)
    status = backend->ops->read(backend, &a, &bar);
  if (status)
    return status;
  if (!bar || !base)
    return PMON_E_NO_DEVICE;
  const uint64_t first = bar & 0x7ff, last = bar >> 13 & 0x7ff;
  *ret_address = (base & 0x1fffffff) << 23 | first << 12;
  *ret_size = last >= first ? (last - first + 1) << 12 : 0;
  return 0;
}

static struct mmio *of(struct pmon_backend *b)
{
  return (struct mmio *)(void *)b;
}

static int say(struct mmio *m, int status, const struct pmon_address *a, const char *why)
{
  snprintf(m->reason.text, sizeof m->reason.text, "memory of package %" PRIu32 ", BAR %" PRIu32 " + 0x%" PRIx64 ": %.400s",
           a->package, a->device, a->offset, why);
  m->backend.error_text = m->reason.text;
  return status;
}

static int find_discovery(struct mmio *m, const struct pmon_address *a, struct bar *bar)
{
  char name[16], path[64];
  unsigned number = 0;
  if (!pci_discovery(m->pci, a->package, name, &number))
    return say(m, PMON_E_NO_DEVICE, a, "no PCI function announces a discovery page");
  bar->base = pci_bar(m->pci, name, number) & ~(uint64_t)(PAGE - 1);
  bar->size = DISCOVERY_SIZE;
  snprintf(path, sizeof path, "bus/pci/devices/%s/resource%u", name, number);
  struct system_file file = {.root = m->system.sys, .name = path, .needs = NEEDS, .flags = O_RDONLY};
  struct stat st;
  if (!system_open(&file, NULL, &bar->fd)) {
    if (fstat(bar->fd, &st) || st.st_size < PAGE) {
      close(bar->fd);
      bar->fd = -1;
    } else if ((uint64_t)st.st_size < bar->size) {
      bar->size = (uint64_t)st.st_size & ~(uint64_t)(PAGE - 1);
    }
  }
  return bar->base || bar->fd >= 0 ? 0 : say(m, PMON_E_NO_DEVICE, a, "the discovery page's device has no address");
}

/* Where a BAR stands, looked up once. */
static int find_bar(struct mmio *m, const struct pmon_address *a, struct bar **ret_bar)
{
  struct bar *bar = &m->bars[a->package][a->device];
  *ret_bar = bar;
  if (bar->known)
    return bar->status ? say(m, bar->status, a, "it has no place") : 0;
  bar->fd = -1;
  if (a->device == BAR_PHYSICAL)
    bar->size = UINT64_C(1) << 52;
  else if (a->device == BAR_DISCOVERY)
    bar->status = find_discovery(m, a, bar);
  else if ((bar->status = pmon_bar_address(m->pci, a->package, a->device, &bar->base, &bar->size)))
    say(m, bar->status, a, bar->status == PMON_E_RANGE ? "no register names its place"
                                                      : bar->status == PMON_E_NO_DEVICE ? "it has no place"
                                                      : m->pci->error_text);
  if (bar->status == PMON_E_RANGE)
    bar->status = PMON_E_NO_DEVICE;
  bar->known = true;
  return bar->status;
}

static int map_page(struct mmio *m, const struct pmon_address *a, struct window *w)
{
  struct bar *bar;
  struct stat st;
  int status = find_bar(m, a, &bar);
  if (status)
    return status;
  if (w->page + PAGE > bar->size)
    return say(m, PMON_E_NO_DEVICE, a, "it is past the BAR's end");
  const bool own = bar->fd >= 0;
  const int fd = own ? bar->fd : m->mem;
  if (fd < 0)
    return say(m, m->mem_status, a, m->mem_reason.text);
  const uint64_t at = (own ? 0 : bar->base) + w->page;
  /* Behind the end of a plain file an access would be a signal. */
  if (fstat(fd, &st) || (S_ISREG(st.st_mode) && (uint64_t)st.st_size < at + PAGE))
    return say(m, PMON_E_IO, a, "the file that stands for memory is shorter");
  void *p = mmap(NULL, PAGE, own ? PROT_READ : PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)at);
  if (p == MAP_FAILED)
    return say(m, system_status(errno), a, errno == EPERM ? "not mapped: it takes " NEEDS : strerror(errno));
  w->at = p;
  return 0;
}

/* An address of a CXL port as one in memory, by the page that says where its block is. */
static int find_cxl(struct mmio *m, const struct pmon_address *a, struct pmon_address *ret_address)
{
  const uint32_t package = a->package;
  const char *why = "the package shows no discovery page, which alone knows where CXL ports are";
  if (!m->pages[package].known)
    m->pages[package].status = pmon_discovery_read(&m->backend, package, NULL, NULL, &m->pages[package].page);
  m->pages[package].known = true;
  int status = m->pages[package].status ? PMON_E_NO_DEVICE
                                        : cxl_address(m->pages[package].page, a->offset, &ret_address->offset, &why);
  ret_address->device = BAR_PHYSICAL;
  return status ? say(m, status, a, why) : 0;
}

static int find_page(struct mmio *m, const struct pmon_address *a, volatile void **ret_at)
{
  struct pmon_address in_memory = *a;
  m->backend.error_text = m->reason.text;
  if (a->space != PMON_SPACE_MMIO || a->package >= m->backend.packages || a->device >= BARS)
    return say(m, PMON_E_NO_DEVICE, a, "there is none");
  if ((a->width_bits != 32 && a->width_bits != 64) || a->offset % (a->width_bits / 8))
    return say(m, PMON_E_INVALID, a, "an access is 32 or 64 bits wide and aligned");
  if (a->device == BAR_CXL) {
    int status = find_cxl(m, a, &in_memory);
    if (status)
      return status;
    a = &in_memory;
  }
  struct window w = {.page = a->offset & ~(uint64_t)(PAGE - 1), .package = a->package, .device = a->device};
  for (uint32_t i = 0; i < m->n_windows; i++) {
    const struct window *v = &m->windows[i];
    if (v->page == w.page && v->package == w.package && v->device == w.device) {
      *ret_at = (char *)v->at + a->offset % PAGE;
      return 0;
    }
  }
  if (m->n_windows == WINDOWS)
    return say(m, PMON_E_MEMORY, a, "too many pages are mapped");
  int status = map_page(m, a, &w);
  if (status)
    return status;
  m->windows[m->n_windows++] = w;
  *ret_at = (char *)w.at + a->offset % PAGE;
  return 0;
}

static int vanished(struct mmio *m, const struct pmon_address *a)
{
  return say(m, PMON_E_NO_DEVICE, a, "its device was taken away while it was accessed (SIGBUS)");
}

static int mmio_read(struct pmon_backend *b, const struct pmon_address *a, uint64_t *ret_value)
{
  volatile void *at = NULL;
  int status = find_page(of(b), a, &at);
  if (status)
    return status;
  return guard_read(&of(b)->guard, at, a->width_bits, ret_value) ? 0 : vanished(of(b), a);
}

static int mmio_write(struct pmon_backend *b, const struct pmon_address *a, uint64_t value)
{
  volatile void *at = NULL;
  int status = a->device == BAR_DISCOVERY ? say(of(b), PMON_E_PERMISSION, a, "the discovery page is only read")
                                          : find_page(of(b), a, &at);
  if (status)
    return status;
  return guard_write(&of(b)->guard, at, a->width_bits, value) ? 0 : vanished(of(b), a);
}

static bool mmio_fault(struct pmon_backend *b)
{
  return guard_fault(&of(b)->guard) || (!of(b)->system.pci && pmon_backend_fault(of(b)->pci));
}

static int mmio_wait(struct pmon_backend *b, uint64_t until_ns, uint64_t *ret_now_ns, bool *ret_ended)
{
  return system_wait(&of(b)->system, until_ns, ret_now_ns, ret_ended);
}

static void mmio_close(struct pmon_backend *b)
{
  struct mmio *m = of(b);
  for (uint32_t i = 0; i < m->n_windows; i++)
    munmap(m->windows[i].at, PAGE);
  for (uint32_t i = 0; i < b->packages; i++)
    for (uint32_t k = 0; k < BARS; k++)
      if (m->bars[i][k].known && m->bars[i][k].fd >= 0)
        close(m->bars[i][k].fd);
  for (uint32_t i = 0; i < b->packages; i++)
    pmon_discovery_free(m->pages[i].page);
  if (m->mem >= 0)
    close(m->mem);
  if (!m->system.pci)
    pmon_backend_close(m->pci);
  free(m);
}

/* Opens the packages' discovery pages, while that is allowed still. Whether one can be read without /dev/mem. */
static bool open_pages(struct mmio *m)
{
  struct pmon_address a = {.space = PMON_SPACE_MMIO, .width_bits = 32, .device = BAR_DISCOVERY};
  struct bar *bar;
  bool any = false;
  for (; a.package < m->backend.packages; a.package++)
    any |= !find_bar(m, &a, &bar) && bar->fd >= 0;
  return any;
}

static int mmio_open(const struct system *s, struct pmon_reason *reason, struct pmon_backend **ret_backend)
{
  static const struct pmon_backend_ops ops = {"mmio", mmio_read, mmio_write, mmio_wait, mmio_close};
  struct system_file file = {.root = s->dev, .name = "mem", .needs = NEEDS, .flags = O_RDWR | O_SYNC};
  struct mmio *m = calloc(1, sizeof *m);
  if (!m)
    return PMON_E_MEMORY;
  m->backend = (struct pmon_backend){.ops = &ops, .packages = s->n_packages, .fault = mmio_fault};
  m->system = *s;
  m->mem = -1;
  m->pci = s->pci;
  int status = m->pci ? 0 : door_pci.open(s, reason, &m->pci);
  if (!status)
    m->mem_status = system_open(&file, &m->mem_reason, &m->mem);
  if (!status && (open_pages(m) || !m->mem_status)) {
    *ret_backend = &m->backend;
    return 0;
  }
  if (!status) {
    *reason = m->mem_reason;
    status = m->mem_status;
  }
  mmio_close(&m->backend);
  return status;
}

const struct door door_mmio = {"mmio", "registers in memory: /dev/mem and resource files", NEEDS, mmio_open};
