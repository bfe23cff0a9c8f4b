/* SPDX-License-Identifier: MIT */
/* Reports why a program could not continue: the fault, the instruction, and the registers. */
#include <stdio.h>
#include "machine/montecito/exec/process.h"

static const char *const faults[FAULT_N] = {[FAULT_ILLEGAL] = "illegal operation",
                                            [FAULT_PRIVILEGED] = "privileged instruction or register",
                                            [FAULT_RESERVED] = "reserved register, field or value",
                                            [FAULT_NAT] = "consumption of a NaT (not a thing)",
                                            [FAULT_PAGE] = "no mapped memory, or no permission for the access, at",
                                            [FAULT_ALIGNMENT] = "unaligned access to",
                                            [FAULT_BREAK] = "break with the immediate",
                                            [FAULT_FP] = "unmasked floating-point trap",
                                            [FAULT_UNSUPPORTED] =
                                                "instruction that the emulated processor does not support",
                                            [FAULT_ATTRIBUTE] = "access that the memory attribute does not allow at",
                                            [FAULT_DEBUG] = "breakpoint on the access to",
                                            [FAULT_KEY_MISS] = "no protection key register matches the key of",
                                            [FAULT_KEY] = "a protection key does not allow the access to",
                                            [FAULT_FETCH] = "no code at",
                                            [FAULT_LIMIT] = "stopped: the limit of program.bundles is reached"};

static bool fault_has_address(unsigned kind)
{
  return kind == FAULT_PAGE || kind == FAULT_ALIGNMENT || kind == FAULT_BREAK || kind == FAULT_ATTRIBUTE ||
         kind == FAULT_FETCH || (kind >= FAULT_DEBUG && kind <= FAULT_KEY);
}

/* Writes the function that contains the address, in parentheses; nothing without symbols. */
static size_t report_symbol(struct exec_program *p, uint64_t address, char *text, size_t size)
{
  uint64_t offset = 0;
  const char *symbol = exec_program_symbol(p, address, &offset);
  return symbol ? (size_t)snprintf(text, size, " (%.60s+0x%llx)", symbol, (unsigned long long)offset) : 0;
}

static size_t report_location(struct exec_program *p, char *text, size_t size)
{
  const struct exec_fault *f = &p->cpu.fault;
  char instruction[128] = "";
  size_t n = (size_t)snprintf(text, size, "%s", faults[f->kind]);
  if (fault_has_address(f->kind))
    n += (size_t)snprintf(text + n, size - n, " 0x%llx", (unsigned long long)f->address);
  const bool fetch = f->kind == FAULT_FETCH;
  const uint64_t ip = fetch ? p->cpu.previous_ip : f->ip;
  n += (size_t)snprintf(text + n, size - n, ", %s 0x%llx", fetch ? "reached from" : "at", (unsigned long long)ip);
  n += report_symbol(p, ip, text + n, size - n);
  if (!fetch && exec_program_disassemble(p, f->ip, f->slot, instruction, sizeof instruction))
    n += (size_t)snprintf(text + n, size - n, ", slot %u: %s", f->slot, instruction);
  return n;
}

static size_t report_register(const struct exec_cpu *c, unsigned r, char *text, size_t size)
{
  const struct exec_value g = exec_gr(c, r);
  return (size_t)snprintf(text, size, "r%-2u %016llx%s", r, (unsigned long long)g.v, g.nat ? " NaT" : "");
}

void exec_report_fault(struct exec_program *p)
{
  enum { FRAME_REGISTERS = 16 };
  const struct exec_cpu *c = &p->cpu;
  const unsigned shown = c->frame.sof < FRAME_REGISTERS ? c->frame.sof : FRAME_REGISTERS;
  char *text = p->fault_text;
  const size_t size = sizeof p->fault_text;
  size_t n = report_location(p, text, size);
  for (unsigned r = 1; r < 32; r++) {
    n += (size_t)snprintf(text + n, size - n, r % 4 == 1 ? "\n  " : "  ");
    n += report_register(c, r, text + n, size - n);
  }
  n += (size_t)snprintf(text + n, size - n, "\n  b0 %016llx", (unsigned long long)c->br[0]);
  n += report_symbol(p, c->br[0], text + n, size - n);
  n += (size_t)snprintf(text + n, size - n, "  pr %016llx  pfs %016llx", (unsigned long long)c->pr,
                        (unsigned long long)c->ar[AR_PFS]);
  n += (size_t)snprintf(text + n, size - n, "\n  bsp %016llx  frame of %u registers, %u local, %u rotating%s",
                        (unsigned long long)exec_bsp(c), c->frame.sof, c->frame.sol, c->frame.sor,
                        shown < c->frame.sof ? "; the first:"
                        : shown              ? ":"
                                             : "");
  for (unsigned r = 0; r < shown; r++) {
    n += (size_t)snprintf(text + n, size - n, r % 4 == 0 ? "\n  " : "  ");
    n += report_register(c, 32 + r, text + n, size - n);
  }
}
