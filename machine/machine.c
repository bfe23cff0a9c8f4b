/* SPDX-License-Identifier: MIT */
/* Sockets and their blocks, and the passage of time in windows between sync points. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <pmon/status.h>
#include "machine/config.h"
#include "machine/machine.h"
#include "machine/model.h"
#include "machine/pmon/map.h"
#include "machine/pmon/state.h"
#include "machine/common/traffic.h"

/* Window lengths. A window is short while reports are queued until its end, which bounds the memory of the queue. */
static const fs_t WINDOW_FS = 1000000000000, WINDOW_WAITING_FS = 20000000000;

static uint64_t clock_hz(const struct machine_platform *p, const struct machine_config *config, const char *name)
{
  const struct platform_clock *c = p->clocks;
  while (strcmp(c->name, name) && c[1].name)
    c++;
  return machine_clock_hz(c, config);
}

static bool socket_build(struct machine *m, unsigned number, const struct machine_config *config)
{
  const struct machine_platform *p = m->platform;
  struct socket *s = &m->sockets[number];
  const struct pmon_unit *u;
  struct block *b;
  s->number = number;
  s->changed = true;
  s->pmi_times = 1;
  s->froze_at = s->freeze_due = UINT64_MAX;
  s->freeze_delay = config->value[CONFIG_FREEZE_DELAY] * 1000;
  for (u = p->units; u->name; u++)
    s->n_blocks += p->present(config, u);
  s->blocks = b = calloc(s->n_blocks, sizeof *b);
  s->values = calloc(s->n_blocks * (size_t)BLOCK_VALUES, sizeof *s->values);
  if (!b || !s->values)
    return false;
  for (u = p->units; u->name; u++)
    for (unsigned i = 0, n = p->present(config, u); i < n; i++, b++) {
      b->value = s->values + (b - s->blocks) * BLOCK_VALUES;
      b->machine = m;
      b->socket = s;
      b->unit = u;
      b->rules = p->rules;
      b->instance = (uint16_t)i;
      b->status_position = (uint16_t)(u->status_position + i);
      b->silent = u->silent >> i % 32 & 1;
      clock_set(&b->clock, clock_hz(p, config, u->clock), 0);
      if (!block_init(b))
        return false;
    }
  return true;
}

void machine_set_root_bus(struct machine *m, unsigned socket, unsigned stack, unsigned bus)
{
  if (socket < m->n_sockets && stack < MACHINE_STACKS && bus <= UINT8_MAX && !m->root_bus[socket][stack])
    m->root_bus[socket][stack] = (uint8_t)bus;
}

static bool machine_build(struct machine *m, const struct machine_config *config)
{
  const struct processor_model *model = model_of(config);
  m->platform = model->pmon;
  m->n_sockets = (unsigned)config->value[CONFIG_SOCKETS];
  for (unsigned i = 0; i < m->n_sockets; i++)
    if (!socket_build(m, i, config))
      return false;
  if (!map_build(&m->map, &m->sockets[0], m->platform->globals) || (model->discovery && !model->discovery(m)))
    return false;
  for (unsigned i = 0; i < m->n_sockets; i++)
    if (!(m->sockets[i].plain = calloc(m->map.n, sizeof *m->sockets[i].plain)))
      return false;
  return true;
}

int machine_new(const struct machine_config *config, char *error, size_t error_size, struct machine **ret_machine)
{
  struct machine_config usual;
  machine_config_init(&usual);
  if (!config)
    config = &usual;
  int status = machine_config_check(config, error, error_size);
  if (status)
    return status;
  struct machine *m = calloc(1, sizeof *m);
  if (!m || !machine_build(m, config)) {
    machine_free(m);
    snprintf(error, error_size, "no memory for the machine");
    return PMON_E_MEMORY;
  }
  status = traffic_new(config, model_of(config)->uncore, m, &m->traffic);
  if (status) {
    machine_free(m);
    snprintf(error, error_size, "no memory for the machine's caches");
    return status;
  }
  *ret_machine = m;
  return PMON_OK;
}

void machine_free(struct machine *m)
{
  if (!m)
    return;
  if (m->workload && m->workload->free)
    m->workload->free(m->workload);
  traffic_free(m->traffic);
  for (unsigned i = 0; i < m->n_sockets; i++) {
    struct socket *s = &m->sockets[i];
    for (struct block *b = s->blocks; b && b < s->blocks + s->n_blocks; b++)
      block_fini(b);
    free(s->blocks);
    free(s->values);
    free(s->plain);
  }
  map_free(&m->map);
  free(m->page.words);
  overlay_free(&m->overlay);
  free(m->violations.at);
  free(m);
}

