/* SPDX-License-Identifier: MIT */
#include "src/platform/context.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "src/facts/facts.h"

struct context_tables { struct context_tables *next; struct db *db; };

int context_fail(struct pmon_context *c, int status, uint32_t column, const char *format, ...)
{
  va_list ap;
  va_start(ap, format);
  vsnprintf(c->error, sizeof c->error, format, ap);
  va_end(ap);
  c->status = status;
  c->column = column;
  return status;
}

/* Puts the platforms of `db`, from the one in row `first` on, before those that the context has. */
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
    rows[i] = (struct pmon_platform){ .context = c, .db = db, .row = &db->platforms[first + i], .block = i ? NULL : rows };
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

int pmon_context_load(struct pmon_context *context, const char *path)
{
  struct context_tables *t = calloc(1, sizeof *t);
  if (!t)
    return context_fail(context, PMON_E_MEMORY, 0, "no memory");
  struct text_error error = { .text = "" };
  int status = facts_load(path, &error, &t->db);
  if (status) {
    free(t);
    char text[640];
    text_error_format(&error, text, sizeof text);
    return context_fail(context, status, 0, "%s", text);
  }
  /* A user's tables begin with the compiled ones, which are known already. */
  status = add_platforms(context, t->db, db_builtin.n_platforms);
  if (status) {
    facts_free(t->db);
    free(t);
    return status;
  }
  t->next = context->tables;
  context->tables = t;
  return PMON_OK;
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
