/* SPDX-License-Identifier: MIT */
#include "tests/hardware/tree.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include "machine/config.h"

enum { FDS = 1024, CPUS = 4, FIRST_BUS = 0x60 }; /* functions on lower buses are files and no more */

struct tree *tree_now;
static struct {
  bool msr, pci, batch;
  unsigned cpu, socket;
  uint32_t device;
  char name[32];
} fds[FDS];

int __real_open64(const char *path, int flags, ...);
ssize_t __real_pread64(int fd, void *buffer, size_t n, off_t offset);
ssize_t __real_pwrite64(int fd, const void *buffer, size_t n, off_t offset);
int __real_ppoll(struct pollfd *fds_of, nfds_t n, const struct timespec *time, const sigset_t *mask);
int __wrap_open64(const char *path, int flags, ...);
int __wrap_ppoll(struct pollfd *fds_of, nfds_t n, const struct timespec *time, const sigset_t *mask);

/* Who reads the FIFO goes on. */
static void tree_notify(const struct tree *t)
{
  char path[512];
  snprintf(path, sizeof path, "%s/%s", t->root, t->other.notify);
  const int fd = __real_open64(path, O_WRONLY);
  if (fd < 0)
    abort(); /* the program, and with it the test, would wait for ever */
  close(fd);
}

/* The other one's turn? */
static void meddle(const struct pmon_address *read)
{
  struct tree *t = tree_now;
  if (t->other.reads && read->space == t->other.when.space && read->package == t->other.when.package &&
      read->device == t->other.when.device && read->offset == t->other.when.offset && !--t->other.reads) {
    machine_write(t->machine, &t->other.what, t->other.value);
    if (t->other.notify)
      tree_notify(t);
  }
}

static void die(const char *what)
{
  perror(what);
  abort();
}

void *__real_mmap64(void *at, size_t n, int protection, int flags, int fd, off_t offset);

void tree_work(struct tree *t)
{
  char path[256];
  tree_file(t, "work", "");
  snprintf(path, sizeof path, "%s/work", t->root);
  const int fd = __real_open64(path, O_RDWR);
  if (fd < 0 || ftruncate(fd, sizeof *t->work_ns))
    die(path);
  void *at = __real_mmap64(NULL, sizeof *t->work_ns, PROT_READ, MAP_SHARED, fd, 0);
  if (at == MAP_FAILED || close(fd))
    die(path);
  t->work_ns = at;
}

void tree_advance(void)
{
  struct tree *t = tree_now;
  const uint64_t work_ns = t->work_ns ? __atomic_load_n(t->work_ns, __ATOMIC_ACQUIRE) : 0;
  bool ended;
  char error[256];
  if (work_ns > t->worked_ns && machine_run(t->machine, machine_now_fs(t->machine) + (work_ns - t->worked_ns) * 1000000,
                                            &ended, error, sizeof error))
    die(error);
  t->worked_ns = work_ns;
}

ssize_t __wrap_pread64(int fd, void *buffer, size_t n, off_t offset);
ssize_t __wrap_pwrite64(int fd, const void *buffer, size_t n, off_t offset);

/* Uncore buses of the machine's sockets: 7e 7f fe ff and the accelerators' stack (emr), 7f and ff (snbep). */
static uint32_t guide_bus(unsigned bus)
{
  char first[128];
  struct stat st;
  snprintf(first, sizeof first, "%s/bus/pci/devices/0000:7e:00.0", tree_now->sys);
  if (stat(first, &st))
    return 63;
  return (bus & 0x7f) == 0x7f ? 31 : (bus & 0x7f) == 0x7e ? 30 : 7;
}

bool tree_open_fails(const char *path)
{
  struct tree *t = tree_now;
  if (++t->opens == t->fail_open && t->stays_shut)
    snprintf(t->shut, sizeof t->shut, "%s", path);
  if (!t->fail_open)
    *t->shut = 0;
  return t->opens == t->fail_open || (*t->shut && !strcmp(t->shut, path));
}

