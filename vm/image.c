/* SPDX-License-Identifier: MIT */
/* Every offset is checked against the file: nothing here trusts it. */
#include <elf.h>
#include <string.h>
#include "vm/image.h"

static bool within(const struct elf *e, uint64_t offset, uint64_t n)
{
  return offset <= e->size && n <= e->size - offset;
}

static bool header(const struct elf *e, unsigned index, Elf64_Phdr *ret)
{
  Elf64_Ehdr h;
  memcpy(&h, e->bytes, sizeof h);
  if (index >= h.e_phnum)
    return false;
  memcpy(ret, e->bytes + h.e_phoff + (size_t)index * sizeof *ret, sizeof *ret);
  return true;
}

bool elf_init(struct elf *e, const uint8_t *bytes, size_t size)
{
  Elf64_Ehdr h;
  *e = (struct elf){bytes, size};
  if (size < sizeof h)
    return false;
  memcpy(&h, bytes, sizeof h);
  return !memcmp(h.e_ident, ELFMAG, SELFMAG) && h.e_ident[EI_CLASS] == ELFCLASS64 && h.e_machine == EM_X86_64 &&
         (!h.e_phnum || h.e_phentsize == sizeof(Elf64_Phdr)) &&
         within(e, h.e_phoff, (uint64_t)h.e_phnum * sizeof(Elf64_Phdr));
}

bool elf_segment(const struct elf *e, unsigned index, struct elf_segment *ret)
{
  Elf64_Phdr p;
  for (unsigned i = 0; header(e, i, &p); i++) {
    if (p.p_type != PT_LOAD || index--)
      continue;
    if (p.p_offset > e->size)
      p.p_offset = e->size;
    *ret = (struct elf_segment){e->bytes + p.p_offset, p.p_filesz, p.p_vaddr, p.p_flags & PF_X};
    if (ret->size > e->size - p.p_offset)
      ret->size = e->size - p.p_offset;
    return true;
  }
  return false;
}

const uint8_t *elf_code(const struct elf *e, uint64_t address, size_t n)
{
  struct elf_segment s;
  for (unsigned i = 0; elf_segment(e, i, &s); i++)
    if (s.executable && address >= s.address && address - s.address < s.size && n <= s.size - (address - s.address))
      return s.bytes + (address - s.address);
  return NULL;
}

/* Returns a string of the file whose terminator lies within the file. */
static const char *text_at(const struct elf *e, uint64_t offset)
{
  return offset < e->size && memchr(e->bytes + offset, 0, e->size - offset) ? (const char *)e->bytes + offset : NULL;
}

static bool section(const struct elf *e, unsigned index, Elf64_Shdr *ret)
{
  Elf64_Ehdr h;
  memcpy(&h, e->bytes, sizeof h);
  if (index >= h.e_shnum || h.e_shentsize != sizeof *ret || !within(e, h.e_shoff, (uint64_t)h.e_shnum * sizeof *ret))
    return false;
  memcpy(ret, e->bytes + h.e_shoff + (size_t)index * sizeof *ret, sizeof *ret);
  return true;
}

const char *elf_section_name(const struct elf *e, unsigned index)
{
  Elf64_Ehdr h;
  Elf64_Shdr names, s;
  memcpy(&h, e->bytes, sizeof h);
  return section(e, h.e_shstrndx, &names) && section(e, index, &s) && names.sh_offset <= e->size
             ? text_at(e, names.sh_offset + s.sh_name)
             : NULL;
}

bool elf_section(const struct elf *e, const char *name, struct elf_segment *ret)
{
  Elf64_Ehdr h;
  Elf64_Shdr names, s;
  memcpy(&h, e->bytes, sizeof h);
  if (!section(e, h.e_shstrndx, &names) || names.sh_offset > e->size)
    return false;
  for (unsigned i = 0; section(e, i, &s); i++) {
    const char *text = text_at(e, names.sh_offset + s.sh_name);
    if (!text || strcmp(text, name) || s.sh_type == SHT_NOBITS || s.sh_offset > e->size)
      continue;
    *ret = (struct elf_segment){e->bytes + s.sh_offset, s.sh_size, s.sh_addr, s.sh_flags & SHF_EXECINSTR};
    if (ret->size > e->size - s.sh_offset)
      ret->size = e->size - s.sh_offset;
    return true;
  }
  return false;
}

const char *elf_interpreter(const struct elf *e)
{
  Elf64_Phdr p;
  for (unsigned i = 0; header(e, i, &p); i++)
    if (p.p_type == PT_INTERP)
      return text_at(e, p.p_offset);
  return NULL;
}

/* Returns the file's offset of the byte that is loaded at `address`; UINT64_MAX: none. */
static uint64_t offset_of(const struct elf *e, uint64_t address)
{
  struct elf_segment s;
  for (unsigned i = 0; elf_segment(e, i, &s); i++)
    if (address >= s.address && address - s.address < s.size)
      return (uint64_t)(s.bytes - e->bytes) + (address - s.address);
  return UINT64_MAX;
}

const char *elf_needed(const struct elf *e, unsigned index)
{
  uint64_t strings = UINT64_MAX, needed = UINT64_MAX;
  Elf64_Phdr p;
  Elf64_Dyn d;
  for (unsigned i = 0; header(e, i, &p); i++) {
    if (p.p_type != PT_DYNAMIC)
      continue;
    for (uint64_t at = p.p_offset; within(e, at, sizeof d); at += sizeof d) {
      memcpy(&d, e->bytes + at, sizeof d);
      if (d.d_tag == DT_NULL)
        break;
      if (d.d_tag == DT_STRTAB)
        strings = offset_of(e, d.d_un.d_ptr);
      else if (d.d_tag == DT_NEEDED && index-- == 0)
        needed = d.d_un.d_val;
    }
  }
  return strings == UINT64_MAX || needed > e->size ? NULL : text_at(e, strings + needed);
}

/* Examines a segment of notes: heads, each followed by the owner's name and the contents, padded to 4 bytes each. */
static bool notes_have(const uint8_t *at, uint64_t n, const char *owner, uint32_t type)
{
  const size_t length = strlen(owner) + 1;
  Elf64_Nhdr h;
  while (n >= sizeof h) {
    memcpy(&h, at, sizeof h);
    const uint64_t name = (h.n_namesz + UINT64_C(3)) & ~UINT64_C(3);
    const uint64_t whole = sizeof h + name + ((h.n_descsz + UINT64_C(3)) & ~UINT64_C(3));
    if (whole > n)
      return false;
    if (h.n_type == type && h.n_namesz == length && !memcmp(at + sizeof h, owner, length))
      return true;
    at += whole;
    n -= whole;
  }
  return false;
}

bool elf_has_note(const struct elf *e, const char *owner, uint32_t type)
{
  Elf64_Phdr p;
  for (unsigned i = 0; header(e, i, &p); i++)
    if (p.p_type == PT_NOTE && within(e, p.p_offset, p.p_filesz) &&
        notes_have(e->bytes + p.p_offset, p.p_filesz, owner, type))
      return true;
  return false;
}
