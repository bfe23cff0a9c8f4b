/* SPDX-License-Identifier: MIT */
/* QEMU's command line; docs/vm.md explains each option. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>
#include <pmon/status.h>
#include "vm/file.h"
#include "vm/initramfs.h"
#include "vm/qemu.h"

/*
 * no_timer_check: on a loaded host the emulator is too slow for the test of the timer, and Linux panics.
 * tsc=reliable: there Linux otherwise takes the delays of the emulator for an unstable TSC. If it does so while a new
 * processor waits for the other one to compare their TSCs, the other one leaves the comparison out, and both wait
 * forever. QEMU's processors have one TSC.
 */
const char qemu_kernel_line[] =
    "console=ttyS0 panic=-1 oops=panic no_timer_check tsc=reliable nokaslr quiet loglevel=4 mitigations=off";
/* Memory that the kernel does not use: a guest with a snapshot has files there (initramfs.h). */
#define FILES_LINE " memmap=32M$256M"
/* The buses of a guest that is saved have no function with memory: firmware gives them no addresses, and Linux would
 * have none for the discovery device when it finds that device later. */
#define WINDOWS_LINE " pci=nocrs"
_Static_assert(GUEST_FILES_MOST_MB + 1 == 32 && GUEST_FILES_MB == 256, "as in the kernel's line");
enum { ARGUMENTS_MAX = 160 + 2 * BUS_FUNCTIONS + 6 * SLOTS_MOST + 2 * FIRMWARE_FILES, NOT_FOUND = 127 };

struct arguments {
  char *argv[ARGUMENTS_MAX];
  unsigned n;
  int failed; /* 0, or the errno of a failure */
};

__attribute__((format(printf, 2, 0))) static void add_text(struct arguments *a, const char *format, va_list ap)
{
  char *text = NULL;
  if (a->n + 1 >= ARGUMENTS_MAX || vasprintf(&text, format, ap) < 0)
    a->failed = a->n + 1 >= ARGUMENTS_MAX ? E2BIG : ENOMEM;
  else
    a->argv[a->n++] = text;
}

/* Adds one argument. */
__attribute__((format(printf, 2, 3))) static void add(struct arguments *a, const char *format, ...)
{
  va_list ap;
  va_start(ap, format);
  add_text(a, format, ap);
  va_end(ap);
}

/* Adds an option and its value. */
__attribute__((format(printf, 3, 4))) static void add_option(struct arguments *a, const char *option,
                                                             const char *format, ...)
{
  va_list ap;
  add(a, "%s", option);
  va_start(ap, format);
  add_text(a, format, ap);
  va_end(ap);
}

static bool is_several(const struct qemu_options *o)
{
  return o->bus->shape.sockets * o->bus->shape.running > 1;
}

/* True if one thread must run all processors. */
static bool is_single(const struct qemu_options *o)
{
  return is_several(o) || o->instruction_ns;
}

/*
 * A socket's processors are numbered from its own multiple of cores; QEMU starts the first socket's by itself, and is
 * given the others. Each has a node of memory, so that Linux reports the correct node of each bus.
 */
static void add_shape(struct arguments *a, const struct qemu_options *o)
{
  const struct bus *bus = o->bus;
  const struct guest_shape *s = &bus->shape;
  const char *model_end = strchr(bus->kind->cpu, ',');
  add_option(a, "-machine", "q35");
  add_option(a, "-m", "%dM", QEMU_MEMORY_MB);
  /* With one thread, a stop at a breakpoint concerns one processor. A single processor has its thread anyway. */
  add_option(a, "-accel", is_single(o) ? "tcg,thread=single" : "tcg");
  add_option(a, "-smp", "%u,sockets=%u,cores=%u,maxcpus=%u", s->running, s->sockets, s->cores, s->sockets * s->cores);
  for (unsigned i = 0; i < s->sockets; i++) {
    add(a, "-object");
    if (o->snapshot == QEMU_BOOTS)
      add(a, "memory-backend-memfd,id=memory%u,size=%uM,share=on", i, QEMU_MEMORY_MB / s->sockets);
    else /* the file to save, or a private copy of it, which has the pages that the guest writes */
      add(a, "memory-backend-file,id=memory%u,size=%uM,share=%s,mem-path=/proc/self/fd/%d", i,
          QEMU_MEMORY_MB / s->sockets, o->snapshot == QEMU_SAVES ? "on" : "off", o->kept->part[SNAPSHOT_MEMORY + i]);
    add_option(a, "-numa", "node,nodeid=%u,memdev=memory%u", i, i);
    add_option(a, "-numa", "cpu,node-id=%u,socket-id=%u", i, i);
  }
  for (unsigned i = s->running; i < s->sockets * s->running; i++)
    add_option(a, "-device", "%.*s-x86_64-cpu,socket-id=%u,core-id=%u,thread-id=0", (int)(model_end - bus->kind->cpu),
               bus->kind->cpu, i / s->running, i % s->running);
}

