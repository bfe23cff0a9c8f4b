/* SPDX-License-Identifier: MIT */
#include "cli/machine/core.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cli/common/findings.h"
#include "cli/machine/interrupt.h"
#include "cli/machine/state.h"
#include "cli/target/core_states.h"
#include "cli/target/stream.h"
#include "machine/model.h"
#include "machine/montecito/stream/stream.h"

enum { ERROR_SIZE = 512 };
#define ROW(field)                                                                                                     \
  {                                                                                                                    \
#field, offsetof(struct montecito_account, field)                                                                  \
  }
static const struct {
  const char *name;
  size_t offset;
} rows[] = {ROW(cycles),    ROW(bundles),     ROW(instructions), ROW(branches),         ROW(mispredicted),
            ROW(loads),     ROW(stores),      ROW(l1i_misses),   ROW(l1d_misses),       ROW(l2d_misses),
            ROW(l3_misses), ROW(itlb_misses), ROW(dtlb_misses),  ROW(bus_transactions), ROW(switches)};

static uint64_t core_counter_value(const struct montecito_account *t, size_t row)
{
  return *(const uint64_t *)(const void *)((const char *)t + rows[row].offset);
}

static void core_write_account(struct cli *cli, const struct montecito_machine *m, bool json)
{
  const struct montecito_account t[MONTECITO_CORES] = {montecito_machine_account(m, 0),
                                                       montecito_machine_account(m, 1)};
  char number[64];

  if (json)
    json_open(&cli->out, "cores", '[');
  for (unsigned c = 0; json && c < MONTECITO_CORES; c++) {
    json_open(&cli->out, NULL, '{');
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
      json_number(&cli->out, rows[i].name, core_counter_value(&t[c], i));
    json_close(&cli->out, '}');
  }
  if (json) {
    json_close(&cli->out, ']');
    return;
  }
  snprintf(number, sizeof number, "%*s%16s\n", 20 + 16, "core 0", "core 1");
  out_text(&cli->out, number);
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    out_padded(&cli->out, rows[i].name, 20);
    for (unsigned c = 0; c < MONTECITO_CORES; c++) {
      snprintf(number, sizeof number, "%16llu", (unsigned long long)core_counter_value(&t[c], i));
      out_text(&cli->out, number);
    }
    out_char(&cli->out, '\n');
  }
}

/* Writes the programmed counters. */
static void core_write_counters(struct cli *cli, struct montecito_machine *m, bool json)
{
  if (json)
    json_open(&cli->out, "counters", '[');
  for (uint32_t thread = 0; thread < MONTECITO_THREADS; thread++)
    for (unsigned i = MONTECITO_FIRST_COUNTER; i < MONTECITO_FIRST_COUNTER + MONTECITO_COUNTERS; i++) {
      struct pmon_address a = {.package = thread, .space = PMON_SPACE_PMC, .width_bits = 64, .offset = i};
      uint64_t control = 0, value = 0;
      char text[96];

      if (montecito_machine_read(m, &a, &control) || !(control & 0xf))
        continue;
      a.space = PMON_SPACE_PMD;
      montecito_machine_read(m, &a, &value);
      if (json) {
        json_open(&cli->out, NULL, '{');
        json_number(&cli->out, "thread", thread);
        json_number(&cli->out, "counter", i);
        json_number(&cli->out, "control", control);
        json_number(&cli->out, "value", value);
        json_close(&cli->out, '}');
        continue;
      }
      snprintf(text, sizeof text, "thread %u PMD%-2u %24llu   PMC%u 0x%llx\n", thread, i, (unsigned long long)value, i,
               (unsigned long long)control);
      out_text(&cli->out, text);
    }
  if (json)
    json_close(&cli->out, ']');
}

static void core_report_violations(struct cli *cli, const struct montecito_machine *m, bool json)
{
  const struct machine_violation *list;
  const size_t n = montecito_machine_violations(m, &list);

  if (json)
    json_open(&cli->out, "violations", '[');
  for (size_t i = 0; i < n; i++) {
    char text[512];

    if (json) {
      json_open(&cli->out, NULL, '{');
      json_number(&cli->out, "thread", list[i].address.package);
      json_text(&cli->out, "register", list[i].name);
      json_text(&cli->out, "field", list[i].field);
      json_number(&cli->out, "value", list[i].value);
      json_text(&cli->out, "rule", list[i].rule);
      json_text(&cli->out, "section", list[i].section);
      json_close(&cli->out, '}');
      continue;
    }
    snprintf(text, sizeof text, "thread %u %s.%s = 0x%llx: %s (%s)\n", list[i].address.package, list[i].name,
             list[i].field, (unsigned long long)list[i].value, list[i].rule, list[i].section);
    out_text(&cli->out, text);
  }
  if (json)
    json_close(&cli->out, ']');
}

