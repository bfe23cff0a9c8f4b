/* SPDX-License-Identifier: MIT */
/* The guest's kernel without a guest: its compression, its release, the addresses of its MSR accesses. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "tests/vm/fixture.h"
#include "vm/image.h"
#include "vm/kernel.h"
#include "vm/msr.h"
#include "vm/packed.h"
#include "vm/vm.h"

enum {
  CODE_AT = 0x1000,
  TABLE_AT = 0x1100,
  NAMES_AT = 0x1160,
  SECTIONS_AT = 0x1180,
  POINTERS_AT = 0x1240,
  IMAGE_SIZE = 0x1280,
  FAULTS = 8
};
static const uint64_t CODE_ADDRESS = 0xffffffff81000000, TABLE_ADDRESS = 0xffffffff82000000;
static const char names[] = "\0__ex_table\0.shstrtab";

static void put_code(uint8_t *image, size_t at, const char *code, size_t n)
{
  memcpy(image + CODE_AT + at, code, n);
}

/* Adds an entry to the exception table for the instruction at that offset in the code. */
static void put_fault(uint8_t *image, unsigned index, uint64_t at)
{
  const int32_t entry[3] = {(int32_t)(CODE_ADDRESS + at - (TABLE_ADDRESS + 12 * index)), 0, 9};
  memcpy(image + TABLE_AT + 12 * index, entry, sizeof entry);
}

static void put_pointer(uint8_t *image, unsigned index, uint64_t to)
{
  memcpy(image + POINTERS_AT + 8 * index, &to, sizeof to);
}

/* Makes an image of two sections, code and data for pointers. Two of its instructions are in functions, 4 and 0 bytes
 * after the function's beginning; two are elsewhere. */
static void make_image(uint8_t *image)
{
  Elf64_Ehdr h = {.e_machine = EM_X86_64,
                  .e_phoff = sizeof h,
                  .e_phnum = 2,
                  .e_phentsize = sizeof(Elf64_Phdr),
                  .e_shoff = SECTIONS_AT,
                  .e_shnum = 3,
                  .e_shentsize = sizeof(Elf64_Shdr),
                  .e_shstrndx = 2};
  const Elf64_Phdr p[2] = {
      {.p_type = PT_LOAD, .p_flags = PF_X, .p_offset = CODE_AT, .p_vaddr = CODE_ADDRESS, .p_filesz = 0x100},
      {.p_type = PT_LOAD, .p_offset = POINTERS_AT, .p_vaddr = 0xffffffff83000000, .p_filesz = 0x40},
  };
  const Elf64_Shdr s[3] = {
      {0},
      {.sh_name = 1, .sh_type = SHT_PROGBITS, .sh_addr = TABLE_ADDRESS, .sh_offset = TABLE_AT, .sh_size = 12 * FAULTS},
      {.sh_name = 12, .sh_type = SHT_STRTAB, .sh_offset = NAMES_AT, .sh_size = sizeof names},
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
  put_code(image, 0xb0, "\x0f\x30", 2); /* in no table */
  put_fault(image, 0, 0x14);
  put_fault(image, 1, 0x20);
  put_fault(image, 2, 0x53);
  put_fault(image, 3, 0x60); /* another instruction */
  put_fault(image, 4, 0xa0);
  put_fault(image, 5, 0x2000); /* outside the file */
}

static void test_sites_are_instructions_that_may_fault(void **state)
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
  assert_non_null(strstr(error, "lists 0 instructions"));
  memcpy(image + NAMES_AT + 1, "other", 5);
  assert_int_equal(msr_sites_find(image, sizeof image, error, sizeof error, &s), PMON_E_UNKNOWN);
  assert_non_null(strstr(error, "no section __ex_table"));
  assert_int_equal(msr_sites_find(image, 40, error, sizeof error, &s), PMON_E_UNKNOWN);
}

