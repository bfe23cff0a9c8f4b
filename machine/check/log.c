/* SPDX-License-Identifier: MIT */
#include "machine/check/log.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <pmon/platform.h>
#include <pmon/status.h>
#include "src/base/array.h"
#include "src/base/text.h"
#include "src/platform/address.h"

enum { PACKAGES_MAX = 64 };

struct reader {
  const char *name;
  uint32_t line;
  struct text rest;
  uint64_t time_ns; /* of the previous line */
  char *error;
  size_t error_size;
};

static int log_syntax_error(const struct reader *r, const char *expected, struct text got)
{
  snprintf(r->error, r->error_size, "%.200s: line %" PRIu32 ": expected %s, not '%.*s'", r->name, r->line, expected,
           (int)(got.n < 60 ? got.n : 60), got.s);
  return PMON_E_SYNTAX;
}

static struct text log_next_word(struct reader *r)
{
  return text_take_word(&r->rest);
}

static int log_parse_number(struct reader *r, const char *what, uint64_t most, uint64_t *ret)
{
  struct text t = log_next_word(r);
  return t.n && text_number(t, ret) && *ret <= most ? 0 : log_syntax_error(r, what, t);
}

static int parse_address(struct reader *r, struct pmon_address *a)
{
  struct text got;
  const char *expected = address_take(&r->rest, a, &got);
  return expected ? log_syntax_error(r, expected, got) : 0;
}

/* Parses the name of a status; without a name, the access succeeded. */
static int log_parse_status(struct reader *r, struct log_entry *e)
{
  struct text t = log_next_word(r);
  int8_t status = t.n ? PMON_E_MEMORY : PMON_OK;
  while (status && status >= PMON_E_STOLEN && !text_is(t, pmon_status_name(status)))
    status--;
  e->status = status;
  return status >= PMON_E_STOLEN ? 0
                                 : log_syntax_error(r, "the name of a status, such as PMON_E_IO, or the line's end", t);
}

static const char *const states[] = {"psr", "dcr", "pmv", "tpr"};
enum { STATES = sizeof states / sizeof *states };

/* PACKAGE psr|dcr|pmv|tpr VALUE */
static int parse_state(struct reader *r, struct log_entry *e)
{
  uint64_t package;
  int status = log_parse_number(r, "a package", PACKAGES_MAX - 1, &package);
  struct text t = status ? (struct text){"", 0} : log_next_word(r);
  while (!status && e->address.offset < STATES && !text_is(t, states[e->address.offset]))
    e->address.offset++;
  if (!status && e->address.offset == STATES)
    status = log_syntax_error(r, "psr, dcr, pmv or tpr", t);
  if (!status)
    status = log_parse_number(r, "a value", UINT64_MAX, &e->value);
  e->address.package = status ? 0 : (uint32_t)package;
  return status;
}

/* Parses PACKAGE ADDRESS WIDTH VALUE [STATUS], after the word read or write. */
static int parse_access(struct reader *r, struct log_entry *e)
{
  uint64_t package, width;
  int status = log_parse_number(r, "a package", PACKAGES_MAX - 1, &package);
  if (!status)
    status = parse_address(r, &e->address);
  if (!status)
    status = log_parse_number(r, "a width of 32 or 64", 64, &width);
  if (!status && width != 32 && width != 64)
    status = log_syntax_error(r, "a width of 32 or 64", r->rest);
  if (!status)
    status = log_parse_number(r, "a value", width == 32 ? UINT32_MAX : UINT64_MAX, &e->value);
  if (status)
    return status;
  e->address.package = (uint32_t)package;
  e->address.width_bits = (uint8_t)width;
  return log_parse_status(r, e);
}

/* Parses the time of an entry, which is not earlier than the previous one. */
static int parse_time(struct reader *r, uint64_t *ret_ns)
{
  const int status = log_parse_number(r, "a time in nanoseconds", UINT64_MAX, ret_ns);
  if (status)
    return status;
  if (*ret_ns < r->time_ns) {
    snprintf(r->error, r->error_size,
             "%.200s: line %" PRIu32 ": the time %" PRIu64 " is earlier than %" PRIu64
             ", the time of the previous line",
             r->name, r->line, *ret_ns, r->time_ns);
    return PMON_E_SYNTAX;
  }
  r->time_ns = *ret_ns;
  return PMON_OK;
}

