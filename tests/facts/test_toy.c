/* SPDX-License-Identifier: MIT */
/* The toy platform's files give exactly the expected rows. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "src/facts/index.h"
#include "tests/facts/toy.h"

static struct db *db;

static int toy_set_up(void **state)
{
  (void)state;
  struct toy toy = {.suffix = NULL};
  struct text_error error = {"", 0, 0, ""};
  int status = toy_load(&toy, &error, &db);
  if (status)
    print_error("%s:%u: %s\n", error.file, error.line, error.text);
  return status;
}

static int unload(void **state)
{
  (void)state;
  facts_free(db);
  return 0;
}

static uint32_t unit_named(const char *name)
{
  return db_find_unit(db, 0, name, strlen(name));
}
static uint32_t set_named(const char *name)
{
  return db_find_set(db, 0, name, strlen(name));
}
static uint32_t layout_named(const char *name)
{
  return db_find_layout(db, 0, name, strlen(name));
}
static uint32_t event_named(const char *set, const char *name)
{
  return db_find_event(db, set_named(set), name, strlen(name));
}

static void platform_and_clocks(void **state)
{
  (void)state;
  assert_int_equal(db->n_platforms, 1);
  assert_int_equal(db_find_platform(db, "TOY", 3), 0);
  assert_int_equal(db_find_platform(db, "to", 2), DB_NONE);
  const struct db_cpu *cpu = &db->cpus[db->platforms[0].cpus.first];
  assert_string_equal(db_text(db, cpu->vendor), "GenuineToy");
  assert_int_equal(cpu->family, 15);
  assert_int_equal(cpu->model, 16);
  assert_int_equal(cpu->stepping_lo, 2);
  assert_int_equal(cpu->stepping_hi, 3);
  uint32_t clock = db_find_clock(db, 0, "Tick", 4);
  assert_int_equal(db->clocks[clock].hz, 1000000);
}

static void layouts_and_overlays(void **state)
{
  (void)state;
  uint32_t ctl = layout_named("ctl"), colour = layout_named("colour"), ctr = layout_named("CTR");
  assert_int_equal(db->layouts[ctl].width, 32);
  assert_int_equal(db->layouts[ctl].fields.n, 4);
  assert_string_equal(db_text(db, db->layouts[ctl].origin.cite), "TOY 2");
  const struct db_field *thresh = &db->fields[db_find_field(db, ctl, "CMASK", 5)];
  assert_string_equal(db_text(db, thresh->name), "thresh");
  assert_int_equal(thresh->hi, 31);
  assert_int_equal(thresh->lo, 24);
  assert_int_equal(thresh->reset, 1);
  assert_int_equal(db->fields[db->layouts[ctr].fields.first].reserved, 1);
  const struct db_field *umask = &db->fields[db_find_field(db, ctl, "umask", 5)];
  const struct db_values *parts = &db->values[umask->values];
  assert_string_equal(db_text(db, parts->name), "PARTS");
  assert_int_equal(db->value_rows[parts->rows.first + 1].value, 0x80);
  assert_string_equal(db_text(db, parts->form), "part");
  assert_int_equal(parts->form_hi[0], 3);
  assert_int_equal(parts->form_lo[0], 1);
  assert_int_equal(parts->form_hi[1], 0);
  assert_int_equal(db->layouts[colour].base, ctl);
  assert_int_equal(db->layouts[colour].flags & DB_OVERLAY, DB_OVERLAY);
  assert_int_equal(db->layouts[colour].width, 32);
  assert_int_equal(db->layouts[ctr].width, 64);
  assert_int_equal(db->fields[db_find_field(db, ctr, "count", 5)].flags & DB_VOLATILE, DB_VOLATILE);
}

static void units_and_places(void **state)
{
  (void)state;
  uint32_t row = unit_named("CHEST");
  assert_int_equal(row, unit_named("box"));
  const struct db_unit *box = &db->units[row], *shelf = &db->units[unit_named("shelf")];
  assert_int_equal(box->instances, 4);
  assert_int_equal(box->counters, 2);
  assert_int_equal(box->discovery, 7);
  assert_int_equal(shelf->discovery, DB_NONE);
  assert_int_equal(box->places.n, 4);
  const struct db_place *at = &db->places[box->places.first];
  assert_int_equal(at[1].base, 0x110);
  assert_int_equal(at[2].space, PMON_SPACE_PCI);
  assert_int_equal(at[2].device, 30 << 8 | 5 << 3 | 1);
  assert_int_equal(at[3].base, 0x2000);
  assert_string_equal(db_text(db, at[3].device), "MEM1");
  const struct db_register *free_row = &db->registers[box->registers.first + 4];
  assert_int_equal(free_row->role, PMON_ROLE_FREERUNNING);
  assert_int_equal(free_row->index, 3);
  assert_int_equal(free_row->count, 2);
  assert_int_equal(free_row->step, 2);
  /* Two places for four instances: the first pair has one place, the second pair the other. */
  assert_int_equal(db_register_place(db, box, free_row, 0)->base, 0x900);
  assert_int_equal(db_register_place(db, box, free_row, 1)->base, 0x900);
  assert_int_equal(db_register_place(db, box, free_row, 2)->base, 0x910);
  assert_int_equal(db_register_place(db, box, free_row, 3)->base, 0x910);
  assert_int_equal(db_register_place(db, box, &db->registers[box->registers.first], 1)->base, 0x110);
  assert_string_equal(db_text(db, shelf->origin.note), "first line\nsecond line");
  assert_int_equal(shelf->flags & DB_UNSURE, DB_UNSURE);
  assert_int_equal(db->places[shelf->places.first].space, PMON_SPACE_PMD);
}

