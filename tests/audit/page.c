/* SPDX-License-Identifier: MIT */
/*
 * Keeps docs/audit.md up to date: the text between `<!-- begin NAME -->` and `<!-- end -->` is generated from the
 * tables of data/audit and from the library. Usage: `page check|write AUDIT_FOLDER PAGE`. check: exits with 1 if the
 * page is out of date; write: updates it. NAME is `counts`, `event-files`, or the name of a table.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <pmon/pmon.h>
#include "tests/audit/event_files.h"

struct count {
  unsigned events, rows, second, codes;
};

static void count_facts(const struct pmon_platform *platform, const char *unit, struct count *c)
{
  struct pmon_event_cursor at = {0};
  struct pmon_event_info info = {.size = sizeof info};
  const char *last = "";
  while (pmon_event_next(platform, UINT32_MAX, &at, &info)) {
    if (strcmp(info.unit, unit) || info.kind != PMON_EVENT_PROGRAMMED)
      continue;
    c->events += strcmp(last, info.event) != 0;
    last = info.event;
    c->rows++;
  }
}

/* Counts the rows of the second transcription's files for a unit, and the guide's own number of events. */
static int count_second(const char *folder, const char *platform, const char *unit, struct count *c)
{
  const char *const names[] = {unit, "messages", "list"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    struct table t;
    char path[4096];
    snprintf(path, sizeof path, "%s/%s-%s.tsv", folder, platform, names[i]);
    if (table_read(path, &t))
      continue;
    for (size_t r = 0; r < t.n_rows; r++)
      c->second += !strcmp(table_cell(&t, r, "unit"), unit);
    table_free(&t);
  }
  struct table t;
  char path[4096];
  snprintf(path, sizeof path, "%s/%s-counts.tsv", folder, platform);
  if (table_read(path, &t))
    return -1;
  for (size_t r = 0; r < t.n_rows; r++)
    if (!strcmp(table_cell(&t, r, "unit"), unit))
      c->codes = (unsigned)atoi(table_cell(&t, r, "events"));
  table_free(&t);
  return 0;
}

static int put_counts(const char *folder, FILE *out)
{
  struct pmon_context *context;
  if (pmon_context_new(&context))
    return -1;
  fprintf(out, "| platform | unit | events | rows: events with their umasks | rows of the second transcription |"
               " events in the guide's table of codes |\n|---|---|---|---|---|---|\n");
  static const char *const platforms[] = {"emr", "snbep", "montecito"};
  int status = 0;
  for (size_t p = 0; p < sizeof platforms / sizeof *platforms && !status; p++) {
    const struct pmon_platform *platform;
    struct pmon_unit_info unit = {.size = sizeof unit};
    struct count all = {0};
    status = pmon_platform_find(context, platforms[p], &platform);
    for (uint32_t u = 0; !status && !pmon_unit_describe(platform, u, &unit); u++) {
      struct count c = {0};
      count_facts(platform, unit.name, &c);
      status = count_second(folder, platforms[p], unit.name, &c);
      if (c.events)
        fprintf(out, "| %s | %s | %u | %u | %u | %u |\n", platforms[p], unit.name, c.events, c.rows, c.second, c.codes);
      all = (struct count){all.events + c.events, all.rows + c.rows, all.second + c.second, all.codes + c.codes};
    }
    fprintf(out, "| **%s** | **all** | %u | %u | %u | %u |\n", platforms[p], all.events, all.rows, all.second,
            all.codes);
  }
  pmon_context_free(context);
  return status;
}

/* Prints how the rows of a unit in Intel's event files compare; nothing unless row `first` is the unit's first row. */
static void put_files_of_unit(struct pmon_context *context, const struct pmon_platform *platform,
                              const struct table *files, size_t first, FILE *out)
{
  const char *unit = table_cell(files, first, "unit");
  unsigned classes[EVENT_FILE_CLASSES] = {0}, n = 0;
  struct pmon_platform_info info = {.size = sizeof info};
  for (size_t r = 0; r < files->n_rows; r++) {
    char what[256];
    if (strcmp(table_cell(files, r, "unit"), unit))
      continue;
    if (r < first)
      return;
    classes[event_file_compare(context, platform, files, r, what)]++;
    n++;
  }
  pmon_platform_describe(platform, &info);
  fprintf(out, "| %s | %s | %u |", info.name, unit, n);
  for (unsigned c = 0; c < EVENT_FILE_CLASSES; c++)
    fprintf(out, " %u |", classes[c]);
  fprintf(out, "\n");
}

