/* SPDX-License-Identifier: MIT */
/* Scenario lines about devices: dma, mmio, cxl. */
#include <stddef.h>
#include <stdlib.h>
#include <pmon/status.h>
#include "machine/trace/scenario_parser.h"

static const struct scenario_unit rate_units[] = {
    {"B/s", 1}, {"KB/s", 1000}, {"MB/s", 1000000}, {"GB/s", 1000000000}, {NULL, 0}};

/* Parses the action of the stream. */
static int parse_dma_action(struct parser *p, enum scenario_device kind, struct scenario_dma *d)
{
  const bool core = kind == SCENARIO_MMIO;
  if (kind == SCENARIO_CXL) {
    d->action = scenario_peek(p)[0] == 'c' ? DEVICE_CXL_CACHE : DEVICE_CXL_MEMORY;
    if ((d->write = scenario_take(p, "write") || scenario_take(p, "cache-write")) || scenario_take(p, "read") ||
        scenario_take(p, "cache-read"))
      return 0;
    return scenario_wrong(p, PMON_E_SYNTAX, "expected read, write, cache-read or cache-write, not '%.40s'",
                          scenario_peek(p));
  }
  d->action = core ? DEVICE_CORE : DEVICE_MEMORY;
  if ((d->write = scenario_take(p, "write")) || scenario_take(p, "read"))
    return 0;
  d->write = true;
  if (!core && scenario_take(p, "atomic"))
    d->action = DEVICE_ATOMIC;
  else if (!core && scenario_take(p, "message"))
    d->action = DEVICE_MESSAGE;
  else if (!core && scenario_take(p, "flush"))
    d->action = DEVICE_FLUSH;
  else
    return scenario_wrong(p, PMON_E_SYNTAX,
                          core ? "expected 'read' or 'write', not '%.40s'"
                               : "expected read, write, atomic, message or flush, not '%.40s'",
                          scenario_peek(p));
  return 0;
}

/* Parses one of `words` and the small number that follows it. 1: the next word is another one. */
static int parse_dma_place(struct parser *p, const char *const *words, unsigned n, uint64_t *numbers)
{
  static const uint64_t small[2] = {0, 255};
  for (unsigned i = 0; i < n; i++)
    if (scenario_take(p, words[i]))
      return scenario_number(p, words[i], scenario_plain_units, small, &numbers[i]);
  return 1;
}

/* Parses the size of a core's access to registers. */
static int parse_access_bytes(struct parser *p, struct scenario_dma *d)
{
  static const uint64_t bytes[2] = {1, 64};
  uint64_t n = 0;
  const int rc = scenario_number(p, "a number of bytes", scenario_plain_units, bytes, &n);
  if (rc == 0 && (n & (n - 1)))
    return scenario_wrong(p, PMON_E_RANGE, "expected an access of 1, 2, 4, 8, 16, 32 or 64 bytes, not %u", (unsigned)n);
  d->access_bytes = (unsigned)n;
  return rc;
}

/* Parses a parameter of the device's link. 1: the next word is another one. */
static int parse_link(struct parser *p, struct pcie_shape *link)
{
  static const struct {
    const char *word;
    size_t offset;
    uint64_t bounds[2];
  } words[] = {{"generation", offsetof(struct pcie_shape, generation), {1, 5}},
               {"lanes", offsetof(struct pcie_shape, lanes), {1, 16}},
               {"payload", offsetof(struct pcie_shape, payload), {64, 4096}},
               {"request", offsetof(struct pcie_shape, request), {64, 4096}},
               {"credits", offsetof(struct pcie_shape, credits), {1, 1024}},
               {"tags", offsetof(struct pcie_shape, tags), {1, 1024}}};
  enum { TAGS_AND_CREDITS = 4 };
  for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
    uint64_t n = 0;
    if (!scenario_take(p, words[i].word))
      continue;
    const int rc = scenario_number(p, words[i].word, scenario_plain_units, words[i].bounds, &n);
    if (rc == 0 && i && i < TAGS_AND_CREDITS && (n & (n - 1)))
      return scenario_wrong(p, PMON_E_RANGE, "%s: expected a power of two, not %u", words[i].word, (unsigned)n);
    *(unsigned *)(void *)((char *)link + words[i].offset) = (unsigned)n;
    return rc;
  }
  return 1;
}

