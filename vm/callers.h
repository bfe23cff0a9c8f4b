/* SPDX-License-Identifier: MIT */
/* Which functions of the guest's kernel made each access to a register: the calls at the time of the access, and the
 * names of the functions, which become known later. */
#ifndef VM_CALLERS_H
#define VM_CALLERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "vm/file.h"
#include "vm/image.h"
#include "vm/shared.h"
#include "vm/symbols.h"

enum { CALLERS_FRAMES = 10 };

struct callers; /* opaque */

/* PMON_OK, PMON_E_MEMORY. */
int callers_new(struct callers **ret_callers);
void callers_free(struct callers *c);
/* The table of names, to be filled by the caller. */
struct symbols *callers_symbols(struct callers *c);
/* The kernel's image, which must stay until callers_end(). PMON_OK; PMON_E_INVALID: the symbols that were
 * loaded are those of another kernel. */
int callers_set_kernel(struct callers *c, const struct elf *image);
/* A module that the guest may load; the file is taken over. One that is no module is passed over, and so are all beyond
 * the fourth. */
void callers_add_module(struct callers *c, struct file *module);
/* A line of the guest about a loaded module, "/sys/module/MODULE/sections/SECTION 0xADDRESS"; other lines are passed
 * over. With them the calls go on behind the module's first function, also of accesses that were noted before. */
void callers_place(struct callers *c, const char *line);

/* Notes what makes access number `access`, from 1 and not below the last one's. */
void callers_note(struct callers *c, uint64_t access, const struct shared_memory *at);
/* The guest has ended: no access is noted any more, and no line comes. */
void callers_end(struct callers *c);
/* What the guest has to look up: a regular expression of the first 13 digits (a page) of all addresses without a name,
 * as many as fit into `size`; "": there are none. */
void callers_wanted(struct callers *c, char *text, size_t size);

/* The functions of an access that was noted: names by struct callers_chain, from the one that executed it to its
 * callers. n 0: not known. driver: index of the first function of a module, else of the first one that is not the
 * kernel's own way to MSRs and configuration space; n when there is none with a name. */
struct callers_chain {
  uint64_t code[CALLERS_FRAMES];
  const struct symbol *function[CALLERS_FRAMES]; /* NULL: no name is known */
  size_t n, driver;
};
void callers_get(struct callers *c, uint64_t access, struct callers_chain *ret);
/* "NAME", "NAME [MODULE]", or the address when no name is known. */
void callers_format(const struct callers_chain *chain, size_t i, char *text, size_t size);

#endif
