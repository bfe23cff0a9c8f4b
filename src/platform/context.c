/* SPDX-License-Identifier: MIT */
#include "src/platform/context.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "src/base/real.h"
#include "src/base/sized.h"
#include "src/facts/facts.h"

struct context_tables {
  struct context_tables *next;
  struct db *db;
};

/* `named`: the text begins with the column; without a column, it begins after the format's two characters. */
static void context_record(struct pmon_context *c, uint32_t column, bool named, const char *format, va_list ap)
    __attribute__((format(printf, 4, 0)));
static void context_record(struct pmon_context *c, uint32_t column, bool named, const char *format, va_list ap)
{
  int n = 0;
  c->column = column && !c->no_columns ? column + c->before : 0;
  if (named && c->column)
    n = snprintf(c->error, sizeof c->error, "column %u", c->column);
  real_print_list(c->error + n, sizeof c->error - (size_t)n, named && !c->column ? format + 2 : format, ap);
}

int context_fail(struct pmon_context *c, int status, uint32_t column, const char *format, ...)
{
  va_list ap;
  if (!c)
    return status;
  va_start(ap, format);
  context_record(c, column, false, format, ap);
  va_end(ap);
  return c->status = status;
}

int context_fail_at(struct pmon_context *c, int status, uint32_t column, const char *format, ...)
{
  va_list ap;
  if (!c)
    return status;
  va_start(ap, format);
  context_record(c, column, true, format, ap);
  va_end(ap);
  return c->status = status;
}

uint32_t context_begin_part(struct pmon_context *c, uint32_t by)
{
  const uint32_t before = c->before;
  c->before += by;
  return before;
}

void context_end_part(struct pmon_context *c, uint32_t before)
{
  c->before = before;
}

/* Fails because a struct that begins with its size was refused. */
static int fail_sized(struct pmon_context *c, int status, const char *name)
{
  if (status == PMON_E_INVALID)
    return context_fail(c, status, 0, "%s: the size of its struct is not set; set it to sizeof the struct", name);
  return context_fail(c, status, 0, "%s: its struct has a member set that libpmon %s does not have", name,
                      pmon_version());
}

int context_fill(struct pmon_context *c, const char *name, void *to, const void *full, size_t known)
{
  const int status = sized_fill(to, full, known);
  return status ? fail_sized(c, status, name) : PMON_OK;
}

int context_take(struct pmon_context *c, const char *name, void *full, size_t known, const void *from)
{
  const int status = sized_take(full, known, from);
  return status ? fail_sized(c, status, name) : PMON_OK;
}

int context_fail_range(struct pmon_context *c, const char *what, uint64_t i, uint64_t n)
{
  return context_fail(c, PMON_E_RANGE, 0, "%s %llu does not exist: there are %llu, numbered from 0", what,
                      (unsigned long long)i, (unsigned long long)n);
}

int context_fail_perf_only(struct pmon_context *c, const char *unit)
{
  return context_fail(c, PMON_E_UNSUPPORTED, 0,
                      "the register addresses of unit %s are not known for this processor; its events can be counted "
                      "through Linux perf only",
                      unit);
}

/* Adds the platforms of `db`, from row `first` on, before those that the context has. */
static int add_platforms(struct pmon_context *c, const struct db *db, uint32_t first)
{
  uint32_t own = db->n_platforms > first ? db->n_platforms - first : 0, n = c->n_platforms + own;
  struct pmon_platform **all = calloc(n ? n : 1, sizeof *all);
  struct pmon_platform *rows = calloc(own ? own : 1, sizeof *rows);
  if (!all || !rows) {
    free(all);
    free(rows);
    return context_fail(c, PMON_E_MEMORY, 0, "no memory");
  }
  for (uint32_t i = 0; i < own; i++) {
    rows[i] = (struct pmon_platform){.context = c, .db = db, .row = &db->platforms[first + i]};
    rows[i].block = i ? NULL : rows;
    all[i] = &rows[i];
  }
  if (!own)
    free(rows);
  for (uint32_t i = 0; i < c->n_platforms; i++)
    all[own + i] = c->platforms[i];
  free(c->platforms);
  c->platforms = all;
  c->n_platforms = n;
  return PMON_OK;
}

int pmon_context_new(struct pmon_context **ret_context)
{
  struct pmon_context *c = calloc(1, sizeof *c);
  if (!c)
    return PMON_E_MEMORY;
  int status = add_platforms(c, &db_builtin, 0);
  if (status) {
    pmon_context_free(c);
    return status;
  }
  *ret_context = c;
  return PMON_OK;
}

void pmon_context_free(struct pmon_context *context)
{
  if (!context)
    return;
  for (uint32_t i = context->n_platforms; i-- > 0;)
    free(context->platforms[i]->block);
  free(context->platforms);
  while (context->tables) {
    struct context_tables *t = context->tables;
    context->tables = t->next;
    facts_free(t->db);
    free(t);
  }
  free(context);
}

int context_add_tables(struct pmon_context *context, struct db *db, uint32_t first)
{
  struct context_tables *t = calloc(1, sizeof *t);
  int status = t ? add_platforms(context, db, first) : context_fail(context, PMON_E_MEMORY, 0, "no memory");
  if (status) {
    facts_free(db);
    free(t);
    return status;
  }
  *t = (struct context_tables){context->tables, db};
  context->tables = t;
  return PMON_OK;
}

/* Takes over tables that were made on top of the compiled-in ones. `status`: that of making them. */
static int adopt_tables(struct pmon_context *context, int status, struct db *db, const struct text_error *error)
{
  if (status) {
    char text[640];
    text_error_format(error, text, sizeof text);
    return context_fail(context, status, 0, "%s", text);
  }
  return context_add_tables(context, db, db_builtin.n_platforms);
}

int pmon_context_load(struct pmon_context *context, const char *path)
{
  struct text_error error = {.text = ""};
  struct db *db = NULL;
  int status = facts_load(path, &error, &db);
  return adopt_tables(context, status, db, &error);
}

int pmon_context_extend(struct pmon_context *context, const char *platform, const char *files)
{
  const struct db_platform *row = NULL;
  const size_t length = strlen(platform), suffix = sizeof ".platform" - 1;
  struct text_error error = {.text = ""};
  struct db *db = NULL;
  if (strchr(platform, '/') || (length > suffix && !strcmp(platform + length - suffix, ".platform"))) {
    const int loaded = facts_load_with(platform, files, &error, &db);
    return adopt_tables(context, loaded, db, &error);
  }
  for (uint32_t i = 0; i < db_builtin.n_platforms && !row; i++)
    if (text_is(text_of(platform), db_text(&db_builtin, db_builtin.platforms[i].name)))
      row = &db_builtin.platforms[i];
  if (!row)
    return context_fail(context, PMON_E_UNKNOWN, 1, "no built-in platform \"%s\" to which %s could be added", platform,
                        files);
  int status = facts_extend(row, files, &error, &db);
  return adopt_tables(context, status, db, &error);
}

const char *pmon_context_error(const struct pmon_context *context)
{
  return context->error;
}

int pmon_context_error_status(const struct pmon_context *context)
{
  return context->status;
}

uint32_t pmon_context_error_column(const struct pmon_context *context)
{
  return context->column;
}

const char *pmon_version(void)
{
  return PMON_VERSION;
}
