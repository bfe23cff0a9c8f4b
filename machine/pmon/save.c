/* SPDX-License-Identifier: MIT */
#include "machine/save.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <pmon/status.h>
#include "machine/platform.h"
#include "machine/pmon/registers.h"

enum { NAME_SIZE = 64 };
static const char header[] = "# register state of the emulated machine: socket, register, value; or that it is frozen\n";

static struct block *block_of(const struct socket *s, const struct reg *r)
{
  return r->block == MAP_GLOBAL ? NULL : &s->blocks[r->block];
}

static bool frozen(const struct socket *s, const struct reg *r)
{
  return r->rows->role == REG_GLOBAL_CTL ? s->frozen : r->rows->role == REG_UNIT_CTL && block_of(s, r)->frozen;
}

int machine_state_save(const struct machine *m, FILE *f)
{
  char name[NAME_SIZE];
  fputs(header, f);
  fprintf(f, "platform %s\n", m->platform->name);
  for (unsigned k = 0; k < m->n_sockets; k++)
    for (uint32_t i = 0; i < m->map.n; i++) {
      const struct socket *s = &m->sockets[k];
      const struct reg *r = &m->map.regs[i];
      map_name(r, s, name, sizeof name);
      fprintf(f, "%u %s 0x%" PRIx64 "%s\n", k, name, register_read(m, s, r), frozen(s, r) ? " frozen" : "");
    }
  return fflush(f) || ferror(f) ? PMON_E_IO : PMON_OK;
}

struct loading {
  struct machine *m;
  char (*names)[NAME_SIZE];             /* of the map's registers, socket by socket the same */
  uint32_t expected;                    /* files list registers in the map's order */
  uint64_t *values;                     /* by socket and register */
  uint8_t *given;                       /* 1: a value, 2: frozen as well */
  unsigned line;
  char *error;
  size_t error_size;
};

static int wrong(const struct loading *l, int status, const char *what, const char *word)
{
  snprintf(l->error, l->error_size, "line %u: %s '%.60s'", l->line, what, word);
  return status;
}

static bool number(const char *word, uint64_t *ret)
{
  char *end;
  errno = 0;
  *ret = strtoull(word, &end, 0);
  return *word >= '0' && *word <= '9' && !*end && !errno;
}

static uint32_t find(struct loading *l, const char *name)
{
  for (uint32_t n = 0; n < l->m->map.n; n++) {
    uint32_t i = (l->expected + n) % l->m->map.n;
    if (!strcmp(l->names[i], name)) {
      l->expected = (i + 1) % l->m->map.n;
      return i;
    }
  }
  return UINT32_MAX;
}

static int load_line(struct loading *l, char *line)
{
  char *words[5], *rest = line, *word;
  unsigned n = 0;
  uint64_t socket, value;
  while (n < 5 && (word = strtok_r(rest, " \t\r", &rest)))
    words[n++] = word;
  if (!n || *words[0] == '#')
    return PMON_OK;
  if (!strcmp(words[0], "platform"))
    return n == 2 && !strcmp(words[1], l->m->platform->name) ? PMON_OK
           : wrong(l, PMON_E_CONFLICT, "the state is of another platform:", n > 1 ? words[1] : "");
  if (n < 3 || n > 4 || (n == 4 && strcmp(words[3], "frozen")))
    return wrong(l, PMON_E_SYNTAX, "expected a socket, a register and its value, not", words[n - 1]);
  if (!number(words[0], &socket) || !number(words[2], &value))
    return wrong(l, PMON_E_SYNTAX, "expected a number, not", words[number(words[0], &socket) ? 2 : 0]);
  uint32_t i = find(l, words[1]);
  if (socket >= l->m->n_sockets || i == UINT32_MAX)
    return wrong(l, PMON_E_UNKNOWN, "this machine has no socket or register", i == UINT32_MAX ? words[1] : words[0]);
  const struct reg_rows *rows = l->m->map.regs[i].rows;
  if (value & ~(rows->layout->rw | rows->layout->ro | rows->layout->w1c))
    return wrong(l, PMON_E_RANGE, "the register has no such bits:", words[2]);
  if (n == 4 && rows->role != REG_UNIT_CTL && rows->role != REG_GLOBAL_CTL)
    return wrong(l, PMON_E_RANGE, "nothing can be frozen by", words[1]);
  l->values[socket * l->m->map.n + i] = value;
  l->given[socket * l->m->map.n + i] = n == 4 ? 2 : 1;
  return PMON_OK;
}

