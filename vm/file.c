/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "vm/file.h"

enum { FILE_MOST = 1 << 28 };
_Static_assert(FILE_MOST == 256 << 20, "the text of the limit");

const char *file_read_error(int error)
{
  return error == EFBIG ? "longer than 256 MiB" : strerror(error);
}

/* False: nothing is read; the buffer keeps its memory. */
static bool file_fill(int fd, struct file_buffer *b, struct file *ret)
{
  size_t n = 0;
  ssize_t got;
  do {
    if (n == FILE_MOST) {
      errno = EFBIG;
      return false;
    }
    if (n == b->room) {
      const size_t room = b->room ? b->room * 2 : 1 << 16;
      uint8_t *larger = realloc(b->bytes, room);
      if (!larger)
        return false;
      *b = (struct file_buffer){larger, room};
    }
    got = read(fd, b->bytes + n, b->room - n);
    n += got > 0 ? (size_t)got : 0;
  } while (got > 0 || (got < 0 && errno == EINTR));
  if (got == 0)
    *ret = (struct file){.bytes = b->bytes, .n = n};
  return got == 0;
}

static bool file_read_fd(int fd, struct file *ret)
{
  struct file_buffer b = {.room = 0};
  if (file_fill(fd, &b, ret))
    return true;
  const int reason = errno;
  free(b.bytes);
  errno = reason;
  return false;
}

/* Makes room for a whole file and the detection of its end. The buffer's pages are kept: new ones cost as much as
 * reading. */
static void file_make_room(int fd, struct file_buffer *b)
{
  struct stat is;
  if (fstat(fd, &is) || !S_ISREG(is.st_mode) || !is.st_size || is.st_size >= FILE_MOST || (size_t)is.st_size < b->room)
    return;
  uint8_t *larger = realloc(b->bytes, (size_t)is.st_size + 1);
  if (larger)
    *b = (struct file_buffer){larger, (size_t)is.st_size + 1};
}

bool file_read_into(const char *path, struct file_buffer *b, struct file *ret)
{
  const int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd >= 0)
    file_make_room(fd, b);
  const bool done = fd >= 0 && file_fill(fd, b, ret);
  const int reason = errno;
  if (fd >= 0)
    close(fd);
  errno = reason;
  return done;
}

bool file_read(const char *path, struct file *ret)
{
  struct file_buffer b = {.room = 0};
  if (file_read_into(path, &b, ret))
    return true;
  const int reason = errno;
  free(b.bytes);
  errno = reason;
  return false;
}

bool file_copy(const struct file *from, struct file *ret)
{
  uint8_t *bytes = malloc(from->n + 1);
  if (!bytes)
    return false;
  memcpy(bytes, from->bytes, from->n);
  *ret = (struct file){bytes, from->n, false};
  return true;
}

bool file_map_fd(int fd, size_t n, struct file *ret)
{
  void *at = mmap(NULL, n, PROT_READ, MAP_PRIVATE, fd, 0);
  if (at == MAP_FAILED)
    return false;
  *ret = (struct file){at, n, true};
  return true;
}

bool file_map(const char *path, struct file *ret)
{
  struct stat is;
  const int fd = open(path, O_RDONLY | O_CLOEXEC);
  bool done = fd >= 0 && !fstat(fd, &is);
  const bool mappable = done && S_ISREG(is.st_mode) && is.st_size > 0 && is.st_size <= FILE_MOST;
  if (done && !(mappable && file_map_fd(fd, (size_t)is.st_size, ret)))
    done = file_read_fd(fd, ret);
  const int reason = errno;
  if (fd >= 0)
    close(fd);
  errno = reason;
  return done;
}

void file_free(struct file *f)
{
  if (f->mapped)
    munmap(f->bytes, f->n);
  else
    free(f->bytes);
  *f = (struct file){.n = 0};
}

bool file_write_fd(int fd, const struct file *f)
{
  ssize_t put = 0;
  for (size_t done = 0; done < f->n && put >= 0; done += (size_t)put)
    put = write(fd, f->bytes + done, f->n - done);
  return put >= 0;
}

int file_memory(const char *name, const void *bytes, size_t n)
{
  int fd = memfd_create(name, MFD_CLOEXEC);
  for (size_t done = 0; fd >= 0 && done < n;) {
    ssize_t put = write(fd, (const char *)bytes + done, n - done);
    if (put <= 0) {
      close(fd);
      return -1;
    }
    done += (size_t)put;
  }
  if (fd >= 0)
    lseek(fd, 0, SEEK_SET);
  return fd;
}

static void become(char *const *argv, int in, int out)
{
  static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGCHLD}; /* those that a caller may block for its own ends */
  sigset_t unblocked;
  sigemptyset(&unblocked);
  for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
    sigaddset(&unblocked, signals[i]);
  sigprocmask(SIG_UNBLOCK, &unblocked, NULL);
  if (in < 0)
    in = open("/dev/null", O_RDONLY | O_CLOEXEC);
  dup2(in, STDIN_FILENO);
  dup2(out, STDOUT_FILENO);
  execvp(argv[0], argv);
  _exit(127);
}

void file_program_begin(struct file_program *p, char *const *argv, int in, bool output)
{
  int ends[2];
  *p = (struct file_program){-1, -1};
  if (pipe2(ends, O_CLOEXEC))
    return;
  p->pid = fork();
  if (p->pid == 0)
    become(argv, in, output ? ends[1] : STDERR_FILENO);
  close(ends[1]);
  p->out = ends[0];
}

int file_program_end(struct file_program *p, struct file *ret)
{
  int status;
  const bool read_all = p->pid < 0 || !ret || file_read_fd(p->out, ret);
  if (p->out >= 0)
    close(p->out);
  if (p->pid < 0)
    return -1;
  while (waitpid(p->pid, &status, 0) < 0)
    if (errno != EINTR)
      return -1;
  if (!read_all)
    return -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

int file_from_program(char *const *argv, int in, struct file *ret)
{
  struct file_program p;
  file_program_begin(&p, argv, in, ret != NULL);
  return file_program_end(&p, ret);
}

bool file_find_program(const char *program, char *path, size_t size)
{
  char text[4096];
  const char *folders = getenv("PATH");
  if (strchr(program, '/'))
    return (size_t)snprintf(path, size, "%s", program) < size && !access(path, X_OK);
  snprintf(text, sizeof text, "%s", folders ? folders : "");
  for (char *at = text, *folder; (folder = strsep(&at, ":"));) {
    snprintf(path, size, "%s/%s", folder, program);
    if (!access(path, X_OK))
      return true;
  }
  return false;
}
