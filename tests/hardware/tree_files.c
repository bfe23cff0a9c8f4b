/* SPDX-License-Identifier: MIT */
/* Makes the tree's files from the machine's registers, and removes them. */
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include "machine/config.h"
#include "tests/hardware/place.h"
#include "tests/hardware/tree.h"

enum { CPUS = 4 };

int __real_open64(const char *path, int flags, ...);
ssize_t __real_pwrite64(int fd, const void *buffer, size_t n, off_t offset);

void tree_die(const char *what)
{
  perror(what);
  abort();
}

static void make_folders(char *path)
{
  for (char *c = path + 1; (c = strchr(c, '/')); c++) {
    *c = 0;
    if (mkdir(path, 0777) && errno != EEXIST)
      tree_die(path);
    *c = '/';
  }
}

void tree_file(const struct tree *t, const char *name, const char *text)
{
  char path[512];
  snprintf(path, sizeof path, "%s/%s", t->root, name);
  if (!text) {
    if (unlink(path))
      tree_die(path);
    return;
  }
  make_folders(path);
  FILE *f = fopen(path, "w");
  if (!f || fputs(text, f) < 0 || fclose(f))
    tree_die(path);
}

static void add_function(const struct tree *t, unsigned bus, unsigned device, unsigned socket)
{
  char name[128], list[16];
  snprintf(name, sizeof name, "sys/bus/pci/devices/0000:%02x:%02x.%u/config", bus, device >> 3 & 31, device & 7);
  tree_file(t, name, "");
  char path[256];
  snprintf(path, sizeof path, "%s/%s", t->root, name);
  if (truncate(path, 4096))
    tree_die(path);
  snprintf(name, sizeof name, "sys/bus/pci/devices/0000:%02x:%02x.%u/local_cpulist", bus, device >> 3 & 31, device & 7);
  snprintf(list, sizeof list, "%u-%u\n", 2 * socket, 2 * socket + 1);
  tree_file(t, name, list);
}

/* Makes a file for each function that answers with an identity. */
static void add_functions(const struct tree *t, bool emr)
{
  static const struct {
    uint32_t guide, real;
  } emr_buses[] = {{7, 0x67}, {30, 0x7e}, {31, 0x7f}}, snbep_buses[] = {{63, 0x7f}};
  for (unsigned socket = 0; socket < 2; socket++)
    for (size_t b = 0; b < (emr ? 3 : 1); b++)
      for (uint32_t devfn = 0; devfn < 256; devfn++) {
        const uint32_t guide = emr ? emr_buses[b].guide : snbep_buses[b].guide;
        struct pmon_address a = {
            .package = socket, .space = PMON_SPACE_PCI, .width_bits = 32, .device = guide << 8 | devfn};
        uint64_t id;
        if (!machine_read(t->machine, &a, &id))
          add_function(t, (emr ? emr_buses[b].real : snbep_buses[b].real) + 0x80 * socket, devfn, socket);
      }
}

/* Returns the address of the discovery page in memory: its function's first BAR. */
static off_t page_at(const struct tree *t, unsigned socket)
{
  struct pmon_address a = {
      .package = socket, .space = PMON_SPACE_PCI, .width_bits = 32, .device = 7 << 8 | 3 << 3 | 1, .offset = 0x10};
  uint64_t low = 0, high = 0;
  machine_read(t->machine, &a, &low);
  a.offset += 4;
  if (low & 4)
    machine_read(t->machine, &a, &high);
  return (off_t)(high << 32 | (low & ~UINT64_C(0xf)));
}

/* Copies the machine's memory into files: the discovery page as the device's resource, and with MEM0 into the file that
 * stands for memory. */
