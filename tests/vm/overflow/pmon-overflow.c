/* SPDX-License-Identifier: MIT */
/*
 * A kernel module for tests/vm/interrupts.sh: counts the performance counter interrupts of the processor that loads it
 * (Intel SDM 3, 10.5.1), as a driver that does not poll would. Each interrupt masks its entry of the local APIC; the
 * handler unmasks the entry. The module's parameters show the counts.
 */
#include <linux/module.h>
#include <linux/smp.h>
#include <asm/apic.h>
#include <asm/nmi.h>

static int count, processor;
module_param(count, int, 0444);
module_param(processor, int, 0444);

static int overflow_handle(unsigned int type, struct pt_regs *regs)
{
  if (!(apic_read(APIC_LVTPC) & APIC_LVT_MASKED))
    return NMI_DONE;
  count++;
  processor = raw_smp_processor_id();
  apic_write(APIC_LVTPC, APIC_DM_NMI);
  return NMI_HANDLED;
}

static int __init overflow_init(void)
{
  int error = register_nmi_handler(NMI_LOCAL, overflow_handle, 0, "pmon-overflow");
  processor = -1;
  if (!error)
    apic_write(APIC_LVTPC, APIC_DM_NMI);
  return error;
}

static void __exit overflow_exit(void)
{
  apic_write(APIC_LVTPC, APIC_LVT_MASKED);
  unregister_nmi_handler(NMI_LOCAL, "pmon-overflow");
}

module_init(overflow_init);
module_exit(overflow_exit);
MODULE_LICENSE("Dual MIT/GPL");
MODULE_DESCRIPTION("counts interrupts of performance counters");
