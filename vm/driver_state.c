/* SPDX-License-Identifier: MIT */
#include "vm/driver_state.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <pmon/status.h>
#include "machine/pmon/save.h"
#include "vm/serve.h"
#include "vm/talk.h"

/* The registers' contents, as a machine without faults begins with them. */
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

/* As the guest gets it: the user's file may be another one by now. Without one the state behind the boot has it. */
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

/* All that the loading of the driver depends on; 0: what is asked has other answers in each run. */
static uint64_t driver_key(const struct vm *v, uint64_t key)
{
  const uint64_t numbers[] = {v->o->lenient, v->o->module != NULL, v->bus.n};
  if (v->o->access_ns || v->o->gdb_port || v->bus.guest || !v->shared.at || machine_fault_count(v->o->machine))
    return 0;
  key = snapshot_key(key, numbers, sizeof numbers);
  key = snapshot_key(key, v->bus.devfn, v->bus.n * sizeof *v->bus.devfn);
  return key_of_driver(v, &key) && key_of_registers(v, &key) ? key : 0;
}

int driver_state_open(struct vm *v, uint64_t key)
{
  v->driver_key = driver_key(v, key);
  if (!v->driver_key)
    return PMON_OK;
  if (!snapshot_open_driver(&v->kept, v->driver_key)) {
    const int part = v->kept.part[SNAPSHOT_DRIVER]; /* the record is behind QEMU's stream */
    v->driver_loads = record_read(&v->record, part, snapshot_size(part)) && record_fits(&v->record, &v->bus);
    if (v->driver_loads)
      return PMON_OK;
    snapshot_close_driver(&v->kept);
  }
  record_begin(&v->record);
  return PMON_OK;
}

static void repeat_message(void *user, const struct port_message *m)
{
  vm_count_msr(user, m);
}

static void repeat_text(void *user, const char *bytes, size_t n)
{
  vm_output(user, VM_CONSOLE, bytes, n);
}

int driver_state_repeat(struct vm *v)
{
  const struct record_repeated on = {repeat_message, repeat_text, v};
  if (!v->driver_loads)
    return PMON_OK;
  const bool same = record_repeat(&v->record, &v->bus, &on);
  record_free(&v->record);
  if (v->bus.status)
    return vm_fail(v, v->bus.status, v->bus.error);
  if (same)
    return PMON_OK;
  snapshot_remove_driver(&v->kept); /* this machine has been asked already: only the next one can load the driver */
  snprintf(v->error, v->error_size,
           "--snapshot %s.driver: this machine answers the driver otherwise; the state is removed: run it again",
           v->kept.path);
  return PMON_E_STATE;
}

/* What is wrong does not concern the guest, which goes on without it. */
static void report_failure(struct vm *v, const char *why)
{
  char text[PATH_MAX + 200];
  const int n = snprintf(text, sizeof text, "--snapshot %s.driver: no state of the loaded driver was made: %s\n",
                         v->kept.path, why);
  vm_output(v, VM_REPORT, text, (size_t)n);
}

bool driver_state_save(struct vm *v)
{
  if (!v->record.on || machine_now_fs(v->o->machine)) /* a scenario, which is no part of the key, may have begun */
    return false;
  if (snapshot_create_driver(&v->kept)) {
    report_failure(v, strerror(errno));
    return false;
  }
  v->stage = VM_KEEPING;
  return monitor_save(v->qemu.end[QEMU_MONITOR], v->kept.part[SNAPSHOT_DRIVER]);
}

/* The guest stands, so that the record has all that it has asked. */
static bool keep(struct vm *v)
{
  const int part = v->kept.part[SNAPSHOT_DRIVER];
  errno = ENOMEM;
  return !v->record.failed && lseek(part, 0, SEEK_END) >= 0 && record_write(&v->record, part) &&
         !snapshot_keep_driver(&v->kept, v->driver_key);
}

/* The state is all there, or cannot be had; the guest goes on in either case. */
static int driver_state_end(struct vm *v, bool saved)
{
  if (!saved)
    report_failure(v, "QEMU cannot save the guest");
  else if (!keep(v))
    report_failure(v, errno == EEXIST ? "the file is there and is no guest's state; remove it" : strerror(errno));
  snapshot_close_driver(&v->kept);
  record_free(&v->record);
  if (!monitor_continue(v->qemu.end[QEMU_MONITOR]))
    return vm_fail_debugger(v);
  return saved ? PMON_OK : talk_go(v); /* one that was not saved may have run all the time */
}

int driver_state_reports(struct vm *v, enum monitor_report report)
{
  if (v->record.on && (report == MONITOR_COMPLETED || report == MONITOR_FAILED))
    return driver_state_end(v, report == MONITOR_COMPLETED);
  if (v->record.on)
    return PMON_OK;
  if (report == MONITOR_FAILED) /* QEMU refuses for a moment after its report that all is saved */
    return monitor_continue(v->qemu.end[QEMU_MONITOR]) ? PMON_OK : vm_fail_debugger(v);
  return report == MONITOR_RUNS ? talk_go(v) : PMON_OK;
}
