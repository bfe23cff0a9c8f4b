/* SPDX-License-Identifier: MIT */
/* What QEMU is told, and why: docs/vm.md. */
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include <pmon/status.h>
#include "vm/qemu.h"

/* As the E5-2600: without the hypervisor's bit, or the driver does not load; with fsgsbase, or each switch of tasks
 * writes an MSR. Its uncore bus is 7Fh: the bridge behind a host bridge numbered 126. */
#define CPU "SandyBridge,vendor=GenuineIntel,family=6,model=45,stepping=7,-hypervisor,+fsgsbase,-x2apic,-tsc-deadline"
#define HOST_BRIDGE "pxb-pcie,id=uncore,bus_nr=126,bus=pcie.0"
#define KERNEL_LINE "console=ttyS0 panic=-1 nokaslr quiet loglevel=4 mitigations=off"
#define MEMORY "1024M"

enum { ARGUMENTS_MAX = 96 + 2 * BUS_FUNCTIONS, ENDS_MAX = BUS_FUNCTIONS + QEMU_SERIALS + 1 };

struct arguments { char *argv[ARGUMENTS_MAX]; unsigned n; bool failed; };

__attribute__((format(printf, 2, 3))) static void add(struct arguments *a, const char *format, ...)
{
  va_list ap;
  char *text = NULL;
  va_start(ap, format);
  if (a->n + 1 >= ARGUMENTS_MAX || vasprintf(&text, format, ap) < 0)
    a->failed = true;
  else
    a->argv[a->n++] = text;
  va_end(ap);
}

static void add_pair(struct arguments *a, const char *option, const char *value)
{
  add(a, "%s", option);
  add(a, "%s", value);
}

static void add_fixed(struct arguments *a, const struct qemu_options *o)
{
  static const char *const pairs[][2] = {
    { "-display", "none" }, { "-accel", "tcg" }, { "-cpu", CPU }, { "-m", MEMORY },
    { "-object", "memory-backend-memfd,id=memory,size=" MEMORY ",share=on" }, { "-machine", "q35,memory-backend=memory" },
    { "-append", KERNEL_LINE }, { "-device", HOST_BRIDGE }, { "-device", "pcie-pci-bridge,id=boxes,bus=uncore" },
  };
  add(a, "%s", o->program);
  add(a, "-nodefaults");
  add(a, "-no-user-config");
  add(a, "-no-reboot");
  add(a, "-S");
  for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
    add_pair(a, pairs[i][0], pairs[i][1]);
  add_pair(a, "-kernel", o->kernel);
  add(a, "-smp");
  add(a, "1,cores=%u,maxcpus=%u", o->cores, o->cores);
  add(a, "-initrd");
  add(a, "/proc/self/fd/%d", o->initrd);
}

/* A comma of the path is written twice. */
static void add_plugin(struct arguments *a, const struct qemu_options *o)
{
  char text[2 * PATH_MAX], *to = text;
  for (const char *from = o->plugin; *from && to < text + sizeof text - 2; from++) {
    if (*from == ',')
      *to++ = ',';
    *to++ = *from;
  }
  *to = 0;
  add(a, "-plugin");
  add(a, "%s,shm=%d,wake=%d", text, guest_memory_fd(o->bus->guest), guest_wake_fd(o->bus->guest));
}

/* `there` are QEMU's ends: gdb, serial lines, functions. */
static void add_sockets(struct arguments *a, const struct qemu_options *o, const int *there)
{
  add(a, "-chardev");
  add(a, "socket,id=gdb,fd=%d", there[0]);
  add_pair(a, "-gdb", "chardev:gdb");
  for (int i = 0; i < QEMU_SERIALS; i++) {
    add(a, "-chardev");
    add(a, "socket,id=serial%d,fd=%d", i, there[1 + i]);
    add(a, "-serial");
    add(a, "chardev:serial%d", i);
  }
  for (unsigned i = 0; i < o->bus->n; i++) {
    unsigned devfn = o->bus->devfn[i];
    add(a, "-device");
    add(a, "x-pci-proxy-dev,bus=boxes,addr=%x.%x,multifunction=on,fd=%d", devfn >> 3, devfn & 7,
        there[1 + QEMU_SERIALS + i]);
  }
}

static void clear_close_on_exec(int fd)
{
  int copy = dup(fd);                      /* dup2() onto itself would keep the flag */
  dup2(copy, fd);
  close(copy);
}

static void become(char **argv, const int *there, unsigned n, const struct qemu_options *o, pid_t parent)
{
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent)
    _exit(QEMU_NOT_FOUND);
  for (unsigned i = 0; i < n; i++)
    clear_close_on_exec(there[i]);
  clear_close_on_exec(o->initrd);
  if (o->bus->guest) {
    clear_close_on_exec(guest_memory_fd(o->bus->guest));
    clear_close_on_exec(guest_wake_fd(o->bus->guest));
  }
  setpgid(0, 0);                           /* an interrupt from the terminal is for us to handle */
  execvp(argv[0], argv);
  _exit(QEMU_NOT_FOUND);
}

static int *our_end(struct qemu *q, unsigned i)
{
  return i == 0 ? &q->gdb : i <= QEMU_SERIALS ? &q->serial[i - 1] : &q->function[i - 1 - QEMU_SERIALS];
}

static bool open_sockets(struct qemu *q, unsigned n, int *there)
{
  for (unsigned i = 0; i < n; i++) {
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair))
      return false;
    *our_end(q, i) = pair[0];
    there[i] = pair[1];
  }
  return true;
}

int qemu_start(struct qemu *q, const struct qemu_options *o, char *error, size_t error_size)
{
  struct arguments a = { .n = 0 };
  int there[ENDS_MAX];
  const unsigned n = 1 + QEMU_SERIALS + o->bus->n;
  const pid_t parent = getpid();
  *q = (struct qemu){ .pid = -1, .n = o->bus->n };
  for (unsigned i = 0; i < ENDS_MAX; i++)
    *our_end(q, i) = there[i] = -1;
  bool ready = open_sockets(q, n, there);
  if (ready) {
    add_fixed(&a, o);
    add_sockets(&a, o, there);
    if (o->bus->guest)
      add_plugin(&a, o);
    ready = !a.failed && (q->pid = fork()) >= 0;
  }
  if (q->pid == 0)
    become(a.argv, there, n, o, parent);
  if (!ready)
    snprintf(error, error_size, "%s cannot be started: %s", o->program, strerror(errno));
  for (unsigned i = 0; i < n; i++)
    if (there[i] >= 0)
      close(there[i]);
  for (unsigned i = 0; i < a.n; i++)
    free(a.argv[i]);
  if (ready)
    return PMON_OK;
  qemu_stop(q, true);
  return PMON_E_IO;
}

int qemu_stop(struct qemu *q, bool end)
{
  int status = 0;
  if (q->pid > 0) {
    if (end)
      kill(q->pid, SIGKILL);
    while (waitpid(q->pid, &status, 0) < 0 && errno == EINTR)
      continue;
    q->pid = -1;
  }
  for (unsigned i = 0; i < 1 + QEMU_SERIALS + q->n; i++)
    if (*our_end(q, i) >= 0) {
      close(*our_end(q, i));
      *our_end(q, i) = -1;
    }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
