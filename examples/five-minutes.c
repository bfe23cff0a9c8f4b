/* SPDX-License-Identifier: MIT */
/*
 * libpmon in five minutes: an event's registers, and a measurement.
 *
 *   cc five-minutes.c $(pkg-config --cflags --libs pmon)
 *   pmon stat --log accesses.log -m MEM_READ_BANDWIDTH -- true
 *   ./a.out accesses.log
 *
 * The measurement is answered from a log of register accesses; another backend would stand in the same place.
 */
#include <inttypes.h>
#include <stdio.h>
#include <pmon/pmon.h>

static int fail(struct pmon_context *context)
{
  fprintf(stderr, "%s\n", pmon_context_error(context));
  return 1;
}

/* What has to be written so that counter 0 of the first memory controller counts reads. */
static int show_registers(struct pmon_context *context, const struct pmon_platform *platform)
{
  struct pmon_event *event;
  struct pmon_image image;
  if (pmon_event_resolve(context, platform, "imc/CAS_COUNT.RD/", &event))
    return fail(context);
  int status = pmon_event_encode(event, 0, 0, 0, &image);
  for (uint32_t i = 0; !status && i < image.n; i++) {
    char name[80], address[64];
    pmon_register_name(platform, &image.registers[i].id, name, sizeof name);
    pmon_address_format(&image.registers[i].address, address, sizeof address);
    printf("%s at %s: 0x%" PRIx64 "\n", name, address, image.registers[i].value);
  }
  pmon_event_free(event);
  return status ? fail(context) : 0;
}

/* Reads once what the log says, to its end. */
static int run(struct pmon_context *context, struct pmon_session *session)
{
  struct pmon_value v;
  bool ended = false;
  int status = pmon_session_start(session);
  while (!status && !ended)
    status = pmon_session_run(session, UINT64_MAX, &ended);
  if (!status)
    status = pmon_session_metric(session, 0, &(struct pmon_scope){PMON_ALL, PMON_ALL}, &v);
  if (status)
    return fail(context);
  if (v.valid)
    printf("%.0f bytes/s read from memory in %.9f s\n", v.number, pmon_session_seconds(session));
  else
    printf("no data: %s\n", v.reason);
  return 0;
}

static bool go_on(void *user, uint64_t now_ns)
{
  (void)user;
  (void)now_ns;
  return false;
}

static int measure(struct pmon_context *context, const struct pmon_platform *platform, const char *log)
{
  /* The command looks up each millisecond, and its log has a line for each time. */
  struct pmon_session_options options = {.size = sizeof options, .tick = go_on};
  struct pmon_plan *plan = NULL;
  struct pmon_backend *backend = NULL;
  struct pmon_session *session = NULL;
  int result = 1;
  if (pmon_plan_new(context, platform, &plan) || pmon_plan_add_metrics(plan, "MEM_READ_BANDWIDTH") ||
      pmon_plan_schedule(plan) || pmon_backend_replay_new(context, log, &backend) ||
      pmon_session_new(plan, backend, &options, &session))
    fail(context);
  else
    result = run(context, session);
  /* Whatever happened, every register is restored. */
  if (pmon_session_close(session))
    result = fail(context);
  pmon_backend_close(backend);
  pmon_plan_free(plan);
  return result;
}

int main(int argc, char **argv)
{
  struct pmon_context *context;
  const struct pmon_platform *platform;
  if (pmon_context_new(&context))
    return 1;
  int result = pmon_platform_find(context, "emr", &platform) ? fail(context) : show_registers(context, platform);
  if (!result && argc > 1)
    result = measure(context, platform, argv[1]);
  pmon_context_free(context);
  return result;
}
