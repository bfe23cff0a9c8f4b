/* SPDX-License-Identifier: MIT */
/*
 * Random programs through the executor and the pipeline, and through a second interpreter: after each, the registers,
 * the memory, and the place and cause of the program's end are equal. Usage: test_random [PROGRAMS [FIRST-SEED]]
 */
#include <elf.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "machine/montecito/machine.h"
#include "machine/montecito/exec/process.h"
#include "machine/montecito/stream/record.h"
#include "tests/montecito/exec/random/random.h"

enum { CODE_OFFSET = 1024, CODE_ROOM = MOST_BUNDLES * 16, FORMS = FORM_NOTHING + 1 };

struct image {
  Elf64_Ehdr elf;
  Elf64_Phdr segment[2];
  uint8_t rest[CODE_OFFSET - sizeof(Elf64_Ehdr) - 2 * sizeof(Elf64_Phdr)];
  uint64_t code[MOST_BUNDLES][2];
  uint8_t data[DATA_BYTES];
};

static struct program program;
static struct image image;
static struct sim sim;
static uint64_t ends[SIM_STEPS + 1], steps, executed[FORMS], transfers;

static void image_make(void)
{
  memset(&image, 0, CODE_OFFSET);
  image.elf = (Elf64_Ehdr){.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, 1},
                           .e_type = ET_EXEC,
                           .e_machine = EM_IA_64,
                           .e_version = 1,
                           .e_entry = CODE_BASE,
                           .e_phoff = sizeof(Elf64_Ehdr),
                           .e_ehsize = sizeof(Elf64_Ehdr),
                           .e_phentsize = sizeof(Elf64_Phdr),
                           .e_phnum = 2};
  image.segment[0] = (Elf64_Phdr){.p_type = PT_LOAD,
                                  .p_flags = PF_R | PF_X,
                                  .p_offset = CODE_OFFSET,
                                  .p_vaddr = CODE_BASE,
                                  .p_filesz = (uint64_t)program.n * 16,
                                  .p_memsz = (uint64_t)program.n * 16};
  image.segment[1] = (Elf64_Phdr){.p_type = PT_LOAD,
                                  .p_flags = PF_R | PF_W,
                                  .p_offset = CODE_OFFSET + CODE_ROOM,
                                  .p_vaddr = DATA_BASE,
                                  .p_filesz = DATA_BYTES,
                                  .p_memsz = DATA_BYTES};
  for (unsigned i = 0; i < program.n; i++)
    bundle_encode(&program.bundle[i], i, image.code[i]);
  memcpy(image.data, program.data, DATA_BYTES);
}

/* Returns the program as the executor left it; NULL: it could not be loaded. */
static struct exec_program *image_run(struct montecito_machine *m)
{
  struct exec_program *p;
  struct montecito_record r;
  char path[64], error[512] = "";
  char *argv[] = {path, NULL};
  bool ended = false;
  const int fd = memfd_create("program", MFD_CLOEXEC);
  snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
  if (fd < 0 || write(fd, &image, sizeof image) != (ssize_t)sizeof image ||
      exec_program_open(&(struct exec_options){.path = path, .argv = argv, .most_bundles = program.most_steps}, error,
                        sizeof error, &p)) {
    printf("cannot load: %s\n", error);
    return NULL;
  }
  close(fd);
  struct montecito_source *s = exec_program_source(p);
  exec_program_set_machine(p, m);
  while (!ended) {
    if (s->next(s, &r, &ended, error, sizeof error) ||
        (!ended && montecito_machine_apply(m, &r, error, sizeof error))) {
      printf("cannot run: %s\n", error);
      return NULL;
    }
    transfers += r.kind == RECORD_RSE;
  }
  return p;
}

/* ---- comparison ---- */

static unsigned wrong;
static bool quiet;

static void compare_value(const char *what, unsigned n, uint64_t is, uint64_t wanted)
{
  if (is == wanted)
    return;
  if (wrong++ < 6 && !quiet)
    printf("  %s%u: executor %#" PRIx64 ", second interpreter %#" PRIx64 "\n", what, n, is, wanted);
}

static void compare_registers(const struct exec_cpu *c)
{
  for (unsigned r = 1; r < 32 + sim.sof; r++) {
    const struct value x = sim_gr(&sim, r);
    if (r == 12 || x.undefined)
      continue;
    compare_value("r", r, exec_gr(c, r).v, x.v);
    compare_value("NaT of r", r, exec_gr(c, r).nat, x.nat);
  }
  for (unsigned f = 0; f < 128; f++) {
    const struct float_value x = sim_fr(&sim, f);
    compare_value("significand of f", f, exec_fr(c, f).significand, x.significand);
    compare_value("exponent of f", f, exec_fr(c, f).exponent, x.exponent);
    compare_value("sign of f", f, exec_fr(c, f).sign, x.sign);
  }
  for (unsigned i = 0; i < 64; i++)
    compare_value("p", i, c->pr >> i & 1, sim.pr[i]);
  for (unsigned i = 0; i < 8; i++)
    compare_value("b", i, c->br[i], sim.br[i]);
}

