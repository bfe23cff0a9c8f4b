/* SPDX-License-Identifier: MIT */
/* Finds the MSR instructions through the kernel's exception table, and serves stops at them. */
#include <stdio.h>
#include <string.h>
#include <pmon/status.h>
#include "vm/image.h"
#include "vm/msr.h"

/* An entry of section __ex_table (Linux 4.6 and later): the instruction, and where and how to continue after a fault;
 * each address is stored relative to its own field. */
struct may_fault {
  int32_t instruction, go_on, how;
};

/* The largest offset of the instruction in a function that does nothing else; the number of such functions. */
enum { FUNCTION_HEAD = 24, MSR_CALLED = 4 };

/* How the instructions begin: rdmsr and wrmsr; a write also after a prefix without effect (so that a longer instruction
 * can replace it). */
static const struct form {
  uint8_t n, code[3];
  bool write;
} forms[] = {
    {2, {0x0f, 0x32}, false},
    {2, {0x0f, 0x30}, true},
    {3, {0x3e, 0x0f, 0x30}, true},
};

static const struct form *form_at(const struct elf *e, uint64_t address)
{
  for (const struct form *f = forms; f < forms + sizeof forms / sizeof *forms; f++) {
    const uint8_t *code = elf_code(e, address, f->n);
    if (code && !memcmp(code, f->code, f->n))
      return f;
  }
  return NULL;
}

/* Takes all entries of the table; entries beyond the capacity are only counted. */
static void take_all(const struct elf *e, const struct elf_segment *table, struct msr_sites *ret)
{
  struct may_fault entry;
  ret->n = 0;
  for (uint64_t at = 0; at + sizeof entry <= table->size; at += sizeof entry) {
    memcpy(&entry, table->bytes + at, sizeof entry);
    const uint64_t address = table->address + at + (uint64_t)(int64_t)entry.instruction;
    const struct form *f = form_at(e, address);
    if (f && ret->n < MSR_SITES_MAX)
      ret->site[ret->n] = (struct msr_site){address, f->n, f->write};
    ret->n += f != NULL;
  }
}

/* Returns the site in the function that begins there; NULL: none. */
static const struct msr_site *site_of_function(const struct msr_sites *s, uint64_t function)
{
  if (function >> 32 != s->site[0].address >> 32) /* excludes nearly all other words */
    return NULL;
  for (const struct msr_site *at = s->site; at < s->site + s->n; at++)
    if (at->address - function < FUNCTION_HEAD)
      return at;
  return NULL;
}

/*
 * A kernel that can run below Xen makes all its accesses in four functions (read, write, and variants of both that may
 * fail), which it calls through four adjacent pointers (pv_ops): breakpoints there are sufficient. Every breakpoint
 * makes QEMU slower: seventy of them by half.
 */
static bool keep_called(const struct elf *e, struct msr_sites *s)
{
  struct msr_site called[MSR_CALLED];
  struct elf_segment data;
  unsigned n = 0;
  for (unsigned i = 0; n < MSR_CALLED && elf_segment(e, i, &data); i++) {
    n = 0;
    for (uint64_t at = 0, function; n < MSR_CALLED && at + sizeof function <= data.size; at += sizeof function) {
      memcpy(&function, data.bytes + at, sizeof function);
      const struct msr_site *site = site_of_function(s, function);
      n = site ? n + 1 : 0;
      if (site)
        called[n - 1] = *site;
    }
  }
  if (n < MSR_CALLED)
    return false;
  memcpy(s->site, called, sizeof called);
  s->n = MSR_CALLED;
  return true;
}

int msr_sites_find(const uint8_t *image, size_t size, char *error, size_t error_size, struct msr_sites *ret)
{
  struct elf_segment table;
  struct elf e;
  if (!elf_init(&e, image, size)) {
    snprintf(error, error_size, "the kernel's image is not a 64-bit x86 ELF file");
    return PMON_E_UNKNOWN;
  }
  if (!elf_section(&e, "__ex_table", &table)) {
    snprintf(error, error_size, "the kernel's image has no section __ex_table, which lists its MSR accesses");
    return PMON_E_UNKNOWN;
  }
  take_all(&e, &table, ret);
  if (ret->n && ret->n <= MSR_SITES_MAX) {
    ret->called = keep_called(&e, ret);
    return PMON_OK;
  }
  snprintf(error, error_size,
           "the kernel's section __ex_table lists %u instructions that access MSRs; expected 1 to %d (is this Linux "
           "older than 4.6?)",
           ret->n, MSR_SITES_MAX);
  return PMON_E_UNKNOWN;
}

bool msr_arm(struct gdb *g, const struct msr_sites *s)
{
  for (unsigned i = 0; i < s->n; i++)
    if (!gdb_breakpoint(g, 'Z', s->site[i].address))
      return false;
  return true;
}

/* Executes the original instruction: one step beyond the breakpoint, while all other processors are stopped. */
static bool step_over(struct gdb *g, unsigned thread, uint64_t address)
{
  return gdb_breakpoint(g, 'z', address) && gdb_ask(g, "vCont;s:%x", thread) && gdb_breakpoint(g, 'Z', address);
}

static bool vm_msr_answer(struct gdb *g, const struct msr_sites *s, const struct msr_access *by, struct bus *bus,
                          bool *ret_ours)
{
  const unsigned processor = by->thread - 1;
  const bool write = by->at->write;
  uint32_t msr = (uint32_t)by->reg[GDB_RCX];
  uint64_t value = (uint32_t)by->reg[GDB_RAX] | by->reg[GDB_RDX] << 32;
  const enum bus_answer answer =
      write ? bus_msr_write(bus, processor, msr, value) : bus_msr_read(bus, processor, msr, &value);
  *ret_ours = answer == BUS_DONE;
  if (answer == BUS_FAULT)
    return msr_fault(g, s, by);
  if (answer == BUS_ELSEWHERE)
    return step_over(g, by->thread, by->reg[GDB_RIP]);
  if (!write && !(gdb_set_register(g, GDB_RAX, (uint32_t)value) && gdb_set_register(g, GDB_RDX, value >> 32)))
    return false;
  return gdb_set_register(g, GDB_RIP, by->reg[GDB_RIP] + by->at->size);
}

bool msr_serve(struct gdb *g, const struct msr_sites *s, struct bus *bus, bool *ret_ours)
{
  struct msr_access by = {.thread = gdb_stopped(g)};
  *ret_ours = false;
  if (!by.thread || !gdb_registers(g, by.reg))
    return false;
  for (unsigned i = 0; i < s->n && !by.at; i++)
    if (by.reg[GDB_RIP] == s->site[i].address)
      by.at = &s->site[i];
  if (by.at && !vm_msr_answer(g, s, &by, bus, ret_ours))
    return false;
  return gdb_send(g, "c");
}
