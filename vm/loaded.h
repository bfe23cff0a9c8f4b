/* SPDX-License-Identifier: MIT */
/*
 * A module of the guest's kernel: its file, and the addresses at which the guest has loaded its sections with code.
 * Both together give the names of its functions and the tables for its frames; the file alone has neither addresses nor
 * the order.
 */
#ifndef VM_LOADED_H
#define VM_LOADED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "vm/file.h"
#include "vm/orc.h"
#include "vm/symbols.h"

enum { LOADED_SECTIONS = 8, LOADED_NAME = 56 };

struct loaded {
  struct file file;
  char name[LOADED_NAME]; /* as the kernel calls it */
  struct loaded_section {
    char name[24];
    uint64_t address, size; /* size: in the file; 0: the file has no such code, or is not resolved yet */
  } section[LOADED_SECTIONS];
  size_t n;
  bool moved; /* loaded again at other addresses: none is certain, so nothing is resolved */
  struct orc orc;
  uint8_t *tables; /* the tables that orc refers to */
};

/* Takes over the file. False: it is no module; it is then freed. */
bool loaded_init(struct loaded *l, struct file *module);
void loaded_free(struct loaded *l);
/* Notes that a section of this module is at that address. A module that was loaded before at another address counts as
 * moved. Ignores code that the kernel frees when the module is loaded (.init.text): another module can be there
 * later. */
void loaded_place(struct loaded *l, const char *section, uint64_t address);
/* Fills `orc` for the sections that were placed (n 0: the file has no tables, or out of memory), and adds their
 * functions to `s`: each ends with its section at the latest, because other modules can follow it. */
void loaded_resolve(struct loaded *l, struct symbols *s);

#endif
