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
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <pmon/status.h>
#include "vm/initramfs.h"
#include "vm/module.h"
#include "vm/port.h"
#include "vm/ready.h"

#define FOLLOW_FS UINT64_C(100000000000)                   /* 100 us */
enum { POLL_MS = 1000, ANSWER_S = 10, NAMES_MOST = 3600 }; /* NAMES_MOST: a terminal's line has at most 4096 bytes */

int vm_fail(struct vm *v, int status, const char *why)
{
  snprintf(v->error, v->error_size, "%s", why);
  return status;
}

static int vm_fail_debugger(struct vm *v)
{
  return vm_fail(v, PMON_E_IO, "QEMU's debugger interface gave an unexpected answer");
}

static void vm_output(struct vm *v, enum vm_stream stream, const char *bytes, size_t n)
{
  if (stream == VM_CONSOLE)
    where_console(&v->where, bytes, n);
  if (v->o->output && n)
    v->o->output(v->o->user, stream, bytes, n);
}

/* ---- the guest's processor ---- */

static int arm(struct vm *v)
{
  if (!msr_arm(&v->gdb, &v->sites))
    return vm_fail_debugger(v);
  v->stage = VM_ARMED;
  return PMON_OK;
}

static int vm_write(struct vm *v, unsigned end, const char *bytes, size_t n)
{
  return write(v->qemu.end[end], bytes, n) == (ssize_t)n ? PMON_OK : vm_fail_debugger(v);
}

/* Bytes of the files that a guest of a snapshot gets when it goes on, unless its command comes by line. */
static int count_files(struct vm *v, uint64_t *ret_n)
{
  struct stat is;
  *ret_n = 0;
  if (v->snapshot != QEMU_LOADS || v->files.line)
    return PMON_OK;
  if (fstat(v->files.fd, &is) || is.st_size > (off_t)GUEST_FILES_MOST_MB << 20)
    return vm_fail(v, PMON_E_INVALID, "--snapshot: --with and --module name more than 31 MB; omit one of them");
  *ret_n = (uint64_t)is.st_size;
  return PMON_OK;
}

/* The functions that lead to discovery pages, each behind a space. */
static void name_pages(const struct bus *b, char *text, size_t size)
{
  size_t n = 0;
  *text = 0;
  for (unsigned i = 0; i < b->shape.sockets; i++) {
    const unsigned devfn = b->bar[i].devfn;
    if (devfn != UINT_MAX && n < size)
      n += (size_t)snprintf(text + n, size - n, " 0000:%02x:%02x.%x", bus_system_number(b, devfn), devfn >> 3 & 31,
                            devfn & 7);
  }
}

/* Init waits for a line: initramfs.h. */
static int set_off(struct vm *v)
{
  const char *line = v->snapshot == QEMU_LOADS && v->files.line ? v->files.line : "";
  char text[INITRAMFS_TYPED + 200], devices[KIND_SOCKETS * 16];
  unsigned lines = 0;
  uint64_t n;
  if (v->bus.guest)
    guest_follow(v->bus.guest);
  v->stage = VM_ARMED;
  const int status = count_files(v, &n);
  if (status)
    return status;
  for (const char *at = line; (at = strchr(at, '\n')); at++)
    lines++;
  name_pages(&v->bus, devices, sizeof devices);
  snprintf(text, sizeof text, "go %" PRIu64 " %u %s%s\n%s", n, lines, v->bus.callers ? "sections" : "-", devices, line);
  return vm_write(v, QEMU_SERIAL, text, strlen(text));
}

