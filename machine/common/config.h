/* SPDX-License-Identifier: MIT */
/*
 * The emulated machine's parameters: each has a name, a range and a default, and is written `name=value`. The defaults
 * are those of the first processor in machine/model.h; a model's settings (model.h) replace them. Functions that read
 * and check parameters: machine/config.h.
 */
#ifndef MACHINE_COMMON_CONFIG_H
#define MACHINE_COMMON_CONFIG_H

#include <stdbool.h>
#include <stdint.h>

enum config_kind {
  KIND_COUNT, /* a number */
  KIND_SIZE,  /* bytes; written with K, M or G */
  KIND_GHZ,   /* kept in MHz, written in GHz */
  KIND_NS,    /* kept in ps, written in ns */
  KIND_MILLI, /* kept in thousandths, written as a decimal */
  KIND_WORD,  /* one of a list of words; kept as its index */
  KIND_NUMA   /* first_touch, interleave, bind:N; kept as 0, 1, 2 + N */
};

/* The most entries of a core's data TLBs, which have memory for as many. */
enum { DTLB_4K_MOST = 256, DTLB_2M_MOST = 64, DTLB_1G_MOST = 64 };

/* X(identifier, name, kind, least, most, default, words or "", meaning) */
#define CONFIG_PARAMETERS(X)                                                                                           \
  X(PLATFORM, "platform", KIND_WORD, 0, MODELS_WITH_CONFIG - 1, 0, MODEL_WORDS,                                        \
    "the processor; setting it sets all other parameters to its values")                                               \
  X(SOCKETS, "sockets", KIND_COUNT, 1, 2, 2, "", "processors")                                                         \
  X(CORES, "cores", KIND_COUNT, 1, 64, 64, "", "cores per socket")                                                     \
  X(CORE_THREADS, "core.threads", KIND_COUNT, 1, 2, 2, "", "hardware threads per core")                                \
  X(CORE_GHZ, "core.ghz", KIND_GHZ, 100, 10000, 3000, "", "clock of a running core")                                   \
  X(TSC_GHZ, "tsc.ghz", KIND_GHZ, 100, 10000, 1900, "", "clock of the time stamp counter: the base frequency")         \
  X(CORE_CPI, "core.cpi", KIND_MILLI, 50, 10000, 350, "", "core cycles per instruction when nothing misses")           \
  X(CORE_WINDOW, "core.window", KIND_COUNT, 1, 4096, 512, "",                                                          \
    "reorder buffer: instructions that start while a load is outstanding")                                             \
  X(CORE_LOADS, "core.loads", KIND_COUNT, 1, 1024, 192, "",                                                            \
    "load queue: loads that start while a load is outstanding")                                                        \
  X(CORE_MLP, "core.mlp", KIND_COUNT, 1, 64, 16, "", "line-fill buffers: outstanding L1 misses of loads and stores")   \
  X(CORE_WIDTH, "core.width", KIND_COUNT, 1, 16, 6, "",                                                                \
    "instructions dispatched per cycle, where a block's instructions are known")                                       \
  X(CORE_MISPREDICT, "core.mispredict", KIND_COUNT, 0, 100, 17, "", "core cycles per mispredicted branch")             \
  X(LATENCY_ALU, "latency.alu", KIND_COUNT, 1, 100, 1, "", "core cycles of an integer instruction")                    \
  X(LATENCY_LOAD, "latency.load", KIND_COUNT, 1, 100, 5, "", "core cycles of a load that hits L1")                     \
  X(LATENCY_MUL, "latency.mul", KIND_COUNT, 1, 100, 3, "", "core cycles of an integer multiplication")                 \
  X(LATENCY_DIV, "latency.div", KIND_COUNT, 1, 200, 12, "", "core cycles of an integer division")                      \
  X(LATENCY_FADD, "latency.fadd", KIND_COUNT, 1, 100, 3, "", "core cycles of a floating-point addition")               \
  X(LATENCY_FMUL, "latency.fmul", KIND_COUNT, 1, 100, 4, "", "core cycles of a floating-point multiplication")         \
  X(LATENCY_FDIV, "latency.fdiv", KIND_COUNT, 1, 200, 13, "",                                                          \
    "core cycles of a floating-point division or square root")                                                         \
  X(LATENCY_VECTOR, "latency.vector", KIND_COUNT, 1, 100, 1, "", "core cycles of another vector instruction")          \
  X(LATENCY_LOCKED, "latency.locked", KIND_COUNT, 0, 200, 18, "",                                                      \
    "core cycles of a locked instruction after all earlier loads and stores")                                          \
  X(LATENCY_FENCE, "latency.fence", KIND_COUNT, 0, 200, 30, "",                                                        \
    "core cycles of a fence after all earlier loads and stores")                                                       \
  X(LATENCY_SERIAL, "latency.serial", KIND_COUNT, 0, 1000, 100, "",                                                    \
    "core cycles of a serialising instruction after all earlier loads and stores")                                     \
  X(CORE_DEPENDENCES, "core.dependences", KIND_WORD, 0, 2, 2, "off l2-misses l1-misses",                               \
    "loads that delay the loads whose address they supply")                                                            \
  X(CORE_STORES, "core.stores", KIND_COUNT, 1, 128, 114, "",                                                           \
    "store queue: stores that start while a store waits for its line")                                                 \
  X(L1I_SIZE, "l1i.size", KIND_SIZE, 64, 1 << 20, 32 << 10, "", "first-level instruction cache")                       \
  X(L1I_WAYS, "l1i.ways", KIND_COUNT, 1, 16, 8, "", "ways of the first-level instruction cache")                       \
  X(L1D_SIZE, "l1d.size", KIND_SIZE, 64, 1 << 20, 48 << 10, "", "first-level data cache")                              \
  X(L1D_WAYS, "l1d.ways", KIND_COUNT, 1, 16, 12, "", "ways of the first-level data cache")                             \
  X(DTLB_4K, "dtlb.4k", KIND_COUNT, 1, DTLB_4K_MOST, 96, "", "first-level data TLB: entries for 4 KB pages")           \
  X(DTLB_2M, "dtlb.2m", KIND_COUNT, 1, DTLB_2M_MOST, 32, "", "first-level data TLB: entries for 2 MB pages")           \
  X(DTLB_1G, "dtlb.1g", KIND_COUNT, 1, DTLB_1G_MOST, 8, "", "first-level data TLB: entries for 1 GB pages")            \
  X(DTLB_WAYS, "dtlb.ways", KIND_COUNT, 1, 16, 6, "", "first-level data TLB: ways; up to four for larger pages")       \
  X(DTLB_MISS, "dtlb.miss", KIND_COUNT, 0, 100, 7, "", "core cycles until the second-level TLB returns a translation") \
  X(L2_SIZE, "l2.size", KIND_SIZE, 0, 64 << 20, 2 << 20, "", "second-level cache of a core; 0: no such cache")         \
  X(L2_WAYS, "l2.ways", KIND_COUNT, 1, 32, 16, "", "ways of the second-level cache")                                   \
  X(L2_LATENCY, "l2.latency", KIND_COUNT, 1, 200, 15, "", "core cycles of an L2 hit")                                  \
  X(L2_BANDWIDTH, "l2.bandwidth", KIND_COUNT, 8, 64, 64, "", "bytes per core cycle from L2 to the first-level caches") \
  X(L2_MSHRS, "l2.mshrs", KIND_COUNT, 1, 256, 48, "", "outstanding L2 misses")                                         \
  X(PREFETCH, "prefetch", KIND_WORD, 0, 1, 1, "off on", "stream prefetcher into L2 and LLC")                           \
  X(PREFETCH_DEGREE, "prefetch.degree", KIND_COUNT, 1, 8, 2, "", "lines that the stream prefetcher requests at once")  \
  X(PREFETCH_AHEAD, "prefetch.ahead", KIND_COUNT, 1, 32, 24, "",                                                       \
    "lines that the stream prefetcher runs ahead of the core")                                                         \
  X(PREFETCH_L1, "prefetch.l1", KIND_WORD, 0, 1, 1, "off on",                                                          \
    "L1's next-line prefetcher for ascending loads (DCU prefetcher); needs prefetch=on")                               \
  X(PREFETCH_NEXT_PAGE, "prefetch.next_page", KIND_WORD, 0, 1, 1, "off on",                                            \
    "the stream prefetcher continues in the program's next page; needs prefetch=on")                                   \
  X(PREFETCH_CODE, "prefetch.code", KIND_WORD, 0, 1, 0, "off on",                                                      \
    "L2 prefetches the line after a missing line of code (emr)")                                                       \
  X(CORE_READS, "core.reads", KIND_WORD, 0, 1, 0, "plain optimized",                                                   \
    "opcode of the cores' data reads: DRd, or DRd_Opt (emr)")                                                          \
  X(CORE_WALKS, "core.walks", KIND_WORD, 0, 1, 0, "off on", "cores read page tables after a TLB miss (emr)")           \
  X(CHAS, "chas", KIND_COUNT, 1, 64, 64, "", "caching and home agents per socket, each with a slice of the LLC")       \
  X(LLC_SIZE, "llc.size", KIND_SIZE, 64, 1 << 30, 5 << 20, "", "one slice of the last-level cache")                    \
  X(LLC_WAYS, "llc.ways", KIND_COUNT, 1, 32, 20, "", "ways of the last-level cache")                                   \
  X(LLC_POLICY, "llc.policy", KIND_WORD, 0, 1, 0, "victim fill",                                                       \
    "what fills the LLC: lines evicted from L2, or every miss")                                                        \
  X(LLC_IO_WAYS, "llc.io_ways", KIND_COUNT, 1, 32, 2, "", "LLC ways that writes of devices can fill")                  \
  X(SF_SETS, "sf.sets", KIND_COUNT, 1, 1 << 16, 2048, "", "sets of a slice's snoop filter")                            \
  X(SF_WAYS, "sf.ways", KIND_COUNT, 1, 32, 16, "", "ways of the snoop filter")                                         \
  X(UNCORE_GHZ, "uncore.ghz", KIND_GHZ, 100, 10000, 2200, "", "clock of the mesh and the CHAs")                        \
  X(MESH_COLUMNS, "mesh.columns", KIND_COUNT, 1, 16, 10, "",                                                           \
    "columns of the mesh; its tiles are numbered down each column")                                                    \
  X(MESH_HOP, "mesh.hop", KIND_COUNT, 1, 16, 2, "", "uncore cycles from one tile to the next")                         \
  X(MESH_ENTER, "mesh.enter", KIND_COUNT, 1, 64, 5, "", "uncore cycles to enter and leave the mesh, together")         \
  X(CHA_PIPE, "cha.pipe", KIND_COUNT, 1, 200, 16, "",                                                                  \
    "uncore cycles of a CHA's tag look-up for a request, and for a response (snbep)")                                  \
  X(CHA_TOR, "cha.tor", KIND_COUNT, 4, 128, 48, "", "requests that a CHA processes at once")                           \
  X(M2M_PIPE, "m2m.pipe", KIND_COUNT, 1, 200, 8, "",                                                                   \
    "uncore cycles through the mesh-to-memory unit, in each direction")                                                \
  X(IMCS, "imcs", KIND_COUNT, 1, 4, 4, "", "memory controllers per socket: 1, 2 or 4")                                 \
  X(CHANNELS, "channels", KIND_COUNT, 1, 4, 2, "", "channels per memory controller: 1, 2 or 4")                        \
  X(DRAM_GHZ, "dram.ghz", KIND_GHZ, 400, 5000, 2800, "", "DRAM clock, half the transfer rate")                         \
  X(DRAM_SUBS, "dram.subchannels", KIND_COUNT, 1, 2, 2, "", "independent halves of a channel: 2 since DDR5")           \
  X(DRAM_BURST, "dram.burst", KIND_COUNT, 1, 16, 8, "", "DRAM clocks of a line's data transfer")                       \
  X(DRAM_BANKS, "dram.banks", KIND_COUNT, 8, 32, 32, "", "banks per rank: 8, or 32 in bank groups of four")            \
  X(DRAM_RANKS, "dram.ranks", KIND_COUNT, 1, 8, 2, "", "ranks per channel: 1, 2 or 4; with DDR3 also 8")               \
  X(DRAM_PAGE, "dram.page", KIND_WORD, 0, 1, 0, "open closed",                                                         \
    "page policy: rows stay open after a command, or close with it")                                                   \
  X(DRAM_IDLE, "dram.idle", KIND_NS, 10000, 1000000000, 1000000, "", "ns after which an unused row is closed")         \
  X(DRAM_PIPE, "dram.pipe", KIND_NS, 0, 1000000, 9000, "",                                                             \
    "ns through the controller and its interface, both directions together")                                           \
  X(DRAM_CL, "dram.cl", KIND_NS, 1000, 100000, 16400, "", "ns from column command to data")                            \
  X(DRAM_TRCD, "dram.trcd", KIND_NS, 1000, 100000, 16000, "", "ns from activate to column command")                    \
  X(DRAM_TRP, "dram.trp", KIND_NS, 1000, 100000, 16000, "", "ns from precharge to activate")                           \
  X(DRAM_TRAS, "dram.tras", KIND_NS, 1000, 100000, 32000, "", "ns from activate to precharge")                         \
  X(DRAM_TRTP, "dram.trtp", KIND_NS, 500, 100000, 7500, "", "ns from read to precharge")                               \
  X(DRAM_TWR, "dram.twr", KIND_NS, 1000, 100000, 30000, "", "ns from the end of write data to precharge")              \
  X(DRAM_TRFC, "dram.trfc", KIND_NS, 10000, 1000000, 295000, "", "ns of a refresh")                                    \
  X(DRAM_TREFI, "dram.trefi", KIND_NS, 100000, 100000000, 3900000, "", "ns between refreshes of a rank")               \
  X(DRAM_REFRESH, "dram.refresh", KIND_WORD, 0, 1, 1, "all-bank same-bank",                                            \
    "all banks of a rank at once, or the same bank of each bank group, eight times as often (DDR5, fine granularity)") \
  X(DRAM_TRFCSB, "dram.trfc_sb", KIND_NS, 10000, 1000000, 130000, "", "ns of a same-bank refresh")                     \
  X(DRAM_TREFSBRD, "dram.trefsbrd", KIND_NS, 0, 100000, 30000, "",                                                     \
    "ns from a same-bank refresh to an activate of another bank")                                                      \
  X(DRAM_POSTPONE, "dram.postpone", KIND_COUNT, 0, 8, 4, "",                                                           \
    "refresh intervals (dram.trefi) for which busy banks can postpone a refresh")                                      \
  X(DRAM_TFAW, "dram.tfaw", KIND_NS, 1000, 100000, 11428, "", "ns in which a rank accepts at most four activates")     \
  X(DRAM_TWTR, "dram.twtr", KIND_NS, 500, 100000, 10000, "",                                                           \
    "ns from the end of write data to a read of the same bank group")                                                  \
  X(DRAM_TWTR_S, "dram.twtr_s", KIND_NS, 500, 100000, 2500, "",                                                        \
    "ns from the end of write data to a read of another bank group")                                                   \
  X(DRAM_RPQ, "dram.rpq", KIND_COUNT, 4, 64, 64, "", "entries of a sub-channel's read queue")                          \
  X(DRAM_WPQ, "dram.wpq", KIND_COUNT, 4, 64, 48, "", "entries of a sub-channel's write queue")                         \
  X(DRAM_WPQ_HIGH, "dram.wpq_high", KIND_COUNT, 2, 64, 36, "", "writes in the queue that begin a drain")               \
  X(DRAM_WPQ_LOW, "dram.wpq_low", KIND_COUNT, 0, 63, 12, "", "writes in the queue that end a drain")                   \
  X(UPI_LINKS, "upi.links", KIND_COUNT, 1, 4, 4, "", "links between the sockets")                                      \
  X(UPI_GT, "upi.gt", KIND_GHZ, 1000, 40000, 20000, "", "transfer rate of a lane, in GT/s")                            \
  X(UPI_LANES, "upi.lanes", KIND_COUNT, 1, 32, 24, "",                                                                 \
    "lanes of a link (emr); a 192-bit flit is spread over all of them")                                                \
  X(FREEZE_DELAY, "pmon.freeze_delay", KIND_NS, 0, 1000000, 30000, "",                                                 \
    "ns from a counter's overflow until its freeze has stopped all blocks of the socket")                              \
  X(UPI_FLIGHT, "upi.flight", KIND_NS, 0, 1000000, 14000, "", "ns from link layer to link layer")                      \
  X(UPI_L0P, "upi.power", KIND_WORD, 0, 1, 0, "full save",                                                             \
    "idle links keep full power, or save power and take time to wake")                                                 \
  X(DIRECTORY, "directory", KIND_WORD, 0, 1, 1, "off on",                                                              \
    "memory directory of the lines that the other socket may have")                                                    \
  X(AHEAD, "memory.ahead", KIND_WORD, 0, 1, 0, "off on", "memory prefetch during the CHA's tag look-up (XPT; emr)")    \
  X(OSB, "osb", KIND_WORD, 0, 1, 0, "off on",                                                                          \
    "opportunistic snoop broadcast: snoops before the directory is read (emr)")                                        \
  X(DIRECT2CORE, "direct2core", KIND_WORD, 0, 1, 1, "off on",                                                          \
    "memory data go directly to the requesting core (snbep)")                                                          \
  X(IIO_STACKS, "iio.stacks", KIND_COUNT, 1, 12, 10, "", "I/O stacks per socket")                                      \
  X(IOMMU, "iio.iommu", KIND_WORD, 0, 3, 0, "off 4K 2M 1G", "translation of device addresses, and its page size")      \
  X(PCIE_GENERATION, "pcie.generation", KIND_COUNT, 1, 5, 5, "", "PCI Express generation of the I/O stacks' ports")    \
  X(PCIE_LANES, "pcie.lanes", KIND_COUNT, 1, 16, 16, "", "lanes per port: 1, 2, 4, 8 or 16")                           \
  X(PCIE_PAYLOAD, "pcie.payload", KIND_COUNT, 64, 4096, 256, "", "bytes of data per packet, a power of two")           \
  X(PCIE_REQUEST, "pcie.request", KIND_COUNT, 64, 4096, 512, "", "bytes that a device requests per read")              \
  X(PCIE_CREDITS, "pcie.credits", KIND_COUNT, 1, 1024, 256, "", "write packets that a port accepts at once")           \
  X(PCIE_TAGS, "pcie.tags", KIND_COUNT, 1, 1024, 256, "", "outstanding reads of a device")                             \
  X(NUMA, "numa", KIND_NUMA, 0, 3, 0, "", "socket whose memory a new page comes from")                                 \
  X(NUMA_MEMORY, "numa.memory", KIND_SIZE, 0, UINT64_C(1) << 40, 0, "",                                                \
    "with map=identity: contiguous memory of each socket; 0: numa selects the socket")                                 \
  X(PAGES, "pages", KIND_WORD, 0, 2, 0, "4K 2M 1G",                                                                    \
    "page size; memory that is contiguous in a page of the program is contiguous in DRAM")                             \
  X(MAP, "map", KIND_WORD, 0, 1, 0, "scatter identity", "virtual page to frame: scattered, or the same number")        \
  X(SEED, "seed", KIND_COUNT, 0, UINT32_MAX, 1, "", "seed of the address hashes")

enum config_id {
#define CONFIG_ID(id, ...) CONFIG_##id,
  CONFIG_PARAMETERS(CONFIG_ID)
#undef CONFIG_ID
      CONFIG_N
};

struct machine_config {
  uint64_t value[CONFIG_N];
  bool given[CONFIG_N]; /* the user has set it: setting the platform does not replace it */
};

/* Ways of the first-level TLB for pages of 4 KB (0), 2 MB (1) or 1 GB (2). */
static inline uint64_t config_dtlb_ways(const uint64_t *value, unsigned size)
{
  const uint64_t entries = value[CONFIG_DTLB_4K + size], most = size ? 4 : value[CONFIG_DTLB_WAYS];
  return entries < most ? entries : most;
}

#endif
