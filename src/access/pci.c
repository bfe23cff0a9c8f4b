/* SPDX-License-Identifier: MIT */
/*
 * PCI configuration space through sysfs, and as memory where that is the same (ecam.h). The guides number the uncore's buses by themselves; the system's number
 * is that of the UBox, whose registers tell which package it belongs to: its own node, and the node of each package in three
 * bits each (817509 1.10.2; E5-2600 guide 1.5).
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include "ecam.h"
#include "guard.h"
#include "system.h"

#define NEEDS "root (CAP_SYS_ADMIN to see more than 64 bytes of configuration space)"

enum { FUNCTIONS = 4096, KEPT_OPEN = 128, VENDOR = 0x8086, HEADER = 64, EXT_CAP = 0x100, EXT_CAP_DISCOVERY = 0x23, CAPS_MAX = 96 };

/* UBox devices: where its node and the map of nodes stand, and the guide's number for its bus. */
static const struct ubox { uint16_t id, node, map; uint8_t bus; } uboxes[] = {
  {0x3250, 0xc0, 0xd4, 30}, {0x3ce0, 0x40, 0x54, 63}};

/* at: as memory; NULL: it is not. page: the BAR that leads to a discovery page; -1: none. */
struct function { uint32_t domain; uint8_t bus, devfn; uint16_t id; int fd; volatile uint32_t *at; int page; };

struct pci {
  struct pmon_backend backend;
  struct system system;
  struct ecam ecam;
  struct guard guard;
  struct function *functions;
  uint32_t n;
  struct { bool known; uint32_t domain; uint8_t real, guide; } bus[SYSTEM_PACKAGES];
  const struct function *announcer[SYSTEM_PACKAGES];   /* of a package's discovery page; NULL: there is none */
  struct pmon_reason reason;
};

static struct pci *of(struct pmon_backend *b)
{
  return (struct pci *)(void *)b;
}

static void name_of(const struct function *f, char name[16])
{
  snprintf(name, 16, "%04x:%02x:%02x.%x", f->domain & 0xffff, f->bus, f->devfn >> 3, f->devfn & 7u);
}

/* The same function as memory, where its header reads the same both ways: a table that lies is not followed. */
static void map_function(struct pci *p, struct function *f)
{
  uint32_t id, class_code;
  if (f->at || !p->ecam.n || pread(f->fd, &id, 4, 0) != 4 || pread(f->fd, &class_code, 4, 8) != 4)
    return;
  uint64_t id_there = 0, class_there = 0;
  f->at = ecam_map(&p->ecam, f->domain, f->bus, f->devfn);
  if (f->at && (!guard_read(&p->guard, f->at, 32, &id_there) || !guard_read(&p->guard, f->at + 2, 32, &class_there) ||
                id_there != id || class_there != class_code)) {
    munmap((void *)(uintptr_t)f->at, ECAM_PAGE);
    f->at = NULL;
  }
}

static int open_function(struct pci *p, struct function *f)
{
  char path[64], name[16];
  struct system_file file = {.root = p->system.sys, .name = path, .needs = NEEDS, .flags = O_RDWR};
  if (f->fd >= 0)
    return 0;
  name_of(f, name);
  snprintf(path, sizeof path, "bus/pci/devices/%s/config", name);
  int status = system_open(&file, &p->reason, &f->fd);
  if (status == PMON_E_PERMISSION) {
    file.flags = O_RDONLY;                     /* enough to look; a write then says EBADF */
    status = system_open(&file, &p->reason, &f->fd);
  }
  p->backend.error_text = p->reason.text;
  return status;
}

static void close_function(struct function *f)
{
  if (f->at)
    munmap((void *)(uintptr_t)f->at, ECAM_PAGE);
  if (f->fd >= 0)
    close(f->fd);
  f->at = NULL;
  f->fd = -1;
}

/* What has happened to a transfer of one dword. */
static int transfer_failed(struct pci *p, const struct function *f, uint64_t offset, ssize_t n)
{
  const int error = errno;
  char name[16];
  struct stat st = {0};
  name_of(f, name);
  bool hidden = n == 0 && offset >= HEADER && !fstat(f->fd, &st) && (uint64_t)st.st_size > offset;
  bool readonly = n < 0 && error == EBADF;
  const char *why = hidden ? "the system shows its header only; it takes " NEEDS
                           : readonly ? "it may be read only; it takes " NEEDS
                           : n >= 0 ? "the transfer was cut short" : strerror(error);
  snprintf(p->reason.text, sizeof p->reason.text, "configuration space of %s at 0x%" PRIx64 ": %s", name, offset, why);
  p->backend.error_text = p->reason.text;
  return hidden || readonly ? PMON_E_PERMISSION : n >= 0 ? PMON_E_IO : system_status(error);
}