int __wrap_open64(const char *path, int flags, ...)
{
  va_list ap;
  unsigned domain, bus, dev, fn;
  va_start(ap, flags);
  mode_t mode = flags & O_CREAT ? va_arg(ap, mode_t) : 0;
  va_end(ap);
  const bool ours = tree_now && !strncmp(path, tree_now->root, strlen(tree_now->root));
  const bool topology = ours && strstr(path, "/topology/");
  if (topology ? ++tree_now->looks == tree_now->fail_look : ours && tree_open_fails(path)) {
    errno = tree_now->open_error && !topology ? tree_now->open_error : EPERM;
    return -1;
  }
  int fd = __real_open64(path, flags, mode);
  if (fd < 0 || fd >= FDS)
    return fd;
  memset(&fds[fd], 0, sizeof fds[fd]);
  if (ours)
    snprintf(fds[fd].name, sizeof fds[fd].name, "%.31s", strrchr(path, '/') + 1);
  const char *cpu = ours ? strstr(path, "/dev/cpu/") : NULL, *pci = ours ? strstr(path, "/pci/devices/") : NULL;
  if (cpu && !strcmp(cpu, "/dev/cpu/msr_batch")) {
    fds[fd].batch = true;
  } else if (cpu) {
    fds[fd].msr = true;
    fds[fd].cpu = (unsigned)atoi(cpu + 9);
    fds[fd].socket = fds[fd].cpu / 2;
  } else if (pci && strstr(pci, "/config") && sscanf(pci + 13, "%x:%x:%x.%x", &domain, &bus, &dev, &fn) == 4 &&
             bus >= FIRST_BUS && domain < 2) {
    fds[fd].pci = true;
    fds[fd].socket = bus >= 0x80 || domain;
    fds[fd].device = guide_bus(bus) << 8 | dev << 3 | fn;
  }
  return fd;
}

static bool fails(int fd, ssize_t *ret_result)
{
  struct tree *t = tree_now;
  enum tree_fault fault = ++t->accesses == t->fail_access ? t->fault : TREE_OK;
  if ((t->gone_from && t->accesses >= t->gone_from) ||
      (fds[fd].msr && ((int)fds[fd].cpu == t->offline_cpu || t->offline_sockets >> fds[fd].socket & 1)))
    fault = t->fault == TREE_ENODEV ? TREE_ENODEV : TREE_ENXIO;
  if (t->gone_device && fds[fd].pci && fds[fd].device == t->gone_device && t->accesses >= t->gone_device_from)
    fault = TREE_ENXIO;
  static const int errors[] = {0, EIO, EPERM, 0, ENXIO, ENODEV};
  *ret_result = fault == TREE_SHORT ? 3 : -1;
  errno = errors[fault];
  return fault != TREE_OK;
}

static struct pmon_address address_of(int fd, off_t offset)
{
  return (struct pmon_address){.package = fds[fd].socket,
                               .offset = (uint64_t)offset,
                               .device = fds[fd].device,
                               .space = fds[fd].msr ? PMON_SPACE_MSR : PMON_SPACE_PCI,
                               .width_bits = fds[fd].msr ? 64 : 32};
}

/* An MSR of the CPU's own, where the machine has such a one. */
static struct pmon_address address_of_access(int fd, off_t offset)
{
  struct pmon_address a = address_of(fd, offset), own = a;
  uint64_t value;
  own.device = fds[fd].cpu % 2 + 1;
  return fds[fd].msr && !machine_read(tree_now->machine, &own, &value) ? own : a;
}

static bool is_ours(int fd, size_t n)
{
  return tree_now && fd < FDS && ((fds[fd].msr && n == 8) || (fds[fd].pci && n == 4));
}

ssize_t __wrap_pread64(int fd, void *buffer, size_t n, off_t offset)
{
  uint64_t value = 0;
  ssize_t result;
  if (!is_ours(fd, n))
    return __real_pread64(fd, buffer, n, offset);
  if (fails(fd, &result))
    return result;
  struct pmon_address a = address_of_access(fd, offset);
  tree_advance();
  int status = machine_read(tree_now->machine, &a, &value);
  meddle(&a);
  if (status && fds[fd].msr) {
    errno = EIO;
    return -1;
  }
  memcpy(buffer, &value, n); /* configuration space without a register reads as zero */
  return (ssize_t)n;
}

ssize_t __wrap_pwrite64(int fd, const void *buffer, size_t n, off_t offset)
{
  uint64_t value = 0;
  ssize_t result;
  if (!is_ours(fd, n))
    return __real_pwrite64(fd, buffer, n, offset);
  if (fails(fd, &result))
    return result;
  struct pmon_address a = address_of_access(fd, offset);
  memcpy(&value, buffer, n);
  tree_advance();
  if (machine_write(tree_now->machine, &a, value)) {
    errno = EIO;
    return -1;
  }
  struct tree_writes *w = tree_now->writes;
  if (w && w->n < sizeof w->at / sizeof *w->at) {
    w->at[w->n].address = a;
    w->at[w->n++].value = value;
  }
  return (ssize_t)n;
}

void *__wrap_mmap64(void *at, size_t n, int protection, int flags, int fd, off_t offset);

