/* SPDX-License-Identifier: MIT */
/* A recording as a backend. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <pmon/status.h>
#include "machine/check/log.h"

struct replay { struct pmon_backend base; const struct access_log *log; size_t next; uint64_t now_ns; char error[320]; };

static struct replay *of(struct pmon_backend *b)
{
  return (struct replay *)(void *)b;
}

/* The recording's next entry, if it is the access that is asked for now. */
static int take(struct replay *r, const struct log_entry *asked, const struct log_entry **ret)
{
  char have[128] = "its end", want[128];
  const struct log_entry *e = r->next < r->log->n ? &r->log->at[r->next] : NULL;
  r->base.error_text = NULL;
  if (e && log_same(e, &(struct log_entry){ .kind = asked->kind, .failed = e->failed, .address = asked->address }) &&
      (asked->kind == LOG_READ || e->value == asked->value)) {
    r->next++;
    *ret = e;
    return PMON_OK;
  }
  if (e)
    log_format(e, have, sizeof have);
  log_format(asked, want, sizeof want);
  snprintf(r->error, sizeof r->error, "the recording has %s (line %" PRIu32 "), where now comes %s", have,
           e ? e->line : 0, want);
  r->base.error_text = r->error;
  return PMON_E_CONFLICT;
}

static int failed(struct replay *r, const struct log_entry *e)
{
  if (!e->failed)
    return PMON_OK;
  snprintf(r->error, sizeof r->error, "the access failed when it was recorded (line %" PRIu32 ")", e->line);
  r->base.error_text = r->error;
  return PMON_E_NO_DEVICE;
}

static int replay_read(struct pmon_backend *b, const struct pmon_address *a, uint64_t *ret_value)
{
  const struct log_entry *e;
  int status = take(of(b), &(struct log_entry){ .kind = LOG_READ, .time_ns = of(b)->now_ns, .address = *a }, &e);
  if (!status)
    status = failed(of(b), e);
  if (!status)
    *ret_value = e->value;
  return status;
}

static int replay_write(struct pmon_backend *b, const struct pmon_address *a, uint64_t value)
{
  const struct log_entry *e;
  int status = take(of(b), &(struct log_entry){ .kind = LOG_WRITE, .time_ns = of(b)->now_ns, .address = *a,
                                                .value = value }, &e);
  return status ? status : failed(of(b), e);
}

static int replay_wait(struct pmon_backend *b, uint64_t until_ns, uint64_t *ret_now_ns, bool *ret_ended)
{
  struct replay *r = of(b);
  const struct log_entry *e = r->next < r->log->n ? &r->log->at[r->next] : NULL;
  (void)until_ns;
  b->error_text = NULL;
  if (!e || e->kind < LOG_WAIT) {
    snprintf(r->error, sizeof r->error, "the recording has no wait here (line %" PRIu32 ")", e ? e->line : 0);
    b->error_text = r->error;
    return PMON_E_CONFLICT;
  }
  r->next++;
  r->now_ns = *ret_now_ns = e->time_ns;
  *ret_ended = e->kind == LOG_END;
  return PMON_OK;
}

static void replay_close(struct pmon_backend *b)
{
  free(of(b));
}

int log_backend_new(const struct access_log *log, struct pmon_backend **ret_backend)
{
  static const struct pmon_backend_ops ops = { "replay", replay_read, replay_write, replay_wait, replay_close };
  struct replay *r = calloc(1, sizeof *r);
  if (!r)
    return PMON_E_MEMORY;
  r->base = (struct pmon_backend){ .ops = &ops, .packages = log->packages };
  r->log = log;
  *ret_backend = &r->base;
  return PMON_OK;
}
