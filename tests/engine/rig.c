/* SPDX-License-Identifier: MIT */
#include "tests/engine/rig.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "machine/config.h"
#include "machine/machine.h"
#include "machine/trace/scenario.h"
#include "machine/pmon/violation.h"
#include "src/access/register.h"

/* Returns a machine of this configuration; fails the test when there is none. */
static struct machine *build(const struct machine_config *config)
{
  struct machine *m;
  char error[400] = "";
  if (machine_new(config, error, sizeof error, &m))
    fail_msg("%s", error);
  return m;
}

static void set(struct machine_config *config, const char *setting)
{
  char error[400] = "";
  if (machine_config_parse(config, setting, error, sizeof error))
    fail_msg("%s", error);
}

struct machine *rig_idle(const char *settings, struct pmon_backend **ret_backend)
{
  struct machine_config config;
  char text[200];
  machine_config_init(&config);
  for (size_t n; *settings; settings += n + (settings[n] == ' ')) {
    n = strcspn(settings, " ");
    snprintf(text, sizeof text, "%.*s", (int)n, settings);
    set(&config, text);
  }
  struct machine *m = build(&config);
  ok(machine_backend_new(m, ret_backend));
  return m;
}

struct machine *rig_busy(const char *scenario, struct pmon_backend **ret_backend)
{
  struct machine_config config;
  struct scenario scene;
  struct machine_workload *workload = NULL;
  char error[400] = "";
  machine_config_init(&config);
  if (scenario_parse("scenario", scenario, strlen(scenario), error, sizeof error, &scene))
    fail_msg("%s", error);
  for (size_t i = 0; i < scene.n_settings; i++)
    set(&config, scene.setting[i]);
  const unsigned shape[2] = {(unsigned)config.value[CONFIG_SOCKETS], (unsigned)config.value[CONFIG_CORES]};
  struct machine *m = build(&config);
  if (scenario_workload_new(&scene, NULL, shape, error, sizeof error, &workload))
    fail_msg("%s", error);
  machine_attach(m, workload);
  ok(machine_backend_new(m, ret_backend));
  return m;
}

struct pmon_session *rig_session(struct pmon_plan *plan, struct pmon_backend *backend,
                                 const struct pmon_session_options *options, uint64_t until_ns)
{
  struct pmon_session *s;
  bool ended = false;
  ok(pmon_session_new(plan, backend, options, &s));
  ok(pmon_session_start(s));
  while (!ended && pmon_session_now_ns(s) < until_ns)
    ok(pmon_session_run(s, until_ns, &ended));
  return s;
}

void rig_work(struct pmon_backend *backend, uint64_t ns)
{
  uint64_t now;
  bool ended;
  ok(backend->ops->wait(backend, 0, &now, &ended));
  ok(backend->ops->wait(backend, now + ns, &now, &ended));
}

struct pmon_set *rig_set(const struct pmon_platform *platform, struct pmon_backend *backend, uint32_t freeze,
                         const char *const *events)
{
  const struct pmon_session_options options = {.size = sizeof options, .freeze = freeze, .slice_ns = 20000};
  struct pmon_set *made;
  uint32_t place;
  ok(pmon_set_new(context, platform, backend, &options, &made));
  for (uint32_t i = 0; events[i]; i++) {
    ok(pmon_set_add(made, events[i], &place));
    assert_int_equal(place, i);
  }
  return made;
}

struct held {
  struct pmon_address address;
  uint64_t value;
};
enum { HELD = 4096 };
struct rig_registers {
  const struct pmon_platform *platform;
  uint32_t n;
  struct held held[HELD];
};

/* Reads all instances of one register in all packages, except status registers and those that cannot be written. The
 * data of Montecito's buffers can be set. */