static void compare_rest(struct exec_program *p)
{
  static const uint8_t faults[] = {
      [SIM_BREAK] = FAULT_BREAK, [SIM_NAT] = FAULT_NAT, [SIM_PAGE] = FAULT_PAGE, [SIM_STEPS] = FAULT_LIMIT};
  const struct exec_cpu *c = &p->cpu;
  uint8_t data[DATA_BYTES];
  compare_value("why it ended: ", 0, c->fault.kind, faults[sim.end]);
  compare_value("bundle", 0, c->ip, CODE_BASE + 16 * (uint64_t)sim.at);
  if (sim.end != SIM_STEPS)
    compare_value("slot", 0, c->fault.slot, sim.slot);
  compare_value("frame", 0, c->frame.sof | (unsigned)c->frame.sol << 8 | (unsigned)c->frame.sor << 16,
                sim.sof | sim.sol << 8 | sim.sor << 16);
  compare_value("rotation", 0, c->frame.rrb_gr | (unsigned)c->frame.rrb_fr << 8 | (unsigned)c->frame.rrb_pr << 16,
                sim.rrb_gr | sim.rrb_fr << 8 | sim.rrb_pr << 16);
  compare_value("ar.lc", 65, c->ar[AR_LC], sim.lc);
  compare_value("ar.ec", 66, c->ar[AR_EC], sim.ec);
  compare_value("ar.pfs", 64, c->ar[AR_PFS], sim.pfs);
  compare_value("ar.ccv", 32, c->ar[AR_CCV], sim.ccv);
  compare_value("ar.unat", 36, c->ar[AR_UNAT], sim.unat);
  if (!exec_memory_read(&p->memory, DATA_BASE, data, sizeof data))
    compare_value("data", 0, 0, 1);
  for (unsigned i = 0; i < DATA_BYTES; i++)
    compare_value("byte ", i, data[i], sim.data[i]);
}

static void print_bundle(unsigned number)
{
  const struct bundle *b = &program.bundle[number];
  printf("  bundle %u:", number);
  for (unsigned i = 0; i < 3; i++)
    if (b->slot[i].row)
      printf(" (p%u) %s %u, %u = %u, %u, imm %" PRId64 ", pos %u, len %u; p%u, p%u", b->slot[i].qp,
             b->slot[i].row->name, b->slot[i].r1, b->slot[i].r4, b->slot[i].r2, b->slot[i].r3, b->slot[i].imm,
             b->slot[i].pos, b->slot[i].len, b->slot[i].p1, b->slot[i].p2);
  putchar('\n');
}

/* Runs the program in both; returns false if they differ. */
static bool program_run(struct montecito_machine *m)
{
  sim_run(&sim, &program);
  struct exec_program *p = image_run(m);
  if (!p)
    return false;
  wrong = 0;
  compare_rest(p);
  compare_registers(&p->cpu);
  if (wrong && !quiet && p->cpu.fault.kind && sim.end != SIM_BREAK)
    fputs(p->fault_text, stdout);
  exec_program_source(p)->free(exec_program_source(p));
  return !wrong;
}

/* Finds the first bundle after which the two differ. */
static void explain_difference(struct montecito_machine *m, uint64_t seed)
{
  uint64_t good = 0, bad = sim.steps;
  printf("seed %" PRIu64 ": %u differences, %u bundles, %" PRIu64 " steps\n", seed, wrong, program.n, sim.steps);
  quiet = true;
  while (bad > good + 1) {
    program.most_steps = good + (bad - good) / 2;
    if (program_run(m))
      good = program.most_steps;
    else
      bad = program.most_steps;
  }
  program.most_steps = good;
  program_run(m);
  print_bundle(sim.at);
  quiet = false;
  program.most_steps = bad;
  program_run(m);
}

static bool seed_run(struct montecito_machine *m, uint64_t seed)
{
  program_generate(&program, seed);
  image_make();
  const bool same = program_run(m);
  ends[sim.end]++;
  steps += sim.steps;
  for (unsigned i = 0; i < FORMS; i++)
    executed[i] += sim.executed[i];
  if (!same)
    explain_difference(m, seed);
  return same;
}

int main(int argc, char **argv)
{
  const uint64_t n = argc > 1 ? strtoull(argv[1], NULL, 10) : 1000, first = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
  struct montecito_machine *m;
  uint64_t failed = 0, absent = 0;
  if (montecito_machine_new(&m))
    return 1;
  for (uint64_t i = 0; i < n && failed < 5; i++)
    failed += !seed_run(m, first + i);
  for (unsigned i = 0; i < FORMS; i++)
    absent += !executed[i];
  printf("%" PRIu64 " programs, %zu kinds of instructions, %" PRIu64 " bundles, %" PRIu64
         " transfers of the register stack; ended by break %" PRIu64 ", NaT %" PRIu64 ", page %" PRIu64
         ", limit %" PRIu64 "\n",
         n, row_count(), steps, transfers, ends[SIM_BREAK], ends[SIM_NAT], ends[SIM_PAGE], ends[SIM_STEPS]);
  if (n >= 500 && (absent || !transfers || ends[SIM_BREAK] < n / 2))
    printf("%" PRIu64 " formats were never executed, or too few programs ran to their end\n", absent), failed++;
  montecito_machine_close_cycles(m);
  montecito_machine_free(m);
  printf("%" PRIu64 " passed, %" PRIu64 " failed\n", n - failed, failed);
  return failed != 0;
}
