/* SPDX-License-Identifier: MIT */
/* Writing a session's journal (journal.h). */
#include "src/session/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include "src/access/register.h"
#include "src/base/sha256.h"
#include "src/platform/context.h"
#include "src/platform/platform.h"
#include "src/session/session.h"

enum { PATH_SIZE = 4096 };

void journal_read_boot(char boot[JOURNAL_BOOT])
{
  FILE *f = fopen("/proc/sys/kernel/random/boot_id", "re");
  if (!f || fscanf(f, "%39[0-9a-f-]", boot) != 1)
    snprintf(boot, JOURNAL_BOOT, "-");
  if (f)
    fclose(f);
}

bool journal_lock(int fd)
{
  return !flock(fd, LOCK_EX | LOCK_NB) || errno != EWOULDBLOCK;
}

static int fail_file(struct pmon_context *context, const char *what, const char *path)
{
  return context_fail(context, PMON_E_IO, 0, "%s: cannot %s: %s", path, what, strerror(errno));
}

/* Returns the compiled platform of the same name that has all of the session's registers; NULL: none. A platform with
 * user-supplied metrics only needs no file to be restored. */
static const struct db_platform *journal_find_compiled(const struct pmon_session *s)
{
  const struct pmon_platform *own = s->plan->platform;
  struct pmon_platform compiled = {.db = &db_builtin};
  struct pmon_register_id id;
  for (uint32_t i = 0; i < db_builtin.n_platforms && !compiled.row; i++)
    if (!strcmp(db_text(&db_builtin, db_builtin.platforms[i].name), db_text(own->db, own->row->name)))
      compiled.row = &db_builtin.platforms[i];
  for (uint32_t i = 0; compiled.row && i < s->n_regs; i++) {
    struct pmon_address at = s->regs[i].address, whole;
    at.package = 0;
    if (!platform_register_at(&compiled, &at, &id) || pmon_register_address(&compiled, &id, &whole) ||
        whole.width_bits != at.width_bits || access_writable(&compiled, &id) != s->regs[i].writable)
      return NULL;
  }
  return compiled.row;
}

static void journal_print(const struct pmon_session *s, FILE *f)
{
  const struct pmon_platform *p = s->plan->platform;
  const bool compiled = !*p->db->content || journal_find_compiled(s);
  char boot[JOURNAL_BOOT];
  journal_read_boot(boot);
  fprintf(f, JOURNAL_HEADER "process %d\nboot %s\nplatform %s%s%s\n", (int)getpid(), boot, db_text(p->db, p->row->name),
          compiled ? "" : " ", compiled ? "" : p->db->content);
  for (uint32_t i = 0; i < s->n_regs; i++) {
    const struct session_register *r = &s->regs[i];
    if (r->missing || (r->phase == PHASE_SAMPLE && !s->buffers_saved))
      continue;
    fprintf(f, "%" PRIu32 " %s 0x%" PRIx32 " 0x%" PRIx64 " %u 0x%" PRIx64 "\n", r->address.package,
            pmon_space_name(r->address.space), r->address.device, r->address.offset, r->address.width_bits, r->saved);
  }
}

/* Returns the whole text, to be freed with free(); NULL: no memory. */
static char *journal_format(const struct pmon_session *s, size_t *ret_size)
{
  char *text = NULL, hex[SHA256_HEX];
  struct sha256 sum;
  uint32_t n = 0;
  FILE *f = open_memstream(&text, ret_size);
  if (!f)
    return NULL;
  for (uint32_t i = 0; i < s->n_regs; i++)
    n += !(s->regs[i].missing || (s->regs[i].phase == PHASE_SAMPLE && !s->buffers_saved));
  journal_print(s, f);
  bool failed = fflush(f) != 0;
  sha256_init(&sum);
  sha256_add(&sum, text, failed ? 0 : *ret_size);
  sha256_end(&sum, hex);
  fprintf(f, "end %" PRIu32 " %s\n", n, hex);
  failed |= ferror(f) != 0;
  if (!fclose(f) && !failed)
    return text;
  free(text);
  return NULL;
}

static bool journal_fill(int fd, const char *text, size_t size)
{
  bool good = fd >= 0 && journal_lock(fd);
  for (size_t done = 0; good && done < size;) {
    const ssize_t n = write(fd, text + done, size - done);
    good = n > 0 || (n < 0 && errno == EINTR);
    done += n > 0 ? (size_t)n : 0;
  }
  return good;
}

/* Renames the file to `path`, unless another file has that name. Some file systems have no hard links (vfat), others no
 * renaming with flags (NFS). */
static bool journal_name(const char *temporary, const char *path, bool replace)
{
  if (replace)
    return !rename(temporary, path);
  if (!renameat2(AT_FDCWD, temporary, AT_FDCWD, path, RENAME_NOREPLACE))
    return true;
  if (errno == EEXIST || link(temporary, path))
    return false;
  unlink(temporary);
  return true;
}