/* Adds the kind's processor, or that of another machine, which may report a hypervisor. */
static void add_processor(struct arguments *a, const struct qemu_options *o)
{
  static const char hidden[] = ",-hypervisor";
  const char *kind = o->bus->kind->cpu, *at = strstr(kind, hidden);
  const uint32_t *is = o->cpu ? o->cpu->signature : NULL;
  add(a, "-cpu");
  if (!is)
    add(a, "%s", kind);
  else if (o->cpu->hypervisor && at)
    add(a, "%.*s,+hypervisor%s,vendor=%s,family=%u,model=%u,stepping=%u", (int)(at - kind), kind,
        at + sizeof hidden - 1, o->cpu->vendor, is[0], is[1], is[2]);
  else
    add(a, "%s,vendor=%s,family=%u,model=%u,stepping=%u", kind, o->cpu->vendor, is[0], is[1], is[2]);
}

/* Adds a clock of the given nanoseconds per instruction; idle time is skipped. */
static void add_clock(struct arguments *a, uint64_t instruction_ns)
{
  if (!instruction_ns)
    return;
  add_option(a, "-icount", "shift=%d,sleep=off", __builtin_ctzll(instruction_ns));
}

static void add_fixed(struct arguments *a, const struct qemu_options *o)
{
  add(a, "%s", o->program);
  add(a, "-nodefaults");
  add(a, "-no-user-config");
  add(a, "-no-reboot");
  if (!o->msr_port)
    add(a, "-S");
  add_option(a, "-display", "none");
  /* With a clock of instructions, the other processors do not start while the kernel waits for them: init starts them
   * (program.h). */
  add_option(a, "-append", "%s%s%s", qemu_kernel_line, o->instruction_ns && is_several(o) ? " maxcpus=1" : "",
             o->snapshot == QEMU_BOOTS ? ""
             : o->bus->kind->express   ? FILES_LINE WINDOWS_LINE
                                       : FILES_LINE);
  add(a, "-kernel");
  if (o->image >= 0)
    add(a, "/proc/self/fd/%d", o->image);
  else
    add(a, "%s", o->kernel);
  add_processor(a, o);
  add_shape(a, o);
  add_clock(a, o->instruction_ns);
  add_option(a, "-initrd", "/proc/self/fd/%d", o->initrd);
  for (unsigned i = 0; i < o->firmware->n; i++)
    add_option(a, "-smbios", "file=/proc/self/fd/%d", o->firmware->fd[i]);
}

/* Adds the plugin; each comma of its path is written twice. */
static void add_plugin(struct arguments *a, const struct qemu_options *o)
{
  char text[2 * PATH_MAX], *to = text;
  for (const char *from = o->plugin; *from && to < text + sizeof text - 2; from++) {
    if (*from == ',')
      *to++ = ',';
    *to++ = *from;
  }
  *to = 0;
  add_option(a, "-plugin", "%s,shm=%d,wake=%d%s", text, guest_memory_fd(o->bus->guest), guest_wake_fd(o->bus->guest),
             is_single(o) ? ",single=on" : "");
}

/* Adds a host bridge for each bus. Conventional functions cannot be on it: it is numbered one less, and behind it is a
 * bridge from PCI Express to PCI with the required number. */
