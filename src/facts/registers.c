/* SPDX-License-Identifier: MIT */
/* `*.reg`: layouts of registers, overlays, names of values. */
#include "src/facts/parser.h"
#include "src/facts/vocabulary.h"

/* `31:24` or `20` */
static bool bits_of(struct text t, uint8_t *ret_hi, uint8_t *ret_lo)
{
  const char *colon = memchr(t.s, ':', t.n);
  size_t n = colon ? (size_t)(colon - t.s) : t.n;
  uint64_t hi, lo;
  if (!text_number((struct text){t.s, n}, &hi) || hi > 63)
    return false;
  lo = hi;
  if (colon && (!text_number((struct text){colon + 1, t.n - n - 1}, &lo) || lo > hi))
    return false;
  *ret_hi = (uint8_t)hi;
  *ret_lo = (uint8_t)lo;
  return true;
}

static int parse_bits(struct parser *p, uint8_t *ret_hi, uint8_t *ret_lo)
{
  int status = parse_word(p, "bits");
  if (status || bits_of(p->w.t, ret_hi, ret_lo))
    return status;
  return parse_fail(p, PMON_E_SYNTAX, "bits such as 31:24 or 20 expected, not '%.*s'", (int)p->w.t.n, p->w.t.s);
}

static int registers_close(struct parser *p)
{
  const struct db_layout *layout = build_layouts(p->b, p->row);
  struct facts_pos pos = build_pos(p->b, ROWS_layouts, p->row);
  if (!layout->fields.n)
    return builder_fail(p->b, PMON_E_SYNTAX, pos, "rows of bits expected in this block");
  unsigned lo = build_fields(p->b, layout->fields.first + layout->fields.n - 1)->lo;
  if (lo && !(layout->flags & DB_OVERLAY))
    return builder_fail(p->b, PMON_E_SYNTAX, pos, "rows down to bit 0 expected, the last ends at bit %u", lo);
  return 0;
}

static int open_layout(struct parser *p, struct db_layout *layout)
{
  layout->fields.first = build_count(p->b, ROWS_fields);
  layout->base = DB_NONE;
  int status = parse_close_block(p);
  if (status || (status = parse_push(p, ROWS_layouts, layout, &p->row)) != 0)
    return status;
  p->block = BLOCK_LAYOUT;
  p->close = registers_close;
  return 0;
}

/* `register NAME width N` */
static int layout_register(struct parser *p)
{
  struct db_layout layout = {0};
  uint64_t width;
  int status = parse_new_name(p, "name of the layout", &layout.name);
  struct word name = p->w;
  if (status || (status = parse_word(p, "width")) != 0)
    return status;
  if (!text_is(p->w.t, "width"))
    return parse_fail(p, PMON_E_SYNTAX, "`width` expected, not '%.*s'", (int)p->w.t.n, p->w.t.s);
  if ((status = parse_number(p, "width in bits", 64, &width)) != 0)
    return status;
  if (width != 8 && width != 16 && width != 32 && width != 64)
    return parse_fail(p, PMON_E_RANGE, "a width of 8, 16, 32 or 64 expected");
  layout.width = (uint8_t)width;
  p->w = name;
  return open_layout(p, &layout);
}

/* `overlay NAME on LAYOUT` */
static int layout_overlay(struct parser *p)
{
  struct db_layout layout = {.flags = DB_OVERLAY, .width = 64};
  int status = parse_new_name(p, "name of the overlay", &layout.name);
  struct word name = p->w;
  if (status || (status = parse_word(p, "on")) != 0)
    return status;
  if (!text_is(p->w.t, "on"))
    return parse_fail(p, PMON_E_SYNTAX, "`on` expected, not '%.*s'", (int)p->w.t.n, p->w.t.s);
  if ((status = parse_word(p, "name of a layout")) != 0)
    return status;
  struct word base = p->w;
  p->w = name;
  if ((status = open_layout(p, &layout)) != 0)
    return status;
  p->w = base;
  return parse_refer(p, REF_LAYOUT_BASE, p->row, base.t);
}

