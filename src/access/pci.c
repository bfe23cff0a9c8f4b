/* SPDX-License-Identifier: MIT */
/*
 * PCI configuration space (function.h). The guides have their own numbers for the uncore's buses. The system's number
 * is that of the bus with the UBox, whose registers identify its package: its own node, and the node of each package in
 * three bits each (817509 1.10.2; E5-2600 guide 1.5).
 */
#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <pmon/platform.h>
#include "src/access/function.h"
#include "src/access/method.h"
#include "src/access/pci.h"

enum { FUNCTIONS = 4096, KEPT_OPEN = 128, VENDOR = 0x8086 };

/* UBox devices: the offsets of the node register and of the map of nodes, and the guide's number of its bus. */
static const struct ubox {
  uint16_t id, node, map;
  uint8_t bus;
} uboxes[] = {{0x3250, 0xc0, 0xd4, 30}, {0x3ce0, 0x40, 0x54, 63}};

struct pci {
  struct pmon_backend backend;
  struct function_ways ways;
  struct function *functions;
  uint32_t n;
  struct {
    bool known;
    uint32_t domain;
    uint8_t real, guide;
  } bus[SYSTEM_PACKAGES];
  struct function *announcer[SYSTEM_PACKAGES]; /* functions that announce the packages' discovery pages; NULL: none */
  int missed;                                  /* status and reason of the first failed read of the bus numbers */
  struct pmon_reason missed_reason;
};

static struct pci *pci_backend(struct pmon_backend *b)
{
  return (struct pci *)(void *)b;
}

/* Finds the system's domain and bus for an address of a package. False: unknown. */
static bool pci_locate(struct pci *p, const struct pmon_address *a, uint32_t *ret_domain, int *ret_bus)
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

/* Finds the function at an address. PMON_E_NO_DEVICE: there is none; PMON_E_INVALID: not an aligned dword; or the
 * status of the failed read of its bus number. */
static int pci_find_function(struct pci *p, const struct pmon_address *a, struct function **ret_function)
{
  uint32_t domain;
  int bus;
  const bool located = pci_locate(p, a, &domain, &bus), unread = !located && p->missed;
  p->backend.error_text = p->ways.reason.text;
  if (a->space != PMON_SPACE_PCI) {
    snprintf(p->ways.reason.text, sizeof p->ways.reason.text, "configuration space has no registers of %s",
             pmon_space_name(a->space));
    return PMON_E_NO_DEVICE;
  }
  for (uint32_t i = 0; located && i < p->n; i++) {
    struct function *f = &p->functions[i];
    *ret_function = f;
    if (f->domain == domain && f->devfn == (a->device & 0xff) && f->bus == bus)
      return a->width_bits != 32 || a->offset % 4 ? PMON_E_INVALID : 0;
  }
  snprintf(p->ways.reason.text, sizeof p->ways.reason.text,
           "package %" PRIu32 " has no visible PCI function %" PRIu32 ":%" PRIu32 ".%" PRIu32 "; %.300s", a->package,
           a->device >> 8, a->device >> 3 & 31, a->device & 7,
           unread ? p->missed_reason.text : "the firmware may hide it");
  return unread ? p->missed : PMON_E_NO_DEVICE;
}

static int pci_read(struct pmon_backend *b, const struct pmon_address *a, uint64_t *ret_value)
{
  struct pci *p = pci_backend(b);
  struct function *f;
  uint32_t value = 0, id = 0;
  int status = pci_find_function(p, a, &f);
  if (!status)
    status = function_read(&p->ways, f, a->offset, &value);
  if (!status && value == UINT32_MAX && !function_read(&p->ways, f, 0, &id) && id == UINT32_MAX) {
    snprintf(p->ways.reason.text, sizeof p->ways.reason.text,
             "the PCI function %02x:%02x.%x is gone: it reads all "
             "ones",
             f->bus, f->devfn >> 3, f->devfn & 7u);
    return PMON_E_NO_DEVICE;
  }
  if (!status)
    *ret_value = value;
  return status;
}

static int pci_write(struct pmon_backend *b, const struct pmon_address *a, uint64_t value)
{
  struct function *f;
  int status = pci_find_function(pci_backend(b), a, &f);
  return status ? status : function_write(&pci_backend(b)->ways, f, a->offset, (uint32_t)value);
}