/* Two notes, of which only that of this owner and type counts. Returns their size. */
static size_t put_notes(uint8_t *at, const char *owner, uint32_t type)
{
  const Elf64_Nhdr head[] = {{4, 5, 6}, {4, 8, type}};
  memset(at, 0, 48);
  memcpy(at, head, sizeof *head);
  memcpy(at + 12, "Xen", 4); /* 5 bytes of contents are padded to 8 */
  memcpy(at + 24, head + 1, sizeof *head);
  memcpy(at + 36, owner, 4);
  return 48;
}

/* QEMU starts an image that has the note of the entry for PVH guests; any other kernel is started as a bzImage. */
static void test_image_with_the_entry_is_started(void **state)
{
  enum { NOTES_AT = IMAGE_SIZE - 0x40, PVH_ENTRY = 18 };
  static uint8_t image[IMAGE_SIZE];
  struct kernel k = {.image = {image, sizeof image, false}};
  Elf64_Phdr p = {.p_type = PT_NOTE, .p_offset = NOTES_AT};
  struct file f;
  (void)state;
  make_image(image);
  assert_int_equal(kernel_image_file(&k), -1);
  p.p_filesz = put_notes(image + NOTES_AT, "Xen", PVH_ENTRY);
  memcpy(image + sizeof(Elf64_Ehdr) + sizeof p, &p, sizeof p);
  const int fd = kernel_image_file(&k);
  assert_true(fd >= 0 && file_map_fd(fd, sizeof image, &f));
  assert_memory_equal(f.bytes, image, sizeof image);
  file_free(&f);
  close(fd);
  for (unsigned i = 0; i < 4; i++) { /* another owner, another type, a cut note, a segment that exceeds the file */
    p.p_filesz = i == 2 ? 44 : i == 3 ? 0x41 : put_notes(image + NOTES_AT, i ? "Xen" : "GNU", PVH_ENTRY - i % 2);
    memcpy(image + sizeof(Elf64_Ehdr) + sizeof p, &p, sizeof p);
    if (i > 1)
      put_notes(image + NOTES_AT, "Xen", PVH_ENTRY);
    assert_int_equal(kernel_image_file(&k), -1);
  }
}

/* Four adjacent pointers to functions with such an instruction are sufficient. Three, or four with gaps, are not. */
static void test_called_functions_are_sufficient(void **state)
{
  static const uint64_t functions[] = {0x20, 0x14, 0x50, 0xa0};
  static uint8_t image[IMAGE_SIZE];
  static struct msr_sites s;
  char error[300];
  (void)state;
  make_image(image);
  put_fault(image, 6, 0x14); /* listed twice: more entries than called functions */
  for (unsigned i = 0; i < 3; i++)
    put_pointer(image, i + 1, CODE_ADDRESS + functions[i]);
  put_pointer(image, 5, CODE_ADDRESS + functions[3]);
  assert_int_equal(msr_sites_find(image, sizeof image, error, sizeof error, &s), PMON_OK);
  assert_true(s.n == 5 && !s.called);
  put_pointer(image, 4, CODE_ADDRESS + functions[3]);
  assert_int_equal(msr_sites_find(image, sizeof image, error, sizeof error, &s), PMON_OK);
  assert_true(s.n == 4 && s.called);
  assert_true(s.site[0].address == CODE_ADDRESS + 0x20 && s.site[2].address == CODE_ADDRESS + 0x53);
  put_pointer(image, 4, CODE_ADDRESS + functions[3] - 24); /* too far before it */
  assert_int_equal(msr_sites_find(image, sizeof image, error, sizeof error, &s), PMON_OK);
  assert_true(s.n == 5 && !s.called);
}

/* Kernels and modules are compressed; every compression for which this host has a program is undone. */
static void test_packed_images_are_unpacked(void **state)
{
  static const char *const pack[][2] = {
      {"xz", "xz -c"},     {"zstd", "zstd -cq"},  {"gzip", "gzip -c"},
      {"lz4", "lz4 -lcq"}, {"bzip2", "bzip2 -c"}, {"lzma", "xz -c --format=lzma"},
  };
  static char text[5000];
  char folder[] = "/tmp/pmon-packed-XXXXXX", path[100], command[200];
  struct kernel k = {.path = ""};
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
  assert_true(kernel_module(&k, "plain.ko", &whole) && whole.n == sizeof text); /* the output of the last program */
  file_free(&whole);
  snprintf(command, sizeof command, "%.60s.xz", path);
  unlink(command);
  assert_false(kernel_module(&k, "plain.ko", &whole));
  rmdir(folder);
}

