/* SPDX-License-Identifier: MIT */
/* Names of functions of a kernel and its modules: from an ELF file, a System.map, or lines of /proc/kallsyms. */
#ifndef VM_SYMBOLS_H
#define VM_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct symbol {
  uint64_t address, end;     /* end: code from there on belongs to no or another function; 0: not known */
  const char *name, *module; /* module "": the kernel itself */
  size_t number;             /* in the order in which they were added */
  bool near;                 /* from the guest, which sends only the names near the requested addresses */
};

struct symbols {
  struct symbol *at;
  size_t n, room, n_guest; /* n_guest: lines of the guest */
  uint64_t table;          /* address of the kernel's exception table, as a file has it; 0: no file has it */
  bool sorted, out_of_memory;
};

/* Adds a function: copies its texts and sets its number. Out of memory: sets out_of_memory. */
void symbols_add(struct symbols *s, const struct symbol *function);
/* Adds the function of a line "ADDRESS TYPE NAME" or "ADDRESS TYPE NAME [MODULE]"; ignores data, unknown addresses (0)
 * and other lines. */
void symbols_add_line(struct symbols *s, const char *line);
/* symbols_add_line() for a line of the guest, which was asked for the page of a function and the page before. Accepts
 * at most SYMBOLS_GUEST lines. */
void symbols_add_guest(struct symbols *s, const char *line);
/* Adds the functions of a file: a vmlinux with its table of symbols, or a System.map. PMON_OK; PMON_E_IO,
 * PMON_E_SYNTAX: it is neither, PMON_E_MEMORY; with the reason in error. */
int symbols_load(struct symbols *s, const char *path, char *error, size_t error_size);
/* Returns the function that contains `code`; of several names, the first that was added. NULL: the last function before
 * `code` has ended, or begins SYMBOLS_FAR bytes before or more or, if the name is the guest's, before the preceding
 * page. Valid until the next function is added. */
enum { SYMBOLS_FAR = 1 << 16, SYMBOLS_PAGE = 1 << 12, SYMBOLS_GUEST = 1 << 16 };
const struct symbol *symbols_find(struct symbols *s, uint64_t code);
void symbols_free(struct symbols *s);

#endif
