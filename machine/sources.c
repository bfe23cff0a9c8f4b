/* SPDX-License-Identifier: MIT */
/* Where the values of the reference machines' parameters come from. One table for all processors: their documents are
 * of the same kinds, but for those that a model names (processor_model.origins). */
#include "machine/config.h"
#include "machine/model.h"

#define OWN "model"     /* the model's own: no public document gives it */
#define SETTING "setup" /* how the machine is set up, as a user or firmware would */
#define GUIDE "guide"   /* the processor's uncore guide */
#define INTEL "Intel"   /* Intel's product data, optimization manual and presentations of the core */
#define FOG "Fog"       /* A. Fog, Instruction tables; The microarchitecture of Intel, AMD and VIA CPUs */
#define JEDEC "JEDEC"   /* JESD79-5 and JESD79-3 */
#define PCIE "PCIe"     /* PCI Express Base Specification */

static const char *const sources[CONFIG_N] = {
    [CONFIG_PLATFORM] = SETTING,      [CONFIG_SOCKETS] = SETTING,
    [CONFIG_CORES] = INTEL,           [CONFIG_CORE_THREADS] = INTEL,
    [CONFIG_CORE_GHZ] = SETTING,      [CONFIG_TSC_GHZ] = INTEL,
    [CONFIG_CORE_CPI] = OWN,          [CONFIG_CORE_WINDOW] = INTEL,
    [CONFIG_CORE_LOADS] = INTEL,      [CONFIG_CORE_MLP] = INTEL,
    [CONFIG_CORE_WIDTH] = INTEL,      [CONFIG_CORE_MISPREDICT] = FOG,
    [CONFIG_LATENCY_ALU] = FOG,       [CONFIG_LATENCY_LOAD] = FOG,
    [CONFIG_LATENCY_MUL] = FOG,       [CONFIG_LATENCY_DIV] = FOG,
    [CONFIG_LATENCY_FADD] = FOG,      [CONFIG_LATENCY_FMUL] = FOG,
    [CONFIG_LATENCY_FDIV] = FOG,      [CONFIG_LATENCY_VECTOR] = FOG,
    [CONFIG_LATENCY_LOCKED] = OWN,    [CONFIG_LATENCY_FENCE] = OWN,
    [CONFIG_LATENCY_SERIAL] = OWN,    [CONFIG_CORE_DEPENDENCES] = SETTING,
    [CONFIG_CORE_STORES] = INTEL,     [CONFIG_L1I_SIZE] = INTEL,
    [CONFIG_L1I_WAYS] = INTEL,        [CONFIG_L1D_SIZE] = INTEL,
    [CONFIG_L1D_WAYS] = INTEL,        [CONFIG_L2_SIZE] = INTEL,
    [CONFIG_L2_WAYS] = INTEL,         [CONFIG_L2_LATENCY] = INTEL,
    [CONFIG_L2_BANDWIDTH] = INTEL,    [CONFIG_DTLB_4K] = INTEL,
    [CONFIG_DTLB_WAYS] = INTEL,       [CONFIG_DTLB_2M] = INTEL,
    [CONFIG_DTLB_1G] = INTEL,         [CONFIG_DTLB_MISS] = INTEL,
    [CONFIG_L2_MSHRS] = INTEL,        [CONFIG_PREFETCH] = SETTING,
    [CONFIG_PREFETCH_DEGREE] = OWN,   [CONFIG_PREFETCH_AHEAD] = OWN,
    [CONFIG_PREFETCH_L1] = SETTING,   [CONFIG_PREFETCH_NEXT_PAGE] = INTEL,
    [CONFIG_PREFETCH_CODE] = SETTING, [CONFIG_CORE_READS] = SETTING,
    [CONFIG_CORE_WALKS] = SETTING,    [CONFIG_CHAS] = INTEL,
    [CONFIG_LLC_SIZE] = INTEL,        [CONFIG_LLC_WAYS] = INTEL,
    [CONFIG_LLC_POLICY] = INTEL,      [CONFIG_LLC_IO_WAYS] = OWN,
    [CONFIG_SF_SETS] = OWN,           [CONFIG_SF_WAYS] = OWN,
    [CONFIG_UNCORE_GHZ] = OWN,        [CONFIG_MESH_COLUMNS] = OWN,
    [CONFIG_MESH_HOP] = OWN,          [CONFIG_MESH_ENTER] = OWN,
    [CONFIG_CHA_PIPE] = OWN,          [CONFIG_CHA_TOR] = OWN,
    [CONFIG_M2M_PIPE] = OWN,          [CONFIG_IMCS] = GUIDE,
    [CONFIG_CHANNELS] = GUIDE,        [CONFIG_DRAM_GHZ] = INTEL,
    [CONFIG_DRAM_SUBS] = JEDEC,       [CONFIG_DRAM_BURST] = JEDEC,
    [CONFIG_DRAM_BANKS] = JEDEC,      [CONFIG_DRAM_RANKS] = OWN,
    [CONFIG_DRAM_PAGE] = SETTING,     [CONFIG_DRAM_IDLE] = OWN,
    [CONFIG_DRAM_PIPE] = OWN,         [CONFIG_DRAM_CL] = JEDEC,
    [CONFIG_DRAM_TRCD] = JEDEC,       [CONFIG_DRAM_TRP] = JEDEC,
    [CONFIG_DRAM_TRAS] = JEDEC,       [CONFIG_DRAM_TRTP] = JEDEC,
    [CONFIG_DRAM_TWR] = JEDEC,        [CONFIG_DRAM_TRFC] = JEDEC,
    [CONFIG_DRAM_TREFI] = JEDEC,      [CONFIG_DRAM_REFRESH] = OWN,
    [CONFIG_DRAM_TRFCSB] = JEDEC,     [CONFIG_DRAM_TREFSBRD] = JEDEC,
    [CONFIG_DRAM_POSTPONE] = JEDEC,   [CONFIG_DRAM_TFAW] = JEDEC,
    [CONFIG_DRAM_TWTR] = JEDEC,       [CONFIG_DRAM_TWTR_S] = JEDEC,
    [CONFIG_DRAM_RPQ] = OWN,          [CONFIG_DRAM_WPQ] = OWN,
    [CONFIG_DRAM_WPQ_HIGH] = OWN,     [CONFIG_DRAM_WPQ_LOW] = OWN,
    [CONFIG_UPI_LINKS] = GUIDE,       [CONFIG_UPI_GT] = INTEL,
    [CONFIG_UPI_LANES] = GUIDE,       [CONFIG_FREEZE_DELAY] = OWN,
    [CONFIG_UPI_FLIGHT] = OWN,        [CONFIG_UPI_L0P] = SETTING,
    [CONFIG_DIRECTORY] = SETTING,     [CONFIG_AHEAD] = SETTING,
    [CONFIG_OSB] = SETTING,           [CONFIG_DIRECT2CORE] = SETTING,
    [CONFIG_IIO_STACKS] = GUIDE,      [CONFIG_IOMMU] = SETTING,
    [CONFIG_PCIE_GENERATION] = INTEL, [CONFIG_PCIE_LANES] = INTEL,
    [CONFIG_PCIE_PAYLOAD] = PCIE,     [CONFIG_PCIE_REQUEST] = PCIE,
    [CONFIG_PCIE_CREDITS] = OWN,      [CONFIG_PCIE_TAGS] = OWN,
    [CONFIG_NUMA] = SETTING,          [CONFIG_NUMA_MEMORY] = SETTING,
    [CONFIG_PAGES] = SETTING,         [CONFIG_MAP] = SETTING,
    [CONFIG_SEED] = SETTING,
};

const char *machine_config_source(const struct machine_config *config, unsigned index)
{
  const struct config_source *own = model_of(config)->origins;
  while (own && own->parameter != CONFIG_N && own->parameter != index)
    own++;
  return index >= CONFIG_N ? "" : own && own->parameter == index ? own->source : sources[index];
}