static void add_buses(struct arguments *a, const struct bus *bus)
{
  const bool express = bus->kind->express;
  for (unsigned i = 0; i < bus->kind->n_buses * bus->shape.sockets; i++) {
    add_option(a, "-device", "pxb-pcie,id=%s%u,bus_nr=%u,bus=pcie.0,numa_node=%u", express ? "bus" : "host", i,
               bus_system_number(bus, i << 8) - !express, i / bus->kind->n_buses);
    if (express)
      continue;
    add_option(a, "-device", "pcie-pci-bridge,id=bus%u,bus=host%u", i, i);
  }
}

static void add_functions(struct arguments *a, const struct bus *bus, const int *there)
{
  for (unsigned i = 0; i < bus->n; i++) {
    unsigned devfn = bus->devfn[i];
    add_option(a, "-device", "x-pci-proxy-%sdev,bus=bus%u,addr=%x.%x,multifunction=on,fd=%d",
               bus->kind->express ? "express-" : "", devfn >> 8, devfn >> 3 & 31, devfn & 7, there[i]);
  }
}

/* Adds the devices behind I/O stacks, each behind a root port on its stack's root bus. */
static void add_slots(struct arguments *a, const struct slots *s, const int *there)
{
  for (unsigned i = 0; i < s->n_hosts; i++)
    add_option(a, "-device", "pxb-pcie,id=root%u,bus_nr=%u,bus=pcie.0,numa_node=%u", i, s->host[i].bus,
               s->host[i].package);
  for (unsigned i = 0; i < s->n_bridges; i++)
    add_option(a, "-device", "pcie-root-port,id=slot%u,bus=root%u,addr=%x,chassis=1,slot=%u,hotplug=off", i,
               s->bridge[i].host, s->bridge[i].number, i + 1);
  for (unsigned i = 0; i < s->n; i++)
    add_option(a, "-device", "x-pci-proxy-dev,bus=slot%u,addr=%x.%x,multifunction=%s,fd=%d", s->slot[i].bridge,
               s->slot[i].devfn >> 3, s->slot[i].devfn & 7, s->slot[i].several ? "on" : "off", there[i]);
}

static void add_ports(struct arguments *a, const struct qemu_options *o, const int *there)
{
  const struct guest_kind *kind = o->bus->kind;
  const struct kind_area *last = kind->area + kind->n_areas - 1;
  if (o->msr_port)
    add_option(a, "-device", "pmon-msr,fd=%d", there[0]);
  if (o->counters)
    add_option(a, "-device", "pmon-counters,eax=%u,edx=%u", COUNTERS_EAX, COUNTERS_EDX);
  if (o->shared >= 0)
    add_option(a, "-device", "pmon-shared,fd=%d", o->shared);
  for (unsigned i = 0; kind->n_areas && i < o->bus->shape.sockets; i++)
    add_option(a, "-device", "pmon-window,fd=%d,base=%llu,size=%llu", there[1 + i],
               (unsigned long long)(kind->area->base + i * kind->next_areas),
               (unsigned long long)(last->base + last->size - kind->area->base));
}

/* Adds devices that save and load the pages that the guest has written in memory that is a file (docs/vm.md). */
static void add_pages(struct arguments *a, const struct qemu_options *o)
{
  for (unsigned i = 0; o->snapshot != QEMU_BOOTS && i < o->bus->shape.sockets; i++)
    add_option(a, "-device", "pmon-pages,memdev=memory%u", i);
}

static void add_monitor(struct arguments *a, const struct qemu_options *o, int there)
{
  if (o->snapshot == QEMU_BOOTS)
    return;
  add_option(a, "-chardev", "socket,id=monitor,fd=%d", there);
  add_option(a, "-mon", "chardev=monitor,mode=control");
  if (o->snapshot == QEMU_LOADS)
    add_option(a, "-incoming", "defer");
}

