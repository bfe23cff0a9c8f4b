/* SPDX-License-Identifier: MIT */
/* libpmon-machine: its inputs, equal counts for equal inputs, and each error. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>
#include <pmon/machine.h>
#include <pmon/pmon.h>

enum { LINES = 20000 };

struct feeding {
  uint32_t line[4], kind;
  uint64_t calls;
};

static uint32_t feed_reads(void *user, uint32_t thread, struct pmon_machine_access *accesses, uint32_t n)
{
  struct feeding *f = user;
  uint32_t i = 0;
  f->calls++;
  for (; i < n && f->line[thread] < LINES; i++)
    accesses[i] = (struct pmon_machine_access){
        .address = (thread + 1ull) << 32 | f->line[thread]++ * 64ull, .size_bytes = 8, .kind = f->kind};
  return i;
}

/* Returns the count of an event over the whole run on a machine; *ret_ns: the run's length. */
static double machine_count(const struct pmon_machine_options *options, const char *platform, const char *event,
                            uint64_t *ret_ns)
{
  struct pmon_machine *machine = NULL;
  struct pmon_backend *backend = NULL;
  struct pmon_context *context = NULL;
  const struct pmon_platform *known;
  struct pmon_set *set = NULL;
  struct pmon_value value = {.number = -1};
  struct pmon_reason reason;
  bool ended = false;
  if (pmon_machine_new(options, &reason, &machine))
    fail_msg("%s", reason.text);
  assert_int_equal(pmon_machine_backend(machine, &backend), 0);
  assert_int_equal(pmon_context_new(&context), 0);
  assert_int_equal(pmon_platform_find(context, platform, &known), 0);
  assert_int_equal(pmon_set_new(context, known, backend, NULL, &set), 0);
  assert_int_equal(pmon_set_add(set, event, NULL), 0);
  assert_int_equal(pmon_set_start(set), 0);
  assert_int_equal(pmon_session_run(pmon_set_session(set), UINT64_MAX, &ended), 0);
  assert_true(ended);
  assert_int_equal(pmon_set_stop(set, &value, 1), 0);
  assert_true(value.valid);
  if (ret_ns)
    *ret_ns = pmon_session_now_ns(pmon_set_session(set));
  assert_int_equal(pmon_set_close(set), 0);
  pmon_context_free(context);
  pmon_backend_close(backend);
  pmon_machine_free(machine);
  return value.number;
}

static double feed_count(const char *settings, uint32_t threads, uint64_t *ret_ns)
{
  struct feeding f = {{0}, PMON_MACHINE_READ, 0};
  struct pmon_machine_options o = {.size = sizeof o,
                                   .platform = "emr",
                                   .settings = settings,
                                   .feed = feed_reads,
                                   .feed_user = &f,
                                   .feed_threads = threads};
  const double n = machine_count(&o, "emr", "imc/CAS_COUNT.RD/", ret_ns);
  assert_true(f.calls > LINES / 1024);
  return n;
}

static void callback_accesses_are_counted(void **state)
{
  (void)state;
  uint64_t first_ns, again_ns, together_ns;
  const double one = feed_count("prefetch=off", 1, &first_ns);
  assert_int_equal(one, LINES + 1); /* the lines, and one of code */
  assert_int_equal(feed_count("prefetch=off", 1, &again_ns), one);
  assert_int_equal(first_ns, again_ns);
  assert_int_equal(feed_count("prefetch=off", 4, &together_ns), 4 * LINES + 1);
  assert_true(together_ns < 3 * first_ns); /* four cores run at the same time */
}

/* Makes a file with the text; `path` is a template of mkstemp(). */
static void write_file(char *path, const char *text)
{
  const int fd = mkstemp(path);
  assert_true(fd >= 0);
  assert_int_equal(write(fd, text, strlen(text)), strlen(text));
  close(fd);
}

