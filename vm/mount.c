/* SPDX-License-Identifier: MIT */
#define FUSE_USE_VERSION 31
#include <errno.h>
#include <fuse3/fuse.h>
#include <fuse3/fuse_lowlevel.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <pmon/status.h>
#include "vm/mount.h"

enum { ROOT, PROCESSOR, MSR, TIME, NOTHING = -1, REGISTER_BYTES = 8, NOT_FOUND = 127 };

static const uint64_t FS_PER_NS = 1000000;

static const struct mount_options *options(void)
{
  return fuse_get_context()->private_data;
}

/* What a path names; *ret_processor where it is of one. */
static int kind_of(const char *path, unsigned *ret_processor)
{
  const struct mount_options *o = options();
  char *end;
  if (!strcmp(path, "/"))
    return ROOT;
  if (!strcmp(path, "/time"))
    return TIME;
  if (path[1] < '0' || path[1] > '9' || (path[1] == '0' && path[2] >= '0' && path[2] <= '9'))
    return NOTHING;
  unsigned long n = strtoul(path + 1, &end, 10);
  if (n >= (unsigned long)o->sockets * o->cores)
    return NOTHING;
  *ret_processor = (unsigned)n;
  return !*end ? PROCESSOR : !strcmp(end, "/msr") ? MSR : NOTHING;
}

static int on_getattr(const char *path, struct stat *ret, struct fuse_file_info *file)
{
  unsigned processor;
  int kind = kind_of(path, &processor);
  (void)file;
  *ret = (struct stat){ .st_uid = getuid(), .st_gid = getgid(), .st_nlink = 1 };
  if (kind == NOTHING)
    return -ENOENT;
  ret->st_mode = kind == MSR || kind == TIME ? S_IFREG | 0600 : S_IFDIR | 0755;
  return 0;
}

static int on_readdir(const char *path, void *list, fuse_fill_dir_t fill, off_t offset, struct fuse_file_info *file,
                      enum fuse_readdir_flags flags)
{
  unsigned processor;
  char name[16];
  int kind = kind_of(path, &processor);
  (void)offset, (void)file, (void)flags;
  if (kind != ROOT && kind != PROCESSOR)
    return -ENOENT;
  fill(list, ".", NULL, 0, 0);
  fill(list, "..", NULL, 0, 0);
  fill(list, kind == ROOT ? "time" : "msr", NULL, 0, 0);
  for (unsigned i = 0; kind == ROOT && i < options()->sockets * options()->cores; i++) {
    snprintf(name, sizeof name, "%u", i);
    fill(list, name, NULL, 0, 0);
  }
  return 0;
}

/* Each read and write comes through, at the offset and of the size that it has. */
static int on_open(const char *path, struct fuse_file_info *file)
{
  unsigned processor;
  file->direct_io = 1;
  return kind_of(path, &processor) == NOTHING ? -ENOENT : 0;
}

static struct pmon_address address_of(unsigned processor, off_t number)
{
  return (struct pmon_address){ .space = PMON_SPACE_MSR, .width_bits = 64, .package = processor / options()->cores,
                                .offset = (uint64_t)number };
}

/* As the kernel's driver: a longer access is the same register again; one that is not there gives EIO. */
static int on_read(const char *path, char *to, size_t n, off_t offset, struct fuse_file_info *file)
{
  const struct mount_options *o = options();
  unsigned processor = 0;
  char text[32];
  (void)file;
  if (kind_of(path, &processor) == TIME) {
    int length = snprintf(text, sizeof text, "%llu\n", (unsigned long long)(machine_now_fs(o->machine) / FS_PER_NS));
    size_t left = offset < length ? (size_t)(length - offset) : 0;
    n = n < left ? n : left;
    memcpy(to, text + (length - (int)left), n);
    return (int)n;
  }
  const struct pmon_address a = address_of(processor, offset);
  if (n % REGISTER_BYTES)
    return -EINVAL;
  for (size_t i = 0; i < n; i += REGISTER_BYTES) {
    uint64_t value;
    if (o->backend->ops->read(o->backend, &a, &value))
      return -EIO;
    memcpy(to + i, &value, sizeof value);
  }
  return (int)n;
}

