/* SPDX-License-Identifier: MIT */
#include "vm/symbols.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <pmon/status.h>
#include "vm/image.h"

enum { NAME_MOST = 512 }; /* of kallsyms, KSYM_NAME_LEN */
static const char table_name[] = "__start___ex_table";

void symbols_add(struct symbols *s, const struct symbol *function)
{
  const size_t n = strlen(function->name) + 1, m = strlen(function->module) + 1;
  if (s->n == s->room) {
    const size_t room = s->room ? 2 * s->room : 1024;
    struct symbol *larger = realloc(s->at, room * sizeof *larger);
    s->out_of_memory |= !larger;
    if (!larger)
      return;
    s->at = larger;
    s->room = room;
  }
  char *text = malloc(n + m);
  s->out_of_memory |= !text;
  if (!text)
    return;
  memcpy(text, function->name, n);
  memcpy(text + n, function->module, m);
  s->at[s->n] = *function;
  s->at[s->n].name = text;
  s->at[s->n].module = text + n;
  s->at[s->n].number = s->n;
  s->n++;
  s->sorted = false;
}

static void symbols_take_line(struct symbols *s, const char *line, bool near)
{
  char name[NAME_MOST], module[NAME_MOST] = "", type;
  uint64_t address;
  if (sscanf(line, "%16" SCNx64 " %c %511s [%511[^]]]", &address, &type, name, module) < 3 || !address)
    return;
  if (!strcmp(name, table_name) && !near)
    s->table = address;
  if (strchr("tTwW", type))
    symbols_add(s, &(struct symbol){.address = address, .name = name, .module = module, .near = near});
}

void symbols_add_line(struct symbols *s, const char *line)
{
  symbols_take_line(s, line, false);
}

void symbols_add_guest(struct symbols *s, const char *line)
{
  if (s->n_guest++ < SYMBOLS_GUEST)
    symbols_take_line(s, line, true);
}

static int symbols_load_elf(struct symbols *s, const struct elf *e)
{
  struct elf_segment table, names;
  Elf64_Sym symbol;
  if (!elf_section(e, ".symtab", &table) || !elf_section(e, ".strtab", &names))
    return PMON_E_SYNTAX;
  for (uint64_t at = 0; at + sizeof symbol <= table.size; at += sizeof symbol) {
    memcpy(&symbol, table.bytes + at, sizeof symbol);
    if (symbol.st_name >= names.size || !memchr(names.bytes + symbol.st_name, 0, names.size - symbol.st_name))
      continue;
    const char *name = (const char *)names.bytes + symbol.st_name;
    if (!strcmp(name, table_name))
      s->table = symbol.st_value;
    if (ELF64_ST_TYPE(symbol.st_info) == STT_FUNC && symbol.st_value)
      symbols_add(s, &(struct symbol){.address = symbol.st_value, .name = name, .module = ""});
  }
  return s->n ? PMON_OK : PMON_E_SYNTAX;
}

static int symbols_load_text(struct symbols *s, const char *text, size_t n)
{
  char line[2 * NAME_MOST];
  for (size_t at = 0, end; at < n; at = end + 1) {
    const char *stop = memchr(text + at, '\n', n - at);
    end = stop ? (size_t)(stop - text) : n;
    if (end - at >= sizeof line)
      return PMON_E_SYNTAX;
    memcpy(line, text + at, end - at);
    line[end - at] = 0;
    symbols_add_line(s, line);
  }
  return s->n ? PMON_OK : PMON_E_SYNTAX;
}

int symbols_load(struct symbols *s, const char *path, char *error, size_t error_size)
{
  errno = 0;
  const int fd = open(path, O_RDONLY | O_CLOEXEC);
  struct stat is;
  struct elf e;
  void *bytes = MAP_FAILED;
  if (fd >= 0 && !fstat(fd, &is) && is.st_size > 0) /* a vmlinux has up to a gigabyte */
    bytes = mmap(NULL, (size_t)is.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
  else if (fd >= 0 && !errno)
    errno = EINVAL;
  const int reason = errno;
  if (fd >= 0)
    close(fd);
  if (bytes == MAP_FAILED) {
    snprintf(error, error_size, "%s: %s", path, reason == EINVAL ? "it is empty, or not a file" : strerror(reason));
    return PMON_E_IO;
  }
  const size_t n = (size_t)is.st_size;
  int status = elf_init(&e, bytes, n) ? symbols_load_elf(s, &e) : symbols_load_text(s, bytes, n);
  munmap(bytes, n);
  if (status)
    snprintf(error, error_size, "%s: contains no functions; expected a vmlinux with symbols, or a System.map", path);
  if (s->out_of_memory) {
    snprintf(error, error_size, "%s: no memory for its symbols", path);
    status = PMON_E_MEMORY;
  }
  return status;
}

static int symbols_compare(const void *a, const void *b)
{
  const struct symbol *x = a, *y = b;
  return x->address < y->address ? -1 : x->address > y->address ? 1 : x->number < y->number ? -1 : 1;
}

const struct symbol *symbols_find(struct symbols *s, uint64_t code)
{
  size_t low = 0, high = s->n;
  if (!s->sorted && s->n)
    qsort(s->at, s->n, sizeof *s->at, symbols_compare);
  s->sorted = true;
  if (!s->n || code < s->at[0].address)
    return NULL;
  while (high - low > 1) {
    const size_t middle = low + (high - low) / 2;
    if (s->at[middle].address <= code)
      low = middle;
    else
      high = middle;
  }
  while (low && s->at[low - 1].address == s->at[low].address)
    low--;
  const struct symbol *last = &s->at[low];
  const uint64_t far = last->near ? code % SYMBOLS_PAGE + SYMBOLS_PAGE + 1 : SYMBOLS_FAR;
  return code - last->address < far && (!last->end || code < last->end) ? last : NULL;
}

void symbols_free(struct symbols *s)
{
  for (size_t i = 0; i < s->n; i++)
    free((void *)(uintptr_t)s->at[i].name);
  free(s->at);
  *s = (struct symbols){.n = 0};
}
