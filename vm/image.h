/* SPDX-License-Identifier: MIT */
/* Reads 64-bit x86 ELF files: segments, sections, the names of the libraries that a program loads. */
#ifndef VM_IMAGE_H
#define VM_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct elf {
  const uint8_t *bytes;
  size_t size;
}; /* of a whole file; not owned */
struct elf_segment {
  const uint8_t *bytes;
  uint64_t size, address;
  bool executable;
};

/* True if `bytes` begin like such a file, and its table of segments, if it has one, lies within it. */
bool elf_init(struct elf *e, const uint8_t *bytes, size_t size);
/* Returns loaded segment `index`, cut to the file's contents. False: there is no such segment. */
bool elf_segment(const struct elf *e, unsigned index, struct elf_segment *ret);
/* Returns the section of that name, cut to the file's contents. False: there is none. */
bool elf_section(const struct elf *e, const char *name, struct elf_segment *ret);
/* Returns the name of section `index`; NULL: there is none. */
const char *elf_section_name(const struct elf *e, unsigned index);
/* Returns `n` bytes of code that are loaded at `address`; NULL: there are fewer. */
const uint8_t *elf_code(const struct elf *e, uint64_t address, size_t n);
/* Returns the program's loader; NULL: none. */
const char *elf_interpreter(const struct elf *e);
/* Returns the `index`-th library that the program needs; NULL after the last. */
const char *elf_needed(const struct elf *e, unsigned index);

/* True if one of the file's segments of notes has a note of that owner and type. */
bool elf_has_note(const struct elf *e, const char *owner, uint32_t type);

#endif
