/* SPDX-License-Identifier: MIT */
#include "cli/bench/suite.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char blanks[] = " \t\r";

static const struct {
  const char *word;
  enum bench_kind kind;
} bench_words[] = {{"inject", BENCH_INJECT}, {"later", BENCH_LATER}, {"hold", BENCH_HOLD},   {"run", BENCH_RUN},
                   {"while", BENCH_WHILE},   {"count", BENCH_COUNT}, {"group", BENCH_GROUP}, {"must", BENCH_MUST}};

/* The position while a text is read. */
struct suite_reader {
  struct cli *cli;
  const char *path;
  unsigned number;
  struct bench_suite *suite;
};

static int suite_refuse(const struct suite_reader *r, const char *why)
{
  return cli_fail(r->cli, "%s:%u: %s", r->path, r->number, why);
}

/* Returns the next word, terminated by a NUL; "" at the end. */
static char *suite_word(char **at)
{
  char *word = *at + strspn(*at, blanks);
  *at = word + strcspn(word, blanks);
  if (**at)
    *(*at)++ = 0;
  return word;
}

static bool suite_number(const char *text, uint64_t *ret)
{
  char *end;
  errno = 0;
  *ret = strtoull(text, &end, 0);
  return isdigit((unsigned char)*text) && !*end && !errno;
}

/* Grows an array by one element; NULL: no memory. */
static void *suite_grow(void *array, unsigned *n, size_t size)
{
  char **at = array;
  char *more = realloc(*at, (*n + 1) * size);
  if (!more)
    return NULL;
  *at = more;
  memset(more + *n * size, 0, size);
  return more + (*n)++ * size;
}

bool suite_add(struct bench_suite *s, const struct bench_line *line)
{
  char *text = strdup(line->text);
  struct bench_line *l = text ? suite_grow(&s->line, &s->n_lines, sizeof *l) : NULL;
  if (!l) {
    free(text);
    return false;
  }
  *l = *line;
  l->text = text;
  return true;
}

/* `check NAME [sockets N] [processors N]: BRIEF` */
static int suite_parse_check(const struct suite_reader *r, char *text)
{
  struct bench_suite *s = r->suite;
  char *brief = strchr(text, ':');
  uint64_t number;
  struct bench_check *check = suite_grow(&s->check, &s->n_checks, sizeof *check);
  if (!check)
    return cli_fail_memory(r->cli);
  if (!brief)
    return suite_refuse(r, "expected check NAME [sockets N] [processors N]: DESCRIPTION");
  *brief++ = 0;
  check->name = strdup(suite_word(&text));
  check->brief = strdup(brief + strspn(brief, blanks));
  if (!check->name || !check->brief)
    return cli_fail_memory(r->cli);
  for (char *word; *(word = suite_word(&text));) {
    unsigned *needs = !strcmp(word, "sockets")      ? &check->sockets
                      : !strcmp(word, "processors") ? &check->processors
                                                    : NULL;
    if (!needs || !suite_number(suite_word(&text), &number))
      return suite_refuse(r, "expected check NAME [sockets N] [processors N]: DESCRIPTION");
    *needs = (unsigned)number;
  }
  s->rounds++;
  return CLI_DONE;
}

/* `events UNIT MOST [PMU]` */
static int suite_parse_events(const struct suite_reader *r, char *text)
{
  struct bench_suite *s = r->suite;
  uint64_t number;
  struct bench_events *e = suite_grow(&s->events, &s->n_events, sizeof *e);
  if (!e)
    return cli_fail_memory(r->cli);
  e->unit = strdup(suite_word(&text));
  if (!suite_number(suite_word(&text), &number) || !number)
    return suite_refuse(r, "the number of events is missing");
  e->most = (unsigned)number;
  e->pmu = strdup(suite_word(&text));
  return e->unit && e->pmu ? CLI_DONE : cli_fail_memory(r->cli);
}

