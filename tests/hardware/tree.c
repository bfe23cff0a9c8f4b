/* SPDX-License-Identifier: MIT */
#include "tests/hardware/tree.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FDS = 1024, FIRST_BUS = 0x60 }; /* functions on lower buses are only files */

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
int __wrap___open64_2(const char *path, int flags); /* open() without a mode with _FORTIFY_SOURCE */
int __wrap_ppoll(struct pollfd *fds_of, nfds_t n, const struct timespec *time, const sigset_t *mask);

/* Unblocks the reader of the FIFO. */
static void tree_notify(const struct tree *t)
{
  char path[512];
  snprintf(path, sizeof path, "%s/%s", t->root, t->other.notify);
  const int fd = __real_open64(path, O_WRONLY);
  if (fd < 0)
    abort(); /* the program, and the test with it, would wait for ever */
  close(fd);
}

/* Plays the other software when its read count is reached. */
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

void *__real_mmap64(void *at, size_t n, int protection, int flags, int fd, off_t offset);

void tree_work(struct tree *t)
{
  char path[256];
  tree_file(t, "work", "");
  snprintf(path, sizeof path, "%s/work", t->root);
  const int fd = __real_open64(path, O_RDWR);
  if (fd < 0 || ftruncate(fd, sizeof *t->work_ns))
    tree_die(path);
  void *at = __real_mmap64(NULL, sizeof *t->work_ns, PROT_READ, MAP_SHARED, fd, 0);
  if (at == MAP_FAILED || close(fd))
    tree_die(path);
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
    tree_die(error);
  t->worked_ns = work_ns;
}

ssize_t __wrap_pread64(int fd, void *buffer, size_t n, off_t offset);
ssize_t __wrap_pwrite64(int fd, const void *buffer, size_t n, off_t offset);

/* Returns an uncore bus of the machine's sockets: 7e 7f fe ff and that of the accelerators' stack (emr), 7f and ff
 * (snbep). */
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

int __wrap___open64_2(const char *path, int flags)
{
  return __wrap_open64(path, flags);
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

/* Returns the address of an MSR access; per CPU, where the machine has the MSR per CPU. */
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
