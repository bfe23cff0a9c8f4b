/* SPDX-License-Identifier: MIT */
/* Branches, checks, the register stack, moves between register files (formats B1 to B8, I20 to I28, M20 to M34). */
#include "tests/montecito/exec/random/state.h"

static uint64_t address_of(unsigned bundle)
{
  return CODE_BASE + 16 * (uint64_t)bundle;
}

static void rotate(struct sim *s)
{
  s->rrb_gr = s->sor ? (s->rrb_gr + s->sor - 1) % s->sor : 0;
  s->rrb_fr = (s->rrb_fr + 95) % 96;
  s->rrb_pr = (s->rrb_pr + 47) % 48;
}

static void do_br_cond(struct sim *s, const struct insn *v)
{
  if (s->pr[sim_pr_place(s, v->qp)])
    sim_jump(s, v->target);
}
static void do_br_cloop(struct sim *s, const struct insn *v)
{
  if (!s->lc)
    return;
  s->lc--;
  sim_jump(s, v->target);
}
/* Counted and while loops: `goes`: the kernel continues; `epilog`: stages remain. a: exits. */
static void loop_branch(struct sim *s, const struct insn *v, bool goes, bool counted)
{
  const bool stays = goes || s->ec > 1;
  if (goes) {
    s->lc -= counted;
    s->pr[sim_pr_place(s, 63)] = counted;
    rotate(s);
  } else {
    s->pr[sim_pr_place(s, 63)] = false;
    if (s->ec) {
      s->ec--;
      rotate(s);
    }
  }
  if (stays != (bool)v->row->a)
    sim_jump(s, v->target);
}
static void do_br_counted(struct sim *s, const struct insn *v)
{
  loop_branch(s, v, s->lc != 0, true);
}
static void do_br_while(struct sim *s, const struct insn *v)
{
  loop_branch(s, v, s->pr[sim_pr_place(s, v->qp)], false);
}
static void do_call(struct sim *s, const struct insn *v)
{
  s->br[v->r1] = address_of(s->at + 1);
  s->pfs = sim_marker(s) | s->ec << 52 | UINT64_C(3) << 62;
  s->base += s->sol;
  s->sof -= s->sol;
  s->sol = s->sor = s->rrb_gr = s->rrb_fr = s->rrb_pr = 0;
  sim_jump(s, v->target);
}
static void set_undefined(struct sim *s, unsigned from, unsigned to)
{
  for (unsigned i = from; i < to; i++)
    s->stacked[s->base + i].undefined = true;
}
static void do_ret(struct sim *s, const struct insn *v)
{
  sim_set_marker(s, s->pfs);
  s->base -= s->sol;
  s->ec = s->pfs >> 52 & 63;
  set_undefined(s, s->sol, s->sof);
  sim_jump(s, (unsigned)((s->br[v->r2] - CODE_BASE) / 16));
}
static void do_clrrrb(struct sim *s, const struct insn *v)
{
  s->rrb_pr = 0;
  if (!v->row->a)
    s->rrb_gr = s->rrb_fr = 0;
}
static void do_alloc(struct sim *s, const struct insn *v)
{
  set_undefined(s, s->sof, v->pos);
  s->sof = v->pos;
  s->sol = v->len;
  s->sor = (unsigned)v->imm * 8;
  sim_gr_set(s, v->r1, s->pfs, false);
}

static void do_chk_s(struct sim *s, const struct insn *v)
{
  if (sim_gr(s, v->r2).nat)
    sim_jump(s, v->target);
}
/* Whether the entry is still present is implementation-dependent: both cases lead to the same bundle. */
static void do_chk_a(struct sim *s, const struct insn *v)
{
  sim_jump(s, v->target);
}
static void do_break(struct sim *s, const struct insn *v)
{
  (void)v;
  sim_stop(s, SIM_BREAK);
}

static void do_to_br(struct sim *s, const struct insn *v)
{
  const uint64_t x = sim_gr_consumed(s, v->r2);
  if (s->end == SIM_RUNS)
    s->br[v->r1] = x;
}
static void do_from_br(struct sim *s, const struct insn *v)
{
  sim_gr_set(s, v->r1, s->br[v->r2], false);
}
/* Moves of all predicates take no notice of rotation. Bit 16 of the mask stands for all that rotate. */
static void do_to_pr(struct sim *s, const struct insn *v)
{
  const uint64_t x = sim_gr_consumed(s, v->r2);
  for (unsigned i = 1; i < 64 && s->end == SIM_RUNS; i++)
    if (v->imm >> (i < 16 ? i : 16) & 1)
      s->pr[i] = x >> i & 1;
}
static void do_pr_rot(struct sim *s, const struct insn *v)
{
  for (unsigned i = 16; i < 64; i++)
    s->pr[i] = v->imm >> i & 1;
}
static void do_from_pr(struct sim *s, const struct insn *v)
{
  uint64_t x = 0;
  for (unsigned i = 0; i < 64; i++)
    x |= (uint64_t)s->pr[i] << i;
  sim_gr_set(s, v->r1, x, false);
}
static void do_from_ip(struct sim *s, const struct insn *v)
{
  sim_gr_set(s, v->r1, address_of(s->at), false);
}

