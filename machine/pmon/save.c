/* SPDX-License-Identifier: MIT */
#include "machine/pmon/save.h"

#include <stdlib.h>
#include <pmon/status.h>
#include "machine/pmon/hardware.h"
#include "machine/pmon/registers.h"
#include "machine/pmon/state_text.h"

static struct block *state_register_block(const struct socket *s, const struct reg *r)
{
  return r->block == MAP_GLOBAL ? NULL : &s->blocks[r->block];
}

static bool state_register_frozen(const struct socket *s, const struct reg *r)
{
  return r->rows->role == REG_GLOBAL_CTL ? s->frozen
                                         : r->rows->role == REG_UNIT_CTL && state_register_block(s, r)->frozen;
}

int machine_state_save(const struct machine *m, FILE *f)
{
  char name[STATE_NAME];
  state_write_head(f, m->platform->name);
  for (unsigned k = 0; k < m->n_sockets; k++)
    for (uint32_t i = 0; i < m->map.n; i++) {
      const struct socket *s = &m->sockets[k];
      const struct reg *r = &m->map.regs[i];
      map_name(r, s, name, sizeof name);
      state_write(f, k, name,
                  &(struct state_value){.value = register_read(m, s, r), .frozen = state_register_frozen(s, r)});
    }
  state_write_end(f, m->n_sockets * m->map.n);
  return fflush(f) || ferror(f) ? PMON_E_IO : PMON_OK;
}

static void state_load_register(struct machine *m, struct socket *s, uint32_t i, uint64_t value, bool frozen)
{
  const struct reg *r = &m->map.regs[i];
  struct block *b = state_register_block(s, r);
  const bool fixed = r->rows->role == REG_FIXED_CTL || r->rows->role == REG_FIXED_CTR;
  const unsigned c = !fixed ? r->number : b ? b->n_counters - 1u : 0;
  switch ((enum reg_role)r->rows->role) {
  case REG_UNIT_STATUS:
    b->status = value;
    s->changed = true;
    break;
  case REG_CTL:
  case REG_FIXED_CTL: counter_write(b, c, value); break;
  case REG_CTR:
  case REG_FIXED_CTR: b->value[c] = value; break;
  case REG_FREERUNNING: b->freerunning[r->rows->index + r->number] = value; break;
  case REG_INFO: s->plain[i] = value; break;
  case REG_MODEL: b->unit->write(m->traffic, &(struct model_register){s->number, b->instance, r->base}, value); break;
  case REG_FILTER:
    s->plain[i] = b->filter[r->rows->index] = value;
    if (b->unit->tid_enable)
      b->tid = b->filter[0] & b->unit->tid_mask;
    break;
  case REG_GLOBAL_STATUS:
    s->global_status[r->rows->index] = value;
    s->changed = true;
    break;
  case REG_GLOBAL_CTL:
    s->freeze_due = UINT64_MAX;
    socket_freeze(s, frozen);
    break;
  case REG_UNIT_CTL:
    b->box_ctl = value;
    block_freeze(b, frozen);
    break;
  }
}

int machine_register_load(struct machine *m, const struct pmon_address *a, uint64_t value)
{
  const struct reg *r = a->package < m->n_sockets ? map_find(&m->map, a->space, a->device, a->offset) : NULL;
  if (!r || r->base != a->offset)
    return PMON_E_NO_DEVICE;
  int status = PMON_OK;
  const struct reg_layout *layout = r->rows->layout;
  if (value & ~(layout->rw | layout->ro | layout->w1c | layout->w0c | layout->ign))
    status = PMON_E_RANGE;
  value &= layout->rw | layout->ro | layout->w1c | layout->w0c;
  const struct pmon_rules *rules = m->platform->rules;
  const bool frozen =
      r->rows->role == REG_UNIT_CTL && value & rules->freeze && (!rules->freeze_enable || value & rules->freeze_enable);
  state_load_register(m, &m->sockets[a->package], (uint32_t)(r - m->map.regs), value, frozen);
  return status;
}

int machine_state_load(struct machine *m, const char *text, size_t n, char *error, size_t error_size)
{
  const size_t all = (size_t)m->map.n * m->n_sockets;
  struct state_register *registers = calloc(m->map.n, sizeof *registers);
  struct state_value *values = calloc(all, sizeof *values);
  const struct state_table table = {m->platform->name, "socket", m->n_sockets, m->map.n, registers};
  int status = PMON_E_MEMORY;
  snprintf(error, error_size, "no memory for the state");
  for (uint32_t i = 0; registers && i < m->map.n; i++) {
    const struct reg_rows *rows = m->map.regs[i].rows;
    map_name(&m->map.regs[i], &m->sockets[0], registers[i].name, sizeof registers[i].name);
    registers[i].bits = rows->layout->rw | rows->layout->ro | rows->layout->w1c;
    registers[i].freezes = rows->role == REG_UNIT_CTL || rows->role == REG_GLOBAL_CTL;
  }
  if (registers && values)
    status = state_read(&table, text, n, values, error, error_size);
  for (size_t i = 0; status == PMON_OK && i < all; i++)
    if (values[i].given)
      state_load_register(m, &m->sockets[i / m->map.n], (uint32_t)(i % m->map.n), values[i].value, values[i].frozen);
  free(registers);
  free(values);
  return status;
}
