/* SPDX-License-Identifier: MIT */
/*
 * A general protection fault through a debugger, which cannot request one: the guest executes an MSR write of its own
 * that QEMU's processor refuses, the address of SVM's state with its low bits set. QEMU stops again at the beginning of
 * the fault's handler. There the registers and the address in the handler's frame become those of the original access.
 */
#include "vm/msr.h"

/* MSR_VM_HSAVE_PA is an address of a page. In the frame, the instruction's address follows the error code. */
enum { ADDRESS_OF_PAGE = 0xc0010117, NO_PAGE = 1, FRAME_ADDRESS = 8 };

static bool set_access(struct gdb *g, uint64_t address, uint64_t msr, uint64_t low, uint64_t high)
{
  return gdb_set_register(g, GDB_RCX, msr) && gdb_set_register(g, GDB_RAX, low) && gdb_set_register(g, GDB_RDX, high) &&
         (!address || gdb_set_register(g, GDB_RIP, address));
}

/* Returns the instruction for that write: the access itself if it writes, because the handler's frame then needs no
 * change. */
static const struct msr_site *find_write(const struct msr_sites *s, const struct msr_access *by)
{
  const struct msr_site *at = by->at->write ? by->at : s->site;
  while (at < s->site + s->n && !at->write)
    at++;
  return at < s->site + s->n ? at : NULL;
}

bool msr_fault(struct gdb *g, const struct msr_sites *s, const struct msr_access *by)
{
  const struct msr_site *by_write = find_write(s, by);
  uint64_t now[GDB_REGISTERS];
  if (!by_write || !set_access(g, by_write->address, ADDRESS_OF_PAGE, NO_PAGE, 0) ||
      !gdb_breakpoint(g, 'z', by_write->address) || !gdb_ask(g, "vCont;s:%x", by->thread) ||
      !gdb_breakpoint(g, 'Z', by_write->address) || !gdb_registers(g, now))
    return false;
  const uint64_t rax = by->reg[GDB_RAX], rcx = by->reg[GDB_RCX], rdx = by->reg[GDB_RDX];
  if (now[GDB_RIP] == by_write->address + by_write->size) /* this QEMU accepts the write: as without faults */
    return by->at->write ? set_access(g, by->reg[GDB_RIP] + by->at->size, rcx, rax, rdx)
                         : set_access(g, by->reg[GDB_RIP] + by->at->size, rcx, 0, 0);
  return set_access(g, 0, rcx, rax, rdx) && gdb_set_memory(g, now[GDB_RSP] + FRAME_ADDRESS, by->reg[GDB_RIP]);
}
