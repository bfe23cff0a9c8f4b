/* SPDX-License-Identifier: MIT */
#include "cli/script.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

enum { FS_PER_NS = 1000000, NAME_SIZE = 80 };

/* ---- injections ---- */

/* Bits of a control that say how to count, not what. */
static bool shapes(const char *field)
{
  static const char *const names[] = { "ev_sel", "es", "thresh", "invert", "edge_det", "frz_ovf", "ov_en",
                                       "tid_en", "en", "rst", "occ_edge_det", "occ_invert" };
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (!strcmp(field, names[i]))
      return true;
  return false;
}

static void take_fields(const struct pmon_platform *p, const struct pmon_image_register *r, struct scenario_inject *in)
{
  struct pmon_field_info f = { .size = sizeof f };
  uint64_t mask = 0;
  for (uint32_t i = 0; !pmon_field_describe(p, r->id.unit, r->id.reg, i, &f); i++) {
    uint64_t bits = (UINT64_MAX >> (63 - f.hi + f.lo)) << f.lo;
    if (*f.overlay)
      continue;
    if (shapes(f.name))
      mask |= bits;
    if (!strcmp(f.name, "ev_sel"))
      in->code = (uint8_t)((r->value & bits) >> f.lo);
  }
  in->attr = r->value & ~mask;
}

static int resolve(struct cli *cli, struct scenario_inject *in)
{
  struct pmon_event *e;
  struct pmon_image image;
  struct pmon_register_info reg = { .size = sizeof reg };
  char text[160];
  snprintf(text, sizeof text, "%s/%s/", in->place.unit, in->event);
  if (pmon_event_resolve(cli->context, cli->platform, text, &e))
    return cli_fail_context(cli, text);
  unsigned counter = (unsigned)__builtin_ctz(pmon_event_counters(e) | 1u << 31);
  int status = pmon_event_get_kind(e) == PMON_EVENT_PROGRAMMED ? pmon_event_encode(e, 0, 0, counter, &image)
                                                              : PMON_E_INVALID;
  if (!status)
    status = pmon_register_describe(cli->platform, image.registers[image.n - 1].id.unit,
                                    image.registers[image.n - 1].id.reg, &reg);
  pmon_event_free(e);
  if (status || reg.role != PMON_ROLE_CTL)
    return cli_fail(cli, "line %u of the scenario: %s cannot be injected: no control register selects it", in->line,
                    text);
  take_fields(cli->platform, &image.registers[image.n - 1], in);
  in->resolved = true;
  return CLI_DONE;
}

int script_resolve(struct cli *cli, struct scenario *s)
{
  int result = CLI_DONE;
  for (size_t i = 0; result == CLI_DONE && i < s->n_injects; i++)
    if (!s->inject[i].resolved)
      result = cli_platform(cli) ? resolve(cli, &s->inject[i]) : CLI_USAGE;
  return result;
}

/* ---- registers ---- */

/* `CTL0` is Cn_MSR_PMON_CTL0: the name's end behind an underscore. */
static bool names(const char *name, const char *word)
{
  size_t n = strlen(name), m = strlen(word);
  return m <= n && !strcasecmp(name + n - m, word) && (m == n || name[n - m - 1] == '_');
}

static int find_register(struct cli *cli, const struct scenario_access *a, struct pmon_register_id *id)
{
  struct pmon_register_info reg = { .size = sizeof reg };
  char name[NAME_SIZE];
  *id = (struct pmon_register_id){ .instance = a->place.instance < 0 ? 0 : (uint32_t)a->place.instance };
  if (pmon_unit_find(cli->platform, a->place.unit, &id->unit))
    return cli_fail(cli, "line %u of the scenario: there is no unit %s", a->line, a->place.unit);
  for (id->reg = 0; !pmon_register_describe(cli->platform, id->unit, id->reg, &reg); id->reg++)
    for (id->index = 0; id->index < reg.count; id->index++) {
      pmon_register_name(cli->platform, id, name, sizeof name);
      if (names(name, a->reg))
        return CLI_DONE;
    }
  return cli_fail(cli, "line %u of the scenario: %s has no register %s", a->line, a->place.unit, a->reg);
}

/* Configuration space and MMIO by dwords, the upper one first when written. */
static int access_register(struct pmon_backend *b, const struct pmon_address *a, bool write, uint64_t *value)
{
  struct pmon_address low = *a, high = *a;
  uint64_t lower = 0, upper = 0;
  if (a->width_bits == 32 || a->space != PMON_SPACE_PCI)
    return write ? b->ops->write(b, a, *value) : b->ops->read(b, a, value);
  low.width_bits = high.width_bits = 32;
  high.offset += 4;
  int status = write ? b->ops->write(b, &high, *value >> 32) : b->ops->read(b, &high, &upper);
  if (!status)
    status = write ? b->ops->write(b, &low, *value & UINT32_MAX) : b->ops->read(b, &low, &lower);
  if (!status && !write)
    *value = upper << 32 | lower;
  return status;
}

