/* SPDX-License-Identifier: MIT */
#include "cli/sample/code.h"
#include <inttypes.h>
#include <string.h>
#include "cli/sample/sample.h"
#include "machine/montecito/exec/program.h"
#include "machine/montecito/machine.h"

enum { SLOTS = 3, TEXT = 256, BUNDLE = 16 };

void sample_code_open(struct sample_run *r)
{
  char *const *argv = r->stat.target.argv;
  bool begins = true;
  r->n_programs = 0;
  for (unsigned i = 0; argv && argv[i] && r->n_programs < SAMPLE_PROGRAMS; i++) {
    char error[TEXT], *one[] = {argv[i], NULL};
    const struct exec_options options = {.path = argv[i], .argv = one};
    const bool divides = !strcmp(argv[i], "--");
    if (begins && !divides && exec_program_open(&options, error, sizeof error, &r->programs[r->n_programs++]))
      r->programs[r->n_programs - 1] = NULL;
    begins = divides;
  }
}

void sample_code_close(struct sample_run *r)
{
  for (unsigned i = 0; i < r->n_programs; i++) {
    struct montecito_source *source = r->programs[i] ? exec_program_source(r->programs[i]) : NULL;
    if (source)
      source->free(source);
    r->programs[i] = NULL;
  }
  r->n_programs = 0;
}

unsigned sample_code_program(const struct sample_run *r, const struct pmon_sample *sample)
{
  return r->n_programs > 1 ? sample->package : 0; /* one thread for each program, in order */
}

static struct exec_program *program_of(const struct sample_run *r, const struct pmon_sample *sample)
{
  const unsigned i = sample_code_program(r, sample);
  return i < r->n_programs ? r->programs[i] : NULL;
}

static bool text_is_branch(const char *instruction)
{
  if (*instruction == '(') {
    instruction += strcspn(instruction, " ");
    instruction += *instruction == ' ';
  }
  return !strncmp(instruction, "br.", 3) || !strncmp(instruction, "brl.", 4);
}

unsigned sample_code_branch(const struct sample_run *r, const struct pmon_sample *sample)
{
  struct exec_program *program = program_of(r, sample);
  unsigned found = SAMPLE_NO_SLOT;
  for (unsigned slot = SLOTS; program && slot--;) { /* brl is in slots 1 and 2 */
    char instruction[128];
    if (!exec_program_disassemble(program, sample->ip, slot, instruction, sizeof instruction) ||
        !text_is_branch(instruction))
      continue;
    if (found != SAMPLE_NO_SLOT && strncmp(instruction, "brl.", 4) != 0 && !strstr(instruction, ") brl."))
      return SAMPLE_NO_SLOT;
    found = slot;
  }
  return found;
}

void sample_code_describe(const struct sample_run *r, const struct pmon_sample *sample, unsigned slot, char *text,
                          size_t size)
{
  struct exec_program *program = program_of(r, sample);
  const uint64_t ip = sample->ip & ~UINT64_C(15);
  uint64_t offset = 0;
  size_t n = 0;
  *text = 0;
  if (!program)
    return;
  const char *symbol = exec_program_symbol(program, ip, &offset);
  if (symbol)
    n = (size_t)snprintf(text, size, offset ? "%.60s+0x%" PRIx64 : "%.60s", symbol, offset);
  if (slot < SLOTS && n + 3 < size) {
    char instruction[128] = "";
    if (exec_program_disassemble(program, ip, slot, instruction, sizeof instruction))
      snprintf(text + n, size - n, "%s%s", n ? "  " : "", instruction);
  }
}

static uint64_t samples_at(const struct sample_run *r, const struct exec_program *program, uint64_t bundle)
{
  uint64_t n = 0;
  for (size_t i = 0; i < r->n; i++)
    n += (r->samples[i].flags & PMON_SAMPLE_IP) && (r->samples[i].ip & ~UINT64_C(15)) == bundle &&
         program_of(r, &r->samples[i]) == program;
  return n;
}

static void annotate_write(struct sample_run *r, const char *text)
{
  stat_output_write(&r->stat.output, text, strlen(text));
}

static void annotate_bundle(struct sample_run *r, struct exec_program *program, uint64_t ip)
{
  char text[TEXT], count[24] = "", instruction[128] = "", before[128] = "";
  const uint64_t n = samples_at(r, program, ip);
  if (n)
    snprintf(count, sizeof count, "%" PRIu64, n);
  for (unsigned slot = 0; slot < SLOTS; slot++) {
    if (!exec_program_disassemble(program, ip, slot, instruction, sizeof instruction))
      return;
    if (slot == 0)
      snprintf(text, sizeof text, "%9s  0x%" PRIx64 "  %s\n", count, ip, instruction);
    else
      snprintf(text, sizeof text, "%9s  %18s  %s\n", "", "", instruction);
    if (strcmp(instruction, before) || slot != 2) /* a long instruction is in slots 1 and 2 */
      annotate_write(r, text);
    memcpy(before, instruction, sizeof before);
  }
}

/* Prints the code from the function's first bundle up to the next symbol. */
static void annotate_function(struct sample_run *r, struct exec_program *program, uint64_t first, const char *symbol)
{
  uint64_t offset = 0;
  char text[TEXT];
  snprintf(text, sizeof text, "\n%9s  %.60s:\n", "samples", symbol);
  annotate_write(r, text);
  for (uint64_t ip = first;; ip += BUNDLE) {
    const char *name = exec_program_symbol(program, ip, &offset);
    char instruction[128];
    if (!name || ip - offset != first || !exec_program_disassemble(program, ip, 0, instruction, sizeof instruction))
      return;
    annotate_bundle(r, program, ip);
  }
}

static void annotate_program(struct sample_run *r, struct exec_program *program)
{
  uint64_t done = 0; /* functions below this address were printed */
  for (;;) {
    uint64_t next = UINT64_MAX, offset = 0;
    const char *name = NULL;
    for (size_t i = 0; i < r->n; i++) {
      const char *symbol = r->samples[i].flags & PMON_SAMPLE_IP && program_of(r, &r->samples[i]) == program
                               ? exec_program_symbol(program, r->samples[i].ip, &offset)
                               : NULL;
      const uint64_t first = (r->samples[i].ip & ~UINT64_C(15)) - (offset & ~UINT64_C(15));
      if (symbol && first >= done && first < next) {
        next = first;
        name = symbol;
      }
    }
    if (!name)
      return;
    annotate_function(r, program, next, name);
    done = next + 1;
  }
}

void sample_code_annotate(struct sample_run *r)
{
  for (unsigned i = 0; i < r->n_programs; i++)
    if (r->programs[i])
      annotate_program(r, r->programs[i]);
}