static void read_instances(struct pmon_backend *backend, uint32_t instances, struct pmon_register_id id,
                           struct rig_registers *r)
{
  struct pmon_register_info info = {.size = sizeof info};
  pmon_register_describe(r->platform, id.unit, id.reg, &info);
  if (info.role == PMON_ROLE_FREERUNNING || (info.role == PMON_ROLE_INFO && r->platform != montecito))
    return;
  for (uint32_t package = 0; package < backend->packages; package++)
    for (id.instance = 0; id.instance < instances; id.instance++)
      for (id.index = 0; id.index < info.count && r->n < HELD; id.index++) {
        struct held *h = &r->held[r->n];
        if (pmon_register_address(r->platform, &id, &h->address))
          continue;
        h->address.package = package;
        r->n += !access_read(backend, &h->address, &h->value);
      }
}

struct rig_registers *rig_registers_read(struct pmon_backend *backend, const struct pmon_platform *platform)
{
  struct pmon_register_info reg = {.size = sizeof reg};
  struct pmon_unit_info unit = {.size = sizeof unit};
  struct rig_registers *r = calloc(1, sizeof *r);
  assert_non_null(r);
  r->platform = platform;
  for (uint32_t u = 0; !pmon_unit_describe(platform, u, &unit); u++)
    for (uint32_t k = 0; !pmon_register_describe(platform, u, k, &reg); k++)
      read_instances(backend, unit.instances, (struct pmon_register_id){.unit = u, .reg = k}, r);
  assert_true(r->n > 50 && r->n < HELD);
  return r;
}

void rig_registers_same(struct pmon_backend *backend, struct rig_registers *before, const char *when)
{
  struct rig_registers *after = rig_registers_read(backend, before->platform);
  assert_int_equal(after->n, before->n);
  for (uint32_t i = 0; i < after->n; i++)
    if (before->held[i].value != after->held[i].value) {
      char where[64];
      pmon_address_format(&before->held[i].address, where, sizeof where);
      fail_msg("%s: %s holds 0x%llx, not 0x%llx", when, where, (unsigned long long)after->held[i].value,
               (unsigned long long)before->held[i].value);
    }
  free(after);
  free(before);
}

void rig_disturb(struct pmon_backend *backend, const struct pmon_platform *platform)
{
  struct pmon_register_info reg = {.size = sizeof reg};
  for (uint32_t u = 0; u < 8; u++)
    for (uint32_t r = 0; !pmon_register_describe(platform, u, r, &reg); r++) {
      struct pmon_register_id id = {.unit = u, .reg = r};
      struct pmon_address a;
      uint64_t old;
      if (reg.role != PMON_ROLE_CTR || pmon_register_address(platform, &id, &a) || access_read(backend, &a, &old))
        continue;
      access_write(backend, &a, (1234 + r) & access_stable(platform, &id));
    }
}

void rig_nothing_broken(const struct machine *m)
{
  const struct machine_violation *broken;
  if (machine_violations(m, &broken))
    fail_msg("%s.%s: %s (%s)", broken->name, broken->field, broken->rule, broken->section);
}

void rig_note_broken(void *user, const struct pmon_invariant_violation *invariant)
{
  struct rig_broken *seen = user;
  if (!seen->n++)
    snprintf(seen->text, sizeof seen->text, "%s of package %u, instance %u: %s: %.15g and %.15g", invariant->name,
             invariant->package, invariant->instance, invariant->holds, invariant->left, invariant->right);
}

struct pmon_plan *rig_invariants(const struct pmon_platform *platform)
{
  struct pmon_plan *plan;
  ok(pmon_plan_new(context, platform, &plan));
  ok(pmon_plan_add_invariants(plan, true));
  ok(pmon_plan_schedule(plan));
  return plan;
}

uint32_t rig_check_invariants(struct pmon_plan *plan, const char *scenario)
{
  struct rig_broken seen = {0};
  struct pmon_backend *backend;
  struct machine *m = rig_busy(scenario, &backend);
  struct pmon_session_options options = {.size = sizeof options, .slice_ns = 1000};
  struct pmon_session *s = rig_session(plan, backend, &options, UINT64_MAX);
  uint32_t checked;
  ok(pmon_session_check_invariants(s, rig_note_broken, &seen, &checked));
  ok(pmon_session_close(s));
  if (seen.n)
    fail_msg("%u times, first %s, under:\n%s", seen.n, seen.text, scenario);
  rig_nothing_broken(m);
  pmon_backend_close(backend);
  machine_free(m);
  return checked;
}
