/* SPDX-License-Identifier: MIT */
/* Calls within a module of the guest's kernel, without a guest: a module's file, a stack, and the addresses at which
 * the guest reports that the file's sections are loaded. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include "vm/callers.h"
#include "vm/loaded.h"

/* Of the file: box_init in .text has a frame of 8 bytes, pmu_add in .text has none, pmu_error in .text.unlikely has one
 * of 16. */
enum { SECTIONS = 8, SIZE = 0x1000, ENTRIES = 5, SYMBOLS = 6, NAMES = 3, AT = 0x40 };
static const char section_names[] =
    "\0.text\0.text.unlikely\0.init.text\0.modinfo\0.orc_unwind\0.rela.orc_unwind_ip\0.symtab\0.strtab";
static const char symbol_names[] = "\0box_init\0pmu_add\0pmu_error\0a_variable";
static const char modinfo[] = "license=GPL\0name=my_uncore\0depends=";
static const uint64_t TEXT = 0xffffffffc0100000, COLD = 0xffffffffc0200000, STACK = 0xffffc90000003e00;

struct module_file {
  uint8_t bytes[SIZE];
  size_t n;
  Elf64_Shdr section[SECTIONS + 1];
};

static uint32_t name_at(const char *names, size_t n, const char *name)
{
  for (size_t i = 1; i < n; i += strlen(names + i) + 1)
    if (!strcmp(names + i, name))
      return (uint32_t)i;
  fail_msg("no name %s", name);
  return 0;
}

static void put(struct module_file *f, unsigned i, const char *name, const void *bytes, size_t n)
{
  f->section[i] = (Elf64_Shdr){.sh_name = name_at(section_names, sizeof section_names, name),
                               .sh_type = SHT_PROGBITS,
                               .sh_offset = f->n,
                               .sh_size = n};
  memcpy(f->bytes + f->n, bytes, n);
  f->n += (n + 7) & ~(size_t)7;
}

static Elf64_Sym symbol(const char *name, unsigned char type, unsigned section, uint64_t value)
{
  return (Elf64_Sym){.st_name = *name ? name_at(symbol_names, sizeof symbol_names, name) : 0,
                     .st_info = type,
                     .st_shndx = (Elf64_Half)section,
                     .st_value = value};
}

static void put_tables(struct module_file *f)
{
  enum { TEXT_SYMBOL = 4, COLD_SYMBOL = 5, ORC_SP = 5 };
  /* In the order of the file, which differs from that of the addresses; the end of each section has an entry without a
   * frame. */
  const struct {
    unsigned symbol;
    uint64_t at;
    int16_t sp;
    uint16_t bits;
  } rows[ENTRIES] = {{COLD_SYMBOL, 0, 24, ORC_SP},
                     {COLD_SYMBOL, 0x80, 0, 0},
                     {TEXT_SYMBOL, 0x100, 8, ORC_SP},
                     {TEXT_SYMBOL, 0, 16, ORC_SP},
                     {TEXT_SYMBOL, 0x200, 0, 0}};
  const Elf64_Sym symbols[SYMBOLS] = {symbol("box_init", STT_FUNC, 1, 0),  symbol("pmu_add", STT_FUNC, 1, 0x100),
                                      symbol("pmu_error", STT_FUNC, 2, 0), symbol("a_variable", STT_OBJECT, 1, 0x40),
                                      symbol("", STT_SECTION, 1, 0),       symbol("", STT_SECTION, 2, 0)};
  uint8_t entries[ENTRIES * ORC_ENTRY_BYTES] = {0};
  Elf64_Rela relocations[ENTRIES];
  for (unsigned i = 0; i < ENTRIES; i++) {
    memcpy(entries + i * ORC_ENTRY_BYTES, &rows[i].sp, 2);
    memcpy(entries + i * ORC_ENTRY_BYTES + 4, &rows[i].bits, 2);
    relocations[i] = (Elf64_Rela){.r_offset = i * 4,
                                  .r_info = ELF64_R_INFO((uint64_t)rows[i].symbol, R_X86_64_PC32),
                                  .r_addend = (int64_t)rows[i].at};
  }
  put(f, 4, ".orc_unwind", entries, sizeof entries);
  put(f, 5, ".rela.orc_unwind_ip", relocations, sizeof relocations);
  put(f, 6, ".symtab", symbols, sizeof symbols);
  put(f, 7, ".strtab", symbol_names, sizeof symbol_names);
}

