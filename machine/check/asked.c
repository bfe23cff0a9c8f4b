/* SPDX-License-Identifier: MIT */
/*
 * Compares the requested event with the controls that count. Accesses alone do not show that a driver writes a field to
 * a wrong position and masks it there: the resulting control is correct, but for another event. If the request is
 * known, a control must count with the requested fields; if none does, the control that counts the event with the most
 * of them is reported to lack the others.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <pmon/status.h>
#include "machine/check/state.h"
#include "src/base/array.h"
#include "src/facts/field.h"

static const char event_code[] = "ev_sel";

/* Returns the unit's row; DB_NONE: the platform has no unit of that name and number. */
static uint32_t asked_unit(const struct checker *c, const struct check_asked *asked)
{
  const struct db_span span = c->platform->row->units;
  for (uint32_t u = span.first; u < span.first + span.n; u++)
    if (!strcmp(asked->unit, db_text(c->db, c->db->units[u].name)))
      return asked->instance < c->db->units[u].instances ? u : DB_NONE;
  return DB_NONE;
}

/* The field of a unit's controls; NULL: they have none of that name. */
static const struct db_field *control_field(const struct checker *c, uint32_t unit, const char *name)
{
  const uint32_t control = platform_register(c->db, unit, PMON_ROLE_CTL, 0);
  return control == DB_NONE ? NULL : field_of_layout(c, c->db->registers[control].layout, text_of(name));
}

__attribute__((format(printf, 3, 4))) static int refuse(char cause[CHECK_CAUSE], int status, const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(cause, CHECK_CAUSE, format, arguments);
  va_end(arguments);
  return status;
}

static int check_asked_fields(const struct checker *c, uint32_t unit, const struct check_asked *asked,
                              char cause[CHECK_CAUSE])
{
  const struct db_field *field[CHECK_FIELDS];
  bool has_event = false;
  for (uint32_t i = 0; i < asked->n; i++) {
    const struct check_asked_field *f = &asked->field[i];
    if (!(field[i] = control_field(c, unit, f->name)))
      return refuse(cause, PMON_E_INVALID,
                    "the controls of %s have no field %s; `pmon -p %s registers %s` lists their fields", asked->unit,
                    f->name, db_text(c->db, c->platform->row->name), asked->unit);
    if (f->value > field_max(field[i]))
      return refuse(cause, PMON_E_INVALID,
                    "%s=0x%" PRIx64 " does not fit into the field, whose largest value is 0x%" PRIx64, f->name,
                    f->value, field_max(field[i]));
    for (uint32_t k = 0; k < i; k++)
      if (field[k] == field[i]) /* by its name or an alias */
        return refuse(cause, PMON_E_INVALID, "the field %s is given twice; remove one of the values", f->name);
    has_event = has_event || !strcmp(f->name, event_code);
  }
  return has_event
             ? PMON_OK
             : refuse(cause, PMON_E_INVALID, "%s is missing; add %s=CODE, the event's code", event_code, event_code);
}

int check_ask(struct checker *c, const struct check_asked *asked, char cause[CHECK_CAUSE])
{
  const uint32_t unit = asked_unit(c, asked);
  const int status = unit == DB_NONE ? refuse(cause, PMON_E_UNKNOWN, "the platform has no unit %s%" PRIu32, asked->unit,
                                              asked->instance)
                     : unit_is_absent(c, asked->package, unit, asked->instance)
                         ? refuse(cause, PMON_E_INVALID, "%s%" PRIu32 " of package %" PRIu32 " is absent", asked->unit,
                                  asked->instance, asked->package)
                         : check_asked_fields(c, unit, asked, cause);
  if (status)
    return status;
  if (array_grow(&c->asked, c->n_asked, &c->cap_asked, sizeof *c->asked))
    return PMON_E_MEMORY;
  c->asked[c->n_asked++] = (struct asked){.is = *asked};
  return PMON_OK;
}

static bool field_is(const struct checker *c, const struct seen *control, const struct check_asked_field *f)
{
  uint64_t value;
  return seen_get(c, control, f->name, &value) && value == f->value;
}

/* Returns the number of requested fields that a control has; 0: it counts another event. */
static uint32_t asked_equal(const struct checker *c, const struct seen *control, const struct check_asked *asked)
{
  uint32_t equal = 0;
  for (uint32_t i = 0; i < asked->n; i++) {
    const bool is = field_is(c, control, &asked->field[i]);
    if (!is && !strcmp(asked->field[i].name, event_code))
      return 0;
    equal += is;
  }
  return equal;
}

void asked_observe(struct checker *c, const struct block *b, const struct seen *control)
{
  for (uint32_t k = 0; k < c->n_asked; k++) {
    struct asked *a = &c->asked[k];
    if (a->met || a->is.package != b->package || a->is.instance != b->instance ||
        strcmp(a->is.unit, db_text(c->db, c->db->units[b->unit].name)))
      continue;
    const uint32_t equal = asked_equal(c, control, &a->is);
    a->met = equal == a->is.n;
    if (equal <= a->equal)
      continue;
    a->equal = equal;
    a->index = (uint32_t)(control - c->seen);
    a->access = control->programmed;
    a->time_ns = control->programmed_ns;
    a->value = control->value;
  }
}

void asked_end(struct checker *c)
{
  for (uint32_t k = 0; k < c->n_asked; k++) {
    const struct asked *a = &c->asked[k];
    if (a->met || !a->equal)
      continue;
    struct seen *s = &c->seen[a->index];
    const uint64_t now = s->value;
    const struct db_field *lacks = NULL;
    s->value = a->value;
    for (uint32_t i = 0; i < a->is.n && !lacks; i++)
      if (!field_is(c, s, &a->is.field[i]))
        lacks = seen_field(c, s, a->is.field[i].name);
    const struct rule *r = rule_find(c, RULE_ASKED, s);
    struct check_finding *f = r ? finding_add(c, r, s, lacks, lacks ? field_mask(lacks) : 0) : NULL;
    if (f) {
      f->access = a->access;
      f->time_ns = a->time_ns;
    }
    s->value = now;
  }
}
