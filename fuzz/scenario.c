/* SPDX-License-Identifier: MIT */
/* Fuzzes scenarios, which run for a few microseconds on a small machine. */
#include <stdlib.h>
#include "fuzz/small.h"
#include "machine/trace/scenario.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  static const unsigned shape[2] = {1, 2};
  struct machine_workload *w;
  struct machine_config config;
  struct scenario s;
  char error[TRACE_ERROR_SIZE] = "";
  bool ended;
  if (size > 1 << 14)
    return 0;
  if (scenario_parse("fuzz", (const char *)data, size, error, sizeof error, &s)) {
    if (!*error)
      abort();
    return 0;
  }
  machine_config_init(&config);
  for (size_t i = 0; i < s.n_settings; i++)
    machine_config_parse(&config, s.setting[i], error, sizeof error);
  for (size_t i = 0; i < s.n_injects; i++)
    s.inject[i].resolved = true;
  if (!scenario_workload_new(&s, "compact", shape, error, sizeof error, &w)) {
    struct machine *m = small_machine("emr");
    machine_attach(m, w);
    machine_run(m, UINT64_C(3000000000), &ended, error, sizeof error);
    machine_free(m);
  }
  return 0;
}
