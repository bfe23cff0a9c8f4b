/* SPDX-License-Identifier: MIT */
/*
 * A session's journal: what its registers held, in a file, from before the first write until everything is restored.
 *
 *   pmon journal 1
 *   platform emr
 *   0 msr 0x0 0x2002 64 0x0          package, space, device, offset, width, content
 *   ...
 *   end 12                           how many registers; without it no register was written yet
 *
 * What can be read under a freeze only (buffers of samples) is added in a second writing, before any of it changes.
 *
 * The file outlives the process, not the computer: its registers do not either.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "session.h"
#include "src/access/register.h"
#include "src/access/wrap.h"
#include "src/platform/context.h"
#include "src/platform/platform.h"

enum { PATH_SIZE = 4096 };

static int fail_file(struct pmon_context *context, const char *what, const char *path)
{
  return context_fail(context, PMON_E_IO, 0, "%s: cannot %s: %s", path, what, strerror(errno));
}

int session_write_journal(struct pmon_session *s)
{
  struct pmon_context *context = s->plan->context;
  const struct pmon_platform *p = s->plan->platform;
  uint32_t n = 0;
  if (!s->journal)
    return 0;
  const int again = s->journal_written ? O_TRUNC : O_EXCL;
  char path[PATH_SIZE];
  if ((size_t)snprintf(path, sizeof path, "%s%s", s->journal, s->journal_written ? ".new" : "") >= sizeof path)
    return context_fail(context, PMON_E_RANGE, 0, "the journal's path is too long");
  int fd = open(path, O_WRONLY | O_CREAT | again | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (fd < 0 && errno == EEXIST)
    return context_fail(context, PMON_E_STATE, 0,
                        "%s is the journal of another session: `pmon restore %s` restores its registers, unless "
                        "that session still runs",
                        s->journal, s->journal);
  FILE *f = fd < 0 ? NULL : fdopen(fd, "w");
  if (!f) {
    if (fd >= 0)
      close(fd);
    return fail_file(context, "write", path);
  }
  const bool replaces = s->journal_written;
  s->journal_written = true;
  fprintf(f, "pmon journal 1\nplatform %s\n", db_text(p->db, p->row->name));
  for (uint32_t i = 0; i < s->n_regs; i++) {
    const struct session_register *r = &s->regs[i];
    if (r->missing || (r->phase == PHASE_SAMPLE && !s->buffers_saved))
      continue;
    fprintf(f, "%" PRIu32 " %s 0x%" PRIx32 " 0x%" PRIx64 " %u 0x%" PRIx64 "\n", r->address.package,
            pmon_space_name(r->address.space), r->address.device, r->address.offset, r->address.width_bits, r->saved);
    n++;
  }
  fprintf(f, "end %" PRIu32 "\n", n);
  bool failed = ferror(f) != 0;
  if (fclose(f) || failed)
    return fail_file(context, "write", path);
  /* In one step: at any time there is one that is whole. */
  return replaces && rename(path, s->journal) ? fail_file(context, "replace", s->journal) : 0;
}

void session_drop_journal(struct pmon_session *s)
{
  if (s->journal_written)
    unlink(s->journal);
  s->journal_written = false;
}

/* A journal that is being read. */
struct journal {
  struct pmon_context *context;
  const char *path;
  uint32_t line;
  bool complete;
  struct pmon_session s;
};

static int journal_refuse(const struct journal *j, const char *what)
{
  return context_fail(j->context, PMON_E_SYNTAX, 0, "%s:%" PRIu32 ": %s", j->path, j->line, what);
}

static int find_space(const char *name, uint8_t *ret_space)
{
  for (uint8_t i = 0; i <= PMON_SPACE_DBR; i++)
    if (!strcmp(pmon_space_name(i), name)) {
      *ret_space = i;
      return 0;
    }
  return PMON_E_UNKNOWN;
}

/* The phase in which a register is restored follows from its role. */
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

