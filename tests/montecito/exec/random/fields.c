/* SPDX-License-Identifier: MIT */
#include "tests/montecito/exec/random/fields.h"

uint64_t next_random(uint64_t *state)
{
  uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
  z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
  return z ^ z >> 31;
}

unsigned random_below(uint64_t *state, unsigned n)
{
  return (unsigned)(next_random(state) >> 16) % n;
}

/* Returns a random word; extreme values are frequent. */
int64_t random_word(uint64_t *state)
{
  static const uint64_t special[] = {
      0, 1, UINT64_MAX, UINT64_C(1) << 63, INT64_MAX, 0x7f7f7f7f80808080, 0x80007fff8000};
  const uint64_t r = next_random(state);
  if (r % 4 == 0)
    return (int64_t)special[r / 4 % (sizeof special / sizeof *special)];
  return (int64_t)(next_random(state) >> (r / 4 % 3 ? 0 : r / 16 % 64));
}

unsigned random_source(uint64_t *state, const struct frame *f)
{
  const unsigned r = random_below(state, 32);
  return random_below(state, 2) && f->sof ? 32 + random_below(state, f->sof) : r == REG_STACK ? 0 : r;
}

unsigned random_target(uint64_t *state, const struct frame *f)
{
  for (;;) {
    const unsigned r = random_below(state, 2) && f->sof ? 32 + random_below(state, f->sof) : random_below(state, 32);
    const bool bound = r < 2 || (r >= REG_CHECKED && r <= 13) || r == REG_COUNT ||
                       (r >= 32 && (r == frame_pfs(f) || r == frame_b0(f)));
    if (!bound)
      return r;
  }
}

static unsigned random_predicate(uint64_t *state)
{
  const unsigned p = random_below(state, 64);
  return p == PRED_WHILE || p == PRED_VALID ? 0 : p;
}

static unsigned random_float(uint64_t *state, bool written)
{
  const unsigned f = random_below(state, 3) ? 32 + random_below(state, 96) : random_below(state, 32);
  return written && f < 2 ? f + 2 : f;
}

static int64_t random_signed(uint64_t *state, unsigned bits)
{
  return (int64_t)random_below(state, 1u << bits) - (1 << (bits - 1));
}

/* Immediates, positions, lengths. */
static void random_details(uint64_t *state, struct insn *v)
{
  static const int64_t increments[] = {-16, -8, -4, -1, 1, 4, 8, 16};
  static const uint8_t counts[] = {0, 7, 15, 16};
  v->pos = (uint8_t)random_below(state, 64);
  v->len = (uint8_t)(1 + random_below(state, 64));
  switch (v->row->form) {
  case FORM_COUNT: v->len = (uint8_t)(1 + random_below(state, v->row->b ? 3 : 4)); break;
  case FORM_IMM8:
  case FORM_CMP_IMM:
  case FORM_DEPZ_IMM: v->imm = random_signed(state, 8); break;
  case FORM_IMM14: v->imm = random_signed(state, 14); break;
  case FORM_IMM22:
    v->imm = random_signed(state, 22);
    v->r3 &= 3;
    break;
  case FORM_RIGHT:
  case FORM_LEFT: v->pos &= v->row->a == 2 && v->row->form == FORM_LEFT ? 15 : 31; break;
  case FORM_MULTIPLY: v->len = counts[random_below(state, 4)]; break;
  case FORM_MUX2: v->imm = random_below(state, 256); break;
  case FORM_DEP: v->len = (uint8_t)(1 + random_below(state, 16)); break;
  case FORM_DEP_IMM: v->imm = random_below(state, 2); break;
  case FORM_TO_PR: v->imm = (int64_t)random_below(state, 1 << 16) * 2 & ~(INT64_C(3) << PRED_VALID); break;
  case FORM_PR_ROT: v->imm = (int64_t)(next_random(state) & UINT64_C(0xfffffff0000)); break;
  case FORM_LD_IMM:
  case FORM_ST_IMM: v->imm = random_signed(state, 9); break;
  case FORM_FETCHADD: v->imm = increments[random_below(state, 8)]; break;
  default: break;
  }
  if (v->row->form == FORM_PR_ROT && v->imm >> 43 & 1) /* the highest of 28 bits is the sign */
    v->imm |= ~INT64_C(0xfffffffffff);
}

