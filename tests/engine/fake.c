/* SPDX-License-Identifier: MIT */
#include "tests/engine/fake.h"

#include <stdio.h>
#include <string.h>
#include "src/access/register.h"
#include "src/platform/platform.h"

static struct fake_register *fake_find(struct fake *f, const struct pmon_address *a)
{
  for (uint32_t i = 0; i < f->n; i++)
    if (f->regs[i].address.package == a->package && f->regs[i].address.space == a->space &&
        f->regs[i].address.device == a->device && f->regs[i].address.offset == a->offset)
      return &f->regs[i];
  struct fake_register *r = &f->regs[f->n];
  struct pmon_register_info info = {.size = sizeof info};
  if (f->n == FAKE_REGISTERS || !platform_register_at(f->platform, a, &r->id) ||
      pmon_register_describe(f->platform, r->id.unit, r->id.reg, &info))
    return NULL;
  r->address = *a;
  r->role = info.role;
  r->value = (f->n + 1) * UINT64_C(0x0101030507090b0d) & access_stable(f->platform, &r->id);
  if (r->role == PMON_ROLE_CTR)
    r->value &= UINT64_C(0xffffffffffff);
  r->start = r->value;
  f->n++;
  return r;
}

/* Returns the whole register that an access reaches; *ret_shift: the position of the access in it. */
static struct fake_register *reach(struct fake *f, const struct pmon_address *a, unsigned *ret_shift)
{
  struct pmon_address low = *a;
  struct pmon_register_id id;
  *ret_shift = 0;
  if (a->space == PMON_SPACE_PCI && a->width_bits == 32 && !platform_register_at(f->platform, a, &id)) {
    low.offset -= 4;
    *ret_shift = 32;
  }
  return a->package < f->backend.packages ? fake_find(f, &low) : NULL;
}

/* Advances every counter whose control register selects an event by `ns` nanoseconds. */
static void fake_count(struct fake *f, uint64_t ns)
{
  for (uint32_t i = 0; i < f->n; i++) {
    struct fake_register *ctr = &f->regs[i];
    if (ctr->id.unit == f->still_unit && ctr->id.instance == f->still_instance)
      continue;
    if (ctr->role == PMON_ROLE_FREERUNNING)
      ctr->value += 3 * ns;
    for (uint32_t k = 0; ctr->role == PMON_ROLE_CTR && k < f->n; k++) {
      const struct fake_register *ctl = &f->regs[k];
      if (ctl->role == PMON_ROLE_CTL && ctl->address.package == ctr->address.package && ctl->id.unit == ctr->id.unit &&
          ctl->id.instance == ctr->id.instance && ctl->id.index == ctr->id.index && !f->frozen[ctr->address.package])
        ctr->value = (ctr->value + (ctl->value & 0xff) * ns) & UINT64_C(0xffffffffffff);
    }
  }
}

static void fake_pass(struct fake *f, uint64_t ns)
{
  if (ns)
    fake_count(f, ns);
  f->now_ns += ns;
}

static int fake_read(struct pmon_backend *b, const struct pmon_address *a, uint64_t *ret_value)
{
  struct fake *f = (struct fake *)(void *)b;
  unsigned shift;
  struct fake_register *r = reach(f, a, &shift);
  f->reads++;
  fake_pass(f, f->access_ns);
  if (!r)
    return PMON_E_IO;
  if (r->id.unit == f->missing_unit && r->id.instance)
    return PMON_E_NO_DEVICE;
  *ret_value = r->value >> shift & (a->width_bits == 32 ? UINT32_MAX : UINT64_MAX);
  return 0;
}

static int fake_write(struct pmon_backend *b, const struct pmon_address *a, uint64_t value)
{
  struct fake *f = (struct fake *)(void *)b;
  unsigned shift;
  struct fake_register *r = reach(f, a, &shift);
  f->writes++;
  fake_pass(f, f->access_ns);
  if (!r)
    return PMON_E_IO;
  uint64_t part = (a->width_bits == 32 ? UINT32_MAX : UINT64_MAX) << shift, stable = access_stable(f->platform, &r->id);
  f->freezes += r->role == PMON_ROLE_GLOBAL_CTL || r->role == PMON_ROLE_UNIT_CTL;
  if (r->role == PMON_ROLE_GLOBAL_CTL)
    f->frozen[a->package] = value & 1;
  r->written = true;
  r->value = (r->value & ~part) | (value << shift & part & stable);
  return 0;
}

static int fake_wait(struct pmon_backend *b, uint64_t until_ns, uint64_t *ret_now_ns, bool *ret_ended)
{
  struct fake *f = (struct fake *)(void *)b;
  uint64_t goal = until_ns < f->end_ns ? until_ns : f->end_ns;
  if (goal > f->now_ns) {
    fake_count(f, goal - f->now_ns);
    if (f->steal_at_ns && f->now_ns < f->steal_at_ns && goal >= f->steal_at_ns)
      for (uint32_t i = 0; i < f->n; i++)
        if (f->regs[i].role == PMON_ROLE_CTL &&
            (f->steal_counter == UINT32_MAX || f->regs[i].id.index == f->steal_counter))
          f->regs[i].value ^= 0x100;
    f->now_ns = goal;
  }
  *ret_now_ns = f->now_ns;
  *ret_ended = f->now_ns == f->end_ns;
  return 0;
}

static void fake_close(struct pmon_backend *b)
{
  struct fake *f = (struct fake *)(void *)b;
  f->closes++;
}

void fake_init(struct fake *f, const struct pmon_platform *platform)
{
  static const struct pmon_backend_ops ops = {.size = sizeof ops,
                                              .name = "fake",
                                              .read = fake_read,
                                              .write = fake_write,
                                              .wait = fake_wait,
                                              .close = fake_close};
  memset(f, 0, sizeof *f);
  f->backend = (struct pmon_backend){.ops = &ops, .packages = 2};
  f->platform = platform;
  f->missing_unit = f->still_unit = f->steal_counter = UINT32_MAX;
  f->end_ns = 1000000;
}

uint32_t fake_changed(const struct fake *f, char *text, size_t size)
{
  uint32_t n = 0;
  for (uint32_t i = 0; i < f->n; i++) {
    const struct fake_register *r = &f->regs[i];
    if (r->role == PMON_ROLE_FREERUNNING || (r->role == PMON_ROLE_CTR && !r->written) || r->value == r->start)
      continue;
    if (!n++)
      pmon_register_name(f->platform, &r->id, text, size);
  }
  return n + (f->frozen[0] || f->frozen[1]);
}
