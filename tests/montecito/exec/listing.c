/* SPDX-License-Identifier: MIT */
/*
 * Instructions for the comparison with binutils. `listing generate SEED N` prints N assembler lines, in equal shares of
 * all rows of the tables, with random operands; `listing disassemble FILE` prints the instructions of a file of bundles
 * that are not fillers.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "machine/montecito/exec/decode.h"
#include "machine/montecito/exec/operations.h"
#include "machine/montecito/exec/registers.h"
#include "machine/montecito/exec/row.h"

static uint64_t seed;

static uint64_t listing_random(void)
{
  seed ^= seed << 13;
  seed ^= seed >> 7;
  seed ^= seed << 17;
  return seed * UINT64_C(0x2545f4914f6cdd1d);
}

static bool is_load(unsigned op)
{
  return (op >= EXEC_LD && op <= EXEC_LD_IMM) || (op >= EXEC_LDF && op <= EXEC_LDFP_IMM);
}

static bool hint_is_defined(const struct exec_instruction *v, uint64_t bits)
{
  const unsigned hint = bits >> 28 & 3;
  if (v->operation >= EXEC_LFETCH && v->operation <= EXEC_LFETCH_IMM)
    return true;
  if (is_load(v->operation) || v->operation == EXEC_CMPXCHG || v->operation == EXEC_XCHG ||
      v->operation == EXEC_FETCHADD || v->operation == EXEC_LD16 || v->operation == EXEC_CMP8XCHG16)
    return hint != 2;
  return (v->operation != EXEC_ST && v->operation != EXEC_ST_IMM && v->operation != EXEC_STF &&
          v->operation != EXEC_STF_IMM && v->operation != EXEC_ST16) ||
         hint % 3 == 0;
}

/* True if the application register of that number belongs to the unit. */
static bool application_fits(const struct exec_instruction *v)
{
  const bool m = strstr(v->row->text, "mov.m");
  return !strstr(v->row->text, "%A") || (exec_application_name(v->r3) && m == (v->r3 < 64));
}

/* True if the operands are valid for the assembler, beyond the fixed bits. */
static bool operands_are_valid(const struct exec_instruction *v, uint64_t bits)
{
  static const uint16_t mux = 1 << 0 | 1 << 8 | 1 << 9 | 1 << 10 | 1 << 11;
  const char *text = v->row->text;
  const unsigned op = v->operation;
  if (strstr(text, "%p,%q") && v->p1 == v->p2)
    return false;
  if ((strstr(text, "%1=") || strstr(text, "%1,ar")) && !v->r1)
    return false;
  if ((strstr(text, "%a=") || strstr(text, "%a,")) && v->r1 < 2)
    return false;
  if (strstr(text, "],") && is_load(op) && (!v->r3 || (v->r3 == v->r1 && !strstr(text, "%a"))))
    return false;
  if (strstr(text, "],") && !v->r3)
    return false;
  if (strstr(text, "%a,%b") && (v->r2 < 2 || (v->r1 ^ v->r2) % 2 == 0))
    return false;
  if (v->row->immediate == IMM_EXTR && v->pos + v->len > 64)
    return false;
  if ((v->row->immediate == IMM_DEP_Z || v->row->immediate == IMM_DEP_Z8 || v->row->immediate == IMM_DEP1 ||
       v->row->immediate == IMM_DEP) &&
      v->pos + v->len > 64)
    return false;
  if (op == EXEC_MUX1 && !(mux >> (v->imm & 15) & 1))
    return false;
  if (op == EXEC_ALLOC && (v->r2 > 96 || v->r3 > v->r2 || 8u * (bits >> 27 & 15) > v->r2 || v->qp))
    return false;
  if (strstr(text, "%C") && !exec_control_name(v->r3))
    return false;
  if (((op == EXEC_PSHRADD || op == EXEC_PSHLADD) && v->imm == 4) || (op == EXEC_HINT && v->imm >> 19) ||
      (strstr(text, "hint.m") && v->imm)) /* binutils shifts the immediate of hint.m by two bits */
    return false;
  return hint_is_defined(v, bits) && application_fits(v);
}

static const char *const bundles[UNIT_N][2] = {[UNIT_M] = {"{ .mmi\n ", "\n nop.m 0x1fff\n nop.i 0x1fff;; }\n"},
                                               [UNIT_I] = {"{ .mmi\n nop.m 0x1fff\n nop.m 0x1fff\n ", ";; }\n"},
                                               [UNIT_F] = {"{ .mfi\n nop.m 0x1fff\n ", "\n nop.i 0x1fff;; }\n"},
                                               [UNIT_B] = {"{ .mmb\n nop.m 0x1fff\n nop.m 0x1fff\n ", ";; }\n"},
                                               [UNIT_X] = {"{ .mlx\n nop.m 0x1fff\n ", ";; }\n"}};

