/* SPDX-License-Identifier: MIT */
/* Reads a journal (journal.h), which is not trusted, and restores the registers of its session. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "src/access/direct.h"
#include "src/access/register.h"
#include "src/access/wrap.h"
#include "src/base/array.h"
#include "src/base/sha256.h"
#include "src/platform/context.h"
#include "src/platform/platform.h"
#include "src/session/journal.h"
#include "src/session/session.h"

enum { LINES_BEFORE = 4, LINE_SIZE = 200 }; /* lines before the registers */

struct pmon_journal {
  struct pmon_context *context;
  char *path, *text;
  size_t size;
  const struct pmon_platform *platform;
  uint32_t line;
  int fd, process;
  bool complete;
  struct pmon_session s;
};

static int journal_refuse(const struct pmon_journal *j, const char *what)
{
  return context_fail(j->context, PMON_E_SYNTAX, 0, "%s:%" PRIu32 ": %s", j->path, j->line, what);
}

static int find_space(const char *name, uint8_t *ret_space)
{
  for (uint8_t i = 0; i <= PMON_SPACE_RESCTRL; i++)
    if (!strcmp(pmon_space_name(i), name)) {
      *ret_space = i;
      return 0;
    }
  return PMON_E_UNKNOWN;
}

/* Sets the fields of a register that follow from its role, such as the phase in which it is restored. */
static void take_role(const struct pmon_platform *p, struct session_register *r)
{
  struct pmon_register_info info = {.size = sizeof info};
  platform_get_register(p, r->id.unit, r->id.reg, &info);
  r->phase = (uint8_t)session_phase_of_role(info.role);
  r->writable = access_writable(p, &r->id);
  r->stable = access_stable(p, &r->id);
  session_find_freeze(p, r);
  r->now = r->saved;
  r->written = r->writable != 0;
}

static int journal_read_register(struct pmon_journal *j, const char *line)
{
  struct session_register r = {0};
  char space[8] = "", rest;
  unsigned width = 0;
  if (array_grow(&j->s.regs, j->s.n_regs, &j->s.cap_regs, sizeof r))
    return context_fail(j->context, PMON_E_MEMORY, 0, "no memory for a journal");
  if (sscanf(line, "%" SCNu32 " %7s %" SCNx32 " %" SCNx64 " %u %" SCNx64 " %c", &r.address.package, space,
             &r.address.device, &r.address.offset, &width, &r.saved, &rest) != 6 ||
      find_space(space, &r.address.space) || r.address.package > 63)
    return journal_refuse(j, "expected package, space, device, offset, width and content of a register");
  struct pmon_address at = {.space = r.address.space, .device = r.address.device, .offset = r.address.offset};
  struct pmon_address whole;
  at.width_bits = r.address.width_bits = (uint8_t)width;
  if (!platform_register_at(j->platform, &at, &r.id) || pmon_register_address(j->platform, &r.id, &whole) ||
      whole.width_bits != width)
    return journal_refuse(j, "the platform has no monitoring register at this address");
  take_role(j->platform, &r);
  j->s.regs[j->s.n_regs++] = r;
  return 0;
}

/* Finds the platform `NAME`, which is compiled in, or `NAME CONTENT`, which the context has loaded. No file is
 * opened. */
static int journal_find_platform(struct pmon_journal *j, const char *text)
{
  const size_t n = strcspn(text, " ");
  const char *content = text[n] ? text + n + 1 : "";
  for (uint32_t i = 0; i < j->context->n_platforms && !j->platform; i++) {
    const struct pmon_platform *p = j->context->platforms[i];
    const char *name = db_text(p->db, p->row->name);
    if (!strcmp(p->db->content, content) && strlen(name) == n && !strncmp(name, text, n))
      j->platform = p;
  }
  if (!j->platform && *content)
    return context_fail(
        j->context, PMON_E_UNKNOWN, 0,
        "%s:%" PRIu32
        ": its platform is user-supplied (SHA-256 %.16s...), and is not loaded with the same files: add -p FILE",
        j->path, j->line, strspn(content, "0123456789abcdef") == 64 ? content : "damaged");
  if (!j->platform)
    return context_fail(j->context, PMON_E_UNKNOWN, 0, "%s:%" PRIu32 ": no built-in platform has this name", j->path,
                        j->line);
  return pmon_plan_new(j->context, j->platform, &j->s.plan);
}

static int journal_read_boot_line(struct pmon_journal *j, const char *line)
{
  char boot[JOURNAL_BOOT];
  journal_read_boot(boot);
  if (strncmp(line, "boot ", 5))
    return journal_refuse(j, "expected \"boot\" and a boot ID");
  if (strcmp(line + 5, boot) && strcmp(boot, "-") && strcmp(line + 5, "-"))
    return context_fail(j->context, PMON_E_STATE, 0,
                        "%s is from before the last reboot, which reset the registers: remove the file", j->path);
  return 0;
}

