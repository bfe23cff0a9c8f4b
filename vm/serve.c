/* SPDX-License-Identifier: MIT */
/*
 * One loop over all messages of QEMU: stops at MSR accesses, configuration accesses of each function, serial lines.
 *
 * The guest starts in the stopped state. With the default userland it boots without breakpoints, because the hundreds
 * of MSR accesses of a boot do not concern the machine. When init reports that it is ready, the guest is stopped, the
 * breakpoints are set, and init continues. With a user-supplied file system the breakpoints are set from the start.
 */
#include "vm/serve.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <pmon/status.h>
#include "vm/later.h"
#include "vm/port.h"
#include "vm/ready.h"
#include "vm/talk.h"

#define FOLLOW_FS UINT64_C(100000000000) /* 100 us */
enum { POLL_MS = 1000, ANSWER_S = 10 };

/* ---- the guest's processor ---- */

static int arm(struct vm *v)
{
  if (!msr_arm(&v->gdb, &v->sites))
    return vm_fail_debugger(v);
  v->stage = VM_ARMED;
  return PMON_OK;
}

/* Handles a stop of the guest. */
static int stopped(struct vm *v)
{
  bool ours = false;
  switch (v->stage) {
  case VM_STARTING: /* the answer to our question; the target description makes the registers known */
    if (!gdb_ask(&v->gdb, "qXfer:features:read:target.xml:0,ffb"))
      return vm_fail_debugger(v);
    v->stage = VM_BOOTING;
    if (v->o->initrd && arm(v))
      return PMON_E_IO;
    if (v->o->initrd && v->bus.guest)
      guest_follow(v->bus.guest);
    return gdb_send(&v->gdb, "c") ? PMON_OK : vm_fail_debugger(v);
  case VM_ARMING: return arm(v) || !gdb_send(&v->gdb, "c") ? vm_fail_debugger(v) : talk_load(v);
  default:
    v->result->stops++;
    if (!msr_serve(&v->gdb, &v->sites, &v->bus, &ours))
      return vm_fail_debugger(v);
    v->result->answered += ours;
    return PMON_OK;
  }
}

static void hang_up(struct vm *v, unsigned end)
{
  close(v->qemu.end[end]);
  v->qemu.end[end] = -1;
}

static int processor_spoke(struct vm *v)
{
  if (!gdb_receive(&v->gdb)) {
    hang_up(v, QEMU_GDB);
    v->gdb.fd = -1;
    return PMON_OK;
  }
  while (gdb_next(&v->gdb)) {
    if (v->gdb.packet[0] != 'T' && v->gdb.packet[0] != 'S')
      continue;
    int status = stopped(v);
    if (status)
      return status;
  }
  return PMON_OK;
}

/* ---- serial lines ---- */

static int serial_spoke(struct vm *v, unsigned i)
{
  char bytes[4096];
  ssize_t n = read(v->qemu.end[QEMU_SERIAL + i], bytes, sizeof bytes);
  if (n < 0 && errno == EINTR)
    return PMON_OK;
  if (n > 0 && i == 0)
    return talk_receive(v, bytes, (size_t)n);
  if (n > 0) {
    vm_output(v, (enum vm_stream)i, bytes, (size_t)n);
    return PMON_OK;
  }
  if (i == 0)
    talk_flush(v);
  hang_up(v, QEMU_SERIAL + i);
  return PMON_OK;
}

/* Handles a report of QEMU's monitor while a snapshot is saved or loaded. */
static int monitor_reports(struct vm *v, enum monitor_report report)
{
  const int end = v->qemu.end[QEMU_MONITOR];
  switch (v->stage) {
  case VM_SAVING:
    if (report == MONITOR_FAILED)
      return vm_fail(v, PMON_E_IO, "QEMU cannot save the guest");
    if (report == MONITOR_COMPLETED)
      return (v->saved = monitor_quit(end)) ? PMON_OK : vm_fail_debugger(v);
    return PMON_OK;
  case VM_BOOTING:
    if (report != MONITOR_RUNS || v->snapshot != QEMU_LOADS)
      return PMON_OK;
    return v->begins == SNAPSHOT_DRIVER ? talk_go(v) : v->begins == SNAPSHOT_FUNCTIONS ? talk_load(v) : talk_find(v);
  case VM_KEEPING: return later_reports(v, report);
  default: return PMON_OK;
  }
}

