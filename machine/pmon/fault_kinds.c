/* SPDX-License-Identifier: MIT */
/* The kinds of injected faults: their names and operands. */
#include "machine/pmon/faults.h"

static const struct {
  const char *name;
  enum fault_operand operand;
} kinds[FAULT_N] = {[FAULT_STUCK] = {"stuck", FAULT_OF_COUNTER},
                    [FAULT_DOUBLE] = {"double", FAULT_OF_COUNTER},
                    [FAULT_NO_OVERFLOW] = {"no-overflow", FAULT_OF_COUNTER},
                    [FAULT_WRAP] = {"wrap", FAULT_OF_COUNTER},
                    [FAULT_NO_FREEZE] = {"no-freeze", FAULT_OF_BLOCK},
                    [FAULT_GONE] = {"gone", FAULT_OF_BLOCK},
                    [FAULT_MSR] = {"msr", FAULT_OF_PROCESSOR},
                    [FAULT_PMI_LOST] = {"interrupts-lost", FAULT_OF_SOCKET},
                    [FAULT_PMI_DOUBLE] = {"interrupts-doubled", FAULT_OF_SOCKET},
                    [FAULT_PAGE_LATE] = {"page-late", FAULT_OF_SOCKET},
                    [FAULT_PAGE_SHORT] = {"page-short", FAULT_OF_NUMBER},
                    [FAULT_PAGE_STRIDE] = {"page-stride", FAULT_OF_NUMBER},
                    [FAULT_PAGE_DUPLICATE] = {"page-duplicate", FAULT_OF_BLOCK},
                    [FAULT_PAGE_FOREIGN] = {"page-foreign", FAULT_OF_BLOCK}};

const char *machine_fault_name(enum fault_kind kind)
{
  return kinds[kind].name;
}

enum fault_operand machine_fault_operand(enum fault_kind kind)
{
  return kinds[kind].operand;
}
