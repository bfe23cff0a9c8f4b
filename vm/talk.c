/* SPDX-License-Identifier: MIT */
#include "vm/talk.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <pmon/status.h>
#include "vm/later.h"
#include "vm/module.h"
#include "vm/serve.h"

enum { NAMES_MOST = 3600 }; /* a terminal's line has at most 4096 bytes */

static int talk_write(struct vm *v, const char *text)
{
  const size_t n = strlen(text);
  return write(v->qemu.end[QEMU_SERIAL], text, n) == (ssize_t)n ? PMON_OK : vm_fail_debugger(v);
}

/* Returns the bytes of the files that a guest with a snapshot gets when it resumes, unless its command comes by
 * line. */
static int count_files(struct vm *v, uint64_t *ret_n)
{
  struct stat is;
  *ret_n = 0;
  if (v->snapshot != QEMU_LOADS || (v->files.line && !v->files.driver_n))
    return PMON_OK;
  if (fstat(v->files.fd, &is) || is.st_size > (off_t)GUEST_FILES_MOST_MB << 20)
    return vm_fail(v, PMON_E_INVALID, "--snapshot: the files of --with and --module exceed 31 MB; omit one of them");
  *ret_n = (uint64_t)is.st_size;
  return PMON_OK;
}

/* Lists the functions that lead to discovery pages, each after a space. */
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

int talk_find(struct vm *v)
{
  char text[20 + KIND_SOCKETS * 16], devices[KIND_SOCKETS * 16];
  v->stage = VM_FINDING;
  name_pages(&v->bus, devices, sizeof devices);
  snprintf(text, sizeof text, "find%s\n", devices);
  return talk_write(v, text);
}

int talk_load(struct vm *v)
{
  char text[100];
  uint64_t n;
  if (v->bus.guest)
    guest_follow(v->bus.guest);
  v->stage = VM_LOADING;
  const int status = count_files(v, &n); /* else the driver would be loaded for nothing */
  if (status)
    return status;
  snprintf(text, sizeof text, "load %" PRIu64 "\n", v->snapshot == QEMU_LOADS ? v->files.driver_n : 0);
  return talk_write(v, text);
}

int talk_go(struct vm *v)
{
  const char *line = v->snapshot == QEMU_LOADS && v->files.line ? v->files.line : "";
  char text[INITRAMFS_TYPED + 200];
  unsigned lines = 0;
  uint64_t n;
  v->stage = VM_ARMED;
  const int status = count_files(v, &n);
  if (status)
    return status;
  for (const char *at = line; (at = strchr(at, '\n')); at++)
    lines++;
  snprintf(text, sizeof text, "go %" PRIu64 " %" PRIu64 " %u %s\n%s", lines ? 0 : n, v->files.driver_n, lines,
           v->bus.callers ? "sections" : "-", line);
  return talk_write(v, text);
}

/* Init has found the functions and waits. */
static int talk_found(struct vm *v)
{
  if (later_save(v, SNAPSHOT_FUNCTIONS))
    return PMON_OK;
  later_pass(v, SNAPSHOT_FUNCTIONS);
  return talk_load(v);
}

/* Init has loaded the driver and waits, or could not. */
static int talk_loaded(struct vm *v, int code)
{
  if (!code && later_save(v, SNAPSHOT_DRIVER))
    return PMON_OK;
  later_pass(v, SNAPSHOT_DRIVER);
  return talk_go(v);
}

/* Forwards a line that is not from init. */
static void forward_line(struct vm *v, bool ended)
{
  vm_output(v, VM_CONSOLE, v->line, v->line_n);
  if (ended)
    vm_output(v, VM_CONSOLE, "\n", 1);
  v->line_n = 0;
  v->cut = !ended;
}

void talk_flush(struct vm *v)
{
  forward_line(v, false);
}

/* Init waits for a line: the names that it must look up in its kernel. */
static int ask_names(struct vm *v)
{
  char line[NAMES_MOST] = "";
  if (v->o->callers)
    callers_wanted(v->o->callers, line, sizeof line - 1);
  strcat(line, "\n");
  return talk_write(v, line);
}

/* The guest has booted, and init waits. */
static int talk_ready(struct vm *v)
{
  if (v->snapshot == QEMU_SAVES) {
    v->stage = VM_SAVING;
    return monitor_save(v->qemu.end[QEMU_MONITOR], v->kept.part[SNAPSHOT_STREAM]) ? PMON_OK : vm_fail_debugger(v);
  }
  if (v->msr_port)
    return talk_load(v);
  v->stage = VM_ARMING;
  return gdb_interrupt(&v->gdb) ? PMON_OK : vm_fail_debugger(v);
}

static int take_line(struct vm *v)
{
  const size_t mark = sizeof GUEST_MARK - 1;
  const char *word = v->line + mark;
  v->line[v->line_n] = 0;
  if (v->cut || strncmp(v->line, GUEST_MARK, mark)) {
    const bool refused = !v->cut && v->stage == VM_LOADING && v->o->module &&
                         module_refused(v->o->module, v->line, v->error, v->error_size);
    forward_line(v, true);
    v->result->end = refused ? VM_PANICKED : v->result->end; /* later results would not test it */
    return refused ? PMON_E_STATE : PMON_OK;
  } else if (!strcmp(word, "ready") && v->stage == VM_BOOTING) {
    return talk_ready(v);
  } else if (!strcmp(word, "found") && v->stage == VM_FINDING) {
    return talk_found(v);
  } else if (!strncmp(word, "loaded ", 7) && v->stage == VM_LOADING) {
    return talk_loaded(v, atoi(word + 7));
  } else if (!strncmp(word, "exit ", 5) && !v->ended) { /* the guest waits for no other answer */
    v->result->exit_code = atoi(word + 5);
    v->ended = true;
    return ask_names(v);
  } else if (!strncmp(word, "symbol ", 7)) {
    if (v->o->callers && v->ended)
      symbols_add_guest(callers_symbols(v->o->callers), word + 7);
  } else if (!strncmp(word, "section ", 8)) {
    if (v->bus.callers && !v->ended)
      callers_place(v->bus.callers, word + 8);
  } else if (!strncmp(word, "process ", 8)) {
    where_process(&v->where, word + 8);
  } else if (!strcmp(word, "listed")) {
    v->listed = true;
  }
  return PMON_OK;
}

int talk_receive(struct vm *v, const char *bytes, size_t n)
{
  for (size_t i = 0; i < n; i++) {
    if (bytes[i] == '\r')
      continue;
    if (bytes[i] != '\n') {
      if (v->line_n + 1 == sizeof v->line)
        forward_line(v, false);
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
