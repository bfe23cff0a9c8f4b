/* SPDX-License-Identifier: MIT */
#include "cli/stat/host.h"
#include "cli/target/helper.h"
#include "cli/target/privileges.h"
#include "cli/target/target.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#define RESCTRL "resctrl" /* the access method of the kernel's values */

enum { ONLINE_SIZE = 1024, MOST_PACKAGES = 64, LOOK_NS = 1000000000 };

/* A backend that opens the command's gate at the first wait. */
struct gated {
  struct pmon_backend base;
  struct pmon_backend *inner;
  struct host_command *command;
  struct cli *cli;
  struct hardware *hardware;
  bool begun;               /* a wait has begun */
  uint64_t look_ns;         /* when the packages are checked again */
  char online[ONLINE_SIZE]; /* the system's list of CPUs */
  struct pmon_package packages[MOST_PACKAGES];
  uint32_t n_packages;
};

static struct gated *gated_of(struct pmon_backend *b)
{
  return (struct gated *)(void *)b;
}

static int gated_read(struct pmon_backend *b, const struct pmon_address *a, uint64_t *ret_value)
{
  int status = gated_of(b)->inner->ops->read(gated_of(b)->inner, a, ret_value);
  b->error_text = gated_of(b)->inner->error_text;
  return status;
}

static int gated_write(struct pmon_backend *b, const struct pmon_address *a, uint64_t value)
{
  int status = gated_of(b)->inner->ops->write(gated_of(b)->inner, a, value);
  b->error_text = gated_of(b)->inner->error_text;
  return status;
}

static void gated_sweep(struct pmon_backend *b, struct pmon_read *reads, uint32_t n)
{
  gated_of(b)->inner->sweep(gated_of(b)->inner, reads, n);
  b->error_text = gated_of(b)->inner->error_text;
}

static bool has_package(const struct pmon_package *packages, uint32_t n, uint32_t id)
{
  for (uint32_t i = 0; i < n; i++)
    if (packages[i].id == id)
      return true;
  return false;
}

/* Reports the packages that have come online or gone offline since the last check. */
static void gated_report_packages(struct gated *g)
{
  struct pmon_package now[MOST_PACKAGES];
  char online[ONLINE_SIZE];
  if (!hardware_text(g->hardware->sys, "devices/system/cpu/online", online, sizeof online) ||
      !strcmp(online, g->online))
    return;
  memcpy(g->online, online, sizeof online);
  const uint32_t n = hardware_packages(g->hardware, now, MOST_PACKAGES);
  for (uint32_t i = 0; i < n && i < MOST_PACKAGES; i++)
    if (!has_package(g->packages, g->n_packages, now[i].id))
      cli_warn(g->cli, "package %u came online during the measurement and is not counted; measure again", now[i].id);
  for (uint32_t i = 0; i < g->n_packages; i++)
    if (!has_package(now, n, g->packages[i].id))
      cli_warn(g->cli, "package %u went offline during the measurement", g->packages[i].id);
  memcpy(g->packages, now, sizeof now);
  g->n_packages = n < MOST_PACKAGES ? n : MOST_PACKAGES;
}

static int gated_wait(struct pmon_backend *b, uint64_t until_ns, uint64_t *ret_now_ns, bool *ret_ended)
{
  if (until_ns && !gated_of(b)->begun && !gated_of(b)->command->keep && !privileges_drop()) {
    b->error_text = "privileges could not be dropped; the command was not started";
    return PMON_E_PERMISSION;
  }
  if (until_ns && !gated_of(b)->begun)
    host_command_go(gated_of(b)->command);
  gated_of(b)->begun |= until_ns != 0;
  int status = gated_of(b)->inner->ops->wait(gated_of(b)->inner, until_ns, ret_now_ns, ret_ended);
  b->error_text = gated_of(b)->inner->error_text;
  if (!status && *ret_ended && gated_of(b)->command->watch_fd >= 0)
    *ret_ended = host_command_has_ended(gated_of(b)->command);
  if (!status && (*ret_ended || *ret_now_ns >= gated_of(b)->look_ns)) {
    gated_report_packages(gated_of(b));
    gated_of(b)->look_ns = *ret_now_ns + LOOK_NS;
  }
  return status;
}

static void gated_close(struct pmon_backend *b)
{
  if (gated_of(b)->begun)
    gated_report_packages(gated_of(b)); /* a signal ended the measurement */
  hardware_close(gated_of(b)->inner);
  free(b);
}

/* Raises the limit of open files, because each perf event takes a file descriptor. */
static void raise_descriptors(void)
{
  struct rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur == limit.rlim_max)
    return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

static int host_open_named(const struct hardware *h, const char *name, struct pmon_reason *reason,
                           struct pmon_backend **ret_backend)
{
  struct pmon_access_method_info info = {.size = sizeof info};
  if (!strcmp(name, "direct"))
    return helper_open(&h->system, h->root, reason, ret_backend);
  for (uint32_t i = 0; !pmon_access_method_describe(i, &info); i++)
    if (!strcmp(name, info.name))
      return pmon_access_method_open(i, &h->system, reason, ret_backend);
  raise_descriptors();
  return pmon_backend_perf_open(&h->system, reason, ret_backend);
}

