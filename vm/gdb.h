/* SPDX-License-Identifier: MIT */
/* A client of GDB's remote serial protocol, limited to what is needed to answer single instructions of a guest. */
#ifndef VM_GDB_H
#define VM_GDB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum gdb_register { GDB_RAX = 0, GDB_RCX = 2, GDB_RDX = 3, GDB_RSP = 7, GDB_RIP = 16, GDB_REGISTERS };
enum { GDB_PACKET = 16384 };

struct gdb {
  int fd;
  size_t n;                                /* received and not processed yet */
  char in[GDB_PACKET], packet[GDB_PACKET]; /* packet: the last one processed, zero-terminated */
};

/* Receives with one read(), which may block. False: the peer closed the connection. */
bool gdb_receive(struct gdb *g);
/* True if a whole packet has been received; it is acknowledged and put into g->packet. */
bool gdb_next(struct gdb *g);
/* Returns the processor named by a stop packet: a number from 1; 0: the packet names none. */
unsigned gdb_stopped(const struct gdb *g);
bool gdb_send(struct gdb *g, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Sends, and waits for the answer, which is stored in g->packet. The guest must be stopped. */
bool gdb_ask(struct gdb *g, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Requests a stop of the guest; a stop packet confirms it. */
bool gdb_interrupt(struct gdb *g);
/* Reads the first GDB_REGISTERS registers. */
bool gdb_registers(struct gdb *g, uint64_t *ret_values);
/* Writes eight bytes of the stopped processor's memory. */
bool gdb_set_memory(struct gdb *g, uint64_t address, uint64_t value);
bool gdb_set_register(struct gdb *g, enum gdb_register r, uint64_t value);

/* Sets ('Z') or clears ('z') the breakpoint at an instruction. */
bool gdb_breakpoint(struct gdb *g, char set_or_clear, uint64_t address);

#endif