static int journal_read_end(struct pmon_journal *j, const char *line, const char *end)
{
  struct sha256 sum;
  char hex[SHA256_HEX], given[SHA256_HEX] = "", rest;
  uint32_t n;
  sha256_init(&sum);
  sha256_add(&sum, j->text, (size_t)(end - j->text));
  sha256_end(&sum, hex);
  if (sscanf(line, "end %" SCNu32 " %64[0-9a-f] %c", &n, given, &rest) != 2 || n != j->s.n_regs)
    return journal_refuse(j, "the number of registers does not match the last line");
  if (strcmp(given, hex))
    return journal_refuse(j, "the file is damaged: its SHA-256 does not match");
  j->complete = true;
  return 0;
}

/* Reads one line, which begins at `at` in the text. */
static int journal_read_line(struct pmon_journal *j, const char *line, const char *at)
{
  char rest;
  if (j->complete)
    return journal_refuse(j, "expected nothing after the end");
  switch (j->line) {
  case 1: return 0; /* journal_parse() has compared it */
  case 2:
    return sscanf(line, "process %d%c", &j->process, &rest) == 1
               ? 0
               : journal_refuse(j, "expected \"process\" and a process ID");
  case 3: return journal_read_boot_line(j, line);
  case LINES_BEFORE:
    return strncmp(line, "platform ", 9) ? journal_refuse(j, "expected \"platform\" and a name")
                                         : journal_find_platform(j, line + 9);
  default: return strncmp(line, "end ", 4) ? journal_read_register(j, line) : journal_read_end(j, line, at);
  }
}

static int journal_parse(struct pmon_journal *j)
{
  static const char header[] = JOURNAL_HEADER;
  const size_t n_header = sizeof header - 1;
  const char *at = j->text, *end = j->text + j->size;
  char line[LINE_SIZE];
  int status = 0;
  j->line = 1;
  if (j->size && memcmp(j->text, header, j->size < n_header ? j->size : n_header))
    return journal_refuse(j, "not a session journal");
  for (; !status && at < end; j->line++) {
    const char *newline = memchr(at, '\n', (size_t)(end - at));
    /* The file was still being written: no register was touched. */
    if (!newline)
      break;
    const size_t n = (size_t)(newline - at);
    if (n >= sizeof line || memchr(at, 0, n))
      return journal_refuse(j, "the line is too long, or is not text");
    memcpy(line, at, n);
    line[n] = 0;
    status = journal_read_line(j, line, at);
    at = newline + 1;
  }
  return status || !j->complete || at == end ? status : journal_refuse(j, "expected nothing after the end");
}

/* True if the name is still that of the open file: its session, or another process, may have removed it meanwhile. */
static bool journal_is_named(const struct pmon_journal *j)
{
  struct stat by_name, open_file;
  return !fstat(j->fd, &open_file) && !lstat(j->path, &by_name) && by_name.st_dev == open_file.st_dev &&
         by_name.st_ino == open_file.st_ino;
}

/* Opens the file once. It must be a regular file, opened by its own name, that only the caller and root can have
 * written. */
