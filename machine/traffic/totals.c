/* SPDX-License-Identifier: MIT */
#include "machine/traffic/state.h"

void traffic_totals(const struct traffic *t, unsigned socket, struct traffic_totals *ret_totals)
{
  *ret_totals = t->socket[socket]->totals;
}

void traffic_core_totals(const struct traffic *t, unsigned core, struct core_totals *ret_totals)
{
  const struct core *c = &t->core[core];
  *ret_totals = c->totals;
  ret_totals->instructions = c->front.instructions;
  ret_totals->fetch_lines = c->front.fetch_lines;
  ret_totals->reads = c->front.accesses[ACCESS_LOAD] + c->front.accesses[ACCESS_MODIFY];
  ret_totals->writes = c->front.accesses[ACCESS_STORE] + c->front.accesses[ACCESS_NT_STORE];
}