void machine_attach(struct machine *m, struct machine_workload *w)
{
  if (m->workload && m->workload->free)
    m->workload->free(m->workload);
  m->workload = w;
  m->ended = false;
  m->fresh = w != NULL;
}

struct traffic *machine_traffic(struct machine *m)
{
  return m->traffic;
}

void machine_listen(struct machine *m, machine_pmi_fn fn, void *arg)
{
  m->on_pmi = fn;
  m->pmi_arg = arg;
}

uint64_t machine_pmis(const struct machine *m, unsigned socket)
{
  return socket < m->n_sockets ? m->sockets[socket].pmis : 0;
}

uint64_t machine_now_fs(const struct machine *m)
{
  return m->now;
}

void machine_reached(struct machine *m, uint64_t fs)
{
  m->reached = fs;
}

void machine_rests(struct machine *m, uint64_t fs)
{
  m->reached = fs;
  m->rests = true;
}

/* Runs one window: delivers pending reports, runs the workload, then counts the queued reports. */
static int machine_run_window(struct machine *m, fs_t horizon, char *error, size_t error_size)
{
  fs_t end = horizon;
  int status = PMON_OK;
  for (unsigned i = 0; i < m->n_sockets; i++)
    socket_open(&m->sockets[i], horizon);
  if (m->traffic)
    traffic_listen(m->traffic);
  if (m->workload && !m->ended) {
    m->reached = UINT64_MAX;
    m->rests = false;
    status = m->workload->run(m->workload, m, horizon, &m->ended, error, error_size);
    if ((m->ended || status) && m->reached >= m->now && m->reached < horizon)
      end = m->reached;
    if (m->rests)
      end = m->reached < m->now ? m->now : m->reached < horizon ? m->reached : horizon;
  }
  if (status == PMON_OK)
    traffic_advance(m->traffic, end);
  for (unsigned i = 0; i < m->n_sockets; i++)
    socket_sync(&m->sockets[i], end);
  m->now = end;
  if (m->out_of_memory && status == PMON_OK) {
    snprintf(error, error_size, "no memory for deferred reports");
    status = PMON_E_MEMORY;
  }
  return status;
}

/* Delivers the messages that are still in queues and on links after the workload ends or fails. */
static void machine_drain(struct machine *m)
{
  fs_t quiet;
  for (unsigned i = 0; i < m->n_sockets; i++)
    socket_open(&m->sockets[i], m->now); /* so that all reports from now on wait for their time */
  quiet = traffic_drain(m->traffic);
  if (quiet > m->now) {
    for (unsigned i = 0; i < m->n_sockets; i++)
      socket_open(&m->sockets[i], quiet);
    traffic_advance(m->traffic, quiet); /* before the window ends: states last until then */
    for (unsigned i = 0; i < m->n_sockets; i++)
      socket_sync(&m->sockets[i], quiet);
    m->now = quiet;
  }
  for (unsigned i = 0; i < m->n_sockets; i++)
    socket_count_rest(&m->sockets[i], m->now);
}

/* Returns the end of the next window. A window also ends at each beginning and end of a condition, so that it takes
 * effect at the same point of the cores' work, independent of where runs end. */
static fs_t window_end(const struct machine *m, fs_t until)
{
  const fs_t fault = m->faulty.n ? faults_next_fs(m) : UINT64_MAX;
  until = fault > m->now && fault < until ? fault : until;
  const fs_t change = traffic_next_change(m->traffic, m->now);
  fs_t step = WINDOW_FS;
  for (unsigned i = 0; i < m->n_sockets; i++)
    if (socket_stepwise(&m->sockets[i]))
      step = WINDOW_WAITING_FS;
  const fs_t end = until - m->now < step ? until : m->now + step;
  return change < end ? change : end;
}

int machine_run(struct machine *m, uint64_t until_fs, bool *ret_ended, char *error, size_t error_size)
{
  const bool to_end = until_fs == UINT64_MAX;
  int status = PMON_OK;
  bool running = m->workload && !m->ended;

  if (running && m->fresh && m->workload->begin)
    status = m->workload->begin(m->workload, m, error, error_size);
  m->fresh = false;
  while (status == PMON_OK && m->now < until_fs && (running || !to_end)) {
    status = machine_run_window(m, window_end(m, until_fs), error, error_size);
    if (m->faulty.n)
      faults_begin(m);
    if (running && (m->ended || (status && !m->out_of_memory))) {
      machine_drain(m);
      break;
    }
    if (running && m->rests)
      break;
  }
  *ret_ended = !m->workload || m->ended;
  return status;
}
