/* SPDX-License-Identifier: MIT */
/* Branches: plain, counted, rotating, calls and returns; and checks, which branch to recovery code. */
#include "machine/montecito/exec/privileged.h"
#include "machine/montecito/exec/row.h"
#include "machine/montecito/machine.h"

enum { BTYPE_COND = 0, BTYPE_WEXIT = 2, BTYPE_WTOP = 3, BTYPE_CLOOP = 5, BTYPE_CEXIT = 6, BTYPE_CTOP = 7 };
enum { PFS_PEC = 52, PFS_PPL = 62, EC_MASK = 63 };

void exec_branch_to(struct exec_cpu *c, uint64_t target, struct montecito_slot *s)
{
  c->next_ip = target & ~UINT64_C(15);
  c->taken = true;
  s->flags |= SLOT_TAKEN;
  s->address = c->next_ip;
  if (c->memory->n_attributes)
    exec_uncached_mark(c, s);
}

static uint8_t rotate_base(unsigned base, unsigned size)
{
  return (uint8_t)(base ? base - 1 : size ? size - 1 : 0);
}

static void registers_rotate(struct exec_cpu *c)
{
  c->frame.rrb_gr = rotate_base(c->frame.rrb_gr, c->frame.sor);
  c->frame.rrb_fr = rotate_base(c->frame.rrb_fr, STACKED);
  c->frame.rrb_pr = rotate_base(c->frame.rrb_pr, ROTATING_PR);
}

/* Marks loop branches that the back end finds mispredicted, because the front end could not know (Table 4-45). The
 * choice of these branches is the model's own: a loop whose registers do not rotate, because both counters had ended
 * before; and a while loop that enters its epilogue. */
static void loop_mark(bool rotates, bool stage, struct montecito_slot *s)
{
  s->flags |= (rotates ? 0 : SLOT_BE_ROT) | (stage ? SLOT_BE_STG : 0);
}

/* ctop and cexit: returns whether the loop continues. */
static bool loop_counted(struct exec_cpu *c, struct montecito_slot *s)
{
  const bool more = c->ar[AR_LC] || c->ar[AR_EC] > 1, rotates = c->ar[AR_LC] || c->ar[AR_EC];
  loop_mark(rotates, false, s);
  exec_pr_set(c, 63, c->ar[AR_LC] != 0);
  if (c->ar[AR_LC])
    c->ar[AR_LC]--;
  else if (c->ar[AR_EC])
    c->ar[AR_EC]--;
  if (rotates)
    registers_rotate(c);
  return more;
}

/* wtop and wexit: returns whether the loop continues, which the qualifying predicate controls. */
static bool loop_while(struct exec_cpu *c, bool predicate, struct montecito_slot *s)
{
  const bool more = predicate || c->ar[AR_EC] > 1, rotates = predicate || c->ar[AR_EC];
  loop_mark(rotates, !predicate && c->while_predicate, s);
  c->while_predicate = predicate;
  exec_pr_set(c, 63, false);
  if (!predicate && c->ar[AR_EC])
    c->ar[AR_EC]--;
  if (rotates)
    registers_rotate(c);
  return more;
}

static bool branch_is_taken(struct exec_cpu *c, const struct exec_instruction *v, struct montecito_slot *s)
{
  switch (v->sub) {
  case BTYPE_CLOOP:
    if (!c->ar[AR_LC])
      return false;
    c->ar[AR_LC]--;
    return true;
  case BTYPE_CTOP: return loop_counted(c, s);
  case BTYPE_CEXIT: return !loop_counted(c, s);
  case BTYPE_WTOP: return loop_while(c, exec_pr(c, v->qp), s);
  case BTYPE_WEXIT: return !loop_while(c, exec_pr(c, v->qp), s);
  default: return true;
  }
}

static __attribute__((hot)) void branch_relative(struct exec_cpu *c, const struct exec_instruction *v,
                                                 struct montecito_slot *s)
{
  if (branch_is_taken(c, v, s))
    exec_branch_to(c, c->ip + (uint64_t)v->imm, s);
}

static void branch_indirect(struct exec_cpu *c, const struct exec_instruction *v, struct montecito_slot *s)
{
  if (v->sub) /* br.ia: the processor has no IA-32 execution (2.1) */
    exec_set_fault(c, FAULT_ILLEGAL, 0);
  else
    exec_branch_to(c, c->br[v->r2 & 7], s);
}

