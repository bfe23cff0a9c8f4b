/* SPDX-License-Identifier: MIT */
/* The four functions by their machine code, and what is done when the guest stops at one. */
#include <stdio.h>
#include <string.h>
#include <pmon/status.h>
#include "vm/image.h"
#include "vm/msr.h"

enum { INSTRUCTION_SIZE = 2, ALIGNMENT = 16, CODE_MAX = 10 };

/*
 * How the functions begin, by the calling convention: the number comes in edi and goes to ecx; a write's halves come in
 * esi and edx; a read keeps rbx, and one that may fail stores its status where rsi points; a write that may fail
 * returns it in eax. `at` is where rdmsr (0f 32) or wrmsr (0f 30) stands.
 */
static const struct site { const char *function; bool write; uint8_t n, at, code[CODE_MAX]; } sites[MSR_SITES] = {
  { "native_read_msr", false, 9, 3, { 0x53, 0x89, 0xf9, 0x0f, 0x32, 0x48, 0xc1, 0xe2, 0x20 } },
  { "native_read_msr_safe", false, 9, 3, { 0x53, 0x89, 0xf9, 0x0f, 0x32, 0x31, 0xff, 0x89, 0x3e } },
  { "native_write_msr", true, 8, 4, { 0x89, 0xf0, 0x89, 0xf9, 0x0f, 0x30, 0x66, 0x90 } },
  { "native_write_msr_safe", true, 8, 4, { 0x89, 0xf0, 0x89, 0xf9, 0x0f, 0x30, 0x31, 0xc0 } },
};

static unsigned count(const struct elf *e, const struct site *s, uint64_t *ret_address)
{
  struct elf_segment segment;
  unsigned found = 0;
  for (unsigned i = 0; elf_segment(e, i, &segment); i++) {
    if (!segment.executable)
      continue;
    for (uint64_t at = -segment.address % ALIGNMENT; at + s->n <= segment.size; at += ALIGNMENT)
      if (!memcmp(segment.bytes + at, s->code, s->n)) {
        *ret_address = segment.address + at + s->at;
        found++;
      }
  }
  return found;
}

int msr_sites_find(const uint8_t *image, size_t size, char *error, size_t error_size, struct msr_sites *ret)
{
  struct elf e;
  if (!elf_init(&e, image, size)) {
    snprintf(error, error_size, "the kernel's image is no 64-bit x86 ELF file");
    return PMON_E_UNKNOWN;
  }
  for (unsigned i = 0; i < MSR_SITES; i++) {
    unsigned n = count(&e, &sites[i], &ret->address[i]);
    if (n != 1) {
      snprintf(error, error_size, "the code of %s, where the kernel accesses MSRs, is in this kernel %u times and "
               "should be once; Debian's 6.1 kernel is known to work", sites[i].function, n);
      return PMON_E_UNKNOWN;
    }
  }
  return PMON_OK;
}

static bool breakpoint(struct gdb *g, char set_or_clear, uint64_t address)
{
  return gdb_ask(g, "%c1,%llx,1", set_or_clear, (unsigned long long)address) && !strcmp(g->packet, "OK");
}

bool msr_arm(struct gdb *g, const struct msr_sites *s)
{
  for (unsigned i = 0; i < MSR_SITES; i++)
    if (!breakpoint(g, 'Z', s->address[i]))
      return false;
  return true;
}

/* The processor's own instruction: past the breakpoint by one step, which no other processor makes meanwhile. */
static bool step_over(struct gdb *g, unsigned thread, uint64_t address)
{
  return breakpoint(g, 'z', address) && gdb_ask(g, "vCont;s:%x", thread) && breakpoint(g, 'Z', address);
}

/* What a guest stopped for. */
struct access { unsigned thread; bool write; };

static bool answer(struct gdb *g, const uint64_t *reg, const struct access *by, struct bus *bus, bool *ret_ours)
{
  const unsigned processor = by->thread - 1;
  uint32_t msr = (uint32_t)reg[GDB_RCX];
  uint64_t value = (uint32_t)reg[GDB_RAX] | reg[GDB_RDX] << 32;
  *ret_ours = by->write ? bus_msr_write(bus, processor, msr, value) : bus_msr_read(bus, processor, msr, &value);
  if (!*ret_ours)
    return step_over(g, by->thread, reg[GDB_RIP]);
  if (!by->write && !(gdb_set_register(g, GDB_RAX, (uint32_t)value) && gdb_set_register(g, GDB_RDX, value >> 32)))
    return false;
  return gdb_set_register(g, GDB_RIP, reg[GDB_RIP] + INSTRUCTION_SIZE);
}

bool msr_serve(struct gdb *g, const struct msr_sites *s, struct bus *bus, bool *ret_ours)
{
  const unsigned thread = gdb_stopped(g);
  uint64_t reg[GDB_REGISTERS];
  *ret_ours = false;
  if (!thread || !gdb_registers(g, reg))
    return false;
  for (unsigned i = 0; i < MSR_SITES; i++)
    if (reg[GDB_RIP] == s->address[i] && !answer(g, reg, &(struct access){ thread, sites[i].write }, bus, ret_ours))
      return false;
  return gdb_send(g, "c");
}
