/* SPDX-License-Identifier: MIT */
/* Which functions make an access, without a guest: an image with ORC tables, stacks, and names. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <pmon/status.h>
#include "vm/callers.h"
#include "vm/orc.h"

/* The image's functions, 100h bytes each: WAY has its caller's return address at the stack pointer; DRIVER has a frame
 * of 24 bytes, in which it saves the frame pointer; FRAMED has a frame relative to the frame pointer; LOST has one
 * relative to a register whose value is unknown. MODULE is outside the image. */
enum { WAY, DRIVER, FRAMED, LOST, FUNCTIONS };
enum {
  PLACE_IP = 0x200,
  PLACE_ENTRY = 0x240,
  PLACE_TABLE = 0x280,
  PLACE_SYMBOLS = 0x300,
  PLACE_NAMES = 0x400,
  PLACE_SECTIONS = 0x500,
  SIZE = 0x800
};
static const uint64_t TEXT = 0xffffffff81000000, DATA = 0xffffffff82000000, MODULE = 0xffffffffc0100000,
                      STACK = 0xffffc90000003e00;
static const char section_names[] = "\0.orc_unwind_ip\0.orc_unwind\0__ex_table\0.symtab\0.strtab\0.names";
static const char symbol_names[] = "\0native_write_msr\0box_enable\0pmu_add\0irq_entry\0__start___ex_table\0a_variable";

static uint64_t function(unsigned i)
{
  return TEXT + i * 0x100;
}

static uint32_t name_at(const char *names, size_t n, const char *name)
{
  for (size_t i = 1; i < n; i += strlen(names + i) + 1)
    if (!strcmp(names + i, name))
      return (uint32_t)i;
  fail_msg("no name %s", name);
  return 0;
}

static void put_section(uint8_t *image, unsigned i, const char *name, const Elf64_Shdr *is)
{
  Elf64_Shdr s = *is;
  s.sh_name = name_at(section_names, sizeof section_names, name);
  memcpy(image + PLACE_SECTIONS + i * sizeof s, &s, sizeof s);
}

static void put_symbol(uint8_t *image, unsigned i, const char *name, unsigned char type, uint64_t address)
{
  Elf64_Sym s = {.st_name = name_at(symbol_names, sizeof symbol_names, name), .st_info = type, .st_value = address};
  memcpy(image + PLACE_SYMBOLS + i * sizeof s, &s, sizeof s);
}

static void put_orc(uint8_t *image, unsigned i, int16_t sp, int16_t bp, uint16_t bits)
{
  const int32_t ip = (int32_t)(function(i) - (DATA + PLACE_IP + 4 * i));
  memcpy(image + PLACE_IP + 4 * i, &ip, 4);
  memcpy(image + PLACE_ENTRY + 6 * i, &sp, 2);
  memcpy(image + PLACE_ENTRY + 6 * i + 2, &bp, 2);
  memcpy(image + PLACE_ENTRY + 6 * i + 4, &bits, 2);
}

