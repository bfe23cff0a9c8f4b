/* SPDX-License-Identifier: MIT */
/* Fuzzes register states: a text is refused with its line, or loaded into a machine that then runs on. */
#include <stdlib.h>
#include "fuzz/small.h"
#include "machine/montecito/machine.h"
#include "machine/pmon/save.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  static struct machine *machines[2];
  static struct montecito_machine *cores;
  char error[512] = "";
  bool ended;
  if (!machines[0]) {
    machines[0] = small_machine("emr");
    machines[1] = small_machine("snbep");
    if (montecito_machine_new(&cores))
      abort();
  }
  if (size < 1 << 16) {
    if (montecito_machine_state_load(cores, (const char *)data, size, error, sizeof error)) {
      if (!*error)
        abort();
    } else if (montecito_machine_run(cores, montecito_machine_cycle(cores) + 1000, &ended, error, sizeof error)) {
      abort();
    }
  }
  for (size_t i = 0; size < 1 << 16 && i < 2; i++) {
    struct machine *m = machines[i];
    if (machine_state_load(m, (const char *)data, size, error, sizeof error)) {
      if (!*error)
        abort();
    } else if (machine_run(m, machine_now_fs(m) + 1000000, &ended, error, sizeof error)) {
      abort();
    }
  }
  return 0;
}
