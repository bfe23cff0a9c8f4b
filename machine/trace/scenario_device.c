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

/* The places of a stream: of the device, of its memory, and of the device that a peer's stream writes to. */
enum place {
  PLACE_SOCKET,
  PLACE_STACK,
  PLACE_PORT,
  PLACE_NODE,
  PLACE_TO_SOCKET,
  PLACE_TO_STACK,
  PLACE_TO_PORT,
  PLACES
};

/* A line of a device while it is parsed. */
struct device_line {
  enum scenario_device kind;
  struct scenario_dma d;
  uint64_t length;        /* of the stream, in fs; 0: not given */
  uint64_t place[PLACES]; /* numbers */
  bool placed[PLACES];    /* the line states the place */
};

/* Parses a place and its number. 1: the next word is another one. */
static int parse_place(struct parser *p, struct device_line *l)
{
  static const uint64_t small[2] = {0, 255};
  const char *const words[PLACES] = {
      "socket", l->kind == SCENARIO_CXL ? "device" : "stack", "port", "node", "to-socket", "to-stack", "to-port"};
  const unsigned n = l->d.action == DEVICE_MEMORY ? PLACES : PLACE_TO_SOCKET;
  for (unsigned i = 0; i < n; i++)
    if (scenario_take(p, words[i])) {
      l->placed[i] = true;
      return scenario_number(p, words[i], scenario_plain_units, small, &l->place[i]);
    }
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

/* Parses the next word and what belongs to it. */
static int parse_device_option(struct parser *p, struct device_line *l)
{
  static const uint64_t spans[2] = {64, UINT64_C(1) << 30}, times[2] = {0, UINT64_C(1000000000000000)};
  struct scenario_dma *d = &l->d;
  const bool shares = d->action == DEVICE_MEMORY || d->action == DEVICE_FLUSH || d->action == DEVICE_CXL_CACHE;
  const bool writes_parts = d->write && (d->action == DEVICE_MEMORY || l->kind == SCENARIO_CXL);
  int rc = parse_place(p, l);
  if (rc > 0 && l->kind == SCENARIO_DMA)
    rc = parse_link(p, &d->link);
  if (rc <= 0)
    return rc;
  if (scenario_take(p, "span"))
    return scenario_number(p, "an amount of memory", scenario_byte_units, spans, &d->span);
  if (shares && scenario_take(p, "shared"))
    return scenario_shared(p, &d->base);
  if (l->kind == SCENARIO_MMIO && scenario_take(p, "bytes"))
    return parse_access_bytes(p, d);
  if (scenario_take(p, "from"))
    return scenario_number(p, "a time (100us)", scenario_time_units, times, &d->from_fs);
  if (scenario_take(p, "for"))
    return scenario_number(p, "a time (1ms)", scenario_time_units, times, &l->length);
  if (!writes_parts || !scenario_take(p, "partial"))
    return scenario_meaningless(p);
  d->partial = true;
  return 0;
}

/* Sets the stream's places: its memory and its peer are on the device's socket unless the line states another one. */
static void set_places(struct device_line *l)
{
  struct scenario_dma *d = &l->d;
  const uint64_t *place = l->place;
  d->socket = (unsigned)place[PLACE_SOCKET];
  d->stack = (unsigned)place[PLACE_STACK];
  d->port = (unsigned)place[PLACE_PORT];
  d->node = (unsigned)place[l->placed[PLACE_NODE] ? PLACE_NODE : PLACE_SOCKET];
  d->peer_socket = (unsigned)place[l->placed[PLACE_TO_SOCKET] ? PLACE_TO_SOCKET : PLACE_SOCKET];
  d->peer_stack = (unsigned)place[PLACE_TO_STACK];
  d->peer_port = (unsigned)place[PLACE_TO_PORT];
}

/* dma read|write|atomic|message|flush RATE ...; mmio read|write RATE ...; cxl [cache-]read|[cache-]write RATE ... */
int scenario_device_line(struct parser *p, enum scenario_device kind)
{
  static const uint64_t rates[2] = {1, UINT64_C(1000000000000)};
  struct device_line l = {.kind = kind, .d = {.span = 16u << 20}};
  int rc = parse_dma_action(p, kind, &l.d);

  if (rc == 0)
    rc = scenario_number(p, "a rate (4GB/s)", rate_units, rates, &l.d.bytes_per_second);
  while (rc == 0 && p->at < p->n)
    rc = parse_device_option(p, &l);
  if (rc < 0)
    return rc;
  if (!l.length)
    return scenario_wrong(p, PMON_E_SYNTAX, "expected 'for' and the duration of the device's stream");
  if (l.placed[PLACE_TO_STACK])
    l.d.action = DEVICE_PEER;
  else if (l.placed[PLACE_TO_SOCKET] || l.placed[PLACE_TO_PORT])
    return scenario_wrong(p, PMON_E_SYNTAX, "expected 'to-stack' and the number of the target device");
  l.d.until_fs = l.d.from_fs + l.length;
  set_places(&l);
  return scenario_stream_add(p, &l.d);
}
