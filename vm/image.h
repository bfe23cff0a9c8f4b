/* SPDX-License-Identifier: MIT */
/* What is needed of 64-bit x86 ELF files: segments, sections, the names of the libraries a program loads. */
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

/* Whether `bytes` begin as such a file does and its table of segments, if it has one, lies within it. */
bool elf_init(struct elf *e, const uint8_t *bytes, size_t size);
/* Loaded segment `index`, cut to what the file holds. False: there is none of that number. */
bool elf_segment(const struct elf *e, unsigned index, struct elf_segment *ret);
/* The section of that name, cut to what the file holds. False: there is none. */
bool elf_section(const struct elf *e, const char *name, struct elf_segment *ret);
/* The name of section `index`; NULL: there is none. */
const char *elf_section_name(const struct elf *e, unsigned index);
/* `n` bytes of code that are loaded at `address`; NULL: there are not so many. */
const uint8_t *elf_code(const struct elf *e, uint64_t address, size_t n);
/* The program's loader; NULL: none. */
const char *elf_interpreter(const struct elf *e);
/* The library that comes `index`-th in what the program needs; NULL behind the last. */
const char *elf_needed(const struct elf *e, unsigned index);

#endif
