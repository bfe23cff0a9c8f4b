/* SPDX-License-Identifier: MIT */
/* Starts a process as Linux does: memory for the stack and the register stack, arguments, registers. */
#include <elf.h>
#include <string.h>
#include <pmon/status.h>
#include "machine/montecito/exec/process.h"

enum { SCRATCH = 16, MOST_WORDS = 4096, USUAL_BYTES = 128 << 10 };
/* ar.fpsr as Linux initializes it for processes: all traps masked, full precision in sf0. */
#define FPSR_START UINT64_C(0x9804c0270033f)
/* Level 3; instruction and data translation, interrupts, and the user and system monitors are on; bank 1 of r16 to
 * r31. */
#define PSR_START                                                                                                      \
  (PSR_UP | PSR_PP | PSR_IC | PSR_I | UINT64_C(1) << 17 | UINT64_C(1) << 27 | UINT64_C(1) << 36 | UINT64_C(1) << 44 |  \
   UINT64_C(3) << PSR_CPL_SHIFT)

struct words {
  uint64_t word[MOST_WORDS];
  size_t n;
};

static bool words_add(struct words *w, uint64_t value)
{
  if (w->n == MOST_WORDS)
    return false;
  w->word[w->n++] = value;
  return true;
}

/* Copies strings to addresses below *top, and appends their addresses and a final 0 to the vector. */
static bool strings_add(struct exec_program *p, char *const *text, uint64_t *top, struct words *w)
{
  for (size_t i = 0; text && text[i]; i++) {
    const size_t n = strlen(text[i]) + 1;
    if (n > EXEC_STACK_BYTES / 2 || *top - n < EXEC_STACK_TOP - EXEC_STACK_BYTES / 2)
      return false;
    *top -= n;
    if (!exec_memory_write(&p->memory, *top, text[i], n) || !words_add(w, *top))
      return false;
  }
  return words_add(w, 0);
}

static bool auxiliary_add(const struct exec_program *p, struct words *w)
{
  const uint64_t pairs[][2] = {{AT_PHDR, p->phdr_address},
                               {AT_PHENT, sizeof(Elf64_Phdr)},
                               {AT_PHNUM, p->phdr_n},
                               {AT_PAGESZ, EXEC_PAGE_BYTES},
                               {AT_ENTRY, p->entry},
                               {AT_UID, 0},
                               {AT_GID, 0},
                               {AT_NULL, 0}};
  for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
    if (!words_add(w, pairs[i][0]) || !words_add(w, pairs[i][1]))
      return false;
  return true;
}

static void registers_start(struct exec_program *p, uint64_t sp)
{
  struct exec_cpu *c = &p->cpu;
  c->gr[12] = sp;
  c->pr = 1;
  c->fr[1] = (struct exec_float){UINT64_C(1) << 63, EXPONENT_BIAS, false};
  c->ar[AR_RSC] = 0xc; /* level 3, lazy */
  c->ar[AR_FPSR] = FPSR_START;
  c->psr = PSR_START;
  c->user_mask_changed = true;
  exec_set_bspstore(c, EXEC_BACKING);
  c->ip = p->entry & ~UINT64_C(15);
}

int exec_process_start(struct exec_program *p, const struct exec_options *options)
{
  static const uint64_t none = 0;
  struct words w = {.n = 1};
  uint64_t top = EXEC_STACK_TOP;
  int status = exec_memory_map(&p->memory, top - EXEC_STACK_BYTES, EXEC_STACK_BYTES, EXEC_READ | EXEC_WRITE);
  if (!status)
    status = exec_memory_map(&p->memory, EXEC_BACKING, EXEC_BACKING_BYTES, EXEC_READ | EXEC_WRITE);
  if (status)
    return status;
  p->map_next = EXEC_MAP;
  if (!strings_add(p, options->argv, &top, &w))
    return PMON_E_RANGE;
  w.word[0] = w.n - 2;
  if (!strings_add(p, options->environment, &top, &w) || !auxiliary_add(p, &w))
    return PMON_E_RANGE;
  top -= w.n * 8;
  if (top > EXEC_STACK_TOP - USUAL_BYTES) /* small environments do not move the program's stack */
    top = EXEC_STACK_TOP - USUAL_BYTES;
  top &= ~UINT64_C(15);
  if (!exec_memory_write(&p->memory, top, w.word, w.n * 8) || !exec_memory_write(&p->memory, top - 8, &none, 8))
    return PMON_E_RANGE;
  registers_start(p, top - SCRATCH);
  return PMON_OK;
}
