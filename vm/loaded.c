/* SPDX-License-Identifier: MIT */
#include "vm/loaded.h"

#include <elf.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "vm/image.h"
#include "vm/module.h"

bool loaded_init(struct loaded *l, struct file *module)
{
  *l = (struct loaded){.file = *module};
  if (module_info(&l->file, "name", l->name, sizeof l->name))
    return true;
  loaded_free(l);
  return false;
}

void loaded_free(struct loaded *l)
{
  file_free(&l->file);
  free(l->tables);
  *l = (struct loaded){.n = 0};
}

void loaded_place(struct loaded *l, const char *section, uint64_t address)
{
  if (!strncmp(section, ".init", 5))
    return;
  for (size_t i = 0; i < l->n; i++)
    if (!strcmp(l->section[i].name, section)) {
      l->moved |= l->section[i].address != address;
      return;
    }
  if (l->n < LOADED_SECTIONS && strlen(section) < sizeof l->section->name && address) {
    strcpy(l->section[l->n].name, section);
    l->section[l->n++].address = address;
  }
}

/* Returns the placed section that contains a symbol of the file; NULL: none. */
static const struct loaded_section *loaded_find(const struct loaded *l, const struct elf *e, const Elf64_Sym *symbol)
{
  const char *name = elf_section_name(e, symbol->st_shndx);
  for (size_t i = 0; name && i < l->n; i++)
    if (!strcmp(l->section[i].name, name) && symbol->st_value < l->section[i].size)
      return &l->section[i];
  return NULL;
}

static bool symbol_read(const struct elf_segment *table, uint64_t i, Elf64_Sym *ret)
{
  if (i >= table->size / sizeof *ret)
    return false;
  memcpy(ret, table->bytes + i * sizeof *ret, sizeof *ret);
  return true;
}

static void loaded_add_names(const struct loaded *l, const struct elf *e, struct symbols *s)
{
  struct elf_segment table, names;
  Elf64_Sym symbol;
  if (!elf_section(e, ".symtab", &table) || !elf_section(e, ".strtab", &names))
    return;
  for (uint64_t i = 0; symbol_read(&table, i, &symbol); i++) {
    const struct loaded_section *in = ELF64_ST_TYPE(symbol.st_info) == STT_FUNC ? loaded_find(l, e, &symbol) : NULL;
    if (!in || symbol.st_name >= names.size || !memchr(names.bytes + symbol.st_name, 0, names.size - symbol.st_name))
      continue;
    symbols_add(s, &(struct symbol){.address = in->address + symbol.st_value,
                                    .end = in->address + in->size,
                                    .name = (const char *)names.bytes + symbol.st_name,
                                    .module = l->name});
  }
}

/* The addresses of the tables' entries are relocations, which the kernel resolves when it loads the module. */
static void loaded_add_frames(struct loaded *l, const struct elf *e)
{
  struct elf_segment entries, relocations, symbols;
  Elf64_Sym symbol;
  Elf64_Rela r;
  if (!elf_section(e, ".orc_unwind", &entries) || !elf_section(e, ".rela.orc_unwind_ip", &relocations) ||
      !elf_section(e, ".symtab", &symbols))
    return;
  const size_t most = entries.size / ORC_ENTRY_BYTES;
  struct orc_line *line = calloc(most + 1, sizeof *line);
  size_t n = 0;
  for (uint64_t at = 0; line && at + sizeof r <= relocations.size; at += sizeof r) {
    memcpy(&r, relocations.bytes + at, sizeof r);
    const uint64_t i = r.r_offset / 4;
    if (ELF64_R_TYPE(r.r_info) != R_X86_64_PC32 || i >= most || n == most ||
        !symbol_read(&symbols, ELF64_R_SYM(r.r_info), &symbol))
      continue;
    const struct loaded_section *in = loaded_find(l, e, &symbol);
    const uint64_t offset = symbol.st_value + (uint64_t)r.r_addend;
    if (in && offset <= in->size) /* the last entry is at the section's end */
      line[n++] = (struct orc_line){in->address + offset, entries.bytes + i * ORC_ENTRY_BYTES, i};
  }
  if (n)
    l->tables = orc_make(&l->orc, line, n);
  free(line);
}

void loaded_resolve(struct loaded *l, struct symbols *s)
{
  struct elf e;
  struct elf_segment section;
  free(l->tables);
  l->tables = NULL;
  l->orc = (struct orc){.n = 0};
  if (l->moved || !l->n || !elf_init(&e, l->file.bytes, l->file.n))
    return;
  for (size_t i = 0; i < l->n; i++)
    l->section[i].size = elf_section(&e, l->section[i].name, &section) ? section.size : 0;
  loaded_add_names(l, &e, s);
  loaded_add_frames(l, &e);
}