static int pci_wait(struct pmon_backend *b, uint64_t until_ns, uint64_t *ret_now_ns, bool *ret_ended)
{
  return system_wait(&pci_backend(b)->ways.system, until_ns, ret_now_ns, ret_ended);
}

static bool pci_fault(struct pmon_backend *b)
{
  return guard_fault(&pci_backend(b)->ways.guard);
}

static void pci_close(struct pmon_backend *b)
{
  struct pci *p = pci_backend(b);
  for (uint32_t i = 0; i < p->n; i++)
    function_close(&p->functions[i]);
  ecam_close(&p->ways.ecam);
  free(p->functions);
  free(p);
}

/* Stores the reason of a failed read, for accesses that depend on it. */
static void pci_note_failure(struct pci *p, int status)
{
  if (p->missed || !status || status == PMON_E_NO_DEVICE)
    return;
  p->missed = status;
  p->missed_reason = p->ways.reason;
}

/* Finds the package of a UBox. */
static int place_ubox(struct pci *p, struct function *f, const struct ubox *u)
{
  uint32_t node, map;
  int status = function_read(&p->ways, f, u->node, &node);
  if (!status)
    status = function_read(&p->ways, f, u->map, &map);
  if (status)
    return status;
  for (uint32_t i = 0; i < 8; i++)
    for (uint32_t k = 0; (map >> (3 * i) & 7) == (node & 7) && k < p->ways.system.n_packages; k++)
      if (p->ways.system.packages[k].id == i && !p->bus[k].known) {
        p->bus[k].known = true;
        p->bus[k].domain = f->domain;
        p->bus[k].real = f->bus;
        p->bus[k].guide = u->bus;
        return 0;
      }
  return 0;
}

static int pci_compare_functions(const void *a, const void *b)
{
  const struct function *x = a, *y = b;
  uint64_t kx = (uint64_t)x->domain << 16 | (uint64_t)x->bus << 8 | x->devfn;
  uint64_t ky = (uint64_t)y->domain << 16 | (uint64_t)y->bus << 8 | y->devfn;
  return (kx > ky) - (kx < ky);
}

/* Lists Intel's functions, sorted. The header with the vendor is readable without privileges; a function whose header
 * cannot be read may be of any vendor. */
static int list_functions(struct pci *p)
{
  char path[SYSTEM_PATH];
  unsigned domain, bus, dev, fn;
  snprintf(path, sizeof path, "%s/bus/pci/devices", p->ways.system.sys);
  DIR *dir = opendir(path);
  p->functions = calloc(FUNCTIONS, sizeof *p->functions);
  if (!dir || !p->functions) {
    snprintf(p->ways.reason.text, sizeof p->ways.reason.text, "cannot list %.300s: this system has no PCI", path);
    if (dir)
      closedir(dir);
    return p->functions ? PMON_E_NO_DEVICE : PMON_E_MEMORY;
  }
  for (struct dirent *e; p->n < FUNCTIONS && (e = readdir(dir));) {
    struct function *f = &p->functions[p->n];
    uint32_t id = 0;
    if (sscanf(e->d_name, "%x:%x:%x.%x", &domain, &bus, &dev, &fn) != 4 || bus > 255 || dev > 31 || fn > 7)
      continue;
    *f = (struct function){.domain = domain, .bus = (uint8_t)bus, .devfn = (uint8_t)(dev << 3 | fn), .fd = -1};
    const int status = function_read(&p->ways, f, 0, &id);
    const bool kept = !status && (id & 0xffff) == VENDOR;
    pci_note_failure(p, status);
    if (kept || (status && status != PMON_E_NO_DEVICE)) {
      f->id = (uint16_t)(id >> 16);
      f->page = kept ? function_page(&p->ways, f) : -1;
      p->n++;
    }
    if (!kept || p->n > KEPT_OPEN) /* for open_uncore() */
      function_close(f);
  }
  closedir(dir);
  qsort(p->functions, p->n, sizeof *p->functions, pci_compare_functions);
  return 0;
}

/* True if the function may be on an uncore bus. Without a UBox the buses are unknown: then any of the first KEPT_OPEN
 * functions may be. */
