/* SPDX-License-Identifier: MIT */
/*
 * Hostile programs: damaged ELF files are refused or run; random code, wild jumps, endless loops and infinite recursion
 * end with a fault or at the limit.
 */
#include <elf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>
#include "machine/montecito/machine.h"
#include "machine/montecito/exec/program.h"
#include "machine/montecito/stream/record.h"
#include "tests/montecito/exec/numbers.h"

enum {
  CODE_BUNDLES = 64,
  HEADERS = sizeof(Elf64_Ehdr) + sizeof(Elf64_Phdr),
  FILES = 3000,
  PROGRAMS = 3000,
  TEXT = 3072
};
#define BASE UINT64_C(0x4000000000000000)
#define ENTRY (BASE + 128)

struct file {
  Elf64_Ehdr elf;
  Elf64_Phdr segment;
  uint8_t rest[128 - HEADERS];
  uint64_t code[CODE_BUNDLES][2];
};

static void file_init(struct file *f)
{
  *f = (struct file){.elf = {.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, 1},
                             .e_type = ET_EXEC,
                             .e_machine = EM_IA_64,
                             .e_version = 1,
                             .e_entry = ENTRY,
                             .e_phoff = sizeof(Elf64_Ehdr),
                             .e_ehsize = sizeof(Elf64_Ehdr),
                             .e_phentsize = sizeof(Elf64_Phdr),
                             .e_phnum = 1},
                     .segment = {.p_type = PT_LOAD,
                                 .p_flags = PF_R | PF_W | PF_X,
                                 .p_vaddr = BASE,
                                 .p_filesz = sizeof *f,
                                 .p_memsz = sizeof *f + 4096}};
}

/* Writes the file and runs at most `most` bundles of it. Returns 0 if it was refused; `text` gets the error or the
 * report. */
static int file_run(const void *bytes, size_t n, uint64_t most, char text[2048])
{
  char path[] = "/tmp/pmon-hostile-XXXXXX";
  char *argv[] = {path, NULL};
  struct exec_program *p;
  int status;
  const int fd = mkstemp(path);
  *text = 0;
  assert_true(fd >= 0);
  assert_int_equal(write(fd, bytes, n), (ssize_t)n);
  close(fd);
  status = exec_program_open(&(struct exec_options){.path = path, .argv = argv, .most_bundles = most}, text, TEXT, &p);
  unlink(path);
  if (status) {
    assert_true(*text || status == -12);
    return 0;
  }
  struct montecito_source *s = exec_program_source(p);
  struct montecito_record r;
  bool ended = false;
  uint64_t records = 0;
  while (!ended && records++ < 20 * most + 20)
    assert_int_equal(s->next(s, &r, &ended, text, TEXT), 0);
  assert_true(ended);
  const char *fault = exec_program_result(p).fault;
  snprintf(text, TEXT, "%s", fault ? fault : "");
  s->free(s);
  return 1;
}

/* slots[] with template `t`. */
static void bundle_set(uint64_t bundle[2], unsigned t, uint64_t s0, uint64_t s1, uint64_t s2)
{
  bundle[0] = t | s0 << 5 | s1 << 46;
  bundle[1] = s1 >> 18 | s2 << 23;
}

#define NOP_M UINT64_C(0x00008000000)
#define NOP_I UINT64_C(0x00008000000)
/* mov.m ar = r0 */
#define MOV_TO_AR(n) (UINT64_C(1) << 37 | UINT64_C(0x2a) << 27 | (uint64_t)(n) << 20)
/* br.few to the bundle itself, br.few b6, mov b6 = r3 */
#define BR_SELF (UINT64_C(4) << 37)
#define BR_B6 (UINT64_C(0x20) << 27 | UINT64_C(6) << 13)
#define MOV_B6(r2) (UINT64_C(7) << 33 | UINT64_C(1) << 20 | (uint64_t)(r2) << 13 | UINT64_C(6) << 6)

static void test_damaged_files(void **unused)
{
  struct file f;
  char text[TEXT];
  unsigned refused = 0;
  (void)unused;
  for (unsigned i = 0; i < FILES; i++) {
    uint8_t bytes[sizeof f];
    size_t n = sizeof f;
    file_init(&f);
    for (unsigned k = 0; k < CODE_BUNDLES; k++)
      bundle_set(f.code[k], 0x10, NOP_M, NOP_I, BR_SELF);
    memcpy(bytes, &f, sizeof f);
    for (unsigned k = 0; k <= i % 4; k++)
      bytes[test_random() % HEADERS] = (uint8_t)test_random();
    if (i % 5 == 0)
      n = test_random() % sizeof f;
    refused += !file_run(bytes, n, 100, text);
  }
  assert_true(refused > FILES / 10 && refused < FILES);
}

static void test_random_code(void **unused)
{
  struct file f;
  char text[TEXT];
  unsigned faults = 0;
  (void)unused;
  for (unsigned i = 0; i < PROGRAMS; i++) {
    file_init(&f);
    for (unsigned k = 0; k < CODE_BUNDLES; k++)
      for (unsigned w = 0; w < 2; w++)
        f.code[k][w] = test_random() & (i % 2 ? UINT64_MAX : test_random());
    assert_int_equal(file_run(&f, sizeof f, 500, text), 1);
    faults += *text != 0;
  }
  assert_true(faults > PROGRAMS / 2);
}