/* A damaged file never causes a read outside it (the sanitizers check this). */
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
      elf_has_note(&e, "Xen", 18);
      for (unsigned k = 0; k < 8 && elf_needed(&e, k); k++)
        continue;
    }
    free(image);
    free(exact);
  }
}

static void test_non_kernels_are_refused(void **state)
{
  static uint8_t bytes[0x1000];
  static struct kernel k;
  const struct file f = {.bytes = bytes, .n = sizeof bytes};
  const uint32_t far = 0x7fffffff;
  char error[300];
  (void)state;
  assert_int_equal(kernel_unpack(&k, &f, error, sizeof error), PMON_E_SYNTAX);
  memcpy(bytes + 0x202, "HdrS", 4);
  assert_int_equal(kernel_unpack(&k, &f, error, sizeof error), PMON_E_SYNTAX);
  memcpy(bytes + 0x248, &far, 4);
  memcpy(bytes + 0x24c, &far, 4);
  assert_int_equal(kernel_unpack(&k, &f, error, sizeof error), PMON_E_SYNTAX);
  assert_non_null(strstr(error, "exceeds the file"));
}

/* The release is at the offset in the header, up to a blank; it is found before the payload is examined. */
static void test_kernel_release_is_read(void **state)
{
  static uint8_t bytes[0x1000];
  static const uint32_t length = 8;
  static struct kernel k;
  const uint16_t at = 0x300;
  struct file f = {.bytes = bytes, .n = sizeof bytes};
  char error[200];
  (void)state;
  memcpy(bytes + 0x202, "HdrS", 4);
  memcpy(bytes + 0x24c, &length, sizeof length);
  assert_int_equal(kernel_unpack(&k, &f, error, sizeof error), PMON_E_SYNTAX);
  assert_string_equal(k.release, "");
  memcpy(bytes + 0x20e, &at, sizeof at);
  strcpy((char *)bytes + 0x500, "6.12.95+deb12 (who built it)");
  assert_int_equal(kernel_unpack(&k, &f, error, sizeof error), PMON_E_SYNTAX);
  assert_string_equal(k.release, "6.12.95+deb12");
}

static void put_file(const char *folder, const char *name, const void *bytes, size_t n)
{
  char path[200];
  snprintf(path, sizeof path, "%.80s/%.100s", folder, name);
  FILE *f = fopen(path, "w");
  assert_true(f && fwrite(bytes, 1, n, f) == n && !chmod(path, 0755) && !fclose(f));
}

/* Writes a bzImage around the image above, uncompressed, of release 9.9.9. */
static void put_kernel(const char *folder, const char *name)
{
  enum { PAYLOAD = 1024 };
  static uint8_t bytes[PAYLOAD + IMAGE_SIZE];
  const uint32_t size = IMAGE_SIZE;
  const uint16_t release_at = 0x100;
  bytes[0x1f1] = PAYLOAD / 512 - 1;
  memcpy(bytes + 0x202, "HdrS", 4);
  memcpy(bytes + 0x20e, &release_at, sizeof release_at);
  memcpy(bytes + 0x24c, &size, sizeof size);
  memcpy(bytes + 512 + release_at, "9.9.9", 6);
  make_image(bytes + PAYLOAD);
  put_file(folder, name, bytes, sizeof bytes);
}

/* The instructions of such a module cannot have breakpoints: this is reported before anything is started. Without such
 * a module, QEMU is started, here a script that ends at once. */
