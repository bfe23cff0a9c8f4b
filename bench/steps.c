/* SPDX-License-Identifier: MIT */
/* Repeats one step, on whose result the next one depends or not: measures the cost of instructions on the machine.
 * usage: bench_steps KIND STEPS */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined __x86_64__
#define STEP(text, ...)                                                                                                \
  for (uint64_t i = 0; i < steps; i++)                                                                                 \
  __asm__ volatile(text __VA_ARGS__)

static uint64_t word __attribute__((aligned(64)));
static char room[64] __attribute__((aligned(64)));

/* `wide` has six independent chains, the others have one. */
static int repeat(const char *kind, uint64_t steps)
{
  void *itself = &itself, *at = itself;
  uint64_t x = 3, y = 1;
  double d = 1, e = 1;

  if (!strcmp(kind, "nothing"))
    STEP("", ::: "memory");
  else if (!strcmp(kind, "add"))
    STEP(".rept 32\nadd %1, %0\n.endr", : "+r"(x) : "r"(y));
  else if (!strcmp(kind, "wide"))
    STEP(".rept 6\nadd %0, %%r8\nadd %0, %%r9\nadd %0, %%r10\nadd %0, %%r11\nadd %0, %%rcx\nadd %0, %%rsi\n.endr",
         ::"r"(y)
         : "r8", "r9", "r10", "r11", "rcx", "rsi");
  else if (!strcmp(kind, "mul"))
    STEP(".rept 8\nimul %1, %0\n.endr", : "+r"(x) : "r"(y));
  else if (!strcmp(kind, "fadd"))
    STEP(".rept 8\naddsd %1, %0\n.endr", : "+x"(d) : "x"(e));
  else if (!strcmp(kind, "fmul"))
    STEP(".rept 8\nmulsd %1, %0\n.endr", : "+x"(d) : "x"(e));
  else if (!strcmp(kind, "fdiv"))
    STEP("divsd %1, %0\ndivsd %1, %0", : "+x"(d) : "x"(e));
  else if (!strcmp(kind, "mixed"))
    STEP("imul %1, %0\nadd %1, %0\nimul %1, %0\nadd %1, %0", : "+r"(x) : "r"(y));
  else if (!strcmp(kind, "muls"))
    STEP(".rept 40\nimul %1, %0\n.endr", : "+r"(x) : "r"(y));
  else if (!strcmp(kind, "fdivs"))
    STEP(".rept 20\ndivsd %1, %0\n.endr", : "+x"(d) : "x"(e));
  else if (!strcmp(kind, "loads"))
    STEP(".rept 40\nmov (%0), %0\n.endr", : "+r"(at)::"memory");
  else if (!strcmp(kind, "stores"))
    STEP("mov %0, %%rdi\nmov $64, %%ecx\nrep stosb", ::"r"(room) : "rdi", "rcx", "memory");
  else if (!strcmp(kind, "lockeds"))
    STEP(".rept 20\nlock addq %1, %0\n.endr", : "+m"(word) : "r"(y));
  else if (!strcmp(kind, "locked"))
    STEP("lock addq %1, %0", : "+m"(word) : "r"(y));
  else if (!strcmp(kind, "fence"))
    STEP("mfence", ::: "memory");
  else if (!strcmp(kind, "branch"))
    STEP("mov %0, %%rcx\nshl $13, %%rcx\nxor %%rcx, %0\nmov %0, %%rcx\nshr $7, %%rcx\nxor %%rcx, %0\n"
         "mov %0, %%rcx\nshl $17, %%rcx\nxor %%rcx, %0\ntest $1, %0\njz 1f\nadd $1, %1\n1:",
         : "+r"(x), "+r"(y)::"rcx");
  else
    return -1;
  return 0;
}
#else
static int repeat(const char *kind, uint64_t steps)
{
  (void)kind, (void)steps;
  return -1;
}
#endif

int main(int argc, char **argv)
{
  if (argc == 3 && !repeat(argv[1], strtoull(argv[2], NULL, 0)))
    return 0;
  fprintf(stderr,
          "usage: %s nothing|add|wide|mul|muls|fadd|fmul|fdiv|fdivs|loads|stores|mixed|locked|lockeds|fence|branch "
          "STEPS\n",
          argv[0]);
  return 1;
}
