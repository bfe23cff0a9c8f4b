/* SPDX-License-Identifier: MIT */
/*
 * Fuzzes the parser of captures: the input is refused, or it is a capture that formats to the same text again, and
 * whose backend answers for each of its registers. If a machine can have the capture's shape, one is made: events are
 * counted on it, and a capture taken of it is parsed again.
 */
#include <stdlib.h>
#include <string.h>
#include <pmon/pmon.h>
#include "fuzz/walk.h"
#include "machine/capture.h"
#include "machine/config.h"
#include "machine/machine.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char *format(const struct pmon_capture *c, size_t *ret_n)
{
  const size_t n = pmon_capture_format(c, NULL, 0);
  char *text = malloc(n + 1);
  if (!text || pmon_capture_format(c, text, n + 1) != n)
    abort();
  *ret_n = n;
  return text;
}

static void fuzz_capture_read_all(const struct pmon_capture *c, const struct pmon_platform *platform)
{
  struct pmon_backend *b;
  const struct pmon_captured *r;
  if (pmon_backend_capture_new(c, platform, &b))
    abort();
  for (uint32_t i = 0; (r = pmon_capture_register(c, i)); i++) {
    uint64_t value = 0;
    if (b->ops->read(b, &r->address, &value) != r->status || value != r->value)
      abort();
    b->ops->write(b, &r->address, ~value);
  }
  pmon_backend_close(b);
}

/* Queries the backend as `pmon doctor` and `pmon discover` do, and measures with it. */
static void query_backend(struct pmon_context *context, const struct pmon_platform *p, struct pmon_backend *b)
{
  struct pmon_platform_info info = {.size = sizeof info};
  struct pmon_discovery *d = NULL;
  struct pmon_plan *plan;
  uint32_t count;
  pmon_platform_describe(p, &info);
  for (uint32_t unit = 0; unit < info.units; unit++)
    pmon_unit_count(b, 0, p, unit, &count);
  if (!pmon_discovery_read(b, 0, NULL, NULL, &d))
    pmon_discovery_compare(
        d, p, &(struct pmon_discovery_place){.size = sizeof(struct pmon_discovery_place), .backend = b}, NULL, NULL);
  pmon_discovery_free(d);
  if (pmon_plan_new(context, p, &plan))
    abort();
  pmon_plan_add_events(plan, "cha/CLOCKTICKS/,cbo/CLOCKTICKS/");
  pmon_plan_add_events(plan, "imc/CAS_COUNT.RD/");
  pmon_plan_add_events(plan, "ubox/event=1/");
  walk_plan(context, plan, b);
}

/* A capture taken of a machine must be a valid capture. */
static void capture_again(struct pmon_context *context, const struct pmon_platform *p, struct machine *m)
{
  struct pmon_backend *b;
  struct pmon_capture *c = NULL, *again = NULL;
  size_t n;
  if (machine_backend_new(m, &b))
    abort();
  if (pmon_capture_take(p, &(struct pmon_capture_source){.size = sizeof(struct pmon_capture_source), .backend = b}, &c))
    abort();
  char *text = format(c, &n);
  if (pmon_capture_parse(context, "taken", text, n, &again))
    abort();
  free(text);
  pmon_capture_free(c);
  pmon_capture_free(again);
  query_backend(context, p, b);
}

static void make_machine(struct pmon_context *context, const struct pmon_capture *c)
{
  struct pmon_capture_info info = {.size = sizeof info};
  const struct pmon_platform *p;
  static unsigned made;
  struct machine_config config;
  struct machine *m;
  char error[256];
  machine_config_init(&config);
  /* Machines are large: one is made only for every 64th capture. */
  if (machine_capture_configure(c, &config, error, sizeof error) || made++ % 64)
    return;
  if (!machine_new(&config, error, sizeof error, &m)) {
    pmon_capture_describe(c, &info);
    machine_capture_load(m, c, NULL, NULL);
    if (!pmon_platform_find(context, info.platform, &p))
      capture_again(context, p, m);
    machine_free(m);
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  static struct pmon_context *context;
  const struct pmon_platform *emr;
  struct pmon_capture *c = NULL, *again = NULL;
  if ((!context && pmon_context_new(&context)) || pmon_platform_find(context, "emr", &emr))
    abort();
  int status = pmon_capture_parse(context, "input", (const char *)data, size, &c);
  if ((status == 0) != (c != NULL) || (status && !*pmon_context_error(context)))
    abort();
  if (!c)
    return 0;
  size_t n, m;
  char *text = format(c, &n);
  if (!pmon_capture_is(text, n) || pmon_capture_parse(context, "again", text, n, &again))
    abort();
  char *same = format(again, &m);
  if (n != m || memcmp(text, same, n))
    abort();
  fuzz_capture_read_all(c, emr);
  struct pmon_backend *b;
  if (pmon_backend_capture_new(c, emr, &b))
    abort();
  query_backend(context, emr, b);
  make_machine(context, c);
  free(text);
  free(same);
  pmon_capture_free(c);
  pmon_capture_free(again);
  return 0;
}
