/* SPDX-License-Identifier: MIT */
#include "vm/program.h"

#include <elf.h>
#include <string.h>
#include "vm/initramfs.h"

enum { ADDRESS = 0x400000, HEADERS = sizeof(Elf64_Ehdr) + sizeof(Elf64_Phdr) };

static const unsigned char yield[] = {0xf3, 0x90,  /* pause */
                                      0xeb, 0xfc}; /* jmp to it */

static const unsigned char fetch[] = {
    0xb8, 172,
    0,    0,
    0, /* mov eax, iopl */
    0xbf, 3,
    0,    0,
    0,          /* mov edi, 3 */
    0x0f, 0x05, /* syscall */
    0xba, 0x14,
    0x05, 0,
    0,          /* mov edx, 514h */
    0x31, 0xc0, /* xor eax, eax */
    0xef,       /* out dx, eax: the upper half of the address */
    0x83, 0xc2,
    4, /* add edx, 4 */
    0xb8, GUEST_FILES_MB >> 4,
    0,    0,
    0,    /* mov eax, the lower half: its highest byte is the first */
    0xef, /* out dx, eax: QEMU copies */
    0xb8, 60,
    0,    0,
    0,          /* mov eax, exit */
    0x31, 0xff, /* xor edi, edi */
    0x0f, 0x05  /* syscall */
};
_Static_assert(GUEST_FILES_MB % 16 == 0 && GUEST_FILES_MB < 4096, "the address has one byte that is not 0");
_Static_assert(HEADERS + sizeof fetch <= PROGRAM_MOST && HEADERS + sizeof yield <= PROGRAM_MOST, "they have room");

size_t program_make(enum program which, unsigned char ret[PROGRAM_MOST])
{
  const unsigned char *code = which == PROGRAM_YIELD ? yield : fetch;
  const size_t n = which == PROGRAM_YIELD ? sizeof yield : sizeof fetch;
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
