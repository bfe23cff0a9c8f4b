/* SPDX-License-Identifier: MIT */
/*
 * The registers that an instruction reads and writes, and the issue ports that it can take. Both follow from its row:
 * the operands in its text, and its operation.
 */
#include <string.h>
#include "machine/montecito/exec/code.h"
#include "machine/montecito/exec/row.h"
#include "machine/montecito/pipeline/scoreboard.h"

/* ---- ports ---- */

enum ports_of { ON_NONE, ON_M0, ON_M2, ON_M01, ON_M23, ON_M, ON_I0, ON_I, ON_MI, ON_F, ON_B };
static const uint64_t sets[] = {[ON_NONE] = 0,
                                [ON_M0] = IN(P_M0) | IN(P_M01) | IN(P_M) | IN(P_MI),
                                [ON_M2] = IN(P_M2) | IN(P_M23) | IN(P_M) | IN(P_MI),
                                [ON_M01] = IN(P_M01) | IN(P_M) | IN(P_MI),
                                [ON_M23] = IN(P_M23) | IN(P_M) | IN(P_MI),
                                [ON_M] = IN(P_M) | IN(P_MI),
                                [ON_I0] = IN(P_I0) | IN(P_I) | IN(P_MI),
                                [ON_I] = IN(P_I) | IN(P_MI),
                                [ON_MI] = IN(P_MI),
                                [ON_F] = IN(P_F),
                                [ON_B] = IN(P_B)};

/* Table 2-7, whose shading is lost in the guide's text. The choice of the M instructions that lack ports is the model's
 * own, within what 2.1.2 and 2.3.1 state: two integer loads and two stores a cycle, and types for all four ports, for
 * M0 and M1, for M2 and M3, for M0, and for M2. */
static unsigned ports_of_m(const struct exec_instruction *v, const struct montecito_slot *s)
{
  switch (v->operation) {
  case EXEC_LDF:
  case EXEC_LDF_REG:
  case EXEC_LDF_IMM: return s->op == OP_FLOAD ? ON_M : ON_M01;
  case EXEC_LD:
  case EXEC_LD_REG:
  case EXEC_LD_IMM:
  case EXEC_LD16:
  case EXEC_LDFP:
  case EXEC_LDFP_IMM:
  case EXEC_LFETCH:
  case EXEC_LFETCH_REG:
  case EXEC_LFETCH_IMM:
  case EXEC_CHK_A:
  case EXEC_CHK_AF: return ON_M01;
  case EXEC_ST:
  case EXEC_ST_IMM:
  case EXEC_STF:
  case EXEC_STF_IMM:
  case EXEC_ST16:
  case EXEC_CMPXCHG:
  case EXEC_XCHG:
  case EXEC_FETCHADD:
  case EXEC_CMP8XCHG16:
  case EXEC_SETF: return ON_M23;
  case EXEC_GETF:
  case EXEC_ALLOC:
  case EXEC_MOV_TO_AR:
  case EXEC_MOV_TO_AR_IMM:
  case EXEC_MOV_FROM_AR:
  case EXEC_MOV_TO_CR:
  case EXEC_MOV_FROM_CR:
  case EXEC_MOV_TO_PSR:
  case EXEC_MOV_FROM_PSR:
  case EXEC_MOV_TO_INDIRECT:
  case EXEC_MOV_FROM_INDIRECT: return ON_M2;
  case EXEC_NOP:
  case EXEC_HINT:
  case EXEC_BREAK:
  case EXEC_CHK_S:
  case EXEC_CHK_SF: return ON_M;
  default: return ON_M0;
  }
}