/* `there` are QEMU's ends, numbered like pmon's. */
static void add_sockets(struct arguments *a, const struct qemu_options *o, const int *there)
{
  if (!o->msr_port) {
    add_option(a, "-chardev", "socket,id=gdb,fd=%d", there[QEMU_GDB]);
    add_option(a, "-gdb", "chardev:gdb");
  } else if (o->gdb_port) {
    add_option(a, "-gdb", "tcp:127.0.0.1:%u", o->gdb_port);
  }
  for (int i = 0; i < QEMU_SERIALS; i++) {
    add_option(a, "-chardev", "socket,id=serial%d,fd=%d", i, there[QEMU_SERIAL + i]);
    add_option(a, "-serial", "chardev:serial%d", i);
  }
  add_monitor(a, o, there[QEMU_MONITOR]);
  add_pages(a, o);
  add_ports(a, o, there + QEMU_PORT);
  add_buses(a, o->bus);
  if (o->snapshot == QEMU_SAVES)
    return;
  add_functions(a, o->bus, there + QEMU_FUNCTION);
  add_slots(a, o->slots, there + QEMU_FUNCTION + o->bus->n);
}

/* Keeps a descriptor open in QEMU; negative: there is none. */
static void inherit(int fd)
{
  if (fd >= 0)
    fcntl(fd, F_SETFD, 0);
}

static void become(char **argv, const int *there, unsigned n, const struct qemu_options *o, pid_t parent)
{
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent)
    _exit(NOT_FOUND);
  for (unsigned i = 0; i < n; i++)
    inherit(there[i]);
  inherit(o->initrd);
  inherit(o->image);
  for (unsigned i = 0; o->snapshot != QEMU_BOOTS && i < SNAPSHOT_PARTS; i++)
    inherit(o->kept->part[i]);
  inherit(o->shared);
  for (unsigned i = 0; i < o->firmware->n; i++)
    inherit(o->firmware->fd[i]);
  if (o->bus->guest) {
    inherit(guest_memory_fd(o->bus->guest));
    inherit(guest_wake_fd(o->bus->guest));
  }
  setpgid(0, 0); /* pmon handles an interrupt from the terminal */
  execvp(argv[0], argv);
  _exit(NOT_FOUND);
}

static bool is_used(const struct qemu_options *o, unsigned end)
{
  if (end > QEMU_PORT && end < QEMU_FUNCTION)
    return o->bus->kind->n_areas && end - QEMU_PORT <= o->bus->shape.sockets;
  if (end == QEMU_MONITOR)
    return o->snapshot != QEMU_BOOTS;
  if (end >= QEMU_FUNCTION)
    return o->snapshot != QEMU_SAVES;
  return end == QEMU_GDB ? !o->msr_port : end == QEMU_PORT ? o->msr_port : true;
}

static bool open_sockets(struct qemu *q, const struct qemu_options *o, int *there)
{
  for (unsigned i = 0; i < q->n; i++) {
    int pair[2];
    if (!is_used(o, i))
      continue;
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair))
      return false;
    q->end[i] = pair[0];
    there[i] = pair[1];
  }
  return true;
}

int qemu_start(struct qemu *q, const struct qemu_options *o, char *error, size_t error_size)
{
  struct arguments a = {.n = 0};
  int there[QEMU_ENDS];
  const pid_t parent = getpid();
  *q = (struct qemu){.pid = -1, .n = QEMU_FUNCTION + o->bus->n + o->slots->n};
  for (unsigned i = 0; i < QEMU_ENDS; i++)
    q->end[i] = there[i] = -1;
  bool ready = open_sockets(q, o, there);
  if (ready) {
    add_fixed(&a, o);
    add_sockets(&a, o, there);
    if (o->bus->guest)
      add_plugin(&a, o);
    errno = a.failed;
    ready = !a.failed && (q->pid = fork()) >= 0;
  }
  if (q->pid == 0)
    become(a.argv, there, q->n, o, parent);
  if (!ready)
    snprintf(error, error_size, "%s cannot be started: %s", o->program, strerror(errno));
  for (unsigned i = 0; i < q->n; i++)
    if (there[i] >= 0)
      close(there[i]);
  for (unsigned i = 0; i < a.n; i++)
    free(a.argv[i]);
  if (ready)
    return PMON_OK;
  qemu_stop(q, true);
  return PMON_E_IO;
}

uint64_t qemu_memory(const struct bus *bus)
{
  return (QEMU_MEMORY_MB / bus->shape.sockets) * UINT64_C(0x100000);
}
