/* SPDX-License-Identifier: MIT */
/* The effect of reads and writes of PMON registers (Tables 1-1 to 1-6 and the units' own tables). */
#include <stdlib.h>
#include <string.h>
#include "machine/pmon/registers.h"

static struct block *register_block(const struct socket *s, const struct reg *r)
{
  return r->block == MAP_GLOBAL ? NULL : &s->blocks[r->block];
}

static unsigned register_counter(const struct block *b, const struct reg *r)
{
  bool fixed = r->rows->role == REG_FIXED_CTL || r->rows->role == REG_FIXED_CTR;
  return fixed ? b->n_counters - 1u : r->number;
}

uint64_t register_read(const struct machine *m, const struct socket *s, const struct reg *r)
{
  const struct block *b = register_block(s, r);
  switch ((enum reg_role)r->rows->role) {
  case REG_UNIT_STATUS: return b->status;
  case REG_CTL:
  case REG_FIXED_CTL: return b->counters[register_counter(b, r)].ctl;
  case REG_CTR:
    return s->values[r->block * BLOCK_VALUES + r->number]; /* read without touching the block, which
                                                            * would cost a cache line of the host */
  case REG_FIXED_CTR: return b->value[register_counter(b, r)];
  case REG_FREERUNNING: return b->freerunning[r->rows->index + r->number];
  case REG_FILTER:
  case REG_INFO: return s->plain[r - m->map.regs];
  case REG_GLOBAL_STATUS: return s->global_status[r->rows->index];
  case REG_UNIT_CTL: return b->box_ctl;
  case REG_MODEL: return b->unit->read(m->traffic, &(struct model_register){s->number, b->instance, r->base});
  case REG_GLOBAL_CTL: break; /* write-only */
  }
  return 0;
}

void violation_add(struct machine *m, const struct machine_violation *v)
{
  struct violation_list *list = &m->violations;
  list->total++;
  if (list->n == MACHINE_VIOLATIONS_KEPT)
    return;
  if (!list->at && !(list->at = calloc(MACHINE_VIOLATIONS_KEPT, sizeof *list->at)))
    return;
  list->at[list->n] = *v;
  list->at[list->n++].time_fs = m->now;
}

size_t machine_violations(const struct machine *m, const struct machine_violation **ret_list)
{
  *ret_list = m->violations.at;
  return m->violations.n;
}

uint64_t machine_violations_total(const struct machine *m)
{
  return m->violations.total;
}

void machine_violations_clear(struct machine *m)
{
  m->violations.n = 0;
  m->violations.total = 0;
}

static void register_violation(struct machine *m, const struct reg_write *w, struct machine_violation v)
{
  v.address = *w->address;
  v.value = w->value;
  map_name(w->reg, w->socket, v.name, sizeof v.name);
  if (!v.section)
    v.section = w->reg->rows->layout->section;
  violation_add(m, &v);
}

/* Checks the rules about the selection in a control register, when its low half was written. */
static void register_check_control(struct machine *m, const struct reg_write *w, const struct block *b, unsigned i)
{
  const struct counter *c = &b->counters[i];
  const uint64_t shape = c->ctl & (CTL_EDGE | CTL_INVERT | b->unit->occ_edge | b->unit->occ_invert);
  if (!(w->mask & CTL_EV_SEL))
    return;
  for (const struct unit_limit *l = b->unit->limits; l && l->code; l++)
    if (l->code == (c->ctl & CTL_EV_SEL) && !(l->counters >> i & 1))
      register_violation(m, w,
                         (struct machine_violation){.field = "ev_sel",
                                                    .bits = CTL_EV_SEL,
                                                    .section = b->unit->section,
                                                    .rule = "this counter cannot count this event"});
  if (shape && !c->shaped)
    register_violation(m, w,
                       (struct machine_violation){.field = "thresh",
                                                  .bits = shape,
                                                  .section = b->rules->shape_section,
                                                  .rule = "invert and edge_det need a threshold other than 0"});
}

static uint64_t register_reserved(const struct reg_write *w)
{
  const struct reg_layout *l = w->reg->rows->layout;
  return w->value & w->mask & ~(l->rw | l->ro | l->wo | l->w1c | l->w0c | l->ign);
}

