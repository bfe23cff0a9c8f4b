/* SPDX-License-Identifier: MIT */
/* A program that writes code, executes each function once, and writes the code again (x86-64). Prints by how many
 * kilobytes the process's anonymous memory has grown since the first round; the process is the emulator's.
 * usage: pmon stat --sample-intervals -- much_code FUNCTIONS ROUNDS */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { LOADS = 32, LOAD_BYTES = 7, FUNCTION = 256 };

static void write_function(unsigned char *at)
{
  for (unsigned i = 0; i < LOADS; i++, at += LOAD_BYTES) { /* mov 8*i(%rdi),%rax: consecutive loads access the same
                                                            * line */
    const unsigned char load[LOAD_BYTES] = {0x48, 0x8b, 0x87, (unsigned char)(8 * i)};
    memcpy(at, load, sizeof load);
  }
  *at = 0xc3; /* ret */
}

static long resident_kb(void)
{
  char line[256];
  long kb = 0;
  FILE *f = fopen("/proc/self/status", "r");
  while (f && fgets(line, sizeof line, f))
    if (sscanf(line, "RssAnon: %ld", &kb) == 1)
      break;
  if (f)
    fclose(f);
  return kb;
}

int main(int argc, char **argv)
{
  static long words[LOADS];
  const size_t functions = argc > 2 ? strtoul(argv[1], NULL, 0) : 0;
  const unsigned long rounds = argc > 2 ? strtoul(argv[2], NULL, 0) : 0;
  unsigned char *code =
      mmap(NULL, functions * FUNCTION, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  long first = 0;

  if (!functions || code == MAP_FAILED)
    return 2;
  for (unsigned long r = 0; r < rounds; r++) {
    for (size_t i = 0; i < functions; i++)
      write_function(code + i * FUNCTION);
    for (size_t i = 0; i < functions; i++)
      ((void (*)(const long *))(code + i * FUNCTION))(words);
    if (!r)
      first = resident_kb();
  }
  printf("%ld\n", resident_kb() - first);
  return 0;
}