static int vanished(struct pci *p, const struct function *f, uint64_t offset)
{
  char name[16];
  name_of(f, name);
  snprintf(p->reason.text, sizeof p->reason.text, "configuration space of %s at 0x%" PRIx64 ": the device was taken away while "
           "it was accessed (SIGBUS)", name, offset);
  p->backend.error_text = p->reason.text;
  return PMON_E_NO_DEVICE;
}

static int get(struct pci *p, struct function *f, uint64_t offset, uint32_t *ret_value)
{
  uint32_t value;
  int status = open_function(p, f);
  if (status)
    return status;
  uint64_t there = 0;
  if (f->at && offset < ECAM_PAGE) {
    const bool answered = guard_read(&p->guard, f->at + offset / 4, 32, &there);
    *ret_value = (uint32_t)there;
    return answered ? 0 : vanished(p, f, offset);
  }
  ssize_t n = pread(f->fd, &value, sizeof value, (off_t)offset);
  if (n != sizeof value)
    return transfer_failed(p, f, offset, n);
  *ret_value = value;
  return 0;
}

/* Where an address of a package is: the system's numbers. False: nothing tells. */
static bool locate(struct pci *p, const struct pmon_address *a, uint32_t *ret_domain, int *ret_bus)
{
  const int bus = (int)(a->device >> 8);
  if (a->space != PMON_SPACE_PCI || a->package >= p->backend.packages)
    return false;
  if (bus >= PMON_BUS_OF_SYSTEM) {
    const struct function *first = p->announcer[0], *own = p->announcer[a->package];
    *ret_domain = own ? own->domain : 0;
    *ret_bus = own && first ? bus - PMON_BUS_OF_SYSTEM + own->bus - first->bus : -1;
    return own && first;
  }
  *ret_domain = p->bus[a->package].domain;
  *ret_bus = bus - p->bus[a->package].guide + p->bus[a->package].real;
  return p->bus[a->package].known;
}

static struct function *find(struct pci *p, const struct pmon_address *a)
{
  uint32_t domain;
  int bus;
  p->backend.error_text = p->reason.text;
  if (locate(p, a, &domain, &bus))
    for (uint32_t i = 0; i < p->n; i++) {
      struct function *f = &p->functions[i];
      if (f->domain == domain && f->devfn == (a->device & 0xff) && f->bus == bus)
        return f;
    }
  snprintf(p->reason.text, sizeof p->reason.text, "package %" PRIu32 " shows no PCI function %" PRIu32 ":%" PRIu32
           ".%" PRIu32 "; the firmware may hide it", a->package, a->device >> 8, a->device >> 3 & 31, a->device & 7);
  return NULL;
}

static int pci_read(struct pmon_backend *b, const struct pmon_address *a, uint64_t *ret_value)
{
  struct pci *p = of(b);
  struct function *f = find(p, a);
  uint32_t value = 0, id = 0;
  if (!f || a->width_bits != 32 || a->offset % 4)
    return f ? PMON_E_INVALID : PMON_E_NO_DEVICE;
  int status = get(p, f, a->offset, &value);
  if (!status && value == UINT32_MAX && !get(p, f, 0, &id) && id == UINT32_MAX) {
    snprintf(p->reason.text, sizeof p->reason.text, "the PCI function %02x:%02x.%x is gone: it reads all ones", f->bus,
             f->devfn >> 3, f->devfn & 7u);
    return PMON_E_NO_DEVICE;
  }
  if (!status)
    *ret_value = value;
  return status;
}

static int pci_write(struct pmon_backend *b, const struct pmon_address *a, uint64_t value)
{
  struct pci *p = of(b);
  struct function *f = find(p, a);
  const uint32_t dword = (uint32_t)value;
  if (!f || a->width_bits != 32 || a->offset % 4)
    return f ? PMON_E_INVALID : PMON_E_NO_DEVICE;
  int status = open_function(p, f);
  if (status)
    return status;
  if (f->at && a->offset < ECAM_PAGE)
    return guard_write(&p->guard, f->at + a->offset / 4, 32, dword) ? 0 : vanished(p, f, a->offset);
  ssize_t n = pwrite(f->fd, &dword, sizeof dword, (off_t)a->offset);
  return n == sizeof dword ? 0 : transfer_failed(p, f, a->offset, n);
}

