/* SPDX-License-Identifier: MIT */
/* The output of valgrind's lackey as a source of records. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <pmon/status.h>
#include "machine/trace/reader.h"
#include "machine/trace/ring.h"

#define TEXT_BYTES (1u << 16)
#define RECORDS (1u << 16)
#define MAX_SIZE 4096u         /* no instruction of the architectures that lackey supports accesses more */
#define MAX_LINE_RECORDS 1024u /* for one line: 4096 bytes in pieces, twice for a modify */
#define MAX_INSTRUCTION 64u

struct lackey {
  struct trace_source base;
  struct trace_input *in;
  char text[TEXT_BYTES + 1];
  size_t at, n; /* number of bytes read; number of current bytes */
  bool text_ended;
  uint64_t line; /* number of the current line, from 1 */
  uint64_t record[RECORDS];
  size_t taken, made;
  bool done;
  int failed;
};

static int lackey_syntax_error(struct lackey *l, const char *line, const char *what)
{
  l->done = true;
  l->failed = PMON_E_SYNTAX;
  snprintf(l->base.error, sizeof l->base.error, "%.200s: line %llu: %s: '%.60s'", trace_input_name(l->in),
           (unsigned long long)l->line, what, line);
  return l->failed;
}

/* Returns the next line without its newline; NULL at the end or after a failure (l->failed). */
static char *lackey_next_line(struct lackey *l)
{
  char *line, *end;

  if (!l->text_ended && !memchr(l->text + l->at, '\n', l->n - l->at)) {
    size_t k;
    int rc;

    memmove(l->text, l->text + l->at, l->n - l->at);
    l->n -= l->at;
    l->at = 0;
    rc = trace_input_read(l->in, l->text + l->n, TEXT_BYTES - l->n, &k);
    l->text_ended = l->n + k < TEXT_BYTES;
    l->n += k;
    if (rc < 0) {
      snprintf(l->base.error, sizeof l->base.error, "%s", trace_input_error(l->in));
      l->failed = rc;
    }
  }
  if (l->at == l->n) {
    l->done = true;
    return NULL;
  }
  line = l->text + l->at;
  end = memchr(line, '\n', l->n - l->at);
  l->line++;
  if (!end && (l->failed || !l->text_ended)) {
    l->done = true;
    if (!l->failed)
      lackey_syntax_error(l, "", "the line is too long");
    return NULL; /* the truncated line before damaged data is not a line */
  }
  l->at = end ? (size_t)(end - l->text) + 1 : l->n;
  if (!end)
    end = l->text + l->n;
  *end = 0;
  if (strlen(line) != (size_t)(end - line))
    lackey_syntax_error(l, line, "contains a NUL byte");
  return l->done ? NULL : line;
}

/* Appends one access, split into powers of two that belong to one instruction. */
static void lackey_append_access(struct lackey *l, uint64_t va, uint32_t size, bool store)
{
  while (size) {
    unsigned log2 = 31u - (unsigned)__builtin_clz(size);

    if (log2 > 6)
      log2 = 6;
    l->record[l->made++] = record_access(va, log2, store, 0);
    va += 1u << log2;
    size -= 1u << log2;
  }
}

/* Parses "04222c4,3" after the kind: a hexadecimal address and a decimal size. */
static bool lackey_parse_access(const char *s, uint64_t *ret_va, uint32_t *ret_size)
{
  uint64_t va = 0;
  uint32_t size = 0;
  int n = 0;

  for (; n <= 16; n++, s++) {
    int digit = *s >= '0' && *s <= '9'   ? *s - '0'
                : *s >= 'a' && *s <= 'f' ? *s - 'a' + 10
                : *s >= 'A' && *s <= 'F' ? *s - 'A' + 10
                                         : -1;

    if (digit < 0)
      break;
    va = va << 4 | (uint64_t)digit;
  }
  if (n < 1 || n > 16 || *s++ != ',' || *s < '1' || *s > '9')
    return false;
  for (; *s >= '0' && *s <= '9' && size <= MAX_SIZE; s++)
    size = size * 10 + (uint32_t)(*s - '0');
  if (*s == '\r')
    s++;
  *ret_va = va;
  *ret_size = size;
  return !*s && size <= MAX_SIZE;
}

