/* SPDX-License-Identifier: MIT */
/* Creation and destruction of a checker, and the entry points for the stream of accesses. */
#include <stdlib.h>
#include <pmon/status.h>
#include "machine/check/state.h"
#include "src/access/wrap.h"
#include "src/facts/field.h"

int check_new(const struct pmon_platform *platform, struct checker **ret_checker)
{
  struct checker *c = calloc(1, sizeof *c);
  if (!c)
    return PMON_E_MEMORY;
  c->platform = platform;
  c->db = platform->db;
  int status = rules_load(c);
  if (!status)
    status = seen_init(c);
  if (status) {
    check_free(c);
    return status;
  }
  *ret_checker = c;
  return PMON_OK;
}

void check_free(struct checker *c)
{
  if (!c)
    return;
  seen_free(c);
  free(c->rules);
  free(c->findings);
  free(c->absent);
  free(c->asked);
  free(c->counts);
  free(c->pairs);
  free(c);
}

/* Returns the mask of the layout's fields that have the given access kind. */
static uint64_t layout_access_mask(const struct checker *c, const struct seen *s, uint8_t access)
{
  uint32_t layout = c->db->registers[s->reg].layout;
  uint64_t mask = 0;
  struct db_span span = layout == DB_NONE ? (struct db_span){0, 0} : c->db->layouts[layout].fields;
  for (uint32_t i = span.first; i < span.first + span.n; i++)
    if (c->db->fields[i].access == access)
      mask |= field_mask(&c->db->fields[i]);
  return mask;
}

static bool seen_is_status(const struct checker *c, const struct seen *s)
{
  const uint32_t role = seen_role(c, s);
  return role == PMON_ROLE_UNIT_STATUS || role == PMON_ROLE_GLOBAL_STATUS;
}

static bool seen_is_counter(const struct checker *c, const struct seen *s)
{
  const uint32_t role = seen_role(c, s);
  return role == PMON_ROLE_CTR || role == PMON_ROLE_FIXED_CTR;
}

/* A read reveals all bits except write-only ones. A write clears write-1-to-clear bits and sets the rest. */
static void seen_update_value(const struct look *l, uint64_t value)
{
  struct seen *s = l->s;
  uint64_t known = l->mask;
  if (!l->a->write)
    known &= ~layout_access_mask(l->c, s, DB_WO);
  else if (seen_is_status(l->c, s)) {
    uint64_t ones = layout_access_mask(l->c, s, DB_W1C) & value & l->mask;
    s->value &= ~ones;
    return;
  }
  s->value = (s->value & ~known) | (value & known);
  s->known |= known;
}

/* Returns the access as the rules see it; its value begins at bit `shift` of the register. */
static struct look look_make(struct checker *c, struct seen *s, const struct check_access *a, uint64_t shift)
{
  const uint64_t low = UINT32_MAX;
  const uint32_t layout = c->db->registers[s->reg].layout;
  const bool wide = layout == DB_NONE || c->db->layouts[layout].width > 32;
  if (!wide)
    s->known |= ~low; /* the upper half of a register of 32 bits reads 0 */
  const uint64_t mask = a->address.width_bits == 32 ? low << shift : wide ? UINT64_MAX : low;
  return (struct look){c, s, &c->blocks[s->block], a, mask, s->value};
}

/* The rules judge the value that is written; the checker keeps the one that remains afterwards. */
static void judge_status_write(const struct look *l, uint64_t value)
{
  seen_update_value(l, value);
  const uint64_t left = l->s->value;
  l->s->value = value;
  judge_write(l);
  l->s->value = left;
}

static void check_judge(struct checker *c, const struct check_access *a, bool refused)
{
  uint64_t shift;
  struct seen *s = seen_find_or_add(c, &a->address, &shift);
  c->accesses++;
  c->now_ns = a->time_ns;
  if (!s) {
    c->unknown++;
    return;
  }
  const struct look l = look_make(c, s, a, shift);
  halves_observe(&l, shift != 0);
  if (refused) {
    judge_refused(&l);
    return;
  }
  if (a->write || seen_is_counter(c, s))
    l.b->dirty = true;
  if (a->write && seen_is_status(c, s)) {
    judge_status_write(&l, a->value << shift);
    return;
  }
  seen_update_value(&l, a->value << shift);
  if (a->write) {
    judge_write(&l);
  } else {
    judge_read(&l);
    counted_observe(&l, shift != 0);
  }
}

