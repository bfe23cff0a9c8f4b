/* SPDX-License-Identifier: MIT */
/* --by device: I/O values, by the devices behind the ports of I/O stacks. */
#ifndef CLI_STAT_BY_DEVICE_H
#define CLI_STAT_BY_DEVICE_H

#include "cli/target/devices.h"

struct pmon_record;
struct pmon_recording;
struct pmon_report;
struct stat_run;

/* Before the plan is made: the default metrics are those of ports. An enum cli_exit. */
int stat_devices_prepare(struct stat_run *s);
/* Reads the host's devices, or the scenario's and the capture's. An enum cli_exit. */
int stat_devices_read(struct stat_run *s);
/* Does so if a report or a recording needs them, with a warning if there are none. */
int stat_devices_find(struct stat_run *s);

/* Reads the devices that a recording has; fails if their table is damaged. Stores them in one that is being written.
 * An enum cli_exit. */
int stat_devices_load(struct cli *cli, struct device_list *list, struct pmon_recording *recording);
int stat_devices_record(struct cli *cli, const struct device_list *list, struct pmon_record *record);
/* Names the values of a report by them. An enum pmon_status. */
int stat_devices_name(struct cli *cli, const struct device_list *list, struct pmon_report *r);

#endif