uint64_t register_refused(const struct reg_write *w)
{
  const struct reg_layout *l = w->reg->rows->layout;
  return !(l->rw | l->wo | l->w1c | l->w0c | l->ign) && w->reg->rows->role != REG_MODEL ? l->ro : register_reserved(w);
}

void register_check_bits(struct machine *m, const struct reg_write *w)
{
  const struct reg_layout *l = w->reg->rows->layout;
  const uint64_t reserved = register_reserved(w);
  if (reserved)
    register_violation(m, w,
                       (struct machine_violation){
                           .field = "reserved", .bits = reserved, .rule = "reserved bits must be written as 0"});
  if (w->reg->rows->role == REG_FREERUNNING || (w->reg->rows->role == REG_MODEL && !(l->rw | l->w0c)))
    register_violation(m, w,
                       (struct machine_violation){.field = "event_count",
                                                  .bits = l->ro,
                                                  .rule = "software cannot write a free-running counter"});
}

static void register_check_filter(struct machine *m, const struct reg_write *w, const struct pmon_unit *u, uint64_t now)
{
  const char *rule = NULL;
  uint64_t bits = u->filter_violation ? u->filter_violation(now, &rule) : 0;
  if (bits)
    register_violation(
        m, w, (struct machine_violation){.field = "filter", .bits = bits, .rule = rule, .section = u->section});
}

static void register_write_block(struct machine *m, const struct reg_write *w, struct block *b, uint64_t set,
                                 uint64_t now)
{
  const unsigned i = register_counter(b, w->reg);
  const struct pmon_rules *rules = b->rules;
  switch ((enum reg_role)w->reg->rows->role) {
  case REG_UNIT_CTL:
    if (set & rules->reset_counters)
      block_reset_counters(b);
    if (set & rules->reset_controls)
      block_reset_controls(b);
    b->box_ctl = now;
    block_freeze(b, (set | now) & rules->freeze && (!rules->freeze_enable || now & rules->freeze_enable));
    break;
  case REG_UNIT_STATUS:
    b->status &= ~set;
    b->socket->changed = true;
    break;
  case REG_CTL:
  case REG_FIXED_CTL:
    if (set & w->reg->rows->layout->wo) /* rst is the only write-only bit of these registers */
      b->value[i] = 0;
    counter_write(b, i, now);
    if (w->reg->rows->role == REG_CTL)
      register_check_control(m, w, b, i);
    break;
  case REG_CTR:
  case REG_FIXED_CTR: b->value[i] = now; break;
  case REG_FILTER:
    w->socket->plain[w->reg - m->map.regs] = now;
    b->filter[w->reg->rows->index] = now;
    register_check_filter(m, w, b->unit, now);
    if (b->unit->tid_enable || b->unit->filtered) { /* a change of a filter restarts the comparisons */
      b->tid = b->filter[0] & b->unit->tid_mask;
      for (unsigned k = 0; k < b->n_counters; k++)
        shape_restart(b, &b->counters[k]);
    }
    break;
  case REG_MODEL:
    if (w->reg->rows->layout->rw)
      b->unit->write(m->traffic, &(struct model_register){w->socket->number, b->instance, w->reg->base}, now);
    break;
  default: break;
  }
}

void register_write(struct machine *m, const struct reg_write *w)
{
  const struct reg_layout *l = w->reg->rows->layout;
  struct block *b = register_block(w->socket, w->reg);
  uint64_t old = register_read(m, w->socket, w->reg), set = w->value & w->mask & (l->wo | l->w1c);
  uint64_t now = (old & ~w->mask) | (w->value & w->mask & l->rw);

  register_check_bits(m, w);
  if (b) {
    register_write_block(m, w, b, set, now);
  } else if (w->reg->rows->role == REG_GLOBAL_CTL) {
    socket_let_freeze_arrive(w->socket, m->now);
    socket_freeze(w->socket, set & GLOBAL_FRZ);
  } else if (w->reg->rows->role == REG_GLOBAL_STATUS) {
    w->socket->global_status[w->reg->rows->index] &= ~set;
    w->socket->changed = true;
  }
}
