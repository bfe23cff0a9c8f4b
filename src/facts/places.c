/* SPDX-License-Identifier: MIT */
/* Places of registers, in `*.unit`: addresses in an address space, and the step from one instance to the next. */
#include <pmon/access.h>
#include "src/facts/parser.h"
#include "src/facts/vocabulary.h"

/* `BUS:DEV.FN [OFFSET]`, decimal */
static int place_pci(struct parser *p, struct db_place *place)
{
  int status = parse_word(p, "BUS:DEV.FN");
  if (status)
    return status;
  const char *s = p->w.t.s, *end = s + p->w.t.n;
  const char *colon = memchr(s, ':', p->w.t.n), *dot = colon ? memchr(colon, '.', (size_t)(end - colon)) : NULL;
  uint64_t bus, dev, fn;
  if (!dot || !text_number((struct text){s, (size_t)(colon - s)}, &bus) || bus > PMON_BUS_OF_SYSTEM + 255 ||
      !text_number((struct text){colon + 1, (size_t)(dot - colon) - 1}, &dev) || dev > 31 ||
      !text_number((struct text){dot + 1, (size_t)(end - dot) - 1}, &fn) || fn > 7)
    return parse_fail(p, PMON_E_SYNTAX, "BUS:DEV.FN expected, not '%.*s'", (int)p->w.t.n, s);
  place->device = (uint32_t)(bus << 8 | dev << 3 | fn);
  if (!parse_more(p))
    return 0;
  struct text rest = p->rest;
  if ((status = parse_word(p, "offset")) != 0)
    return status;
  if (!text_number(p->w.t, &place->base))
    p->rest = rest;
  return 0;
}

/* `BAR+OFFSET` */
static int place_mmio(struct parser *p, struct db_place *place)
{
  int status = parse_word(p, "BAR+OFFSET");
  if (status)
    return status;
  const char *plus = memchr(p->w.t.s, '+', p->w.t.n);
  size_t n = plus ? (size_t)(plus - p->w.t.s) : 0;
  if (!n || !text_number((struct text){plus + 1, p->w.t.n - n - 1}, &place->base))
    return parse_fail(p, PMON_E_SYNTAX, "BAR+OFFSET expected, not '%.*s'", (int)p->w.t.n, p->w.t.s);
  place->device = builder_intern(p->b, (struct text){p->w.t.s, n});
  return 0;
}

/* `NUMBER`, a register of the package; or `cpuN:NUMBER`, a register of the package's hardware thread N */
static int place_msr(struct parser *p, struct db_place *place)
{
  const struct text rest = p->rest;
  int status = parse_word(p, "address");
  if (status)
    return status;
  if (text_take_cpu(&p->w.t, &place->device) && text_number(p->w.t, &place->base))
    return 0;
  p->rest = rest;
  return parse_number(p, "an address, or cpuN:ADDRESS", UINT64_MAX, &place->base);
}

int parse_place(struct parser *p, struct db_place *place)
{
  int status = parse_word(p, "msr, pci, mmio, pmc, pmd, ibr, dbr or resctrl");
  if (status)
    return status;
  if (!vocabulary_find(VOCABULARY_SPACES, p->w.t, &place->space))
    return parse_fail(p, PMON_E_SYNTAX, "msr, pci, mmio, pmc, pmd, ibr, dbr or resctrl expected, not '%.*s'",
                      (int)p->w.t.n, p->w.t.s);
  if (place->space == PMON_SPACE_PCI)
    return place_pci(p, place);
  if (place->space == PMON_SPACE_MMIO)
    return place_mmio(p, place);
  if (place->space == PMON_SPACE_MSR)
    return place_msr(p, place);
  return parse_number(p, "address", UINT64_MAX, &place->base);
}

/* `S`, or `dev` or `cpu` */
int parse_step(struct parser *p, const struct db_place *place, int64_t *ret_step)
{
  const struct text rest = p->rest;
  uint64_t step = 0;
  int status = parse_word(p, "step");
  if (status)
    return status;
  if (text_is(p->w.t, "dev") && place->space == PMON_SPACE_PCI) {
    *ret_step = STEP_DEVICE;
  } else if (text_is(p->w.t, "cpu") && place->space == PMON_SPACE_MSR && place->device) {
    *ret_step = STEP_CPU;
  } else {
    p->rest = rest;
    status = parse_number(p, "step", UINT32_MAX, &step);
    *ret_step = (int64_t)step;
  }
  return status;
}