static int parse_entry(struct reader *r, struct log_entry *e)
{
  static const char *const kinds[] = {"read", "write", "wait", "end", "state"};
  enum { KINDS = sizeof kinds / sizeof *kinds };
  *e = (struct log_entry){.line = r->line};
  int status = parse_time(r, &e->time_ns);
  if (status)
    return status;
  const struct text kind = log_next_word(r);
  while (e->kind < KINDS && !text_is(kind, kinds[e->kind]))
    e->kind++;
  if (e->kind == KINDS)
    return log_syntax_error(r, "read, write, wait, end or state", kind);
  if (e->kind == LOG_STATE)
    status = parse_state(r, e);
  else if (e->kind == LOG_READ || e->kind == LOG_WRITE)
    status = parse_access(r, e);
  if (status)
    return status;
  const struct text rest = log_next_word(r);
  return rest.n ? log_syntax_error(r, "the line's end", rest) : PMON_OK;
}

/* Parses `PACKAGE`, after the word units. */
static int log_parse_units(struct reader *r, struct access_log *log)
{
  uint64_t package = 0;
  const int status = log_parse_number(r, "a package", PACKAGES_MAX - 1, &package);
  if (!status)
    log->units_known |= UINT64_C(1) << package;
  return status;
}

/* Parses `PACKAGE UNIT INSTANCE`, after the word absent. */
static int log_parse_absent(struct reader *r, struct access_log *log)
{
  struct log_absent one = {0};
  uint64_t package, instance = 0;
  int status = log_parse_number(r, "a package", PACKAGES_MAX - 1, &package);
  const struct text unit = status ? (struct text){"", 0} : log_next_word(r);
  if (!status && (!unit.n || unit.n >= sizeof one.unit))
    status = log_syntax_error(r, "a unit", unit);
  if (!status)
    status = log_parse_number(r, "a unit's number", UINT32_MAX, &instance);
  if (status)
    return status;
  if (array_grow(&log->absent, log->n_absent, &log->cap_absent, sizeof *log->absent))
    return PMON_E_MEMORY;
  one.package = (uint32_t)package;
  one.instance = (uint32_t)instance;
  one.line = r->line;
  memcpy(one.unit, unit.s, unit.n);
  log->absent[log->n_absent++] = one;
  return 0;
}

/* Parses `PACKAGE PRINTED RIGHT`, after the word counted. */
static int log_parse_count(struct reader *r, struct access_log *log)
{
  struct log_count one = {0};
  uint64_t package;
  int status = log_parse_number(r, "a package", PACKAGES_MAX - 1, &package);
  if (!status)
    status = log_parse_number(r, "the printed count", UINT64_MAX, &one.printed);
  if (!status)
    status = log_parse_number(r, "the correct count", UINT64_MAX, &one.right);
  if (status)
    return status;
  if (array_grow(&log->counts, log->n_counts, &log->cap_counts, sizeof *log->counts))
    return PMON_E_MEMORY;
  one.package = (uint32_t)package;
  log->counts[log->n_counts++] = one;
  return 0;
}

/* Parses a name that fits into `name`. */
static int log_parse_name(struct reader *r, const char *what, char name[CHECK_FIELD_NAME])
{
  const struct text t = log_next_word(r);
  if (!t.n || t.n >= CHECK_FIELD_NAME)
    return log_syntax_error(r, what, t);
  memcpy(name, t.s, t.n);
  return 0;
}

/* Parses `PACKAGE UNIT INSTANCE FIELD=VALUE...`, after the word asked. */
static int log_parse_asked(struct reader *r, struct access_log *log)
{
  struct log_asked note = {.line = r->line};
  struct check_asked *one = &note.is;
  uint64_t package, instance = 0;
  int status = log_parse_number(r, "a package", PACKAGES_MAX - 1, &package);
  if (!status)
    status = log_parse_name(r, "a unit", one->unit);
  if (!status)
    status = log_parse_number(r, "a unit's number", UINT32_MAX, &instance);
  for (struct text t; !status && (t = log_next_word(r)).n;) {
    const char *equal = memchr(t.s, '=', t.n);
    const size_t n = equal ? (size_t)(equal - t.s) : 0;
    struct check_asked_field *f = &one->field[one->n];
    if (!n || n >= sizeof f->name || one->n == CHECK_FIELDS ||
        !text_number((struct text){equal + 1, t.n - n - 1}, &f->value))
      return log_syntax_error(r, "FIELD=VALUE, eight at most", t);
    memcpy(f->name, t.s, n);
    one->n++;
  }
  if (status)
    return status;
  if (array_grow(&log->asked, log->n_asked, &log->cap_asked, sizeof *log->asked))
    return PMON_E_MEMORY;
  one->package = (uint32_t)package;
  one->instance = (uint32_t)instance;
  log->asked[log->n_asked++] = note;
  return 0;
}

/* Parses the rest of a comment that begins with a word of `notes`. Without a number after that word it is prose, which
 * is accepted. */
static int log_parse_note(struct reader *r, struct access_log *log,
                          int (*parse)(struct reader *r, struct access_log *log))
{
  struct reader peek = *r;
  uint64_t package;
  const struct text first = log_next_word(&peek);
  if (!first.n || !text_number(first, &package))
    return 0;
  const int status = parse(r, log);
  const struct text rest = status ? (struct text){"", 0} : log_next_word(r);
  return rest.n ? log_syntax_error(r, "the line's end", rest) : status;
}