static void branch_call(struct exec_cpu *c, const struct exec_instruction *v, uint64_t target, struct montecito_slot *s)
{
  c->ar[AR_PFS] = exec_frame_marker(c) | (c->ar[AR_EC] & EC_MASK) << PFS_PEC | (c->psr >> 32 & 3) << PFS_PPL;
  c->br[v->r1 & 7] = c->ip + 16;
  c->called[c->n_called++ % EXEC_CALLED] = c->ar[AR_PFS];
  exec_stack_note(c, s);
  exec_stack_call(c);
  exec_branch_to(c, target, s);
}

static void branch_call_relative(struct exec_cpu *c, const struct exec_instruction *v, struct montecito_slot *s)
{
  branch_call(c, v, c->ip + (uint64_t)v->imm, s);
}

static void branch_call_indirect(struct exec_cpu *c, const struct exec_instruction *v, struct montecito_slot *s)
{
  branch_call(c, v, c->br[v->r2 & 7], s);
}

static void branch_return(struct exec_cpu *c, const struct exec_instruction *v, struct montecito_slot *s)
{
  const uint64_t target = c->br[v->r2 & 7];
  /* The front end expects the ar.pfs of the call on top of its return stack. */
  if (!c->n_called || c->called[--c->n_called % EXEC_CALLED] != c->ar[AR_PFS])
    s->flags |= SLOT_BE_PFS;
  exec_stack_note(c, s);
  exec_stack_return(c, c->ar[AR_PFS]);
  c->ar[AR_EC] = c->ar[AR_PFS] >> PFS_PEC & EC_MASK;
  const uint64_t level = c->ar[AR_PFS] >> PFS_PPL;
  if (level > (c->psr >> PSR_CPL_SHIFT & 3)) /* a return can lower the privilege, never raise it */
    exec_set_psr(c, (c->psr & ~(UINT64_C(3) << PSR_CPL_SHIFT)) | level << PSR_CPL_SHIFT);
  exec_branch_to(c, target, s);
}

/* ---- checks ---- */

static void check_fails(struct exec_cpu *c, const struct exec_instruction *v, struct montecito_slot *s)
{
  s->flags |= SLOT_FAIL;
  c->next_ip = c->ip + (uint64_t)v->imm;
  c->taken = true;
}

static void check_speculation(struct exec_cpu *c, const struct exec_instruction *v, struct montecito_slot *s)
{
  if (exec_gr(c, v->r2).nat)
    check_fails(c, v, s);
}

static void check_speculation_fp(struct exec_cpu *c, const struct exec_instruction *v, struct montecito_slot *s)
{
  if (exec_is_natval(exec_fr(c, v->r2)))
    check_fails(c, v, s);
}

static void check_advanced(struct exec_cpu *c, const struct exec_instruction *v, struct montecito_slot *s)
{
  const bool fp = v->operation == EXEC_CHK_AF;
  if (!exec_alat_check(c, exec_alat_register(c, v->r1, fp), fp, v->sub))
    check_fails(c, v, s);
}

static void rotation_clear(struct exec_cpu *c, const struct exec_instruction *v, struct montecito_slot *s)
{
  (void)s;
  c->frame.rrb_pr = 0;
  if (!v->sub)
    c->frame.rrb_gr = c->frame.rrb_fr = 0;
}

/* brp: prefetches the target's line. */
static void branch_hint(struct exec_cpu *c, const struct exec_instruction *v, struct montecito_slot *s)
{
  if (!v->row || v->row->immediate != IMM_BRP) /* the target is in a branch register */
    return;
  s->address = c->ip + (uint64_t)v->imm;
  s->flags |= SLOT_HINT;
}

exec_fn *const exec_control[EXEC_OPERATIONS] = {[EXEC_BR] = branch_relative,
                                                [EXEC_BR_INDIRECT] = branch_indirect,
                                                [EXEC_BR_CALL] = branch_call_relative,
                                                [EXEC_BR_CALL_INDIRECT] = branch_call_indirect,
                                                [EXEC_BR_RET] = branch_return,
                                                [EXEC_CHK_S] = check_speculation,
                                                [EXEC_CHK_SF] = check_speculation_fp,
                                                [EXEC_CHK_A] = check_advanced,
                                                [EXEC_BRP] = branch_hint,
                                                [EXEC_CHK_AF] = check_advanced,
                                                [EXEC_CLRRRB] = rotation_clear};