static void put(struct machine *m, struct socket *s, uint32_t i, uint64_t value, bool held)
{
  const struct reg *r = &m->map.regs[i];
  struct block *b = block_of(s, r);
  unsigned c = r->rows->role == REG_FIXED_CTL || r->rows->role == REG_FIXED_CTR ? (b ? b->n_counters - 1u : 0) : r->number;
  switch ((enum reg_role)r->rows->role) {
  case REG_UNIT_STATUS: b->status = value; s->changed = true; break;
  case REG_CTL: case REG_FIXED_CTL: counter_write(b, c, value); break;
  case REG_CTR: case REG_FIXED_CTR: b->counters[c].value = value; break;
  case REG_FREE: b->free[r->rows->index + r->number] = value; break;
  case REG_INFO: s->plain[i] = value; break;
  case REG_FILTER:
    s->plain[i] = b->filter[r->rows->index] = value;
    if (b->unit->tid_enable)
      b->tid = b->filter[0] & b->unit->tid_mask;
    break;
  case REG_GLOBAL_STATUS: s->global_status[r->rows->index] = value; s->changed = true; break;
  case REG_GLOBAL_CTL: socket_freeze(s, held); break;
  case REG_UNIT_CTL: b->box_ctl = value; block_freeze(b, held); break;
  }
}

int machine_register_put(struct machine *m, const struct pmon_address *a, uint64_t value)
{
  const struct reg *r = a->package < m->n_sockets ? map_find(&m->map, a->space, a->device, a->offset) : NULL;
  if (!r || r->base != a->offset)
    return PMON_E_NO_DEVICE;
  int status = PMON_OK;
  const struct reg_layout *layout = r->rows->layout;
  if (value & ~(layout->rw | layout->ro | layout->w1c | layout->ign))
    status = PMON_E_RANGE;
  value &= layout->rw | layout->ro | layout->w1c;
  const struct pmon_rules *rules = m->platform->rules;
  const bool held = r->rows->role == REG_UNIT_CTL && value & rules->freeze &&
                    (!rules->freeze_enable || value & rules->freeze_enable);
  put(m, &m->sockets[a->package], (uint32_t)(r - m->map.regs), value, held);
  return status;
}

static int load_text(struct loading *l, char *text)
{
  int status = PMON_OK;
  for (char *line = text, *next; status == PMON_OK && line; line = next) {
    next = strchr(line, '\n');
    if (next)
      *next++ = 0;
    l->line++;
    status = load_line(l, line);
  }
  return status;
}

int machine_state_load(struct machine *m, const char *text, size_t n, char *error, size_t error_size)
{
  struct loading l = { .m = m, .error = error, .error_size = error_size };
  const size_t all = (size_t)m->map.n * m->n_sockets;
  char *copy = malloc(n + 1);
  int status = PMON_E_MEMORY;
  l.names = calloc(m->map.n, sizeof *l.names);
  l.values = calloc(all, sizeof *l.values);
  l.given = calloc(all, sizeof *l.given);
  snprintf(error, error_size, "no memory for the state");
  if (copy && l.names && l.values && l.given) {
    memcpy(copy, text, n);
    copy[n] = 0;
    for (uint32_t i = 0; i < m->map.n; i++)
      map_name(&m->map.regs[i], &m->sockets[0], l.names[i], NAME_SIZE);
    status = memchr(text, 0, n) ? wrong(&l, PMON_E_SYNTAX, "a zero byte is no", "text") : load_text(&l, copy);
  }
  for (size_t i = 0; status == PMON_OK && i < all; i++)
    if (l.given[i])
      put(m, &m->sockets[i / m->map.n], (uint32_t)(i % m->map.n), l.values[i], l.given[i] == 2);
  free(copy);
  free(l.names);
  free(l.values);
  free(l.given);
  return status;
}
