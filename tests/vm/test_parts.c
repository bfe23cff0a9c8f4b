/* SPDX-License-Identifier: MIT */
/* The guest's parts without a guest: messages, packets, archives, images, and the bus with its doorbell. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>
#include <pmon/status.h>
#include "machine/config.h"
#include "machine/violation.h"
#include "vm/bus.h"
#include "vm/cpio.h"
#include "vm/gdb.h"
#include "vm/image.h"
#include "vm/kernel.h"
#include "vm/msr.h"
#include "vm/packed.h"
#include "vm/proxy.h"

enum { CONFIG_WRITE = 2, CONFIG_READ = 3, BAR_READ = 5, INTERRUPT = 6, RESET = 7 };

/* ---- messages ---- */

struct seen { unsigned devfn, offset, size, writes; uint32_t value; };

static uint32_t on_read(void *user, unsigned devfn, unsigned offset, unsigned size)
{
  *(struct seen *)user = (struct seen){ devfn, offset, size, 0, 0 };
  return 0xcafe;
}

static void on_write(void *user, unsigned devfn, unsigned offset, unsigned size, uint32_t value)
{
  struct seen *s = user;
  *s = (struct seen){ devfn, offset, size, s->writes + 1, value };
}

static void put_message(int fd, uint32_t command, const void *payload, uint64_t n)
{
  uint8_t bytes[600] = { 0 };
  memcpy(bytes, &command, 4);
  memcpy(bytes + 8, &n, 8);
  memcpy(bytes + 16, payload, n);
  assert_int_equal(write(fd, bytes, 16 + n), 16 + n);
}

static void test_messages_are_answered(void **state)
{
  const uint32_t access[3] = { 0xf4, 0x10100, 4 };
  uint8_t answer[24], memory[256] = { 0 };
  struct seen seen = { 0 };
  const struct proxy_function f = { on_read, on_write, &seen, NULL };
  uint64_t value;
  char error[200];
  int pair[2];
  (void)state;
  assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
  put_message(pair[0], CONFIG_WRITE, access, sizeof access);
  assert_int_equal(proxy_serve(pair[1], &f, 0x71, error, sizeof error), PMON_OK);
  assert_int_equal(read(pair[0], answer, sizeof answer), sizeof answer);
  assert_true(seen.devfn == 0x71 && seen.offset == 0xf4 && seen.size == 4 && seen.value == 0x10100 && seen.writes == 1);
  put_message(pair[0], CONFIG_READ, access, sizeof access);
  assert_int_equal(proxy_serve(pair[1], &f, 0x71, error, sizeof error), PMON_OK);
  assert_int_equal(read(pair[0], answer, sizeof answer), sizeof answer);
  memcpy(&value, answer + 16, 8);
  assert_int_equal(value, 0xcafe);
  assert_int_equal(answer[0], 1);                           /* an answer, of */
  assert_int_equal(answer[8], 8);                           /* eight bytes */
  put_message(pair[0], 0, memory, sizeof memory);           /* memory and interrupts want no answer */
  put_message(pair[0], INTERRUPT, memory, 0);
  put_message(pair[0], RESET, memory, 0);
  for (int i = 0; i < 3; i++)
    assert_int_equal(proxy_serve(pair[1], &f, 0x71, error, sizeof error), PMON_OK);
  assert_int_equal(recv(pair[0], memory, sizeof memory, MSG_DONTWAIT), 24);   /* the reset's only */
  close(pair[0]);
  assert_int_equal(proxy_serve(pair[1], &f, 0x71, error, sizeof error), PMON_E_NO_DEVICE);
  close(pair[1]);
}

