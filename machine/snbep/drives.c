/* SPDX-License-Identifier: MIT */
/* The part of an E5-2600's traffic that makes each event's reports, and the reasons why other events have none. */
#include "machine/snbep/drives.h"

#include <stddef.h>
#include "machine/common/drive_rows.h"
#include "machine/snbep/attr.h"

#define NOT(unit, first, last, why)                                                                                    \
  {                                                                                                                    \
    unit, first, last, MACHINE_NOT_MODELLED, 0, 0, 0, why                                                              \
  }
/* Rows of a code that select by any of these umask bits, or have all of these bits of the control. */
#define CHOOSES(unit, code, bits, part)                                                                                \
  {                                                                                                                    \
    unit, code, code, MACHINE_CONSTANT, 0, 0, SNB_UMASK(bits), part                                                    \
  }

static const char no_isoch[] = "0: no isochronous traffic; line `inject`";
static const char no_keeping[] = "0: a write-back drops the line or leaves it shared; line `inject`";
static const char in_order[] = "0: an ingress queue serves its entries in order; line `inject`";
static const char no_events[] = "0: no machine checks, traps or monitors of the uncore; line `inject`";
static const char crossing[] = "the model's receive buffer is not divided into clock crossing and egress";
static const char room[] =
    "0: the buffer for retries always has room, and links are not initialized again; line `inject`";
static const char undocumented[] = "not documented: only Intel's event file names it";
static const char no_address[] = "the addresses of the unit's registers are not documented";
static const char one_by_one[] =
    "0: messages of this stop that their destination can refuse are sent one after the other; line `inject`";
static const char no_filter[] = "0: the filter's register is not documented, so it is never set; line `inject`";

const struct machine_drive snbep_drives[] = {
    /* conditions: reports that only a line of a scenario makes */
    {"pcu", 0x00, 0xff, MACHINE_MODELLED, SNB_EXT, "power control: states of cores and package"},
    SET_BY("pcu", SNB_PCU_FREQ_MAX_THERMAL, "line `thermal` of a scenario"),
    SET_BY("pcu", SNB_PCU_FREQ_MAX_POWER, "line `power-limit` of a scenario"),
    SET_BY("pcu", SNB_PCU_FREQ_MAX_CURRENT, "line `current-limit` of a scenario"),
    SET_BY("pcu", SNB_PCU_PROCHOT_INTERNAL, "line `prochot` of a scenario"),
    SET_BY("pcu", SNB_PCU_PROCHOT_EXTERNAL, "line `prochot-outside` of a scenario"),
    SET_BY("pcu", SNB_PCU_VR_HOT, "line `vr-hot` of a scenario"),
    SET_BY("qpi", QPI_RXL_CRC_ERRORS, "line `crc` of a scenario"),
    SET_BY("imc", SNB_IMC_POWER_THROTTLE, "line `throttle` of a scenario"),
    SET_BY("imc", SNB_IMC_POWER_CRITICAL, "line `critical` of a scenario"),
    SET_BY("imc", SNB_IMC_ECC_ERRORS, "line `ecc` of a scenario"),
    SET_BY("ha", HA_DIRECT2CORE_CYCLES_DISABLED, "`set direct2core=off` of a scenario"),
    MODEL("cbo", CBO_RING_AD_USED, CBO_RING_IV_USED, "ring: slots, egress, destinations"),
    MODEL("cbo", CBO_TXR_INSERTS, CBO_RING_SRC_THRTL, "ring: slots, egress, destinations"),
    MODEL("cbo", 0x00, 0xff, "CBo: queues, TOR, tags"),
    MODEL("ha", HA_AD_INSERTS, HA_BL_FULL, "ring: slots, egress, destinations"),
    MODEL("ha", HA_RING_AD_USED, HA_RING_BL_USED, "ring: slots, egress, destinations"),
    MODEL("ha", 0x00, 0xff, "home agent: tracker, snoops, directory, credits"),
    MODEL("imc", 0x00, 0x101, "memory channel: queues, banks, commands, power"),
    MODEL("core", 0x100, 0x100, "cores: instructions, clocks, states"),
    MODEL("cstate", 0x100, 0x100, "idle states of all cores"),
    MODEL("pcu", 0x00, 0x101, "power control: states of cores and package, limits"),
    MODEL("qpi", 0x00, 0xff, "QPI link: flits, buffers, credits, power"),
    MODEL("r2pcie", RING_AD_USED, RING_IV_USED, "ring: slots, egress, destinations"),
    MODEL("r2pcie", 0x00, 0xff, "I/O stop: devices' streams"),
    MODEL("r3qpi", RING_AD_USED, RING_IV_USED, "ring: slots, egress, destinations"),
    MODEL("r3qpi", 0x00, 0xff, "link's stop: queues, credits"),
    MODEL("ubox", 0x00, 0xff, "UBox: messages, locks"),
    {0}};

const struct machine_reason snbep_reasons[] = {
    CHOOSES("ha", HA_IMC_WRITES, 0x0c, no_isoch),
    CHOOSES("imc", SNB_IMC_MAJOR_MODES, 0x08, no_isoch),
    CONSTANT("qpi", QPI_CTO_COUNT, QPI_CTO_COUNT, no_keeping),
    CONSTANT("ubox", UBOX_FILTER_MATCH, UBOX_FILTER_MATCH, no_filter),
    CONSTANT("ha", HA_RPQ_NO_SPECIAL, HA_RPQ_NO_SPECIAL, no_isoch),
    CONSTANT("ha", HA_WPQ_NO_SPECIAL, HA_WPQ_NO_SPECIAL, no_isoch),
    NOT("ha", HA_BYPASS_IMC, HA_BYPASS_IMC, "the model's home agent has no bypass"),
    CONSTANT("cbo", CBO_RXR_INT_STARVED, CBO_RXR_INT_STARVED, in_order),
    NOT("cbo", CBO_RING_SINK_STARVED, CBO_RING_SINK_STARVED, undocumented),
    NOT("cbo", CBO_TXR_STARVED, CBO_TXR_STARVED, "the time after which a message counts as starved is not documented"),
    CONSTANT("ubox", UBOX_U2C_EVENTS, UBOX_U2C_EVENTS, no_events),
    NOT("ubox", UBOX_PHOLD_CYCLES, UBOX_MSG_CHNL_SIZE, undocumented),
    {"qpi", QPI_TXL_CRC_NO_CREDITS, QPI_TXL_CRC_NO_CREDITS, MACHINE_CONSTANT, 0, SNB_EXT, 0, room},
    {"qpi", QPI_RXL_CRC_ERRORS, QPI_RXL_CRC_ERRORS, MACHINE_CONSTANT, SNB_UMASK(0x01), SNB_EXT, 0, room},
    {"qpi", QPI_RXL_STALLS, QPI_RXL_STALLS, MACHINE_NOT_MODELLED, 0, SNB_EXT, 0, crossing},
    CONSTANT("r2pcie", R2_TXR_NACKS, R2_TXR_NACKS, one_by_one),
    NOT("r2pcie", R2_IIO_CREDITS_USED, R2_IIO_CREDITS_REJECT, "the model's credits of the I/O stop have no classes"),
    NOT("irp", 0x00, 0xff, no_address),
    {0}};

const struct machine_report snbep_reports[] = {
#include "machine/snbep/reports.inc"
    {0}};