static int lackey_parse_line(struct lackey *l, const char *line)
{
  uint64_t va;
  uint32_t size;

  if (!line[strspn(line, " \t\r")] || !strncmp(line, "==", 2) || !strncmp(line, "--", 2))
    return 0;
  if (!((line[0] == 'I' && line[1] == ' ' && line[2] == ' ') ||
        (line[0] == ' ' && line[1] && strchr("LSM", line[1]) && line[2] == ' ')) ||
      !lackey_parse_access(line + 3, &va, &size))
    return lackey_syntax_error(l, line, "expected 'I  ADDRESS,SIZE', ' L ADDRESS,SIZE', ' S ...' or ' M ...'");
  if (line[0] == 'I') {
    if (size > MAX_INSTRUCTION)
      return lackey_syntax_error(l, line, "invalid size of an instruction");
    l->record[l->made++] = record_block(va, size, 1);
    return 0;
  }
  if (line[1] != 'S')
    lackey_append_access(l, va, size, false);
  if (line[1] != 'L')
    lackey_append_access(l, va, size, true);
  return 0;
}

static int lackey_await(struct trace_source *s, unsigned thread)
{
  struct lackey *l = (struct lackey *)s;
  char *line;

  (void)thread;
  if (l->taken < l->made)
    return 0;
  l->taken = l->made = 0;
  while (!l->done && l->made + MAX_LINE_RECORDS <= RECORDS && (line = lackey_next_line(l)))
    lackey_parse_line(l, line);
  return 0;
}

static int lackey_poll(struct trace_source *s, unsigned *ret_threads, bool *ret_ended)
{
  const struct lackey *l = (const struct lackey *)s;

  *ret_threads = 1;
  *ret_ended = true; /* the format has one thread */
  return l->failed && l->taken == l->made ? l->failed : 0;
}

static int lackey_window(struct trace_source *s, unsigned thread, struct trace_window *ret)
{
  struct lackey *l = (struct lackey *)s;

  (void)thread;
  *ret = (struct trace_window){.record = l->record + l->taken,
                               .n = l->made - l->taken,
                               .state = l->done && l->taken == l->made ? TRACE_ENDED : TRACE_RUNNING};
  return 0;
}

static void lackey_consume(struct trace_source *s, unsigned thread, size_t n)
{
  struct lackey *l = (struct lackey *)s;

  (void)thread;
  l->taken += n;
}

static void lackey_free(struct trace_source *s)
{
  struct lackey *l = (struct lackey *)s;

  trace_input_close(l->in);
  free(l);
}

static const struct trace_source_ops lackey_ops = {lackey_poll,    lackey_await, lackey_window,
                                                   lackey_consume, lackey_free,  NULL};

/* Whether text begins as lackey's output does: with one of Valgrind's own lines, an access, or an empty line. */
static bool lackey_begins(const char *text)
{
  static const char *const begins[] = {"==", "--", "I  ", " L ", " S ", " M "};
  const char *const end = text + strspn(text, " \t\r");

  for (size_t i = 0; i < sizeof begins / sizeof *begins; i++)
    if (!strncmp(text, begins[i], strlen(begins[i])))
      return true;
  return !*end || *end == '\n';
}

int lackey_source_new(struct trace_input *in, const uint8_t *head, size_t n, char *error, size_t error_size,
                      struct trace_source **ret_source)
{
  struct lackey *l = calloc(1, sizeof *l);

  if (!l) {
    snprintf(error, error_size, "out of memory");
    trace_input_close(in);
    return PMON_E_MEMORY;
  }
  l->base.ops = &lackey_ops;
  l->in = in;
  memcpy(l->text, head, n);
  l->n = n;
  if (memchr(head, 0, n) || !lackey_begins(l->text)) {
    snprintf(error, error_size,
             "%.200s: not a trace; expected a file of `pmon machine record` or the output of `valgrind --tool=lackey "
             "--trace-mem=yes`",
             trace_input_name(in));
    lackey_free(&l->base);
    return PMON_E_SYNTAX;
  }
  *ret_source = &l->base;
  return 0;
}