/* Without a name: opens the backend that can count the plan. A tree copied from another host has no kernel here. */
static int host_open_best(struct cli *cli, const struct hardware *h, struct host_choice *choice,
                          struct pmon_reason *reason, struct pmon_backend **ret_backend)
{
  struct pmon_reason lacks = {""};
  struct pmon_backend *perf = NULL;
  int status = h->root ? PMON_E_NO_DEVICE : host_open_named(h, "perf", &lacks, &perf);
  const bool all = !status && !pmon_plan_check(choice->plan, perf, &lacks);
  choice->name = all ? "perf" : "direct";
  *ret_backend = perf;
  if (all)
    return 0;
  status = host_open_named(h, "direct", reason, ret_backend);
  if (!status && perf)
    cli_note(cli, "using registers instead of Linux perf: %s", lacks.text);
  if (status && perf) {
    choice->name = "perf";
    *ret_backend = perf;
    return 0;
  }
  pmon_backend_close(perf);
  return status;
}

/* Reports why a backend could not be opened. The kernel's values of resctrl do not depend on the facts of the
 * processor, so that an unknown one is not the reason for their absence. */
static int host_fail(struct cli *cli, const struct hardware *h, const char *name, int status,
                     const struct pmon_reason *reason)
{
  if (strcmp(name, RESCTRL) || !*reason->text)
    return hardware_refuse(cli, h, status, reason);
  cli_fail(cli, "--backend " RESCTRL ": %s", reason->text);
  return CLI_NO_HARDWARE;
}

int host_open(struct cli *cli, struct hardware *h, struct host_command *c, const struct host_choice *choice,
              struct pmon_backend **ret_backend)
{
  static const struct pmon_backend_ops ops = {sizeof ops, "host", gated_read, gated_write, gated_wait, gated_close};
  struct host_choice found = *choice;
  struct pmon_reason reason = {""};
  if (cli_platform_is_perf_only(cli)) {
    if (found.name && strcmp(found.name, "perf") && strcmp(found.name, RESCTRL))
      return cli_fail(cli, "--backend %s: the register addresses of this platform are not known; add --backend perf",
                      found.name);
    found.name = found.name ? found.name : "perf";
  }
  struct gated *g = calloc(1, sizeof *g);
  if (!g)
    return cli_fail_memory(cli);
  h->system.end_fd = c->watch_fd >= 0 ? c->watch_fd : c->end_fd;
  int status = found.name ? host_open_named(h, found.name, &reason, &g->inner)
                          : host_open_best(cli, h, &found, &reason, &g->inner);
  if (status) {
    free(g);
    return host_fail(cli, h, found.name, status, &reason);
  }
  hardware_watch(g->inner);
  snprintf(choice->backend, choice->backend_size, "%s", found.name);
  g->base = (struct pmon_backend){.ops = &ops,
                                  .packages = g->inner->packages,
                                  .inner = g->inner,
                                  .counting = g->inner->counting,
                                  .sweep = g->inner->sweep ? gated_sweep : NULL};
  g->command = c;
  g->cli = cli;
  g->hardware = h;
  const uint32_t n = hardware_packages(h, g->packages, MOST_PACKAGES);
  g->n_packages = n < MOST_PACKAGES ? n : MOST_PACKAGES;
  if (!hardware_text(h->sys, "devices/system/cpu/online", g->online, sizeof g->online))
    *g->online = 0;
  *ret_backend = &g->base;
  return CLI_DONE;
}

bool host_works(struct cli *cli, const struct hardware *h)
{
  static const char *const names[] = {"perf", "direct"};
  if (!hardware_is_host(cli, h))
    return false;
  const size_t n = cli_platform_is_perf_only(cli) ? 1 : sizeof names / sizeof *names;
  for (size_t i = h->root ? 1 : 0; i < n; i++) {
    struct pmon_backend *b = NULL;
    int status = host_open_named(h, names[i], NULL, &b);
    if (!status) {
      pmon_backend_close(b);
      return true;
    }
  }
  return false;
}

bool host_is_real(struct cli *cli, const struct hardware *h)
{
  struct pmon_cpu cpu;
  return hardware_is_host(cli, h) && hardware_cpu(h, &cpu) && !cpu.hypervisor;
}

int host_refuse(struct cli *cli, const struct hardware *h)
{
  struct pmon_reason reason = {""};
  struct pmon_backend *b = NULL;
  const bool perf_only = cli_platform_is_perf_only(cli);
  if (perf_only && h->root) { /* the tree may be another kernel's */
    cli_fail(cli, "--root: the events of this platform are counted through Linux perf, that is, by the running kernel; "
                  "add --backend perf if the tree is of this kernel");
    return CLI_NO_HARDWARE;
  }
  int status = host_open_named(h, perf_only ? "perf" : "direct", &reason, &b);
  pmon_backend_close(b);
  const int result = hardware_refuse(cli, h, status ? status : PMON_E_NO_DEVICE, &reason);
  cli_fail(cli, "this processor's counters cannot be reached: pmon doctor prints each remedy; --backend machine "
                "counts the command on the emulated machine instead");
  return result;
}

static void report_conflict(void *user, const char *line)
{
  cli_fail(user, "%s: in use", line);
}

int host_check_conflicts(struct cli *cli, const struct hardware *h, const struct pmon_session *session, bool force)
{
  const uint32_t n = force ? 0 : pmon_session_conflicts(session, report_conflict, cli);
  if (!n)
    return CLI_DONE;
  if (hardware_kernel_pmus(h))
    cli_fail(
        cli,
        "intel_uncore: the kernel's driver may have programmed its %u PMUs; use --backend perf, or unload the driver "
        "(modprobe -r intel_uncore)",
        hardware_kernel_pmus(h));
  cli_fail(cli,
           "%u register%s programmed by another program; stop it (after a kill -9: pmon restore), or take over what it "
           "programmed with --force (pmon restores it)",
           n, n == 1 ? " is" : "s are");
  return CLI_NO_HARDWARE;
}
