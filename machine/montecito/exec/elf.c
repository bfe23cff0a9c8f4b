/* SPDX-License-Identifier: MIT */
/* Loads static executables of ELF64 for Itanium. Every offset and size of the file is checked before it is used. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <elf.h>
#include <sys/stat.h>
#include <pmon/status.h>
#include "machine/montecito/exec/process.h"

enum { MOST_BYTES = 256 << 20, MOST_HEADERS = 256 };

struct image {
  const char *path;
  uint8_t *bytes;
  size_t n;
  char *error;
  size_t error_size;
};

static int image_error(const struct image *f, int status, const char *what)
{
  snprintf(f->error, f->error_size, "%s: %s", f->path, what);
  return status;
}

static int image_read(struct image *f)
{
  FILE *file = fopen(f->path, "rbe");
  long size = -1;
  int status = PMON_OK;
  struct stat about;
  if (file && !fstat(fileno(file), &about) && S_ISDIR(about.st_mode))
    errno = EISDIR; /* fseek() to the end of a directory succeeds, too */
  else if (file && !fseek(file, 0, SEEK_END))
    size = ftell(file);
  if (!file || size < 0 || fseek(file, 0, SEEK_SET)) {
    status = image_error(f, PMON_E_IO, strerror(errno));
  } else if (size > MOST_BYTES) {
    status = image_error(f, PMON_E_SYNTAX, "larger than 256 MB");
  } else if (!(f->bytes = malloc((size_t)size + 1))) {
    status = PMON_E_MEMORY;
  } else if (fread(f->bytes, 1, (size_t)size, file) != (size_t)size) {
    status = image_error(f, PMON_E_IO, "cannot be read");
  }
  f->n = (size_t)size;
  if (file)
    fclose(file);
  return status;
}

/* Returns `bytes` bytes at `offset` of the file; NULL: they lie beyond its end. */
static const void *image_at(const struct image *f, uint64_t offset, uint64_t bytes)
{
  return offset <= f->n && bytes <= f->n - offset ? f->bytes + offset : NULL;
}

static int header_check(const struct image *f, const Elf64_Ehdr *h)
{
  if (!h || memcmp(h->e_ident, ELFMAG, SELFMAG))
    return image_error(f, PMON_E_SYNTAX, "not an ELF file; expected an Itanium program");
  if (h->e_ident[EI_CLASS] != ELFCLASS64 || h->e_ident[EI_DATA] != ELFDATA2LSB || h->e_machine != EM_IA_64)
    return image_error(f, PMON_E_SYNTAX,
                       "not an Itanium program (ELF, 64 bits, little-endian); this platform executes Itanium code; "
                       "programs of this host run on the machines of other platforms");
  if (h->e_type != ET_EXEC)
    return image_error(f, PMON_E_SYNTAX, "not an executable; link it with ia64-linux-gnu-ld -static");
  if (h->e_phentsize != sizeof(Elf64_Phdr) || !h->e_phnum || h->e_phnum > MOST_HEADERS)
    return image_error(f, PMON_E_SYNTAX, "damaged: invalid program headers");
  return PMON_OK;
}

static int segment_load(struct exec_program *p, const struct image *f, const Elf64_Phdr *h)
{
  const unsigned access = (h->p_flags & PF_R ? EXEC_READ : 0u) | (h->p_flags & PF_W ? EXEC_WRITE : 0u) |
                          (h->p_flags & PF_X ? EXEC_EXECUTE | EXEC_READ : 0u);
  const uint8_t *bytes = image_at(f, h->p_offset, h->p_filesz);
  int status;
  if ((!bytes && h->p_filesz) || h->p_filesz > h->p_memsz)
    return image_error(f, PMON_E_SYNTAX, "damaged: a segment lies beyond the end of the file");
  status = exec_memory_map(&p->memory, h->p_vaddr, h->p_memsz, EXEC_WRITE);
  if (status == PMON_E_RANGE || status == PMON_E_MEMORY)
    return image_error(f, PMON_E_SYNTAX, "a segment does not fit into 4 GB of memory");
  if (h->p_filesz)
    exec_memory_write(&p->memory, h->p_vaddr, bytes, h->p_filesz);
  exec_memory_map(&p->memory, h->p_vaddr, h->p_memsz, access);
  if (h->p_vaddr + h->p_memsz > p->break_first)
    p->break_first = h->p_vaddr + h->p_memsz;
  if (h->p_offset == 0)
    p->phdr_address = h->p_vaddr;
  return PMON_OK;
}