/* Makes the module; cold: the name of its second section with code. */
static struct file make_module(const char *cold)
{
  static const uint8_t code[0x200];
  struct module_file *f = calloc(1, sizeof *f);
  assert_non_null(f);
  f->n = AT;
  put(f, 1, ".text", code, 0x200);
  put(f, 2, cold, code, 0x80);
  put(f, 3, ".modinfo", modinfo, sizeof modinfo);
  put_tables(f);
  put(f, 8, ".text", section_names, sizeof section_names); /* the section names, in a section of any name */
  f->section[8].sh_name = 0;
  Elf64_Ehdr h = {.e_machine = EM_X86_64,
                  .e_shoff = f->n,
                  .e_shnum = SECTIONS + 1,
                  .e_shentsize = sizeof(Elf64_Shdr),
                  .e_shstrndx = SECTIONS};
  memcpy(h.e_ident, ELFMAG, SELFMAG);
  h.e_ident[EI_CLASS] = ELFCLASS64;
  memcpy(f->bytes, &h, sizeof h);
  memcpy(f->bytes + f->n, f->section, sizeof f->section);
  struct file file = {.bytes = malloc(f->n + sizeof f->section), .n = f->n + sizeof f->section};
  assert_non_null(file.bytes);
  memcpy(file.bytes, f->bytes, file.n);
  free(f);
  return file;
}

/* Makes the stack of box_init, called by pmu_add, called by pmu_error, called by the kernel, which has no known
 * frames. */
static void make_stack(struct shared_memory *at)
{
  *at = (struct shared_memory){.rip = TEXT + 4, .rsp = STACK, .words = 8};
  at->stack[1] = TEXT + 0x110;
  at->stack[2] = COLD + 0x20;
  at->stack[5] = 0xffffffff81000010;
}

static void assert_calls(struct callers *c, uint64_t access, const char *want)
{
  struct callers_chain chain;
  char text[512] = "", name[128];
  callers_get(c, access, &chain);
  for (size_t i = 0; i < chain.n; i++) {
    callers_format(&chain, i, name, sizeof name);
    strcat(strcat(text, i ? ", " : ""), name);
  }
  assert_string_equal(text, want);
}

static struct callers *make_callers(const char *cold)
{
  struct callers *c;
  struct file module = make_module(cold);
  assert_int_equal(callers_new(&c), 0);
  callers_add_module(c, &module);
  return c;
}

static void test_calls(void **state)
{
  struct callers *c = make_callers(".text.unlikely");
  struct shared_memory at;
  char wanted[256];
  (void)state;
  make_stack(&at);
  callers_note(c, 1, &at);
  assert_calls(c, 1, "0xffffffffc0100004"); /* the guest has reported no addresses */
  callers_place(c, "/sys/module/another/sections/.text 0xffffffffc0300000");
  callers_place(c, "nonsense");
  assert_calls(c, 1, "0xffffffffc0100004");
  callers_place(c, "/sys/module/my_uncore/sections/.text 0xffffffffc0100000");
  assert_calls(c, 1, "box_init [my_uncore], pmu_add [my_uncore], 0xffffffffc020001f");
  callers_place(c, "/sys/module/my_uncore/sections/.text.unlikely 0xffffffffc0200000");
  assert_calls(c, 1, "box_init [my_uncore], pmu_add [my_uncore], pmu_error [my_uncore], 0xffffffff8100000f");
  callers_wanted(c, wanted, sizeof wanted);
  assert_string_equal(wanted, "ffffffff81000|ffffffff80fff"); /* only the name of the kernel's function is requested
                                                               * from the guest */
  at.stack[1] = TEXT + 0x118;                                 /* the same access, from another call in the module */
  at.stack[2] = 0xffffffff81000020;
  callers_note(c, 2, &at);
  assert_calls(c, 2, "box_init [my_uncore], pmu_add [my_uncore], 0xffffffff8100001f");
  callers_end(c);
  for (unsigned again = 0; again < 2; again++)
    assert_calls(c, 1, "box_init [my_uncore], pmu_add [my_uncore], pmu_error [my_uncore], 0xffffffff8100000f");
  callers_free(c);
}

/* Code that the kernel frees after loading the module has no name: another module can be at its address. */
static void test_freed(void **state)
{
  struct callers *c = make_callers(".init.text");
  struct shared_memory at;
  (void)state;
  make_stack(&at);
  callers_note(c, 1, &at);
  callers_place(c, "/sys/module/my_uncore/sections/.text 0xffffffffc0100000");
  callers_place(c, "/sys/module/my_uncore/sections/.init.text 0xffffffffc0200000");
  assert_calls(c, 1, "box_init [my_uncore], pmu_add [my_uncore], 0xffffffffc020001f");
  callers_free(c);
}