struct insn random_fields(uint64_t *state, const struct frame *f, const struct row *row)
{
  struct insn v = {.row = row};
  const uint8_t form = row->form;
  v.r1 = (uint8_t)random_target(state, f);
  v.r2 = (uint8_t)random_source(state, f);
  v.r3 = (uint8_t)random_source(state, f);
  if (form == FORM_F3 || form == FORM_F4 || form == FORM_APPROXIMATE) {
    v.r2 = (uint8_t)random_float(state, false);
    v.r3 = (uint8_t)random_float(state, false);
    v.r4 = (uint8_t)random_float(state, false);
  }
  if (form == FORM_F3 || form == FORM_F4 || form == FORM_APPROXIMATE || form == FORM_SETF || form == FORM_LDF)
    v.r1 = (uint8_t)random_float(state, true);
  if (form == FORM_GETF || form == FORM_STF)
    v.r2 = (uint8_t)random_float(state, false);
  if (form == FORM_TO_BR)
    v.r1 = (uint8_t)(1 + random_below(state, 7));
  if (form == FORM_FROM_BR)
    v.r2 = (uint8_t)random_below(state, 8);
  if (form == FORM_CMP_ZERO)
    v.r2 = 0;
  if (form >= FORM_RIGHT && form <= FORM_TNAT && row->form != FORM_RIGHT)
    v.pos = 0;
  v.p1 = (uint8_t)random_predicate(state);
  do
    v.p2 = (uint8_t)random_predicate(state);
  while (v.p2 == v.p1);
  if (form == FORM_APPROXIMATE) {
    v.p1 = 0;
    v.r2 = row->b ? 0 : v.r2;
  }
  v.qp = random_below(state, 3) ? 0 : (uint8_t)random_predicate(state);
  random_details(state, &v);
  return v;
}

enum {
  W1 = 1,
  R2 = 2,
  R3 = 4,
  W3 = 8,
  P12 = 16,
  FW1 = 32,
  FR2 = 64,
  FR34 = 128,
  BW = 256,
  BR = 512,
  PW = 1024,
  PR = 2048,
  OTHER = 4096
};
/* The registers that each form uses. OTHER: a register that no field names; at most one instruction of a bundle uses
 * it. */
static const uint16_t form_uses[FORM_NOTHING + 1] = {[FORM_R3] = W1 | R2 | R3,
                                                     [FORM_COUNT] = W1 | R2 | R3,
                                                     [FORM_IMM8] = W1 | R3,
                                                     [FORM_IMM14] = W1 | R3,
                                                     [FORM_IMM22] = W1 | R3,
                                                     [FORM_CMP] = P12 | R2 | R3,
                                                     [FORM_CMP_ZERO] = P12 | R3,
                                                     [FORM_CMP_IMM] = P12 | R3,
                                                     [FORM_RIGHT] = W1 | R3,
                                                     [FORM_LEFT] = W1 | R2,
                                                     [FORM_R1_R3] = W1 | R3,
                                                     [FORM_MUX1] = W1 | R2,
                                                     [FORM_MUX2] = W1 | R2,
                                                     [FORM_MULTIPLY] = W1 | R2 | R3,
                                                     [FORM_SHRP] = W1 | R2 | R3,
                                                     [FORM_EXTR] = W1 | R3,
                                                     [FORM_DEPZ] = W1 | R2,
                                                     [FORM_DEPZ_IMM] = W1,
                                                     [FORM_DEP_IMM] = W1 | R3,
                                                     [FORM_DEP] = W1 | R2 | R3,
                                                     [FORM_TBIT] = P12 | R3,
                                                     [FORM_TNAT] = P12 | R3,
                                                     [FORM_TO_BR] = BW | R2,
                                                     [FORM_FROM_BR] = W1 | BR,
                                                     [FORM_TO_PR] = PW | R2,
                                                     [FORM_PR_ROT] = PW,
                                                     [FORM_R1] = W1 | PR | OTHER,
                                                     [FORM_TO_AR] = R2 | OTHER,
                                                     [FORM_TO_EC] = OTHER,
                                                     [FORM_CHK_S] = R2,
                                                     [FORM_CHK_A] = 0,
                                                     [FORM_LD] = W1 | R3 | OTHER,
                                                     [FORM_LD_REG] = W1 | R2 | R3 | W3,
                                                     [FORM_LD_IMM] = W1 | R3 | W3 | OTHER,
                                                     [FORM_ST] = R2 | R3 | OTHER,
                                                     [FORM_ST_IMM] = R2 | R3 | W3 | OTHER,
                                                     [FORM_XCHG] = W1 | R2 | R3 | OTHER,
                                                     [FORM_FETCHADD] = W1 | R3,
                                                     [FORM_ALLOC] = W1 | OTHER,
                                                     [FORM_BREAK] = 0,
                                                     [FORM_SETF] = FW1 | R2,
                                                     [FORM_GETF] = W1 | FR2,
                                                     [FORM_LDF] = FW1 | R3,
                                                     [FORM_STF] = FR2 | R3,
                                                     [FORM_F4] = FW1 | FR2 | FR34,
                                                     [FORM_F3] = FW1 | FR2 | FR34,
                                                     [FORM_APPROXIMATE] = FW1 | FR2 | FR34 | P12,
                                                     [FORM_BR] = PR,
                                                     [FORM_CALL] = BW,
                                                     [FORM_RET] = BR,
                                                     [FORM_MOVL] = W1,
                                                     [FORM_NOTHING] = PR};