static void imports_carry_settings_and_their_cite(void **state)
{
  (void)state;
  const struct db_unit *shelf = &db->units[unit_named("shelf")];
  assert_int_equal(shelf->imports.n, 2);
  const struct db_import *own = &db->imports[shelf->imports.first], *other = own + 1;
  assert_int_equal(db->sets[own->set].events.n, 0); /* a unit's own set can be empty so far */
  assert_int_equal(own->settings.n, 0);
  assert_int_equal(other->set, set_named("balls"));
  assert_int_equal(other->settings.n, 1);
  assert_string_equal(db_text(db, db->settings[other->settings.first].name), "umask");
  assert_int_equal(db->settings[other->settings.first].value, 0x80);
  assert_string_equal(db_text(db, other->cite), "TOY 3.1");
  assert_string_equal(db_text(db, shelf->origin.cite), "TOY 3");
}

static void events(void **state)
{
  (void)state;
  uint32_t ticks = event_named("balls", "cycles"), balls = event_named("balls", "Balls");
  const struct db_event *e = &db->events[balls];
  assert_int_equal(ticks, event_named("balls", "CLOCKTICKS"));
  assert_string_equal(db_text(db, db->events[ticks].category), "Clock \"A\"");
  assert_int_equal(event_named("box", "BALLS"), DB_NONE);
  assert_int_equal(e->code, 0x35);
  assert_int_equal(e->counters, 1);
  assert_int_equal(e->max_inc, 3);
  assert_int_equal(e->overlay, layout_named("COLOUR"));
  assert_int_equal(e->groups.n, 2);
  assert_int_equal(db->masks[e->groups.first].bits, 0xf0);
  assert_int_equal(e->umasks.n, 3);
  assert_string_equal(db_text(db, e->origin.cite), "TOY 4.1");
  const struct db_event *plain = &db->events[event_named("balls", "PLAIN")];
  assert_int_equal(plain->counters, 3); /* not stated: all counters of the unit */
  assert_int_equal(plain->flags & (DB_BARE | DB_EXCLUSIVE), DB_BARE | DB_EXCLUSIVE);
  assert_int_equal(plain->attrs.n, 2);
  assert_string_equal(db_text(db, db->attrs[plain->attrs.first + 1].value), "y");
  const struct db_event *fixed = &db->events[event_named("box", "FIXED")];
  assert_int_equal(fixed->fixed_role, PMON_ROLE_FIXED_CTR);
  assert_int_equal(fixed->counters, 0);
  assert_true(fixed->scale > 63.9 && fixed->scale < 64.1);
  assert_int_equal(db->events[event_named("box", "FREE1")].fixed_index, 4);
  assert_int_equal(plain->fixed_role, PMON_ROLE_N);
}

