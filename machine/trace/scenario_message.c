/* SPDX-License-Identifier: MIT */
/* Scenario lines of system messages to a UBox: messages of cores and chip set, and locks. */
#include <pmon/status.h>
#include "machine/trace/scenario_parser.h"

static const struct {
  const char *word;
  enum system_message message;
} kinds[] = {
    {"wire", SYSTEM_WIRE}, {"ipi", SYSTEM_IPI},           {"doorbell", SYSTEM_DOORBELL}, {"priority", SYSTEM_PRIORITY},
    {"lock", SYSTEM_LOCK}, {"register", SYSTEM_REGISTER}, {"rdrand", SYSTEM_RDRAND},     {"rdseed", SYSTEM_RDSEED},
};
/* A message counts as 64 bytes of a stream. */
static const struct scenario_unit rate_units[] = {{"/s", 64}, {"k/s", 64000}, {"M/s", 64000000}, {NULL, 0}};

static int parse_kind(struct parser *p, struct scenario_dma *d)
{
  for (unsigned i = 0; i < sizeof kinds / sizeof *kinds; i++)
    if (scenario_take(p, kinds[i].word)) {
      d->message = kinds[i].message;
      return 0;
    }
  return scenario_wrong(p, PMON_E_SYNTAX,
                        "expected wire, ipi, doorbell, priority, lock, register, rdrand or rdseed, not '%.40s'",
                        scenario_peek(p));
}

/* message ipi|doorbell|wire|priority|lock|register|rdrand|rdseed RATE [socket N] [node N] [from TIME] for TIME */
int scenario_message_line(struct parser *p)
{
  static const uint64_t rates[2] = {64, UINT64_C(64000000000)}, small[2] = {0, 255},
                        times[2] = {0, UINT64_C(1000000000000000)};
  struct scenario_dma d = {.span = 1 << 20, .write = true, .action = DEVICE_SYSTEM};
  uint64_t socket = 0, node = UINT64_MAX, length = 0;
  int rc = parse_kind(p, &d);
  if (rc == 0)
    rc = scenario_number(p, "a rate (100k/s)", rate_units, rates, &d.bytes_per_second);
  while (rc == 0 && p->at < p->n) {
    if (scenario_take(p, "socket"))
      rc = scenario_number(p, "socket", scenario_plain_units, small, &socket);
    else if (scenario_take(p, "node"))
      rc = scenario_number(p, "node", scenario_plain_units, small, &node);
    else if (scenario_take(p, "from"))
      rc = scenario_number(p, "a time (100us)", scenario_time_units, times, &d.from_fs);
    else if (scenario_take(p, "for"))
      rc = scenario_number(p, "a time (1ms)", scenario_time_units, times, &length);
    else
      rc = scenario_meaningless(p);
  }
  if (rc == 0 && !length)
    rc = scenario_wrong(p, PMON_E_SYNTAX, "expected 'for' and the duration of the stream of messages");
  d.until_fs = d.from_fs + length;
  d.socket = (unsigned)socket;
  d.node = (unsigned)(node == UINT64_MAX ? socket : node);
  return rc < 0 ? rc : scenario_stream_add(p, &d);
}
