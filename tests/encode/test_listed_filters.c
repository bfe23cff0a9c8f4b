/* SPDX-License-Identifier: MIT */
/* Each filter listed for a row of the facts can be used with the row, in addition to those that the row needs. A filter
 * that acts on no row is refused with each row, and accepted with codes that no row has. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>
#include <pmon/event.h>
#include <pmon/plan.h>
#include <pmon/platform.h>

/* Appends the n bytes of a filter, REGISTER.FIELD!, as an attribute, unless the name already has it. */
static void add_filter(char *name, size_t size, const char *filter, size_t n)
{
  const char *dot = memchr(filter, '.', n);
  const size_t skip = dot ? (size_t)(dot + 1 - filter) : 0, at = strlen(name);
  snprintf(name + at, size - at, ",%.*s=1", (int)(n - skip - (filter[n - 1] == '!')), filter + skip);
  if (strstr(name, name + at) != name + at)
    name[at] = 0;
}

/* Replaces the name's last value by the value that the event itself has in the field, according to the error. False: it
 * is another error. */
static bool use_own_value(const char *error, char *name)
{
  const char *own = strstr(error, " matches ");
  own = own ? strchr(own, '=') : NULL;
  if (!own || !strstr(own, ", not 0x1"))
    return false;
  sprintf(strrchr(name, '=') + 1, "%.*s/", (int)strcspn(own + 1, ","), own + 1);
  return true;
}

/* Resolves the row with each of its filters; returns their number. */
static unsigned use_filters(struct pmon_context *context, const struct pmon_platform *p,
                            const struct pmon_event_info *e)
{
  unsigned used = 0;
  for (const char *at = e->filters; *at; used++) {
    struct pmon_event *event = NULL;
    char name[256];
    const size_t n = strcspn(at, ",");
    snprintf(name, sizeof name, "%s/%s%s%s", e->unit, e->event, e->umask ? "." : "", e->umask ? e->umask : "");
    for (const char *f = e->filters; *f; f += strcspn(f, ","), f += *f == ',')
      if (f[strcspn(f, ",") - 1] == '!')
        add_filter(name, sizeof name, f, strcspn(f, ","));
    add_filter(name, sizeof name, at, n);
    strcat(name, "/");
    int status = pmon_event_resolve(context, p, name, &event);
    if (status && use_own_value(pmon_context_error(context), name))
      status = pmon_event_resolve(context, p, name, &event);
    if (status)
      fail_msg("%s, which has the filters %s: %s", name, e->filters, pmon_context_error(context));
    pmon_event_free(event);
    at += n + (at[n] == ',');
  }
  return used;
}

static void filters_that_are_named_can_be_used(void **state)
{
  (void)state;
  static const char *const platforms[] = {"snbep", "emr"};
  struct pmon_context *context;
  assert_int_equal(pmon_context_new(&context), PMON_OK);
  for (size_t i = 0; i < sizeof platforms / sizeof *platforms; i++) {
    const struct pmon_platform *p;
    struct pmon_event_cursor cursor = {0};
    struct pmon_event_info e = {.size = sizeof e};
    unsigned used = 0;
    assert_int_equal(pmon_platform_find(context, platforms[i], &p), PMON_OK);
    while (pmon_event_next(p, UINT32_MAX, &cursor, &e))
      used += use_filters(context, p, &e);
    assert_true(used > 100);
  }
  pmon_context_free(context);
}

/* Fails unless the filter is refused on each row of the unit; returns the number of rows. */
static unsigned refuse_filter(struct pmon_context *context, const struct pmon_platform *p, const char *unit,
                              const char *filter)
{
  struct pmon_event_cursor cursor = {0};
  struct pmon_event_info e = {.size = sizeof e};
  unsigned refused = 0;
  uint32_t number;
  assert_int_equal(pmon_unit_find(p, unit, &number), PMON_OK);
  while (pmon_event_next(p, number, &cursor, &e)) {
    struct pmon_event *event = NULL;
    char name[256];
    snprintf(name, sizeof name, "%s/%s%s%s,%s/", unit, e.event, e.umask ? "." : "", e.umask ? e.umask : "", filter);
    if (pmon_event_resolve(context, p, name, &event) != PMON_E_CONFLICT)
      fail_msg("%s is not refused", name);
    if (!strstr(pmon_context_error(context), "nor on other events of") ||
        !strstr(pmon_context_error(context), "no table has "))
      fail_msg("%s: %s", name, pmon_context_error(context));
    refused++;
  }
  return refused;
}

/* 817509 2.7.2.1 and 2.10.2: the filters of M2M and of the PCU are for events that are in no table. */
static void filters_that_act_on_no_event_are_refused(void **state)
{
  (void)state;
  static const struct {
    const char *platform, *unit, *filter;
  } rows[] = {
      {"emr", "m2m", "opc=1"},    {"emr", "m2m", "mc_mask=0xf"},  {"emr", "m2m", "addrmatch0=0x1000"},
      {"emr", "pcu", "band0=20"}, {"emr", "pcu", "filt31_24=20"}, {"spr", "pcu", "band1=20"},
  };
  struct pmon_context *context;
  assert_int_equal(pmon_context_new(&context), PMON_OK);
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    const struct pmon_platform *p;
    struct pmon_plan *plan;
    struct pmon_plan_info info = {.size = sizeof info};
    char names[256];
    assert_int_equal(pmon_platform_find(context, rows[i].platform, &p), PMON_OK);
    assert_true(refuse_filter(context, p, rows[i].unit, rows[i].filter) > 20);
    /* An unlisted code may be the event of the filter: then the filter acts on it even if it is not set. */
    snprintf(names, sizeof names, "%s/event=0xfe,%s/,%s/event=0xfe/,%s/CLOCKTICKS/", rows[i].unit, rows[i].filter,
             rows[i].unit, rows[i].unit);
    assert_int_equal(pmon_plan_new(context, p, &plan), PMON_OK);
    if (pmon_plan_add_events(plan, names) || pmon_plan_schedule(plan))
      fail_msg("%s: %s", names, pmon_context_error(context));
    pmon_plan_describe(plan, &info);
    assert_int_equal(info.rounds, 2);
    pmon_plan_free(plan);
  }
  pmon_context_free(context);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(filters_that_are_named_can_be_used),
                                     cmocka_unit_test(filters_that_act_on_no_event_are_refused)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