static void core_write_interrupts(struct cli *cli, const struct montecito_machine *m, bool json)
{
  char text[80];

  if (json)
    json_open(&cli->out, "interrupts", '[');
  for (unsigned thread = 0; thread < MONTECITO_THREADS; thread++) {
    const unsigned long long n = montecito_interrupts(m, thread);

    if (json) {
      json_open(&cli->out, NULL, '{');
      json_number(&cli->out, "thread", thread);
      json_number(&cli->out, "taken", n);
      json_close(&cli->out, '}');
    } else if (n) {
      snprintf(text, sizeof text, "thread %u took the monitors' interrupt %llu time%s\n", thread, n, n == 1 ? "" : "s");
      out_text(&cli->out, text);
    }
  }
  if (json)
    json_close(&cli->out, ']');
}

static void core_print_account(struct cli *cli, struct montecito_machine *m, bool json)
{
  if (json)
    json_open(&cli->out, NULL, '{');
  core_write_account(cli, m, json);
  core_write_counters(cli, m, json);
  core_write_interrupts(cli, m, json);
  core_report_violations(cli, m, json);
  if (json) {
    json_close(&cli->out, '}');
    json_end_line(&cli->out);
  }
}

/* Passes the stream's register accesses to the checker, with their times. */
static void core_on_access(void *arg, bool write, const struct pmon_address *a, uint64_t value)
{
  struct core_states *s = arg;
  const uint64_t ns = core_states_now_ns(s);

  core_states_report(s);
  if (!a) /* no access: a register that the checker observes has changed */
    return;
  check_wait(s->checker, ns);
  check_access(s->checker, &(struct check_access){ns, write, *a, value});
}

static struct montecito_machine *running;

static void stop_cores(void)
{
  montecito_machine_interrupt(running);
}

static int run_cores(struct cli *cli, const struct core_run *r, const struct target *t, struct core_states *w)
{
  char error[ERROR_SIZE] = "";
  const char *unmet;
  bool ended;
  int status, result = CLI_DONE;

  if (w->checker) {
    montecito_machine_on_access(t->core, core_on_access, w);
    core_states_report(w);
  }
  running = t->core;
  interrupt_begin(stop_cores);
  status = montecito_machine_run(t->core, UINT64_MAX, &ended, error, sizeof error);
  interrupt_end();
  if (status) {
    cli_fail(cli, "%s", error);
    return cli_exit_code(status);
  }
  core_print_account(cli, t->core, r->json);
  if (!interrupt_stop.number && montecito_machine_failed_expectations(t->core, &unmet)) {
    cli_fail(cli, "%s", unmet);
    result = CLI_FAILED;
  }
  const int saved = r->save ? state_save_file(cli, r->save, t) : CLI_DONE;
  result = saved != CLI_DONE ? saved : result;
  if (w->checker) {
    check_wait(w->checker, UINT64_MAX);
    if (findings_print(cli, w->checker) != CLI_DONE)
      result = CLI_FAILED;
  }
  if (interrupt_stop.number) {
    cli_fail(cli, "signal %d: stopped; the account covers the time before the signal", (int)interrupt_stop.number);
    return CLI_SIGNALLED + (int)interrupt_stop.number;
  }
  return result;
}

int core_run(struct cli *cli, const struct target_options *o, const struct core_run *r)
{
  struct target t = {0};
  struct core_states w = {0};
  int result = stream_open(cli, o, &t.core, &t.program);

  if (result != CLI_DONE)
    return result;
  if (!cli->platform_name)
    cli->platform_name = model_for_input(MODEL_BUNDLES)->name;
  if (r->load)
    result = state_load_file(cli, r->load, &t);
  w.m = t.core;
  if (result == CLI_DONE && r->check && !cli_platform(cli))
    result = CLI_USAGE;
  if (result == CLI_DONE && r->check && check_new(cli->platform, &w.checker))
    result = cli_fail_memory(cli);
  if (result == CLI_DONE)
    result = run_cores(cli, r, &t, &w);
  if (result == CLI_DONE && t.program)
    result = stream_result(cli, t.program, o->argv[0], NULL);
  check_free(w.checker);
  montecito_machine_free(t.core);
  return result;
}