/* Table 2-6, whose shading is lost as well; types I9 to I17 have both ports by its note. */
static unsigned ports_of_i(const struct exec_instruction *v)
{
  switch (v->operation) {
  case EXEC_PMPYSHR:
  case EXEC_PMPY:
  case EXEC_MUX1:
  case EXEC_MUX2:
  case EXEC_SHR:
  case EXEC_SHL:
  case EXEC_SHR_IMM:
  case EXEC_SHL_IMM:
  case EXEC_MOV_TO_BR:
  case EXEC_MOV_FROM_BR:
  case EXEC_MOV_TO_PR:
  case EXEC_MOV_TO_PR_ROT:
  case EXEC_MOV_FROM_PR:
  case EXEC_MOV_FROM_IP:
  case EXEC_MOV_TO_AR:
  case EXEC_MOV_TO_AR_IMM:
  case EXEC_MOV_FROM_AR: return ON_I0;
  default: return ON_I;
  }
}

uint64_t exec_ports_of(const struct exec_instruction *v, unsigned unit, const struct montecito_slot *s)
{
  if (s->type == SLOT_A)
    return sets[ON_MI];
  switch (unit) {
  case UNIT_M: return sets[ports_of_m(v, s)];
  case UNIT_I: return sets[ports_of_i(v)];
  case UNIT_X: return sets[s->type == SLOT_B ? ON_B : ON_I];
  case UNIT_F: return sets[ON_F];
  case UNIT_B: return sets[ON_B];
  default: return 0;
  }
}

/* ---- registers ---- */

static bool operation_between(const struct exec_instruction *v, unsigned first, unsigned last)
{
  return v->operation >= first && v->operation <= last;
}

static bool operation_stores(const struct exec_instruction *v)
{
  return v->operation == EXEC_ST || v->operation == EXEC_ST_IMM || operation_between(v, EXEC_STF, EXEC_STF_IMM) ||
         operation_between(v, EXEC_CMPXCHG, EXEC_CMP8XCHG16) || v->operation == EXEC_ST16;
}

static bool operation_is_fmac(const struct exec_instruction *v)
{
  return operation_between(v, EXEC_FMA, EXEC_XMA) || operation_between(v, EXEC_FRCPA, EXEC_FPRSQRTA) ||
         operation_between(v, EXEC_FCVT_FX, EXEC_FCVT_XF);
}

static unsigned consumer_of(const struct exec_instruction *v, bool fp, bool address)
{
  if (address)
    return READS_ADDRESS;
  if (operation_stores(v))
    return READS_STORE_DATA;
  if (v->operation == EXEC_SETF)
    return READS_SETF;
  if (v->operation == EXEC_GETF)
    return READS_GETF;
  if (fp)
    return operation_is_fmac(v) ? READS_FMAC : READS_FMISC;
  return operation_between(v, EXEC_PADD, EXEC_POPCNT) ? READS_MULTIMEDIA : READS_ALU;
}

static unsigned producer_of_register(unsigned number)
{
  switch (number) {
  case AR_LC:
  case AR_EC:
  case AR_PFS: return WRITES_LOOP_AR; /* ar.pfs: the model's own choice */
  case AR_FPSR: return WRITES_SLOW_AR;
  default: return WRITES_OTHER_AR;
  }
}

/* Returns the kind of producer of a general or floating-point register. */
static unsigned producer_of(const struct exec_instruction *v)
{
  switch (v->operation) {
  case EXEC_LD:
  case EXEC_LD_REG:
  case EXEC_LD_IMM:
  case EXEC_LD16:
  case EXEC_CMPXCHG:
  case EXEC_XCHG:
  case EXEC_FETCHADD:
  case EXEC_CMP8XCHG16: return WRITES_LOAD;
  case EXEC_LDF:
  case EXEC_LDF_REG:
  case EXEC_LDF_IMM:
  case EXEC_LDFP:
  case EXEC_LDFP_IMM: return WRITES_FP_LOAD;
  case EXEC_SETF: return WRITES_SETF;
  case EXEC_GETF: return WRITES_GETF;
  case EXEC_PROBE:
  case EXEC_PROBE_IMM:
  case EXEC_TRANSLATE: return WRITES_TRANSLATION;
  case EXEC_MOV_FROM_BR:
  case EXEC_ALLOC: return WRITES_IEU2;
  case EXEC_MOV_FROM_AR: return producer_of_register(v->r3);
  case EXEC_MOV_FROM_CR:
  case EXEC_MOV_FROM_PSR: return WRITES_SLOW_AR;
  case EXEC_MOV_FROM_INDIRECT: return v->sub == 0 || v->sub == 3 ? WRITES_FAST_INDIRECT : WRITES_INDIRECT;
  default: break;
  }
  if (operation_is_fmac(v))
    return WRITES_FMAC;
  if (operation_between(v, EXEC_FSELECT, EXEC_FCHKF))
    return WRITES_FMISC;
  return operation_between(v, EXEC_PADD, EXEC_POPCNT) ? WRITES_MULTIMEDIA : WRITES_ADDER;
}

