/* SPDX-License-Identifier: MIT */
#include "tests/uncertainty/collection.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/whole_file.h"

enum { LINES_SIZE = 1 << 16 };

static _Noreturn void collection_die(const char *what, const char *text)
{
  fprintf(stderr, "uncertainty: %s: %s\n", what, text);
  exit(2);
}

static void take_words(struct collection *c, const char *keyword, char *words)
{
  const unsigned first = collection_events(c);
  unsigned n = first;
  if (!strcmp(keyword, "slices")) {
    for (char *w = strtok(words, " "); w && c->n_slices < COLLECTION_SLICES; w = strtok(NULL, " "))
      c->slice_ns[c->n_slices++] = strtoull(w, NULL, 10) * 1000;
    return;
  }
  for (char *w = strtok(words, " "); w; w = strtok(NULL, " ")) {
    if (n == COLLECTION_EVENTS || c->n_groups == COLLECTION_GROUPS)
      collection_die("too many events", w);
    c->event[n++] = w;
  }
  c->group_end[c->n_groups++] = n;
  if (!strcmp(keyword, "count"))
    c->n_shared = c->n_groups;
}

static void take_line(struct collection *c, char *line)
{
  char *rest = line + strcspn(line, " ");
  if (!*line || *line == '#')
    return;
  if (!strncmp(line, "set ", 4)) {
    c->settings = line;
    return;
  }
  if (!*rest)
    collection_die("not a line of a collection", line);
  *rest++ = '\0';
  if (!strcmp(line, "platform"))
    c->platform = rest;
  else if (!strcmp(line, "slices") || !strcmp(line, "count") || !strcmp(line, "alone"))
    take_words(c, line, rest);
  else
    collection_die("not a line of a collection", line);
}

void collection_load(const char *path, struct collection *ret)
{
  struct collection c = {.text = whole_file(path)};
  char *next;
  for (char *line = c.text; line && *line; line = next) {
    char *end = strchr(line, '\n');
    next = end ? end + 1 : line + strlen(line);
    const bool of_kind = c.n_kinds && strncmp(line, "kind ", 5);
    if (of_kind)
      continue;
    if (end)
      *end = '\0';
    if (strncmp(line, "kind ", 5)) {
      take_line(&c, line);
      continue;
    }
    if (c.n_kinds == COLLECTION_KINDS)
      collection_die("too many kinds", line);
    line[-(line > c.text)] = '\0'; /* ends the lines of the previous kind */
    c.kind[c.n_kinds++] = (struct kind){line + 5, next};
  }
  if (!c.platform || !c.n_shared || !c.n_slices || !c.n_kinds)
    collection_die("incomplete", path);
  *ret = c;
}

void collection_keep_shared(struct collection *c)
{
  c->n_groups = c->n_shared;
}

void collection_keep_unit(struct collection *c, const char *unit)
{
  const size_t n = strlen(unit);
  unsigned next = 0, kept = 0, groups = 0;
  for (unsigned g = 0; g < c->n_groups; g++) {
    const unsigned before = kept;
    for (; next < c->group_end[g]; next++)
      if (!strncmp(c->event[next], unit, n) && c->event[next][n] == '/')
        c->event[kept++] = c->event[next];
    if (kept > before)
      c->group_end[groups++] = kept;
  }
  if (!groups)
    collection_die("no event is of the unit", unit);
  c->n_groups = groups;
}

void collection_free(struct collection *c)
{
  free(c->text);
}

/* Text that grows up to LINES_SIZE. */
struct lines {
  char *at, *end;
};

static void lines_add(struct lines *l, const char *text, size_t n)
{
  if (n >= (size_t)(l->end - l->at))
    collection_die("too long", text);
  memcpy(l->at, text, n);
  l->at += n;
  *l->at = '\0';
}

/* Appends the text in braces with its value varied for this run: each value independently, by a factor from 0.7 to 1.4.
 * Sizes are rounded to whole lines. */
static void add_varied(struct lines *l, const char *in_braces, unsigned run, unsigned place)
{
  char text[40], *suffix;
  const unsigned twentieths = 14 + (run * 7 + place * (run + 3)) % 15;
  unsigned long long number = strtoull(in_braces, &suffix, 10);
  if (!strncmp(in_braces, "seed}", 5)) {
    number = run + 1;
  } else if (suffix == in_braces || (*suffix != '}' && (suffix[1] != '}' || !strchr("kKM", *suffix)))) {
    collection_die("neither a number nor `seed` in braces", in_braces);
  } else {
    number *= *suffix == 'k' ? 1000 : *suffix == 'K' ? 1 << 10 : *suffix == 'M' ? 1 << 20 : 1;
    number = number * twentieths / 20;
    number -= *suffix == 'K' || *suffix == 'M' ? number % 64 : 0;
  }
  snprintf(text, sizeof text, "%llu", number);
  lines_add(l, text, strlen(text));
}

static void add_line(struct lines *l, const char *line, size_t n, unsigned run)
{
  for (size_t i = 0; i < n; i++) {
    const size_t plain = strcspn(line + i, "{");
    if (plain >= n - i) {
      lines_add(l, line + i, n - i);
      break;
    }
    lines_add(l, line + i, plain);
    i += plain;
    add_varied(l, line + i + 1, run, (unsigned)i);
    i += strcspn(line + i, "}");
  }
  lines_add(l, "\n", 1);
}

char *collection_lines(const struct kind *kind, unsigned run)
{
  struct lines l = {malloc(LINES_SIZE), NULL};
  const char *loop = NULL;
  unsigned long times = 0;
  char *text = l.at;
  if (!text)
    collection_die("no memory", kind->name);
  l.end = text + LINES_SIZE;
  *text = '\0';
  for (const char *line = kind->lines; *line;) {
    const size_t n = strcspn(line, "\n");
    const char *next = line + n + (line[n] == '\n');
    if (!strncmp(line, "repeat ", 7)) {
      times = strtoul(line + 7, NULL, 10);
      loop = next;
    } else if (!strncmp(line, "end", n) && n == 3) {
      next = --times ? loop : next;
    } else if (n && *line != '#') {
      add_line(&l, line, n, run);
    }
    line = next;
  }
  return text;
}
