/* SPDX-License-Identifier: MIT */
/* What a program did when it could not continue: the fault, the instruction, and the registers. */
#include <stdio.h>
#include "machine/montecito/exec/process.h"

static const char *const faults[FAULT_N] = {[FAULT_ILLEGAL] = "illegal operation",
                                            [FAULT_PRIVILEGED] = "privileged instruction or register",
                                            [FAULT_RESERVED] = "reserved register, field or value",
                                            [FAULT_NAT] = "a NaT (not a thing) was consumed",
                                            [FAULT_PAGE] = "no memory, or no right to access it, at",
                                            [FAULT_ALIGNMENT] = "unaligned access to",
                                            [FAULT_BREAK] = "break with the immediate",
                                            [FAULT_FP] = "floating-point trap that is not masked",
                                            [FAULT_UNSUPPORTED] =
                                                "an instruction that the emulated processor does not execute",
                                            [FAULT_ATTRIBUTE] = "access that the memory's attribute forbids at",
                                            [FAULT_DEBUG] = "breakpoint on the access to",
                                            [FAULT_KEY_MISS] = "no register has the protection key of",
                                            [FAULT_KEY] = "a protection key forbids the access to",
                                            [FAULT_FETCH] = "no code at"};

static bool fault_has_address(unsigned kind)
{
  return kind == FAULT_PAGE || kind == FAULT_ALIGNMENT || kind == FAULT_BREAK || kind == FAULT_ATTRIBUTE ||
         kind == FAULT_FETCH || (kind >= FAULT_DEBUG && kind <= FAULT_KEY);
}

static size_t report_location(struct exec_program *p, char *text, size_t size)
{
  const struct exec_fault *f = &p->cpu.fault;
  uint64_t offset = 0;
  char instruction[128] = "";
  const char *symbol = exec_program_symbol(p, f->ip, &offset);
  size_t n = (size_t)snprintf(text, size, "%s", faults[f->kind]);
  if (fault_has_address(f->kind))
    n += (size_t)snprintf(text + n, size - n, " 0x%llx", (unsigned long long)f->address);
  n += (size_t)snprintf(text + n, size - n, ", at 0x%llx", (unsigned long long)f->ip);
  if (symbol)
    n += (size_t)snprintf(text + n, size - n, " (%.60s+0x%llx)", symbol, (unsigned long long)offset);
  if (exec_program_disassemble(p, f->ip, f->slot, instruction, sizeof instruction))
    n += (size_t)snprintf(text + n, size - n, ", slot %u: %s", f->slot, instruction);
  return n;
}

void exec_report_fault(struct exec_program *p)
{
  const struct exec_cpu *c = &p->cpu;
  char *text = p->fault_text;
  const size_t size = sizeof p->fault_text;
  size_t n = report_location(p, text, size);
  for (unsigned r = 1; r < 32; r++)
    n += (size_t)snprintf(text + n, size - n, "%sr%-2u %016llx%s", r % 4 == 1 ? "\n  " : "  ", r,
                          (unsigned long long)c->gr[r], c->gr_nat >> r & 1 ? " NaT" : "");
  n += (size_t)snprintf(text + n, size - n, "\n  b0 %016llx  pr %016llx  pfs %016llx", (unsigned long long)c->br[0],
                        (unsigned long long)c->pr, (unsigned long long)c->ar[AR_PFS]);
  snprintf(text + n, size - n, "\n  bsp %016llx  frame of %u registers, %u local, %u rotating",
           (unsigned long long)exec_bsp(c), c->frame.sof, c->frame.sol, c->frame.sor);
}
