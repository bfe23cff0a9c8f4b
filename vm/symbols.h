/* SPDX-License-Identifier: MIT */
/* Names of a kernel's functions, and of its modules': of an ELF file, of a System.map, of lines of /proc/kallsyms. */
#ifndef VM_SYMBOLS_H
#define VM_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct symbol {
  uint64_t address, end;     /* end: code from there on is not the function's; 0: not known */
  const char *name, *module; /* module "": the kernel itself */
  size_t number;             /* in the order in which they were added */
  bool near;                 /* of a guest, of whose names only those near to what was asked for are known */
};

struct symbols {
  struct symbol *at;
  size_t n, room, n_guest; /* n_guest: lines of the guest */
  uint64_t table;          /* address of the kernel's exception table, as a file has it; 0: no file has it */
  bool sorted, out_of_memory;
};

/* Adds a function, of which it copies the texts and sets the number. No memory: out_of_memory. */
void symbols_add(struct symbols *s, const struct symbol *function);
/* Adds the function of a line "ADDRESS TYPE NAME" or "ADDRESS TYPE NAME [MODULE]"; data, unknown addresses (0) and what
 * is no such line are passed over. */
void symbols_add_line(struct symbols *s, const char *line);
/* The same of a line that the guest sends: it was asked for the page of a function and the page before. At most
 * SYMBOLS_GUEST of them. */
void symbols_add_guest(struct symbols *s, const char *line);
/* Adds the functions of a file: a vmlinux with its table of symbols, or a System.map. PMON_OK; PMON_E_IO,
 * PMON_E_SYNTAX: it is neither, PMON_E_MEMORY; with the reason in error. */
int symbols_load(struct symbols *s, const char *path, char *error, size_t error_size);
/* The function that has `code`, of several names the first that was added; NULL: the last one before has ended,
 * or begins SYMBOLS_FAR bytes before or more, or, by the guest's names, before the page before. Valid until the next
 * one is added. */
enum { SYMBOLS_FAR = 1 << 16, SYMBOLS_PAGE = 1 << 12, SYMBOLS_GUEST = 1 << 16 };
const struct symbol *symbols_find(struct symbols *s, uint64_t code);
void symbols_free(struct symbols *s);

#endif
