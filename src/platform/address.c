/* SPDX-License-Identifier: MIT */
#include "src/platform/address.h"

#include <pmon/platform.h>
#include "src/platform/platform.h"

struct text text_take_word(struct text *rest)
{
  while (rest->n && (*rest->s == ' ' || *rest->s == '\t'))
    rest->s++, rest->n--;
  struct text t = {rest->s, 0};
  while (t.n < rest->n && t.s[t.n] != ' ' && t.s[t.n] != '\t')
    t.n++;
  rest->s += t.n, rest->n -= t.n;
  return t;
}

const char *address_take_device(struct text *rest, uint32_t *ret_device, struct text *ret_got)
{
  const struct text t = *ret_got = text_take_word(rest);
  const char *colon = memchr(t.s, ':', t.n), *dot = colon ? memchr(colon, '.', (size_t)(t.s + t.n - colon)) : NULL;
  uint64_t bus, device, function;
  if (!dot || !text_number((struct text){t.s, (size_t)(colon - t.s)}, &bus) || bus > PMON_BUS_OF_SYSTEM + 255 ||
      !text_number((struct text){colon + 1, (size_t)(dot - colon) - 1}, &device) || device > 31 ||
      !text_number((struct text){dot + 1, (size_t)(t.s + t.n - dot) - 1}, &function) || function > 7)
    return "a device such as 30:1.0";
  *ret_device = (uint32_t)(bus << 8 | device << 3 | function);
  return NULL;
}

const char *address_take(struct text *rest, struct pmon_address *a, struct text *ret_got)
{
  const char *expected;
  uint8_t i = 0;
  *ret_got = text_take_word(rest);
  while (i <= PMON_SPACE_RESCTRL && !text_is(*ret_got, pmon_space_name(i)))
    i++;
  if (i > PMON_SPACE_RESCTRL)
    return "msr, pci, mmio, pmc, pmd, ibr, dbr or resctrl";
  a->space = i;
  a->device = 0;
  if (i == PMON_SPACE_PCI && (expected = address_take_device(rest, &a->device, ret_got)))
    return expected;
  struct text t = *ret_got = text_take_word(rest);
  if (i == PMON_SPACE_MSR)
    text_take_cpu(&t, &a->device);
  if (i != PMON_SPACE_MMIO)
    return text_number(t, &a->offset) ? NULL : "an address";
  const char *plus = memchr(t.s, '+', t.n);
  return plus && platform_bar((struct text){t.s, (size_t)(plus - t.s)}, &a->device) &&
                 text_number((struct text){plus + 1, (size_t)(t.s + t.n - plus) - 1}, &a->offset)
             ? NULL
             : "a place such as MEM0+0x22840";
}
