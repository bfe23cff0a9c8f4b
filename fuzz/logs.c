/* SPDX-License-Identifier: MIT */
/* Fuzzes the parser of access logs: a text is refused with its line, or checked by each platform's rules and replayed
 * on machines. */
#include <stdlib.h>
#include <pmon/pmon.h>
#include "fuzz/small.h"
#include "machine/check/check.h"
#include "machine/check/log.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void fuzz_logs_judge(const struct pmon_platform *p, const struct access_log *log)
{
  struct checker *c;
  char error[300];
  if (check_new(p, &c))
    abort();
  const int status = log_take_notes(log, c, error, sizeof error);
  if (status && status != PMON_E_UNKNOWN && status != PMON_E_INVALID)
    abort();
  for (size_t i = 0; i < log->n; i++)
    if (log->at[i].kind == LOG_STATE)
      check_system(c, log->at[i].address.package, (enum check_register)log->at[i].address.offset, log->at[i].value);
    else if (log->at[i].kind >= LOG_WAIT)
      check_wait(c, log->at[i].time_ns);
    else
      check_access(c, &(struct check_access){log->at[i].time_ns, log->at[i].kind == LOG_WRITE, log->at[i].address,
                                             log->at[i].value});
  check_end(c);
  check_free(c);
}

/* Replays times as short steps: how far a log advances the machine is not tested. */
static void fuzz_logs_replay(struct machine *m, const struct access_log *log)
{
  char error[256];
  uint64_t value;
  bool ended;
  for (size_t i = 0; i < log->n; i++)
    if (log->at[i].kind == LOG_WRITE)
      machine_write(m, &log->at[i].address, log->at[i].value);
    else if (log->at[i].kind == LOG_READ)
      machine_read(m, &log->at[i].address, &value);
    else if (machine_run(m, machine_now_fs(m) + 1000000, &ended, error, sizeof error))
      abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  static struct pmon_context *c;
  static struct machine *machines[2];
  struct access_log log;
  char error[512] = "";
  if (size > 1 << 16 || (!c && pmon_context_new(&c)))
    return 0;
  if (!machines[0]) {
    machines[0] = small_machine("emr");
    machines[1] = small_machine("snbep");
  }
  if (log_parse("fuzz", (const char *)data, size, error, sizeof error, &log)) {
    if (!*error)
      abort();
    return 0;
  }
  for (uint32_t i = 0; pmon_platform_get(c, i); i++)
    fuzz_logs_judge(pmon_platform_get(c, i), &log);
  for (size_t i = 0; i < 2; i++)
    fuzz_logs_replay(machines[i], &log);
  log_fini(&log);
  return 0;
}
