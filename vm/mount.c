/* SPDX-License-Identifier: MIT */
#define FUSE_USE_VERSION 31
#include <errno.h>
#include <fcntl.h>
#include <fuse3/fuse.h>
#include <fuse3/fuse_lowlevel.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <pmon/status.h>
#include "machine/trace/process.h"
#include "vm/mount.h"
#include "vm/tree.h"
#include "vm/unmount.h"

enum { REGISTER_BYTES = 8, NOT_FOUND = 127 };

static const uint64_t FS_PER_NS = 1000000;

/* The data that libfuse passes to each callback. */
struct mount {
  const struct mount_options *options;
  struct machine_tree tree;
};

static struct mount *mounted(void)
{
  return fuse_get_context()->private_data;
}

static const struct mount_options *options(void)
{
  return mounted()->options;
}

static struct tree_node vm_mount_find(const char *path)
{
  return tree_find(&mounted()->tree, path + 1);
}

static int on_getattr(const char *path, struct stat *ret, struct fuse_file_info *file)
{
  const struct tree_node node = vm_mount_find(path);
  char text[TREE_TEXT_SIZE];
  (void)file;
  *ret = (struct stat){.st_uid = getuid(), .st_gid = getgid(), .st_nlink = 1};
  if (node.kind == TREE_NOTHING)
    return -ENOENT;
  ret->st_mode = node.kind == TREE_FOLDER ? S_IFDIR | 0755 : node.kind == TREE_TEXT ? S_IFREG | 0444 : S_IFREG | 0600;
  if (node.kind == TREE_CONFIG)
    ret->st_size = (off_t)tree_config_size(&mounted()->tree);
  if (node.kind == TREE_TEXT)
    ret->st_size = (off_t)tree_text(&mounted()->tree, &node, text);
  return 0;
}

/* The parameters are libfuse's. */
static int on_readdir(const char *path, void *list, fuse_fill_dir_t fill, off_t offset, struct fuse_file_info *file,
                      enum fuse_readdir_flags flags)
{
  char name[64];
  (void)offset, (void)file, (void)flags;
  if (vm_mount_find(path).kind != TREE_FOLDER)
    return -ENOENT;
  fill(list, ".", NULL, 0, 0);
  fill(list, "..", NULL, 0, 0);
  for (unsigned i = 0; tree_entry(&mounted()->tree, path + 1, i, name, sizeof name); i++)
    fill(list, name, NULL, 0, 0);
  return 0;
}

/* Each read and write arrives with its own offset and size. */
static int on_open(const char *path, struct fuse_file_info *file)
{
  file->direct_io = 1;
  return vm_mount_find(path).kind == TREE_NOTHING ? -ENOENT : 0;
}

static int read_text(const char *text, size_t length, off_t offset, char *to, size_t n)
{
  const size_t left = (size_t)offset < length ? length - (size_t)offset : 0;
  n = n < left ? n : left;
  memcpy(to, text + (length - left), n);
  return (int)n;
}

/* Returns how many bytes of a range lie in configuration space. */
static size_t config_part(off_t offset, size_t n)
{
  const size_t size = tree_config_size(&mounted()->tree), left = (size_t)offset < size ? size - (size_t)offset : 0;
  return n < left ? n : left;
}

static struct pmon_address address_of(unsigned processor, off_t number)
{
  return (struct pmon_address){
      .space = PMON_SPACE_MSR, .width_bits = 64, .package = processor / options()->cores, .offset = (uint64_t)number};
}

/* A transfer between a register and memory: `to` is where a read goes, `from` where a write comes from. */
struct msr_transfer {
  unsigned processor;
  char *to;
  const char *from;
};

/* Like the kernel's driver: a longer access repeats the same register; a missing register gives EIO. */
static int msr_transfer(const struct msr_transfer *t, size_t n, off_t offset)
{
  struct pmon_backend *b = options()->backend;
  const struct pmon_address a = address_of(t->processor, offset);
  if (n % REGISTER_BYTES)
    return -EINVAL;
  for (size_t i = 0; i < n; i += REGISTER_BYTES) {
    uint64_t value;
    if (t->from)
      memcpy(&value, t->from + i, sizeof value);
    if (t->from ? b->ops->write(b, &a, value) : b->ops->read(b, &a, &value))
      return -EIO;
    if (t->to)
      memcpy(t->to + i, &value, sizeof value);
  }
  return (int)n;
}