/* a: which application register. */
enum { WHICH_LC, WHICH_EC, WHICH_PFS, WHICH_CCV, WHICH_UNAT };
static uint64_t *application(struct sim *s, int which)
{
  uint64_t *const registers[] = {&s->lc, &s->ec, &s->pfs, &s->ccv, &s->unat};
  return registers[which];
}
static void do_to_ar(struct sim *s, const struct insn *v)
{
  const uint64_t x = sim_gr_consumed(s, v->r2);
  if (s->end == SIM_RUNS)
    *application(s, v->row->a) = x;
}
static void do_to_ar_imm(struct sim *s, const struct insn *v)
{
  *application(s, v->row->a) = (uint64_t)v->imm;
}
static void do_from_ar(struct sim *s, const struct insn *v)
{
  sim_gr_set(s, v->r1, *application(s, v->row->a), false);
}

#define X6I(x) AT(x, 27)
#define AR(x) AT(x, 20)
#define BTYPE(x) AT(x, 6)
const struct row rows_control[] = {
    {"br.cond", 'B', FORM_BR, MAJOR(4), do_br_cond, 0, 0},
    {"br.cloop", 'B', FORM_BR, MAJOR(4) | BTYPE(5), do_br_cloop, 0, 0},
    {"br.ctop", 'B', FORM_BR, MAJOR(4) | BTYPE(7), do_br_counted, 0, 0},
    {"br.cexit", 'B', FORM_BR, MAJOR(4) | BTYPE(6), do_br_counted, 1, 0},
    {"br.wtop", 'B', FORM_BR, MAJOR(4) | BTYPE(3), do_br_while, 0, 0},
    {"br.wexit", 'B', FORM_BR, MAJOR(4) | BTYPE(2), do_br_while, 1, 0},
    {"br.call", 'B', FORM_CALL, MAJOR(5), do_call, 0, 0},
    {"br.ret", 'B', FORM_RET, AT(0x21, 27) | BTYPE(4), do_ret, 0, 0},
    {"clrrrb", 'B', FORM_NOTHING, AT(4, 27), do_clrrrb, 0, 0},
    {"clrrrb.pr", 'B', FORM_NOTHING, AT(5, 27), do_clrrrb, 1, 0},
    {"alloc", 'M', FORM_ALLOC, MAJOR(1) | AT(6, 33), do_alloc, 0, 0},
    {"chk.s.i", 'I', FORM_CHK_S, AT(1, 33), do_chk_s, 0, 0},
    {"chk.s.m", 'M', FORM_CHK_S, MAJOR(1) | AT(1, 33), do_chk_s, 0, 0},
    {"chk.a.nc", 'M', FORM_CHK_A, AT(4, 33), do_chk_a, 0, 0},
    {"chk.a.clr", 'M', FORM_CHK_A, AT(5, 33), do_chk_a, 0, 0},
    {"break.m", 'M', FORM_BREAK, 0, do_break, 0, 0},
    {"mov.to.br", 'I', FORM_TO_BR, AT(7, 33) | AT(1, 20), do_to_br, 0, 0},
    {"mov.from.br", 'I', FORM_FROM_BR, X6I(0x31), do_from_br, 0, 0},
    {"mov.to.pr", 'I', FORM_TO_PR, AT(3, 33), do_to_pr, 0, 0},
    {"mov.pr.rot", 'I', FORM_PR_ROT, AT(2, 33), do_pr_rot, 0, 0},
    {"mov.from.pr", 'I', FORM_R1, X6I(0x33), do_from_pr, 0, 0},
    {"mov.from.ip", 'I', FORM_R1, X6I(0x30), do_from_ip, 0, 0},
    {"mov.to.lc", 'I', FORM_TO_AR, X6I(0x2a) | AR(65), do_to_ar, WHICH_LC, 0},
    {"mov.lc.imm", 'I', FORM_TO_EC, X6I(0x0a) | AR(65), do_to_ar_imm, WHICH_LC, 0},
    {"mov.ec.imm", 'I', FORM_TO_EC, X6I(0x0a) | AR(66), do_to_ar_imm, WHICH_EC, 0},
    {"mov.to.pfs", 'I', FORM_TO_AR, X6I(0x2a) | AR(64), do_to_ar, WHICH_PFS, 0},
    {"mov.from.lc", 'I', FORM_R1, X6I(0x32) | AR(65), do_from_ar, WHICH_LC, 0},
    {"mov.from.ec", 'I', FORM_R1, X6I(0x32) | AR(66), do_from_ar, WHICH_EC, 0},
    {"mov.from.pfs", 'I', FORM_R1, X6I(0x32) | AR(64), do_from_ar, WHICH_PFS, 0},
    {"mov.to.ccv", 'M', FORM_TO_AR, MAJOR(1) | X6I(0x2a) | AR(32), do_to_ar, WHICH_CCV, 0},
    {"mov.from.ccv", 'M', FORM_R1, MAJOR(1) | X6I(0x22) | AR(32), do_from_ar, WHICH_CCV, 0},
    {"mov.to.unat", 'M', FORM_TO_AR, MAJOR(1) | X6I(0x2a) | AR(36), do_to_ar, WHICH_UNAT, 0},
    {"mov.from.unat", 'M', FORM_R1, MAJOR(1) | X6I(0x22) | AR(36), do_from_ar, WHICH_UNAT, 0},
};
const size_t n_rows_control = sizeof rows_control / sizeof *rows_control;
