/* SPDX-License-Identifier: MIT */
#include "perf_refused.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int perf_refused(const struct perf_refusal *f, struct pmon_reason *ret_reason)
{
  char level[16] = "?";
  switch (f->error) {
  case EACCES:
  case EPERM:
    if (!system_text(f->system->proc, "sys/kernel/perf_event_paranoid", level, sizeof level))
      snprintf(level, sizeof level, "?");
    snprintf(ret_reason->text, sizeof ret_reason->text,
             "the kernel requires CAP_PERFMON to count on a whole CPU "
             "(kernel.perf_event_paranoid is %s)%s: as root `sysctl kernel.perf_event_paranoid=0`, or give pmon "
             "CAP_PERFMON",
             level, atoi(level) > 0 ? "" : ", or a container's filter forbids perf_event_open");
    return PMON_E_PERMISSION;
  case EMFILE:
  case ENFILE:
    snprintf(ret_reason->text, sizeof ret_reason->text,
             "each event takes a file descriptor, and after %" PRIu32 " of them there is none "
             "left: raise the limit (ulimit -n), or measure fewer events",
             f->n_events);
    return PMON_E_IO;
  case ENOENT:
  case ENODEV:
  case ENXIO:
    snprintf(ret_reason->text, sizeof ret_reason->text, "the kernel's PMU %s is gone, or its CPU went offline", f->pmu);
    return PMON_E_NO_DEVICE;
  case EINVAL:
  case EOPNOTSUPP:
    snprintf(ret_reason->text, sizeof ret_reason->text,
             "the kernel's %s does not count config=0x%" PRIx64 ",config1=0x%" PRIx64 ",config2=0x%" PRIx64, f->pmu,
             f->config[0], f->config[1], f->config[2]);
    return PMON_E_UNSUPPORTED;
  default:
    snprintf(ret_reason->text, sizeof ret_reason->text, "perf_event_open for %s: %s", f->pmu, strerror(f->error));
    return f->error == ENOMEM ? PMON_E_MEMORY : f->error == ENOSYS ? PMON_E_NO_DEVICE : PMON_E_IO;
  }
}