static void make_image(uint8_t *image)
{
  Elf64_Ehdr h = {.e_machine = EM_X86_64,
                  .e_phentsize = sizeof(Elf64_Phdr),
                  .e_shoff = PLACE_SECTIONS,
                  .e_shnum = 7,
                  .e_shentsize = sizeof(Elf64_Shdr),
                  .e_shstrndx = 6};
  memset(image, 0, SIZE);
  memcpy(h.e_ident, ELFMAG, SELFMAG);
  h.e_ident[EI_CLASS] = ELFCLASS64;
  memcpy(image, &h, sizeof h);
  put_orc(image, WAY, 8, 0, 5);
  put_orc(image, DRIVER, 32, -16, 5 | 1 << 4);
  put_orc(image, FRAMED, 16, -16, 4 | 1 << 4);
  put_orc(image, LOST, 8, 0, 6); /* r10 */
  put_symbol(image, 0, "native_write_msr", STT_FUNC, function(WAY));
  put_symbol(image, 1, "box_enable", STT_FUNC, function(DRIVER));
  put_symbol(image, 2, "pmu_add", STT_FUNC, function(FRAMED));
  put_symbol(image, 3, "irq_entry", STT_FUNC, function(LOST));
  put_symbol(image, 4, "__start___ex_table", STT_NOTYPE, DATA + PLACE_TABLE);
  put_symbol(image, 5, "a_variable", STT_OBJECT, function(WAY) + 8);
  memcpy(image + PLACE_NAMES, symbol_names, sizeof symbol_names);
  memcpy(image + PLACE_SECTIONS + 7 * sizeof(Elf64_Shdr), section_names, sizeof section_names);
  put_section(
      image, 1, ".orc_unwind_ip",
      &(Elf64_Shdr){
          .sh_type = SHT_PROGBITS, .sh_addr = DATA + PLACE_IP, .sh_offset = PLACE_IP, .sh_size = 4 * FUNCTIONS});
  put_section(image, 2, ".orc_unwind",
              &(Elf64_Shdr){.sh_type = SHT_PROGBITS, .sh_offset = PLACE_ENTRY, .sh_size = 6 * FUNCTIONS});
  put_section(
      image, 3, "__ex_table",
      &(Elf64_Shdr){.sh_type = SHT_PROGBITS, .sh_addr = DATA + PLACE_TABLE, .sh_offset = PLACE_TABLE, .sh_size = 12});
  put_section(image, 4, ".symtab",
              &(Elf64_Shdr){.sh_type = SHT_SYMTAB, .sh_offset = PLACE_SYMBOLS, .sh_size = 6 * sizeof(Elf64_Sym)});
  put_section(image, 5, ".strtab",
              &(Elf64_Shdr){.sh_type = SHT_STRTAB, .sh_offset = PLACE_NAMES, .sh_size = sizeof symbol_names});
  put_section(image, 6, ".names",
              &(Elf64_Shdr){.sh_type = SHT_STRTAB,
                            .sh_offset = PLACE_SECTIONS + 7 * sizeof(Elf64_Shdr),
                            .sh_size = sizeof section_names});
}

/* Makes a file with those bytes; its name is valid until the next call. */
static const char *make_file(const void *bytes, size_t n)
{
  static char path[] = "/tmp/pmon-callers-XXXXXX";
  memcpy(path + sizeof path - 7, "XXXXXX", 6);
  const int fd = mkstemp(path);
  assert_true(fd >= 0 && write(fd, bytes, n) == (ssize_t)n && !close(fd));
  return path;
}

static int load(struct symbols *s, const void *bytes, size_t n, char *error, size_t size)
{
  const char *path = make_file(bytes, n);
  const int status = symbols_load(s, path, error, size);
  unlink(path);
  return status;
}

/* Makes the stack of WAY, called by DRIVER, called by FRAMED, called by a module. */
static void make_stack(struct shared_memory *at)
{
  const uint64_t bp_of_framed = STACK + 8 * 8;
  *at = (struct shared_memory){.rip = function(WAY) + 4, .rsp = STACK, .rbp = 1, .words = 12};
  at->stack[0] = function(DRIVER) + 0x20;  /* WAY's return address */
  at->stack[1] = function(LOST) + 0x10;    /* left over from an earlier call: no frame contains it */
  at->stack[3] = bp_of_framed;             /* saved by DRIVER, 16 below the caller's stack pointer: 1 + 4 - 2 */
  at->stack[4] = function(FRAMED) + 0x100; /* a call at the function's end returns to the address after it */
  at->stack[8] = 7;                        /* FRAMED's caller's frame pointer */
  at->stack[9] = MODULE + 0x30;
}

