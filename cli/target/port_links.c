/* SPDX-License-Identifier: MIT */
#include "cli/target/port_links.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "cli/target/devices.h"
#include "cli/target/limits.h"
#include "src/base/real.h"

enum { PACKAGES = 8, STACKS = 64, BRIDGE = 0x0604 };

static double port_number(const char *sys, const char *port, const char *state, const char *what)
{
  char name[400], text[64], *end;
  snprintf(name, sizeof name, "%.300s/%s_link_%s", port, state, what);
  return hardware_text(sys, name, text, sizeof text) ? real_parse(text, &end) : 0;
}

double port_link_rate(const char *sys, const char *port, const char *state)
{
  /* The rate in bits on each lane. Up to 5 GT/s 8 of 10 are data, and up to 32 GT/s 128 of 130 (PCI Express Base
   * Specification, 4.2). */
  const double giga = port_number(sys, port, state, "speed"), lanes = port_number(sys, port, state, "width"),
               share = giga <= 5    ? 8. / 10
                       : giga <= 32 ? 128. / 130
                                    : 1;
  return giga > 0 && lanes > 0 ? giga * 1e9 * lanes * share / 8 : 0;
}

/* Rates of the stacks of all packages. */
struct stacks {
  const struct hardware *hardware;
  struct root_buses buses;
  double moves[PACKAGES][STACKS];
  bool unknown[PACKAGES]; /* the rate of a root port is not known */
};

/* Adds a function if it is a root port: the target of its link is `pciDDDD:BB/FUNCTION`, and it is a bridge. */
static void add_function(struct stacks *s, const char *function)
{
  char name[340], target[400], text[32];
  unsigned domain, bus, class_code;
  snprintf(name, sizeof name, "%.280s/bus/pci/devices/%.40s", s->hardware->sys, function);
  const ssize_t n = readlink(name, target, sizeof target - 1);
  target[n > 0 ? n : 0] = 0;
  const char *at = strstr(target, "devices/pci"), *slash = at ? strchr(at + strlen("devices/"), '/') : NULL;
  if (!slash || strchr(slash + 1, '/') || sscanf(at, "devices/pci%4x:%2x/", &domain, &bus) != 2)
    return;
  const struct root_bus *b = root_buses_find(&s->buses, domain, bus);
  snprintf(name, sizeof name, "%.300s/class", at);
  if (!b || b->package >= PACKAGES || b->instance >= STACKS ||
      !hardware_text(s->hardware->sys, name, text, sizeof text) || sscanf(text, "%x", &class_code) != 1 ||
      class_code >> 8 != BRIDGE)
    return;
  const double moves = port_link_rate(s->hardware->sys, at, "max");
  s->moves[b->package][b->instance] += moves;
  s->unknown[b->package] |= moves <= 0;
}

void limits_read_ports(const struct hardware *h, const struct pmon_platform *platform, struct limit_list *list)
{
  struct pmon_unit_info unit;
  char path[340];
  struct stacks *s = devices_unit(platform, &unit) ? calloc(1, sizeof *s) : NULL;
  if (!s)
    return;
  s->hardware = h;
  root_buses_read(h, &unit, &s->buses);
  snprintf(path, sizeof path, "%.280s/bus/pci/devices", h->sys);
  DIR *d = s->buses.n ? opendir(path) : NULL;
  for (const struct dirent *e; d && (e = readdir(d));)
    if (*e->d_name != '.')
      add_function(s, e->d_name);
  if (d)
    closedir(d);
  for (uint32_t p = 0; p < PACKAGES; p++)
    for (uint32_t i = 0; i < STACKS && !s->unknown[p]; i++)
      limits_add(list, limits_name("stack"), p, s->moves[p][i]);
  free(s);
}