void tree_add_memory(const struct tree *t)
{
  char path[256];
  snprintf(path, sizeof path, "%s/mem", t->dev);
  int mem = __real_open64(path, O_RDWR | O_CREAT, 0666);
  if (mem < 0)
    tree_die(path);
  for (unsigned socket = 0; socket < 2; socket++) {
    snprintf(path, sizeof path, "%s/bus/pci/devices/0000:%02x:03.1/resource0", t->sys, 0x67 + 0x80 * socket);
    int page = __real_open64(path, O_RDWR | O_CREAT, 0666);
    struct pmon_address a = {.package = socket, .space = PMON_SPACE_MMIO, .width_bits = 32, .device = 16};
    uint64_t value;
    for (; page >= 0 && a.offset < 0x80000; a.offset += 4)
      if (!machine_read(t->machine, &a, &value) &&
          (__real_pwrite64(page, &value, 4, (off_t)a.offset) != 4 ||
           __real_pwrite64(mem, &value, 4, page_at(t, socket) + (off_t)a.offset) != 4))
        tree_die(path);
    if (page < 0 || ftruncate(page, 0x80000) || close(page))
      tree_die(path);
    const off_t base = (off_t)(0x1d0 + 0x10 * socket) << 23;
    if (ftruncate(mem, base + (64 << 20)))
      tree_die("mem");
    a.device = 0;
    for (a.offset = 0x22000; a.offset < 0x23000; a.offset += 4)
      if (!machine_read(t->machine, &a, &value) && __real_pwrite64(mem, &value, 4, base + (off_t)a.offset) != 4)
        tree_die("mem");
  }
  if (close(mem))
    tree_die("mem");
}

static struct machine *make_machine(const char *platform, const char *const *settings)
{
  struct machine_config config;
  struct machine *m = NULL;
  char error[256] = "";
  machine_config_init(&config);
  int status = machine_config_preset(&config, platform);
  status = status ? status : machine_config_parse(&config, "sockets=2", error, sizeof error);
  for (; !status && settings && *settings; settings++)
    status = machine_config_parse(&config, *settings, error, sizeof error);
  if (status || machine_new(&config, error, sizeof error, &m)) {
    fprintf(stderr, "%s\n", error);
    abort();
  }
  return m;
}

void tree_make(struct tree *t, const char *platform, const char *const *settings)
{
  char name[96], text[8];
  const bool emr = strcmp(platform, "snbep") != 0; /* or Sapphire Rapids, with the same places */
  *t = (struct tree){.offline_cpu = -1};
  if (!place_make(t->root, sizeof t->root, "pmon-tree"))
    tree_die(t->root);
  snprintf(t->dev, sizeof t->dev, "%s/dev", t->root);
  snprintf(t->sys, sizeof t->sys, "%s/sys", t->root);
  snprintf(t->proc, sizeof t->proc, "%s/proc", t->root);
  t->system =
      (struct pmon_system){.size = sizeof t->system, .dev = t->dev, .sys = t->sys, .proc = t->proc, .end_fd = -1};
  t->machine = make_machine(platform, settings);
  tree_file(t, "sys/devices/system/cpu/online", "0-3\n");
  tree_file(t, "sys/devices/system/cpu/present", "0-3\n");
  for (unsigned cpu = 0; cpu < CPUS; cpu++) {
    snprintf(name, sizeof name, "sys/devices/system/cpu/cpu%u/topology/physical_package_id", cpu);
    snprintf(text, sizeof text, "%u\n", cpu / 2);
    tree_file(t, name, text);
    snprintf(name, sizeof name, "dev/cpu/%u/msr", cpu);
    tree_file(t, name, "");
  }
  add_functions(t, emr);
  if (emr)
    tree_add_memory(t);
  tree_now = t;
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
  (void)st;
  (void)type;
  (void)ftw;
  return remove(path);
}

void tree_end(struct tree *t)
{
  tree_now = NULL;
  if (t->work_ns)
    munmap((void *)(uintptr_t)t->work_ns, sizeof *t->work_ns);
  machine_free(t->machine);
  nftw(t->root, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}
