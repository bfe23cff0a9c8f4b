/* SPDX-License-Identifier: MIT */
/* The part of an Emerald Rapids' traffic that makes each event's reports, and the reasons why other events have
 * none. */
#include "machine/emr/drives.h"

#include <stddef.h>
#include "machine/common/drive_rows.h"
#include "machine/emr/attr.h"
#include "machine/emr/mesh_reasons.h"

#define WITH(unit, code, bits, part)                                                                                   \
  {                                                                                                                    \
    unit, code, code, MACHINE_CONSTANT, bits, 0, 0, part                                                               \
  }
/* Rows of a code that select by any of these umask bits. */
#define CHOOSES(unit, code, bits, part)                                                                                \
  {                                                                                                                    \
    unit, code, code, MACHINE_CONSTANT, 0, 0, EMR_UMASK(bits), part                                                    \
  }

static const char hold[] = "0 except for lines `hold` and `inject` of a scenario";
static const char never[] = "always 0 by definition";
static const char filter[] = "0 by itself: the row is a filter for the rows of queues and states";
static const char no_pmm[] = "0: no persistent memory and no DRAM cache of it; line `inject`";
static const char one_level[] = "0: memory has one level, so every lookup hits; line `inject`";
static const char no_isoch[] = "0: no isochronous traffic; line `inject`";
static const char no_vn1[] =
    "0: virtual network 1 carries messages through a third socket, and the machine has two; line `inject`";
static const char no_through[] = "0: with two sockets no message passes through a third; line `inject`";
static const char no_sparing[] = "0: no partial-line sparing; line `inject`";
static const char whole_lines[] = "0: every command transfers a full line; line `inject`";
static const char no_mirror[] = "0: memory is not mirrored; line `inject`";
static const char slots[] = "0 by itself: select slots together with their contents";
static const char no_cisgress[] = "0: memory has one level, so no M2M requests a line from another; line `inject`";
static const char no_third[] = "0: with two sockets the directory never names a third; line `inject`";
static const char posted[] = "0: memory has one level, so every write is posted; line `inject`";
static const char no_flush[] =
    "0: write queues are flushed only for persistent memory or at power failure; line `inject`";
static const char all_ahead[] = "0: prefetch is allowed for all memory, and no error blocks it; line `inject`";
static const char no_pause[] = "0: the clock crossing sustains its rate; line `inject`";
static const char no_tsv[] = "0: the link's signal TSV is not modelled; line `inject`";
static const char halves[] = "0: the halves of a line arrive one cycle apart, one line at a time; line `inject`";
static const char slot2[] = "0: the next header flit serves each request for slot 2; line `inject`";
static const char no_pull[] = "0: write-backs carry their data on the data ring; line `inject`";
static const char no_messages[] = "0: no messages cross a link to these units; line `inject`";
static const char cxl_answers[] =
    "0: memory sends one response per line, and the mesh accepts them at that rate; line `inject`";
static const char debug[] = "0: the guide does not describe this debug bus; line `inject`";
static const char no_share[] = "0: no invalidations of the caches for interrupts and contexts; line `inject`";

static const char no_response[] =
    "0: requests of cores, devices and the LLC are answered within the socket, not over a link; line `inject`";
static const char no_request[] =
    "0: a request from a link is answered there and causes no further request; line `inject`";
static const char no_bypass[] = "0: only cores' accesses to devices cause such messages; line `inject`";
static const char to_llc[] = "0: devices write to the LLC, and its victims go to memory later; line `inject`";
static const char no_ring[] = "0: no completion of it uses that ring; line `inject`";
static const char no_way[] = "0: it needs no way in the LLC or snoop filter; line `inject`";
static const char no_home[] = "0: it needs no home agent; line `inject`";
static const char snoops_go[] = "0: only snoops are blocked at times; line `inject`";
static const char two_sockets[] = "0: the requesting socket is the only other one; line `inject`";
static const char four_controllers[] = "0: a socket has at most four memory controllers; line `inject`";
static const char ubox_egress[] = "0: the UBox sends its messages to the mesh at once; lines `hold` and `inject`";
static const char same_clock[] = "0: the clocks of mesh and links do not change; lines `hold` and `inject`";
static const char own_queue[] = "0: each slot of a flit has a separate queue; line `inject`";
static const char no_conflict[] = "0: the home orders requests to the same line; line `inject`";
static const char iommu_reads[] = "0: the IOMMU accesses only memory; line `inject`";
static const char one_target[] = "0: a device's request has one valid target; line `inject`";
static const char enough[] = "0: the mesh always has room for a stack's request; lines `hold` and `inject`";
static const char no_forward[] =
    "0: a snooped cache forwards only modified lines, for ownership and snapshots; memory supplies clean data; line "
    "`inject`";
