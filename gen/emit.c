/* SPDX-License-Identifier: MIT */
/* One function for each kind of row, which writes the members in the order of src/facts/db.h. */
#include "gen/emit.h"
#include <inttypes.h>

static void u64(FILE *f, uint64_t v)
{
  fprintf(f, v > INT32_MAX ? "0x%" PRIx64 "u," : "%" PRIu64 ",", v);
}

static void u32s(FILE *f, const uint32_t *v, int n)
{
  for (int i = 0; i < n; i++)
    u64(f, v[i]);
}
/* Writes the 32-bit members of one row, in order. */
#define WORDS(f, ...)                                                                                                  \
  u32s(f, (const uint32_t[]){__VA_ARGS__}, (int)(sizeof((uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t)))

static void emit_span(FILE *f, struct db_span s)
{
  fprintf(f, "{%" PRIu32 ",%" PRIu32 "},", s.first, s.n);
}

static void origin(FILE *f, const struct db_origin *o)
{
  fprintf(f, "{%" PRIu32 ",%" PRIu32 ",%" PRIu32 "},", o->cite, o->note, o->source);
}

static void emit_db_setting(FILE *f, const struct db_setting *r)
{
  WORDS(f, r->name, r->field, r->filter, r->when);
  u64(f, r->value);
}

static void emit_db_attr(FILE *f, const struct db_attr *r)
{
  WORDS(f, r->key, r->value);
}

static void emit_db_field(FILE *f, const struct db_field *r)
{
  WORDS(f, r->name, r->alias, r->meaning, r->hi, r->lo, r->access, r->reserved, r->flags, r->values);
  u64(f, r->reset);
  u64(f, r->preset);
}

static void emit_db_layout(FILE *f, const struct db_layout *r)
{
  WORDS(f, r->name, r->alias, r->brief);
  origin(f, &r->origin);
  emit_span(f, r->fields);
  WORDS(f, r->width, r->flags, r->base, r->code, r->umask, r->ext, r->code_ext, r->enable, r->overlay);
  u64(f, r->writable);
}

static void emit_db_value(FILE *f, const struct db_value *r)
{
  WORDS(f, r->name, r->meaning);
  u64(f, r->value);
}

static void emit_db_values(FILE *f, const struct db_values *r)
{
  WORDS(f, r->name, r->form);
  origin(f, &r->origin);
  emit_span(f, r->rows);
  WORDS(f, r->flags);
  fprintf(f, "{%u,%u},{%u,%u},", r->form_hi[0], r->form_hi[1], r->form_lo[0], r->form_lo[1]);
}

static void emit_db_place(FILE *f, const struct db_place *r)
{
  u64(f, r->base);
  WORDS(f, r->space, r->device);
}

static void emit_db_register(FILE *f, const struct db_register *r)
{
  WORDS(f, r->name, r->alias, r->role, r->layout, r->count, r->index, r->step, r->width, r->access_bits, r->latched,
        r->exact);
  u64(f, r->offset);
  WORDS(f, r->own_place, r->n_own);
  emit_span(f, r->with);
  WORDS(f, r->narrows_key, r->narrows_value, r->acts, r->excludes, r->idle, r->mask);
}

static void emit_db_import(FILE *f, const struct db_import *r)
{
  WORDS(f, r->set, r->cite);
  emit_span(f, r->settings);
}

static void emit_db_exception(FILE *f, const struct db_exception *r)
{
  WORDS(f, r->first, r->last, r->counters, r->width_bits, r->status, r->ctl, r->ctr);
}

static void emit_db_unit(FILE *f, const struct db_unit *r)
{
  WORDS(f, r->name, r->title, r->prefix, r->perf, r->pfm, r->alias, r->clock, r->root_buses, r->witness);
  origin(f, &r->origin);
  WORDS(f, r->flags, r->instances, r->width_bits, r->discovery, r->counters, r->first_counter, r->root_port, r->ctl,
        r->ctr, r->pfm_length, r->prefix_length);
  emit_span(f, r->registers);
  emit_span(f, r->places);
  emit_span(f, r->imports);
  emit_span(f, r->exceptions);
  emit_span(f, r->bounds);
  emit_span(f, r->kernel);
}

static void emit_db_umask(FILE *f, const struct db_umask *r)
{
  WORDS(f, r->name, r->brief, r->sentence, r->extra);
  u64(f, r->value);
  emit_span(f, r->settings);
  WORDS(f, r->counters, r->flags);
}

static void emit_db_umask_extra(FILE *f, const struct db_umask_extra *r)
{
  u64(f, r->any);
  WORDS(f, r->alias, r->filters);
  origin(f, &r->origin);
  WORDS(f, r->max_inc);
}

static void emit_db_mask(FILE *f, const struct db_mask *r)
{
  u64(f, r->bits);
}

static void emit_db_event(FILE *f, const struct db_event *r)
{
  WORDS(f, r->name, r->alias, r->brief, r->category, r->filters, r->result);
  origin(f, &r->origin);
  WORDS(f, r->set, r->counters, r->max_inc, r->overlay, r->flags, r->fixed_role, r->fixed_index);
  u64(f, r->code);
  fprintf(f, "%a,", r->scale);
  emit_span(f, r->groups);
  emit_span(f, r->settings);
  emit_span(f, r->attrs);
  emit_span(f, r->umasks);
  emit_span(f, r->with);
}

static void emit_db_set(FILE *f, const struct db_set *r)
{
  WORDS(f, r->name);
  emit_span(f, r->events);
}

static void emit_db_metric(FILE *f, const struct db_metric *r)
{
  WORDS(f, r->name, r->brief, r->result, r->equation, r->printed, r->param);
  origin(f, &r->origin);
  WORDS(f, r->unit, r->flags, r->default_place, r->combine, r->param_lo, r->param_hi, r->stale, r->of, r->alias);
}

static void emit_db_group(FILE *f, const struct db_group *r)
{
  WORDS(f, r->name, r->brief);
  origin(f, &r->origin);
  emit_span(f, r->members);
}

static void emit_db_member(FILE *f, const struct db_member *r)
{
  WORDS(f, r->name, r->group, r->metric, r->place);
}

static void emit_db_invariant(FILE *f, const struct db_invariant *r)
{
  WORDS(f, r->name, r->brief, r->holds);
  origin(f, &r->origin);
  WORDS(f, r->unit);
}

static void emit_db_rule(FILE *f, const struct db_rule *r)
{
  WORDS(f, r->name, r->brief, r->test, r->on, r->when, r->needs);
  origin(f, &r->origin);
  WORDS(f, r->unit, r->flags);
}

static void emit_db_clock(FILE *f, const struct db_clock *r)
{
  WORDS(f, r->name, r->meaning);
  u64(f, r->hz);
}

static void emit_db_cpu(FILE *f, const struct db_cpu *r)
{
  WORDS(f, r->vendor, r->family, r->model, r->stepping_lo, r->stepping_hi);
}

static void emit_db_platform(FILE *f, const struct db_platform *r)
{
  WORDS(f, r->name, r->title, r->base);
  origin(f, &r->origin);
  emit_span(f, r->cpus);
  emit_span(f, r->clocks);
  emit_span(f, r->layouts);
  emit_span(f, r->values);
  emit_span(f, r->units);
  emit_span(f, r->sets);
  emit_span(f, r->metrics);
  emit_span(f, r->groups);
  emit_span(f, r->members);
  emit_span(f, r->invariants);
  emit_span(f, r->rules);
}

/* Writes the strings, one a line, each with its terminating zero; characters that are special in C are written in
 * octal. */
static void emit_pool(FILE *f, const char *pool, uint32_t size)
{
  fputs("static const char pool[] =\n\"", f);
  for (uint32_t i = 0; i < size; i++) {
    unsigned char c = (unsigned char)pool[i];
    if (!c && i + 1 < size)
      fputs("\\000\"\n\"", f);
    else if (c && (c < ' ' || c > '~' || c == '"' || c == '\\' || c == '?'))
      fprintf(f, "\\%03o", c);
    else if (c)
      fputc(c, f);
  }
  fputs("\";\n\n", f);
}

static void emit_slots(FILE *f, const char *name, const uint32_t *slots, uint32_t n)
{
  fprintf(f, "static const uint32_t %s[%" PRIu32 "] = {", name, n);
  for (uint32_t i = 0; i < n; i++) {
    if (i % 16 == 0)
      fputc('\n', f);
    u64(f, slots[i]);
  }
  fputs("\n};\n\n", f);
}

static void emit_listed(FILE *f, const struct db *db)
{
  fprintf(f, "static const struct db_listed listed[%" PRIu32 "] = {\n", db->n_listed + 1);
  for (uint32_t i = 0; i < db->n_listed; i++) {
    const struct db_listed *l = &db->listed[i];
    fputc('{', f);
    WORDS(f, l->event, l->unit, l->umask, l->import, l->unit_length, l->event_length, l->umask_length);
    fputs("},\n", f);
  }
  fputs("};\n\n", f);
}

void emit_db(FILE *f, const struct db *db)
{
  fputs("/* Made by pmon-gen from the fact files under data/. */\n#include \"src/facts/db.h\"\n\n", f);
  emit_pool(f, db->pool, db->pool_size);
#define EMIT(type, name)                                                                                               \
  fprintf(f, "static const struct " #type " name_" #name "[%" PRIu32 "] = {\n", db->n_##name + 1);                     \
  for (uint32_t i = 0; i < db->n_##name; i++) {                                                                        \
    fputs("{", f);                                                                                                     \
    emit_##type(f, &db->name[i]);                                                                                      \
    fputs("},\n", f);                                                                                                  \
  }                                                                                                                    \
  fputs("};\n\n", f);
  DB_ARRAYS(EMIT)
#undef EMIT
  emit_slots(f, "index_slots", db->index, db->index_size);
  emit_listed(f, db);
  emit_slots(f, "listed_places", db->listed_places, db->listed_size);
  fputs("const struct db db_builtin = {\n  .pool = pool, .pool_size = sizeof pool,\n", f);
#define POINT(type, name) fprintf(f, "  ." #name " = name_" #name ", .n_" #name " = %" PRIu32 ",\n", db->n_##name);
  DB_ARRAYS(POINT)
#undef POINT
  fprintf(f, "  .index = index_slots, .index_size = %" PRIu32 ",\n", db->index_size);
  fprintf(f, "  .index_key = {UINT64_C(0x%" PRIx64 "), UINT64_C(0x%" PRIx64 ")},\n", db->index_key.start,
          db->index_key.factor);
  fprintf(f,
          "  .listed = listed, .listed_places = listed_places, .n_listed = %" PRIu32 ", .listed_size = %" PRIu32
          ",\n};\n",
          db->n_listed, db->listed_size);
}
