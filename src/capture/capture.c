/* SPDX-License-Identifier: MIT */
#include "src/capture/capture.h"

#include <stdlib.h>
#include <string.h>
#include "src/base/sized.h"

struct pmon_capture *capture_new(void)
{
  struct pmon_capture *c = calloc(1, sizeof *c);
  if (!c)
    return NULL;
  vec_init(&c->functions, sizeof(struct pmon_captured_function));
  vec_init(&c->registers, sizeof(struct pmon_captured));
  vec_init(&c->devices, sizeof(struct captured_device));
  vec_init(&c->limits, sizeof(struct captured_limit));
  return c;
}

void pmon_capture_free(struct pmon_capture *c)
{
  if (!c)
    return;
  for (uint32_t i = 0; i < PMON_CAPTURE_PACKAGES; i++)
    free(c->pages[i].words);
  vec_fini(&c->functions);
  vec_fini(&c->registers);
  vec_fini(&c->devices);
  vec_fini(&c->limits);
  free(c->by_address);
  free(c);
}

int capture_compare(const struct pmon_address *a, const struct pmon_address *b)
{
  const uint64_t x[] = {a->package, a->space, a->device, a->offset}, y[] = {b->package, b->space, b->device, b->offset};
  for (size_t i = 0; i < 4; i++)
    if (x[i] != y[i])
      return x[i] < y[i] ? -1 : 1;
  return 0;
}

static int compare_rows(const void *a, const void *b, void *user)
{
  const struct pmon_capture *c = user;
  const struct pmon_captured *x = vec_at(&c->registers, *(const uint32_t *)a);
  const struct pmon_captured *y = vec_at(&c->registers, *(const uint32_t *)b);
  return capture_compare(&x->address, &y->address);
}

static bool overlap(const struct pmon_address *low, const struct pmon_address *high)
{
  struct pmon_address at = *high;
  at.offset = low->offset;
  const uint64_t bytes = low->space == PMON_SPACE_PCI || low->space == PMON_SPACE_MMIO ? low->width_bits / 8 : 1;
  return !capture_compare(low, &at) && high->offset - low->offset < bytes;
}

/* Sorts rows by package, which is at `package_at` in a row; the order within a package is kept. */
static bool order_by_package(struct vec *v, uint32_t packages, size_t package_at)
{
  struct vec sorted;
  bool good = true;
  vec_init(&sorted, v->row_size);
  for (uint32_t p = 0; good && p < packages; p++)
    for (uint32_t i = 0; good && i < v->n; i++) {
      const char *row = vec_at(v, i);
      uint32_t of;
      memcpy(&of, row + package_at, sizeof of);
      if (of == p)
        good = vec_append(&sorted, row, 1);
    }
  struct vec old = good ? *v : sorted;
  if (good)
    *v = sorted;
  vec_fini(&old);
  return good;
}

int capture_sort(struct pmon_capture *c, uint32_t *ret_row)
{
  if (!order_by_package(&c->functions, c->n_packages, offsetof(struct pmon_captured_function, package)) ||
      !order_by_package(&c->devices, c->n_packages, offsetof(struct captured_device, package)) ||
      !order_by_package(&c->registers, c->n_packages, offsetof(struct pmon_captured, address.package)))
    return PMON_E_MEMORY;
  const uint32_t n = c->registers.n;
  c->by_address = malloc((n + 1) * sizeof *c->by_address);
  if (!c->by_address)
    return PMON_E_MEMORY;
  for (uint32_t i = 0; i < n; i++)
    c->by_address[i] = i;
  qsort_r(c->by_address, n, sizeof *c->by_address, compare_rows, c);
  for (uint32_t i = 1; i < n; i++) {
    const struct pmon_captured *low = vec_at(&c->registers, c->by_address[i - 1]);
    const struct pmon_captured *high = vec_at(&c->registers, c->by_address[i]);
    *ret_row = c->by_address[i];
    if (overlap(&low->address, &high->address))
      return PMON_E_CONFLICT;
  }
  return 0;
}

uint32_t capture_find(const struct pmon_capture *c, const struct pmon_address *a)
{
  uint32_t first = 0, n = c->registers.n;
  while (n) { /* finds the first register after `a` */
    const struct pmon_captured *r = vec_at(&c->registers, c->by_address[first + n / 2]);
    if (capture_compare(&r->address, a) <= 0) {
      first += n / 2 + 1;
      n -= n / 2 + 1;
    } else {
      n /= 2;
    }
  }
  if (!first)
    return UINT32_MAX;
  const struct pmon_captured *r = vec_at(&c->registers, c->by_address[first - 1]);
  return overlap(&r->address, a) ? c->by_address[first - 1] : UINT32_MAX;
}

int pmon_capture_describe(const struct pmon_capture *c, struct pmon_capture_info *info)
{
  struct pmon_capture_info full = {.platform = c->platform,
                                   .has_cpu = c->has_cpu,
                                   .cpu = c->cpu,
                                   .packages = c->n_packages,
                                   .functions = c->functions.n,
                                   .registers = c->registers.n,
                                   .devices = c->devices.n};
  return sized_fill(info, &full, sizeof full);
}

const struct pmon_package *pmon_capture_package(const struct pmon_capture *c, uint32_t i)
{
  return i < c->n_packages ? &c->packages[i] : NULL;
}

const struct pmon_captured_function *pmon_capture_function(const struct pmon_capture *c, uint32_t i)
{
  return i < c->functions.n ? vec_at(&c->functions, i) : NULL;
}

const struct pmon_captured *pmon_capture_register(const struct pmon_capture *c, uint32_t i)
{
  return i < c->registers.n ? vec_at(&c->registers, i) : NULL;
}

const uint64_t *pmon_capture_page(const struct pmon_capture *c, uint32_t package, uint32_t *ret_n)
{
  if (package >= c->n_packages || !c->pages[package].words)
    return NULL;
  *ret_n = c->pages[package].n;
  return c->pages[package].words;
}