/* The machine is made, and its run fails with a text that contains `text`. */
static void run_fails(const struct pmon_machine_options *options, int status, const char *text)
{
  struct pmon_machine *machine = NULL;
  struct pmon_backend *backend = NULL;
  uint64_t now;
  bool ended;
  assert_int_equal(pmon_machine_new(options, NULL, &machine), 0);
  assert_int_equal(pmon_machine_backend(machine, &backend), 0);
  assert_int_equal(backend->ops->wait(backend, 1000000, &now, &ended), status);
  assert_non_null(strstr(backend->error_text, text));
  pmon_backend_close(backend);
  pmon_machine_free(machine);
}

static void trace_equals_callback(void **state)
{
  (void)state;
  char path[] = "/tmp/pmon-machine-XXXXXX";
  FILE *f = fdopen(mkstemp(path), "w");
  assert_non_null(f);
  for (int i = 0; i < LINES; i++)
    fprintf(f, "I  00400000,4\n L %llx,8\n", (1ull << 32) + 64ull * (unsigned)i);
  assert_int_equal(fclose(f), 0);
  struct pmon_machine_options o = {.size = sizeof o, .platform = "emr", .settings = "prefetch=off", .trace = path};
  assert_int_equal(machine_count(&o, "emr", "imc/CAS_COUNT.RD/", NULL), LINES + 1);
  unlink(path);
}

static void scenarios_and_bundles_run(void **state)
{
  (void)state;
  char path[] = "/tmp/pmon-machine-XXXXXX";
  write_file(path, "set sockets=1 cores=2 chas=4\ndma write 1GB/s stack 1 port 2 for 100us\n");
  struct pmon_machine_options scenario = {.size = sizeof scenario, .scenario = path};
  const double writes = machine_count(&scenario, "emr", "iio1/DATA_REQ_OF_CPU.MEM_WRITE.PART2/", NULL);
  assert_true(writes > 24900 && writes < 25100); /* 1 GB/s for 100 us in units of 4 bytes */
  unlink(path);
  struct pmon_machine_options bundles = {.size = sizeof bundles, .platform = "montecito", .generate = "loops:1000:7"};
  assert_true(machine_count(&bundles, "montecito", "IA64_INST_RETIRED.THIS", NULL) > 1000);
}

/* True if the text is "NAME: NAME: problem" with one NAME. */
static bool begins_with_a_name_twice(const char *text)
{
  const size_t n = strcspn(text, ":");
  return !strncmp(text + n, ": ", 2) && !strncmp(text + n + 2, text, n) && text[n + 2 + n] == ':';
}