static void test_messages_that_make_no_sense(void **state)
{
  static const uint32_t bad[][3] = { { 4096, 0, 4 }, { 0xfe, 0, 4 }, { 4, 0, 3 }, { 0x41, 0, 2 + 2 }, { UINT32_MAX, 0, 1 } };
  struct seen seen = { 0 };
  const struct proxy_function f = { on_read, on_write, &seen, NULL };
  uint64_t value;
  bool answer;
  (void)state;
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
    assert_int_equal(proxy_answer(CONFIG_READ, (const uint8_t *)bad[i], 12, &f, 0, &value, &answer), PMON_E_INVALID);
  assert_int_equal(proxy_answer(CONFIG_READ, (const uint8_t *)bad[0], 8, &f, 0, &value, &answer), PMON_E_INVALID);
  assert_int_equal(proxy_answer(99, NULL, 0, &f, 0, &value, &answer), PMON_E_INVALID);
  assert_int_equal(seen.size, 0);                           /* none came through */
  assert_int_equal(proxy_answer(BAR_READ, (const uint8_t *)bad[0], 12, &f, 0, &value, &answer), PMON_OK);
  assert_true(answer && value == 0);
}

/* ---- packets ---- */

static void test_packets(void **state)
{
  static struct gdb g;
  char text[64] = { 0 };
  int pair[2];
  (void)state;
  assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
  g = (struct gdb){ .fd = pair[0] };
  assert_int_equal(write(pair[1], "+$T05thread:01;#07+$O", 21), 21);
  assert_true(gdb_receive(&g));
  assert_true(gdb_next(&g));
  assert_string_equal(g.packet, "T05thread:01;");
  assert_false(gdb_next(&g));                               /* the next is not whole */
  assert_int_equal(write(pair[1], "K#9a", 4), 4);
  assert_true(gdb_set_register(&g, GDB_RIP, 0xffffffff8107e7c5));
  assert_true(read(pair[1], text, sizeof text - 1) > 0);
  assert_string_equal(text, "+$P10=c5e70781ffffffff#22+");  /* low byte first */
  close(pair[1]);
  assert_false(gdb_receive(&g));
  close(pair[0]);
}

/* ---- archives ---- */

static void test_archive(void **state)
{
  char *bytes = NULL;
  size_t n = 0;
  FILE *out = open_memstream(&bytes, &n);
  struct cpio c;
  (void)state;
  cpio_init(&c, out);
  cpio_add(&c, "a", S_IFREG | 0644, "hello", 5);
  cpio_device(&c, "nul", S_IFCHR | 0666, 1, 3);
  assert_true(cpio_finish(&c));
  fclose(out);
  /* 110 bytes of header and "a\0" are 112; "hello" takes 8 */
  assert_memory_equal(bytes, "07070100000001000081a4", 22);
  assert_memory_equal(bytes + 54, "00000005", 8);           /* size */
  assert_memory_equal(bytes + 94, "00000002", 8);           /* of the name with its zero */
  assert_memory_equal(bytes + 110, "a\0hello\0\0\0" "070701", 16);
  assert_memory_equal(bytes + 120 + 78, "0000000100000003", 16);
  assert_memory_equal(bytes + 120 + 110, "nul", 4);
  assert_memory_equal(bytes + 120 + 116 + 110, "TRAILER!!!", 11);
  assert_int_equal(n % 4, 0);
  free(bytes);
}

/* ---- images ---- */

enum { CODE_AT = 0x1000, TABLE_AT = 0x1100, NAMES_AT = 0x1160, SECTIONS_AT = 0x1180, POINTERS_AT = 0x1240,
       IMAGE_SIZE = 0x1280, FAULTS = 8 };
static const uint64_t CODE_ADDRESS = 0xffffffff81000000, TABLE_ADDRESS = 0xffffffff82000000;
static const char names[] = "\0__ex_table\0.shstrtab";

static void put_code(uint8_t *image, size_t at, const char *code, size_t n)
{
  memcpy(image + CODE_AT + at, code, n);
}

/* The table's entry for what may fault at that distance from the code's beginning. */
static void put_fault(uint8_t *image, unsigned index, uint64_t at)
{
  const int32_t entry[3] = { (int32_t)(CODE_ADDRESS + at - (TABLE_ADDRESS + 12 * index)), 0, 9 };
  memcpy(image + TABLE_AT + 12 * index, entry, sizeof entry);
}

