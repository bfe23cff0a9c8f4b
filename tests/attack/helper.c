/* SPDX-License-Identifier: MIT */
/*
 * The privileged helper on a tree of files: its reads and writes, what it refuses, messages that no caller sends, and
 * what its process is able to do at all. Usage: helper TREE
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include <pmon/hardware.h>
#include "helper/sandbox.h"
#include "helper/serve.h"
#include "src/access/direct.h"
#include "src/access/remote.h"

static struct pmon_system host = {.size = sizeof host, .end_fd = -1};
static char msr_path[400];
static int failures;

static void helper_check(bool good, const char *what)
{
  if (good)
    return;
  fprintf(stderr, "failed: %s\n", what);
  failures++;
}

struct served {
  pid_t pid;
  int fd;
};

/* Starts a helper in a process of its own. */
static struct served serve(void)
{
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends))
    abort();
  const pid_t pid = fork();
  if (!pid) {
    close(ends[0]);
    _exit(helper_check_socket(ends[1]) ? helper_serve(ends[1], &host) : 99);
  }
  close(ends[1]);
  return (struct served){pid, ends[0]};
}

/* Returns the exit status of the helper after its client has closed the connection. */
static int ended(const struct served *s)
{
  int status = -1;
  close(s->fd);
  waitpid(s->pid, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 200;
}

static uint64_t in_file(uint64_t offset)
{
  uint64_t value = 0;
  const int fd = open(msr_path, O_RDONLY | O_CLOEXEC);
  if (fd < 0 || pread(fd, &value, sizeof value, (off_t)offset) < 0)
    abort();
  close(fd);
  return value;
}

static struct pmon_address msr(uint64_t offset)
{
  return (struct pmon_address){.space = PMON_SPACE_MSR, .width_bits = 64, .offset = offset};
}

/* Registers that are read only, and MSRs four above a monitoring register, whose high half would be there if MSRs had
 * addresses of bytes: MC0_CTL (SDM4 400h) after a core's C3 residency, the limit of the memory's power (618h). */
static void test_untouched(struct pmon_backend *b)
{
  static const uint32_t read_only[] = {0x1ad, 0x606, 0x614}, above[] = {0xd1d, 0x400, 0x60a, 0x618};
  const uint64_t before = 0x1234;
  uint64_t value;
  const int fd = open(msr_path, O_RDWR | O_CLOEXEC);
  for (size_t i = 0; i < sizeof read_only / sizeof *read_only; i++) {
    const struct pmon_address a = msr(read_only[i]);
    if (pwrite(fd, &before, sizeof before, (off_t)a.offset) != sizeof before)
      abort();
    helper_check(!b->ops->read(b, &a, &value) && value == before, "a register that is read only is read");
    helper_check(b->ops->write(b, &a, 0) == PMON_E_PERMISSION && in_file(a.offset) == before, "and not written");
  }
  for (size_t i = 0; i < sizeof above / sizeof *above; i++)
    for (uint32_t thread = 0; thread < 2; thread++) {
      struct pmon_address a = msr(above[i]);
      a.width_bits = 32;
      a.device = thread;
      if (pwrite(fd, &before, sizeof before, (off_t)a.offset) != sizeof before)
        abort();
      helper_check(b->ops->read(b, &a, &value) == PMON_E_PERMISSION, "an MSR has no half that is read");
      helper_check(b->ops->write(b, &a, 0) == PMON_E_PERMISSION && in_file(a.offset) == before, "nor one written");
    }
  close(fd);
}

/* Values of resctrl are not requested of the helper, whose limits they would exceed; the reads around them are. */
static void check_resctrl(struct pmon_backend *b, const struct pmon_address *a)
{
  struct pmon_read reads[] = {{.address = *a, .value = 1},
                              {.address = {.space = PMON_SPACE_RESCTRL, .width_bits = 64, .offset = 1}},
                              {.address = *a, .value = 1}};
  uint64_t value = 0;
  helper_check(b->ops->read(b, &reads[1].address, &value) == PMON_E_NO_DEVICE && strstr(b->error_text, "no resctrl"),
               "values of resctrl are read by the caller, where there are none");
  b->sweep(b, reads, 3);
  helper_check(!reads[0].status && !reads[0].value && reads[1].status == PMON_E_NO_DEVICE && !reads[2].status &&
                   !reads[2].value,
               "and in a list of registers");
}

static void test_registers(void)
{
  static const uint64_t others[] = {0x10, 0x1b, 0x3b, 0x199, 0xc0000082, 0x2002};
  struct pmon_address a = msr(0xd10);
  struct pmon_backend *b = NULL, *second = NULL;
  struct pmon_reason reason = {""};
  struct served s = serve(), t = serve();
  uint64_t value = 1;
  helper_check(!pmon_backend_helper_open(s.fd, &host, &reason, &b) && b->packages == 1 && b->host,
               "opens the registers");
  helper_check(!pmon_backend_helper_open(t.fd, &host, &reason, &second), "a second one, too");
  if (!b || !second)
    return;
  helper_check(!b->ops->read(b, &a, &value) && value == 0, "reads a register");
  check_resctrl(b, &a);
  helper_check(b->ops->write(b, &a, 0x400000) == PMON_E_PERMISSION, "writes nothing before it is locked");
  helper_check(!access_lock(b, &reason), "locks");
  helper_check(access_lock(second, &reason) == PMON_E_STATE && strstr(reason.text, "in use by"),
               "a second lock is refused");
  helper_check(second->ops->write(second, &a, 0x400000) == PMON_E_PERMISSION, "and its writes are");
  helper_check(!b->ops->write(b, &a, 0x400000) && in_file(0xd10) == 0x400000, "writes a register");
  helper_check(b->ops->write(b, &a, UINT64_MAX) == PMON_E_PERMISSION, "reserved bits are not written");
  helper_check(access_check_write(b, &a, 0) == 0 && access_check_write(b, &a, UINT64_MAX) == PMON_E_PERMISSION,
               "checks");
  for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
    const struct pmon_address o = msr(others[i]);
    helper_check(b->ops->read(b, &o, &value) == PMON_E_PERMISSION, "another register is not read");
    helper_check(b->ops->write(b, &o, 1) == PMON_E_PERMISSION && in_file(others[i]) == 0,
                 "another register is not written");
  }
  helper_check(!b->ops->write(b, &a, 0), "writes it again");
  test_untouched(b);
  access_unlock(b);
  access_unlock(b);
  helper_check(b->ops->write(b, &a, 0x400000) == PMON_E_PERMISSION, "writes nothing after it is unlocked");
  helper_check(!access_lock(second, &reason), "the second one locks then");
  s.fd = t.fd = -1;
  pmon_backend_close(b);
  pmon_backend_close(second);
  helper_check(ended(&s) == 0 && ended(&t) == 0, "ends with its caller");
}