static const char undefined_event[] = "neither the guide nor the event files define it";
static const char crossing[] =
    "0: the home orders requests to a line, so no write-back conflicts with a snoop; line `inject`";
static const char cores_only[] = "0: only cores use their queue; line `inject`";
static const char no_near[] = "0: no instruction causes it, and Table 3-1 has no such core request; line `inject`";
static const char credits_go[] = "0: credits always return with the next message; line `inject`";
static const char credits_alone[] = "0: neither dedicated credits nor acknowledgements request slot 2; line `inject`";
static const char no_hitme_state[] =
    "0: HitMe is a separate table, and the snoop filter has no state for its lines; line `inject`";
static const char credit_ring[] = "0: their ring carries only credits, which never wait for it; line `inject`";
static const char no_code_ahead[] = "0: the L2 prefetches code of accelerators' memory itself; line `inject`";
static const char own_expander[] = "0: cores use the expanders of their own socket; line `inject`";
static const char part_snoop[] = "0 by itself: select the snoop's result as well";

#define NOT(unit, first, last, why)                                                                                    \
  {                                                                                                                    \
    unit, first, last, MACHINE_NOT_MODELLED, 0, 0, 0, why                                                              \
  }
#define MESH(unit) CHOOSES(unit, 0xaf, 0x30, no_pmm), CONSTANT(unit, 0xe6, 0xe6, hold)

const struct machine_drive emr_drives[] = {
    /* conditions: reports that only a line of a scenario makes */
    SET_BY("pcu", PCU_FREQ_MAX_LIMIT_THERMAL_CYCLES, "line `thermal` of a scenario"),
    SET_BY("pcu", PCU_FREQ_MAX_POWER_CYCLES, "line `power-limit` of a scenario"),
    SET_BY("pcu", PCU_PROCHOT_INTERNAL_CYCLES, "line `prochot` of a scenario"),
    SET_BY("pcu", PCU_VR_HOT_CYCLES, "line `vr-hot` of a scenario"),
    SET_BY("pcu", PCU_PMAX_THROTTLED_CYCLES, "line `current-limit` of a scenario"),
    SET_BY("pcu", PCU_PROCHOT_EXTERNAL_CYCLES, "line `prochot-outside` of a scenario"),
    SET_BY("imc", IMC_POWER_THROTTLE_CYCLES, "line `throttle` of a scenario"),
    SET_BY("imc", IMC_POWER_CRIT_THROTTLE_CYCLES, "line `critical` of a scenario"),
    SET_BY("imc", IMC_ECC_CORRECTABLE_ERRORS, "line `ecc` of a scenario"),
    SET_BY("pcu", 0x1f, "line `thermal` of a scenario"),
    SET_BY("pcu", 0x19, "line `thermal` of a scenario"),
    SET_BY("upi", UPI_RXL_CRC_LLR_REQ_TRANSMIT, "line `crc` of a scenario"),
    SET_BY("upi", UPI_RXL_CRC_ERRORS, "line `crc` of a scenario"),
    MODEL("cha", CHA_XPT_PREF, CHA_XPT_PREF, "memory prefetch before the home agent's read (memory.ahead=on)"),
    MODEL("m2m", M2M_PREFCAM_OCCUPANCY, M2M_PREFCAM_RXC_DEALLOCS,
          "memory prefetch before the home agent's read (memory.ahead=on)"),
    MODEL("m3upi", M3UPI_XPT_PFTCH, M3UPI_XPT_PFTCH, "memory prefetch before the home agent's read (memory.ahead=on)"),
    MODEL("m3upi", M3UPI_UPI_PREFETCH_SPAWN, M3UPI_UPI_PREFETCH_SPAWN,
          "memory prefetch before the home agent's read (memory.ahead=on)"),
    MODEL("cha", 0x00, 0x7f, "CHA: queues, TOR, tags, home agent"),
    MODEL("imc", 0x00, 0x101, "memory channel: queues, banks, commands, power"),
    MODEL("core", 0x100, 0x100, "cores: instructions, clocks, states"),
    MODEL("cstate", 0x100, 0x100, "idle states of all cores"),
    MODEL("m2m", 0x00, 0x7f, "M2M: trackers, directory, egress"),
    MODEL("upi", 0x00, 0xff, "UPI link"),
    MODEL("iio", 0x40, 0x43, "IOMMU"),
    MODEL("iio", 0x00, 0x101, "I/O stack: devices' streams, cores' accesses to devices"),
    MODEL("irp", 0x00, 0xff, "I/O ring port"),
    MODEL("m2pcie", 0x00, 0x7f, "I/O mesh stop: credits of stacks and peers"),
    MODEL("m3upi", 0x00, 0x7f, "link's mesh stop: ingress, credits, flits, flow queues"),
    MODEL("pcu", 0x00, 0xff, "power control: core and package states, clocks"),
    MODEL("ubox", 0x00, 0xff, "UBox: messages"),
    MODEL("mdf", 0x00, 0xff, "bridge between the dies"),
    MODEL("cxlcm", 0x40, 0x40, "CXL link; errors by line `crc` of a scenario"),
    MODEL("cxlcm", 0x00, 0xff, "CXL link"),
    MODEL("cxldp", 0x00, 0xff, "path from the mesh to the CXL device"),
    MODEL("cha", 0x80, 0xff, "mesh"),
    MODEL("m2m", 0x80, 0xff, "mesh"),
    MODEL("m2pcie", 0x80, 0xff, "mesh"),
    MODEL("m3upi", 0x80, 0xff, "mesh"),
    {0}};