static void put_pointer(uint8_t *image, unsigned index, uint64_t to)
{
  memcpy(image + POINTERS_AT + 8 * index, &to, sizeof to);
}

/* Two sections, code, and data for pointers. Two instructions stand in functions, four bytes and none behind the
 * beginning; two elsewhere. */
static void make_image(uint8_t *image)
{
  Elf64_Ehdr h = { .e_machine = EM_X86_64, .e_phoff = sizeof h, .e_phnum = 2, .e_phentsize = sizeof(Elf64_Phdr),
                   .e_shoff = SECTIONS_AT, .e_shnum = 3, .e_shentsize = sizeof(Elf64_Shdr), .e_shstrndx = 2 };
  const Elf64_Phdr p[2] = {
    { .p_type = PT_LOAD, .p_flags = PF_X, .p_offset = CODE_AT, .p_vaddr = CODE_ADDRESS, .p_filesz = 0x100 },
    { .p_type = PT_LOAD, .p_offset = POINTERS_AT, .p_vaddr = 0xffffffff83000000, .p_filesz = 0x40 },
  };
  const Elf64_Shdr s[3] = {
    { 0 }, { .sh_name = 1, .sh_type = SHT_PROGBITS, .sh_addr = TABLE_ADDRESS, .sh_offset = TABLE_AT, .sh_size = 12 * FAULTS },
    { .sh_name = 12, .sh_type = SHT_STRTAB, .sh_offset = NAMES_AT, .sh_size = sizeof names },
  };
  memset(image, 0, IMAGE_SIZE);
  memcpy(h.e_ident, ELFMAG, SELFMAG);
  h.e_ident[EI_CLASS] = ELFCLASS64;
  memcpy(image, &h, sizeof h);
  memcpy(image + sizeof h, p, sizeof p);
  memcpy(image + SECTIONS_AT, s, sizeof s);
  memcpy(image + NAMES_AT, names, sizeof names);
  put_code(image, 0x14, "\x0f\x30", 2);
  put_code(image, 0x20, "\x0f\x32", 2);
  put_code(image, 0x53, "\x3e\x0f\x30", 3);
  put_code(image, 0xa0, "\x0f\x32", 2);
  put_code(image, 0xb0, "\x0f\x30", 2);             /* is in no table */
  put_fault(image, 0, 0x14);
  put_fault(image, 1, 0x20);
  put_fault(image, 2, 0x53);
  put_fault(image, 3, 0x60);                        /* another instruction */
  put_fault(image, 4, 0xa0);
  put_fault(image, 5, 0x2000);                      /* not in the file */
}

static void test_sites_are_what_may_fault(void **state)
{
  static uint8_t image[IMAGE_SIZE];
  static struct msr_sites s;
  char error[300];
  (void)state;
  make_image(image);
  assert_int_equal(msr_sites_find(image, sizeof image, error, sizeof error, &s), PMON_OK);
  assert_int_equal(s.n, 4);
  assert_false(s.called);
  assert_true(s.site[0].address == CODE_ADDRESS + 0x14 && s.site[0].size == 2 && s.site[0].write);
  assert_true(s.site[1].address == CODE_ADDRESS + 0x20 && s.site[1].size == 2 && !s.site[1].write);
  assert_true(s.site[2].address == CODE_ADDRESS + 0x53 && s.site[2].size == 3 && s.site[2].write);
  assert_true(s.site[3].address == CODE_ADDRESS + 0xa0 && s.site[3].size == 2 && !s.site[3].write);
  for (unsigned i = 0; i < 6; i++)
    put_fault(image, i, 0x60);
  assert_int_equal(msr_sites_find(image, sizeof image, error, sizeof error, &s), PMON_E_UNKNOWN);
  assert_non_null(strstr(error, "names 0 instructions"));
  memcpy(image + NAMES_AT + 1, "other", 5);
  assert_int_equal(msr_sites_find(image, sizeof image, error, sizeof error, &s), PMON_E_UNKNOWN);
  assert_non_null(strstr(error, "no section __ex_table"));
  assert_int_equal(msr_sites_find(image, 40, error, sizeof error, &s), PMON_E_UNKNOWN);
}