int scenario_stream_add(struct parser *p, const struct scenario_dma *d)
{
  struct scenario *s = p->s;
  if (s->n_dma == SCENARIO_DEVICES)
    return scenario_wrong(p, PMON_E_RANGE, "more than %u devices and messages", SCENARIO_DEVICES);
  struct scenario_dma *list = realloc(s->dma, (s->n_dma + 1) * sizeof *list);
  if (!list)
    return PMON_E_MEMORY;
  s->dma = list;
  list[s->n_dma] = *d;
  list[s->n_dma++].line = p->line;
  return 0;
}

/* dma read|write|atomic|message|flush RATE ...; mmio read|write RATE ...; cxl [cache-]read|[cache-]write RATE ... */
int scenario_device_line(struct parser *p, enum scenario_device kind)
{
  static const uint64_t rates[2] = {1, UINT64_C(1000000000000)}, spans[2] = {64, UINT64_C(1) << 30},
                        times[2] = {0, UINT64_C(1000000000000000)};
  const char *const words[] = {
      "socket", kind == SCENARIO_CXL ? "device" : "stack", "port", "node", "to-socket", "to-stack", "to-port"};
  struct scenario_dma d = {.span = 16u << 20};
  uint64_t place[] = {0, 0, 0, UINT64_MAX, UINT64_MAX, UINT64_MAX, 0}, length = 0;
  int rc = parse_dma_action(p, kind, &d);

  if (rc == 0)
    rc = scenario_number(p, "a rate (4GB/s)", rate_units, rates, &d.bytes_per_second);
  while (rc == 0 && p->at < p->n) {
    int placed = parse_dma_place(p, words, d.action == DEVICE_MEMORY ? 7 : 4, place);
    if (placed > 0 && kind == SCENARIO_DMA)
      placed = parse_link(p, &d.link);
    if (placed <= 0)
      rc = placed;
    else if (scenario_take(p, "span"))
      rc = scenario_number(p, "an amount of memory", scenario_byte_units, spans, &d.span);
    else if ((d.action == DEVICE_MEMORY || d.action == DEVICE_FLUSH || d.action == DEVICE_CXL_CACHE) &&
             scenario_take(p, "shared"))
      rc = scenario_shared(p, &d.base);
    else if (kind == SCENARIO_MMIO && scenario_take(p, "bytes"))
      rc = parse_access_bytes(p, &d);
    else if (scenario_take(p, "from"))
      rc = scenario_number(p, "a time (100us)", scenario_time_units, times, &d.from_fs);
    else if (scenario_take(p, "for"))
      rc = scenario_number(p, "a time (1ms)", scenario_time_units, times, &length);
    else if (d.write && (d.action == DEVICE_MEMORY || kind == SCENARIO_CXL) && scenario_take(p, "partial"))
      d.partial = true;
    else
      return scenario_meaningless(p);
  }
  if (rc == 0 && !length)
    return scenario_wrong(p, PMON_E_SYNTAX, "expected 'for' and the duration of the device's stream");
  if (rc == 0 && place[5] != UINT64_MAX)
    d.action = DEVICE_PEER;
  else if (rc == 0 && (place[4] != UINT64_MAX || place[6]))
    return scenario_wrong(p, PMON_E_SYNTAX, "expected 'to-stack' and the number of the target device");
  d.until_fs = d.from_fs + length;
  d.socket = (unsigned)place[0];
  d.stack = (unsigned)place[1];
  d.port = (unsigned)place[2];
  d.node = (unsigned)(place[3] == UINT64_MAX ? place[0] : place[3]);
  d.peer[0] = (unsigned)(place[4] == UINT64_MAX ? place[0] : place[4]);
  d.peer[1] = d.action == DEVICE_PEER ? (unsigned)place[5] : 0;
  d.peer[2] = (unsigned)place[6];
  return rc < 0 ? rc : scenario_stream_add(p, &d);
}
