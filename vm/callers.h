/* SPDX-License-Identifier: MIT */
/* Finds the functions of the guest's kernel that made each register access: the calls at the time of the access, and
 * the functions' names, which become known later. */
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
/* The table of names, which the caller fills. */
struct symbols *callers_symbols(struct callers *c);
/* Sets the kernel's image, which must remain until callers_end(). PMON_OK; PMON_E_INVALID: the loaded symbols are those
 * of another kernel. */
int callers_set_kernel(struct callers *c, const struct elf *image);
/* Takes over the file of a module that the guest may load. Ignores files that are no modules, and modules after the
 * fourth. */
void callers_add_module(struct callers *c, struct file *module);
/* Processes a line of the guest about a loaded module, "/sys/module/MODULE/sections/SECTION 0xADDRESS"; ignores other
 * lines. With these lines, the calls continue beyond the module's first function, also for accesses that were noted
 * before. */
void callers_place(struct callers *c, const char *line);

/* Notes the code that makes access number `access`: from 1, and not lower than the previous number. */
void callers_note(struct callers *c, uint64_t access, const struct shared_memory *at);
/* The guest has ended: no access is noted and no line is processed any more. */
void callers_end(struct callers *c);
/* Sets `text` to a regular expression for the guest's look-up: the first 13 digits (a page) of all addresses without a
 * name, as many as fit into `size`; "": there are none. */
void callers_wanted(struct callers *c, char *text, size_t size);

/* The functions of a noted access, from the one that executed it to its callers. n 0: not known. driver: index of the
 * first function of a module, else of the first one that is not on the kernel's own path to MSRs and configuration
 * space; n: there is none with a name. */
struct callers_chain {
  uint64_t code[CALLERS_FRAMES];
  const struct symbol *function[CALLERS_FRAMES]; /* NULL: no name is known */
  size_t n, driver;
};
void callers_get(struct callers *c, uint64_t access, struct callers_chain *ret);
/* Formats function `i`: "NAME", "NAME [MODULE]", or the address if no name is known. */
void callers_format(const struct callers_chain *chain, size_t i, char *text, size_t size);

#endif