static int journal_open_file(struct pmon_journal *j)
{
  struct stat st;
  j->fd = open(j->path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  if (j->fd < 0 || fstat(j->fd, &st))
    return context_fail(j->context, PMON_E_IO, 0, "%s: cannot read: %s", j->path,
                        errno == ELOOP ? "a journal is not read through a symbolic link" : strerror(errno));
  const char *what = !S_ISREG(st.st_mode)                       ? "it is not a regular file"
                     : st.st_uid != geteuid() && st.st_uid != 0 ? "it belongs to another user"
                     : st.st_mode & (S_IWGRP | S_IWOTH)         ? "other users can write it"
                     : st.st_size > JOURNAL_MOST                ? "it is too large for a journal"
                                                                : NULL;
  return what ? context_fail(j->context, PMON_E_PERMISSION, 0, "%s: not used: %s", j->path, what) : 0;
}

static int journal_read(struct pmon_journal *j)
{
  struct stat st;
  const off_t most = fstat(j->fd, &st) ? 0 : st.st_size < JOURNAL_MOST ? st.st_size : JOURNAL_MOST;
  j->text = calloc(1, (size_t)most + 1);
  if (!j->text)
    return context_fail(j->context, PMON_E_MEMORY, 0, "no memory for a journal");
  while (j->size < (size_t)most) {
    const ssize_t n = read(j->fd, j->text + j->size, (size_t)most - j->size);
    if (n < 0 && errno != EINTR)
      return context_fail(j->context, PMON_E_IO, 0, "%s: cannot read: %s", j->path, strerror(errno));
    if (n == 0)
      break;
    j->size += n > 0 ? (size_t)n : 0;
  }
  return 0;
}

/* Reads the text of a file whose session has ended. The lock comes first: text that is read before may be incomplete or
 * outdated. */
static int journal_take(struct pmon_journal *j)
{
  char whose[32] = "";
  const bool ended = journal_lock(j->fd);
  if (ended && !journal_is_named(j))
    return context_fail(j->context, PMON_E_STATE, 0, "%s no longer exists: its session has ended", j->path);
  const int status = journal_read(j);
  if (ended)
    return status;
  if (!status && sscanf(j->text, JOURNAL_HEADER "process %d", &j->process) == 1)
    snprintf(whose, sizeof whose, ", process %d", j->process);
  return context_fail(j->context, PMON_E_STATE, 0,
                      "%s belongs to a session that is running%s: it restores its "
                      "registers when it ends",
                      j->path, whose);
}

int pmon_journal_open(struct pmon_context *context, const char *path, struct pmon_journal **ret_journal)
{
  struct pmon_journal *j = calloc(1, sizeof *j);
  if (!j)
    return context_fail(context, PMON_E_MEMORY, 0, "no memory for a journal");
  *j = (struct pmon_journal){.context = context, .path = strdup(path), .fd = -1};
  int status = j->path ? journal_open_file(j) : context_fail(context, PMON_E_MEMORY, 0, "no memory for a journal");
  if (!status)
    status = journal_take(j);
  if (!status)
    status = journal_parse(j);
  if (status) {
    pmon_journal_close(j);
    return status;
  }
  *ret_journal = j;
  return 0;
}

const struct pmon_platform *pmon_journal_platform(const struct pmon_journal *journal)
{
  return journal->platform;
}

/* Checks before the first write that the backend permits the write of each register. */
static int journal_check_registers(struct pmon_journal *j, struct pmon_backend *backend)
{
  char name[80];
  for (uint32_t i = 0; i < j->s.n_regs; i++) {
    const struct session_register *r = &j->s.regs[i];
    const int status = r->written ? access_check_write(backend, &r->address, r->saved & r->writable) : 0;
    if (!status)
      continue;
    pmon_register_name(j->platform, &r->id, name, sizeof name);
    return context_fail(j->context, status, 0, "%s: %s: %s; nothing was written", j->path, name,
                        backend->error_text ? backend->error_text : pmon_status_name(status));
  }
  return 0;
}

/* Restores the registers under the host's lock. */
static int journal_write_registers(struct pmon_journal *j, struct pmon_backend *backend)
{
  struct pmon_reason reason = {""};
  int status = access_lock(backend, &reason);
  if (status)
    return context_fail(j->context, status, 0, "%s", reason.text);
  j->s.backend = backend;
  j->s.started = true;
  j->s.journal = j->path; /* registers that are not restored now remain in the journal */
  j->s.journal_written = true;
  status = journal_check_registers(j, backend);
  if (!status) {
    session_choose_freeze(&j->s); /* the best scope for the session's registers */
    status = session_restore(&j->s);
  }
  access_unlock(backend);
  return status;
}

int pmon_journal_restore(struct pmon_journal *j, struct pmon_backend *backend, uint32_t *ret_registers)
{
  if (!backend_is_sized(backend))
    return context_fail(j->context, PMON_E_INVALID, 0, "the backend's operations have no size");
  const int status = j->complete ? journal_write_registers(j, backend) : 0;
  if (status)
    return status;
  /* Another process may have restored the journal meanwhile, and a new session may have one of the same name. */
  if (!journal_is_named(j) || unlink(j->path))
    return context_fail(j->context, PMON_E_IO, 0, "%s: cannot remove: %s", j->path, strerror(errno));
  *ret_registers = j->complete ? j->s.n_regs : 0;
  return 0;
}

void pmon_journal_close(struct pmon_journal *j)
{
  if (!j)
    return;
  if (j->fd >= 0)
    close(j->fd);
  free(j->s.regs);
  pmon_plan_free(j->s.plan);
  free(j->text);
  free(j->path);
  free(j);
}

int pmon_restore(struct pmon_context *context, struct pmon_backend *backend, const char *path, uint32_t *ret_registers)
{
  struct pmon_journal *j = NULL;
  if (!backend_is_sized(backend))
    return context_fail(context, PMON_E_INVALID, 0, "the backend's operations have no size");
  int status = pmon_journal_open(context, path, &j);
  if (!status)
    status = pmon_journal_restore(j, backend, ret_registers);
  pmon_journal_close(j);
  return status;
}
