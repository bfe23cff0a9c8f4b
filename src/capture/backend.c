/* SPDX-License-Identifier: MIT */
/* A backend that answers like a captured machine: writes change registers, and counters do not count. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include "src/access/register.h"
#include "src/capture/capture.h"
#include "src/platform/platform.h"

struct capture_backend {
  struct pmon_backend backend;
  const struct pmon_capture *capture;
  const struct pmon_platform *platform;
  uint64_t *values; /* by register */
  uint64_t now_ns;
  char text[200];
};

static struct capture_backend *captured_backend(struct pmon_backend *b)
{
  return (struct capture_backend *)(void *)b;
}

static int capture_refuse_access(struct capture_backend *s, const struct pmon_address *a, int status)
{
  char where[64];
  pmon_address_format(a, where, sizeof where);
  snprintf(s->text, sizeof s->text, "%s of package %" PRIu32 ": %s", where, a->package,
           status == PMON_E_NO_DEVICE ? "the capture does not contain this register"
                                      : "it could not be read when the capture was taken");
  s->backend.error_text = s->text;
  return status;
}

/* Reads data other than registers, one dword: headers of functions, and the discovery page. */
static bool read_other(const struct pmon_capture *c, const struct pmon_address *a, uint64_t *ret_value)
{
  uint32_t n;
  const uint64_t *words;
  if (a->width_bits != 32)
    return false;
  if (a->space == PMON_SPACE_MMIO && a->device == PMON_BAR_DISCOVERY &&
      (words = pmon_capture_page(c, a->package, &n)) && a->offset / 8 < n) {
    *ret_value = (uint32_t)(words[a->offset / 8] >> (a->offset & 4) * 8);
    return true;
  }
  for (uint32_t i = 0; a->space == PMON_SPACE_PCI && i < c->functions.n; i++) {
    const struct pmon_captured_function *f = vec_at(&c->functions, i);
    if (f->package != a->package || f->device != a->device)
      continue;
    *ret_value = a->offset == 0   ? (uint32_t)f->id << 16 | f->vendor
                 : a->offset == 8 ? (uint32_t)f->class_code << 16
                                  : 0;
    return true;
  }
  return false;
}

/* Finds the register at `a` and the bit position of the access in it; fails if it cannot be accessed. */
static int capture_find_register(struct capture_backend *s, const struct pmon_address *a, uint32_t *ret_row,
                                 unsigned *ret_shift)
{
  const uint32_t row = capture_find(s->capture, a);
  const struct pmon_captured *r = pmon_capture_register(s->capture, row);
  if (!r)
    return capture_refuse_access(s, a, PMON_E_NO_DEVICE);
  *ret_row = row;
  *ret_shift = a->offset == r->address.offset ? 0 : 32;
  if (*ret_shift + a->width_bits > r->address.width_bits)
    return capture_refuse_access(s, a, PMON_E_INVALID);
  return r->status ? capture_refuse_access(s, a, r->status) : 0;
}

static uint64_t width_mask(const struct pmon_address *a)
{
  return a->width_bits == 32 ? UINT32_MAX : UINT64_MAX;
}

static int capture_backend_read(struct pmon_backend *b, const struct pmon_address *a, uint64_t *ret_value)
{
  uint32_t row;
  unsigned shift;
  if (capture_find(captured_backend(b)->capture, a) == UINT32_MAX &&
      read_other(captured_backend(b)->capture, a, ret_value))
    return 0;
  int status = capture_find_register(captured_backend(b), a, &row, &shift);
  if (!status)
    *ret_value = captured_backend(b)->values[row] >> shift & width_mask(a);
  return status;
}

static int capture_backend_write(struct pmon_backend *b, const struct pmon_address *a, uint64_t value)
{
  struct capture_backend *s = captured_backend(b);
  struct pmon_register_id id;
  uint32_t row;
  unsigned shift;
  int status = capture_find_register(s, a, &row, &shift);
  if (status)
    return status;
  const struct pmon_captured *r = pmon_capture_register(s->capture, row);
  uint64_t mask = width_mask(a) << shift;
  if (platform_register_at(s->platform, &r->address, &id))
    mask &= access_stable(s->platform, &id);
  s->values[row] = (s->values[row] & ~mask) | (value << shift & mask);
  return 0;
}

static int capture_backend_wait(struct pmon_backend *b, uint64_t until_ns, uint64_t *ret_now_ns, bool *ret_ended)
{
  struct capture_backend *s = captured_backend(b);
  *ret_ended = until_ns > 0; /* there is no workload */
  if (until_ns > s->now_ns)
    s->now_ns = until_ns == UINT64_MAX ? s->now_ns + 1 : until_ns;
  *ret_now_ns = s->now_ns;
  return 0;
}

static void capture_backend_close(struct pmon_backend *b)
{
  free(captured_backend(b)->values);
  free(b);
}

int pmon_backend_capture_new(const struct pmon_capture *capture, const struct pmon_platform *platform,
                             struct pmon_backend **ret_backend)
{
  static const struct pmon_backend_ops ops = {
      sizeof ops, "capture", capture_backend_read, capture_backend_write, capture_backend_wait, capture_backend_close};
  struct capture_backend *s = calloc(1, sizeof *s);
  if (s)
    s->values = calloc(capture->registers.n + 1, sizeof *s->values);
  if (!s || !s->values) {
    free(s);
    return PMON_E_MEMORY;
  }
  s->backend = (struct pmon_backend){.ops = &ops, .packages = capture->n_packages};
  s->capture = capture;
  s->platform = platform;
  for (uint32_t i = 0; i < capture->registers.n; i++)
    s->values[i] = ((const struct pmon_captured *)vec_at(&capture->registers, i))->value;
  *ret_backend = &s->backend;
  return 0;
}