static void bit_set(uint64_t set[2], unsigned bit)
{
  set[bit / 64] |= UINT64_C(1) << bit % 64;
}

static struct uses uses_of(const struct insn *v)
{
  const unsigned what = form_uses[v->row->form];
  struct uses u = {.pr_read = what & PR ? UINT64_MAX : UINT64_C(1) << v->qp,
                   .pr_written = what & PW ? UINT64_MAX : 0,
                   .other_read = (what & BR) != 0,
                   .other_written = (unsigned)((what & BW) != 0) | (unsigned)((what & OTHER) != 0) << 1};
  if (what & P12)
    u.pr_written |= UINT64_C(1) << v->p1 | UINT64_C(1) << v->p2;
  if (what & W1)
    bit_set(u.gr_written, v->r1);
  if (what & W3)
    bit_set(u.gr_written, v->r3);
  if (what & R2)
    bit_set(u.gr_read, v->r2);
  if (what & R3)
    bit_set(u.gr_read, v->r3);
  if (what & FW1)
    bit_set(u.fr_written, v->r1);
  if (what & FR2)
    bit_set(u.fr_read, v->r2);
  if (what & FR34) {
    bit_set(u.fr_read, v->r3);
    bit_set(u.fr_read, v->r4);
  }
  u.pr_read &= ~UINT64_C(1); /* p0 and r0 are constants */
  u.pr_written &= ~UINT64_C(1);
  return u;
}

bool uses_add(struct uses *u, const struct insn *v)
{
  const struct uses n = uses_of(v);
  uint64_t clash = (u->pr_written & (n.pr_read | n.pr_written)) | (u->pr_read & n.pr_written) |
                   (u->other_written & (n.other_read | n.other_written)) | (u->other_read & n.other_written);
  for (unsigned i = 0; i < 2; i++)
    clash |= (u->gr_written[i] & (n.gr_read[i] | n.gr_written[i])) | (u->gr_read[i] & n.gr_written[i]) |
             (u->fr_written[i] & (n.fr_read[i] | n.fr_written[i])) | (u->fr_read[i] & n.fr_written[i]);
  if (clash)
    return false;
  for (unsigned i = 0; i < 2; i++) {
    u->gr_read[i] |= n.gr_read[i];
    u->gr_written[i] |= n.gr_written[i];
    u->fr_read[i] |= n.fr_read[i];
    u->fr_written[i] |= n.fr_written[i];
  }
  u->pr_read |= n.pr_read;
  u->pr_written |= n.pr_written;
  u->other_read |= n.other_read;
  u->other_written |= n.other_written;
  return true;
}