static int read_register(struct journal *j, const char *line)
{
  struct session_register r = {0};
  char space[8] = "", rest;
  unsigned width = 0;
  if (plan_grow(&j->s.regs, j->s.n_regs, &j->s.cap_regs, sizeof r))
    return context_fail(j->context, PMON_E_MEMORY, 0, "no memory for a journal");
  if (sscanf(line, "%" SCNu32 " %7s %" SCNx32 " %" SCNx64 " %u %" SCNx64 " %c", &r.address.package, space,
             &r.address.device, &r.address.offset, &width, &r.saved, &rest) != 6 ||
      find_space(space, &r.address.space) || r.address.package > 63)
    return journal_refuse(j, "expected package, space, device, offset, width and content of a register");
  struct pmon_address at = {.space = r.address.space, .device = r.address.device, .offset = r.address.offset};
  struct pmon_address whole;
  at.width_bits = r.address.width_bits = (uint8_t)width;
  if (!platform_register_at(j->s.plan->platform, &at, &r.id) ||
      pmon_register_address(j->s.plan->platform, &r.id, &whole) || whole.width_bits != width)
    return journal_refuse(j, "the platform has no monitoring register at this address");
  take_role(j->s.plan->platform, &r);
  j->s.regs[j->s.n_regs++] = r;
  return 0;
}

static int journal_read_line(struct journal *j, char *line)
{
  const struct pmon_platform *platform;
  uint32_t n;
  char rest;
  if (j->line == 1)
    return strcmp(line, "pmon journal 1") ? journal_refuse(j, "not a journal of a session") : 0;
  if (j->complete)
    return journal_refuse(j, "expected nothing after the end");
  if (j->line == 2) {
    if (strncmp(line, "platform ", 9))
      return journal_refuse(j, "expected the platform");
    int status = pmon_platform_find(j->context, line + 9, &platform);
    return status ? status : pmon_plan_new(j->context, platform, &j->s.plan);
  }
  if (strncmp(line, "end ", 4))
    return read_register(j, line);
  if (sscanf(line, "end %" SCNu32 " %c", &n, &rest) != 1 || n != j->s.n_regs)
    return journal_refuse(j, "the number of registers does not match the header");
  j->complete = true;
  return 0;
}

static int read_journal(struct journal *j)
{
  char line[160];
  int status = 0;
  FILE *f = fopen(j->path, "re");
  if (!f)
    return fail_file(j->context, "read", j->path);
  while (!status && fgets(line, sizeof line, f)) {
    size_t n = strcspn(line, "\n");
    j->line++;
    /* The end of a file that was being written: no register was touched. */
    if (!line[n] && feof(f))
      break;
    status = line[n] ? 0 : journal_refuse(j, "the line is too long");
    line[n] = 0;
    if (!status)
      status = journal_read_line(j, line);
  }
  if (!status && ferror(f))
    status = fail_file(j->context, "read", j->path);
  fclose(f);
  return status;
}

int pmon_restore(struct pmon_context *context, struct pmon_backend *backend, const char *path, uint32_t *ret_registers)
{
  struct journal j = {.context = context, .path = path};
  if (!backend_is_sized(backend))
    return context_fail(context, PMON_E_INVALID, 0, "the backend's operations have no size");
  int status = read_journal(&j);
  if (!status && j.complete) {
    j.s.backend = backend;
    j.s.started = true;
    j.s.journal = (char *)(uintptr_t)path; /* registers that are not restored now remain in the journal */
    j.s.journal_written = true;
    session_choose_freeze(&j.s); /* the best of what its session had */
    status = session_restore(&j.s);
  }
  if (!status && unlink(path))
    status = fail_file(context, "remove", path);
  if (!status)
    *ret_registers = j.complete ? j.s.n_regs : 0;
  free(j.s.regs);
  pmon_plan_free(j.s.plan);
  return status;
}