static void test_endless_loop(void **unused)
{
  struct file f;
  char text[TEXT];
  (void)unused;
  file_init(&f);
  bundle_set(f.code[0], 0x10, NOP_M, NOP_I, BR_SELF);
  assert_int_equal(file_run(&f, sizeof f, 100000, text), 1);
  assert_non_null(strstr(text, "stopped: the limit of program.bundles is reached, at 0x"));
  assert_non_null(strstr(text, "slot 0: nop.m 0x0\n  r1 "));
}

static void test_wild_jump(void **unused)
{
  struct file f;
  char text[TEXT];
  (void)unused;
  file_init(&f);
  bundle_set(f.code[0], 0x01, NOP_M, MOV_B6(12), NOP_I); /* b6 = the stack, which is not code */
  bundle_set(f.code[1], 0x10, NOP_M, NOP_I, BR_B6);
  assert_int_equal(file_run(&f, sizeof f, 100, text), 1);
  char wanted[100];
  snprintf(wanted, sizeof wanted, "no code at 0x6000fffffff9fff0, reached from 0x%llx\n",
           (unsigned long long)ENTRY + 16);
  assert_non_null(strstr(text, wanted));
}

/* A function that calls itself without end fills the backing store. */
static void test_backing_store_overflow(void **unused)
{
  const uint64_t alloc = UINT64_C(1) << 37 | UINT64_C(6) << 33 | UINT64_C(90) << 20 | UINT64_C(90) << 13 | 32 << 6;
  const uint64_t call_self = UINT64_C(5) << 37;
  struct file f;
  char text[TEXT];
  (void)unused;
  file_init(&f);
  bundle_set(f.code[0], 0x11, alloc, NOP_I, call_self);
  assert_int_equal(file_run(&f, sizeof f, 1000000, text), 1);
  assert_non_null(strstr(text, "no mapped memory"));
  assert_non_null(strstr(text, "frame of "));
}

/* A fault's report contains the function, the instruction and the registers. ar.ruc (45) is read-only. */
static void test_fault_report(void **unused)
{
  struct {
    struct file f;
    Elf64_Shdr sections[3];
    Elf64_Sym symbols[2];
    char names[8];
  } file = {.symbols = {{0}, {.st_name = 1, .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC), .st_shndx = 1}},
            .names = "\0start"};
  char text[TEXT];
  (void)unused;
  file_init(&file.f);
  file.f.elf.e_shoff = offsetof(__typeof__(file), sections);
  file.f.elf.e_shentsize = sizeof *file.sections;
  file.f.elf.e_shnum = 3;
  file.sections[1] = (Elf64_Shdr){.sh_type = SHT_SYMTAB,
                                  .sh_link = 2,
                                  .sh_offset = offsetof(__typeof__(file), symbols),
                                  .sh_size = sizeof file.symbols,
                                  .sh_entsize = sizeof *file.symbols};
  file.sections[2] =
      (Elf64_Shdr){.sh_type = SHT_STRTAB, .sh_offset = offsetof(__typeof__(file), names), .sh_size = sizeof file.names};
  file.symbols[1].st_value = ENTRY;
  file.symbols[1].st_size = 32;
  bundle_set(file.f.code[0], 0x00, NOP_M, NOP_I, NOP_I);
  bundle_set(file.f.code[1], 0x00, MOV_TO_AR(45), NOP_I, NOP_I);
  assert_int_equal(file_run(&file, sizeof file, 100, text), 1);
  assert_non_null(strstr(text, "illegal operation"));
  assert_non_null(strstr(text, "(start+0x10), slot 0: mov.m ar.ruc=r0"));
  assert_non_null(strstr(text, "\n  b0 0000000000000000  pr "));
  assert_non_null(strstr(text, "  frame of 0 registers, 0 local, 0 rotating"));
}

/* The report also lists up to 16 registers of the frame. */
static void test_report_of_a_frame(void **unused)
{
  struct file f;
  char text[TEXT];
  (void)unused;
  for (unsigned sof = 2; sof <= 20; sof += 18) {
    const uint64_t alloc =
        UINT64_C(1) << 37 | UINT64_C(6) << 33 | (uint64_t)sof << 20 | (uint64_t)sof << 13 | UINT64_C(33) << 6;
    file_init(&f);
    bundle_set(f.code[0], 0x01, alloc, NOP_I, NOP_I);
    bundle_set(f.code[1], 0x00, MOV_TO_AR(45), NOP_I, NOP_I);
    assert_int_equal(file_run(&f, sizeof f, 100, text), 1);
    assert_non_null(strstr(text, sof == 2 ? "frame of 2 registers, 2 local, 0 rotating:\n  r32 00000000"
                                          : "frame of 20 registers, 20 local, 0 rotating; the first:\n  r32 00000000"));
    assert_non_null(strstr(text, "  r33 "));
    assert_true((strstr(text, "  r47 ") != NULL) == (sof == 20));
    assert_null(strstr(text, "r48 "));
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_damaged_files),
                                     cmocka_unit_test(test_random_code),
                                     cmocka_unit_test(test_report_of_a_frame),
                                     cmocka_unit_test(test_endless_loop),
                                     cmocka_unit_test(test_wild_jump),
                                     cmocka_unit_test(test_fault_report),
                                     cmocka_unit_test(test_backing_store_overflow)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
