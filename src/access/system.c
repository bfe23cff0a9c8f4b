/* SPDX-License-Identifier: MIT */
#include "src/access/system.h"

#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include "src/base/sized.h"

/* Returns the status of unusable options, and writes its text. */
static int refuse_options(int status, struct pmon_reason *reason)
{
  if (reason)
    snprintf(reason->text, sizeof reason->text, "struct pmon_system: %s",
             status == PMON_E_INVALID ? "its size is not set"
             : status == PMON_E_RANGE ? "the name of a base directory or group is longer than 255 bytes"
                                      : "a member is set that this version of the library does not have");
  return status;
}

int system_init(struct system *s, const struct pmon_system *options, struct pmon_reason *reason)
{
  struct pmon_system full = {.end_fd = -1};
  int status = options ? sized_take(&full, sizeof full, options) : 0;
  if (status)
    return refuse_options(status, reason);
  *s = (struct system){.end_fd = full.end_fd};
  if (snprintf(s->dev, SYSTEM_ROOT, "%s", full.dev ? full.dev : "/dev") >= SYSTEM_ROOT ||
      snprintf(s->sys, SYSTEM_ROOT, "%s", full.sys ? full.sys : "/sys") >= SYSTEM_ROOT ||
      snprintf(s->proc, SYSTEM_ROOT, "%s", full.proc ? full.proc : "/proc") >= SYSTEM_ROOT ||
      snprintf(s->group, SYSTEM_ROOT, "%s", full.resctrl_group ? full.resctrl_group : "") >= SYSTEM_ROOT)
    return refuse_options(PMON_E_RANGE, reason);
  s->host = !strcmp(s->dev, "/dev") && !strcmp(s->sys, "/sys") && !strcmp(s->proc, "/proc");
  system_look(s);
  return 0;
}

uint32_t pmon_system_packages(const struct pmon_system *system, struct pmon_package *packages, uint32_t n)
{
  struct system s;
  if (system_init(&s, system, NULL))
    return 0;
  for (uint32_t i = 0; i < n && i < s.n_packages; i++)
    packages[i] = s.packages[i];
  return s.n_packages;
}

uint32_t pmon_system_packages_of(const struct pmon_system *system, const char *cpus)
{
  struct system s;
  return system_init(&s, system, NULL) ? 0 : system_packages_of_list(&s, cpus);
}

static uint64_t now_ns(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

int system_wait(const struct system *s, uint64_t until_ns, uint64_t *ret_now_ns, bool *ret_ended)
{
  struct pollfd end = {.fd = s->end_fd, .events = POLLIN};
  uint64_t now = now_ns();
  bool ended = false;
  for (;;) {
    const uint64_t left = until_ns > now ? until_ns - now : 0;
    struct timespec t = {.tv_sec = (time_t)(left / 1000000000u), .tv_nsec = (long)(left % 1000000000u)};
    if (t.tv_sec > 3600)
      t.tv_sec = 3600;
    int n = ppoll(&end, s->end_fd >= 0, &t, NULL);
    ended = n > 0;
    now = now_ns();
    /* A signal ends the wait early, so that its handler can run. */
    if (n || now >= until_ns)
      break;
  }
  *ret_now_ns = now;
  *ret_ended = ended;
  return 0;
}
