/* SPDX-License-Identifier: MIT */
#include <elf.h>
#include <string.h>
#include "vm/yield.h"

#define ADDRESS 0x400000
static const unsigned char code[] = {0xf3, 0x90,  /* pause */
                                     0xeb, 0xfc}; /* jmp to it */

_Static_assert(sizeof(Elf64_Ehdr) + sizeof(Elf64_Phdr) + sizeof code == YIELD_SIZE, "the file is its three parts");

void yield_make(unsigned char ret[YIELD_SIZE])
{
  static const Elf64_Ehdr head = {
      .e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
      .e_type = ET_EXEC,
      .e_machine = EM_X86_64,
      .e_version = EV_CURRENT,
      .e_entry = ADDRESS + YIELD_SIZE - sizeof code,
      .e_phoff = sizeof head,
      .e_ehsize = sizeof head,
      .e_phentsize = sizeof(Elf64_Phdr),
      .e_phnum = 1,
  };
  static const Elf64_Phdr all = {
      .p_type = PT_LOAD,
      .p_flags = PF_R | PF_X,
      .p_vaddr = ADDRESS,
      .p_filesz = YIELD_SIZE,
      .p_memsz = YIELD_SIZE,
      .p_align = 0x1000,
  };
  memcpy(ret, &head, sizeof head);
  memcpy(ret + sizeof head, &all, sizeof all);
  memcpy(ret + sizeof head + sizeof all, code, sizeof code);
}
