/* SPDX-License-Identifier: MIT */
/* A scenario as the machine's workload: its threads, devices, conditions and accesses. */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <pmon/status.h>
#include "machine/trace/scenario.h"
#include "machine/trace/workload.h"
#include "machine/common/address.h"
#include "machine/common/traffic.h"

struct scenario_workload {
  struct machine_workload base;
  struct scenario scenario;
  struct machine_workload *threads;
  bool threads_ended;
  uint64_t dma_until; /* end of the last device stream and of the last injection */
};

/* Threads may use memory of CXL devices only on platforms with CXL devices. */
static int check_steps(const struct scenario *s, struct machine *m, char *error, size_t error_size)
{
  for (size_t i = 0; i < s->n_steps; i++)
    if (s->step[i].base >> 12 >= CXL_PAGES && !traffic_does(machine_traffic(m), DEVICE_CXL_MEMORY)) {
      snprintf(error, error_size, "line %u of the scenario: the machine has no CXL devices", s->step[i].line);
      return PMON_E_RANGE;
    }
  return 0;
}

/* Describes why the machine has not accepted a device's stream. */
static void describe_lack(const struct traffic *t, const struct dma_stream *stream, unsigned line, char *error,
                          size_t error_size)
{
  const struct stream_lack lack = traffic_stream_lack(t, stream);
  assert(lack.what);
  if (!*lack.what)
    snprintf(error, error_size, "line %u of the scenario: the machine's processor does not support this kind of access",
             line);
  else
    snprintf(error, error_size, "line %u of the scenario: %s %u: the machine has %s%u", line, lack.what, lack.number,
             lack.limit > 1 ? "0 to " : "only ", lack.limit - 1);
}

static int start_devices(struct scenario_workload *w, struct machine *m, char *error, size_t error_size)
{
  for (size_t i = 0; i < w->scenario.n_dma; i++) {
    const struct scenario_dma *d = &w->scenario.dma[i];
    struct dma_stream stream = {.socket = d->socket,
                                .stack = d->stack,
                                .port = d->port,
                                .node = d->node,
                                .write = d->write,
                                .partial = d->partial,
                                .access_bytes = d->access_bytes,
                                .action = d->action,
                                .message = d->message,
                                .peer_socket = d->peer_socket,
                                .peer_stack = d->peer_stack,
                                .peer_port = d->peer_port,
                                .link = d->link,
                                .bytes_per_second = d->bytes_per_second,
                                .span_bytes = d->span,
                                .first_page = d->base >> 12,
                                .from = d->from_fs,
                                .until = d->until_fs};
    int rc = traffic_dma_start(machine_traffic(m), &stream);

    if (rc == PMON_E_CONFLICT) {
      snprintf(
          error, error_size,
          "line %u of the scenario: an earlier line gives port %u of stack %u another link; a port has one link: use "
          "the same generation, lanes, payload, request, credits and tags in both lines",
          d->line, d->port, d->stack);
      return PMON_E_RANGE;
    }
    if (rc < 0) {
      if (rc != PMON_E_MEMORY)
        describe_lack(machine_traffic(m), &stream, d->line, error, error_size);
      return rc == PMON_E_INVALID ? PMON_E_RANGE : rc;
    }
    if (d->until_fs > w->dma_until)
      w->dma_until = d->until_fs;
  }
  return 0;
}

/* Adds a condition whose consequences the machine models. PMON_E_UNSUPPORTED: the platform does not have it. */
static int add_condition(struct machine *m, const struct scenario_inject *in, char *error, size_t error_size)
{
  const struct traffic_condition c = {.kind = in->condition,
                                      .socket = in->place.socket,
                                      .instance = in->place.instance,
                                      .ranks = in->ranks,
                                      .count = in->count,
                                      .from = in->from_fs,
                                      .until = in->held ? in->until_fs : in->from_fs};
  int rc = in->repeats ? PMON_E_UNSUPPORTED : traffic_condition_add(machine_traffic(m), &c);
  if (rc == PMON_E_UNSUPPORTED && !*in->event)
    snprintf(error, error_size,
             "line %u of the scenario: the machine does not support this condition, or not at this place", in->line);
  return rc;
}

/* false: no occurrence exists that such a counter would count. */
static bool scenario_inject_block(struct block *b, const struct scenario_inject *in, uint64_t from)
{
  const uint16_t tid = block_thread(b, in->filter, in->ctl);
  uint64_t attr = in->ctl & ~UINT64_C(0xff);
  if (!in->exact && !block_occurrence(b, in->filter, in->ctl, &attr))
    return false;
  if (!in->held)
    block_pulse(b, (uint8_t)in->ctl, attr, tid, from, (uint32_t)in->count);
  else if (in->until_fs > from)
    block_span(b, (uint8_t)in->ctl, attr, tid, from, in->until_fs, (uint32_t)in->count);
  return true;
}