static int suite_parse_except(const struct suite_reader *r, char *text)
{
  char **pattern = suite_grow(&r->suite->except, &r->suite->n_excepts, sizeof *pattern);
  if (!pattern || !(*pattern = strdup(suite_word(&text))))
    return cli_fail_memory(r->cli);
  return CLI_DONE;
}

/* `count EVENT N [N]`: the counts on the sockets come last. */
static int suite_parse_count(const struct suite_reader *r, char *text, struct bench_line *line)
{
  line->text = suite_word(&text);
  for (unsigned i = 0; i < BENCH_SOCKETS; i++) {
    const char *word = suite_word(&text);
    if ((*word || !i) && !suite_number(word, &line->want[i]))
      return suite_refuse(r, "expected count EVENT COUNT [COUNT ON SOCKET 1]");
  }
  return CLI_DONE;
}

static int suite_parse_line(const struct suite_reader *r, char *text)
{
  struct bench_suite *s = r->suite;
  const char *word = suite_word(&text);
  size_t i = 0;
  if (!strcmp(word, "check"))
    return suite_parse_check(r, text);
  if (!strcmp(word, "events"))
    return suite_parse_events(r, text);
  if (!strcmp(word, "except"))
    return suite_parse_except(r, text);
  if (!s->n_checks)
    return suite_refuse(r, "expected a check line before this line");
  if (!strcmp(word, "round")) {
    s->rounds++;
    return CLI_DONE;
  }
  while (i < sizeof bench_words / sizeof *bench_words && strcmp(word, bench_words[i].word))
    i++;
  if (i == sizeof bench_words / sizeof *bench_words)
    return suite_refuse(r,
                        "expected check, round, inject, later, hold, run, while, count, group, must, events or except");
  struct bench_line line = {bench_words[i].kind, s->n_checks - 1, s->rounds - 1, text + strspn(text, blanks), {0}};
  const int result = line.kind == BENCH_COUNT ? suite_parse_count(r, text, &line) : CLI_DONE;
  if (result != CLI_DONE)
    return result;
  return suite_add(s, &line) ? CLI_DONE : cli_fail_memory(r->cli);
}

int suite_parse(struct cli *cli, const char *path, const char *text, struct bench_suite *s)
{
  struct suite_reader r = {.cli = cli, .path = path, .suite = s};
  char *copy = strdup(text);
  int result = copy ? CLI_DONE : cli_fail_memory(cli);
  for (char *at = copy, *next; at && result == CLI_DONE; at = next) {
    if ((next = strchr(at, '\n')))
      *next++ = 0;
    r.number++;
    at += strspn(at, blanks);
    if (*at && *at != '#')
      result = suite_parse_line(&r, at);
  }
  free(copy);
  return result;
}

void suite_free(struct bench_suite *s)
{
  for (unsigned i = 0; i < s->n_checks; i++) {
    free(s->check[i].name);
    free(s->check[i].brief);
  }
  for (unsigned i = 0; i < s->n_lines; i++)
    free(s->line[i].text);
  for (unsigned i = 0; i < s->n_events; i++) {
    free(s->events[i].unit);
    free(s->events[i].pmu);
  }
  for (unsigned i = 0; i < s->n_excepts; i++)
    free(s->except[i]);
  free(s->check);
  free(s->line);
  free(s->events);
  free(s->except);
  *s = (struct bench_suite){.n_checks = 0};
}

bool suite_has(const struct bench_suite *s, unsigned check, const struct bench_shape *shape, const char *only)
{
  const struct bench_check *c = &s->check[check];
  const size_t n = strlen(c->name);
  bool named = !only;
  for (const char *at = only; at && *at && !named; at += strcspn(at, ","), at += *at == ',')
    named = strcspn(at, ",") == n && !strncmp(at, c->name, n);
  return named && c->sockets <= shape->sockets && c->processors <= shape->processors;
}
