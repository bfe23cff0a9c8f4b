/* SPDX-License-Identifier: MIT */
#include "src/facts/builder.h"
#include <stdio.h>
#include <stdlib.h>
#include <pmon/status.h>
#include "src/facts/facts.h"
#include "src/facts/derive.h"
#include "src/facts/index.h"
#include "src/facts/full_name.h"

static const uint32_t row_sizes[ROWS_N] = {
#define DB_SIZE(type, name) sizeof(struct type),
    DB_ARRAYS(DB_SIZE)
#undef DB_SIZE
};

static bool take_base(struct builder *b, const struct db *base)
{
  for (uint32_t at = 1; at < base->pool_size; at += (uint32_t)strlen(base->pool + at) + 1)
    builder_intern(b, text_of(base->pool + at));
#define DB_TAKE(type, name)                                                                                            \
  if (!vec_append(&b->rows[ROWS_##name], base->name, base->n_##name) ||                                                \
      !vec_append(&b->pos[ROWS_##name], NULL, base->n_##name))                                                         \
    return false;
  DB_ARRAYS(DB_TAKE)
#undef DB_TAKE
  return !b->no_memory;
}

static bool put_first_extra(struct builder *b)
{
  return builder_push(b, ROWS_umask_extras, &(struct db_umask_extra){0}, (struct facts_pos){0}) != DB_NONE;
}

bool builder_init(struct builder *b, const struct db *base, struct text_error *error)
{
  *b = (struct builder){.error = error};
  names_init(&b->names);
  vec_init(&b->note, 1);
  vec_init(&b->source, 1);
  sha256_init(&b->content);
  vec_init(&b->pool, 1);
  vec_init(&b->strings, sizeof(db_str));
  vec_init(&b->refs, sizeof(struct facts_ref));
  vec_init(&b->own_places, sizeof(struct own_place));
  vec_init(&b->imports, sizeof(struct platform_import));
  vec_init(&b->omissions, sizeof(struct event_omission));
  for (int i = 0; i < ROWS_N; i++) {
    vec_init(&b->rows[i], row_sizes[i]);
    vec_init(&b->pos[i], sizeof(struct facts_pos));
  }
  if (vec_append(&b->pool, "", 1) && (base ? take_base(b, base) : put_first_extra(b)))
    return true;
  builder_fini(b);
  return false;
}

void builder_fini(struct builder *b)
{
  vec_fini(&b->pool);
  vec_fini(&b->strings);
  vec_fini(&b->refs);
  vec_fini(&b->own_places);
  vec_fini(&b->imports);
  vec_fini(&b->omissions);
  vec_fini(&b->note);
  vec_fini(&b->source);
  names_fini(&b->names);
  for (int i = 0; i < ROWS_N; i++) {
    vec_fini(&b->rows[i]);
    vec_fini(&b->pos[i]);
  }
}

static bool strings_grow(struct builder *b)
{
  struct vec bigger;
  uint32_t size = b->strings.n ? b->strings.n * 2 : 1024;
  vec_init(&bigger, sizeof(db_str));
  if (!vec_append(&bigger, NULL, size))
    return false;
  const db_str *old = b->strings.data;
  db_str *slots = bigger.data;
  for (uint32_t i = 0; i < b->strings.n; i++) {
    if (!old[i])
      continue;
    const char *s = build_text(b, old[i]);
    uint32_t at = text_hash_exact(b->names.key, s, strlen(s)) & (size - 1);
    while (slots[at])
      at = (at + 1) & (size - 1);
    slots[at] = old[i];
  }
  vec_fini(&b->strings);
  b->strings = bigger;
  return true;
}

db_str builder_intern(struct builder *b, struct text t)
{
  if (!t.n)
    return 0;
  if (b->n_strings * 2 >= b->strings.n && !strings_grow(b)) {
    b->no_memory = true;
    return 0;
  }
  db_str *slots = b->strings.data;
  uint32_t at = text_hash_exact(b->names.key, t.s, t.n) & (b->strings.n - 1);
  for (; slots[at]; at = (at + 1) & (b->strings.n - 1)) {
    const char *have = build_text(b, slots[at]);
    if (!strncmp(have, t.s, t.n) && !have[t.n])
      return slots[at];
  }
  db_str s = b->pool.n;
  if (!vec_append(&b->pool, t.s, t.n) || !vec_append(&b->pool, "", 1)) {
    b->no_memory = true;
    return 0;
  }
  slots[at] = s;
  b->n_strings++;
  return s;
}

uint32_t builder_push(struct builder *b, enum rows kind, const void *row, struct facts_pos pos)
{
  uint32_t i = b->rows[kind].n;
  if (!vec_append(&b->pos[kind], &pos, 1) || !vec_append(&b->rows[kind], row, 1)) {
    b->no_memory = true;
    return DB_NONE;
  }
  return i;
}

struct db_umask_extra *builder_umask_extra(struct builder *b, uint32_t umask)
{
  uint32_t extra = build_umasks(b, umask)->extra;
  if (!extra) {
    extra = builder_push(b, ROWS_umask_extras, &(struct db_umask_extra){0}, build_pos(b, ROWS_umasks, umask));
    extra = extra == DB_NONE ? 0 : extra;
    build_umasks(b, umask)->extra = extra;
  }
  return build_umask_extras(b, extra);
}

int builder_vfail(struct builder *b, int status, struct facts_pos pos, const char *format, va_list ap)
{
  char text[256];
  const int n = vsnprintf(text, sizeof text, format, ap);
  /* Only rows of the base tables have no position; they were valid in their own platform. */
  if (!pos.file && !pos.line && n > 0 && (size_t)n < sizeof text)
    snprintf(text + n, sizeof text - (size_t)n,
             "; the row is imported: a block that replaces an imported one must keep what other imported rows use");
  text_error_set(b->error, build_text(b, pos.file), pos.line, pos.column, text);
  return status;
}

int builder_fail(struct builder *b, int status, struct facts_pos pos, const char *format, ...)
{
  va_list ap;
  va_start(ap, format);
  builder_vfail(b, status, pos, format, ap);
  va_end(ap);
  return status;
}

int builder_need_steps(struct builder *b, uint64_t steps)
{
  if (builder_step(b, steps))
    return 0;
  text_error_set(
      b->error, "", 0, 0,
      "a platform with fewer references between its blocks expected, its check takes more than 64 steps per byte");
  return PMON_E_RANGE;
}

int builder_freeze(struct builder *b, struct db **ret_db)
{
  struct db *db = calloc(1, sizeof *db);
  if (!db)
    return PMON_E_MEMORY;
  db->pool_size = b->pool.n;
  db->pool = b->pool.data;
  b->pool.data = NULL;
  sha256_end(&b->content, db->content);
#define DB_GIVE(type, name)                                                                                            \
  db->n_##name = b->rows[ROWS_##name].n;                                                                               \
  db->name = b->rows[ROWS_##name].data;                                                                                \
  b->rows[ROWS_##name].data = NULL;
  DB_ARRAYS(DB_GIVE)
#undef DB_GIVE
  builder_fini(b);
  db->index_key = b->user ? text_key_new() : TEXT_KEY_FIXED;
  int status = index_build(db);
  if (!status) {
    derive_columns(db);
    status = listed_build(db);
  }
  if (status) {
    facts_free(db);
    return status;
  }
  *ret_db = db;
  return 0;
}

void facts_free(struct db *db)
{
  if (!db)
    return;
    /* The tables were allocated here; `const` is for their readers. */
#define DB_FREE(type, name) free((void *)(uintptr_t)db->name);
  DB_ARRAYS(DB_FREE)
#undef DB_FREE
  free((void *)(uintptr_t)db->pool);
  free((void *)(uintptr_t)db->index);
  free((void *)(uintptr_t)db->listed);
  free((void *)(uintptr_t)db->listed_places);
  free(db);
}
