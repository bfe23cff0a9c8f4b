/* SPDX-License-Identifier: MIT */
/* Scenario lines that name devices attached to ports of I/O stacks. */
#include <stdio.h>
#include <string.h>
#include <pmon/status.h>
#include "machine/trace/scenario_parser.h"

/* True for DDDD:BB:DD.F in hexadecimal, as Linux writes it. */
static bool is_pci_address(const char *s)
{
  static const char form[] = "xxxx:xx:xx.x";
  size_t i = 0;
  for (; form[i] && s[i]; i++)
    if (form[i] == 'x' ? !strchr("0123456789abcdef", s[i]) : s[i] != form[i])
      return false;
  return !form[i] && !s[i];
}

/* Parses VENDOR:DEVICE, in hexadecimal as lspci writes it. */
static int parse_id(struct parser *p, struct scenario_named *d)
{
  const char *s = scenario_peek(p);
  int n = 0;
  if (strlen(s) != 9 || strspn(s, "0123456789abcdef:") != 9 || sscanf(s, "%4x:%4x%n", &d->vendor, &d->id, &n) != 2 ||
      n != 9)
    return scenario_wrong(p, PMON_E_SYNTAX, "expected a vendor and device ID (8086:1572), not '%.40s'", s);
  p->at++;
  return 0;
}

/* Parses class and subclass, or class, subclass and interface, in hexadecimal. */
static int parse_class(struct parser *p, struct scenario_named *d)
{
  const char *s = scenario_peek(p);
  const size_t n = strlen(s);
  if ((n != 4 && n != 6) || strspn(s, "0123456789abcdef") != n || sscanf(s, "%6x", &d->class_code) != 1)
    return scenario_wrong(p, PMON_E_SYNTAX, "expected a class code of 4 or 6 hexadecimal digits (0200), not '%.40s'",
                          s);
  d->class_code = n == 4 ? d->class_code << 8 : d->class_code;
  p->at++;
  return 0;
}

static int parse_name(struct parser *p, char *name, size_t size)
{
  size_t n = 0;
  name[0] = 0;
  for (; p->at < p->n && n < size; p->at++)
    n += (size_t)snprintf(name + n, size - n, "%s%s", n ? " " : "", scenario_peek(p));
  if (n >= size)
    return scenario_wrong(p, PMON_E_SYNTAX, "the name of the device is too long");
  return 0;
}

/* device ADDRESS [socket N] [stack N] [port N] [id VENDOR:DEVICE] [class CLASS] [NAME] */
int scenario_named_line(struct parser *p)
{
  static const uint64_t sockets[2] = {0, 7}, stacks[2] = {0, 63}, ports[2] = {0, 7};
  struct scenario *s = p->s;
  struct scenario_named d = {0};
  uint64_t socket = 0, stack = 0, port = 0;
  int rc = 0;
  if (!is_pci_address(scenario_peek(p)))
    return scenario_wrong(p, PMON_E_SYNTAX, "expected a PCI address (0000:17:00.0), not '%.40s'", scenario_peek(p));
  memcpy(d.address, scenario_peek(p), sizeof d.address);
  p->at++;
  for (bool more = true; !rc && more;) {
    if (scenario_take(p, "socket"))
      rc = scenario_number(p, "socket", scenario_plain_units, sockets, &socket);
    else if (scenario_take(p, "stack"))
      rc = scenario_number(p, "stack", scenario_plain_units, stacks, &stack);
    else if (scenario_take(p, "port"))
      rc = scenario_number(p, "port", scenario_plain_units, ports, &port);
    else if (scenario_take(p, "id"))
      rc = parse_id(p, &d);
    else if (scenario_take(p, "class"))
      rc = parse_class(p, &d);
    else
      more = false;
  }
  if (!rc)
    rc = parse_name(p, d.name, sizeof d.name);
  if (!rc && !*d.name && !d.vendor)
    rc = scenario_wrong(p, PMON_E_SYNTAX, "expected the name of the device at the end of the line, or its id");
  if (!rc && s->n_devices >= SCENARIO_DEVICES)
    rc = scenario_wrong(p, PMON_E_RANGE, "more than %u devices", SCENARIO_DEVICES);
  if (rc)
    return rc;
  d.socket = (unsigned)socket;
  d.stack = (unsigned)stack;
  d.port = (unsigned)port;
  struct scenario_named *list = scenario_grow_list(s->device, s->n_devices, sizeof *list);
  if (!list)
    return PMON_E_MEMORY;
  s->device = list;
  list[s->n_devices++] = d;
  return 0;
}