static int pass(const struct mount_options *o, const char *from, size_t n)
{
  char text[32], *end;
  uint64_t now = machine_now_fs(o->machine) / FS_PER_NS, until = UINT64_MAX;
  bool ended;
  if (n >= sizeof text)
    return -EINVAL;
  memcpy(text, from, n);
  text[n] = 0;
  text[strcspn(text, "\n")] = 0;
  if (strcmp(text, "end")) {
    unsigned long long ns = strtoull(text, &end, 10);
    if (*end || text[0] < '0' || text[0] > '9' || ns > INT64_MAX - now)
      return -EINVAL;
    until = now + ns;
  }
  return o->backend->ops->wait(o->backend, until, &now, &ended) ? -EIO : (int)n;
}

static int on_write(const char *path, const char *from, size_t n, off_t offset, struct fuse_file_info *file)
{
  const struct mount_options *o = options();
  unsigned processor = 0;
  (void)file;
  if (kind_of(path, &processor) == TIME)
    return pass(o, from, n);
  const struct pmon_address a = address_of(processor, offset);
  if (n % REGISTER_BYTES)
    return -EINVAL;
  for (size_t i = 0; i < n; i += REGISTER_BYTES) {
    uint64_t value;
    memcpy(&value, from + i, sizeof value);
    if (o->backend->ops->write(o->backend, &a, value))
      return -EIO;
  }
  return (int)n;
}

/* A shell's `>` truncates first. */
static int on_truncate(const char *path, off_t size, struct fuse_file_info *file)
{
  (void)path, (void)size, (void)file;
  return 0;
}

static const struct fuse_operations operations = { .getattr = on_getattr, .readdir = on_readdir, .open = on_open,
                                                   .read = on_read, .write = on_write, .truncate = on_truncate };

static pid_t start_command(char *const *argv)
{
  pid_t parent = getpid(), pid = fork();
  if (pid)
    return pid;
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (getppid() != parent)
    _exit(NOT_FOUND);
  execvp(argv[0], argv);
  fprintf(stderr, "pmon machine mount: %s: %s\n", argv[0], strerror(errno));
  _exit(NOT_FOUND);
}

/* Answers until the command (-1: none) has ended or the session has; libfuse's own loop would not see the former. */
static void serve(struct fuse_session *se, int command)
{
  struct fuse_buf request = { .mem = NULL };
  struct pollfd at[2] = { { .fd = fuse_session_fd(se), .events = POLLIN }, { .fd = command, .events = POLLIN } };
  while (!fuse_session_exited(se) && !at[1].revents) {
    if (poll(at, 2, -1) < 0)
      continue;                            /* a signal: the session may be over */
    if (at[0].revents && fuse_session_receive_buf(se, &request) > 0)
      fuse_session_process_buf(se, &request);
    else if (at[0].revents & (POLLERR | POLLHUP))
      break;                               /* unmounted */
  }
  free(request.mem);
}

static int run(struct fuse_session *se, const struct mount_options *o, char *error, size_t error_size,
               int *ret_exit_code)
{
  int status = 0, command = -1;
  pid_t pid = o->argv ? start_command(o->argv) : 0;
  if (pid > 0)
    command = (int)syscall(SYS_pidfd_open, pid, 0);
  if (pid < 0 || (pid > 0 && command < 0)) {
    snprintf(error, error_size, "%s cannot be started: %s", o->argv[0], strerror(errno));
    if (pid > 0)
      kill(pid, SIGKILL);
    return PMON_E_IO;
  }
  serve(se, command);
  if (pid > 0) {
    kill(pid, SIGTERM);                    /* when the session ended before it; else it waits to be asked */
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
      continue;
    close(command);
  }
  *ret_exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return PMON_OK;
}

int mount_run(const struct mount_options *o, char *error, size_t error_size, int *ret_exit_code)
{
  char *argv[] = { (char[]){ "pmon" }, (char[]){ "-ofsname=pmon" }, NULL };
  struct fuse_args args = FUSE_ARGS_INIT(2, argv);
  struct fuse *f = fuse_new(&args, &operations, sizeof operations, (void *)(uintptr_t)o);
  int status = PMON_E_NO_DEVICE;
  *ret_exit_code = 0;
  if (!f) {
    snprintf(error, error_size, "libfuse3 cannot be used");
  } else if (fuse_mount(f, o->folder)) {
    snprintf(error, error_size, "%s cannot be mounted on: it has to be a folder, /dev/fuse has to be there, and who is "
             "not root needs Debian's package fuse3", o->folder);
  } else {
    struct fuse_session *se = fuse_get_session(f);
    fuse_set_signal_handlers(se);
    status = run(se, o, error, error_size, ret_exit_code);
    fuse_remove_signal_handlers(se);
    fuse_unmount(f);
  }
  if (f)
    fuse_destroy(f);
  fuse_opt_free_args(&args);
  return status;
}