static unsigned producer_of_predicate(const struct exec_instruction *v)
{
  if (v->operation == EXEC_FCMP || v->operation == EXEC_FCLASS)
    return WRITES_FP_PREDICATE;
  return operation_between(v, EXEC_FRCPA, EXEC_FPRSQRTA) ? WRITES_FP_APPROXIMATION : WRITES_PREDICATE;
}

static unsigned score_of_application(unsigned n)
{
  switch (n) {
  case AR_LC: return SCORE_LC;
  case AR_EC: return SCORE_EC;
  case AR_PFS: return SCORE_PFS;
  case AR_UNAT: return SCORE_UNAT;
  case AR_CCV: return SCORE_CCV;
  case AR_FPSR: return SCORE_FPSR;
  default: return SCORE_OTHER_AR;
  }
}

struct uses {
  struct montecito_dependences *of;
  unsigned reads, writes;
};

static void uses_read(struct uses *u, unsigned number, unsigned consumer)
{
  if (number != SCORE_GR && number != SCORE_FR && number != SCORE_FR + 1 && number != SCORE_PR &&
      u->reads < DEPENDENCE_READS)
    u->of->read[u->reads++] = (uint16_t)(number | consumer << SCORE_BITS);
}

static void uses_write(struct uses *u, unsigned number, unsigned producer)
{
  if (number != SCORE_GR && number != SCORE_PR && u->writes < DEPENDENCE_WRITES)
    u->of->write[u->writes++] = (uint16_t)(number | producer << SCORE_BITS);
}

/* Adds one operand of the text. left: it stands left of the equals sign; inside: it stands within brackets. */
static void operand_add(struct uses *u, const struct exec_instruction *v, char letter, bool left, bool inside)
{
  const bool address = inside && v->operation < EXEC_MOV_TO_INDIRECT;
  const uint8_t field[] = {v->r1, v->r2, v->r3, v->r4};
  if (letter >= '1' && letter <= '3') {
    const unsigned r = SCORE_GR + field[letter - '1'];
    if (left && !inside)
      uses_write(u, r, producer_of(v));
    else
      uses_read(u, r, consumer_of(v, false, address));
  } else if (letter >= 'a' && letter <= 'd') {
    const unsigned f = SCORE_FR + field[letter - 'a'];
    if (left)
      uses_write(u, f, producer_of(v));
    else
      uses_read(u, f, consumer_of(v, true, false));
  } else if ((letter == 'p' || letter == 'q') && left) {
    uses_write(u, SCORE_PR + (letter == 'p' ? v->p1 : v->p2), producer_of_predicate(v));
  } else if (letter == 'k') {
    uses_read(u, SCORE_BR + (v->r2 & 7), READS_BRANCH);
  } else if (letter == 'j') {
    uses_write(u, SCORE_BR + (v->r1 & 7), WRITES_ADDER);
  } else if (letter == 'A') {
    if (left)
      uses_write(u, score_of_application(v->r3), producer_of_register(v->r3));
    else
      uses_read(u, score_of_application(v->r3), READS_ALU);
  } else if (letter == 'C') {
    if (left)
      uses_write(u, SCORE_CR, WRITES_SLOW_AR);
    else
      uses_read(u, SCORE_CR, READS_ALU);
  }
}