/* Each of these messages ends the helper before it has written anything. */
static void test_hostile_messages(void)
{
  static const struct remote_message rows[] = {
      {.version = 2, .operation = REMOTE_OPEN},
      {.version = REMOTE_VERSION, .operation = REMOTE_OPERATIONS},
      {.version = REMOTE_VERSION, .operation = UINT32_MAX},
      {.version = REMOTE_VERSION, .operation = REMOTE_READ, .n = REMOTE_REGISTERS + 1},
      {.version = REMOTE_VERSION, .operation = REMOTE_READ, .n = UINT32_MAX},
      {.version = REMOTE_VERSION, .operation = REMOTE_READ, .zero = 1},
      {.version = REMOTE_VERSION, .operation = REMOTE_OPEN, .n = 1, .registers = {{.width_bits = 64}}},
      {.version = REMOTE_VERSION, .operation = REMOTE_LOCK, .n = 1, .registers = {{.width_bits = 64}}},
      {.version = REMOTE_VERSION, .operation = REMOTE_UNLOCK, .n = 1, .registers = {{.width_bits = 64}}},
      {.version = REMOTE_VERSION, .operation = REMOTE_READ, .n = 0},
      {.version = REMOTE_VERSION, .operation = REMOTE_WRITE, .n = 0},
      {.version = REMOTE_VERSION,
       .operation = REMOTE_WRITE,
       .n = 2,
       .registers = {{.width_bits = 64, .offset = 0xd10}, {.width_bits = 64, .offset = 0xd10}}},
      {.version = REMOTE_VERSION, .operation = REMOTE_WRITE, .n = 1, .registers = {{.width_bits = 64, .package = 1}}},
      {.version = REMOTE_VERSION, .operation = REMOTE_WRITE, .n = 1, .registers = {{.width_bits = 64, .space = 200}}},
      {.version = REMOTE_VERSION, .operation = REMOTE_WRITE, .n = 1, .registers = {{.width_bits = 8}}},
      {.version = REMOTE_VERSION, .operation = REMOTE_CHECK, .n = 1, .registers = {{.width_bits = 64, .zero = 1}}}};
  static char bytes[sizeof *rows + 1];
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    const struct served s = serve();
    helper_check(send(s.fd, &rows[i], sizeof rows[i], MSG_NOSIGNAL) == sizeof rows[i] &&
                     recv(s.fd, bytes, sizeof bytes, 0) <= 0,
                 "a message that no caller sends has no answer");
    helper_check(ended(&s) == 1, "and ends the helper");
  }
  for (size_t n = 1; n <= sizeof bytes; n += n == 1 ? sizeof bytes - 3 : 1) {
    if (n == sizeof *rows)
      continue;
    const struct served s = serve();
    helper_check(send(s.fd, bytes, n, MSG_NOSIGNAL) == (ssize_t)n && recv(s.fd, bytes, 1, 0) <= 0,
                 "nor has one of another size");
    helper_check(ended(&s) == 1, "which ends the helper");
  }
}