static int monitor_spoke(struct vm *v)
{
  enum monitor_report report;
  int status = PMON_OK;
  const bool open = monitor_receive(&v->monitor, v->qemu.end[QEMU_MONITOR]);
  while (!status && (report = monitor_next(&v->monitor)) != MONITOR_NOTHING)
    status = monitor_reports(v, report);
  if (!open)
    hang_up(v, QEMU_MONITOR);
  return status;
}

/* ---- all ---- */

/* Executes a message, and records it if there is a record. It does so before the answer, because QEMU overwrites the
 * code of this access with that of the next one. */
static uint64_t vm_carry_out(struct vm *v, struct port_message *m)
{
  const uint64_t before = v->bus.reads + v->bus.writes;
  port_carry_out(&v->bus, m);
  record_message(&v->record, m, v->bus.reads + v->bus.writes == before ? NULL : v->shared.at);
  return m->value;
}

static uint32_t vm_config_read(void *user, unsigned devfn, unsigned offset, unsigned size)
{
  struct port_message m = {.kind = PORT_CONFIG_READ, .processor = devfn, .address = offset, .size = size};
  return (uint32_t)vm_carry_out(user, &m);
}

static void vm_config_write(void *user, unsigned devfn, unsigned offset, unsigned size, uint32_t value)
{
  struct port_message m = {
      .kind = PORT_CONFIG_WRITE, .processor = devfn, .address = offset, .size = size, .value = value};
  vm_carry_out(user, &m);
}

static uint64_t vm_bar_read(void *user, unsigned devfn, uint64_t address, unsigned size)
{
  struct port_message m = {.kind = PORT_BAR_READ, .processor = devfn, .address = address, .size = size};
  return vm_carry_out(user, &m);
}

static int function_spoke(struct vm *v, unsigned i)
{
  const bool uncore = i < v->bus.n;
  const struct proxy_function of_uncore = {vm_config_read, vm_config_write, v, vm_bar_read},
                              of_slot = {slot_config_read, slot_config_write,
                                         uncore ? NULL : &v->slots.slot[i - v->bus.n], NULL};
  int status = proxy_serve(v->qemu.end[QEMU_FUNCTION + i], uncore ? &of_uncore : &of_slot, uncore ? v->bus.devfn[i] : 0,
                           v->error, v->error_size);
  if (status == PMON_E_NO_DEVICE) {
    hang_up(v, QEMU_FUNCTION + i);
    return PMON_OK;
  }
  return status;
}

static int port_spoke(struct vm *v, unsigned i)
{
  const int end = v->qemu.end[QEMU_PORT + i];
  struct port_message m;
  int status = port_receive(end, &m, v->error, v->error_size);
  if (!status) {
    vm_carry_out(v, &m);
    vm_count_msr(v, &m);
    status = port_reply(end, &m);
  }
  if (status != PMON_E_NO_DEVICE)
    return status;
  hang_up(v, QEMU_PORT + i);
  return PMON_OK;
}

/* Processes a limited number of the guest's accesses, so that other messages are served as well. */
static int follow(struct vm *v)
{
  guest_quiet(v->bus.guest);
  return bus_follow(&v->bus, machine_now_fs(v->bus.machine) + FOLLOW_FS, &v->behind)
             ? vm_fail(v, v->bus.status, v->bus.error)
             : PMON_OK;
}

