/* SPDX-License-Identifier: MIT */
/* Parses the discovery page's words (817509 1.9; the access type is the top two bits, as the code in 1.10.1 has it). */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdbool.h>
#include <stdlib.h>
#include <pmon/discovery.h>
#include <pmon/hardware.h>
#include "src/platform/page.h"
#include "src/base/sized.h"

enum { WORDS = 3, MAX_COUNTERS = 32, GLOBAL_DOMAIN_WORDS = 3 };

struct pmon_discovery {
  struct pmon_discovery_info info;
  struct pmon_discovered_unit *units;
};

struct reporter {
  pmon_diagnostic diagnostic;
  void *user;
};

static void discovery_report(const struct reporter *t, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void discovery_report(const struct reporter *t, const char *format, ...)
{
  char text[256];
  va_list ap;
  if (!t->diagnostic)
    return;
  va_start(ap, format);
  vsnprintf(text, sizeof text, format, ap);
  va_end(ap);
  t->diagnostic(t->user, text);
}

static bool space_of(uint64_t word, uint8_t *ret_space)
{
  static const uint8_t spaces[] = {PMON_SPACE_MSR, PMON_SPACE_MMIO, PMON_SPACE_PCI};
  const uint64_t kind = word >> 62;
  if (kind < sizeof spaces)
    *ret_space = spaces[kind];
  return kind < sizeof spaces;
}

/* Returns why an entry is invalid; NULL: it is valid. */
static const char *entry_error(const struct pmon_discovered_unit *u)
{
  const uint64_t ends[] = {UINT32_MAX, UINT32_MAX, UINT64_C(1) << 52};
  if (!u->counters || u->counters > MAX_COUNTERS)
    return "its number of counters is out of range";
  if (!u->width_bits || u->width_bits > 64)
    return "the width of its counters is out of range";
  if (!u->address || (u->space < sizeof ends / sizeof *ends && u->address >= ends[u->space]))
    return "its address is out of range";
  if (!u->ctl_offset || !u->ctr_offset || u->ctl_offset == u->ctr_offset)
    return "its control or counter registers overlap its other registers";
  if (u->space != PMON_SPACE_MSR && (u->ctl_offset % 4 || u->ctr_offset % 4 || u->address % 4))
    return "its registers are not aligned";
  return NULL;
}

static void discovery_parse_unit(struct pmon_discovery *d, const uint64_t *w, uint32_t entry, const struct reporter *t)
{
  struct pmon_discovered_unit u = {.type = w[2] & 0xffff,
                                   .id = w[2] >> 16 & 0xffff,
                                   .status_position = w[2] >> 32 & 0xffff,
                                   .address = w[1],
                                   .counters = w[0] & 0xff,
                                   .ctl_offset = w[0] >> 8 & 0xff,
                                   .width_bits = w[0] >> 16 & 0xff,
                                   .ctr_offset = w[0] >> 24 & 0xff,
                                   .status_offset = w[0] >> 32 & 0xff};
  const char *why = space_of(w[0], &u.space) ? entry_error(&u) : "its access type is unknown";
  for (uint32_t i = 0; !why && i < d->info.units; i++) {
    const struct pmon_discovered_unit *v = &d->units[i];
    if (v->type == u.type && v->id == u.id)
      why = "another entry describes the same unit";
    else if (v->space == u.space && v->address == u.address)
      why = "another entry has the same address";
  }
  if (why)
    discovery_report(t, "entry %" PRIu32 " (type %" PRIu32 ", unit %" PRIu32 ") is left out: %s", entry, u.type, u.id,
                     why);
  else
    d->units[d->info.units++] = u;
}

/* Parses the global entry. Returns NULL, or why this is no discovery page. */
static const char *take_global(struct pmon_discovery *d, const uint64_t *w, size_t n)
{
  if (n < GLOBAL_DOMAIN_WORDS)
    return "it is shorter than its first entry";
  if (!w[0] || w[0] == UINT64_MAX)
    return w[0] ? "it reads all ones" : "it reads zero";
  if (!space_of(w[0], &d->info.space))
    return "the global access type is unknown";
  d->info.stride_bytes = (uint32_t)(w[0] >> 8 & 0xff) * 8;
  d->info.global_ctl = w[1];
  d->info.status_offset = w[2] & 0xff;
  d->info.status_bits = w[2] >> 8 & 0xffff;
  return d->info.stride_bytes < WORDS * 8 ? "the stride is shorter than an entry" : NULL;
}

int pmon_discovery_parse(const uint64_t *words, size_t n, pmon_diagnostic diagnostic, void *user,
                         struct pmon_discovery **ret_discovery)
{
  const struct reporter t = {diagnostic, user};
  struct pmon_discovery *d = calloc(1, sizeof *d);
  if (!d)
    return PMON_E_MEMORY;
  const char *why = take_global(d, words, n);
  if (why) {
    discovery_report(&t, "there is no discovery page: %s", why);
    free(d);
    return PMON_E_SYNTAX;
  }
  const size_t stride = d->info.stride_bytes / 8, most = words[0] >> 16 & 0x3ff;
  d->units = calloc(most + 1, sizeof *d->units);
  if (!d->units) {
    free(d);
    return PMON_E_MEMORY;
  }
  for (size_t i = 1; i <= most; i++) {
    const size_t at = i * stride;
    if (at + WORDS > n) {
      discovery_report(&t, "the page ends before entry %zu of %zu", i, most);
      break;
    }
    if (words[at] | words[at + 1] | words[at + 2])
      discovery_parse_unit(d, words + at, (uint32_t)i, &t);
  }
  *ret_discovery = d;
  return 0;
}

static int read_word(struct pmon_backend *b, uint32_t package, size_t word, uint64_t *ret_value)
{
  struct pmon_address a = {
      .package = package, .space = PMON_SPACE_MMIO, .width_bits = 32, .device = PMON_BAR_DISCOVERY, .offset = 8 * word};
  uint64_t low = 0, high = 0;
  int status = b->ops->read(b, &a, &low);
  a.offset += 4;
  if (!status)
    status = b->ops->read(b, &a, &high);
  *ret_value = high << 32 | (low & UINT32_MAX);
  return status;
}

int discovery_read_words(struct pmon_backend *backend, uint32_t package, uint64_t **ret_words, size_t *ret_n)
{
  uint64_t first;
  int status = read_word(backend, package, 0, &first);
  if (status)
    return status;
  size_t n = ((first >> 16 & 0x3ff) + 1) * (first >> 8 & 0xff);
  if (n < WORDS)
    n = WORDS;
  if (n > DISCOVERY_WORDS)
    n = DISCOVERY_WORDS;
  uint64_t *words = calloc(n, sizeof *words);
  if (!words)
    return PMON_E_MEMORY;
  for (size_t i = 0; !status && i < n; i++) {
    status = read_word(backend, package, i, &words[i]);
    if (status && status != PMON_E_IO && i >= WORDS) { /* the page ends where it can no longer be read */
      n = i;
      status = 0;
    }
  }
  if (status) {
    free(words);
    return status;
  }
  *ret_words = words;
  *ret_n = n;
  return 0;
}

int pmon_discovery_read(struct pmon_backend *backend, uint32_t package, pmon_diagnostic diagnostic, void *user,
                        struct pmon_discovery **ret_discovery)
{
  uint64_t *words = NULL;
  size_t n = 0;
  int status = discovery_read_words(backend, package, &words, &n);
  if (!status)
    status = pmon_discovery_parse(words, n, diagnostic, user, ret_discovery);
  free(words);
  return status;
}

void pmon_discovery_free(struct pmon_discovery *d)
{
  if (d)
    free(d->units);
  free(d);
}

int pmon_discovery_describe(const struct pmon_discovery *d, struct pmon_discovery_info *info)
{
  struct pmon_discovery_info full = d->info;
  return sized_fill(info, &full, sizeof full);
}

const struct pmon_discovered_unit *pmon_discovery_unit(const struct pmon_discovery *d, uint32_t i)
{
  return i < d->info.units ? &d->units[i] : NULL;
}

bool discovery_has(const struct pmon_discovery *page, uint32_t type, uint8_t space, uint64_t address)
{
  const uint64_t mask = space == PMON_SPACE_PCI ? 0xfffff : UINT64_MAX; /* the system numbers buses */
  for (uint32_t i = 0; i < page->info.units; i++) {
    const struct pmon_discovered_unit *u = &page->units[i];
    if (u->type == type && u->space == space && !((u->address ^ address) & mask))
      return true;
  }
  return false;
}
