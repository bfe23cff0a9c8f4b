/* SPDX-License-Identifier: MIT */
#include "tests/hardware/frame.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *const frame_small[] = {"cores=1", "chas=2", "imcs=1", "upi.links=1", "iio.stacks=1", NULL};
const char frame_events[] = "cha/CLOCKTICKS/,upi/CLOCKTICKS/,m2m/CLOCKTICKS/,cha/CMS_CLOCKTICKS/";
static const char *const two_cores[] = {"cores=2", NULL};

struct pmon_context *context;
const struct pmon_platform *platform;
struct tree tree;

char frame_said[4096];

/* Addresses of the registers that can hold a value: collected once per machine. */
static struct pmon_address *held;
static size_t n_held;

void frame_begin(const char *name)
{
  assert_int_equal(pmon_context_new(&context), 0);
  assert_int_equal(pmon_platform_find(context, name, &platform), 0);
  tree_make(&tree, name, strcmp(name, "emr") ? two_cores : frame_small);
}

void frame_end(void)
{
  tree_end(&tree);
  pmon_context_free(context);
  free(held);
  held = NULL;
  n_held = 0;
}

struct pmon_backend *frame_open(void)
{
  struct pmon_reason reason = {""};
  struct pmon_backend *b = NULL;
  if (pmon_backend_direct_open(&tree.system, &reason, &b))
    fail_msg("%s", reason.text);
  assert_int_equal(b->packages, 2);
  assert_true(b->host);
  return b;
}

struct pmon_plan *frame_plan(const char *list)
{
  struct pmon_plan *plan;
  assert_int_equal(pmon_plan_new(context, platform, &plan), 0);
  if (pmon_plan_add_events(plan, list) || pmon_plan_schedule(plan))
    fail_msg("%s", pmon_context_error(context));
  return plan;
}

static void frame_hear(const char *text)
{
  const size_t n = strlen(frame_said);
  snprintf(frame_said + n, sizeof frame_said - n, "%s\n", text);
}

int frame_measure(struct pmon_backend *b, struct pmon_plan *plan, double *counts)
{
  struct pmon_session *s = NULL;
  char error[256];
  bool ended;
  *frame_said = 0;
  int status = pmon_session_new(plan, b, NULL, &s);
  if (status) {
    frame_hear(pmon_context_error(context));
    return status;
  }
  status = pmon_session_start(s);
  if (!status)
    status =
        machine_run(tree.machine, machine_now_fs(tree.machine) + UINT64_C(100000000000), &ended, error, sizeof error);
  if (!status)
    status = pmon_session_run(s, pmon_session_now_ns(s) + 1, &ended);
  for (uint32_t i = 0; !status && counts && pmon_plan_event(plan, i); i++) {
    struct pmon_value v;
    assert_int_equal(pmon_session_event(s, i, &(struct pmon_scope){PMON_ALL, PMON_ALL}, &v), 0);
    counts[i] = v.valid ? v.number : -1;
    if (!v.valid)
      frame_hear(v.reason);
  }
  if (status)
    frame_hear(pmon_context_error(context));
  int closed = pmon_session_close(s);
  if (closed)
    frame_hear(pmon_context_error(context));
  return status ? status : closed;
}

static struct pmon_backend *volatile watched;

static void on_bus_error(int number)
{
  pmon_backend_bus_error(watched);
  signal(number, SIG_DFL);
  raise(number);
}

void frame_watch(struct pmon_backend *b)
{
  struct sigaction action = {.sa_handler = on_bus_error, .sa_flags = SA_NODEFER};
  watched = b;
  assert_int_equal(sigaction(SIGBUS, &action, NULL), 0);
}

void frame_cut_memory(uint64_t size)
{
  char path[120];
  snprintf(path, sizeof path, "%s/mem", tree.dev);
  assert_int_equal(truncate(path, (off_t)size), 0);
}

