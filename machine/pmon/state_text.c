/* SPDX-License-Identifier: MIT */
#include "machine/pmon/state_text.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <pmon/status.h>

struct reading {
  const struct state_table *table;
  struct state_value *values;
  uint32_t expected; /* files list registers in the table's order */
  uint32_t n;        /* registers so far */
  bool ended;
  unsigned line;
  char *error;
  size_t error_size;
};

void state_write_head(FILE *f, const char *platform)
{
  fputs("# register state of the emulated machine: package, register, value, `frozen` if its counters are\n", f);
  fprintf(f, "platform %s\n", platform);
}

void state_write(FILE *f, uint32_t package, const char *name, const struct state_value *v)
{
  fprintf(f, "%" PRIu32 " %s 0x%" PRIx64 "%s\n", package, name, v->value, v->frozen ? " frozen" : "");
}

void state_write_end(FILE *f, uint32_t n)
{
  fprintf(f, "end %" PRIu32 "\n", n);
}

static int wrong(const struct reading *r, int status, const char *what, const char *word)
{
  snprintf(r->error, r->error_size, "line %u: %s '%.60s'", r->line, what, word);
  return status;
}

static bool number(const char *word, uint64_t *ret)
{
  char *end;
  errno = 0;
  *ret = strtoull(word, &end, 0);
  return *word >= '0' && *word <= '9' && !*end && !errno;
}

static uint32_t find(struct reading *r, const char *name)
{
  for (uint32_t n = 0; n < r->table->n; n++) {
    uint32_t i = (r->expected + n) % r->table->n;
    if (!strcmp(r->table->registers[i].name, name)) {
      r->expected = (i + 1) % r->table->n;
      return i;
    }
  }
  return UINT32_MAX;
}

static int read_register(struct reading *r, char *const *words, unsigned n)
{
  const struct state_table *t = r->table;
  char what[80];
  uint64_t package, value;
  if (n < 3 || n > 4 || (n == 4 && strcmp(words[3], "frozen"))) {
    snprintf(what, sizeof what, "expected a %s, a register and its value, not", t->package);
    return wrong(r, PMON_E_SYNTAX, what, words[n - 1]);
  }
  if (!number(words[0], &package) || !number(words[2], &value))
    return wrong(r, PMON_E_SYNTAX, "expected a number, not", words[number(words[0], &package) ? 2 : 0]);
  uint32_t i = find(r, words[1]);
  if (package >= t->packages || i == UINT32_MAX) {
    snprintf(what, sizeof what, "this machine has no %s", i == UINT32_MAX ? "register" : t->package);
    return wrong(r, PMON_E_UNKNOWN, what, i == UINT32_MAX ? words[1] : words[0]);
  }
  if (value & ~t->registers[i].bits)
    return wrong(r, PMON_E_RANGE, "the register does not have all bits of", words[2]);
  if (n == 4 && !t->registers[i].freezes)
    return wrong(r, PMON_E_RANGE, "`frozen` does not apply to the register", words[1]);
  r->values[package * t->n + i] = (struct state_value){value, true, n == 4};
  r->n++;
  return PMON_OK;
}

/* Reads `end N`, after N registers: the file is complete. */
static int state_read_end(struct reading *r, char *const *words, unsigned n)
{
  uint64_t registers;
  if (n != 2 || !number(words[1], &registers))
    return wrong(r, PMON_E_SYNTAX, "expected `end` and the number of registers, not", words[n - 1]);
  if (registers != r->n)
    return wrong(r, PMON_E_SYNTAX, "the file is incomplete: the number of registers before `end` is not", words[1]);
  r->ended = true;
  return PMON_OK;
}

static int read_line(struct reading *r, char *line)
{
  char *words[5], *rest = line, *word;
  unsigned n = 0;
  while (n < 5 && (word = strtok_r(rest, " \t\r", &rest)))
    words[n++] = word;
  if (!n || *words[0] == '#')
    return PMON_OK;
  if (r->ended)
    return wrong(r, PMON_E_SYNTAX, "expected nothing after `end`, not", words[0]);
  if (!strcmp(words[0], "end"))
    return state_read_end(r, words, n);
  if (strcmp(words[0], "platform"))
    return read_register(r, words, n);
  return n == 2 && !strcmp(words[1], r->table->platform)
             ? PMON_OK
             : wrong(r, PMON_E_CONFLICT, "the state is for another platform:", n > 1 ? words[1] : "");
}

int state_read(const struct state_table *table, const char *text, size_t n, struct state_value *values, char *error,
               size_t error_size)
{
  struct reading r = {.table = table, .values = values, .error = error, .error_size = error_size};
  char *copy = malloc(n + 1);
  int status = PMON_OK;
  snprintf(error, error_size, "no memory for the state");
  if (!copy)
    return PMON_E_MEMORY;
  memcpy(copy, text, n);
  copy[n] = 0;
  if (memchr(copy, 0, n)) {
    snprintf(error, error_size, "the state contains a NUL byte; expected text");
    status = PMON_E_SYNTAX;
  }
  for (char *line = copy, *next; status == PMON_OK && line; line = next) {
    next = strchr(line, '\n');
    if (next)
      *next++ = 0;
    r.line++;
    status = read_line(&r, line);
  }
  if (status == PMON_OK && !r.ended)
    status = wrong(&r, PMON_E_SYNTAX, "the file is incomplete: its last line is not", "end N");
  free(copy);
  return status;
}