/* Injects an event into one block, or into all blocks of a unit. */
static int scenario_inject_event(struct machine *m, const struct scenario_inject *in, char *error, size_t error_size)
{
  const unsigned all = in->place.instance < 0;
  const uint64_t now = machine_now_fs(m), from = in->from_fs > now ? in->from_fs : now;
  struct block *b = NULL;
  if (in->condition) {
    int rc = add_condition(m, in, error, error_size);
    if (rc != PMON_E_UNSUPPORTED || !*in->event)
      return rc == PMON_E_UNSUPPORTED ? PMON_E_RANGE : rc;
  }
  if (!in->resolved) {
    snprintf(error, error_size,
             "line %u of the scenario: event names such as %s are not resolved; use the code, as CODE:UMASK", in->line,
             in->event);
    return PMON_E_UNKNOWN;
  }
  for (unsigned i = all ? 0 : (unsigned)in->place.instance;; i++) {
    b = machine_block(m, in->place.socket, in->place.unit, i);
    if (!b)
      break;
    if (!scenario_inject_block(b, in, from)) {
      snprintf(error, error_size,
               "line %u of the scenario: %s %s (0x%02x) counts nothing without a filter: give its filter a value "
               "(NAME,FIELD=VALUE), or use a more specific unit mask",
               in->line, in->place.unit, in->event, (unsigned)(in->ctl & 0xff));
      return PMON_E_INVALID;
    }
    if (!all)
      return 0;
  }
  if (all && machine_block(m, in->place.socket, in->place.unit, 0))
    return 0;
  snprintf(error, error_size, "line %u of the scenario: the machine has no %s%d in socket %u", in->line, in->place.unit,
           in->place.instance < 0 ? 0 : in->place.instance, in->place.socket);
  return PMON_E_RANGE;
}

static int scenario_workload_begin(struct machine_workload *base, struct machine *m, char *error, size_t error_size)
{
  struct scenario_workload *w = (struct scenario_workload *)base;
  int rc = check_steps(&w->scenario, m, error, error_size);
  if (rc == 0)
    rc = start_devices(w, m, error, error_size);
  for (size_t i = 0; rc == 0 && i < w->scenario.n_injects; i++) {
    const struct scenario_inject *in = &w->scenario.inject[i];
    uint64_t end = in->held ? in->until_fs : in->from_fs + 1000000; /* when the cycle of a pulse has ended */
    rc = scenario_inject_event(m, in, error, error_size);
    if (end > w->dma_until)
      w->dma_until = end;
  }
  return rc;
}

static int scenario_workload_run(struct machine_workload *base, struct machine *m, uint64_t until_fs, bool *ret_ended,
                                 char *error, size_t error_size)
{
  struct scenario_workload *w = (struct scenario_workload *)base;
  uint64_t now;
  int rc = 0;

  if (!w->threads_ended)
    rc = w->threads->run(w->threads, m, until_fs, &w->threads_ended, error, error_size);
  *ret_ended = rc == 0 && w->threads_ended && w->dma_until <= until_fs;
  if (!*ret_ended)
    return rc;
  traffic_advance(machine_traffic(m), w->dma_until);
  now = traffic_now(machine_traffic(m));
  machine_reached(m, now > w->dma_until ? now : w->dma_until);
  return rc;
}

static void scenario_workload_free(struct machine_workload *base)
{
  struct scenario_workload *w = (struct scenario_workload *)base;

  if (w->threads)
    w->threads->free(w->threads);
  scenario_fini(&w->scenario);
  free(w);
}

static int scenario_place_threads(const struct scenario *s, const unsigned sockets_and_cores[2], struct placement *p,
                                  char *error, size_t error_size)
{
  for (unsigned i = 0; i < s->n_threads; i++) {
    int rc = s->thread[i].used ? placement_wish(p, s->thread[i].core) : 0;

    if (rc < 0) {
      snprintf(error, error_size, "line %u of the scenario: the machine has no core %d; its cores are 0 to %u",
               s->thread[i].line, s->thread[i].core, sockets_and_cores[0] * sockets_and_cores[1] - 1);
      return rc;
    }
  }
  return 0;
}

int scenario_workload_new(struct scenario *s, const char *policy, const unsigned sockets_and_cores[2], char *error,
                          size_t error_size, struct machine_workload **ret_workload)
{
  struct scenario_workload *w = calloc(1, sizeof *w);
  struct placement *placement = NULL;
  struct trace_source *source;
  int rc;

  if (!w) {
    scenario_fini(s);
    snprintf(error, error_size, "out of memory");
    return PMON_E_MEMORY;
  }
  w->base = (struct machine_workload){
      .run = scenario_workload_run, .free = scenario_workload_free, .begin = scenario_workload_begin};
  w->scenario = *s;
  *s = (struct scenario){0};
  rc = placement_new(policy, sockets_and_cores[0], sockets_and_cores[1], error, error_size, &placement);
  if (rc == 0)
    rc = scenario_place_threads(&w->scenario, sockets_and_cores, placement, error, error_size);
  if (rc == 0) {
    snprintf(error, error_size, "out of memory");
    rc = scenario_source_new(&w->scenario, &source);
  }
  if (rc == 0)
    rc = trace_workload_new(source, placement, &w->threads);
  else
    placement_free(placement);
  if (rc < 0) {
    scenario_workload_free(&w->base);
    return rc;
  }
  *ret_workload = &w->base;
  return 0;
}