/* Adds the registers that the text does not name. */
static void uses_add_implicit(struct uses *u, const struct exec_instruction *v)
{
  switch (v->operation) {
  case EXEC_LD_REG:
  case EXEC_LD_IMM:
  case EXEC_ST_IMM:
  case EXEC_LDF_REG:
  case EXEC_LDF_IMM:
  case EXEC_LDFP_IMM:
  case EXEC_STF_IMM:
  case EXEC_LFETCH_REG:
  case EXEC_LFETCH_IMM: uses_write(u, SCORE_GR + v->r3, WRITES_ADDER); break;
  case EXEC_CMPXCHG: uses_read(u, SCORE_CCV, READS_STORE_DATA); break;
  case EXEC_MOV_TO_PR:
  case EXEC_MOV_TO_PR_ROT: uses_write(u, SCORE_PR + 1, WRITES_ALL_PREDICATES); break;
  case EXEC_ALLOC:
  case EXEC_BR_RET: uses_read(u, SCORE_PFS, READS_ALU); break;
  case EXEC_BR:
    if (v->sub == 5 || v->sub >= 6)
      uses_read(u, SCORE_LC, READS_BRANCH);
    if (v->sub == 2 || v->sub == 3 || v->sub >= 6)
      uses_read(u, SCORE_EC, READS_BRANCH);
    break;
  default: break;
  }
}

void exec_uses_of(const struct exec_instruction *v, struct montecito_dependences *ret)
{
  struct uses u = {ret, 0, 0};
  const bool branch = operation_between(v, EXEC_BR, EXEC_BR_RET);
  bool inside = false;
  *ret = (struct montecito_dependences){0};
  if (!v->row)
    return;
  uses_read(&u, SCORE_PR + v->qp, branch ? READS_BRANCH : READS_PREDICATE);
  const char *equals = strchr(v->row->text, '=');
  for (const char *at = v->row->text; *at; at++) {
    if (*at == '[' || *at == ']')
      inside = *at == '[';
    if (*at == '%' && at[1])
      operand_add(&u, v, at[1], equals && at < equals, inside);
  }
  uses_add_implicit(&u, v);
}

/* True if the place of a register depends on the frame or on rotation. */
static bool number_moves(unsigned n)
{
  return (n >= SCORE_GR + 32 && n < SCORE_FR) || (n >= SCORE_FR + 32 && n < SCORE_PR) ||
         (n >= SCORE_PR + 16 && n < SCORE_BR);
}

bool exec_uses_move(const struct montecito_dependences *u)
{
  bool moves = false;
  for (unsigned i = 0; i < DEPENDENCE_READS; i++)
    moves |= number_moves(u->read[i] & SCORE_MASK);
  for (unsigned i = 0; i < DEPENDENCE_WRITES; i++)
    moves |= number_moves(u->write[i] & SCORE_MASK);
  return moves;
}

static uint16_t use_place(const struct exec_cpu *c, uint16_t use)
{
  const unsigned n = use & SCORE_MASK, kind = use & ~(unsigned)SCORE_MASK;
  if (!number_moves(n))
    return use;
  if (n < SCORE_FR)
    return (uint16_t)(kind | (SCORE_GR + 32 + exec_stack_place(c, n - SCORE_GR)));
  if (n < SCORE_PR)
    return (uint16_t)(kind | (SCORE_FR + exec_fr_place(c, n - SCORE_FR)));
  return (uint16_t)(kind | (SCORE_PR + exec_pr_place(c, n - SCORE_PR)));
}

void exec_uses_place(const struct exec_cpu *c, struct montecito_dependences *u)
{
  for (unsigned i = 0; i < DEPENDENCE_READS && u->read[i]; i++)
    u->read[i] = use_place(c, u->read[i]);
  for (unsigned i = 0; i < DEPENDENCE_WRITES && u->write[i]; i++)
    u->write[i] = use_place(c, u->write[i]);
}
