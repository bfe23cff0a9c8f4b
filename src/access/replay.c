/* SPDX-License-Identifier: MIT */
/* A backend that replays a log: the same accesses in the same order, and no others. */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <pmon/platform.h>
#include "src/access/replay.h"
#include "src/base/array.h"
#include "src/base/line.h"
#include "src/platform/context.h"

enum { NOTES_MOST = 1024, WORDS = 192, PASSING = 256 };

static const char *const passing_keys[REPLAY_NOTES] = {[REPLAY_REGION] = "# region ", [REPLAY_CONTROL] = "# control "};

struct replay {
  struct pmon_backend backend;
  FILE *file;
  char *path, *line; /* line: the text of `read` */
  struct line read;
  uint64_t line_number, now_ns;
  bool have_line; /* `line` holds the next access or wait */
  bool broken;    /* the caller's accesses differ from the log: all later ones fail */
  char **note;    /* "key value" of the first NOTES_MOST lines with # */
  uint32_t n_notes, note_capacity;
  char passing[REPLAY_NOTES][PASSING]; /* notes of each kind before the current line, or "" */
  char taken[PASSING];                 /* the note that was taken last */
  char text[600];
};

static int break_off(struct replay *r, int status, const char *format, ...)
{
  va_list args;
  int n = snprintf(r->text, sizeof r->text, "%.200s:%" PRIu64 ": ", r->path, r->line_number);
  va_start(args, format);
  vsnprintf(r->text + n, sizeof r->text - (size_t)n, format, args);
  va_end(args);
  r->backend.error_text = r->text;
  r->broken = true;
  return status;
}

/* Stores a note that holds at its place in the log. False: it is of no such kind. */
static bool keep_passing_note(struct replay *r, const char *line)
{
  for (unsigned kind = 0; kind < REPLAY_NOTES; kind++) {
    const size_t n = strlen(passing_keys[kind]);
    if (strncmp(line, passing_keys[kind], n) != 0)
      continue;
    snprintf(r->passing[kind], PASSING, "%.*s", PASSING - 1, line + n);
    return true;
  }
  return false;
}

static int keep_note(struct replay *r, const char *text)
{
  text += strspn(text, "# ");
  if (r->n_notes == NOTES_MOST)
    return 0;
  if (array_grow(&r->note, r->n_notes, &r->note_capacity, sizeof *r->note))
    return PMON_E_MEMORY;
  r->note[r->n_notes] = strdup(text);
  return r->note[r->n_notes++] ? 0 : PMON_E_MEMORY;
}

/* A `state` line describes a register that is not the caller's. */
static bool state_line(const char *line)
{
  const size_t time = strspn(line, "0123456789");
  return time && !strncmp(line + time, " state ", 7);
}

/* Advances to the next line that is an access or a wait: the current line. */
static int next_line(struct replay *r)
{
  while (!r->have_line) {
    errno = 0;
    if (!line_read(r->file, &r->read) && r->read.refused)
      return break_off(r, PMON_E_SYNTAX, LINE_REFUSED);
    size_t n = r->read.n;
    if (!n)
      return break_off(r, ferror(r->file) || errno ? PMON_E_IO : PMON_E_STATE, "%s",
                       errno ? strerror(errno) : "the log ends here, but more accesses follow");
    r->line_number++;
    while (n && (r->line[n - 1] == '\n' || r->line[n - 1] == '\r'))
      r->line[--n] = 0;
    if (*r->line == '#' && !keep_passing_note(r, r->line) && keep_note(r, r->line))
      return break_off(r, PMON_E_MEMORY, "no memory");
    r->have_line = *r->line && *r->line != '#' && !state_line(r->line);
    if (r->have_line && strtoull(r->line, NULL, 10) < r->now_ns)
      return break_off(r, PMON_E_SYNTAX, "the time is earlier than %" PRIu64 " ns, that of the previous line",
                       r->now_ns);
  }
  return 0;
}

/* Returns the status of a failed access; names of no error are PMON_E_IO. */
static int status_of(const char *name)
{
  for (int status = PMON_E_MEMORY; status >= PMON_E_STOLEN; status--)
    if (!strcmp(pmon_status_name(status), name))
      return status;
  return PMON_E_IO;
}

/* Returns the text after the time of the current line. */
static const char *event_text(struct replay *r)
{
  char *end;
  r->now_ns = strtoull(r->line, &end, 10);
  return end + strspn(end, " ");
}

/* Advances past the current line. Notes before it that were not taken are dropped. */
static void replay_pass_line(struct replay *r)
{
  r->have_line = false;
  for (unsigned kind = 0; kind < REPLAY_NOTES; kind++)
    *r->passing[kind] = 0;
}

/* Matches the current line with this access. *ret_value: the value read or written. */
static int replay_answer(struct replay *r, const char *verb, const struct pmon_address *a, uint64_t *ret_value)
{
  char where[64], words[WORDS], *end;
  if (r->broken)
    return PMON_E_STATE;
  int status = next_line(r);
  if (status)
    return status;
  pmon_address_format(a, where, sizeof where);
  size_t n = (size_t)snprintf(words, sizeof words, "%s %" PRIu32 " %s %u ", verb, a->package, where, a->width_bits);
  const char *text = event_text(r);
  if (strncmp(text, words, n))
    return break_off(r, PMON_E_STATE, "the log has \"%.120s\", but the access was \"%.120s\"", text, words);
  uint64_t value = strtoull(text + n, &end, 0);
  if (end == text + n)
    return break_off(r, PMON_E_SYNTAX, "expected a value after \"%s\"", words);
  if (*verb == 'w' && value != *ret_value)
    return break_off(r, PMON_E_STATE, "the log has \"%.120s\", but the value to write is 0x%" PRIx64, text, *ret_value);
  replay_pass_line(r);
  if (*end == ' ') {
    r->backend.error_text = "it failed when the log was made";
    return status_of(end + 1);
  }
  *ret_value = value;
  return 0;
}