static int on_read(const char *path, char *to, size_t n, off_t offset, struct fuse_file_info *file)
{
  struct machine_tree *t = &mounted()->tree;
  const struct tree_node node = vm_mount_find(path);
  char text[TREE_TEXT_SIZE];
  (void)file;
  if (node.kind == TREE_MSR)
    return msr_transfer(&(struct msr_transfer){.processor = node.processor, .to = to}, n, offset);
  if (node.kind == TREE_CONFIG) {
    n = config_part(offset, n);
    tree_config_read(t, node.devfn, (size_t)offset, to, n);
    return (int)n;
  }
  const size_t length = node.kind == TREE_TEXT
                            ? tree_text(t, &node, text)
                            : (size_t)snprintf(text, sizeof text, "%llu\n",
                                               (unsigned long long)(machine_now_fs(options()->machine) / FS_PER_NS));
  return read_text(text, length, offset, to, n);
}

static int vm_mount_pass(const struct mount_options *o, const char *from, size_t n)
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
  int status = o->backend->ops->wait(o->backend, until, &now, &ended);
  if (!status && ended && until != UINT64_MAX && now < until) /* the workload ended in this time */
    status = o->backend->ops->wait(o->backend, until, &now, &ended);
  return status ? -EIO : (int)n;
}

static int on_write(const char *path, const char *from, size_t n, off_t offset, struct fuse_file_info *file)
{
  const struct tree_node node = vm_mount_find(path);
  (void)file;
  if (node.kind == TREE_TIME)
    return vm_mount_pass(options(), from, n);
  if (node.kind == TREE_MSR)
    return msr_transfer(&(struct msr_transfer){.processor = node.processor, .from = from}, n, offset);
  if (node.kind != TREE_CONFIG || !config_part(offset, n))
    return -EACCES;
  n = config_part(offset, n);
  tree_config_write(&mounted()->tree, node.devfn, (size_t)offset, from, n);
  return (int)n;
}

/* Does nothing: a shell's `>` truncates first. */
static int on_truncate(const char *path, off_t size, struct fuse_file_info *file)
{
  (void)path, (void)size, (void)file;
  return 0;
}

static const struct fuse_operations operations = {.getattr = on_getattr,
                                                  .readdir = on_readdir,
                                                  .open = on_open,
                                                  .read = on_read,
                                                  .write = on_write,
                                                  .truncate = on_truncate};

/* Signals that end the mount are read, not handled: a signal between a request and its answer would lose the
 * request. */
static int open_signals(sigset_t *ret_before)
{
  sigset_t ends;
  sigemptyset(&ends);
  sigaddset(&ends, SIGINT);
  sigaddset(&ends, SIGTERM);
  sigaddset(&ends, SIGHUP);
  sigprocmask(SIG_BLOCK, &ends, ret_before);
  return signalfd(-1, &ends, SFD_CLOEXEC);
}

static pid_t start_command(char *const *argv, const struct signal_settings *signals, const sigset_t *mask)
{
  pid_t parent = getpid(), pid = fork();
  if (pid)
    return pid;
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (getppid() != parent)
    _exit(NOT_FOUND);
  sigprocmask(SIG_SETMASK, mask, NULL);
  signals_restore(signals);
  execvp(argv[0], argv);
  fprintf(stderr, "pmon machine mount: %s: %s\n", argv[0], strerror(errno));
  _exit(NOT_FOUND);
}

/* Event sources: requests, signals, and the exit of the command. */
struct server {
  struct fuse_session *session;
  int signals;
  pid_t pid;   /* 0: there is no command */
  int command; /* becomes readable when it has ended; -1 without one */
  bool asked;  /* the command was asked to end */
  struct process_stop stop;
};

/* The first signal asks the command to end, by SIGTERM where that has an effect; a second one kills it with all
 * processes that it has started: the command may use the files until it exits. Returns true if there is a command. */
static bool ask_to_end(struct server *s)
{
  if (s->pid > 0 && !s->asked)
    process_request_stop(&s->stop, s->pid, SIGTERM);
  else if (s->pid > 0)
    process_kill_all(&s->stop, s->pid);
  s->asked = true;
  return s->pid > 0;
}

/* Answers until the command exits; without a command, until a signal or an unmount. A request is withdrawn when its
 * process is killed: a read must not block for another request then. */