/* Parses `# pmon-log 1`, `# platform NAME`, and comments that begin with a word of `notes`. Other comments, and logs
 * without a version line, are accepted. */
static int log_parse_comment(struct reader *r, struct access_log *log)
{
  static const struct {
    const char *word;
    int (*parse)(struct reader *r, struct access_log *log);
  } notes[] = {{"units", log_parse_units},
               {"absent", log_parse_absent},
               {"counted", log_parse_count},
               {"asked", log_parse_asked}};
  const struct text line = r->rest;
  if (!text_is(log_next_word(r), "#"))
    return 0;
  const struct text key = log_next_word(r);
  for (size_t i = 0; i < sizeof notes / sizeof *notes; i++)
    if (text_is(key, notes[i].word))
      return log_parse_note(r, log, notes[i].parse);
  if (text_is(key, "platform")) {
    const struct text name = log_next_word(r);
    snprintf(log->platform, sizeof log->platform, "%.*s", (int)(name.n < sizeof log->platform ? name.n : 0), name.s);
  }
  if (text_is(key, "pmon-log") && !text_is(log_next_word(r), "1"))
    return log_syntax_error(r, "\"# pmon-log 1\", the version that pmon reads", line);
  return 0;
}

static int log_append_entry(struct access_log *log, size_t *room, const struct log_entry *e)
{
  if (log->n == *room) {
    size_t more = *room ? 2 * *room : 256;
    struct log_entry *at = realloc(log->at, more * sizeof *at);
    if (!at)
      return PMON_E_MEMORY;
    log->at = at;
    *room = more;
  }
  log->at[log->n++] = *e;
  if ((e->kind < LOG_WAIT || e->kind == LOG_STATE) && e->address.package >= log->packages)
    log->packages = e->address.package + 1;
  return 0;
}

int log_parse(const char *name, const char *text, size_t n, char *error, size_t error_size, struct access_log *ret)
{
  struct reader r = {.name = name, .error = error, .error_size = error_size};
  size_t room = 0;
  int status = 0;
  *ret = (struct access_log){0};
  snprintf(error, error_size, "no memory for %.200s", name);
  for (size_t at = 0, length; !status && at < n; at += length + 1) {
    const char *newline = memchr(text + at, '\n', n - at);
    struct log_entry e = {0};
    length = newline ? (size_t)(newline - text) - at : n - at;
    r.rest = (struct text){text + at, length};
    r.line++;
    if (length && r.rest.s[length - 1] == '\r')
      r.rest.n--;
    struct reader peek = r;
    const struct text first = log_next_word(&peek);
    if (!first.n || *first.s == '#') {
      if ((status = log_parse_comment(&r, ret)) == 0)
        continue;
    } else {
      status = parse_entry(&r, &e);
    }
    if (!status)
      status = log_append_entry(ret, &room, &e);
  }
  if (status)
    log_fini(ret);
  return status;
}

void log_fini(struct access_log *log)
{
  free(log->at);
  free(log->absent);
  free(log->counts);
  free(log->asked);
  *log = (struct access_log){0};
}

void log_format(const struct log_entry *e, char *text, size_t size)
{
  char address[64];
  if (e->kind == LOG_STATE) {
    snprintf(text, size, "%" PRIu64 " state %" PRIu32 " %s 0x%" PRIx64, e->time_ns, e->address.package,
             states[e->address.offset], e->value);
    return;
  }
  if (e->kind >= LOG_WAIT) {
    snprintf(text, size, "%" PRIu64 " %s", e->time_ns, e->kind == LOG_END ? "end" : "wait");
    return;
  }
  pmon_address_format(&e->address, address, sizeof address);
  snprintf(text, size, "%" PRIu64 " %s %" PRIu32 " %s %u 0x%" PRIx64 "%s%s", e->time_ns,
           e->kind == LOG_WRITE ? "write" : "read", e->address.package, address, e->address.width_bits, e->value,
           e->status ? " " : "", e->status ? pmon_status_name(e->status) : "");
}

bool log_same(const struct log_entry *a, const struct log_entry *b)
{
  if (a->kind == LOG_STATE && b->kind == LOG_STATE)
    return a->address.package == b->address.package && a->address.offset == b->address.offset;
  if (a->kind >= LOG_WAIT || b->kind >= LOG_WAIT)
    return a->kind == b->kind;
  return a->kind == b->kind && !a->status == !b->status && a->address.package == b->address.package &&
         a->address.space == b->address.space && a->address.device == b->address.device &&
         a->address.offset == b->address.offset && a->address.width_bits == b->address.width_bits;
}