/* Four pointers side by side to functions with such an instruction: these are enough. Three, or four apart, are not. */
static void test_functions_that_are_called_are_enough(void **state)
{
  static const uint64_t functions[] = { 0x20, 0x14, 0x50, 0xa0 };
  static uint8_t image[IMAGE_SIZE];
  static struct msr_sites s;
  char error[300];
  (void)state;
  make_image(image);
  put_fault(image, 6, 0x14);                        /* twice, so that there is more than is called */
  for (unsigned i = 0; i < 3; i++)
    put_pointer(image, i + 1, CODE_ADDRESS + functions[i]);
  put_pointer(image, 5, CODE_ADDRESS + functions[3]);
  assert_int_equal(msr_sites_find(image, sizeof image, error, sizeof error, &s), PMON_OK);
  assert_true(s.n == 5 && !s.called);
  put_pointer(image, 4, CODE_ADDRESS + functions[3]);
  assert_int_equal(msr_sites_find(image, sizeof image, error, sizeof error, &s), PMON_OK);
  assert_true(s.n == 4 && s.called);
  assert_true(s.site[0].address == CODE_ADDRESS + 0x20 && s.site[2].address == CODE_ADDRESS + 0x53);
  put_pointer(image, 4, CODE_ADDRESS + functions[3] - 24);  /* too far before it */
  assert_int_equal(msr_sites_find(image, sizeof image, error, sizeof error, &s), PMON_OK);
  assert_true(s.n == 5 && !s.called);
}

/* Kernels and modules come packed; each way in which one is here to be packed is undone. */
static void test_what_is_packed_is_unpacked(void **state)
{
  static const char *const pack[][2] = {
    { "xz", "xz -c" }, { "zstd", "zstd -cq" }, { "gzip", "gzip -c" }, { "lz4", "lz4 -lcq" }, { "bzip2", "bzip2 -c" },
    { "lzma", "xz -c --format=lzma" },
  };
  static char text[5000];
  char folder[] = "/tmp/pmon-packed-XXXXXX", path[100], command[200];
  struct kernel k = { .path = "" };
  struct file packed, whole;
  (void)state;
  assert_non_null(mkdtemp(folder));
  snprintf(k.modules, sizeof k.modules, "%s", folder);
  for (size_t i = 0; i < sizeof text; i++)
    text[i] = (char)(i % 97 * i);
  snprintf(path, sizeof path, "%s/plain.ko", folder);
  FILE *f = fopen(path, "w");
  assert_true(f && fwrite(text, sizeof text, 1, f) == 1);
  fclose(f);
  for (size_t i = 0; i < sizeof pack / sizeof *pack; i++) {
    snprintf(command, sizeof command, "%.20s <%.60s >%.60s.xz 2>/dev/null", pack[i][1], path, path);
    if (system(command)) {
      print_message("%s is not here\n", pack[i][0]);
      continue;
    }
    snprintf(command, sizeof command, "%.60s.xz", path);
    assert_true(file_read(command, &packed));
    assert_string_equal(packed_program(packed.bytes, packed.n), pack[i][0]);
    assert_true(packed_open(packed.bytes, packed.n, &whole));
    assert_true(whole.n == sizeof text && !memcmp(whole.bytes, text, whole.n));
    file_free(&whole);
    file_free(&packed);
  }
  assert_null(packed_program((const uint8_t *)"none", 4));
  assert_true(kernel_module(&k, "plain.ko", &whole) && whole.n == sizeof text);
  file_free(&whole);
  unlink(path);
  assert_true(kernel_module(&k, "plain.ko", &whole) && whole.n == sizeof text);   /* what the last program packed */
  file_free(&whole);
  snprintf(command, sizeof command, "%.60s.xz", path);
  unlink(command);
  assert_false(kernel_module(&k, "plain.ko", &whole));
  rmdir(folder);
}