/* Code after a section belongs to something else, whose name is requested from the guest: another module, or freed
 * code. */
static void test_behind(void **state)
{
  struct shared_memory at = {.rip = TEXT + 0x1ff, .rsp = STACK};
  struct callers *c = make_callers(".init.text");
  char wanted[256];
  (void)state;
  callers_note(c, 1, &at);
  at.rip = TEXT + 0x200;
  callers_note(c, 2, &at);
  at.rip = TEXT + 0x8000;
  callers_note(c, 3, &at);
  callers_place(c, "/sys/module/my_uncore/sections/.text 0xffffffffc0100000");
  callers_place(c, "/sys/module/my_uncore/sections/.init.text 0xffffffffc0108000");
  assert_calls(c, 1, "pmu_add [my_uncore]");
  assert_calls(c, 2, "0xffffffffc0100200");
  assert_calls(c, 3, "0xffffffffc0108000");
  callers_wanted(c, wanted, sizeof wanted);
  assert_string_equal(wanted, "ffffffffc0100|ffffffffc00ff|ffffffffc0108|ffffffffc0107");
  symbols_add_guest(callers_symbols(c), "ffffffffc0108000 t another_add [another]");
  assert_calls(c, 3, "another_add [another]");
  callers_free(c);
}

/* A module that is loaded again at the same addresses has the same names; at others, earlier addresses are
 * ambiguous. */
static void test_moved(void **state)
{
  struct callers *c = make_callers(".text.unlikely");
  struct shared_memory at;
  (void)state;
  make_stack(&at);
  callers_note(c, 1, &at);
  callers_place(c, "/sys/module/my_uncore/sections/.text 0xffffffffc0100000");
  callers_place(c, "/sys/module/my_uncore/sections/.text 0xffffffffc0100000");
  callers_place(c, "/sys/module/my_uncore/sections/.text 0xffffffffc0180000");
  assert_calls(c, 1, "0xffffffffc0100004");
  callers_free(c);
}

/* Loads a copy of the file's first n bytes, followed by nothing, and checks the numbers of functions and of entries for
 * frames. A refused file has none. */
static void assert_known(const struct file *module, size_t n, size_t names, size_t frames)
{
  struct loaded l;
  struct symbols s = {.n = 0};
  struct file copy = {.bytes = malloc(n ? n : 1), .n = n};
  size_t found = 0;
  assert_non_null(copy.bytes);
  memcpy(copy.bytes, module->bytes, n);
  if (loaded_init(&l, &copy)) {
    loaded_place(&l, ".text", TEXT);
    loaded_place(&l, ".text.unlikely", COLD);
    loaded_resolve(&l, &s);
    found = l.orc.n;
    loaded_free(&l);
  }
  assert_int_equal(s.n, names);
  assert_int_equal(found, frames);
  symbols_free(&s);
}

static Elf64_Shdr *section_at(struct file *module, unsigned i)
{
  const Elf64_Ehdr *h = (const void *)module->bytes;
  return (Elf64_Shdr *)(void *)(module->bytes + h->e_shoff) + i;
}

/* Files that are not modules, or are truncated, yield nothing; the file is freed in any case. */
static void test_refused(void **state)
{
  struct loaded l;
  struct file module = make_module(".text.unlikely");
  Elf64_Ehdr *h = (void *)module.bytes;
  const Elf64_Ehdr good = *h;
  (void)state;
  assert_known(&module, module.n, NAMES, ENTRIES);
  for (size_t n = 0; n < module.n; n++) /* the section table is last */
    assert_known(&module, n, 0, 0);
  h->e_shoff = UINT64_MAX - sizeof(Elf64_Shdr) + 1;
  assert_known(&module, module.n, 0, 0);
  *h = good;
  h->e_shnum++;
  assert_known(&module, module.n, 0, 0);
  *h = good;
  h->e_shstrndx = SECTIONS + 1;
  assert_known(&module, module.n, 0, 0);
  *h = good;
  h->e_ident[EI_CLASS] = ELFCLASS32;
  assert_false(loaded_init(&l, &module));
}