void check_access(struct checker *c, const struct check_access *a)
{
  check_judge(c, a, false);
}

void check_refused(struct checker *c, const struct check_access *a)
{
  check_judge(c, a, true);
}

void check_failed(struct checker *c, const struct check_access *a)
{
  uint64_t shift;
  const struct seen *s = seen_find_or_add(c, &a->address, &shift);
  if (s)
    c->blocks[s->block].lower = c->blocks[s->block].upper = (struct half){0};
}

void check_wait(struct checker *c, uint64_t time_ns)
{
  if (time_ns <= c->now_ns && c->waits)
    return;
  if (time_ns > c->now_ns) {
    judge_deferred(c);
    c->waits++;
  }
  c->now_ns = time_ns;
}

void check_end(struct checker *c)
{
  for (uint32_t i = 0; i < c->n_blocks && !c->ended; i++) {
    halves_end(c, &c->blocks[i]);
    unfrozen_end(c, &c->blocks[i]);
  }
  if (!c->ended) {
    left_out_end(c);
    counted_end(c);
    asked_end(c);
  }
  c->ended = true;
}

size_t check_findings(const struct checker *c, const struct check_finding **ret_list)
{
  *ret_list = c->findings;
  return c->n_findings;
}

size_t check_errors(const struct checker *c)
{
  return c->errors;
}
uint64_t check_accesses(const struct checker *c)
{
  return c->accesses;
}
uint64_t check_unknown(const struct checker *c)
{
  return c->unknown;
}
bool check_incomplete(const struct checker *c)
{
  return c->out_of_memory;
}

struct check_backend {
  struct wrap wrap;
  struct checker *c;
  uint64_t now_ns;
};

static void check_backend_observe(struct pmon_backend *b, const struct pmon_address *a, uint64_t value, bool write)
{
  struct check_backend *cb = (struct check_backend *)(void *)b;
  check_access(cb->c, &(struct check_access){cb->now_ns, write, *a, value});
}

static int check_backend_failed(struct pmon_backend *b, const struct pmon_address *a, bool write, int status)
{
  const struct check_backend *cb = (struct check_backend *)(void *)b;
  check_failed(cb->c, &(struct check_access){cb->now_ns, write, *a, 0});
  return status;
}

static int check_backend_read(struct pmon_backend *b, const struct pmon_address *a, uint64_t *ret_value)
{
  int status = wrap_read((struct wrap *)(void *)b, a, ret_value);
  if (status)
    return check_backend_failed(b, a, false, status);
  check_backend_observe(b, a, *ret_value, false);
  return 0;
}

static int check_backend_write(struct pmon_backend *b, const struct pmon_address *a, uint64_t value)
{
  int status = wrap_write((struct wrap *)(void *)b, a, value);
  if (!status)
    check_backend_observe(b, a, value, true);
  else if (status == PMON_E_RANGE && a->space == PMON_SPACE_MSR) {
    const struct check_backend *cb = (struct check_backend *)(void *)b;
    check_refused(cb->c, &(struct check_access){cb->now_ns, true, *a, value});
  } else {
    check_backend_failed(b, a, true, status);
  }
  return status;
}

static int check_backend_wait(struct pmon_backend *b, uint64_t until_ns, uint64_t *ret_now_ns, bool *ret_ended)
{
  struct check_backend *cb = (struct check_backend *)(void *)b;
  int status = wrap_wait(b, until_ns, ret_now_ns, ret_ended);
  if (!status) {
    cb->now_ns = *ret_now_ns;
    check_wait(cb->c, cb->now_ns);
  }
  return status;
}

int check_backend_new(struct pmon_backend *inner, struct checker *c, struct pmon_backend **ret_backend)
{
  static const struct pmon_backend_ops ops = {sizeof ops,         "check",   check_backend_read, check_backend_write,
                                              check_backend_wait, wrap_close};
  struct check_backend *b = calloc(1, sizeof *b);
  if (!b)
    return PMON_E_MEMORY;
  wrap_init(&b->wrap, &ops, inner);
  b->c = c;
  *ret_backend = &b->wrap.backend;
  return PMON_OK;
}