static void each_failure_has_a_reason(void **state)
{
  (void)state;
  char *const none[] = {"/nonexistent/program", NULL};
  struct feeding feeding = {0};
  const struct {
    struct pmon_machine_options o;
    int status;
    const char *text;
  } cases[] = {
      {{.platform = "z80"}, PMON_E_UNKNOWN, "z80: no such platform; expected emr, snbep, spr or montecito"},
      {{.settings = "cores"}, PMON_E_SYNTAX, "cores: expected NAME=VALUE"},
      {{.settings = "cores=100000"}, PMON_E_RANGE, "cores=100000"},
      {{.settings = "nonsense=1"}, PMON_E_UNKNOWN, "nonsense"},
      {{.place = "middle", .feed = feed_reads, .feed_user = &feeding}, PMON_E_SYNTAX, "place"},
      {{.scenario = "/nonexistent"}, PMON_E_IO, "/nonexistent"},
      {{.trace = "/nonexistent"}, PMON_E_IO, "/nonexistent"},
      {{.trace = "/proc/self/status"}, PMON_E_SYNTAX, "/proc/self/status: not a trace; expected a file of"},
      {{.command = none}, PMON_E_UNKNOWN, "/nonexistent/program"},
      {{.command = &none[1]}, PMON_E_INVALID, "the list is empty; expected a program"},
      {{.platform = "montecito", .bundles = "/nonexistent"}, PMON_E_IO, "/nonexistent"},
      {{.platform = "montecito", .generate = "x"}, PMON_E_UNKNOWN, "no such generator"},
      {{.platform = "montecito", .generate = "loops:x"}, PMON_E_SYNTAX, "NAME:BUNDLES:SEED"},
      {{.platform = "montecito", .generate = "loops:-1"}, PMON_E_SYNTAX, "NAME:BUNDLES:SEED"},
      {{.platform = "montecito", .generate = "loops:9:"}, PMON_E_SYNTAX, "NAME:BUNDLES:SEED"},
      {{.platform = "montecito", .settings = "cores=1"}, PMON_E_UNKNOWN, "no such parameter"},
      {{.platform = "montecito", .settings = "l3.size=10M"}, PMON_E_RANGE, "6M or 12M"},
      {{.platform = "montecito", .trace = "x"}, PMON_E_INVALID, "does not support this kind of input"},
      {{.generate = "loops"}, PMON_E_INVALID, "does not support this kind of input"},
      {{.trace = "x", .scenario = "y"}, PMON_E_INVALID, "at most one"},
      {{.feed = feed_reads, .feed_threads = 257}, PMON_E_RANGE, "more than 256"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct pmon_machine_options o = cases[i].o;
    struct pmon_machine *machine = NULL;
    struct pmon_reason reason = {"old"};
    o.size = sizeof o;
    assert_int_equal(pmon_machine_new(&o, &reason, &machine), cases[i].status);
    if (!strstr(reason.text, cases[i].text))
      fail_msg("case %zu: \"%s\" lacks \"%s\"", i, reason.text, cases[i].text);
    if (begins_with_a_name_twice(reason.text))
      fail_msg("case %zu: \"%s\"", i, reason.text);
    assert_null(machine);
    assert_int_equal(pmon_machine_new(&o, NULL, &machine), cases[i].status);
  }
  struct pmon_machine_options empty = {0};
  struct pmon_machine *machine = NULL;
  assert_int_equal(pmon_machine_new(&empty, NULL, &machine), PMON_E_INVALID);
  struct {
    struct pmon_machine_options o;
    uint64_t newer;
  } wide = {.o = {.size = sizeof wide, .platform = "emr"}, .newer = 1};
  assert_int_equal(pmon_machine_new(&wide.o, NULL, &machine), PMON_E_UNSUPPORTED);
}

static void a_callback_with_an_invalid_kind_is_an_error(void **state)
{
  (void)state;
  struct feeding f = {.kind = PMON_MACHINE_ACCESS_KINDS};
  run_fails(
      &(struct pmon_machine_options){.size = sizeof(struct pmon_machine_options), .feed = feed_reads, .feed_user = &f},
      PMON_E_RANGE, "kind 5");
}

/* The library has no event names to resolve what a scenario injects; event codes work without names. */
static void an_event_name_in_a_scenario_is_refused(void **state)
{
  (void)state;
  char path[] = "/tmp/pmon-machine-XXXXXX";
  write_file(path, "set sockets=1 cores=2 chas=4\ninject cha0 0x37:1 10\ninject cha0 LLC_VICTIMS.M_STATE 10\n");
  run_fails(&(struct pmon_machine_options){.size = sizeof(struct pmon_machine_options), .scenario = path},
            PMON_E_UNKNOWN, "line 3 of the scenario: event names such as LLC_VICTIMS.M_STATE are not resolved; use");
  unlink(path);
}

/* Each kind of access takes effect on the machine: prefetched lines are read, written lines are read for ownership, and
 * non-temporal writes go to memory. */
static void each_kind_of_access_is_done(void **state)
{
  static const struct {
    uint32_t kind;
    const char *event;
  } kinds[] = {{PMON_MACHINE_READ, "cha/TOR_INSERTS.IA_MISS_DRD/"},
               {PMON_MACHINE_WRITE, "cha/TOR_INSERTS.IA_MISS_RFO/"},
               {PMON_MACHINE_PREFETCH, "imc/CAS_COUNT.RD/"},
               {PMON_MACHINE_WRITE_PAST, "imc/CAS_COUNT.WR/"}};
  (void)state;
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    struct feeding f = {.kind = kinds[i].kind};
    const struct pmon_machine_options o = {
        .size = sizeof o, .platform = "emr", .settings = "prefetch=off", .feed = feed_reads, .feed_user = &f};
    assert_true(machine_count(&o, "emr", kinds[i].event, NULL) >= LINES);
  }
}