/* A user's process can trace neither the helper nor read its memory, whatever fs.suid_dumpable is. */
static void test_untraceable(void)
{
  int status = 0;
  const pid_t pid = fork();
  if (!pid)
    _exit(!prctl(PR_SET_DUMPABLE, 1, 0, 0, 0) && sandbox_drop_privileges() && !prctl(PR_GET_DUMPABLE, 0, 0, 0, 0) ? 0
                                                                                                                  : 1);
  waitpid(pid, &status, 0);
  helper_check(WIFEXITED(status) && WEXITSTATUS(status) == 0, "the helper cannot be traced");
}

enum { AS_FILE, AS_SOCKET, AS_PROGRAM, AS_CODE, AS_SIGNAL, AS_N };

static _Noreturn void in_sandbox(int what)
{
  char *const none[] = {NULL};
  if (!sandbox_drop_privileges() || !sandbox_filter_calls())
    _exit(1);
  switch (what) {
  case AS_FILE: _exit(open("/etc/passwd", O_RDONLY | O_CLOEXEC) < 0 && errno == EACCES ? 0 : 2);
  case AS_SOCKET: socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0); break;
  case AS_PROGRAM: execve("/bin/true", none, none); break;
  case AS_CODE: mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); break;
  default: kill(getppid(), 0); break;
  }
  _exit(3);
}

static void test_sandbox(void)
{
  for (int what = 0; what < AS_N; what++) {
    int status = 0;
    const pid_t pid = fork();
    if (!pid)
      in_sandbox(what);
    waitpid(pid, &status, 0);
    if (what == AS_FILE)
      helper_check(WIFEXITED(status) && WEXITSTATUS(status) == 0, "no file is opened");
    else
      helper_check(WIFSIGNALED(status) && WTERMSIG(status) == SIGSYS, "other system calls end the process");
  }
  int ends[2];
  if (pipe(ends))
    abort();
  helper_check(!helper_check_socket(ends[0]) && !helper_check_socket(-1), "a pipe is no caller");
}

int main(int argc, char **argv)
{
  static char dev[300], sys[300], proc[300];
  if (argc != 2)
    return 2;
  snprintf(dev, sizeof dev, "%.280s/dev", argv[1]);
  snprintf(sys, sizeof sys, "%.280s/sys", argv[1]);
  snprintf(proc, sizeof proc, "%.280s/proc", argv[1]);
  snprintf(msr_path, sizeof msr_path, "%s/cpu/0/msr", dev);
  host.dev = dev, host.sys = sys, host.proc = proc;
  test_registers();
  test_hostile_messages();
  helper_check(in_file(0xd10) == 0, "the register is as it was");
  test_untraceable();
  test_sandbox();
  return failures != 0;
}