static int put_files(const char *folder, FILE *out)
{
  static const char *const platforms[] = {"emr", "snbep", "spr"};
  struct pmon_context *context;
  int status = pmon_context_new(&context);
  if (status)
    return status;
  fprintf(out,
          "| platform | unit | names in the files | the same | other counters | other value | listed, not countable |"
          " unknown here | no such unit here |\n|---|---|---|---|---|---|---|---|---|\n");
  for (size_t p = 0; p < sizeof platforms / sizeof *platforms && !status; p++) {
    const struct pmon_platform *platform;
    struct table files;
    char path[4096];
    snprintf(path, sizeof path, "%s/%s-files.tsv", folder, platforms[p]);
    status = pmon_platform_find(context, platforms[p], &platform);
    if (!status && !(status = table_read(path, &files))) {
      for (size_t r = 0; r < files.n_rows; r++)
        put_files_of_unit(context, platform, &files, r, out);
      table_free(&files);
    }
  }
  pmon_context_free(context);
  return status;
}

/* Prints a table: names and values as code, the last column, the reason, as text. */
static int put_table(const char *folder, const char *name, FILE *out)
{
  char path[4096];
  struct table t;
  snprintf(path, sizeof path, "%s/%s.tsv", folder, name);
  if (table_read(path, &t))
    return -1;
  for (size_t c = 0; c < t.n_columns; c++)
    fprintf(out, "%s%s", c ? " | " : "| ", t.column[c]);
  fprintf(out, " |\n");
  for (size_t c = 0; c < t.n_columns; c++)
    fprintf(out, "|---");
  fprintf(out, "|\n");
  for (size_t r = 0; r < t.n_rows; r++) {
    for (size_t c = 0; c < t.n_columns; c++) {
      const char *cell = t.row[r].cell[c], *code = c + 2 < t.n_columns && strcmp(cell, "-") ? "`" : "";
      fprintf(out, "%s%s%s%s", c ? " | " : "| ", code, cell, code);
    }
    fprintf(out, " |\n");
  }
  fprintf(out, "\n%zu rows.\n", t.n_rows);
  table_free(&t);
  return 0;
}

/* Copies the page with the marked parts generated anew. */
static int renew(const char *folder, FILE *page, FILE *out)
{
  char line[4096], name[64];
  bool inside = false;
  while (fgets(line, sizeof line, page)) {
    if (!strcmp(line, "<!-- end -->\n"))
      inside = false;
    if (!inside)
      fputs(line, out);
    if (sscanf(line, "<!-- begin %63s -->", name) != 1)
      continue;
    inside = true;
    fputs("\n", out);
    int status = !strcmp(name, "counts")        ? put_counts(folder, out)
                 : !strcmp(name, "event-files") ? put_files(folder, out)
                                                : put_table(folder, name, out);
    if (status) {
      fprintf(stderr, "page: no table %s\n", name);
      return -1;
    }
    fputs("\n", out);
  }
  return inside ? -1 : 0;
}

static bool same_file(FILE *page, const char *text, size_t size)
{
  size_t at = 0;
  int c;
  rewind(page);
  while ((c = fgetc(page)) != EOF)
    if (at >= size || (unsigned char)text[at++] != (unsigned char)c)
      return false;
  return at == size;
}

int main(int argc, char **argv)
{
  if (argc != 4 || (strcmp(argv[1], "check") && strcmp(argv[1], "write"))) {
    fprintf(stderr, "usage: page check|write AUDIT_FOLDER PAGE\n");
    return 2;
  }
  char *text = NULL;
  size_t size = 0;
  FILE *page = fopen(argv[3], "r"), *out = open_memstream(&text, &size);
  if (!page || !out || renew(argv[2], page, out) || fclose(out)) {
    fprintf(stderr, "page: cannot make %s\n", argv[3]);
    return 2;
  }
  int status = 0;
  if (!strcmp(argv[1], "check")) {
    status = !same_file(page, text, size);
    if (status)
      fprintf(stderr, "%s is not up to date; renew it with: page write %s %s\n", argv[3], argv[2], argv[3]);
    fclose(page);
  } else {
    fclose(page);
    page = fopen(argv[3], "w");
    status = !page || fwrite(text, 1, size, page) != size || fclose(page) ? 2 : 0;
  }
  free(text);
  return status;
}
