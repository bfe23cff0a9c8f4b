/* SPDX-License-Identifier: MIT */
/* Which part of the traffic of an E5-2600 makes an event's reports, and why others are not made. */
#include "machine/snbep/drives.h"

#include <stddef.h>
#include "machine/snbep/attr.h"

#define MODEL(unit, first, last, part) { unit, first, last, MACHINE_MODELLED, 0, part }

const struct machine_drive snbep_drives[] = {
  MODEL("cbo", CBO_RING_AD_USED, CBO_RING_IV_USED, "ring: slots, egress, who takes what"),
  MODEL("cbo", CBO_TXR_INSERTS, CBO_RING_SRC_THRTL, "ring: slots, egress, who takes what"),
  MODEL("cbo", 0x00, 0xff, "CBo: queues, table of requests, tags"),
  MODEL("ha", HA_AD_FULL, HA_BL_FULL, "ring: slots, egress, who takes what"),
  MODEL("ha", 0x00, 0xff, "home agent: tracker, snoops, directory, credits"),
  MODEL("imc", 0x00, 0x101, "memory channel: queues, banks, commands, power"),
  MODEL("pcu", 0x00, 0x101, "power control: states of cores and package, limits"),
  MODEL("qpi", 0x00, 0xff, "QPI link: flits, buffers, credits, power"),
  MODEL("r2pcie", RING_AD_USED, RING_IV_USED, "ring: slots, egress, who takes what"),
  MODEL("r2pcie", 0x00, 0xff, "I/O stop: devices' streams"),
  MODEL("r3qpi", RING_AD_USED, RING_IV_USED, "ring: slots, egress, who takes what"),
  MODEL("r3qpi", 0x00, 0xff, "link's stop: queues, credits"),
  MODEL("ubox", 0x00, 0xff, "UBox: messages, locks"),
  { 0 }
};

const struct machine_report snbep_reports[] = {
#include "machine/snbep/reports.h"
  { 0 }
};