static bool is_uncore(const struct pci *p, const struct function *f)
{
  bool none = true;
  for (uint32_t k = 0; k < p->ways.system.n_packages; k++)
    if (p->bus[k].known && f->domain == p->bus[k].domain && (f->bus == p->bus[k].real || f->bus == p->bus[k].real + 1))
      return true;
    else
      none &= !p->bus[k].known;
  return none && (f->fd >= 0 || f < p->functions + KEPT_OPEN);
}

/* Opens all functions on the packages' uncore buses, before privileges are dropped, and closes the others. */
static void open_uncore(struct pci *p)
{
  for (uint32_t i = 0; i < p->n; i++) {
    struct function *f = &p->functions[i];
    if (!is_uncore(p, f))
      function_close(f);
    else if (!function_open(&p->ways, f))
      function_map(&p->ways, f);
  }
}

static int find_buses(struct pci *p)
{
  bool any = false;
  for (uint32_t i = 0; i < p->n; i++)
    for (size_t k = 0; k < sizeof uboxes / sizeof *uboxes; k++)
      if (p->functions[i].id == uboxes[k].id)
        pci_note_failure(p, place_ubox(p, &p->functions[i], &uboxes[k]));
  for (uint32_t i = 0; i < p->ways.system.n_packages; i++)
    any |= p->bus[i].known;
  /* On a processor without facts, the discovery page has the addresses of the units. */
  for (uint32_t i = 0; !any && !p->missed && i < p->n; i++)
    any = p->functions[i].page >= 0;
  if (!any && p->missed)
    p->ways.reason = p->missed_reason;
  else if (!any)
    snprintf(p->ways.reason.text, sizeof p->ways.reason.text,
             "no UBox and no discovery page among %" PRIu32
             " Intel PCI functions: this processor has no such uncore, or the firmware or a hypervisor hides it",
             p->n);
  return any ? 0 : p->missed ? p->missed : PMON_E_NO_DEVICE;
}

/* Finds the package whose page each function announces. If the system does not show it, functions are in the order of
 * the packages. */
static void find_announcers(struct pci *p)
{
  int nth = 0;
  for (uint32_t i = 0; i < p->n; i++) {
    struct function *f = &p->functions[i];
    char name[FUNCTION_NAME], path[64], list[1024];
    if (f->page < 0)
      continue;
    function_name(f, name);
    snprintf(path, sizeof path, "bus/pci/devices/%s/local_cpulist", name);
    const bool found = system_text(p->ways.system.sys, path, list, sizeof list);
    const int of_package = found ? system_package_of_all(&p->ways.system, list) : -1;
    const int package = of_package < 0 ? nth : of_package;
    if (package < (int)p->ways.system.n_packages && !p->announcer[package])
      p->announcer[package] = f;
    nth++;
  }
}

static int pci_open(const struct system *s, struct pmon_reason *reason, struct pmon_backend **ret_backend)
{
  static const struct pmon_backend_ops ops = {sizeof ops, "pci", pci_read, pci_write, pci_wait, pci_close};
  struct pci *p = calloc(1, sizeof *p);
  if (!p)
    return PMON_E_MEMORY;
  p->backend = (struct pmon_backend){.ops = &ops, .packages = s->n_packages, .fault = pci_fault};
  p->ways.system = *s;
  ecam_open(&p->ways.ecam, s);
  int status = list_functions(p);
  if (!status)
    status = find_buses(p);
  if (!status) {
    open_uncore(p);
    find_announcers(p);
    *ret_backend = &p->backend;
    return 0;
  }
  *reason = p->ways.reason;
  pci_close(&p->backend);
  return status;
}

static int pci_lock_fd(const struct pmon_backend *b)
{
  const struct pci *p = (const struct pci *)(const void *)b;
  for (uint32_t i = 0; i < p->n; i++)
    if (p->functions[i].fd >= 0)
      return p->functions[i].fd;
  return -1;
}

const struct access_method access_method_pci = {
    "pci", "PCI configuration space: sysfs, or memory-mapped by the firmware's MCFG table", FUNCTION_NEEDS, pci_open,
    pci_lock_fd};

bool pci_discovery(struct pmon_backend *pci, uint32_t package, struct pci_page *ret_page)
{
  struct function *f = pci_backend(pci)->announcer[package];
  if (!f)
    return false;
  function_name(f, ret_page->name);
  ret_page->bar = (unsigned)f->page;
  ret_page->address = function_bar(&pci_backend(pci)->ways, f, ret_page->bar);
  return true;
}
