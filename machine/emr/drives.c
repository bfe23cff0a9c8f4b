/* SPDX-License-Identifier: MIT */
/* Which part of the traffic of an Emerald Rapids makes an event's reports, and why others are not made. */
#include "machine/emr/drives.h"

#include <stddef.h>
#include "machine/emr/attr.h"

#define MODEL(unit, first, last, part) { unit, first, last, MACHINE_MODELLED, 0, part }

const struct machine_drive emr_drives[] = {
  MODEL("cha", 0x00, 0x7f, "CHA: queues, table of requests, tags, home agent"),
  MODEL("imc", 0x00, 0x101, "memory channel: queues, banks, commands, power"),
  MODEL("m2m", 0x00, 0x7f, "M2M: trackers, directory"),
  MODEL("upi", 0x00, 0xff, "UPI link"),
  MODEL("iio", 0x00, 0x101, "I/O stack: devices' streams"),
  MODEL("irp", 0x00, 0xff, "I/O ring port"),
  MODEL("m2pcie", 0x00, 0x7f, "I/O mesh stop"),
  MODEL("m3upi", 0x00, 0x7f, "link's mesh stop"),
  MODEL("pcu", 0x00, 0xff, "power control: core and package states"),
  MODEL("cha", 0x80, 0xff, "mesh"),
  MODEL("m2m", 0x80, 0xff, "mesh"),
  MODEL("m2pcie", 0x80, 0xff, "mesh"),
  MODEL("m3upi", 0x80, 0xff, "mesh"),
  { 0 }
};

const struct machine_report emr_reports[] = {
#include "machine/emr/reports.h"
  { 0 }
};