static int pci_wait(struct pmon_backend *b, uint64_t until_ns, uint64_t *ret_now_ns, bool *ret_ended)
{
  return system_wait(&of(b)->system, until_ns, ret_now_ns, ret_ended);
}

static bool pci_fault(struct pmon_backend *b)
{
  return guard_fault(&of(b)->guard);
}

static void pci_close(struct pmon_backend *b)
{
  struct pci *p = of(b);
  for (uint32_t i = 0; i < p->n; i++)
    close_function(&p->functions[i]);
  ecam_close(&p->ecam);
  free(p->functions);
  free(p);
}

/* Which package the UBox is of. */
static int place_ubox(struct pci *p, struct function *f, const struct ubox *u)
{
  uint32_t node, map;
  int status = get(p, f, u->node, &node);
  if (!status)
    status = get(p, f, u->map, &map);
  if (status)
    return status;
  for (uint32_t i = 0; i < 8; i++)
    for (uint32_t k = 0; (map >> (3 * i) & 7) == (node & 7) && k < p->system.n_packages; k++)
      if (p->system.packages[k].id == i && !p->bus[k].known) {
        p->bus[k].known = true;
        p->bus[k].domain = f->domain;
        p->bus[k].real = f->bus;
        p->bus[k].guide = u->bus;
        return 0;
      }
  return 0;
}

static int compare(const void *a, const void *b)
{
  const struct function *x = a, *y = b;
  uint64_t kx = (uint64_t)x->domain << 16 | (uint64_t)x->bus << 8 | x->devfn;
  uint64_t ky = (uint64_t)y->domain << 16 | (uint64_t)y->bus << 8 | y->devfn;
  return (kx > ky) - (kx < ky);
}

/* Walks the extended capabilities: a chain of offsets that only go where they like, so their number is bounded. The BAR
 * of a discovery page; -1: there is none. */
static int find_page(struct pci *p, struct function *f)
{
  uint32_t at = EXT_CAP, head, entry, bir;
  for (int i = 0; i < CAPS_MAX && at >= EXT_CAP && at % 4 == 0; i++) {
    if (pread(f->fd, &head, sizeof head, (off_t)at) != sizeof head || !head || head == UINT32_MAX)
      return -1;             /* most functions have no extended space */
    if ((head & 0xffff) == EXT_CAP_DISCOVERY && at + 16 <= 4096 && !get(p, f, at + 8, &entry) &&
        (entry & 0xffff) == 1 && !get(p, f, at + 12, &bir))
      return (int)(bir & 7);
    at = head >> 20;
  }
  return -1;
}

/* Intel's functions, in order. The header tells the vendor to everybody. */
static int list_functions(struct pci *p)
{
  char path[SYSTEM_PATH];
  unsigned domain, bus, dev, fn;
  snprintf(path, sizeof path, "%s/bus/pci/devices", p->system.sys);
  DIR *dir = opendir(path);
  p->functions = calloc(FUNCTIONS, sizeof *p->functions);
  if (!dir || !p->functions) {
    snprintf(p->reason.text, sizeof p->reason.text, "cannot list %.300s: there is no PCI here", path);
    if (dir)
      closedir(dir);
    return p->functions ? PMON_E_NO_DEVICE : PMON_E_MEMORY;
  }
  for (struct dirent *e; p->n < FUNCTIONS && (e = readdir(dir));) {
    struct function *f = &p->functions[p->n];
    bool kept = false;                         /* for open_uncore() */
    uint32_t id;
    if (sscanf(e->d_name, "%x:%x:%x.%x", &domain, &bus, &dev, &fn) != 4 || bus > 255 || dev > 31 || fn > 7)
      continue;
    *f = (struct function){.domain = domain, .bus = (uint8_t)bus, .devfn = (uint8_t)(dev << 3 | fn), .fd = -1};
    if (!get(p, f, 0, &id) && (id & 0xffff) == VENDOR) {
      f->id = (uint16_t)(id >> 16);
      f->page = find_page(p, f);
      p->n++;
      kept = true;
    }
    if (!kept || p->n > KEPT_OPEN)
      close_function(f);
  }
  closedir(dir);
  qsort(p->functions, p->n, sizeof *p->functions, compare);
  return 0;
}