/* The guest is stopped. */
static int stopped(struct vm *v)
{
  bool ours = false;
  switch (v->stage) {
  case VM_STARTING: /* the answer to our question; the description makes registers known */
    if (!gdb_ask(&v->gdb, "qXfer:features:read:target.xml:0,ffb"))
      return vm_fail_debugger(v);
    v->stage = VM_BOOTING;
    if (v->o->initrd && arm(v))
      return PMON_E_IO;
    if (v->o->initrd && v->bus.guest)
      guest_follow(v->bus.guest);
    return gdb_send(&v->gdb, "c") ? PMON_OK : vm_fail_debugger(v);
  case VM_ARMING: return arm(v) || !gdb_send(&v->gdb, "c") ? vm_fail_debugger(v) : set_off(v);
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

/* Forwards a line that is not from init. */
static void hand_on(struct vm *v, bool ended)
{
  vm_output(v, VM_CONSOLE, v->line, v->line_n);
  if (ended)
    vm_output(v, VM_CONSOLE, "\n", 1);
  v->line_n = 0;
  v->cut = !ended;
}

/* Init waits for a line: what it is to look up of its kernel. */
static int vm_ask_names(struct vm *v)
{
  char line[NAMES_MOST] = "";
  if (v->o->callers)
    callers_wanted(v->o->callers, line, sizeof line - 1);
  strcat(line, "\n");
  return write(v->qemu.end[QEMU_SERIAL], line, strlen(line)) == (ssize_t)strlen(line) ? PMON_OK : vm_fail_debugger(v);
}

static int take_line(struct vm *v)
{
  const size_t mark = sizeof GUEST_MARK - 1;
  v->line[v->line_n] = 0;
  if (v->cut || strncmp(v->line, GUEST_MARK, mark)) {
    const bool refused = !v->cut && v->o->module && module_refused(v->o->module, v->line, v->error, v->error_size);
    hand_on(v, true);
    v->result->end = refused ? VM_PANICKED : v->result->end; /* what comes later would not test it */
    return refused ? PMON_E_STATE : PMON_OK;
  } else if (!strcmp(v->line + mark, "ready") && v->stage == VM_BOOTING) {
    if (v->snapshot == QEMU_SAVES) {
      v->stage = VM_SAVING;
      return monitor_save(v->qemu.end[QEMU_MONITOR], v->kept.part[SNAPSHOT_STREAM]) ? PMON_OK : vm_fail_debugger(v);
    }
    if (v->msr_port)
      return set_off(v);
    v->stage = VM_ARMING;
    return gdb_interrupt(&v->gdb) ? PMON_OK : vm_fail_debugger(v);
  } else if (!strncmp(v->line + mark, "exit ", 5) && !v->ended) { /* the guest waits for no other answer */
    v->result->exit_code = atoi(v->line + mark + 5);
    v->ended = true;
    return vm_ask_names(v);
  } else if (!strncmp(v->line + mark, "symbol ", 7)) {
    if (v->o->callers && v->ended)
      symbols_add_guest(callers_symbols(v->o->callers), v->line + mark + 7);
  } else if (!strncmp(v->line + mark, "section ", 8)) {
    if (v->bus.callers && !v->ended)
      callers_place(v->bus.callers, v->line + mark + 8);
  } else if (!strncmp(v->line + mark, "process ", 8)) {
    where_process(&v->where, v->line + mark + 8);
  } else if (!strcmp(v->line + mark, "listed")) {
    v->listed = true;
  }
  return PMON_OK;
}

static int console_spoke(struct vm *v, const char *bytes, size_t n)
{
  for (size_t i = 0; i < n; i++) {
    if (bytes[i] == '\r')
      continue;
    if (bytes[i] != '\n') {
      if (v->line_n + 1 == sizeof v->line)
        hand_on(v, false);
      v->line[v->line_n++] = bytes[i];
      continue;
    }
    int status = take_line(v);
    v->line_n = 0;
    if (status)
      return status;
  }
  return PMON_OK;
}

static int serial_spoke(struct vm *v, unsigned i)
{
  char bytes[4096];
  ssize_t n = read(v->qemu.end[QEMU_SERIAL + i], bytes, sizeof bytes);
  if (n < 0 && errno == EINTR)
    return PMON_OK;
  if (n > 0 && i == 0)
    return console_spoke(v, bytes, (size_t)n);
  if (n > 0) {
    vm_output(v, (enum vm_stream)i, bytes, (size_t)n);
    return PMON_OK;
  }
  if (i == 0)
    hand_on(v, false);
  hang_up(v, QEMU_SERIAL + i);
  return PMON_OK;
}

static int monitor_spoke(struct vm *v)
{
  enum monitor_report report;
  bool open = monitor_receive(&v->monitor, v->qemu.end[QEMU_MONITOR]);
  while ((report = monitor_next(&v->monitor)) != MONITOR_NOTHING) {
    if (report == MONITOR_FAILED && v->stage == VM_SAVING)
      return vm_fail(v, PMON_E_IO, "QEMU cannot save the guest");
    if (report == MONITOR_COMPLETED && v->stage == VM_SAVING) {
      v->saved = true;
      open = open && monitor_quit(v->qemu.end[QEMU_MONITOR]);
    }
    if (report == MONITOR_RUNS && v->snapshot == QEMU_LOADS && v->stage == VM_BOOTING) {
      const int status = set_off(v);
      if (status)
        return status;
    }
  }
  if (!open)
    hang_up(v, QEMU_MONITOR);
  return PMON_OK;
}

/* ---- all ---- */

static int function_spoke(struct vm *v, unsigned i)
{
  const bool uncore = i < v->bus.n;
  const struct proxy_function of_uncore = {bus_config_read, bus_config_write, &v->bus, bus_bar_read},
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
  struct port_served served;
  int status = port_serve(v->qemu.end[QEMU_PORT + i], &v->bus, v->error, v->error_size, &served);
  if (status == PMON_E_NO_DEVICE) {
    hang_up(v, QEMU_PORT + i);
    return PMON_OK;
  }
  v->result->stops += served.msr;
  v->result->answered += served.msr && served.ours;
  return status;
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

/* At the time limit pmon's init is asked for the processes; when it has answered, or does not, the run fails. */
static int time_out(struct vm *v, time_t *until)
{
  static const char *const stages[] = {"it had not started", "it booted", "the breakpoints were set", "the command ran",
                                       "it was saved"};
  char *text;
  if (!v->asked && v->stage == VM_ARMED && !v->o->initrd && v->qemu.end[QEMU_SERIAL] >= 0) {
    v->asked = true;
    *until += ANSWER_S;
    return write(v->qemu.end[QEMU_SERIAL], "processes\n", 10) == 10 ? PMON_OK : vm_fail_debugger(v);
  }
  if (v->line_n)
    hand_on(v, false);
  text = where_format(&v->where, &v->bus, v->o->initrd && v->stage == VM_ARMED ? "its init ran" : stages[v->stage]);
  if (text)
    vm_output(v, VM_REPORT, text, strlen(text));
  free(text);
  snprintf(v->error, v->error_size, "the guest did not exit within the time limit of %u s; raise --timeout",
           v->o->timeout_s);
  v->result->end = VM_TIMED_OUT;
  return PMON_E_STATE;
}

/* What came at the same time is answered in the order of the ends; the guest's own accesses are behind them. */
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
  v->line_n = 0; /* of a run before */
  v->cut = false;
  int status = v->msr_port || gdb_send(&v->gdb, "?") ? PMON_OK : vm_fail_debugger(v);
  if (!status && v->snapshot != QEMU_BOOTS)
    status = monitor_begin(v->qemu.end[QEMU_MONITOR], v->snapshot == QEMU_LOADS ? v->kept.part[SNAPSHOT_STREAM] : -1)
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
