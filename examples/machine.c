/* SPDX-License-Identifier: MIT */
/* Measures accesses of one's program on the emulated machine: cc machine.c $(pkg-config --cflags --libs pmon-machine)
 */
#include <stdio.h>
#include <pmon/machine.h>
#include <pmon/pmon.h>

static uint32_t read_lines(void *user, uint32_t thread, struct pmon_machine_access *accesses, uint32_t n)
{
  uint32_t i = 0, *line = user; /* each of 65536 lines of memory, once */
  for (; i < n && *line < 65536; i++, ++*line)
    accesses[i] = (struct pmon_machine_access){.address = (thread + 1ull) << 32 | *line * 64ull, .size_bytes = 8};
  return i;
}

int main(void)
{
  uint32_t line = 0;
  struct pmon_machine_options o = {.size = sizeof o, .platform = "emr", .feed = read_lines, .feed_user = &line};
  struct pmon_machine *machine;
  struct pmon_backend *backend;
  struct pmon_context *context;
  const struct pmon_platform *emr;
  struct pmon_set *set;
  struct pmon_value reads;
  bool ended;
  if (pmon_machine_new(&o, NULL, &machine) || pmon_machine_backend(machine, &backend) || pmon_context_new(&context) ||
      pmon_platform_find(context, "emr", &emr) || pmon_set_new(context, emr, backend, NULL, &set) ||
      pmon_set_add(set, "imc/CAS_COUNT.RD/", NULL) || pmon_set_start(set) ||
      pmon_session_run(pmon_set_session(set), UINT64_MAX, &ended) || pmon_set_stop(set, &reads, 1))
    return 1;
  printf("%.0f lines read from memory\n", reads.number);
  return pmon_set_close(set) != PMON_OK;
}
