/* SPDX-License-Identifier: MIT */
#include "vm/program.h"

#include <elf.h>
#include <string.h>
#include "vm/initramfs.h"

enum { ADDRESS = 0x400000, HEADERS = sizeof(Elf64_Ehdr) + sizeof(Elf64_Phdr) };

static const char yield[] = "\xf3\x90"  /* pause */
                            "\xeb\xfc"; /* jmp to it */

static const char fetch[] = "\x48\x8b\x74\x24\x18"         /* mov rsi, [rsp+18h]: the second argument */
                            "\xe8\x9c\0\0\0"               /* call the number */
                            "\x41\x89\xdd"                 /* mov r13d, ebx */
                            "\x48\x8b\x74\x24\x10"         /* mov rsi, [rsp+10h]: the first argument */
                            "\xe8\x8f\0\0\0"               /* call the number */
                            "\x31\xff"                     /* xor edi, edi: anywhere */
                            "\x8d\xb3\0\x10\0\0"           /* lea esi, [rbx+1000h]: a page and what comes behind it */
                            "\xba\x03\0\0\0"               /* mov edx, 3: to read and write */
                            "\x41\xba\x01\0\0\0"           /* mov r10d, 1: shared */
                            "\x45\x31\xc0"                 /* xor r8d, r8d: of standard input */
                            "\x41\xb9\0\0\0\x10"           /* mov r9d, 10000000h: from there */
                            "\xb8\x09\0\0\0"               /* mov eax, mmap */
                            "\x0f\x05"                     /* syscall */
                            "\x49\x89\xc4"                 /* mov r12, rax */
                            "\x41\xc7\x04\x24\0\x12\0\x0a" /* mov dword [r12], 0a001200h: item 12h, select and read */
                            "\x89\xd8"                     /* mov eax, ebx */
                            "\x0f\xc8"                     /* bswap eax */
                            "\x41\x89\x44\x24\x04"         /* mov [r12+4], eax: its size */
                            "\x41\xc7\x44\x24\x08\0\0\0\0" /* mov dword [r12+8], 0 */
                            "\x41\xc7\x44\x24\x0c\x10\0\x10\0" /* mov dword [r12+12], 100010h: to 10001000h */
                            "\xbf\x03\0\0\0"                   /* mov edi, 3 */
                            "\xb8\xac\0\0\0"                   /* mov eax, iopl */
                            "\x0f\x05"                         /* syscall */
                            "\xba\x14\x05\0\0"                 /* mov edx, 514h */
                            "\x31\xc0"                         /* xor eax, eax */
                            "\xef"                             /* out dx, eax: the upper half of the address */
                            "\x83\xc2\x04"                     /* add edx, 4 */
                            "\xb8\x10\0\0\0"             /* mov eax, the lower half: its highest byte is the first */
                            "\xef"                       /* out dx, eax: QEMU copies */
                            "\x4b\x8d\xb4\x2c\0\x10\0\0" /* lea rsi, [r12+r13+1000h] */
                            "\x44\x29\xeb"               /* sub ebx, r13d: what is passed over */
                            "\xbf\x01\0\0\0"             /* mov edi, 1: standard output */
                            "\x89\xda"                   /* mov edx, ebx */
                            "\xb8\x01\0\0\0"             /* mov eax, write */
                            "\x0f\x05"                   /* syscall */
                            "\x48\x01\xc6"               /* add rsi, rax */
                            "\x29\xc3"                   /* sub ebx, eax */
                            "\x77\xeb"                   /* ja to the mov edi, 1: it took a part */
                            "\xb8\x3c\0\0\0"             /* mov eax, exit */
                            "\x31\xff"                   /* xor edi, edi */
                            "\x0f\x05"                   /* syscall */
                            "\x31\xdb"                   /* xor ebx, ebx: the number at rsi */
                            "\x31\xc0"                   /* xor eax, eax */
                            "\xac"                       /* lodsb: a digit of it */
                            "\x83\xe8\x30"               /* sub eax, 30h */
                            "\x72\x07"                   /* jb to the ret: its end */
                            "\x6b\xdb\x0a"               /* imul ebx, ebx, 10 */
                            "\x01\xc3"                   /* add ebx, eax */
                            "\xeb\xf1"                   /* jmp to the xor eax, eax */
                            "\xc3";                      /* ret */
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
