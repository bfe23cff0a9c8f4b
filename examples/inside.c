/* SPDX-License-Identifier: MIT */
/* A program that measures a part of its own work: cc inside.c $(pkg-config --cflags --libs pmon-machine)
 * The work runs on the emulated machine here; on a real processor, open the backend with pmon/hardware.h instead. */
#include <stdio.h>
#include <pmon/machine.h>
#include <pmon/pmon.h>

/* The program's work: it reads memory line by line, in steps of 10 simulated microseconds. */
static uint32_t read_lines(void *user, uint32_t thread, struct pmon_machine_access *accesses, uint32_t n)
{
  uint64_t *line = user;
  for (uint32_t i = 0; i < n; i++, ++*line)
    accesses[i] = (struct pmon_machine_access){.address = (thread + 1ull) << 32 | *line * 64, .size_bytes = 8};
  return n;
}

static int work(struct pmon_backend *backend)
{
  static const uint64_t step_ns = 10000;
  uint64_t now_ns;
  bool ended;
  int status = backend->ops->wait(backend, 0, &now_ns, &ended);
  return status ? status : backend->ops->wait(backend, now_ns + step_ns, &now_ns, &ended);
}

static int measure(struct pmon_backend *backend, struct pmon_set *set)
{
  struct pmon_value half, whole, pause;
  if (work(backend) || pmon_set_start(set) || work(backend) || pmon_set_read(set, &half, 1) || work(backend) ||
      pmon_set_stop(set, &whole, 1) || work(backend) || pmon_set_read(set, &pause, 1))
    return 1;
  printf("%.0f lines after 1 step, %.0f after 2, %.0f after a pause\n", half.number, whole.number, pause.number);
  return !half.valid || !whole.valid || !pause.valid;
}

int main(void)
{
  uint64_t line = 0;
  struct pmon_machine_options o = {.size = sizeof o, .platform = "emr", .feed = read_lines, .feed_user = &line};
  struct pmon_machine *machine = NULL;
  struct pmon_backend *backend = NULL;
  struct pmon_context *context = NULL;
  const struct pmon_platform *emr;
  struct pmon_set *set = NULL;
  int failed = pmon_machine_new(&o, NULL, &machine) || pmon_machine_backend(machine, &backend) ||
               pmon_context_new(&context) || pmon_platform_find(context, "emr", &emr) ||
               pmon_set_new(context, emr, backend, NULL, &set) || pmon_set_add(set, "imc/CAS_COUNT.RD/", NULL) ||
               measure(backend, set);
  if (pmon_set_close(set) || failed) /* registers are restored, whatever happened before */
    fprintf(stderr, "%s\n", context ? pmon_context_error(context) : "no machine");
  pmon_backend_close(backend);
  pmon_machine_free(machine);
  pmon_context_free(context);
  return failed;
}
