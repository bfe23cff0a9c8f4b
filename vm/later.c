/* SPDX-License-Identifier: MIT */
#include "vm/later.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <pmon/status.h>
#include "machine/pmon/save.h"
#include "vm/serve.h"
#include "vm/talk.h"

/* Adds to the key the registers' contents, as a machine without faults starts with them. */
static bool key_of_registers(const struct vm *v, uint64_t *key)
{
  char *text = NULL;
  size_t n = 0;
  FILE *out = open_memstream(&text, &n);
  bool good = out && !machine_state_save(v->o->machine, out);
  good = out && !fclose(out) && good;
  if (good)
    *key = snapshot_key(*key, text, n);
  free(text);
  return good;
}

/* Adds to the key the driver as the guest gets it, because the user's file may have changed. Without a user's driver,
 * the snapshot after the boot contains the driver. */
static bool key_of_driver(const struct vm *v, uint64_t *key)
{
  struct file driver;
  if (!v->files.driver_n)
    return true;
  if (!file_map_fd(v->files.fd, v->files.driver_n, &driver))
    return false;
  *key = snapshot_key(*key, driver.bytes, driver.n);
  file_free(&driver);
  return true;
}

/* Makes the keys: of all that the kernel's scan for functions depends on, and of all that the loading of the driver
 * depends on besides. No key: the accesses have other answers in each run. */
static void make_keys(struct vm *v, uint64_t key)
{
  const uint64_t numbers[] = {v->o->lenient, v->bus.n}, given = v->o->module != NULL;
  if (v->o->gdb_port || v->bus.guest || !v->shared.at || machine_fault_count(v->o->machine))
    return;
  key = snapshot_key(key, numbers, sizeof numbers);
  key = snapshot_key(key, v->bus.devfn, v->bus.n * sizeof *v->bus.devfn);
  if (!key_of_registers(v, &key))
    return;
  v->later_key[SNAPSHOT_FUNCTIONS] = key;
  key = snapshot_key(key, &given, sizeof given);
  if (!v->o->access_ns && key_of_driver(v, &key)) /* the driver accesses registers, during which no time may pass */
    v->later_key[SNAPSHOT_DRIVER] = key;
}

/* True if the guest can start from this part. */
static bool find(struct vm *v, unsigned part)
{
  if (!v->later_key[part] || snapshot_open_later(&v->kept, part, v->later_key[part]))
    return false;
  const int fd = v->kept.part[part]; /* the record follows QEMU's stream */
  if (record_read(&v->record, fd, snapshot_size(fd)) && record_fits(&v->record, &v->bus))
    return true;
  record_free(&v->record);
  snapshot_close_later(&v->kept, part);
  return false;
}

void later_open(struct vm *v, uint64_t key)
{
  make_keys(v, key);
  for (unsigned part = SNAPSHOT_DRIVER; part >= SNAPSHOT_FUNCTIONS && v->begins == SNAPSHOT_STREAM; part--)
    if (find(v, part))
      v->begins = part;
  if (v->begins == SNAPSHOT_STREAM && v->later_key[SNAPSHOT_FUNCTIONS])
    record_begin(&v->record);
}

void later_pass(struct vm *v, unsigned part)
{
  if (part == SNAPSHOT_DRIVER || !v->later_key[SNAPSHOT_DRIVER])
    record_free(&v->record);
}

static void repeat_message(void *user, const struct port_message *m)
{
  vm_count_msr(user, m);
}

static void repeat_text(void *user, const char *bytes, size_t n)
{
  vm_output(user, VM_CONSOLE, bytes, n);
}

int later_repeat(struct vm *v)
{
  const struct record_repeated on = {repeat_message, repeat_text, v};
  if (v->begins == SNAPSHOT_STREAM)
    return PMON_OK;
  const bool same = record_repeat(&v->record, &v->bus, &on);
  v->record.on = same; /* the driver's accesses are added to it */
  later_pass(v, v->begins);
  if (v->bus.status)
    return vm_fail(v, v->bus.status, v->bus.error);
  if (same)
    return PMON_OK;
  /* This machine has already answered accesses: only the next run can start anew. */
  snapshot_remove_later(&v->kept, v->begins);
  snprintf(v->error, v->error_size,
           "--snapshot %s%s: this machine answers the %s differently; the snapshot was removed: run the command again",
           v->kept.path, snapshot_ending(v->begins), v->begins == SNAPSHOT_DRIVER ? "driver" : "kernel");
  return PMON_E_STATE;
}

/* Reports a failure that does not concern the guest, which continues without the snapshot. */
static void report_failure(struct vm *v, unsigned part, const char *why)
{
  char text[PATH_MAX + 200];
  const int n = snprintf(text, sizeof text, "--snapshot %s%s: no snapshot of the %s was made: %s\n", v->kept.path,
                         snapshot_ending(part), part == SNAPSHOT_DRIVER ? "loaded driver" : "functions", why);
  vm_output(v, VM_REPORT, text, (size_t)n);
}

bool later_save(struct vm *v, unsigned part)
{
  /* A scenario, which is no part of the key, may have begun. */
  if (!v->record.on || !v->later_key[part] || machine_now_fs(v->o->machine))
    return false;
  if (snapshot_create_later(&v->kept, part)) {
    report_failure(v, part, strerror(errno));
    return false;
  }
  v->stage = VM_KEEPING;
  v->keeps = part;
  v->written = false;
  return monitor_save(v->qemu.end[QEMU_MONITOR], v->kept.part[part]);
}

/* Keeps the snapshot, with the record of all accesses up to the save. */
static bool keep(struct vm *v)
{
  const int fd = v->kept.part[v->keeps];
  struct record until = v->record;
  until.n = v->keeps_n;
  errno = ENOMEM;
  return !until.failed && lseek(fd, 0, SEEK_END) >= 0 && record_write(&until, fd) &&
         !snapshot_keep_later(&v->kept, v->keeps, v->later_key[v->keeps]);
}

/* Continues the guest, which does not wait for the disk. */
static int go_on(struct vm *v, bool saved)
{
  const unsigned part = v->keeps;
  const int status = part == SNAPSHOT_DRIVER ? talk_go(v) : talk_load(v);
  if (!saved)
    report_failure(v, part, "QEMU cannot save the guest");
  else if (!keep(v))
    report_failure(v, part,
                   errno == EEXIST ? "the file exists and is not a guest snapshot; remove it" : strerror(errno));
  snapshot_close_later(&v->kept, part);
  later_pass(v, part);
  return status;
}

/* The snapshot is saved, or cannot be; the guest continues in either case. */
static int end_saving(struct vm *v, bool saved)
{
  v->written = true;
  v->keeps_n = v->record.n; /* the guest is stopped */
  if (!monitor_continue(v->qemu.end[QEMU_MONITOR]))
    return vm_fail_debugger(v);
  return saved ? PMON_OK : go_on(v, false); /* a guest that was not saved may never have stopped */
}

int later_reports(struct vm *v, enum monitor_report report)
{
  if (!v->written && (report == MONITOR_COMPLETED || report == MONITOR_FAILED))
    return end_saving(v, report == MONITOR_COMPLETED);
  if (!v->written)
    return PMON_OK;
  if (report == MONITOR_FAILED) /* QEMU refuses for a moment after it has reported completion */
    return monitor_continue(v->qemu.end[QEMU_MONITOR]) ? PMON_OK : vm_fail_debugger(v);
  return report == MONITOR_RUNS ? go_on(v, true) : PMON_OK;
}