/* Whatever a file says of itself, nothing outside it is read (the sanitizers watch). */
static void test_torn_images_are_survived(void **state)
{
  static struct msr_sites sites;
  struct elf_segment segment;
  struct elf e;
  char error[300];
  uint64_t seed = 1;
  (void)state;
  for (unsigned i = 0; i < 3000; i++) {
    size_t n = IMAGE_SIZE - i % 256;
    uint8_t *image = malloc(IMAGE_SIZE), *exact = malloc(n);
    assert_true(image && exact);
    make_image(image);
    for (unsigned k = 0; k < 4; k++) {
      seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407;
      image[(seed >> 33 & 0x7f) + (k % 2 ? SECTIONS_AT : 0)] = (uint8_t)(seed >> 50);
    }
    memcpy(exact, image, n);
    msr_sites_find(exact, n, error, sizeof error, &sites);
    if (elf_init(&e, exact, n)) {
      elf_interpreter(&e);
      elf_section(&e, ".shstrtab", &segment);
      for (unsigned k = 0; k < 8 && elf_needed(&e, k); k++)
        continue;
    }
    free(image);
    free(exact);
  }
}

static void test_kernels_that_are_none(void **state)
{
  static uint8_t bytes[0x1000];
  static struct kernel k;
  const struct file f = { bytes, sizeof bytes };
  const uint32_t far = 0x7fffffff;
  char error[300];
  (void)state;
  assert_int_equal(kernel_unpack(&k, &f, error, sizeof error), PMON_E_SYNTAX);
  memcpy(bytes + 0x202, "HdrS", 4);
  assert_int_equal(kernel_unpack(&k, &f, error, sizeof error), PMON_E_SYNTAX);
  memcpy(bytes + 0x248, &far, 4);
  memcpy(bytes + 0x24c, &far, 4);
  assert_int_equal(kernel_unpack(&k, &f, error, sizeof error), PMON_E_SYNTAX);
  assert_non_null(strstr(error, "not within"));
}

/* Where the header says, up to a blank. */
static void test_a_kernel_tells_its_release(void **state)
{
  static uint8_t bytes[0x1000];
  const uint16_t at = 0x300;
  char path[] = "/tmp/pmon-kernel-XXXXXX", release[20] = "as before";
  int fd = mkstemp(path);
  (void)state;
  memcpy(bytes + 0x202, "HdrS", 4);
  memcpy(bytes + 0x20e, &at, sizeof at);
  strcpy((char *)bytes + 0x500, "6.12.95+deb12 (who built it)");
  assert_true(write(fd, bytes, 0x100) == 0x100);
  kernel_release(path, release, sizeof release);
  assert_string_equal(release, "");                         /* too short to be one */
  assert_true(pwrite(fd, bytes, sizeof bytes, 0) == sizeof bytes);
  kernel_release(path, release, sizeof release);
  assert_string_equal(release, "6.12.95+deb12");
  kernel_release(path, release, 5);
  assert_string_equal(release, "6.12");
  close(fd);
  unlink(path);
  kernel_release(path, release, sizeof release);
  assert_string_equal(release, "");
}

/* ---- the bus ---- */

static struct machine *machine_ready(struct bus *b)
{
  struct machine_config config;
  struct machine *m = NULL;
  char error[256];
  assert_int_equal(machine_config_preset(&config, "snbep"), PMON_OK);
  config.value[CONFIG_UNCORE_GHZ] = 1000;
  assert_int_equal(machine_new(&config, error, sizeof error, &m), PMON_OK);
  struct pmon_backend *backend = NULL;
  assert_int_equal(machine_backend_new(m, &backend), PMON_OK);
  bus_init(b, m, backend, guest_kind_named("snbep"), &(struct guest_shape){ 1, 8, 1 });
  return m;
}

