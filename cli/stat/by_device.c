/* SPDX-License-Identifier: MIT */
#include "cli/stat/by_device.h"

#include <pmon/record.h>
#include "cli/common/groups.h"
#include "cli/stat/run.h"

static const char port_group[] = "IO_PORTS";

static int refuse_by_device(const struct cli *cli)
{
  struct pmon_platform_info info = {.size = sizeof info};
  pmon_platform_describe(cli->platform, &info);
  return cli_fail(
      cli,
      "--by device: no unit of platform %s counts the ports of I/O stacks; use -g IO instead, for the I/O of each %s",
      info.name, info.package);
}

int stat_devices_prepare(struct stat_run *s)
{
  struct pmon_unit_info unit;
  if (!s->output.by_device)
    return CLI_DONE;
  if (!cli_platform(s->cli))
    return CLI_USAGE;
  if (!devices_unit(s->cli->platform, &unit))
    return refuse_by_device(s->cli);
  s->output.breakdown = PMON_BY_INSTANCE;
  if (s->wanted.given)
    return CLI_DONE;
  if (!groups_has(s->cli, port_group))
    return cli_fail(s->cli, "--by device: the platform has no group %s; add -e or -m with events of ports", port_group);
  return stat_wanted_add(s->cli, &s->source.hardware, &s->wanted, 'g', port_group);
}

int stat_devices_read(struct stat_run *s)
{
  const struct pmon_capture *capture = s->target.capture;
  const bool good = (s->source.host ? devices_read_host(&s->source.hardware, s->cli->platform, &s->devices)
                                    : devices_of_scenario(&s->target.scene, s->cli->platform, &s->devices)) &&
                    (!capture || devices_of_capture(capture, &s->devices));
  return good ? CLI_DONE : cli_fail_memory(s->cli);
}

int stat_devices_load(struct cli *cli, struct device_list *list, struct pmon_recording *recording)
{
  struct pmon_device d = {.size = sizeof d};
  int status;
  for (uint32_t i = 0; !(status = pmon_recording_device(recording, i, &d)); i++)
    if (!devices_add(list, &d))
      return cli_fail_memory(cli);
  return status == PMON_E_RANGE ? CLI_DONE : cli_fail_context(cli, NULL);
}

int stat_devices_find(struct stat_run *s)
{
  if (!s->output.by_device && !s->files.record_path)
    return CLI_DONE;
  if (stat_devices_read(s) != CLI_DONE)
    return CLI_FAILED;
  if (s->output.by_device && !s->devices.n)
    cli_warn(s->cli, "--by device: %s; values are by stack and port",
             !s->source.host
                 ? "the emulated machine has no named devices (`device` lines of a scenario, or a capture's)"
             : s->devices.denied ? "the kernel does not name the root buses of I/O stacks (files die* of its PMUs), "
                                   "and reading them from the processor requires root (CAP_SYS_ADMIN)"
             : s->devices.source == ROOT_BUSES_NONE
                 ? "the kernel does not name the root buses of I/O stacks (files die* of its PMUs)"
                 : "no device is behind the root buses of I/O stacks");
  else if (s->output.by_device && s->devices.unsure)
    cli_warn(s->cli, "--by device: root buses are assigned to stacks by the processor's bus numbers and Intel "
                     "PCM's table for this processor; PCM has two tables, which differ");
  return CLI_DONE;
}

int stat_devices_record(struct cli *cli, const struct device_list *list, struct pmon_record *record)
{
  for (uint32_t i = 0; record && i < list->n; i++)
    if (*list->devices[i].unit && pmon_record_add_device(record, &list->devices[i]))
      return cli_fail_context(cli, NULL);
  return CLI_DONE;
}

int stat_devices_name(struct cli *cli, const struct device_list *list, struct pmon_report *r)
{
  int status = 0;
  for (uint32_t i = 0; !status && i < list->n; i++)
    status = pmon_report_add_device(r, &list->devices[i]);
  if (!status)
    status = pmon_report_by_device(r);
  if (status == PMON_E_NO_DATA)
    cli_fail(cli, "--by device: no value is counted at ports of I/O stacks; use -g %s", port_group);
  return status;
}