static void test_a_driver_with_inlined_msr_instructions_is_refused(void **state)
{
  static const char script[] = "#!/bin/sh\n[ \"$1\" = -device ] && echo '\"x-pci-proxy-dev\"'\nexit 0\n";
  static const char *const no_command[] = {NULL};
  char folder[] = "/tmp/pmon-driver-XXXXXX", path[120], qemu[120], command[200], error[400] = "";
  struct vm_result result;
  struct fixture f;
  void *const fixture = &f;
  (void)state;
  assert_non_null(mkdtemp(folder));
  snprintf(command, sizeof command, "cd %s && mkdir -p boot lib/modules/9.9.9/" KERNEL_UNCORE_FOLDER, folder);
  assert_int_equal(system(command), 0);
  put_kernel(folder, "boot/vmlinuz");
  put_file(folder, "qemu", script, sizeof script - 1);
  put_file(folder, "lib/modules/9.9.9/" KERNEL_UNCORE_MODULE, "any", 3);
  snprintf(path, sizeof path, "%s/boot/vmlinuz", folder);
  snprintf(qemu, sizeof qemu, "%s/qemu", folder);
  fixture_init(&f, "snbep", (struct guest_shape){1, 8, 1});
  const struct vm_options o = {.machine = f.m,
                               .backend = f.backend,
                               .kind = guest_kind_named("snbep"),
                               .shape = f.bus.shape,
                               .kernel = path,
                               .qemu = qemu,
                               .argv = no_command,
                               .timeout_s = 60};
  assert_int_equal(vm_run(&o, error, sizeof error, &result), PMON_E_UNKNOWN);
  assert_non_null(strstr(error, "is a module with its own MSR instructions"));
  snprintf(command, sizeof command, "rm -r %s/lib", folder);
  assert_int_equal(system(command), 0);
  assert_int_not_equal(vm_run(&o, error, sizeof error, &result), PMON_OK);
  assert_null(strstr(error, "is a module"));
  fixture_fini(&(void *){fixture});
  snprintf(command, sizeof command, "rm -r %s", folder);
  assert_int_equal(system(command), 0);
}

/* arch/x86/boot/bzImage has the modules of its build folder; any other kernel has the installed modules. */
static void test_modules_are_those_of_the_folder_of_the_build(void **state)
{
  static const char module[] = KERNEL_UNCORE_MODULE;
  char folder[] = "/tmp/pmon-tree-XXXXXX", path[120], command[300], error[400] = "";
  struct kernel k;
  struct file f;
  (void)state;
  assert_non_null(mkdtemp(folder));
  snprintf(command, sizeof command,
           "cd %s && mkdir -p arch/x86/boot arch/x86/events/intel arch/x86/lib/modules/9.9.9/" KERNEL_UNCORE_FOLDER,
           folder);
  assert_int_equal(system(command), 0);
  put_kernel(folder, "arch/x86/boot/bzImage");
  put_kernel(folder, "arch/x86/boot/vmlinuz");
  put_file(folder, "arch/x86/events/intel/intel-uncore.ko", "built", 5);
  put_file(folder, "arch/x86/lib/modules/9.9.9/" KERNEL_UNCORE_MODULE, "installed", 9);
  snprintf(path, sizeof path, "%s/arch/x86/boot/bzImage", folder);
  for (unsigned i = 0; i < 2; i++) {
    assert_int_equal(kernel_open(&k, path, NULL, error, sizeof error), PMON_OK);
    assert_true(kernel_module(&k, module, &f));
    assert_int_equal(f.n, i ? 9 : 5);
    file_free(&f);
    kernel_close(&k);
    memcpy(strrchr(path, '/') + 1, "vmlinuz", 8);
  }
  snprintf(command, sizeof command, "rm -r %s", folder);
  assert_int_equal(system(command), 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_sites_are_instructions_that_may_fault),
      cmocka_unit_test(test_called_functions_are_sufficient),
      cmocka_unit_test(test_packed_images_are_unpacked),
      cmocka_unit_test(test_torn_images_are_survived),
      cmocka_unit_test(test_image_with_the_entry_is_started),
      cmocka_unit_test(test_non_kernels_are_refused),
      cmocka_unit_test(test_kernel_release_is_read),
      cmocka_unit_test(test_modules_are_those_of_the_folder_of_the_build),
      cmocka_unit_test(test_a_driver_with_inlined_msr_instructions_is_refused),
  };
  return cmocka_run_group_tests_name("vm-kernels", tests, NULL, NULL);
}
