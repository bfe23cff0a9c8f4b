/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "tests/coverage/whole.h"
#include "machine/config.h"
#include "machine/machine.h"
#include "machine/trace/scenario.h"

struct machine *whole_machine(struct scenario *s, const char *path, whole_resolve_fn resolve)
{
  return whole_machine_of(NULL, s, path, resolve);
}

struct machine *whole_machine_of(const char *platform, struct scenario *s, const char *path, whole_resolve_fn resolve)
{
  struct machine_config config;
  struct machine *m = NULL;
  struct machine_workload *w = NULL;
  char error[512] = "";
  if (scenario_load(path, error, sizeof error, s))
    fail_msg("%s", error);
  machine_config_init(&config);
  if (platform && machine_config_parse(&config, platform, error, sizeof error))
    fail_msg("%s", error);
  for (size_t i = 0; i < s->n_settings; i++)
    if (machine_config_parse(&config, s->setting[i], error, sizeof error))
      fail_msg("%s", error);
  if (machine_new(&config, error, sizeof error, &m))
    fail_msg("%s", error);
  for (size_t i = 0; i < s->n_injects; i++)
    if (!s->inject[i].resolved && resolve(&s->inject[i]))
      fail_msg("there is no event %s", s->inject[i].event);
  const unsigned shape[2] = {(unsigned)config.value[CONFIG_SOCKETS], (unsigned)config.value[CONFIG_CORES]};
  if (scenario_workload_new(s, NULL, shape, error, sizeof error, &w))
    fail_msg("%s", error);
  machine_attach(m, w);
  return m;
}
