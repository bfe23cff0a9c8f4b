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

/* X(identifier, name, kind, least, most, default, words or "", meaning) */
#define CONFIG_PARAMETERS(X)                                                                                           \
  X(PLATFORM, "platform", KIND_WORD, 0, MODELS_WITH_CONFIG - 1, 0, MODEL_WORDS,                                        \
    "the processor; setting it sets all others to its values")                                                         \
  X(SOCKETS, "sockets", KIND_COUNT, 1, 2, 2, "", "processors")                                                         \
  X(CORES, "cores", KIND_COUNT, 1, 64, 64, "", "cores of a socket")                                                    \
  X(CORE_THREADS, "core.threads", KIND_COUNT, 1, 2, 2, "", "hardware threads of a core")                               \
  X(CORE_GHZ, "core.ghz", KIND_GHZ, 100, 10000, 3000, "", "clock of a running core")                                   \
  X(TSC_GHZ, "tsc.ghz", KIND_GHZ, 100, 10000, 1900, "", "clock of the time stamp counter: the base frequency")         \
  X(CORE_CPI, "core.cpi", KIND_MILLI, 50, 10000, 350, "", "core cycles an instruction takes when nothing is missed")   \
  X(CORE_WINDOW, "core.window", KIND_COUNT, 1, 4096, 512, "", "instructions a core may be ahead of a load under way")  \
  X(CORE_LOADS, "core.loads", KIND_COUNT, 1, 1024, 192, "", "loads it may begin behind one under way: load queue")     \
  X(CORE_MLP, "core.mlp", KIND_COUNT, 1, 64, 16, "",                                                                   \
    "line-fill buffers: lines on their way to L1, of loads and stores")                                                \
  X(CORE_WIDTH, "core.width", KIND_COUNT, 1, 16, 6, "", "instructions a core begins in a cycle, of known blocks")      \
  X(CORE_MISPREDICT, "core.mispredict", KIND_COUNT, 0, 100, 17, "",                                                    \
    "core cycles that a wrongly predicted branch costs")                                                               \
  X(LATENCY_ALU, "latency.alu", KIND_COUNT, 1, 100, 1, "", "core cycles of an instruction on integers")                \
  X(LATENCY_LOAD, "latency.load", KIND_COUNT, 1, 100, 5, "", "of a load that L1 has")                                  \
  X(LATENCY_MUL, "latency.mul", KIND_COUNT, 1, 100, 3, "", "of a multiplication of integers")                          \
  X(LATENCY_DIV, "latency.div", KIND_COUNT, 1, 200, 12, "", "of a division of integers")                               \
  X(LATENCY_FADD, "latency.fadd", KIND_COUNT, 1, 100, 3, "", "of a floating-point addition")                           \
  X(LATENCY_FMUL, "latency.fmul", KIND_COUNT, 1, 100, 4, "", "of a floating-point multiplication")                     \
  X(LATENCY_FDIV, "latency.fdiv", KIND_COUNT, 1, 200, 13, "", "of a floating-point division or square root")           \
  X(LATENCY_VECTOR, "latency.vector", KIND_COUNT, 1, 100, 1, "", "of other vector instructions")                       \
  X(LATENCY_LOCKED, "latency.locked", KIND_COUNT, 0, 200, 18, "", "of a locked instruction, when all before is done")  \
  X(LATENCY_FENCE, "latency.fence", KIND_COUNT, 0, 200, 30, "", "of a fence, when all before is done")                 \
  X(LATENCY_SERIAL, "latency.serial", KIND_COUNT, 0, 1000, 100, "", "of a serialising instruction, when all is done")  \
  X(CORE_DEPENDENCES, "core.dependences", KIND_WORD, 0, 2, 2, "off l2-misses l1-misses",                               \
    "loads that hold up those whose address they give")                                                                \
  X(CORE_STORES, "core.stores", KIND_COUNT, 1, 128, 114, "", "stores it may begin behind one that waits for its line") \
  X(L1I_SIZE, "l1i.size", KIND_SIZE, 64, 1 << 20, 32 << 10, "", "first-level instruction cache")                       \
  X(L1I_WAYS, "l1i.ways", KIND_COUNT, 1, 16, 8, "", "its ways")                                                        \
  X(L1D_SIZE, "l1d.size", KIND_SIZE, 64, 1 << 20, 48 << 10, "", "first-level data cache")                              \
  X(L1D_WAYS, "l1d.ways", KIND_COUNT, 1, 16, 12, "", "its ways")                                                       \
  X(DTLB_4K, "dtlb.4k", KIND_COUNT, 1, 256, 96, "", "translations of pages of 4 KB in the first-level TLB for data")   \
  X(DTLB_2M, "dtlb.2m", KIND_COUNT, 1, 64, 32, "", "its translations of pages of 2 MB")                                \
  X(DTLB_1G, "dtlb.1g", KIND_COUNT, 1, 64, 8, "", "its translations of pages of 1 GB")                                 \
  X(DTLB_WAYS, "dtlb.ways", KIND_COUNT, 1, 16, 6, "", "its ways; for larger pages up to four")                         \
  X(DTLB_MISS, "dtlb.miss", KIND_COUNT, 0, 100, 7, "",                                                                 \
    "core cycles until the second-level TLB has given it a translation")                                               \
  X(L2_SIZE, "l2.size", KIND_SIZE, 0, 64 << 20, 2 << 20, "", "second-level cache of a core; 0: none")                  \
  X(L2_WAYS, "l2.ways", KIND_COUNT, 1, 32, 16, "", "its ways")                                                         \
  X(L2_LATENCY, "l2.latency", KIND_COUNT, 1, 200, 15, "", "core cycles to a hit in it")                                \
  X(L2_BANDWIDTH, "l2.bandwidth", KIND_COUNT, 8, 64, 64, "", "bytes a core cycle that it gives the first levels")      \
  X(L2_MSHRS, "l2.mshrs", KIND_COUNT, 1, 256, 48, "", "misses it has on their way at once")                            \
  X(PREFETCH, "prefetch", KIND_WORD, 0, 1, 1, "off on", "stream prefetcher into L2 and LLC")                           \
  X(PREFETCH_DEGREE, "prefetch.degree", KIND_COUNT, 1, 8, 2, "", "lines it asks for at once")                          \
  X(PREFETCH_AHEAD, "prefetch.ahead", KIND_COUNT, 1, 32, 24, "", "lines it runs ahead of the core")                    \
  X(PREFETCH_L1, "prefetch.l1", KIND_WORD, 0, 1, 1, "off on",                                                          \
    "the line behind loads that ascend goes to L1 (DCU prefetcher); off with prefetch=off")                            \
  X(PREFETCH_NEXT_PAGE, "prefetch.next_page", KIND_WORD, 0, 1, 1, "off on",                                            \
    "streams go on in the next page of the program; off with prefetch=off")                                            \
  X(PREFETCH_CODE, "prefetch.code", KIND_WORD, 0, 1, 0, "off on",                                                      \
    "the line behind missing code is asked for, too (emr)")                                                            \
  X(CORE_READS, "core.reads", KIND_WORD, 0, 1, 0, "plain optimized", "how cores ask for data: DRd, or DRd_Opt (emr)")  \
  X(CORE_WALKS, "core.walks", KIND_WORD, 0, 1, 0, "off on",                                                            \
    "cores read page tables when a translation is missing (emr)")                                                      \
  X(CHAS, "chas", KIND_COUNT, 1, 64, 64, "", "caching and home agents, each with a slice of the LLC")                  \
  X(LLC_SIZE, "llc.size", KIND_SIZE, 64, 1 << 30, 5 << 20, "", "one slice of the last-level cache")                    \
  X(LLC_WAYS, "llc.ways", KIND_COUNT, 1, 32, 20, "", "its ways")                                                       \
  X(LLC_POLICY, "llc.policy", KIND_WORD, 0, 1, 0, "victim fill", "filled by what L2 drops, or by every miss")          \
  X(LLC_IO_WAYS, "llc.io_ways", KIND_COUNT, 1, 32, 2, "", "ways that writes of devices fill")                          \
  X(SF_SETS, "sf.sets", KIND_COUNT, 1, 1 << 16, 2048, "", "sets of a slice's snoop filter")                            \
  X(SF_WAYS, "sf.ways", KIND_COUNT, 1, 32, 16, "", "its ways")                                                         \
  X(UNCORE_GHZ, "uncore.ghz", KIND_GHZ, 100, 10000, 2200, "", "clock of mesh and CHAs")                                \
  X(MESH_COLUMNS, "mesh.columns", KIND_COUNT, 1, 16, 10, "", "columns of the mesh, down which its tiles are numbered") \
  X(MESH_HOP, "mesh.hop", KIND_COUNT, 1, 16, 2, "", "uncore cycles from one tile to the next")                         \
  X(MESH_ENTER, "mesh.enter", KIND_COUNT, 1, 64, 5, "", "uncore cycles to get onto the mesh and off it")               \
  X(CHA_PIPE, "cha.pipe", KIND_COUNT, 1, 200, 16, "", "uncore cycles to a request's tags; of a response (snbep)")      \
  X(CHA_TOR, "cha.tor", KIND_COUNT, 4, 128, 48, "", "requests a CHA works on at once")                                 \
  X(M2M_PIPE, "m2m.pipe", KIND_COUNT, 1, 200, 8, "", "uncore cycles through the mesh-to-memory unit, each way")        \
  X(IMCS, "imcs", KIND_COUNT, 1, 4, 4, "", "memory controllers of a socket: 1, 2 or 4")                                \
  X(CHANNELS, "channels", KIND_COUNT, 1, 4, 2, "", "channels of a memory controller: 1, 2 or 4")                       \
  X(DRAM_GHZ, "dram.ghz", KIND_GHZ, 400, 5000, 2800, "", "clock of the DRAM, half its transfer rate")                  \
  X(DRAM_SUBS, "dram.subchannels", KIND_COUNT, 1, 2, 2, "", "independent halves of a channel: 2 since DDR5")           \
  X(DRAM_BURST, "dram.burst", KIND_COUNT, 1, 16, 8, "", "clocks that a line's data take")                              \
  X(DRAM_BANKS, "dram.banks", KIND_COUNT, 8, 32, 32, "", "banks of a rank: 8 or 32 in four of a group")                \
  X(DRAM_RANKS, "dram.ranks", KIND_COUNT, 1, 8, 2, "", "ranks of a channel: 1, 2 or 4, with DDR3 also 8")              \
  X(DRAM_PAGE, "dram.page", KIND_WORD, 0, 1, 0, "open closed", "rows stay open after a command, or close with it")     \
  X(DRAM_IDLE, "dram.idle", KIND_NS, 10000, 1000000000, 1000000, "", "an unused row is closed after this time")        \
  X(DRAM_PIPE, "dram.pipe", KIND_NS, 0, 1000000, 9000, "", "way through the controller and its interface, both ways")  \
  X(DRAM_CL, "dram.cl", KIND_NS, 1000, 100000, 16400, "", "column command to data")                                    \
  X(DRAM_TRCD, "dram.trcd", KIND_NS, 1000, 100000, 16000, "", "activate to column command")                            \
  X(DRAM_TRP, "dram.trp", KIND_NS, 1000, 100000, 16000, "", "precharge to activate")                                   \
  X(DRAM_TRAS, "dram.tras", KIND_NS, 1000, 100000, 32000, "", "activate to precharge")                                 \
  X(DRAM_TRTP, "dram.trtp", KIND_NS, 500, 100000, 7500, "", "read to precharge")                                       \
  X(DRAM_TWR, "dram.twr", KIND_NS, 1000, 100000, 30000, "", "end of written data to precharge")                        \
  X(DRAM_TRFC, "dram.trfc", KIND_NS, 10000, 1000000, 295000, "", "time a refresh takes")                               \
  X(DRAM_TREFI, "dram.trefi", KIND_NS, 100000, 100000000, 3900000, "", "time between refreshes of a rank")             \
  X(DRAM_REFRESH, "dram.refresh", KIND_WORD, 0, 1, 1, "all-bank same-bank",                                            \
    "of a rank; or of each group the same bank, in turn eight times as often (DDR5, fine granularity)")                \
  X(DRAM_TRFCSB, "dram.trfc_sb", KIND_NS, 10000, 1000000, 130000, "", "time a refresh of the same bank takes")         \
  X(DRAM_TREFSBRD, "dram.trefsbrd", KIND_NS, 0, 100000, 30000, "", "from it to an activate of another bank")           \
  X(DRAM_POSTPONE, "dram.postpone", KIND_COUNT, 0, 8, 4, "", "dram.trefi that a refresh waits for busy banks at most") \
  X(DRAM_TFAW, "dram.tfaw", KIND_NS, 1000, 100000, 11428, "", "window in which a rank takes four activates")           \
  X(DRAM_TWTR, "dram.twtr", KIND_NS, 500, 100000, 10000, "", "end of written data to read of the same bank group")     \
  X(DRAM_TWTR_S, "dram.twtr_s", KIND_NS, 500, 100000, 2500, "", "end of written data to read of another bank group")   \
  X(DRAM_RPQ, "dram.rpq", KIND_COUNT, 4, 64, 64, "", "read queue of a sub-channel")                                    \
  X(DRAM_WPQ, "dram.wpq", KIND_COUNT, 4, 64, 48, "", "write queue of a sub-channel")                                   \
  X(DRAM_WPQ_HIGH, "dram.wpq_high", KIND_COUNT, 2, 64, 36, "", "writes that begin a drain")                            \
  X(DRAM_WPQ_LOW, "dram.wpq_low", KIND_COUNT, 0, 63, 12, "", "writes that end it")                                     \
  X(UPI_LINKS, "upi.links", KIND_COUNT, 1, 4, 4, "", "links between the sockets")                                      \
  X(UPI_GT, "upi.gt", KIND_GHZ, 1000, 40000, 20000, "", "transfers a second on a lane, in GT/s")                       \
  X(UPI_LANES, "upi.lanes", KIND_COUNT, 1, 32, 24, "", "lanes of a link (emr): a flit of 192 bits takes all in turn")  \
  X(FREEZE_DELAY, "pmon.freeze_delay", KIND_NS, 0, 1000000, 30000, "",                                                 \
    "from a counter's overflow until the freeze that it asks for has stopped all blocks of the socket")                \
  X(UPI_FLIGHT, "upi.flight", KIND_NS, 0, 1000000, 14000, "", "way from link layer to link layer")                     \
  X(UPI_L0P, "upi.power", KIND_WORD, 0, 1, 0, "full save",                                                             \
    "links that send nothing save power, and take time to wake")                                                       \
  X(DIRECTORY, "directory", KIND_WORD, 0, 1, 1, "off on", "memory knows which lines the other socket may have")        \
  X(AHEAD, "memory.ahead", KIND_WORD, 0, 1, 0, "off on", "memory is asked while the CHA still looks (XPT; emr)")       \
  X(OSB, "osb", KIND_WORD, 0, 1, 0, "off on", "snoops go out before the directory has been read (emr)")                \
  X(DIRECT2CORE, "direct2core", KIND_WORD, 0, 1, 1, "off on", "data go straight to the core that asked (snbep)")       \
  X(IIO_STACKS, "iio.stacks", KIND_COUNT, 1, 12, 10, "", "I/O stacks")                                                 \
  X(IOMMU, "iio.iommu", KIND_WORD, 0, 3, 0, "off 4K 2M 1G",                                                            \
    "whether devices' addresses are translated, and by which pages")                                                   \
  X(PCIE_GENERATION, "pcie.generation", KIND_COUNT, 1, 5, 5, "", "PCI Express generation of the I/O stacks' ports")    \
  X(PCIE_LANES, "pcie.lanes", KIND_COUNT, 1, 16, 16, "", "lanes of a port: 1, 2, 4, 8 or 16")                          \
  X(PCIE_PAYLOAD, "pcie.payload", KIND_COUNT, 64, 4096, 256, "", "bytes of data in one packet, a power of two")        \
  X(PCIE_REQUEST, "pcie.request", KIND_COUNT, 64, 4096, 512, "", "bytes that one read of a device asks for")           \
  X(PCIE_CREDITS, "pcie.credits", KIND_COUNT, 1, 1024, 256, "", "packets of writes that a port takes at once")         \
  X(PCIE_TAGS, "pcie.tags", KIND_COUNT, 1, 1024, 256, "", "reads that a device has under way at once")                 \
  X(NUMA, "numa", KIND_NUMA, 0, 3, 0, "", "socket that a new page's memory comes from")                                \
  X(NUMA_MEMORY, "numa.memory", KIND_SIZE, 0, UINT64_C(1) << 40, 0, "",                                                \
    "with map=identity: of so much memory in a row a socket is the home; 0: numa says which")                          \
  X(PAGES, "pages", KIND_WORD, 0, 2, 0, "4K 2M 1G",                                                                    \
    "size of the pages of memory: what follows within one in a program does so in memory, too")                        \
  X(MAP, "map", KIND_WORD, 0, 1, 0, "scatter identity", "virtual page to frame: spread, or the same number")           \
  X(SEED, "seed", KIND_COUNT, 0, UINT32_MAX, 1, "", "start of the address hashes")

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
