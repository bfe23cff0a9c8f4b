/* SPDX-License-Identifier: MIT */
#include <string.h>
#include "tests/montecito/exec/random/state.h"

unsigned sim_gr_place(const struct sim *s, unsigned r)
{
  const unsigned i = r - 32;
  return s->base + (i < s->sor ? (i + s->rrb_gr) % s->sor : i);
}

struct value sim_gr(const struct sim *s, unsigned r)
{
  return r < 32 ? s->gr[r] : s->stacked[sim_gr_place(s, r)];
}

void sim_gr_set(struct sim *s, unsigned r, uint64_t v, bool nat)
{
  *(r < 32 ? &s->gr[r] : &s->stacked[sim_gr_place(s, r)]) = (struct value){v, nat, false};
}

uint64_t sim_gr_consumed(struct sim *s, unsigned r)
{
  if (sim_gr(s, r).nat)
    sim_stop(s, SIM_NAT);
  return sim_gr(s, r).v;
}

static unsigned fr_place(const struct sim *s, unsigned f)
{
  return f < 32 ? f : 32 + (f - 32 + s->rrb_fr) % 96;
}

struct float_value sim_fr(const struct sim *s, unsigned f)
{
  return s->fr[fr_place(s, f)];
}

void sim_fr_set(struct sim *s, unsigned f, struct float_value x)
{
  s->fr[fr_place(s, f)] = x;
}

unsigned sim_pr_place(const struct sim *s, unsigned p)
{
  return p < 16 ? p : 16 + (p - 16 + s->rrb_pr) % 48;
}

void sim_pr_set(struct sim *s, unsigned p, bool value)
{
  if (p)
    s->pr[sim_pr_place(s, p)] = value;
}

void sim_stop(struct sim *s, enum sim_end how)
{
  if (s->end == SIM_RUNS)
    s->end = how;
}

void sim_predicates(struct sim *s, const struct insn *v, int how, bool result, bool nat)
{
  if (how <= 1) {
    sim_pr_set(s, v->p1, result && !nat);
    sim_pr_set(s, v->p2, !result && !nat);
  } else if (how == 2 && (!result || nat)) {
    sim_pr_set(s, v->p1, false);
    sim_pr_set(s, v->p2, false);
  } else if (how > 2 && result && !nat) {
    sim_pr_set(s, v->p1, true);
    sim_pr_set(s, v->p2, how == 3);
  }
}

void sim_jump(struct sim *s, unsigned bundle)
{
  s->next = bundle;
  s->taken = true;
}

uint64_t sim_marker(const struct sim *s)
{
  return s->sof | (uint64_t)s->sol << 7 | (uint64_t)(s->sor / 8) << 14 | (uint64_t)s->rrb_gr << 18 |
         (uint64_t)s->rrb_fr << 25 | (uint64_t)s->rrb_pr << 32;
}

void sim_set_marker(struct sim *s, uint64_t pfm)
{
  s->sof = pfm & 127;
  s->sol = pfm >> 7 & 127;
  s->sor = (unsigned)(pfm >> 14 & 15) * 8;
  s->rrb_gr = pfm >> 18 & 127;
  s->rrb_fr = pfm >> 25 & 127;
  s->rrb_pr = pfm >> 32 & 63;
}

/* Instructions with the unc type clear their predicates even when predicated off. */
static bool is_unconditional(const struct row *r)
{
  return r->form == FORM_APPROXIMATE ||
         ((r->form == FORM_CMP || r->form == FORM_CMP_IMM || r->form == FORM_TBIT || r->form == FORM_TNAT) &&
          r->b == 1);
}

static void execute_bundle(struct sim *s, const struct bundle *b)
{
  s->taken = false;
  s->next = s->at + 1;
  for (unsigned i = 0; i < 3 && !s->taken && s->end == SIM_RUNS; i++) {
    const struct insn *v = &b->slot[i];
    if (!v->row)
      continue;
    s->slot = i;
    s->executed[v->row->form]++;
    if (s->pr[sim_pr_place(s, v->qp)] || v->row->form == FORM_BR) {
      v->row->fn(s, v);
    } else if (is_unconditional(v->row)) {
      sim_pr_set(s, v->p1, false);
      sim_pr_set(s, v->p2, false);
    }
  }
  if (s->end == SIM_RUNS)
    s->at = s->next;
}

void sim_run(struct sim *s, const struct program *p)
{
  *s = (struct sim){.fr[1] = {UINT64_C(1) << 63, FLOAT_BIAS, false}, .pr[0] = true};
  memcpy(s->data, p->data, sizeof s->data);
  while (s->end == SIM_RUNS) {
    if (s->steps++ == p->most_steps)
      s->end = SIM_STEPS;
    else
      execute_bundle(s, &p->bundle[s->at]);
  }
}