/* A section that begins after the end of the file, or has no name, is ignored; one that ends after it is truncated. */
static void test_sections_beyond(void **state)
{
  static const struct {
    size_t names, frames; /* known without the section */
  } without[SECTIONS + 1] = {{NAMES, ENTRIES}, {1, 2}, {2, 3},       {0, 0}, {NAMES, 0},
                             {NAMES, 0},       {0, 0}, {0, ENTRIES}, {0, 0}};
  struct file module = make_module(".text.unlikely");
  const uint64_t beyond[] = {module.n, module.n + 1, UINT64_MAX - 7, UINT64_MAX};
  (void)state;
  for (unsigned i = 1; i <= SECTIONS; i++) {
    Elf64_Shdr *s = section_at(&module, i);
    const Elf64_Shdr good = *s;
    for (size_t k = 0; k < sizeof beyond / sizeof *beyond; k++) {
      s->sh_offset = beyond[k];
      assert_known(&module, module.n, without[i].names, without[i].frames);
      *s = good;
      s->sh_size = beyond[k];
      assert_known(&module, module.n, NAMES, ENTRIES);
      *s = good;
    }
    s->sh_name = UINT32_MAX;
    if (i != SECTIONS) /* this section has none */
      assert_known(&module, module.n, without[i].names, without[i].frames);
    *s = good;
  }
  file_free(&module);
}

/* Symbols without a section, beyond the end of theirs, and without a name. */
static void test_symbols_beyond(void **state)
{
  static const Elf64_Half no_section[] = {SHN_UNDEF, SECTIONS + 1, SHN_ABS, SHN_XINDEX};
  static const uint64_t no_code[] = {0x200, SIZE, INT64_MAX, UINT64_MAX};
  static const Elf64_Word no_name[] = {sizeof symbol_names, SIZE, UINT32_MAX};
  struct file module = make_module(".text.unlikely");
  Elf64_Sym *symbols = (void *)(module.bytes + section_at(&module, 6)->sh_offset), good[SYMBOLS];
  (void)state;
  memcpy(good, symbols, sizeof good);
  for (size_t k = 0; k < 4; k++) {
    for (size_t i = 0; i < SYMBOLS; i++)
      symbols[i].st_shndx = no_section[k];
    assert_known(&module, module.n, 0, 0);
    memcpy(symbols, good, sizeof good);
    for (size_t i = 0; i < SYMBOLS; i++)
      symbols[i].st_value = no_code[k];
    assert_known(&module, module.n, 0, 0);
    memcpy(symbols, good, sizeof good);
  }
  for (size_t k = 0; k < 3; k++) {
    for (size_t i = 0; i < SYMBOLS; i++)
      symbols[i].st_name = no_name[k];
    assert_known(&module, module.n, 0, ENTRIES);
  }
  file_free(&module);
}

/* Relocations of nonexistent entries, by nonexistent symbols, and to addresses beyond the end of the section. */
static void test_relocations_beyond(void **state)
{
  static const uint64_t no_entry[] = {4 * ENTRIES, SIZE, UINT64_MAX - 3, UINT64_MAX};
  static const uint64_t no_symbol[] = {SYMBOLS, SIZE, INT32_MAX, UINT32_MAX};
  static const int64_t no_code[] = {0x201, INT64_MAX, INT64_MIN, -1};
  struct file module = make_module(".text.unlikely");
  Elf64_Rela *r = (void *)(module.bytes + section_at(&module, 5)->sh_offset), good[ENTRIES];
  (void)state;
  memcpy(good, r, sizeof good);
  for (size_t k = 0; k < 4; k++) {
    for (size_t i = 0; i < ENTRIES; i++)
      r[i].r_offset = no_entry[k];
    assert_known(&module, module.n, NAMES, 0);
    memcpy(r, good, sizeof good);
    for (size_t i = 0; i < ENTRIES; i++)
      r[i].r_info = ELF64_R_INFO(no_symbol[k], R_X86_64_PC32);
    assert_known(&module, module.n, NAMES, 0);
    memcpy(r, good, sizeof good);
    for (size_t i = 0; i < ENTRIES; i++)
      r[i].r_addend = no_code[k];
    assert_known(&module, module.n, NAMES, 0);
    memcpy(r, good, sizeof good);
  }
  file_free(&module);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_calls),          cmocka_unit_test(test_freed),
                                     cmocka_unit_test(test_behind),         cmocka_unit_test(test_moved),
                                     cmocka_unit_test(test_refused),        cmocka_unit_test(test_sections_beyond),
                                     cmocka_unit_test(test_symbols_beyond), cmocka_unit_test(test_relocations_beyond)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