static int segments_load(struct exec_program *p, const struct image *f, const Elf64_Ehdr *h)
{
  const Elf64_Phdr *ph = image_at(f, h->e_phoff, (uint64_t)h->e_phnum * sizeof *ph);
  int status = PMON_OK;
  if (!ph || h->e_phoff % 8)
    return image_error(f, PMON_E_SYNTAX, "damaged: the program headers lie beyond the end of the file");
  for (unsigned i = 0; i < h->e_phnum && !status; i++) {
    if (ph[i].p_type == PT_INTERP)
      return image_error(f, PMON_E_SYNTAX, "needs a dynamic linker; link it with ia64-linux-gnu-ld -static");
    if (ph[i].p_type == PT_LOAD && ph[i].p_memsz)
      status = segment_load(p, f, &ph[i]);
  }
  if (p->phdr_address)
    p->phdr_address += h->e_phoff;
  p->phdr_n = h->e_phnum;
  return status;
}

static int symbol_order(const void *a, const void *b)
{
  const struct exec_symbol *x = a, *y = b;
  return x->address < y->address ? -1 : x->address > y->address;
}

/* True for functions, and for labels of code, which assembler programs do not declare as functions. */
static bool symbol_is_code(const Elf64_Sym *s)
{
  const unsigned type = ELF64_ST_TYPE(s->st_info);
  return (type == STT_FUNC || type == STT_NOTYPE) && s->st_shndx != SHN_UNDEF && s->st_shndx < SHN_LORESERVE;
}

/* Reads the symbols. A file without symbols, or with damaged ones, runs nevertheless. */
static void symbols_read(struct exec_program *p, const struct image *f, const Elf64_Shdr *table,
                         const Elf64_Shdr *strings)
{
  const size_t n = table->sh_size / sizeof(Elf64_Sym);
  const Elf64_Sym *s = image_at(f, table->sh_offset, n * sizeof *s);
  const char *text = image_at(f, strings->sh_offset, strings->sh_size);
  if (!s || table->sh_offset % 8 || !text || !strings->sh_size || text[strings->sh_size - 1])
    return;
  p->symbols = calloc(n ? n : 1, sizeof *p->symbols);
  p->names = malloc(strings->sh_size);
  if (!p->symbols || !p->names)
    return;
  memcpy(p->names, text, strings->sh_size);
  for (size_t i = 0; i < n; i++)
    if (symbol_is_code(&s[i]) && s[i].st_name && s[i].st_name < strings->sh_size && p->names[s[i].st_name])
      p->symbols[p->n_symbols++] = (struct exec_symbol){s[i].st_value, s[i].st_size, p->names + s[i].st_name};
  qsort(p->symbols, p->n_symbols, sizeof *p->symbols, symbol_order);
}

static void sections_read(struct exec_program *p, const struct image *f, const Elf64_Ehdr *h)
{
  const Elf64_Shdr *sh = image_at(f, h->e_shoff, (uint64_t)h->e_shnum * sizeof *sh);
  if (!sh || h->e_shentsize != sizeof *sh || h->e_shoff % 8)
    return;
  for (unsigned i = 0; i < h->e_shnum; i++)
    if (sh[i].sh_type == SHT_SYMTAB && sh[i].sh_link < h->e_shnum) {
      symbols_read(p, f, &sh[i], &sh[sh[i].sh_link]);
      return;
    }
}

int exec_elf_load(struct exec_program *p, const char *path, char *error, size_t error_size)
{
  struct image f = {.path = path, .error = error, .error_size = error_size};
  int status = image_read(&f);
  const Elf64_Ehdr *h = status ? NULL : image_at(&f, 0, sizeof *h);
  if (!status)
    status = header_check(&f, h);
  if (!status)
    status = segments_load(p, &f, h);
  if (!status) {
    sections_read(p, &f, h);
    p->entry = h->e_entry;
    p->break_first = (p->break_first + EXEC_PAGE_BYTES - 1) & ~(uint64_t)(EXEC_PAGE_BYTES - 1);
    p->break_now = p->break_first;
  }
  free(f.bytes);
  return status;
}
