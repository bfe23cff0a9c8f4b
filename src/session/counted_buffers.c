/* SPDX-License-Identifier: MIT */
/*
 * The processor's sample buffers in a session that counts their samples without a sample source (an event address
 * register fills its data registers at each event that DATA_EAR_EVENTS counts). They are saved and restored, and their
 * status is cleared before each round, because a buffer that holds a record does not take another one (Montecito Tables
 * 3-22 to 3-25).
 */
#include <string.h>
#include "src/access/register.h"
#include "src/platform/platform.h"
#include "src/session/samples.h"
#include "src/session/session.h"

/* Layouts of configuration registers, and of the data registers that each configures. */
static const struct {
  const char *config, *data[3];
} buffers[] = {{"DEAR_CONFIG", {"DEAR_ADDRESS", "DEAR_LATENCY_DATA", "DEAR_IP"}},
               {"IEAR_CONFIG", {"IEAR_ADDRESS", "IEAR_LATENCY_DATA", NULL}},
               {"ETB_CONFIG", {"ETB_INDEX", "ETB_EXTENSION", "ETB_DATA"}},
               {"IPEAR_CONFIG", {"ETB_INDEX", "ETB_EXTENSION", "ETB_DATA"}}};
enum { BUFFERS = sizeof buffers / sizeof *buffers };

/* Adds all registers of the unit that have the layout. */
static int buffer_add_layout(struct pmon_session *s, uint32_t unit, uint32_t package, const char *layout)
{
  const struct pmon_platform *p = s->plan->platform;
  struct pmon_register_info info = {.size = sizeof info};
  for (uint32_t r = 0; platform_get_register(p, unit, r, &info); r++)
    for (uint32_t k = 0; !strcmp(info.layout, layout) && k < info.count; k++) {
      const struct pmon_register_id id = {.unit = unit, .reg = r, .index = k};
      struct pmon_address a;
      uint32_t reg;
      if (pmon_register_address(p, &id, &a))
        continue;
      a.package = package;
      if (session_find_register(s, &a, &id, session_phase_of_role(info.role), &reg))
        return PMON_E_MEMORY;
      s->counts_buffers |= s->regs[reg].phase == PHASE_SAMPLE;
    }
  return 0;
}

int session_lay_out_counted_buffers(struct pmon_session *s)
{
  struct pmon_register_info info = {.size = sizeof info};
  for (uint32_t i = 0; !s->source.kind && i < s->n_runs; i++)
    for (uint32_t k = 0; k < s->runs[i].n_writes; k++) {
      const struct session_register r = s->regs[s->runs[i].writes[k].reg]; /* a copy: adding registers can move the
                                                                              array */
      if (r.phase != PHASE_FILTER || !platform_get_register(s->plan->platform, r.id.unit, r.id.reg, &info))
        continue;
      for (size_t b = 0; b < BUFFERS; b++)
        for (size_t d = 0; !strcmp(info.layout, buffers[b].config) && d < 3 && buffers[b].data[d]; d++)
          if (buffer_add_layout(s, r.id.unit, r.address.package, buffers[b].data[d]))
            return PMON_E_MEMORY;
    }
  return 0;
}

int session_clear_buffer(struct pmon_session *s, struct session_register *r)
{
  static const char *const fields[] = {"stat", "vl", "full", "ebi"};
  uint64_t mask = 0;
  for (size_t k = 0; k < sizeof fields / sizeof *fields; k++)
    mask |= access_field(s->plan->platform, &r->id, fields[k]);
  const int status = mask ? session_write(s, r, 0) : 0;
  /* The hardware writes it: it is restored even if the session did not write it. */
  r->written |= !status;
  return status;
}

int session_clear_counted_buffers(struct pmon_session *s)
{
  int status = 0;
  for (uint32_t i = 0; !status && s->counts_buffers && i < s->n_regs; i++)
    if (s->regs[i].phase == PHASE_SAMPLE && !s->regs[i].missing)
      status = session_clear_buffer(s, &s->regs[i]);
  return status;
}