static void umasks(void **state)
{
  (void)state;
  uint32_t balls = event_named("balls", "BALLS"), blue = db_find_umask(db, balls, "blue", 4);
  const struct db_umask *u = &db->umasks[blue];
  assert_int_equal(u->value, 2);
  assert_int_equal(u->flags, DB_DEFAULT | DB_UNSURE);
  assert_int_equal(u->counters, 1);
  assert_int_equal(db_umask_extra(db, u)->max_inc, 2);
  assert_int_equal(u->settings.n, 2);
  assert_int_equal(db->settings[u->settings.first].value, 0xf);
  assert_string_equal(db_text(db, u->brief), "blue ones");
  assert_string_equal(db_text(db, db_umask_extra(db, u)->origin.note), "blue by the cover");
  assert_int_equal(db_find_umask(db, balls, "blu", 3), DB_NONE);
  assert_int_equal(db_find_umask(db, event_named("balls", "PLAIN"), "blue", 4), DB_NONE);
}

static void metrics_and_rules(void **state)
{
  (void)state;
  uint32_t box = unit_named("box"), rate = db_find_metric(db, 0, box, "balls_PER_tick", 14);
  assert_int_equal(db->metrics[rate].unit, box);
  assert_int_equal(db->metrics[rate].combine, DB_AVERAGE);
  assert_int_equal(db->metrics[rate].flags, DB_PER_SECOND);
  assert_string_equal(db_text(db, db->metrics[rate].result), "balls/s");
  assert_string_equal(db_text(db, db->metrics[rate].equation), "BALLS.RED / CLOCKTICKS");
  assert_int_equal(db_find_metric(db, 0, unit_named("shelf"), "BOTH", 4), DB_NONE);
  uint32_t gone = db_find_metric(db, 0, DB_NONE, "GONE", 4), each = db_find_metric(db, 0, DB_NONE, "EACH_x", 6);
  assert_int_equal(db->metrics[gone].flags & DB_STALE, DB_STALE);
  assert_int_equal(db->metrics[each].param_lo, 1);
  assert_int_equal(db->metrics[each].param_hi, 3);
  assert_int_equal(db->n_invariants, 1);
  assert_string_equal(db_text(db, db->invariants[0].holds), "BALLS.RED <= BALLS.ALL");
}

/* Default metrics come first, by their place; the group's other metrics follow in the listed order. */
static void groups_have_ordered_members(void **state)
{
  (void)state;
  assert_int_equal(db->n_groups, 2);
  for (uint32_t i = 0; i < db->n_groups; i++) {
    const struct db_group *g = &db->groups[i];
    const bool shelf = !strcmp(db_text(db, g->name), "SHELF");
    static const char *const names[2][2] = {{"box/EACH_x", "box/BOTH"}, {"box/BOTH", "box/EACH_x"}};
    assert_int_equal(g->members.n, 2);
    for (uint32_t k = 0; k < 2; k++) {
      const struct db_member *m = &db->members[g->members.first + k];
      assert_int_equal(m->group, i);
      assert_string_equal(db_text(db, m->name), names[shelf][k]);
      assert_int_equal(db->metrics[m->metric].default_place, shelf ? 2 - k : k + 1);
    }
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(platform_and_clocks),
      cmocka_unit_test(layouts_and_overlays),
      cmocka_unit_test(units_and_places),
      cmocka_unit_test(imports_carry_settings_and_their_cite),
      cmocka_unit_test(events),
      cmocka_unit_test(umasks),
      cmocka_unit_test(metrics_and_rules),
      cmocka_unit_test(groups_have_ordered_members),
  };
  return cmocka_run_group_tests(tests, toy_set_up, unload);
}