static int replay_read(struct pmon_backend *b, const struct pmon_address *a, uint64_t *ret_value)
{
  uint64_t value = 0;
  int status = replay_answer((struct replay *)(void *)b, "read", a, &value);
  if (!status)
    *ret_value = value;
  return status;
}

static int replay_write(struct pmon_backend *b, const struct pmon_address *a, uint64_t value)
{
  return replay_answer((struct replay *)(void *)b, "write", a, &value);
}

static int replay_wait(struct pmon_backend *b, uint64_t until_ns, uint64_t *ret_now_ns, bool *ret_ended)
{
  struct replay *r = (struct replay *)(void *)b;
  (void)until_ns;
  if (r->broken)
    return PMON_E_STATE;
  int status = next_line(r);
  if (status)
    return status;
  const char *text = event_text(r);
  bool ended = !strcmp(text, "end");
  if (!ended && strncmp(text, "wait", 4))
    return break_off(r, PMON_E_STATE, "the log has \"%.120s\", but the caller waits", text);
  replay_pass_line(r);
  if (!ended && text[4]) {
    r->backend.error_text = "it failed when the log was made";
    return status_of(text + 5);
  }
  *ret_now_ns = r->now_ns;
  *ret_ended = ended;
  return 0;
}

static void replay_close(struct pmon_backend *b)
{
  struct replay *r = (struct replay *)(void *)b;
  for (uint32_t i = 0; i < r->n_notes; i++)
    free(r->note[i]);
  free(r->note);
  if (r->file)
    fclose(r->file);
  free(r->path);
  free(r);
}

static const struct pmon_backend_ops ops = {.size = sizeof ops,
                                            .name = "replay",
                                            .read = replay_read,
                                            .write = replay_write,
                                            .wait = replay_wait,
                                            .close = replay_close};

const char *pmon_backend_replay_note(const struct pmon_backend *backend, const char *key, uint32_t i)
{
  const struct replay *r = (const struct replay *)(const void *)backend;
  size_t n = strlen(key);
  for (uint32_t k = 0; k < r->n_notes; k++)
    if (!strncmp(r->note[k], key, n) && r->note[k][n] == ' ' && i-- == 0)
      return r->note[k] + n + 1;
  return NULL;
}

const char *replay_take_note(struct pmon_backend *backend, enum replay_note kind)
{
  struct replay *r = (struct replay *)(void *)backend;
  if (!r->broken && next_line(r) == PMON_E_STATE)
    r->broken = false; /* the end of the log is an error only for an access */
  memcpy(r->taken, r->passing[kind], sizeof r->taken);
  *r->passing[kind] = 0;
  return *r->taken ? r->taken : NULL;
}

static bool is_log(const struct pmon_backend *replay)
{
  const char *version = pmon_backend_replay_note(replay, "pmon-log", 0);
  return version && !strcmp(version, "1");
}

/* Whether the log is of a real host: `machine` is the note of an emulated one. */
static bool is_of_host(const struct pmon_backend *replay)
{
  const char *backend = pmon_backend_replay_note(replay, "backend", 0);
  return backend && strcmp(backend, "machine") && !pmon_backend_replay_note(replay, "machine", 0);
}

int pmon_backend_replay_new(struct pmon_context *context, const char *path, struct pmon_backend **ret_backend)
{
  struct replay *r = calloc(1, sizeof *r);
  if (!r)
    return context_fail(context, PMON_E_MEMORY, 0, "no memory");
  r->backend.ops = &ops;
  r->line = r->read.text;
  r->path = strdup(path);
  r->file = fopen(path, "re");
  int status = 0;
  if (!r->path)
    status = context_fail(context, PMON_E_MEMORY, 0, "no memory");
  else if (!r->file)
    status = context_fail(context, PMON_E_IO, 0, "%s: cannot be read: %s", path, strerror(errno));
  else if ((status = next_line(r)) && (status == PMON_E_IO || status == PMON_E_MEMORY || is_log(&r->backend)))
    status = context_fail(context, status == PMON_E_STATE ? PMON_E_SYNTAX : status, 0, "%s", r->text);
  else if (!is_log(&r->backend))
    status = context_fail(context, PMON_E_SYNTAX, 0,
                          "%s: not a log of register accesses: its first line is not "
                          "\"# pmon-log 1\"",
                          path);
  if (status) {
    replay_close(&r->backend);
    return status;
  }
  const char *packages = pmon_backend_replay_note(&r->backend, "packages", 0);
  unsigned long n = packages ? strtoul(packages, NULL, 10) : 1;
  r->backend.host = is_of_host(&r->backend);
  r->backend.packages = n >= 1 && n <= 64 ? (uint32_t)n : 1;
  *ret_backend = &r->backend;
  return 0;
}
