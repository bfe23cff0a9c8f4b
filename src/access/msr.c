/* SPDX-License-Identifier: MIT */
/* Model-specific registers through the msr module's devices: eight bytes at the offset that is the register's
 * number. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "src/access/batch.h"
#include "src/access/method.h"
#include "src/access/system.h"

enum { MSR_THREADS = 64 }; /* maximum number of hardware threads of a package whose own registers are read */

#define NEEDS "the msr module (modprobe msr), CAP_SYS_RAWIO and write permission; or the msr-safe module"

struct msr {
  struct pmon_backend backend;
  struct system system;
  struct {
    int fd;
    uint32_t cpu;
  } use[SYSTEM_PACKAGES]; /* the CPU on which each package is accessed */
  struct {
    int fd;
    uint32_t cpu;
  } spare[SYSTEM_PACKAGES]; /* its replacement if that CPU goes offline */
  struct {
    int fd;
    uint32_t cpu;
  } thread[SYSTEM_PACKAGES][MSR_THREADS]; /* by number of the hardware thread; without replacement */
  struct batch batch;
  struct pmon_reason reason;
};

static struct msr *msr_backend(struct pmon_backend *b)
{
  return (struct msr *)(void *)b;
}

/* msr-safe's device is tried first: it is for users who may not use the other one. */
static int open_cpu(struct msr *m, uint32_t cpu, int *ret_fd)
{
  static const char *const names[] = {"msr_safe", "msr"};
  int status = PMON_E_NO_DEVICE;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    char name[64];
    struct system_file file = {.root = m->system.dev, .name = name, .needs = NEEDS, .flags = O_RDWR};
    snprintf(name, sizeof name, "cpu/%" PRIu32 "/%s", cpu, names[i]);
    status = system_open(&file, &m->reason, ret_fd);
    if (!status)
      break;
  }
  return status;
}

/* Opens another CPU of the package, before privileges are dropped: that happens once all is open. If there is none,
 * m->reason has the reason. */
static void open_spare(struct msr *m, uint32_t package)
{
  const uint32_t cpu = system_other_cpu(&m->system, package, m->use[package].cpu);
  m->spare[package].fd = -1;
  if (cpu == UINT32_MAX)
    snprintf(m->reason.text, sizeof m->reason.text, "no other CPU of its package is online");
  else if (!open_cpu(m, cpu, &m->spare[package].fd))
    m->spare[package].cpu = cpu;
}

/* Opens the hardware threads of a package; threads that cannot be opened have no registers. */
static void open_threads(struct msr *m, uint32_t package)
{
  uint32_t cpus[MSR_THREADS];
  const uint32_t n = system_threads(&m->system, package, NULL, cpus, MSR_THREADS);
  for (uint32_t i = 0; i < n && i < MSR_THREADS; i++) {
    m->thread[package][i].cpu = cpus[i];
    if (open_cpu(m, cpus[i], &m->thread[package][i].fd))
      m->thread[package][i].fd = -1;
  }
}

/* Replaces a CPU that went offline by another one of the package. False, with the reason: there is none. */
static bool change_cpu(struct msr *m, uint32_t package)
{
  if (m->spare[package].fd < 0 || !system_online(&m->system, m->spare[package].cpu)) {
    if (m->spare[package].fd >= 0)
      close(m->spare[package].fd);
    open_spare(m, package);
  }
  if (m->spare[package].fd < 0)
    return false;
  close(m->use[package].fd);
  m->use[package].fd = m->spare[package].fd;
  m->use[package].cpu = m->spare[package].cpu;
  m->spare[package].fd = -1;
  return true;
}

static bool is_offline(ssize_t n)
{
  return n < 0 && (errno == ENXIO || errno == ENODEV || errno == EBADF);
}

/* Return the CPU on which an access is made, and its descriptor. */
static uint32_t msr_cpu(const struct msr *m, const struct pmon_address *a)
{
  return a->device ? m->thread[a->package][a->device - 1].cpu : m->use[a->package].cpu;
}

static int msr_fd(const struct msr *m, const struct pmon_address *a)
{
  return a->device ? m->thread[a->package][a->device - 1].fd : m->use[a->package].fd;
}

static int msr_fail(struct msr *m, const struct pmon_address *a, const char *what, ssize_t n)
{
  const int error = errno;
  const char *why = n >= 0         ? "the transfer was incomplete"
                    : error == EIO ? "the processor refused the access"
                                   : strerror(error);
  snprintf(m->reason.text, sizeof m->reason.text, "cannot %s MSR 0x%" PRIx64 " on CPU %" PRIu32 ": %s", what, a->offset,
           msr_cpu(m, a), why);
  return n >= 0 ? PMON_E_IO : system_status(error);
}

/* Reports that the CPU went offline and no other one can replace it. */
static int fail_offline(struct msr *m, const struct pmon_address *a, const char *what)
{
  const struct pmon_reason why = m->reason;
  snprintf(m->reason.text, sizeof m->reason.text,
           "cannot %s MSR 0x%" PRIx64 " on CPU %" PRIu32 ": the CPU went "
           "offline, and no other CPU can replace it: %.360s",
           what, a->offset, msr_cpu(m, a), why.text);
  return PMON_E_NO_DEVICE;
}