static int dispatch(struct vm *v, unsigned i)
{
  if (i == QEMU_GDB)
    return processor_spoke(v);
  if (i == QEMU_MONITOR)
    return monitor_spoke(v);
  if (i < QEMU_PORT)
    return serial_spoke(v, i - QEMU_SERIAL);
  return i < QEMU_FUNCTION ? port_spoke(v, i - QEMU_PORT) : function_spoke(v, i - QEMU_FUNCTION);
}

/* Monotonic: changes of the system time do not affect it. */
static time_t now_s(void)
{
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec;
}

/* At the time limit, pmon requests the processes from its init; when init has answered, or does not answer, the run
 * fails. */
static int time_out(struct vm *v, time_t *until)
{
  static const char *const stages[] = {"it had not started",
                                       "it was booting",
                                       "the breakpoints were being set",
                                       "the functions were being looked up",
                                       "the driver was being loaded",
                                       "the command was running",
                                       "it was being saved",
                                       "it was being saved"};
  char *text;
  if (!v->asked && v->stage == VM_ARMED && !v->o->initrd && v->qemu.end[QEMU_SERIAL] >= 0) {
    v->asked = true;
    *until += ANSWER_S;
    return write(v->qemu.end[QEMU_SERIAL], "processes\n", 10) == 10 ? PMON_OK : vm_fail_debugger(v);
  }
  if (v->line_n)
    talk_flush(v);
  text = where_format(&v->where, &v->bus,
                      v->o->initrd && v->stage == VM_ARMED ? "its init was running" : stages[v->stage]);
  if (text)
    vm_output(v, VM_REPORT, text, strlen(text));
  free(text);
  snprintf(v->error, v->error_size, "the guest did not exit within the time limit of %u s; raise --timeout",
           v->o->timeout_s);
  v->result->end = VM_TIMED_OUT;
  return PMON_E_STATE;
}

/* The guest's own accesses are processed first. Messages that arrived at the same time are answered in the order of the
 * ends. */
static int serve_all(struct vm *v, int all)
{
  const unsigned n = v->qemu.n;
  bool ready[QEMU_ENDS + 1];
  time_t until = now_s() + v->o->timeout_s;
  int status = PMON_OK;
  for (unsigned open = n; open && !status;) {
    open = 0;
    for (unsigned i = 0; i < n; i++)
      open += v->qemu.end[i] >= 0;
    if (open && !ready_wait(all, v->behind ? 0 : POLL_MS, ready, n + 1))
      return vm_fail(v, PMON_E_IO, strerror(errno));
    if (open && (v->behind || ready[n]))
      status = follow(v);
    for (unsigned i = 0; open && i < n && !status; i++)
      if (ready[i] && v->qemu.end[i] >= 0)
        status = dispatch(v, i);
    if (!status && v->bus.status)
      status = vm_fail(v, v->bus.status, v->bus.error);
    if (!status && open && (v->listed || now_s() > until))
      status = time_out(v, &until);
  }
  return status;
}

int vm_serve(struct vm *v)
{
  int fd[QEMU_ENDS + 1];
  v->line_n = 0; /* left by an earlier run */
  v->cut = false;
  int status = v->msr_port || gdb_send(&v->gdb, "?") ? PMON_OK : vm_fail_debugger(v);
  if (!status && v->snapshot != QEMU_BOOTS)
    status = monitor_begin(v->qemu.end[QEMU_MONITOR], v->snapshot != QEMU_LOADS ? -1 : v->kept.part[v->begins])
                 ? PMON_OK
                 : vm_fail_debugger(v);
  if (status)
    return status;
  memcpy(fd, v->qemu.end, v->qemu.n * sizeof *fd);
  fd[v->qemu.n] = v->bus.guest ? guest_wake_fd(v->bus.guest) : -1;
  const int all = ready_open(fd, v->qemu.n + 1);
  if (all < 0)
    return vm_fail(v, PMON_E_IO, strerror(errno));
  status = serve_all(v, all);
  close(all);
  return status;
}
