/* SPDX-License-Identifier: MIT */
#include "vm/msr_names.h"

#include <stddef.h>

/* SDM4, Tables 2-2 and 2-20 (since Sandy Bridge) and the tables of later processors (recent), by number. */
static const struct own_range {
  uint32_t first, last;
  bool recent;
} ranges[] = {
    {0x0, 0x1, false},     /* machine check of the Pentium */
    {0x6, 0x6, false},     /* MONITOR's line size */
    {0x10, 0x10, false},   /* time stamp counter */
    {0x17, 0x17, false},   /* platform's number */
    {0x1b, 0x1b, false},   /* local APIC */
    {0x2a, 0x2a, false},   /* power-on configuration */
    {0x33, 0x33, true},    /* split locks */
    {0x34, 0x35, false},   /* system management interrupts, cores and threads */
    {0x3a, 0x3b, false},   /* features that firmware locks, adjustment of the time stamp counter */
    {0x48, 0x49, false},   /* speculation */
    {0x4e, 0x4f, false},   /* the processor's serial number */
    {0x79, 0x79, false},   /* microcode, */
    {0x8b, 0x8f, false},   /* its revision, enclaves */
    {0x9b, 0x9e, false},   /* system management */
    {0xc1, 0xc8, false},   /* general counters */
    {0xcd, 0xcf, false},   /* bus clock, ratios of the platform, capabilities of the core */
    {0xe1, 0xe4, false},   /* waiting, C-states */
    {0xe7, 0xe8, false},   /* cycles behind the frequency */
    {0xfe, 0xfe, false},   /* memory types */
    {0x10a, 0x10b, false}, /* speculation */
    {0x11e, 0x11e, false}, /* L2 */
    {0x122, 0x123, true},  /* transactions */
    {0x13c, 0x13c, false}, /* AES */
    {0x140, 0x140, true},  /* CPUID faults */
    {0x150, 0x150, true},  /* mailbox */
    {0x174, 0x176, false}, /* SYSENTER */
    {0x179, 0x17b, false}, /* machine check, */
    {0x17d, 0x17f, false}, /* its control */
    {0x186, 0x18d, false}, /* general counters' controls */
    {0x198, 0x19c, false}, /* performance state, clock modulation, temperature */
    {0x1a0, 0x1a7, false}, /* features, temperature's target, prefetchers, off-core responses */
    {0x1aa, 0x1b2, false}, /* power management, turbo ratios, the package's temperature */
    {0x1c4, 0x1c5, true},  /* disabled extended state */
    {0x1c8, 0x1c9, false}, /* last branches */
    {0x1d9, 0x1d9, false}, /* debug control */
    {0x1dd, 0x1de, false}, /* last exception */
    {0x1f2, 0x1f3, false}, /* system management's memory */
    {0x1f8, 0x1fc, false}, /* direct cache access, power control */
    {0x200, 0x213, false}, /* memory types */
    {0x250, 0x250, false},
    {0x258, 0x259, false},
    {0x268, 0x26f, false},
    {0x277, 0x277, false},           /* page attributes */
    {0x280, 0x29f, false},           /* corrected machine checks */
    {0x2ff, 0x2ff, false},           /* memory types */
    {0x309, 0x30b, false},           /* fixed counters */
    {0x30c, 0x30c, true},            /* the fourth one */
    {0x329, 0x329, true},            /* metrics of slots */
    {0x345, 0x345, false},           /* what the counters can do */
    {0x38d, 0x390, false},           /* their global controls */
    {0x391, 0x393, true},            /* their status, set and reset */
    {0x3f1, 0x3f1, false},           /* precise events */
    {0x3f2, 0x3f2, true},            /* their data */
    {0x3f6, 0x3f7, false},           /* latency of loads, front end */
    {0x3f8, 0x3fe, false},           /* C-states' residencies */
    {0x400, 0x47f, false},           /* machine check banks */
    {0x480, 0x493, false},           /* virtual machines */
    {0x4c1, 0x4c8, false},           /* general counters, all bits */
    {0x4d0, 0x4d0, true},            /* system management's features */
    {0x500, 0x500, true},            /* enclaves */
    {0x540, 0x540, true},            /* threads' residency */
    {0x560, 0x587, true},            /* processor trace */
    {0x600, 0x601, false},           /* debug store, current limit */
    {0x606, 0x606, false},           /* energy units, */
    {0x60a, 0x60d, false},           /* interrupt latencies of C-states, residency, */
    {0x610, 0x616, false},           /* the package's power, */
    {0x618, 0x61c, false},           /* memory's, */
    {0x61e, 0x61e, true},            /* PCIe's, */
    {0x620, 0x621, true},            /* the uncore's frequency, */
    {0x638, 0x63b, false},           /* cores' power */
    {0x64b, 0x64f, true},            /* configurable power, limits */
    {0x658, 0x65d, true},            /* residencies of cores that are active together */
    {0x65e, 0x65e, true},            /* L1 C-states */
    {0x680, 0x69f, false},           /* last branches: from, */
    {0x6a0, 0x6a8, true},            /* control flow, */
    {0x6b0, 0x6b1, true},            /* limits of graphics and ring, */
    {0x6c0, 0x6df, false},           /* last branches: to */
    {0x6e0, 0x6e0, false},           /* the timer's deadline */
    {0x6e1, 0x6e1, true},            /* protection keys */
    {0x770, 0x777, true},            /* performance states by hardware */
    {0x7a3, 0x7a5, true},            /* resource control */
    {0x802, 0x83f, false},           /* local APIC */
    {0xc80, 0xc80, false},           /* debugging by silicon */
    {0xc81, 0xc83, true},            /* cache allocation */
    {0xc8d, 0xc8f, true},            /* cache monitoring */
    {0xc90, 0xd0f, true},            /* cache allocation's masks */
    {0xd50, 0xd5f, true},            /* memory bandwidth */
    {0xd90, 0xd91, true},            /* bounds */
    {0xda0, 0xda0, true},            /* extended state of supervisors */
    {0xdb0, 0xdb2, true},            /* duty cycles */
    {0x1200, 0x121f, true},          /* last branches */
    {0x14ce, 0x14cf, true},          /* last branches' control */
    {0x1500, 0x151f, true},          /* from */
    {0x1600, 0x161f, true},          /* to */
    {0x17d0, 0x17d4, true},          /* feedback of hardware */
    {0xc0000080, 0xc0000084, false}, /* long mode, SYSCALL */
    {0xc0000100, 0xc0000102, false}, /* bases of segments */
    {0xc0000103, 0xc0000103, false}, /* the processor's number */
};

bool msr_is_own(uint32_t msr, bool recent)
{
  for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++)
    if (msr >= ranges[i].first && msr <= ranges[i].last)
      return recent || !ranges[i].recent;
  return false;
}
