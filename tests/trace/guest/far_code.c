/* SPDX-License-Identifier: MIT */
/* Runs a loop of seven loads from code that it writes to an address, of which all lower bits may be zero (x86-64).
 * usage: far_code ADDRESS (hexadecimal) STEPS */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static const unsigned char loop[] = {
    0x48, 0x8b, 0x06,       /* mov (%rsi),%rax */
    0x48, 0x8b, 0x46, 0x08, /* mov 8(%rsi),%rax, and so on */
    0x48, 0x8b, 0x46, 0x10, 0x48, 0x8b, 0x46, 0x18, 0x48, 0x8b, 0x46, 0x20,
    0x48, 0x8b, 0x46, 0x28, 0x48, 0x8b, 0x46, 0x30, 0x48, 0xff, 0xcf, /* dec %rdi */
    0x75, 0xe0,                                                       /* jne to the first one, 32 bytes back */
    0xc3,                                                             /* ret */
};

int main(int argc, char **argv)
{
  static long words[7];
  void *wanted, *code;

  if (argc != 3 || sscanf(argv[1], "%p", &wanted) != 1)
    return 2;
  code =
      mmap(wanted, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
  if (code != wanted)
    return 1;
  memcpy(code, loop, sizeof loop);
  ((void (*)(long, const long *))code)(strtol(argv[2], NULL, 0), words);
  return 0;
}