const struct machine_reason emr_reasons[] = {
    MESH("cha"),
    MESH("m2m"),
    MESH("m2pcie"),
    MESH("m3upi"),
    /* RxC_*_REJECT: IRQ, PRQ, IPQ, ISMQ, RRQ, WBQ, and the retry queues */
    CHOOSES("cha", 0x18, 0x06, no_response),
    CHOOSES("cha", 0x20, 0x06, no_response),
    CHOOSES("cha", 0x24, 0x06, no_response),
    CHOOSES("cha", 0x2c, 0x06, no_response),
    CHOOSES("cha", 0x20, 0x30, no_bypass),
    CHOOSES("cha", 0x20, 0x08, to_llc),
    CHOOSES("cha", 0x24, 0x31, no_bypass),
    CHOOSES("cha", 0x2c, 0x31, no_bypass),
    CHOOSES("cha", 0x22, 0x39, no_request),
    CHOOSES("cha", 0x26, 0x39, no_request),
    CHOOSES("cha", 0x28, 0x3d, no_request),
    CHOOSES("cha", 0x22, 0x40, no_ring),
    CHOOSES("cha", 0x24, 0xc0, no_ring),
    CHOOSES("cha", 0x26, 0x40, no_ring),
    CHOOSES("cha", 0x28, 0xc0, no_ring),
    CHOOSES("cha", 0x2c, 0xc0, no_ring),
    CHOOSES("cha", 0x23, 0x1c, no_way),
    CHOOSES("cha", 0x27, 0x1c, no_way),
    CHOOSES("cha", 0x29, 0x1c, no_way),
    CHOOSES("cha", 0x21, 0x08, no_way),
    CHOOSES("cha", 0x23, 0x02, no_home),
    CHOOSES("cha", 0x25, 0x02, no_home),
    CHOOSES("cha", 0x29, 0x02, no_home),
    CHOOSES("cha", 0x2d, 0x02, no_home),
    CHOOSES("cha", 0x19, 0x40, snoops_go),
    CHOOSES("cha", 0x21, 0x40, snoops_go),
    CHOOSES("cha", 0x27, 0x40, snoops_go),
    CHOOSES("cha", 0x29, 0x40, snoops_go),
    CHOOSES("cha", 0x23, 0x80, "0: a snoop waits until the request to its line ends (ALLOW_SNP)"),
    CHOOSES("cha", CHA_SNOOPS_SENT, 0xa8, two_sockets),
    CHOOSES("cha", CHA_OSB, 0x0c, two_sockets),
    CHOOSES("cha", CHA_READ_NO_CREDITS, 0x30, four_controllers),
    CHOOSES("cha", CHA_WRITE_NO_CREDITS, 0x30, four_controllers),
    CHOOSES("cha", CHA_IMC_READS_COUNT, 0x02, no_isoch),
    CHOOSES("cha", CHA_IMC_WRITES_COUNT, 0x0c, no_isoch),
    CHOOSES("cha", CHA_SNOOP_RESP, 0x40, no_conflict),
    CHOOSES("cha", CHA_SNOOP_RESP_LOCAL, 0x40, no_conflict),
    CONSTANT("cha", CHA_SNOOP_RESP, CHA_SNOOP_RESP_LOCAL, no_forward),
    CHOOSES("cha", 0x9b, 0x04, credit_ring),
    CHOOSES("cha", 0xaf, 0xcc, NO_THROTTLE),
    CHOOSES("cha", 0xe3, 0x80, NO_IFV),
    NOT("cha", 0x6a, 0x6a, undefined_event),
    CONSTANT("cha", 0x6b, 0x6b, crossing),
    NOT("cha", CHA_DIRECT_GO_OPC, CHA_DIRECT_GO, undefined_event),
    CHOOSES("ubox", 0x4d, 0xf0, ubox_egress),
    CHOOSES("ubox", 0x4e, 0x8c, ubox_egress),
    CONSTANT("ubox", 0x4f, 0x4f, ubox_egress),
    CHOOSES("upi", 0x14, 0x18, same_clock),
    CHOOSES("upi", 0x15, 0x60, same_clock),
    CONSTANT("mdf", 0x16, 0x17, same_clock),
    CONSTANT("upi", 0x33, 0x33, own_queue),
    CONSTANT("upi", UPI_TXL_BASIC_HDR_MATCH, UPI_RXL_BASIC_HDR_MATCH, no_conflict),
    CHOOSES("upi", UPI_TXL0P_CLK_ACTIVE, 0xc1, debug),
    {"iio", IIO_DATA_REQ_OF_CPU, IIO_TXN_REQ_OF_CPU, MACHINE_CONSTANT, 0, 0, IIO_PART(8) | IIO_PART(9), iommu_reads},
    CHOOSES("iio", IIO_IOMMU1, 0x80, no_isoch),
    CHOOSES("iio", IIO_NUM_REQ_OF_CPU_BY_TGT, 0x83, one_target),
    CONSTANT("irp", 0x1a, 0x1c, enough),
    CHOOSES("irp", IRP_SNOOP_RESP, 0x70, part_snoop),
    NOT("irp", IRP_TRANSACTIONS, IRP_TRANSACTIONS, "the register that selects the ordering queue is not documented"),
    {"cha", CHA_LLC_LOOKUP, CHA_TOR_OCCUPANCY, MACHINE_CONSTANT, 0, EMR_UMASK(0xff), 0, filter},
    {"cha", CHA_TOR_INSERTS, CHA_TOR_OCCUPANCY, MACHINE_CONSTANT, TOR_PMM, TOR_DDR, 0, no_pmm},
    CONSTANT("cha", 0x64, 0x67, no_pmm),
    CONSTANT("cha", 0x70, 0x70, no_pmm),
    WITH("m2m", M2M_DIRECTORY_UPDATE, M2M_DIRU_MISS, one_level),
    CONSTANT("m2m", M2M_DIRECTORY_MISS, M2M_TAG_HIT, one_level),
    CONSTANT("m2m", 0x4b, 0x4b, one_level),
    CHOOSES("m2m", M2M_DIRECTORY_HIT, 0x4f, one_level),
    WITH("m2m", M2M_IMC_READS, EMR_UMASK(0x10), no_pmm),
    WITH("m2m", M2M_IMC_READS, EMR_UMASK(0x20), no_pmm),
    WITH("m2m", M2M_IMC_READS, EMR_UMASK(0x02), no_isoch),
    WITH("m2m", M2M_IMC_WRITES, EMR_UMASK(0x04), no_isoch),
    WITH("m2m", M2M_IMC_WRITES, EMR_UMASK(0x08), no_isoch),
    WITH("m2m", M2M_IMC_WRITES, EMR_UMASK(0x40), no_pmm),
    WITH("m2m", M2M_IMC_WRITES, EMR_UMASK(0x80), no_pmm),
    CHOOSES("m2m", 0x35, 0x1c, no_mirror),
    CHOOSES("m2m", 0x18, 0x01, no_pmm),
    CHOOSES("m2m", 0x1c, 0x01, no_pmm),
    CONSTANT("m2m", 0x00, 0x00, never),
    CONSTANT("irp", 0x00, 0x00, never),
    CONSTANT("iio", 0x00, 0x00, never),
    CONSTANT("m2pcie", 0x00, 0x00, never),
    CONSTANT("pcu", 0x00, 0x00, never),
    CONSTANT("m3upi", 0x00, 0x00, never),
    CONSTANT("m2pcie", 0x25, 0x25, no_pmm),
    CONSTANT("m2pcie", 0x23, 0x23, no_pmm),
    CHOOSES("m2pcie", 0x2d, 0x02, no_pmm),
    CONSTANT("pcu", 0x00, 0xff, hold),
    CONSTANT("iio", 0x02, 0x03, debug),
    CHOOSES("iio", IIO_IOMMU3, 0x38, no_share),
    CONSTANT("imc", 0xd0, 0xef, no_pmm),
    CONSTANT("imc", 0xa0, 0xa0, no_sparing),
    CONSTANT("m3upi", 0x42, 0x42, no_vn1),
    CONSTANT("m3upi", 0x44, 0x44, no_vn1),
    CONSTANT("m3upi", 0x46, 0x46, no_vn1),
    CONSTANT("m3upi", 0x48, 0x48, no_vn1),
    CONSTANT("m3upi", 0x4a, 0x4a, no_vn1),
    CONSTANT("m3upi", 0x4c, 0x4c, no_vn1),
    CONSTANT("m3upi", 0x4f, 0x4f, no_vn1),
    CONSTANT("m3upi", 0x5c, 0x5c, no_vn1),
    CONSTANT("m3upi", 0x5e, 0x5e, no_vn1),
    CHOOSES("m3upi", 0x4d, 0xea, no_vn1),
    CHOOSES("m3upi", 0x30, 0xf0, no_vn1),
    CHOOSES("m3upi", 0x27, 0xf0, no_vn1),
    CHOOSES("m3upi", 0x2d, 0x70, no_vn1),
    CHOOSES("m3upi", 0x1c, 0x70, no_vn1),
    CHOOSES("m3upi", 0x35, 0xf0, no_vn1),
    CHOOSES("m3upi", 0x28, 0xf0, no_vn1),
    CHOOSES("m3upi", 0x2e, 0xf0, no_vn1),
    CHOOSES("m3upi", 0x1d, 0xf0, no_vn1),
    CHOOSES("m3upi", 0x1f, 0x70, no_vn1),
    CHOOSES("m3upi", 0x20, 0x70, no_vn1),
    CHOOSES("m3upi", 0x21, 0x70, no_vn1),
    CHOOSES("m3upi", 0x50, 0x03, no_vn1),
    CHOOSES("m3upi", 0x5f, 0x08, no_vn1),
    CHOOSES("m3upi", 0x59, 0xc8, no_vn1),
    CHOOSES("m3upi", 0x7d, 0xf0, no_vn1),
    CHOOSES("m3upi", 0x7d, 0x06, no_through),
    CHOOSES("m3upi", 0x1f, 0x02, no_through),
    CHOOSES("m3upi", 0x7e, 0x70, no_vn1),
    CHOOSES("m3upi", 0x7e, 0x81, no_through),
    CONSTANT("upi", UPI_TXL_FLITS, UPI_RXL_FLITS, slots),
    CONSTANT("upi", UPI_TXL_ANY_FLITS, UPI_RXL_ANY_FLITS, slots),
    M2M_MESH_REASONS,
    M2PCIE_MESH_REASONS,
    M3UPI_MESH_REASONS,
    CHOOSES("m2m", 0x18, 0x02, no_cisgress),
    CHOOSES("m2m", 0x1c, 0x02, no_cisgress),
    CONSTANT("m2m", 0x4a, 0x4a, no_cisgress),
    CONSTANT("m2m", M2M_DIRECT2UPI_NOT_TAKEN_DIRSTATE, M2M_DIRECT2UPI_NOT_TAKEN_DIRSTATE, no_third),
    CHOOSES("m2m", M2M_DIRECT2UPI_NOT_TAKEN_CREDITS, 0x04, no_cisgress),
    WITH("m2m", M2M_IMC_READS, EMR_UMASK(0x40), no_cisgress),
    WITH("m2m", M2M_IMC_WRITES, M2M_WR_FROM_TGR, no_cisgress),
    WITH("m2m", M2M_IMC_WRITES, M2M_WR_NI_MISS, one_level),
    CONSTANT("m2m", M2M_WPQ_NO_SPEC_CRD, M2M_WPQ_NO_SPEC_CRD, no_isoch),
    CONSTANT("m2m", M2M_WPQ_FLUSH, M2M_WPQ_FLUSH, no_flush),
    CONSTANT("m2m", M2M_WR_TRACKER_NONPOSTED_OCCUPANCY, M2M_WR_TRACKER_NONPOSTED_INSERTS, posted),
    CHOOSES("m2m", M2M_PREFCAM_DROP_REASONS_CH0, 0x13, all_ahead),
    CHOOSES("m2m", M2M_PREFCAM_DROP_REASONS_CH1, 0x13, all_ahead),
    CONSTANT("m2m", M2M_PREFCAM_CIS_DROPS, M2M_PREFCAM_CIS_DROPS, no_cisgress),
    CHOOSES("m2m", M2M_PREFCAM_RXC_DEALLOCS, 0x04, one_level),
    CHOOSES("m2m", M2M_PREFCAM_RXC_DEALLOCS, 0x08, no_cisgress),
    CHOOSES("m3upi", 0x55, 0x02, no_tsv),
    CHOOSES("m3upi", 0x55, 0x08, no_pause),
    CHOOSES("m3upi", 0x53, 0x02, no_tsv),
    CHOOSES("m3upi", 0x53, 0x28, no_pause),
    CHOOSES("m3upi", 0x52, 0x03, no_pause),
    CHOOSES("m3upi", 0x57, 0x71, halves),
    CHOOSES("m3upi", 0x56, 0x64, halves),
    CHOOSES("m3upi", 0x58, 0x0a, slot2),
    CHOOSES("m3upi", 0x5a, 0x01, "0: only the other side returns shared credits; line `inject`"),
    CHOOSES("m3upi", 0x30, 0x08, no_pull),
    CHOOSES("m3upi", 0x27, 0x08, no_pull),
    CHOOSES("m3upi", 0x2d, 0x08, no_pull),
    CHOOSES("m3upi", 0x1c, 0x08, no_pull),
    CHOOSES("m3upi", 0x1f, 0x04, no_pull),
    CHOOSES("m3upi", 0x7d, 0x08, no_pull),
    CHOOSES("m3upi", 0x22, 0x02, no_pull),
    CHOOSES("m3upi", 0x23, 0x20, no_messages),
    CONSTANT("m3upi", 0x2c, 0x2c, "always 0: the row has no umask bit, and each bit of the table selects a part"),
    CHOOSES("cxlcm", 0x52, 0x08, cxl_answers),
    {"cha", CHA_TOR_INSERTS, CHA_TOR_OCCUPANCY, MACHINE_CONSTANT, EMR_UMASK(0x10), EMR_UMASK(0x01), 0, cores_only},
    {"cha", CHA_TOR_INSERTS, CHA_TOR_OCCUPANCY, MACHINE_CONSTANT, EMR_UMASK(0x40) | TOR_CXL_EXP_LOCAL, 0, 0,
     own_expander},
    {"cha", CHA_TOR_INSERTS, CHA_TOR_OCCUPANCY, MACHINE_CONSTANT, TOR_IA_MEM_ACC | TOR_OPC(OPC_LLCPREFCODE), 0, 0,
     no_code_ahead},
    CONSTANT("cha", CHA_TOR_INSERTS, CHA_TOR_OCCUPANCY, no_near),
    CONSTANT("imc", IMC_CAS_ISSUED_REQ_LEN, IMC_CAS_ISSUED_REQ_LEN, whole_lines),
    CONSTANT("imc", IMC_PARITY_ERRORS, IMC_PARITY_ERRORS, "0: the command bus has no errors; line `inject`"),
    CONSTANT("imc", IMC_RDB_FULL, IMC_RDB_FULL,
             "0: the mesh accepts read data faster than DRAM supplies it; line `inject`"),
    CONSTANT("imc", IMC_WPQ_READ_HIT, IMC_WPQ_WRITE_HIT,
             "always 0: the row has no umask bit, and each bit of the table selects a part"),
    CONSTANT("upi", 0x3a, 0x3a, no_vn1),
    CHOOSES("upi", 0x46, 0x04, no_vn1),
    CONSTANT("cha", CHA_LLC_LOOKUP, CHA_LLC_LOOKUP, no_hitme_state),
    CONSTANT("upi", 0x16, 0x16, credits_go),
    CONSTANT("upi", 0x45, 0x46, credits_alone),
    {0}};

const struct machine_report emr_reports[] = {
#include "machine/emr/reports.inc"
    {0}};