static int run_access(struct cli *cli, const struct scenario_access *a, struct target *t)
{
  struct pmon_register_id id;
  struct pmon_address address;
  uint64_t value = a->value;
  char text[200];
  int result = find_register(cli, a, &id);
  if (result != CLI_DONE)
    return result;
  int status = pmon_register_address(cli->platform, &id, &address);
  address.package = a->place.socket;
  if (!status)
    status = access_register(t->backend, &address, a->act == SCENARIO_ACT_WRITE, &value);
  if (status) {
    cli_fail(cli, "line %u of the scenario: %s", a->line,
             t->backend->error_text ? t->backend->error_text : pmon_status_name(status));
    return CLI_FAILED;
  }
  if (a->act == SCENARIO_ACT_READ && a->compare == SCENARIO_ANY) {
    snprintf(text, sizeof text, "%s%d %s = 0x%" PRIx64 "\n", a->place.unit,
             a->place.instance < 0 ? 0 : a->place.instance, a->reg, value);
    out_text(&cli->out, text);
  } else if (a->act == SCENARIO_ACT_READ && !scenario_holds(a->compare, value, a->value)) {
    cli_fail(cli,
             "line %u of the scenario: %s%d %s is %" PRIu64 " (0x%" PRIx64 "), expected %s %" PRIu64 " (0x%" PRIx64 ")",
             a->line, a->place.unit, a->place.instance < 0 ? 0 : a->place.instance, a->reg, value, value,
             scenario_compare_name(a->compare), a->value, a->value);
    return CLI_FAILED;
  }
  return CLI_DONE;
}

int script_run(struct cli *cli, const struct scenario *s, struct target *t)
{
  int result = CLI_DONE;
  for (size_t i = 0; i < s->n_actions; i++) {
    const struct scenario_access *a = &s->action[i];
    uint64_t now;
    bool ended;
    if (a->act != SCENARIO_ACT_WAIT) {
      int one = cli_platform(cli) ? run_access(cli, a, t) : CLI_USAGE;
      result = one == CLI_DONE ? result : one;
      if (one == CLI_USAGE)
        return one;
    } else {
      while (!t->backend->ops->wait(t->backend, a->until_fs / FS_PER_NS, &now, &ended) && now < a->until_fs / FS_PER_NS)
        continue;
    }
  }
  return result;
}

/* ---- expected counts ---- */

static void event_text(const struct scenario_expectation *e, char *text, size_t size)
{
  if (e->place.instance < 0)
    snprintf(text, size, "%s/%s/", e->place.unit, e->event);
  else
    snprintf(text, size, "%s%d/%s/", e->place.unit, e->place.instance, e->event);
}

int script_plan(struct cli *cli, const struct scenario *s, struct pmon_plan **ret_plan)
{
  struct pmon_plan_info info = { .size = sizeof info };
  struct pmon_plan *plan = NULL;
  int result = CLI_DONE;
  *ret_plan = NULL;
  if (!s->n_expectations)
    return CLI_DONE;
  if (!cli_platform(cli))
    return CLI_USAGE;
  if (pmon_plan_new(cli->context, cli->platform, &plan))
    return cli_fail_context(cli, NULL);
  for (size_t i = 0; result == CLI_DONE && i < s->n_expectations; i++) {
    char text[160];
    event_text(&s->expectation[i], text, sizeof text);
    if (pmon_plan_add_events(plan, text))
      result = cli_fail_context(cli, text);
  }
  if (result == CLI_DONE && pmon_plan_schedule(plan))
    result = cli_fail_context(cli, NULL);
  if (result == CLI_DONE && !pmon_plan_describe(plan, &info) && info.rounds > 1)
    result = cli_fail(cli, "the scenario expects more counts than there are counters at a time");
  if (result != CLI_DONE)
    pmon_plan_free(plan);
  else
    *ret_plan = plan;
  return result;
}

/* A total is over all sockets and all of the unit's instances; else it is one instance, or the unit, of one socket. */
static int compare(struct cli *cli, const struct scenario_expectation *e, const struct pmon_session *session,
                   uint32_t i)
{
  struct pmon_scope scope = { e->place.socket == UINT_MAX ? PMON_ALL : e->place.socket,
                              e->place.instance < 0 ? PMON_ALL : (uint32_t)e->place.instance };
  struct pmon_value v = { 0 };
  int status = pmon_session_event(session, i, &scope, &v);
  if (status || !v.valid) {
    cli_fail(cli, "line %u of the scenario: %s %s was not counted: %s", e->line, e->place.unit, e->event,
             status ? pmon_status_name(status) : v.reason);
    return CLI_FAILED;
  }
  if (scenario_holds(e->compare, (uint64_t)(v.number + 0.5), e->value))
    return CLI_DONE;
  cli_fail(cli, "line %u of the scenario: %s %s is %.0f, expected %s %" PRIu64, e->line, e->place.unit, e->event,
           v.number, scenario_compare_name(e->compare), e->value);
  return CLI_FAILED;
}

/* Its number in the plan, where one event is there once. */
static uint32_t number_of(struct cli *cli, const struct pmon_plan *plan, const char *text)
{
  struct pmon_event *e;
  uint32_t i = 0;
  if (pmon_event_resolve(cli->context, cli->platform, text, &e))
    return UINT32_MAX;
  while (pmon_plan_event(plan, i) && strcmp(pmon_event_name(pmon_plan_event(plan, i)), pmon_event_name(e)))
    i++;
  pmon_event_free(e);
  return i;
}

int script_compare(struct cli *cli, const struct scenario *s, const struct pmon_plan *plan,
                   const struct pmon_session *session)
{
  int result = CLI_DONE;
  for (size_t i = 0; i < s->n_expectations; i++) {
    char text[160];
    event_text(&s->expectation[i], text, sizeof text);
    int one = compare(cli, &s->expectation[i], session, number_of(cli, plan, text));
    result = one == CLI_DONE ? result : one;
  }
  return result;
}