static void test_walk(void **state)
{
  uint8_t image[SIZE];
  struct shared_memory at;
  struct elf e;
  struct orc o;
  const struct orc_all all = {&o, 1};
  uint64_t code[CALLERS_FRAMES];
  (void)state;
  make_image(image);
  make_stack(&at);
  assert_true(elf_init(&e, image, sizeof image));
  orc_init(&o, &e);
  assert_int_equal(o.n, FUNCTIONS);
  struct orc_state s = {at.rip, at.rsp, at.rbp, at.stack, 12};
  assert_int_equal(orc_walk(&all, &s, code, CALLERS_FRAMES, NULL), 4);
  assert_int_equal(code[0], function(WAY) + 4);
  assert_int_equal(code[1], function(DRIVER) + 0x1f);
  assert_int_equal(code[2], function(FRAMED) + 0xff);
  assert_int_equal(code[3], MODULE + 0x2f);
  assert_int_equal(orc_walk(&all, &s, code, 2, NULL), 2);
  s.words = 5; /* FRAMED's return address is unknown */
  assert_int_equal(orc_walk(&all, &s, code, CALLERS_FRAMES, NULL), 3);
  s.words = 0;
  assert_int_equal(orc_walk(&all, &s, code, CALLERS_FRAMES, NULL), 1);
  s.rip = function(LOST); /* the last function of the tables: its code has no known end, and no known frame */
  assert_int_equal(orc_walk(&all, &s, code, CALLERS_FRAMES, NULL), 1);
  s.rip = MODULE;
  assert_int_equal(orc_walk(&all, &s, code, CALLERS_FRAMES, NULL), 1);
  orc_init(&o, &(struct elf){image, 0}); /* no section contains it */
  assert_int_equal(o.n, 0);
  assert_int_equal(orc_walk(&all, &s, code, CALLERS_FRAMES, NULL), 1);
}

static void test_symbols(void **state)
{
  static const char map[] = "ffffffff81000000 T native_write_msr\nffffffff81000100 t box_enable\n"
                            "ffffffff81000108 d a_variable\nffffffff82000280 R __start___ex_table\nnonsense\n";
  uint8_t image[SIZE];
  char error[256];
  struct symbols of_elf = {.n = 0}, of_map = {.n = 0}, none = {.n = 0};
  (void)state;
  make_image(image);
  assert_int_equal(load(&of_elf, image, sizeof image, error, sizeof error), PMON_OK);
  assert_int_equal(of_elf.n, 4);
  assert_int_equal(of_elf.table, DATA + PLACE_TABLE);
  assert_string_equal(symbols_find(&of_elf, function(WAY) + 0xff)->name, "native_write_msr");
  assert_string_equal(symbols_find(&of_elf, function(DRIVER))->name, "box_enable");
  assert_null(symbols_find(&of_elf, function(WAY) - 1));
  assert_null(symbols_find(&of_elf, function(LOST) + SYMBOLS_FAR));
  assert_int_equal(load(&of_map, map, sizeof map - 1, error, sizeof error), PMON_OK);
  assert_int_equal(of_map.n, 2);
  assert_int_equal(of_map.table, DATA + PLACE_TABLE);
  symbols_add_line(&of_map, "ffffffffc0100000 t uncore_box [intel_uncore]");
  assert_string_equal(symbols_find(&of_map, MODULE + 1)->name, "uncore_box");
  assert_string_equal(symbols_find(&of_map, MODULE + 1)->module, "intel_uncore");
  assert_string_equal(symbols_find(&of_map, function(DRIVER) + 9)->name, "box_enable");
  symbols_add_line(&of_map, "ffffffff81000100 t another_name"); /* the file had a name for it already */
  assert_string_equal(symbols_find(&of_map, function(DRIVER) + 9)->name, "box_enable");
  symbols_add_line(&of_map, "0000000000000000 t hidden"); /* as shown to a user who may not read addresses */
  assert_int_equal(of_map.n, 4);
  assert_int_equal(load(&none, "hello\n", 6, error, sizeof error), PMON_E_SYNTAX);
  assert_non_null(strstr(error, "expected a vmlinux with symbols, or a System.map"));
  assert_int_equal(load(&none, image, 0x200, error, sizeof error), PMON_E_SYNTAX); /* the file ends before the
                                                                                    * sections */
  assert_int_equal(symbols_load(&none, "/nowhere/vmlinux", error, sizeof error), PMON_E_IO);
  assert_non_null(strstr(error, "/nowhere/vmlinux: No such file"));
  symbols_free(&of_elf);
  symbols_free(&of_map);
  symbols_free(&none);
}

static struct callers *make_callers(const uint8_t *image, bool named)
{
  struct callers *c;
  struct elf e;
  char error[256];
  assert_int_equal(callers_new(&c), PMON_OK);
  if (named)
    assert_int_equal(load(callers_symbols(c), image, SIZE, error, sizeof error), PMON_OK);
  assert_true(elf_init(&e, image, SIZE));
  assert_int_equal(callers_set_kernel(c, &e), PMON_OK);
  return c;
}