static void test_functions_and_their_fillers(void **state)
{
  struct bus b;
  struct machine *m = machine_ready(&b);
  (void)state;
  assert_int_equal(b.devfn[b.n - 1], BUS_DOORBELL);
  for (unsigned i = 1; i < b.n; i++)
    assert_true(b.devfn[i - 1] < b.devfn[i]);
  for (unsigned i = 0; i < b.n; i++) {                      /* each device has a function 0, all have an id */
    bool first = false;
    for (unsigned k = 0; k < b.n; k++)
      first |= b.devfn[k] == (b.devfn[i] & ~7);
    assert_true(first);
    assert_int_not_equal(bus_config_read(&b, b.devfn[i], 0, 2), 0);
    assert_int_not_equal(bus_config_read(&b, b.devfn[i], 0, 2), 0xffff);
    assert_int_equal(bus_config_read(&b, b.devfn[i], 0xe, 1), 0x80);
    assert_int_equal(bus_config_read(&b, b.devfn[i], 0x10, 4), 0);        /* no BARs */
  }
  assert_int_equal(bus_config_read(&b, 11 << 3, 0, 4), 0x3ce08086);
  assert_int_equal(bus_config_read(&b, 11 << 3, 2, 2), 0x3ce0);
  bus_config_write(&b, 14 << 3 | 1, 0x10, 4, UINT32_MAX);   /* what a kernel does to headers is not told of */
  bus_config_write(&b, 14 << 3 | 1, 4, 2, 7);
  assert_int_equal(machine_violations_total(m), 0);
  assert_int_equal(b.reads + b.writes, 0);
  bus_config_write(&b, 14 << 3 | 1, 0xf4, 4, 0x10100);
  bus_config_write(&b, 14 << 3 | 1, 0xf5, 1, 0);            /* a byte of it: the freeze bit */
  assert_int_equal(bus_config_read(&b, 14 << 3 | 1, 0xf4, 4), 0x10000);
  assert_int_equal(b.writes, 2);
  assert_int_equal(b.reads, 1);
  pmon_backend_close(b.backend);
  machine_free(m);
}

static void test_time_passes_by_the_doorbell_only(void **state)
{
  struct bus b;
  struct machine *m = machine_ready(&b);
  uint64_t value = 0;
  (void)state;
  assert_true(bus_msr_write(&b, 0, 0xd10, 0x400000));          /* clock ticks of the first CBo, at 1 GHz */
  assert_true(bus_msr_read(&b, 0, 0xd16, &value));
  assert_int_equal(value, 0);
  bus_config_write(&b, BUS_DOORBELL, BUS_STEP, 4, 1500);
  assert_true(bus_msr_read(&b, 0, 0xd16, &value));
  assert_int_equal(value, 1500);
  assert_int_equal(bus_config_read(&b, BUS_DOORBELL, BUS_TIME, 4), 1500);
  bus_config_write(&b, BUS_DOORBELL, BUS_STEP, 2, 1500);    /* half a doorbell does not ring */
  assert_int_equal(bus_config_read(&b, BUS_DOORBELL, BUS_TIME, 4), 1500);
  b.access_ns = 10;
  for (int i = 0; i < 3; i++)
    assert_true(bus_msr_read(&b, 0, 0xd16, &value));
  assert_int_equal(value, 1520);
  assert_false(bus_msr_read(&b, 0, 0x10, &value));             /* the processor's own */
  assert_false(bus_msr_write(&b, 0, 0x1a0, 1));
  pmon_backend_close(b.backend);
  machine_free(m);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_messages_are_answered), cmocka_unit_test(test_messages_that_make_no_sense),
    cmocka_unit_test(test_packets), cmocka_unit_test(test_archive), cmocka_unit_test(test_sites_are_what_may_fault),
    cmocka_unit_test(test_functions_that_are_called_are_enough),
    cmocka_unit_test(test_what_is_packed_is_unpacked),
    cmocka_unit_test(test_torn_images_are_survived), cmocka_unit_test(test_kernels_that_are_none),
    cmocka_unit_test(test_a_kernel_tells_its_release),
    cmocka_unit_test(test_functions_and_their_fillers), cmocka_unit_test(test_time_passes_by_the_doorbell_only),
  };
  return cmocka_run_group_tests_name("vm-parts", tests, NULL, NULL);
}