static void sizes_are_respected(void **state)
{
  (void)state;
  struct {
    struct pmon_machine_parameter_info p;
    uint64_t beyond;
  } wide = {.p = {.size = sizeof wide}, .beyond = 7};
  assert_int_equal(pmon_machine_parameter(NULL, 0, &wide.p), 0);
  assert_non_null(wide.p.name);
  assert_int_equal(wide.beyond, 0);
  struct pmon_machine_parameter_info narrow = {.size = offsetof(struct pmon_machine_parameter_info, meaning),
                                               .meaning = "kept"};
  assert_int_equal(pmon_machine_parameter(NULL, 0, &narrow), 0);
  assert_string_equal(narrow.meaning, "kept");
  narrow.size = 0;
  assert_int_equal(pmon_machine_parameter(NULL, 0, &narrow), PMON_E_INVALID);
  narrow.size = sizeof narrow;
  assert_int_equal(pmon_machine_parameter(NULL, 100000, &narrow), PMON_E_RANGE);
  uint32_t n = 0;
  while (narrow.size = sizeof narrow, !pmon_machine_parameter(NULL, n, &narrow))
    n++;
  assert_true(n > 20);
}

/* Finds a parameter of a platform. */
static struct pmon_machine_parameter_info parameter(const char *platform, const char *name)
{
  struct pmon_machine_parameter_info p = {.size = sizeof p};
  for (uint32_t i = 0; pmon_machine_parameter(platform, i, &p) == 0; i++)
    if (!strcmp(p.name, name))
      return p;
  fail_msg("%s: no parameter %s", platform, name);
  return p;
}

static void parameters_are_the_platforms_own(void **state)
{
  struct pmon_machine_parameter_info p = parameter("montecito", "memory.latency");
  (void)state;
  assert_int_equal(p.default_value, 200);
  assert_string_equal(p.unit, "");
  assert_int_equal(parameter("emr", "upi.gt").default_value, 20000);
  p = parameter("snbep", "upi.gt");
  assert_int_equal(p.default_value, 8000);
  assert_string_equal(p.unit, "MHz");
  assert_string_equal(parameter("emr", "llc.size").unit, "bytes");
  assert_int_equal(pmon_machine_parameter("p6", 0, &p), PMON_E_UNKNOWN);
}

static void a_machine_without_command_has_no_result(void **state)
{
  (void)state;
  struct pmon_machine_options o = {.size = sizeof o, .platform = "snbep", .settings = "cores=4"};
  struct pmon_machine_end end = {.size = sizeof end};
  struct pmon_machine *machine = NULL;
  struct pmon_clock clocks[4];
  assert_int_equal(pmon_machine_new(&o, NULL, &machine), 0);
  assert_int_equal(pmon_machine_result(machine, &end), PMON_E_STATE);
  assert_true(pmon_machine_clocks(machine, clocks, 4) <= 4);
  pmon_machine_free(machine);
  pmon_machine_free(NULL);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(callback_accesses_are_counted),    cmocka_unit_test(trace_equals_callback),
      cmocka_unit_test(scenarios_and_bundles_run),        cmocka_unit_test(an_event_name_in_a_scenario_is_refused),
      cmocka_unit_test(each_failure_has_a_reason),        cmocka_unit_test(a_callback_with_an_invalid_kind_is_an_error),
      cmocka_unit_test(each_kind_of_access_is_done),      cmocka_unit_test(sizes_are_respected),
      cmocka_unit_test(parameters_are_the_platforms_own), cmocka_unit_test(a_machine_without_command_has_no_result)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
