/* SPDX-License-Identifier: MIT */
#include "vm/program.h"

#include <elf.h>
#include <string.h>
#include "vm/initramfs.h"

enum { ADDRESS = 0x400000, HEADERS = sizeof(Elf64_Ehdr) + sizeof(Elf64_Phdr) };

static const char yield[] = "\xf3\x90"  /* pause */
                            "\xeb\xfc"; /* jmp to it */

static const char fetch[] = "\xb8\xac\0\0\0"   /* mov eax, iopl */
                            "\xbf\x03\0\0\0"   /* mov edi, 3 */
                            "\x0f\x05"         /* syscall */
                            "\xba\x14\x05\0\0" /* mov edx, 514h */
                            "\x31\xc0"         /* xor eax, eax */
                            "\xef"             /* out dx, eax: the upper half of the address */
                            "\x83\xc2\x04"     /* add edx, 4 */
                            "\xb8\x10\0\0\0"   /* mov eax, the lower half: its highest byte is the first */
                            "\xef"             /* out dx, eax: QEMU copies */
                            "\xb8\x3c\0\0\0"   /* mov eax, exit */
                            "\x31\xff"         /* xor edi, edi */
                            "\x0f\x05";        /* syscall */
_Static_assert(GUEST_FILES_MB == 0x10 << 4, "as in the program: 10000000h");
_Static_assert(HEADERS + sizeof fetch <= PROGRAM_MOST && HEADERS + sizeof yield <= PROGRAM_MOST, "they have room");

size_t program_make(enum program which, unsigned char ret[PROGRAM_MOST])
{
  const char *code = which == PROGRAM_YIELD ? yield : fetch;
  const size_t n = (which == PROGRAM_YIELD ? sizeof yield : sizeof fetch) - 1;
  const Elf64_Ehdr head = {
      .e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
      .e_type = ET_EXEC,
      .e_machine = EM_X86_64,
      .e_version = EV_CURRENT,
      .e_entry = ADDRESS + HEADERS,
      .e_phoff = sizeof head,
      .e_ehsize = sizeof head,
      .e_phentsize = sizeof(Elf64_Phdr),
      .e_phnum = 1,
  };
  const Elf64_Phdr all = {
      .p_type = PT_LOAD,
      .p_flags = PF_R | PF_X,
      .p_vaddr = ADDRESS,
      .p_filesz = HEADERS + n,
      .p_memsz = HEADERS + n,
      .p_align = 0x1000,
  };
  memcpy(ret, &head, sizeof head);
  memcpy(ret + sizeof head, &all, sizeof all);
  memcpy(ret + HEADERS, code, n);
  return HEADERS + n;
}