static int open_values(struct parser *p)
{
  struct db_values values = {.rows.first = build_count(p->b, ROWS_value_rows)};
  int status = parse_name(p, "name of the values", &values.name);
  struct word name = p->w;
  if (status || (status = parse_close_block(p)) != 0)
    return status;
  p->w = name;
  if ((status = parse_push(p, ROWS_values, &values, &p->row)) != 0)
    return status;
  p->block = BLOCK_VALUES;
  return 0;
}

static int layout_brief(struct parser *p)
{
  if (p->block != BLOCK_LAYOUT)
    return parse_fail(p, PMON_E_SYNTAX, "`register` or `overlay` expected before brief");
  return parse_free_text(p, "brief", &build_layouts(p->b, p->row)->brief);
}

/* `alias NAME[,NAME] ...` */
static int layout_alias(struct parser *p)
{
  if (p->block != BLOCK_LAYOUT)
    return parse_fail(p, PMON_E_SYNTAX, "`register` or `overlay` expected before alias");
  return parse_names(p, "name, or names joined by commas", &build_layouts(p->b, p->row)->alias);
}

/* `form core 9:3 2:0`: the text before the numbers, and the bits of the two numbers. */
static int values_form(struct parser *p)
{
  if (p->block != BLOCK_VALUES)
    return parse_fail(p, PMON_E_SYNTAX, "`values` expected before form");
  db_str form;
  uint8_t hi[2], lo[2];
  int status = parse_name(p, "text before the first number", &form);
  for (int i = 0; !status && i < 2; i++)
    status = parse_bits(p, &hi[i], &lo[i]);
  if (status)
    return status;
  struct db_values *values = build_values(p->b, p->row);
  values->form = form;
  values->flags |= DB_FORM;
  memcpy(values->form_hi, hi, 2);
  memcpy(values->form_lo, lo, 2);
  return 0;
}

static int values_row(struct parser *p)
{
  struct db_value row = {0};
  uint32_t at;
  int status = parse_number(p, "value", UINT64_MAX, &row.value);
  if (status || (status = parse_name(p, "name of the value", &row.name)) != 0)
    return status;
  struct db_values *values = build_values(p->b, p->row);
  const uint32_t own = values->rows.first + values->rows.n;
  uint32_t earlier = own;
  if ((status = build_claim(p->b, names_family(CLAIM_VALUES, p->row), row.name, own, &earlier)) != 0)
    return status;
  if (earlier != own)
    return parse_fail(p, PMON_E_CONFLICT, "a new name expected, '%.*s' already has a value", (int)p->w.t.n, p->w.t.s);
  values->rows.n++;
  struct word name = p->w;
  if (parse_more(p) && (status = parse_free_text(p, "meaning", &row.meaning)) != 0)
    return status;
  p->w = name;
  return parse_push(p, ROWS_value_rows, &row, &at);
}

/* Parses the options before the meaning. */
static int field_options(struct parser *p, struct db_field *f, struct word *values)
{
  while (parse_more(p)) {
    struct text rest = p->rest, key, value;
    int status = parse_word(p, "meaning");
    if (status)
      return status;
    if (text_is(p->w.t, "volatile")) {
      f->flags |= DB_VOLATILE;
    } else if (text_is(p->w.t, "sticky")) {
      f->flags |= DB_STICKY;
    } else if (parse_pair(&p->w, &key, &value) && text_is(key, "values")) {
      *values = p->w;
      values->t = value;
    } else if (parse_pair(&p->w, &key, &value) && text_is(key, "alias")) {
      if (value.n > 255)
        return parse_fail(p, PMON_E_RANGE, "other names of at most 255 characters expected");
      f->alias = builder_intern(p->b, value);
    } else if (parse_pair(&p->w, &key, &value) && text_is(key, "preset")) {
      if (!text_number(value, &f->preset) || f->preset >> (f->hi - f->lo) > 1)
        return parse_fail(p, PMON_E_RANGE, "a preset of %u bit%s expected", f->hi - f->lo + 1u,
                          f->hi == f->lo ? "" : "s");
      f->flags |= DB_PRESET;
    } else {
      p->rest = rest;
      break;
    }
  }
  return 0;
}