void *__wrap_mmap64(void *at, size_t n, int protection, int flags, int fd, off_t offset)
{
  for (size_t i = 0; tree_now && fd >= 0 && fd < FDS && i < 4 && tree_now->unmapped[i].name; i++)
    if (!strcmp(fds[fd].name, tree_now->unmapped[i].name)) {
      errno = tree_now->unmapped[i].error;
      return MAP_FAILED;
    }
  return __real_mmap64(at, n, protection, flags, fd, offset);
}

int __wrap_ppoll(struct pollfd *fds_of, nfds_t n, const struct timespec *time, const sigset_t *mask)
{
  if (tree_now)
    tree_now->polls++;
  return __real_ppoll(fds_of, n, time, mask);
}

enum tree_answer tree_mapped(void)
{
  struct tree *t = tree_now;
  t->accesses++;
  return t->gone_from && t->accesses >= t->gone_from       ? TREE_GONE
         : t->silent_from && t->accesses >= t->silent_from ? TREE_SILENT
                                                           : TREE_ANSWERS;
}

bool tree_batch(int fd)
{
  return tree_now && fd >= 0 && fd < FDS && fds[fd].batch;
}

bool tree_fails(int fd)
{
  ssize_t unused;
  return fails(fd, &unused);
}

static void make_folders(char *path)
{
  for (char *c = path + 1; (c = strchr(c, '/')); c++) {
    *c = 0;
    if (mkdir(path, 0777) && errno != EEXIST)
      die(path);
    *c = '/';
  }
}

void tree_file(const struct tree *t, const char *name, const char *text)
{
  char path[512];
  snprintf(path, sizeof path, "%s/%s", t->root, name);
  if (!text) {
    if (unlink(path))
      die(path);
    return;
  }
  make_folders(path);
  FILE *f = fopen(path, "w");
  if (!f || fputs(text, f) < 0 || fclose(f))
    die(path);
}

static void add_function(const struct tree *t, unsigned bus, unsigned device, unsigned socket)
{
  char name[128], list[16];
  snprintf(name, sizeof name, "sys/bus/pci/devices/0000:%02x:%02x.%u/config", bus, device >> 3 & 31, device & 7);
  tree_file(t, name, "");
  char path[256];
  snprintf(path, sizeof path, "%s/%s", t->root, name);
  if (truncate(path, 4096))
    die(path);
  snprintf(name, sizeof name, "sys/bus/pci/devices/0000:%02x:%02x.%u/local_cpulist", bus, device >> 3 & 31, device & 7);
  snprintf(list, sizeof list, "%u-%u\n", 2 * socket, 2 * socket + 1);
  tree_file(t, name, list);
}

/* A file for each function that answers with an identity. */
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

/* Where the discovery page is in memory: its function's first BAR. */
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

/* Copies what stands in memory: the discovery page as the device's resource and, as MEM0, into the file that is
 * memory. */
static void add_memory(const struct tree *t)
{
  char path[256];
  snprintf(path, sizeof path, "%s/mem", t->dev);
  int mem = __real_open64(path, O_RDWR | O_CREAT, 0666);
  if (mem < 0)
    die(path);
  for (unsigned socket = 0; socket < 2; socket++) {
    snprintf(path, sizeof path, "%s/bus/pci/devices/0000:%02x:03.1/resource0", t->sys, 0x67 + 0x80 * socket);
    int page = __real_open64(path, O_RDWR | O_CREAT, 0666);
    struct pmon_address a = {.package = socket, .space = PMON_SPACE_MMIO, .width_bits = 32, .device = 16};
    uint64_t value;
    for (; page >= 0 && a.offset < 0x80000; a.offset += 4)
      if (!machine_read(t->machine, &a, &value) &&
          (__real_pwrite64(page, &value, 4, (off_t)a.offset) != 4 ||
           __real_pwrite64(mem, &value, 4, page_at(t, socket) + (off_t)a.offset) != 4))
        die(path);
    if (page < 0 || ftruncate(page, 0x80000) || close(page))
      die(path);
    const off_t base = (off_t)(0x1d0 + 0x10 * socket) << 23;
    if (ftruncate(mem, base + (64 << 20)))
      die("mem");
    a.device = 0;
    for (a.offset = 0x22000; a.offset < 0x23000; a.offset += 4)
      if (!machine_read(t->machine, &a, &value) && __real_pwrite64(mem, &value, 4, base + (off_t)a.offset) != 4)
        die("mem");
  }
  if (close(mem))
    die("mem");
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
  const bool emr = !strcmp(platform, "emr");
  *t = (struct tree){.root = "/tmp/pmon-tree-XXXXXX", .offline_cpu = -1};
  if (!mkdtemp(t->root))
    die(t->root);
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
    add_memory(t);
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