static void assert_driver(struct callers *c, uint64_t access, const char *want)
{
  struct callers_chain chain;
  char name[128] = "none";
  callers_get(c, access, &chain);
  if (chain.driver < chain.n)
    callers_format(&chain, chain.driver, name, sizeof name);
  assert_string_equal(name, want);
}

static void test_callers(void **state)
{
  uint8_t image[SIZE];
  struct shared_memory at;
  char wanted[256], name[64];
  struct callers_chain chain;
  (void)state;
  make_image(image);
  make_stack(&at);
  struct callers *c = make_callers(image, true);
  callers_note(c, 1, &at);
  at.words = 5; /* the copy of the stack ends before the module's frame */
  callers_note(c, 3, &at);
  at.rip = 0;
  callers_note(c, 4, &at);
  assert_driver(c, 1, "box_enable"); /* the module's function has no name yet */
  callers_wanted(c, wanted, sizeof wanted);
  assert_string_equal(wanted, "ffffffffc0100|ffffffffc00ff");
  callers_wanted(c, wanted, 14);
  assert_string_equal(wanted, "");
  symbols_add_guest(callers_symbols(c), "ffffffffc00fe000 t far_before [intel_uncore]");
  callers_wanted(c, wanted, sizeof wanted);
  assert_string_equal(wanted, "ffffffffc0100|ffffffffc00ff"); /* no names were requested for addresses between */
  symbols_add_guest(callers_symbols(c), "ffffffffc0100000 t pmu_of_module [intel_uncore]");
  callers_wanted(c, wanted, sizeof wanted);
  assert_string_equal(wanted, "");
  assert_driver(c, 1, "pmu_of_module [intel_uncore]");
  assert_driver(c, 3, "box_enable");
  for (uint64_t access = 0; access < 6; access++)
    if (access != 1 && access != 3)
      assert_driver(c, access, "none");
  callers_get(c, 1, &chain);
  assert_int_equal(chain.n, 4);
  callers_format(&chain, 0, name, sizeof name);
  assert_string_equal(name, "native_write_msr");
  callers_free(c);
  callers_free(NULL);
  c = make_callers(image, false);
  make_stack(&at);
  callers_note(c, 1, &at);
  callers_get(c, 1, &chain);
  assert_int_equal(chain.driver, chain.n);
  callers_format(&chain, 0, name, sizeof name);
  assert_string_equal(name, "0xffffffff81000004");
  callers_free(c);
}

/* The symbols of another kernel, whose exception table is at another address. */
static void test_other_kernel(void **state)
{
  static const char map[] = "ffffffff81000000 T native_write_msr\nffffffff82000290 R __start___ex_table\n";
  uint8_t image[SIZE];
  char error[256];
  struct callers *c;
  struct elf e;
  (void)state;
  make_image(image);
  assert_int_equal(callers_new(&c), PMON_OK);
  assert_int_equal(load(callers_symbols(c), map, sizeof map - 1, error, sizeof error), PMON_OK);
  assert_true(elf_init(&e, image, SIZE));
  assert_int_equal(callers_set_kernel(c, &e), PMON_E_INVALID);
  callers_free(c);
}

/* More different call chains than are stored: the later ones are unknown, the earlier ones remain. */
static void test_many(void **state)
{
  uint8_t image[SIZE];
  struct shared_memory at = {.words = 0};
  struct callers_chain chain;
  (void)state;
  make_image(image);
  struct callers *c = make_callers(image, true);
  for (uint64_t access = 1; access <= 5000; access++) {
    at.rip = MODULE + 16 * access;
    callers_note(c, access, &at);
  }
  callers_get(c, 4096, &chain);
  assert_int_equal(chain.code[0], MODULE + UINT64_C(16) * 4096);
  callers_get(c, 4097, &chain);
  assert_int_equal(chain.n, 0);
  callers_free(c);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_walk), cmocka_unit_test(test_symbols),
                                     cmocka_unit_test(test_callers), cmocka_unit_test(test_other_kernel),
                                     cmocka_unit_test(test_many)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