static int field_place(struct parser *p, const struct db_layout *layout, struct db_field *f)
{
  int status = parse_bits(p, &f->hi, &f->lo);
  if (status)
    return status;
  uint32_t below = layout->width; /* the lowest bit with a row so far */
  if (layout->fields.n)
    below = build_fields(p->b, layout->fields.first + layout->fields.n - 1)->lo;
  if (f->hi >= below)
    return parse_fail(p, PMON_E_CONFLICT,
                      "a row for bits below %u expected, bit %u is in an earlier row or out of order", below, f->hi);
  if (!(layout->flags & DB_OVERLAY) && f->hi + 1u != below)
    return parse_fail(p, PMON_E_SYNTAX, "a row for bit %u expected, there is a gap", below - 1);
  return 0;
}

static int field_name(struct parser *p, const struct db_layout *layout, struct db_field *f)
{
  int status = parse_new_name(p, "name of the field, or -", &f->name);
  if (status)
    return status;
  if (text_is(p->w.t, "-")) {
    f->reserved = 1;
    return 0;
  }
  for (uint32_t i = 0; i < layout->fields.n; i++)
    if (text_is(p->w.t, build_text(p->b, build_fields(p->b, layout->fields.first + i)->name)))
      return parse_fail(p, PMON_E_CONFLICT, "a new name expected, field '%.*s' already exists", (int)p->w.t.n,
                        p->w.t.s);
  return 0;
}

static int field_access(struct parser *p, struct db_field *f)
{
  int status = parse_word(p, "access");
  if (status)
    return status;
  uint32_t access;
  if (vocabulary_find(VOCABULARY_ACCESSES, p->w.t, &access)) {
    f->access = (uint8_t)access;
    return 0;
  }
  return parse_fail(p, PMON_E_SYNTAX, "access rw, ro, wo, w1c, w1s, w0c, rsvd or ign expected, not '%.*s'",
                    (int)p->w.t.n, p->w.t.s);
}

/* `63:32 umask_ext rw 0 [values=NAME] [volatile] [alias=NAME] [preset=N] meaning` */
static int field_row(struct parser *p)
{
  struct db_layout *layout = build_layouts(p->b, p->row);
  struct db_field f = {.values = DB_NONE};
  struct word values = {{NULL, 0}, 0};
  uint32_t at;
  int status = field_place(p, layout, &f);
  struct word bits = p->w;
  if (status || (status = field_name(p, layout, &f)) != 0 || (status = field_access(p, &f)) != 0)
    return status;
  unsigned width = f.hi - f.lo + 1u;
  uint64_t max = width == 64 ? UINT64_MAX : (UINT64_C(1) << width) - 1;
  if ((status = parse_number(p, "reset value", UINT64_MAX, &f.reset)) != 0)
    return status;
  if (f.reset > max)
    return parse_fail(p, PMON_E_RANGE, "a reset value of %u bit%s expected", width, width == 1 ? "" : "s");
  if ((status = field_options(p, &f, &values)) != 0)
    return status;
  if (!f.reserved && (status = parse_free_text(p, "meaning", &f.meaning)) != 0)
    return status;
  if (f.reserved && parse_more(p) && (status = parse_free_text(p, "meaning", &f.meaning)) != 0)
    return status;
  p->w = bits;
  layout->fields.n++;
  if ((status = parse_push(p, ROWS_fields, &f, &at)) != 0 || !values.t.s)
    return status;
  p->w = values;
  return parse_refer(p, REF_FIELD_VALUES, at, values.t);
}

static int registers_row(struct parser *p)
{
  return p->block == BLOCK_VALUES ? values_row(p) : field_row(p);
}

const struct keyword registers_keywords[] = {
    {"register", layout_register}, {"overlay", layout_overlay}, {"values", open_values}, {"brief", layout_brief},
    {"alias", layout_alias},       {"form", values_form},       {NULL, registers_row}};
