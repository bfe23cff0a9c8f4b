/* SPDX-License-Identifier: MIT */
/*
 * What was to be counted, and what counts. Accesses alone do not show that a driver writes a field to a wrong place and
 * masks it there: the control that results is correct, of another event. Where it is known what was asked for, a
 * control has to count with these fields; the one that counts the event with the most of them is the one that lacks the
 * others.
 */
#include <string.h>
#include <pmon/status.h>
#include "machine/check/state.h"
#include "src/base/array.h"
#include "src/facts/field.h"

static const char event_code[] = "ev_sel";

/* The field of a unit's controls; NULL: they have none of that name. */
static const struct db_field *control_field(const struct checker *c, uint32_t unit, const char *name)
{
  const uint32_t control = platform_register(c->db, unit, PMON_ROLE_CTL, 0);
  const struct seen any = {.unit = unit, .reg = control};
  return control == DB_NONE ? NULL : seen_field(c, &any, name);
}

int check_ask(struct checker *c, const struct check_asked *asked)
{
  const struct db_span span = c->platform->row->units;
  bool good = false, has_event = false;
  for (uint32_t u = span.first; u < span.first + span.n && !good; u++) {
    good = !strcmp(asked->unit, db_text(c->db, c->db->units[u].name));
    for (uint32_t i = 0; good && i < asked->n; i++)
      good = control_field(c, u, asked->field[i].name) != NULL;
  }
  for (uint32_t i = 0; i < asked->n; i++)
    has_event = has_event || !strcmp(asked->field[i].name, event_code);
  if (!good || !has_event)
    return PMON_E_INVALID;
  if (array_grow(&c->asked, c->n_asked, &c->room_asked, sizeof *c->asked))
    return PMON_E_MEMORY;
  c->asked[c->n_asked++] = (struct asked){.is = *asked};
  return PMON_OK;
}

static bool field_is(const struct checker *c, const struct seen *control, const struct check_asked_field *f)
{
  uint64_t value;
  return seen_get(c, control, f->name, &value) && value == f->value;
}

/* The number of fields that a control has as they were asked for; 0: it counts another event. */
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