/* The assembler requires (p1) for objdump's (p01), and targets relative to a symbol. */
static void print_for_assembler(const struct exec_row *row, const char *text)
{
  const bool target = strstr(row->text, "%t") || strstr(row->text, "%g") || strstr(row->text, "%T");
  for (const char *c = text; *c; c++) {
    if (c == text && !strncmp(c, "(p0", 3)) {
      printf("(p");
      c += 2;
    } else if (target && !strncmp(c, "0x", 2)) {
      printf("base+0x");
      c++;
    } else {
      putchar(*c);
    }
  }
}

/* The L slot of an X instruction; the assembler's hints have 19 bits, and a brl leaves two bits unused. */
static uint64_t listing_long_bits(unsigned unit, const struct exec_row *row)
{
  if (unit != UNIT_X || row->operation == EXEC_HINT)
    return 0;
  return listing_random() & BITS(40, row->immediate == IMM_60 ? 2 : 0);
}

static bool generate_one(unsigned unit, const struct exec_row *row, uint64_t made)
{
  struct exec_instruction v;
  char text[128];
  for (unsigned tries = 0; tries < 4000; tries++) {
    uint64_t bits = (listing_random() & BITS(40, 0) & ~row->mask) | row->value;
    if (strstr(row->text, "hint.m"))
      bits &= ~(BITS(36, 36) | BITS(25, 6));
    else if (made % 4 == 0 && !strpbrk(row->text, "AC")) /* small register numbers have names of their own */
      bits &= ~(BITS(26, 22) | BITS(19, 15)) | row->value;
    const uint64_t l = listing_long_bits(unit, row);
    if (!exec_decode(unit, bits, l, &v) || v.row != row || !operands_are_valid(&v, bits))
      continue;
    exec_disassemble(&v, bits, made * 16, text, sizeof text);
    printf("%s", bundles[unit][0]);
    if (row->operation == EXEC_ALLOC)
      snprintf(text, sizeof text, "alloc r%u=ar.pfs,%u,0,%u,%u", v.r1, v.r3, v.r2 - v.r3,
               8 * (unsigned)(bits >> 27 & 15));
    print_for_assembler(row, text);
    printf("%s", bundles[unit][1]);
    return true;
  }
  fprintf(stderr, "no operands found for %s\n", row->text);
  return false;
}

static int listing_generate(uint64_t n)
{
  uint64_t made = 0;
  printf(" .text\n .explicit\nbase:\n");
  while (made < n)
    for (unsigned table = 0; table < UNIT_N; table++) {
      size_t rows;
      const struct exec_row *row = exec_rows(table, &rows);
      for (size_t i = 0; i < rows; i++, made++)
        if (!generate_one(table ? table : made & 1 ? UNIT_M : UNIT_I, &row[i], made))
          return 1;
    }
  return 0;
}

static int listing_disassemble(const char *path)
{
  FILE *f = fopen(path, "rb");
  uint64_t bundle[2];
  char text[128];
  if (!f)
    return 1;
  for (uint64_t ip = 0; fread(bundle, sizeof bundle, 1, f) == 1; ip += 16) {
    const struct exec_template *t = &exec_templates[bundle[0] & 31];
    for (unsigned i = 0; i < 3; i++) {
      struct exec_instruction v;
      if (t->unit[i] == UNIT_L)
        continue;
      const uint64_t bits = exec_slot_bits(bundle, i);
      exec_decode(t->unit[i], bits, t->unit[i] == UNIT_X ? exec_slot_bits(bundle, 1) : 0, &v);
      exec_disassemble(&v, bits, ip, text, sizeof text);
      printf("%s%s\n", text, t->stops >> i & 1 ? ";;" : "");
    }
  }
  fclose(f);
  return 0;
}

int main(int argc, char **argv)
{
  if (argc == 4 && !strcmp(argv[1], "generate")) {
    seed = strtoull(argv[2], NULL, 10) * 2654435761u + 88172645463325252u;
    return listing_generate(strtoull(argv[3], NULL, 10));
  }
  if (argc == 3 && !strcmp(argv[1], "disassemble"))
    return listing_disassemble(argv[2]);
  fprintf(stderr, "listing generate SEED N | disassemble FILE\n");
  return 2;
}
