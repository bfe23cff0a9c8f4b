/* SPDX-License-Identifier: MIT */
#include "src/access/function.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { HEADER = 64, BAR_0 = 0x10, BARS = 6, EXT_CAP = 0x100, EXT_CAP_DISCOVERY = 0x23, CAPS_MAX = 96 };

void function_name(const struct function *f, char name[FUNCTION_NAME])
{
  snprintf(name, FUNCTION_NAME, "%04x:%02x:%02x.%x", f->domain, f->bus, f->devfn >> 3, f->devfn & 7u);
}

/* A wrong table is not used: the header must read the same through both methods. */
void function_map(struct function_ways *w, struct function *f)
{
  uint32_t id, class_code;
  if (f->at || !w->ecam.n || pread(f->fd, &id, 4, 0) != 4 || pread(f->fd, &class_code, 4, 8) != 4)
    return;
  uint64_t id_there = 0, class_there = 0;
  f->at = ecam_map(&w->ecam, f->domain, f->bus, f->devfn);
  if (f->at && (!guard_read(&w->guard, f->at, 32, &id_there) || !guard_read(&w->guard, f->at + 2, 32, &class_there) ||
                id_there != id || class_there != class_code)) {
    munmap((void *)(uintptr_t)f->at, ECAM_PAGE);
    f->at = NULL;
  }
}

int function_open(struct function_ways *w, struct function *f)
{
  char path[64], name[FUNCTION_NAME];
  struct system_file file = {.root = w->system.sys, .name = path, .needs = FUNCTION_NEEDS, .flags = O_RDWR};
  if (f->fd >= 0)
    return 0;
  function_name(f, name);
  snprintf(path, sizeof path, "bus/pci/devices/%s/config", name);
  int status = system_open(&file, &w->reason, &f->fd);
  if (status == PMON_E_PERMISSION) {
    file.flags = O_RDONLY; /* enough for reads; a write then fails with EBADF */
    status = system_open(&file, &w->reason, &f->fd);
  }
  return status;
}

void function_close(struct function *f)
{
  if (f->at)
    munmap((void *)(uintptr_t)f->at, ECAM_PAGE);
  if (f->fd >= 0)
    close(f->fd);
  f->at = NULL;
  f->fd = -1;
}

static void function_write_reason(struct function_ways *w, const struct function *f, uint64_t offset, const char *why)
{
  char name[FUNCTION_NAME];
  function_name(f, name);
  snprintf(w->reason.text, sizeof w->reason.text, "configuration space of %s at 0x%" PRIx64 ": %.300s", name, offset,
           why);
}

/* Returns the status of a failed transfer of one dword, and writes its reason. */
static int transfer_failed(struct function_ways *w, const struct function *f, uint64_t offset, ssize_t n)
{
  const int error = errno;
  struct stat st = {0};
  bool hidden = n == 0 && offset >= HEADER && !fstat(f->fd, &st) && (uint64_t)st.st_size > offset;
  bool readonly = n < 0 && error == EBADF;
  function_write_reason(w, f, offset,
                        hidden     ? "only its header is readable; the rest needs " FUNCTION_NEEDS
                        : readonly ? "it is read-only; writing needs " FUNCTION_NEEDS
                        : n >= 0   ? "the transfer was incomplete"
                                   : strerror(error));
  return hidden || readonly ? PMON_E_PERMISSION : n >= 0 ? PMON_E_IO : system_status(error);
}

static int vanished(struct function_ways *w, const struct function *f, uint64_t offset)
{
  function_write_reason(w, f, offset, "the device was removed during the access (SIGBUS)");
  return PMON_E_NO_DEVICE;
}

int function_read(struct function_ways *w, struct function *f, uint64_t offset, uint32_t *ret_value)
{
  uint32_t value;
  uint64_t there = 0;
  int status = function_open(w, f);
  if (status)
    return status;
  if (f->at && offset < ECAM_PAGE) {
    const bool answered = guard_read(&w->guard, f->at + offset / 4, 32, &there);
    *ret_value = (uint32_t)there;
    return answered ? 0 : vanished(w, f, offset);
  }
  ssize_t n = pread(f->fd, &value, sizeof value, (off_t)offset);
  if (n != sizeof value)
    return transfer_failed(w, f, offset, n);
  *ret_value = value;
  return 0;
}

int function_write(struct function_ways *w, struct function *f, uint64_t offset, uint32_t value)
{
  int status = function_open(w, f);
  if (status)
    return status;
  if (f->at && offset < ECAM_PAGE)
    return guard_write(&w->guard, f->at + offset / 4, 32, value) ? 0 : vanished(w, f, offset);
  ssize_t n = pwrite(f->fd, &value, sizeof value, (off_t)offset);
  return n == sizeof value ? 0 : transfer_failed(w, f, offset, n);
}

/* Offsets in the chain of capabilities are not trusted: its length is bounded. */
int function_page(struct function_ways *w, struct function *f)
{
  uint32_t at = EXT_CAP, head, entry, bir;
  for (int i = 0; i < CAPS_MAX && at >= EXT_CAP && at % 4 == 0; i++) {
    if (pread(f->fd, &head, sizeof head, (off_t)at) != sizeof head || !head || head == UINT32_MAX)
      return -1; /* most functions have no extended space */
    if ((head & 0xffff) == EXT_CAP_DISCOVERY && at + 16 <= ECAM_PAGE && !function_read(w, f, at + 8, &entry) &&
        (entry & 0xffff) == 1 && !function_read(w, f, at + 12, &bir))
      return (int)(bir & 7);
    at = head >> 20;
  }
  return -1;
}

uint64_t function_bar(struct function_ways *w, struct function *f, unsigned bar)
{
  uint32_t low = 0, high = 0;
  if (bar >= BARS || function_read(w, f, BAR_0 + 4 * (uint64_t)bar, &low) || low & 1)
    return 0;
  if ((low & 6) == 4 && (bar == BARS - 1 || function_read(w, f, BAR_0 + 4 + 4 * (uint64_t)bar, &high)))
    return 0;
  return ((uint64_t)high << 32 | low) & ~UINT64_C(0xf);
}
