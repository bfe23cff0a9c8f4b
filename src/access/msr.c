/* SPDX-License-Identifier: MIT */
/* Model-specific registers through the msr module's devices: eight bytes at the offset that is the register. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "system.h"

#define NEEDS "the msr module (modprobe msr), CAP_SYS_RAWIO and write permission; or the msr-safe module"

struct msr {
  struct pmon_backend backend;
  struct system system;
  int fd[SYSTEM_PACKAGES];
  uint32_t cpu[SYSTEM_PACKAGES];
  struct pmon_reason reason;
};

static struct msr *of(struct pmon_backend *b)
{
  return (struct msr *)(void *)b;
}

/* msr-safe's device is there for those who may not use the other one. */
static int open_cpu(struct msr *m, uint32_t package)
{
  static const char *const names[] = {"msr_safe", "msr"};
  const uint32_t cpu = m->system.packages[package].cpu;
  int status = PMON_E_NO_DEVICE;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    char name[64];
    struct system_file file = {.root = m->system.dev, .name = name, .needs = NEEDS, .flags = O_RDWR};
    snprintf(name, sizeof name, "cpu/%" PRIu32 "/%s", cpu, names[i]);
    status = system_open(&file, &m->reason, &m->fd[package]);
    if (!status)
      break;
  }
  m->cpu[package] = cpu;
  return status;
}

/* The CPU went offline: another one of the package speaks for it from now on. */
static bool change_cpu(struct msr *m, uint32_t package)
{
  const uint32_t id = m->system.packages[package].id, old = m->cpu[package];
  struct system now = m->system;
  system_look(&now);
  for (uint32_t i = 0; i < now.n_packages; i++)
    if (now.packages[i].id == id && now.packages[i].cpu != old) {
      if (m->fd[package] >= 0)
        close(m->fd[package]);
      m->fd[package] = -1;
      m->system.packages[package] = now.packages[i];
      return !open_cpu(m, package);
    }
  return false;
}

static int fail(struct msr *m, const struct pmon_address *a, const char *what, ssize_t n)
{
  const int error = errno;
  const char *why = n >= 0 ? "the transfer was cut short" : error == EIO ? "the processor refused the access"
                                                                          : strerror(error);
  snprintf(m->reason.text, sizeof m->reason.text, "%s MSR 0x%" PRIx64 " on CPU %" PRIu32 ": %s", what, a->offset,
           m->cpu[a->package], why);
  m->backend.error_text = m->reason.text;
  return n >= 0 ? PMON_E_IO : system_status(error);
}

static int check(struct msr *m, const struct pmon_address *a)
{
  m->backend.error_text = m->reason.text;
  if (a->package >= m->backend.packages || a->space != PMON_SPACE_MSR || a->offset > UINT32_MAX) {
    snprintf(m->reason.text, sizeof m->reason.text, "package %" PRIu32 " has no MSR 0x%" PRIx64, a->package, a->offset);
    return PMON_E_NO_DEVICE;
  }
  return 0;
}

static int msr_read(struct pmon_backend *b, const struct pmon_address *a, uint64_t *ret_value)
{
  struct msr *m = of(b);
  uint64_t value;
  int status = check(m, a);
  if (status)
    return status;
  ssize_t n = pread(m->fd[a->package], &value, sizeof value, (off_t)a->offset);
  if (n < 0 && (errno == ENXIO || errno == ENODEV || errno == EBADF) && change_cpu(m, a->package))
    n = pread(m->fd[a->package], &value, sizeof value, (off_t)a->offset);
  if (n != sizeof value) {
    /* A register that the processor does not have faults, which the module reports as EIO. */
    bool absent = n < 0 && errno == EIO;
    status = fail(m, a, "cannot read", n);
    return absent ? PMON_E_NO_DEVICE : status;
  }
  *ret_value = value;
  return 0;
}

static int msr_write(struct pmon_backend *b, const struct pmon_address *a, uint64_t value)
{
  struct msr *m = of(b);
  int status = check(m, a);
  if (status)
    return status;
  ssize_t n = pwrite(m->fd[a->package], &value, sizeof value, (off_t)a->offset);
  if (n < 0 && (errno == ENXIO || errno == ENODEV || errno == EBADF) && change_cpu(m, a->package))
    n = pwrite(m->fd[a->package], &value, sizeof value, (off_t)a->offset);
  return n == sizeof value ? 0 : fail(m, a, "cannot write", n);
}

static int msr_wait(struct pmon_backend *b, uint64_t until_ns, uint64_t *ret_now_ns, bool *ret_ended)
{
  return system_wait(&of(b)->system, until_ns, ret_now_ns, ret_ended);
}

static void msr_close(struct pmon_backend *b)
{
  struct msr *m = of(b);
  for (uint32_t i = 0; i < b->packages; i++)
    if (m->fd[i] >= 0)
      close(m->fd[i]);
  free(m);
}

static int msr_open(const struct system *s, struct pmon_reason *reason, struct pmon_backend **ret_backend)
{
  static const struct pmon_backend_ops ops = {"msr", msr_read, msr_write, msr_wait, msr_close};
  struct msr *m = calloc(1, sizeof *m);
  if (!m)
    return PMON_E_MEMORY;
  m->backend = (struct pmon_backend){.ops = &ops, .packages = s->n_packages};
  m->system = *s;
  memset(m->fd, -1, sizeof m->fd);
  int status = 0;
  for (uint32_t i = 0; !status && i < s->n_packages; i++)
    status = open_cpu(m, i);
  if (!status) {
    *ret_backend = &m->backend;
    return 0;
  }
  *reason = m->reason;
  msr_close(&m->backend);
  return status;
}

const struct door door_msr = {"msr", "model-specific registers: /dev/cpu/N/msr or msr_safe", NEEDS, msr_open};