static void serve(struct server *s)
{
  struct fuse_buf request = {.mem = NULL};
  struct signalfd_siginfo signal;
  enum { REQUESTS, SIGNALS, COMMAND, ALL };
  struct pollfd at[ALL] = {{.fd = fuse_session_fd(s->session), .events = POLLIN},
                           {.fd = s->signals, .events = POLLIN},
                           {.fd = s->command, .events = POLLIN}};
  bool on = true;
  fcntl(fuse_session_fd(s->session), F_SETFL, O_NONBLOCK);
  while (on && !at[COMMAND].revents) {
    if (poll(at, ALL, -1) < 0)
      continue;
    if (at[SIGNALS].revents && read(s->signals, &signal, sizeof signal) > 0)
      on = ask_to_end(s);
    const int n = at[REQUESTS].revents ? fuse_session_receive_buf(s->session, &request) : -EAGAIN;
    if (n > 0) {
      fuse_session_process_buf(s->session, &request);
    } else if (n == 0 || at[REQUESTS].revents & (POLLERR | POLLHUP)) {
      at[REQUESTS] = (struct pollfd){.fd = -1}; /* unmounted */
      on = ask_to_end(s);
    }
  }
  free(request.mem);
}

/* Signals, which are blocked: `fd` reads them, and `before` is the mask of the command. */
struct blocked_signals {
  int fd;
  sigset_t before;
};

static int vm_mount_run(struct fuse_session *se, const struct mount_options *o, const struct blocked_signals *signals,
                        char *error, size_t error_size, int *ret_exit_code)
{
  int status = 0;
  struct server s = {.session = se, .signals = signals->fd, .command = -1, .stop = {.signals = o->signals}};
  bool ready = s.signals >= 0;
  if (ready && o->argv) {
    s.pid = start_command(o->argv, o->signals, &signals->before);
    s.command = s.pid > 0 ? (int)syscall(SYS_pidfd_open, s.pid, 0) : -1;
    ready = s.command >= 0;
  }
  if (ready)
    serve(&s);
  else
    snprintf(error, error_size, "%s cannot be started: %s", o->argv ? o->argv[0] : "waiting for signals",
             strerror(errno));
  if (!ready && s.pid > 0)
    kill(s.pid, SIGKILL);
  while (s.pid > 0 && waitpid(s.pid, &status, 0) < 0 && errno == EINTR)
    continue;
  if (s.command >= 0)
    close(s.command);
  *ret_exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return ready ? PMON_OK : PMON_E_IO;
}

int mount_run(const struct mount_options *o, char *error, size_t error_size, int *ret_exit_code)
{
  char *argv[] = {(char[]){"pmon"}, (char[]){"-ofsname=pmon"}, NULL};
  struct fuse_args args = FUSE_ARGS_INIT(2, argv);
  struct mount m = {.options = o};
  struct blocked_signals signals;
  struct stat st;
  if (stat(o->folder, &st) || !S_ISDIR(st.st_mode)) {
    snprintf(error, error_size, "%s is not a folder", o->folder);
    return PMON_E_INVALID;
  }
  tree_init(&m.tree, &(struct tree_shape){o->machine, o->backend, o->platform, o->sockets, o->cores, o->config});
  signals.fd = open_signals(&signals.before); /* before the mount exists: a signal would leave it behind */
  struct fuse *f = fuse_new(&args, &operations, sizeof operations, &m);
  int status = PMON_E_NO_DEVICE;
  *ret_exit_code = 0;
  if (!f) {
    snprintf(error, error_size, "libfuse3 cannot be initialised");
  } else if (fuse_mount(f, o->folder)) {
    snprintf(error, error_size,
             "%s cannot be a mount point: /dev/fuse must exist, and without root pmon needs "
             "Debian's package fuse3",
             o->folder);
  } else {
    struct unmount_watch watch;
    unmount_watch_start(&watch, o->folder);
    status = vm_mount_run(fuse_get_session(f), o, &signals, error, error_size, ret_exit_code);
    unmount_watch_end(&watch);
    fuse_unmount(f);
  }
  if (signals.fd >= 0)
    close(signals.fd);
  sigprocmask(SIG_SETMASK, &signals.before, NULL);
  if (f)
    fuse_destroy(f);
  fuse_opt_free_args(&args);
  return status;
}
