/* SPDX-License-Identifier: MIT */
/*
 * Fuzzes binary tables of a host or a guest, and what a guest's QEMU sends. The first byte selects: s: the firmware's
 * tables of memory (SMBIOS); m: the table of memory-mapped configuration space (MCFG); k: an ELF file, read as a
 * program, a kernel and a module; g: packets of QEMU's debugger stub; q: lines of its monitor; l: lines of the guest.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <pmon/pmon.h>
#include "cli/target/limits.h"
#include "src/access/ecam.h"
#include "vm/callers.h"
#include "vm/file.h"
#include "vm/gdb.h"
#include "vm/image.h"
#include "vm/loaded.h"
#include "vm/module.h"
#include "vm/monitor.h"
#include "vm/orc.h"
#include "vm/symbols.h"
#include "vm/where.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { SIZE_MOST = 1 << 16, FRAMES = 16, STACK = 64 };

/* Stubs for the other sources of limits. */
const char *limits_name(const char *name)
{
  return name;
}

void limits_add(struct limit_list *list, const char *name, uint32_t package, double number)
{
  if (!*name || !(number >= 0) || (package != PMON_ALL && package > 2))
    abort();
  list->n++;
}

static void try_smbios(const uint8_t *data, size_t size)
{
  for (uint32_t packages = 0; packages < 3; packages++) {
    struct limit_list list = {.n = 0};
    limits_read_smbios(data, size, packages, &list);
  }
}

static void try_mcfg(const uint8_t *data, size_t size)
{
  struct ecam_range ranges[ECAM_RANGES];
  const uint32_t n = ecam_parse(data, size, ranges);
  for (uint32_t i = 0; i < n; i++)
    if (!ranges[i].base || ranges[i].base % ECAM_PAGE || ranges[i].first_bus > ranges[i].last_bus)
      abort();
}

/* Walks from addresses in the tables, with a stack that points into them. */
static void try_frames(const struct orc *o)
{
  uint64_t code[FRAMES], stack[STACK];
  const struct orc_all all = {o, 1};
  struct orc_state end;
  for (size_t i = 0; i < STACK; i++)
    stack[i] = o->ip_address + 4 * i;
  const struct orc_state from = {o->ip_address, 0x1000, 0x1040, stack, STACK};
  if (orc_walk(&all, &from, code, FRAMES, &end) > FRAMES || end.words > STACK)
    abort();
}

static void try_module(const uint8_t *data, size_t size)
{
  static const char *const sections[] = {".text", ".noinstr.text", ".exit.text"};
  struct file bytes = {.bytes = malloc(size), .n = size};
  struct symbols symbols = {.n = 0};
  struct loaded l;
  char text[64];
  if (!bytes.bytes)
    abort();
  memcpy(bytes.bytes, data, size);
  module_info(&bytes, "name", text, sizeof text);
  if (loaded_init(&l, &bytes)) {
    for (size_t i = 0; i < sizeof sections / sizeof *sections; i++)
      loaded_place(&l, sections[i], 0xffffffffc0000000 + (i << 20));
    loaded_resolve(&l, &symbols);
    symbols_find(&symbols, 0xffffffffc0000010);
    try_frames(&l.orc);
    loaded_free(&l);
  }
  symbols_free(&symbols);
}

static void try_image(const uint8_t *data, size_t size)
{
  struct elf e;
  struct elf_segment s;
  struct orc orc;
  struct symbols symbols = {.n = 0};
  char path[64], error[256];
  const int fd = file_memory("fuzz", data, size);
  if (fd < 0)
    abort();
  snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
  symbols_load(&symbols, path, error, sizeof error);
  symbols_find(&symbols, 0xffffffff81000000);
  symbols_free(&symbols);
  close(fd);
  if (!elf_init(&e, data, size))
    return;
  for (unsigned i = 0; i < 8 && elf_segment(&e, i, &s); i++)
    if (s.bytes < data || s.size > size - (size_t)(s.bytes - data))
      abort();
  for (unsigned i = 0; i < 8; i++) {
    elf_section_name(&e, i);
    elf_needed(&e, i);
  }
  elf_interpreter(&e);
  elf_code(&e, 0xffffffff81000000, 16);
  orc_init(&orc, &e);
  try_frames(&orc);
}

/* Returns an end of a connection on which the data has arrived, and nothing will follow. */
static int connected(const uint8_t *data, size_t size, int *ret_peer)
{
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends) ||
      write(ends[1], data, size) != (ssize_t)size || shutdown(ends[1], SHUT_WR))
    abort();
  *ret_peer = ends[1];
  return ends[0];
}

static void try_gdb(const uint8_t *data, size_t size)
{
  static struct gdb g;
  int peer;
  uint64_t registers[GDB_REGISTERS];
  g = (struct gdb){.fd = connected(data, size, &peer)};
  gdb_registers(&g, registers);
  gdb_set_register(&g, GDB_RIP, 1);
  gdb_set_memory(&g, 1, 1);
  do
    while (gdb_next(&g))
      if (strlen(g.packet) < sizeof g.packet)
        gdb_stopped(&g);
  while (gdb_receive(&g));
  close(g.fd);
  close(peer);
}

static void try_monitor(const uint8_t *data, size_t size)
{
  static struct monitor m;
  int peer;
  const int end = connected(data, size, &peer);
  m = (struct monitor){.n = 0};
  while (monitor_receive(&m, end))
    while (monitor_next(&m) != MONITOR_NOTHING)
      if (m.at > m.n)
        abort();
  close(end);
  close(peer);
}

static void try_lines(const uint8_t *data, size_t size)
{
  static struct where where;
  struct callers *c;
  char pages[256], *text = malloc(size + 1), *rest = text;
  if (!text || callers_new(&c))
    abort();
  where.console_n = where.processes_n = 0;
  *where.panic = 0;
  memcpy(text, data, size);
  text[size] = 0;
  where_console(&where, text, size);
  for (const char *line; (line = strsep(&rest, "\n"));) {
    callers_place(c, line);
    symbols_add_guest(callers_symbols(c), line);
    where_process(&where, line);
    where_console(&where, line, strlen(line));
  }
  symbols_find(callers_symbols(c), 0xffffffff81000000);
  callers_wanted(c, pages, sizeof pages);
  callers_end(c);
  if (where.console_n > sizeof where.console || where.processes_n >= sizeof where.processes)
    abort();
  callers_free(c);
  free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  if (size < 2 || size > SIZE_MOST)
    return 0;
  switch (*data) {
  case 's': try_smbios(data + 1, size - 1); break;
  case 'm': try_mcfg(data + 1, size - 1); break;
  case 'g': try_gdb(data + 1, size - 1); break;
  case 'q': try_monitor(data + 1, size - 1); break;
  case 'l': try_lines(data + 1, size - 1); break;
  case 'k':
    try_image(data + 1, size - 1);
    try_module(data + 1, size - 1);
    break;
  default: break;
  }
  return 0;
}