/* Whether the existing file `path` is certainly not a journal, of any version. */
static bool journal_is_foreign(const char *path)
{
  static const char begin[] = "pmon journal ";
  char text[sizeof begin - 1];
  struct stat is;
  const int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  const bool known = fd >= 0 ? !fstat(fd, &is) : !lstat(path, &is);
  const bool regular = known && S_ISREG(is.st_mode);
  const ssize_t n = regular && fd >= 0 ? read(fd, text, sizeof text) : -1;
  if (fd >= 0)
    close(fd);
  return known && (!regular || (n >= 0 && ((size_t)n < sizeof text || memcmp(text, begin, sizeof text))));
}

static int journal_fail_name(struct pmon_context *context, const char *path)
{
  const bool exists = errno == EEXIST;
  if (exists && journal_is_foreign(path))
    return context_fail(context, PMON_E_STATE, 0,
                        "%s: exists and is not a journal, so it is not replaced; choose another file (--journal=FILE)",
                        path);
  if (exists)
    return context_fail(context, PMON_E_STATE, 0,
                        "%s is the journal of another session: `pmon restore %s` restores its registers, unless that "
                        "session still runs",
                        path, path);
  return context_fail(context, PMON_E_IO, 0,
                      "%s: a new file cannot get this name: %s; choose a journal on another file system "
                      "(--journal=FILE)",
                      path, strerror(errno));
}

/* Makes a locked file with that text in the path's directory. It has no name yet, so that nothing remains if this
 * process is killed. -1: not possible on this file system, or the text cannot be written. */
static int journal_make_unnamed(const char *path, const char *text, size_t size)
{
  char folder[PATH_SIZE];
  const char *slash = strrchr(path, '/');
  snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - path + 1) : 1, slash ? path : ".");
  const int fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, S_IRUSR | S_IWUSR);
  if (fd < 0 || journal_fill(fd, text, size))
    return fd;
  close(fd);
  return -1;
}

static bool journal_link(int fd, const char *path)
{
  char file[32];
  snprintf(file, sizeof file, "/proc/self/fd/%d", fd);
  return !linkat(AT_FDCWD, file, AT_FDCWD, path, AT_SYMLINK_FOLLOW);
}

/* Makes a locked file with a temporary name. Before it is locked, `pmon restore` may take it for the leftover of a
 * killed process and remove it: then another one is made. */
static int journal_make_named(char *temporary, const char *path)
{
  enum { TRIES = 8 };
  struct stat st;
  for (int i = 0; i < TRIES; i++) {
    snprintf(temporary, PATH_SIZE, "%s.new-XXXXXX", path);
    const int fd = mkostemp(temporary, O_CLOEXEC);
    if (fd < 0 || (journal_lock(fd) && !fstat(fd, &st) && st.st_nlink))
      return fd;
    unlink(temporary);
    close(fd);
  }
  errno = EBUSY;
  return -1;
}

/* Makes a locked file with that text. Returns its descriptor, or a negative status. The file gets its name once it is
 * complete, so that a concurrent `pmon restore` sees either no journal, or the journal of a running session; an
 * existing file is replaced in one step. */
static int journal_make(struct pmon_context *context, const char *path, bool replace, const char *text, size_t size)
{
  char temporary[PATH_SIZE];
  if ((size_t)snprintf(temporary, sizeof temporary, "%s.new-XXXXXX", path) >= sizeof temporary)
    return context_fail(context, PMON_E_RANGE, 0, "the journal's path is too long");
  int fd = replace ? -1 : journal_make_unnamed(path, text, size);
  if (fd >= 0) {
    if (journal_link(fd, path))
      return fd;
    const bool exists = errno == EEXIST;
    close(fd);
    errno = EEXIST;
    if (exists)
      return journal_fail_name(context, path);
  }
  fd = journal_make_named(temporary, path);
  if (fd < 0)
    return fail_file(context, "create", path);
  const bool filled = journal_fill(fd, text, size);
  if (filled && journal_name(temporary, path, replace))
    return fd;
  const int status = filled ? journal_fail_name(context, path) : fail_file(context, "write", path);
  unlink(temporary);
  close(fd);
  return status;
}

/* False: the session only reads, such as energy or the values of resctrl. */
static bool journal_is_needed(const struct pmon_session *s)
{
  for (uint32_t i = 0; i < s->n_regs; i++)
    if (s->regs[i].writable && !s->regs[i].missing)
      return true;
  return false;
}

int session_write_journal(struct pmon_session *s)
{
  struct pmon_context *context = s->plan->context;
  size_t size = 0;
  if (!s->journal || !journal_is_needed(s))
    return 0;
  char *text = journal_format(s, &size);
  if (!text)
    return context_fail(context, PMON_E_MEMORY, 0, "no memory for a journal");
  const int fd = journal_make(context, s->journal, s->journal_written, text, size);
  free(text);
  if (fd < 0)
    return fd;
  session_close_journal(s);
  s->journal_fd = fd;
  s->journal_written = true;
  return 0;
}

void session_close_journal(struct pmon_session *s)
{
  if (s->journal_written && s->journal_fd >= 0)
    close(s->journal_fd);
  s->journal_fd = -1;
}

void session_drop_journal(struct pmon_session *s)
{
  if (s->journal_written)
    unlink(s->journal);
  session_close_journal(s);
  s->journal_written = false;
}
