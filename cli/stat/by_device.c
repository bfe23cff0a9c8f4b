/* SPDX-License-Identifier: MIT */
/* `--by device`: I/O values, by the devices behind the ports of I/O stacks. */
#include <pmon/record.h>
#include "cli/common/groups.h"
#include "cli/stat/stat.h"

static const char port_group[] = "IO_PORTS";

static int refuse_by_device(struct stat_run *s)
{
  struct pmon_platform_info info = {.size = sizeof info};
  pmon_platform_describe(s->cli->platform, &info);
  return cli_fail(
      s->cli,
      "--by device: no unit of platform %s counts the ports of I/O stacks; use -g IO instead, for the I/O of each %s",
      info.name, info.package);
}

int stat_prepare_devices(struct stat_run *s)
{
  struct pmon_unit_info unit;
  if (!s->by_device)
    return CLI_DONE;
  if (!cli_platform(s->cli))
    return CLI_USAGE;
  if (!devices_unit(s->cli->platform, &unit))
    return refuse_by_device(s);
  s->breakdown = PMON_BY_INSTANCE;
  if (s->wanted)
    return CLI_DONE;
  if (!groups_has(s->cli, port_group))
    return cli_fail(s->cli, "--by device: the platform has no group %s; add -e or -m with events of ports", port_group);
  return stat_add_wanted(s, port_group, 'g');
}

int stat_read_devices(struct stat_run *s)
{
  const struct pmon_capture *capture = s->target.capture;
  const bool good = (s->host ? devices_read_host(&s->hardware, s->cli->platform, &s->devices)
                             : devices_of_scenario(&s->target.scene, s->cli->platform, &s->devices)) &&
                    (!capture || devices_of_capture(capture, &s->devices));
  return good ? CLI_DONE : cli_fail_memory(s->cli);
}

int stat_recorded_devices(struct stat_run *s, struct pmon_recording *recording)
{
  struct pmon_device d = {.size = sizeof d};
  int status;
  for (uint32_t i = 0; !(status = pmon_recording_device(recording, i, &d)); i++)
    if (!devices_add(&s->devices, &d))
      return cli_fail_memory(s->cli);
  return status == PMON_E_RANGE ? CLI_DONE : cli_fail_context(s->cli, NULL);
}

int stat_find_devices(struct stat_run *s)
{
  if (!s->by_device && !s->record_path)
    return CLI_DONE;
  if (stat_read_devices(s) != CLI_DONE)
    return CLI_FAILED;
  if (s->by_device && !s->devices.n)
    cli_warn(s->cli, "--by device: %s; values are by stack and port",
             !s->host ? "the emulated machine has no named devices (`device` lines of a scenario, or a capture's)"
             : s->devices.denied ? "the kernel does not name the root buses of I/O stacks (files die* of its PMUs), "
                                   "and reading them from the processor requires root (CAP_SYS_ADMIN)"
             : s->devices.source == ROOT_BUSES_NONE
                 ? "the kernel does not name the root buses of I/O stacks (files die* of its PMUs)"
                 : "no device is behind the root buses of I/O stacks");
  else if (s->by_device && s->devices.unsure)
    cli_note(s->cli, "note: --by device: root buses are assigned to stacks by the processor's bus numbers and Intel "
                     "PCM's table for this processor; PCM has two tables, which differ");
  return CLI_DONE;
}

int stat_record_devices(struct stat_run *s)
{
  for (uint32_t i = 0; s->record && i < s->devices.n; i++)
    if (*s->devices.devices[i].unit && pmon_record_add_device(s->record, &s->devices.devices[i]))
      return cli_fail_context(s->cli, NULL);
  return CLI_DONE;
}

int stat_name_devices(struct stat_run *s, struct pmon_report *r)
{
  int status = 0;
  for (uint32_t i = 0; !status && i < s->devices.n; i++)
    status = pmon_report_add_device(r, &s->devices.devices[i]);
  if (!status)
    status = pmon_report_by_device(r);
  if (status == PMON_E_NO_DATA)
    cli_fail(s->cli, "--by device: no value is counted at ports of I/O stacks; use -g %s", port_group);
  return status;
}