static int msr_check_address(struct msr *m, const struct pmon_address *a)
{
  m->backend.error_text = m->reason.text;
  if (a->package >= m->backend.packages || a->space != PMON_SPACE_MSR || a->offset > UINT32_MAX) {
    snprintf(m->reason.text, sizeof m->reason.text, "package %" PRIu32 " has no MSR 0x%" PRIx64, a->package, a->offset);
    return PMON_E_NO_DEVICE;
  }
  const uint32_t online = m->system.packages[a->package].online_cpus;
  if (a->device && online > MSR_THREADS) {
    snprintf(
        m->reason.text, sizeof m->reason.text,
        "package %" PRIu32 " has %" PRIu32
        " hardware threads, and the registers of at most %d can be read: Linux perf counts on all (--backend perf)",
        a->package, online, MSR_THREADS);
    return PMON_E_NO_DEVICE;
  }
  if (a->device && (a->device > MSR_THREADS || m->thread[a->package][a->device - 1].fd < 0)) {
    snprintf(m->reason.text, sizeof m->reason.text, "package %" PRIu32 " has no hardware thread %" PRIu32, a->package,
             a->device - 1);
    return PMON_E_NO_DEVICE;
  }
  return 0;
}

static ssize_t transfer(const struct msr *m, const struct pmon_address *a, bool write, uint64_t *value)
{
  const int fd = msr_fd(m, a);
  return write ? pwrite(fd, value, sizeof *value, (off_t)a->offset) : pread(fd, value, sizeof *value, (off_t)a->offset);
}

static int access_msr(struct msr *m, const struct pmon_address *a, bool write, uint64_t *value)
{
  const char *what = write ? "write" : "read";
  int status = msr_check_address(m, a);
  if (status)
    return status;
  ssize_t n = transfer(m, a, write, value);
  const bool offline = is_offline(n);
  if (offline && a->device)
    snprintf(m->reason.text, sizeof m->reason.text, "the register belongs to that CPU only");
  if (offline && (a->device || !change_cpu(m, a->package)))
    return fail_offline(m, a, what);
  if (offline)
    n = transfer(m, a, write, value);
  if (n == sizeof *value)
    return 0;
  /* An access to an absent register faults, which the module reports as EIO. */
  const bool absent = !write && n < 0 && errno == EIO;
  status = msr_fail(m, a, what, n);
  return absent ? PMON_E_NO_DEVICE : status;
}

static int msr_read(struct pmon_backend *b, const struct pmon_address *a, uint64_t *ret_value)
{
  uint64_t value;
  int status = access_msr(msr_backend(b), a, false, &value);
  if (!status)
    *ret_value = value;
  return status;
}

static int msr_write(struct pmon_backend *b, const struct pmon_address *a, uint64_t value)
{
  return access_msr(msr_backend(b), a, true, &value);
}

static int msr_wait(struct pmon_backend *b, uint64_t until_ns, uint64_t *ret_now_ns, bool *ret_ended)
{
  return system_wait(&msr_backend(b)->system, until_ns, ret_now_ns, ret_ended);
}

/* Reads through the batch; reads that it did not perform, or all without a batch, are made one by one. */
static void msr_sweep(struct pmon_backend *b, struct pmon_read *reads, uint32_t n)
{
  struct msr *m = msr_backend(b);
  for (uint32_t i = 0; i < n; i++)
    reads[i].status = msr_check_address(m, &reads[i].address) ? PMON_E_NO_DEVICE : BATCH_PENDING;
  for (uint32_t i = 0; m->batch.fd >= 0 && i < n; i++)
    if (reads[i].status == BATCH_PENDING)
      batch_add(&m->batch, msr_cpu(m, &reads[i].address), &reads[i]);
  batch_read(&m->batch);
  for (uint32_t i = 0; i < n; i++)
    if (reads[i].status == BATCH_PENDING)
      reads[i].status = msr_read(b, &reads[i].address, &reads[i].value);
}

static void msr_close(struct pmon_backend *b)
{
  struct msr *m = msr_backend(b);
  for (uint32_t i = 0; i < b->packages; i++) {
    if (m->use[i].fd >= 0)
      close(m->use[i].fd);
    if (m->spare[i].fd >= 0)
      close(m->spare[i].fd);
    for (uint32_t k = 0; k < MSR_THREADS; k++)
      if (m->thread[i][k].fd >= 0)
        close(m->thread[i][k].fd);
  }
  batch_close(&m->batch);
  free(m);
}

static int msr_open(const struct system *s, struct pmon_reason *reason, struct pmon_backend **ret_backend)
{
  static const struct pmon_backend_ops ops = {sizeof ops, "msr", msr_read, msr_write, msr_wait, msr_close};
  struct msr *m = calloc(1, sizeof *m);
  int status = 0;
  if (!m)
    return PMON_E_MEMORY;
  m->backend = (struct pmon_backend){.ops = &ops, .packages = s->n_packages, .sweep = msr_sweep};
  m->system = *s;
  for (uint32_t i = 0; i < s->n_packages; i++)
    m->use[i].fd = m->spare[i].fd = -1;
  for (uint32_t i = 0; i < s->n_packages * MSR_THREADS; i++)
    m->thread[i / MSR_THREADS][i % MSR_THREADS].fd = -1;
  batch_open(&m->batch, s);
  for (uint32_t i = 0; !status && i < s->n_packages; i++) {
    m->use[i].cpu = s->packages[i].cpu;
    status = open_cpu(m, m->use[i].cpu, &m->use[i].fd);
  }
  for (uint32_t i = 0; !status && i < s->n_packages; i++)
    open_spare(m, i);
  for (uint32_t i = 0; !status && i < s->n_packages; i++)
    open_threads(m, i);
  if (!status) {
    *ret_backend = &m->backend;
    return 0;
  }
  *reason = m->reason;
  msr_close(&m->backend);
  return status;
}

static int msr_lock_fd(const struct pmon_backend *b)
{
  return ((const struct msr *)(const void *)b)->use[0].fd;
}

const struct access_method access_method_msr = {"msr", "model-specific registers: /dev/cpu/N/msr or msr_safe", NEEDS,
                                                msr_open, msr_lock_fd};