static void hold(const struct pmon_register_id *id)
{
  struct pmon_address a;
  uint64_t value;
  for (uint32_t p = 0; p < 2 && !pmon_register_address(platform, id, &a); p++) {
    a.package = p;
    if (machine_read(tree.machine, &a, &value))
      continue;
    held = realloc(held, (n_held + 1) * sizeof *held);
    assert_non_null(held);
    held[n_held++] = a;
  }
}

static void find_held(void)
{
  struct pmon_unit_info unit = {.size = sizeof unit};
  struct pmon_register_info reg = {.size = sizeof reg};
  for (uint32_t u = 0; !pmon_unit_describe(platform, u, &unit); u++)
    for (uint32_t r = 0; !pmon_register_describe(platform, u, r, &reg); r++)
      for (uint32_t i = 0; reg.role != PMON_ROLE_FREERUNNING && i < unit.instances; i++)
        for (uint32_t k = 0; k < reg.count; k++)
          hold(&(struct pmon_register_id){.unit = u, .reg = r, .instance = i, .index = k});
  assert_true(n_held > 100);
}

uint64_t frame_fingerprint(void)
{
  uint64_t sum = 14695981039346656037u, value = 0;
  if (!n_held)
    find_held();
  for (size_t i = 0; i < n_held; i++)
    if (!machine_read(tree.machine, &held[i], &value))
      sum = (sum ^ value) * 1099511628211u;
  return sum;
}

/* The range begins with the package's bus; its base is nevertheless that of bus 0. */
void frame_ecam(uint32_t id)
{
  enum { BUS = 0x7e, UPI = 1 << 15 | 1 << 12 };
  static const uint64_t base = FRAME_ECAM - UPI - (BUS << 20);
  uint8_t table[60] = "MCFG";
  uint32_t words[1024] = {id, 0, 0x08800000};
  char path[160];
  table[4] = sizeof table;
  memcpy(table + 44, &base, sizeof base);
  table[54] = BUS;
  table[55] = BUS + 1;
  tree_file(&tree, "sys/firmware/acpi/tables/MCFG", "");
  snprintf(path, sizeof path, "%s/firmware/acpi/tables/MCFG", tree.sys);
  FILE *f = fopen(path, "w");
  assert_true(f && fwrite(table, sizeof table, 1, f) == 1 && !fclose(f));
  words[0x350 / 4] = 0x1234;
  snprintf(path, sizeof path, "%s/mem", tree.dev);
  f = fopen(path, "r+");
  assert_true(f && !fseek(f, FRAME_ECAM, SEEK_SET) && fwrite(words, sizeof words, 1, f) == 1 && !fclose(f));
}

uint64_t frame_block(struct pmon_backend *b, uint32_t package, uint32_t type, uint32_t id)
{
  const struct pmon_discovered_unit *u;
  struct pmon_discovery *page = NULL;
  uint64_t address = 0;
  assert_int_equal(pmon_discovery_read(b, package, NULL, NULL, &page), 0);
  for (uint32_t i = 0; (u = pmon_discovery_unit(page, i)); i++)
    if (u->type == type && u->id == id)
      address = u->address;
  pmon_discovery_free(page);
  return address;
}

void frame_port(uint64_t at, unsigned flags)
{
  static const char folder[] = "sys/bus/pci/devices/0000:98:00.0";
  char name[100], text[300];
  FILE *f;
  snprintf(text, sizeof text, "0x0 0x0 0x0\n0x%016llx 0x%016llx 0x101\n0x%016llx 0x%016llx 0x%x\n", at - 0x2000ull,
           at + 0x1fffull, at - 0x2000ull, at + 0x1fffull, flags);
  snprintf(name, sizeof name, "%s/resource", folder);
  tree_file(&tree, name, text);
  snprintf(name, sizeof name, "%s/resource2", folder);
  tree_file(&tree, name, "");
  snprintf(text, sizeof text, "%s/%s", tree.root, name);
  f = fopen(text, "r+");
  assert_true(f && !fseek(f, 0x3fff, SEEK_SET) && fputc(0, f) == 0 && !fclose(f));
}