/* Without a UBox nobody knows which buses they are: any of them. */
static bool is_uncore(const struct pci *p, const struct function *f)
{
  bool none = true;
  for (uint32_t k = 0; k < p->system.n_packages; k++)
    if (p->bus[k].known && f->domain == p->bus[k].domain &&
        (f->bus == p->bus[k].real || f->bus == p->bus[k].real + 1))
      return true;
    else
      none &= !p->bus[k].known;
  return none;
}

/* All functions on the packages' uncore buses, and no others: later that may not be allowed any more. */
static void open_uncore(struct pci *p)
{
  for (uint32_t i = 0; i < p->n; i++) {
    struct function *f = &p->functions[i];
    if (!is_uncore(p, f))
      close_function(f);
    else if ((f->fd >= 0 || i < KEPT_OPEN) && !open_function(p, f))
      map_function(p, f);
  }
}

static int find_buses(struct pci *p)
{
  int status = 0, worst = 0;
  bool any = false;
  for (uint32_t i = 0; i < p->n; i++)
    for (size_t k = 0; k < sizeof uboxes / sizeof *uboxes; k++)
      if (p->functions[i].id == uboxes[k].id) {
        status = place_ubox(p, &p->functions[i], &uboxes[k]);
        worst = worst ? worst : status;
      }
  for (uint32_t i = 0; i < p->system.n_packages; i++)
    any |= p->bus[i].known;
  /* Of a processor that nobody has facts about, the page tells where the units are. */
  for (uint32_t i = 0; !any && !worst && i < p->n; i++)
    any = p->functions[i].page >= 0;
  if (!any && !worst)
    snprintf(p->reason.text, sizeof p->reason.text, "no UBox and no discovery page among %" PRIu32 " PCI functions of Intel's: this "
             "processor has no such uncore, or the firmware or a hypervisor hides it", p->n);
  return any ? 0 : worst ? worst : PMON_E_NO_DEVICE;
}

/* Which package's page a function announces. Where the system does not say, they come in the order of the packages. */
static void find_announcers(struct pci *p)
{
  int nth = 0;
  for (uint32_t i = 0; i < p->n; i++) {
    const struct function *f = &p->functions[i];
    char name[16], path[64], list[256];
    if (f->page < 0)
      continue;
    name_of(f, name);
    snprintf(path, sizeof path, "bus/pci/devices/%s/local_cpulist", name);
    const bool told = system_text(p->system.sys, path, list, sizeof list);
    const int of_package = told ? system_package_of_list(&p->system, list) : -1;
    const int package = of_package < 0 ? nth : of_package;
    if (package < (int)p->system.n_packages && !p->announcer[package])
      p->announcer[package] = f;
    nth++;
  }
}

static int pci_open(const struct system *s, struct pmon_reason *reason, struct pmon_backend **ret_backend)
{
  static const struct pmon_backend_ops ops = {"pci", pci_read, pci_write, pci_wait, pci_close};
  struct pci *p = calloc(1, sizeof *p);
  if (!p)
    return PMON_E_MEMORY;
  p->backend = (struct pmon_backend){.ops = &ops, .packages = s->n_packages, .fault = pci_fault};
  p->system = *s;
  ecam_open(&p->ecam, s);
  int status = list_functions(p);
  if (!status)
    status = find_buses(p);
  if (!status) {
    open_uncore(p);
    find_announcers(p);
    *ret_backend = &p->backend;
    return 0;
  }
  *reason = p->reason;
  pci_close(&p->backend);
  return status;
}

const struct door door_pci = {"pci", "PCI configuration space: sysfs, and as memory where the firmware's table leads there", NEEDS, pci_open};

uint64_t pci_bar(struct pmon_backend *pci, const char name[16], unsigned bar)
{
  struct pci *p = of(pci);
  char text[16];
  for (uint32_t i = 0; i < p->n; i++) {
    uint32_t low, high = 0;
    name_of(&p->functions[i], text);
    if (strcmp(text, name))
      continue;
    if (bar > 5 || get(p, &p->functions[i], 0x10 + 4 * (uint64_t)bar, &low) || low & 1)
      return 0;
    if ((low & 6) == 4 && (bar == 5 || get(p, &p->functions[i], 0x14 + 4 * (uint64_t)bar, &high)))
      return 0;
    return ((uint64_t)high << 32 | low) & ~UINT64_C(0xf);
  }
  return 0;
}

bool pci_discovery(struct pmon_backend *pci, uint32_t package, char name[16], unsigned *ret_bar)
{
  const struct function *f = of(pci)->announcer[package];
  if (!f)
    return false;
  *ret_bar = (unsigned)f->page;
  name_of(f, name);
  return true;
}
