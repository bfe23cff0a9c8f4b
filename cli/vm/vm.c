/* SPDX-License-Identifier: MIT */
/* `pmon vm`: runs an unmodified Linux on the emulated machine, and a command in it. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "cli/common/paths.h"
#include "cli/vm/command.h"
#include "cli/vm/verdict.h"
#include "machine/model.h"
#include "machine/trace/guest.h"
#include "machine/trace/launcher.h"
#include "machine/trace/workload.h"
#include "vm/kernel.h"
#include "vm/qemu.h"

enum { TIMEOUT_S = 300 };

static void vm_on_output(void *user, enum vm_stream stream, const char *bytes, size_t n)
{
  struct vm_command *v = user;
  artifacts_output(&v->artifacts, stream, bytes, n);
  if (stream == VM_OUTPUT || (stream == VM_CONSOLE && v->vm.initrd)) {
    if ((fwrite(bytes, 1, n, stdout) != n || fflush(stdout)) && !v->output_error)
      v->output_error = errno;
  } else if (stream == VM_ERRORS || stream == VM_REPORT || v->console)
    fwrite(bytes, 1, n, stderr);
}

static void on_line(void *user, const char *line)
{
  fprintf(user, "%s\n", line);
}

static void vm_note_units(struct vm_command *v, const struct checker *c)
{
  const struct check_absent *absent;
  char text[64];
  for (unsigned i = 0; i < v->vm.shape.sockets; i++) {
    snprintf(text, sizeof text, "%u", i);
    pmon_backend_trace_note(v->vm.backend, "units", text);
  }
  for (uint32_t i = 0; (absent = check_absent(c, i)); i++) {
    snprintf(text, sizeof text, "%" PRIu32 " %s %" PRIu32, absent->package, absent->unit, absent->instance);
    pmon_backend_trace_note(v->vm.backend, "absent", text);
  }
}

/* Records which units the machine has, for the checker and for readers of the log. */
static int vm_note_absent(struct vm_command *v, struct pmon_backend *plain)
{
  struct checker *c = v->checker, *for_log = NULL;
  int status = 0;
  if (!c && v->log && !(status = check_new(v->cli->platform, &for_log)))
    c = for_log;
  machine_faults_aside(v->vm.machine, true);
  status = c ? check_find_absent(c, plain, v->vm.shape.sockets) : status;
  machine_faults_aside(v->vm.machine, false);
  if (!status && v->log)
    vm_note_units(v, c);
  check_free(for_log);
  return status ? cli_fail_memory(v->cli) : CLI_DONE;
}

/* Wraps the backend for checking and logging; the caller closes it in all cases. */
static int vm_watch(struct vm_command *v)
{
  struct pmon_backend *wrapped, *plain = v->vm.backend;
  if (v->check) {
    if (check_new(v->cli->platform, &v->checker) || check_backend_new(v->vm.backend, v->checker, &wrapped))
      return cli_fail_memory(v->cli);
    v->vm.backend = wrapped;
  }
  if (!v->log_path)
    return vm_note_absent(v, plain);
  if (!(v->log = fopen(v->log_path, "we"))) {
    cli_fail(v->cli, "%s: %s", v->log_path, strerror(errno));
    return VM_EXIT_INFRASTRUCTURE;
  }
  if (pmon_backend_trace_new(v->vm.backend, on_line, v->log, &wrapped))
    return cli_fail_memory(v->cli);
  v->vm.backend = wrapped;
  pmon_backend_trace_note(wrapped, "platform", v->vm.kind->name);
  return vm_note_absent(v, plain);
}

/* Determines the exit code, without the checker's findings. */
static void vm_judge_end(const struct vm_result *result, int status, struct verdict *d)
{
  static const struct {
    int code;
    const char *kind;
  } ends[] = {[VM_ENDED] = {VM_EXIT_INFRASTRUCTURE, "infrastructure"},
              [VM_TIMED_OUT] = {VM_EXIT_TIME_OUT, "time-out"},
              [VM_PANICKED] = {VM_EXIT_PANIC, "panic"}};
  d->exit_code = status == PMON_E_INVALID ? CLI_USAGE : status ? ends[result->end].code : result->exit_code;
  d->kind = status == PMON_E_INVALID ? "usage"
            : status                 ? ends[result->end].kind
            : result->exit_code      ? "command"
                                     : "passed";
}

static void vm_write_findings(const struct verdict *d, struct out *out)
{
  verdict_print(d, out);
}

/* Writes the files of the verdict. A file that cannot be written is an error of the run. */
static int vm_save(struct vm_command *v, const struct verdict *d)
{
  static const struct {
    const char *name;
    void (*write)(const struct verdict *d, struct out *out);
  } files[] = {
      {"findings", vm_write_findings}, {"result.json", verdict_write_json}, {"junit.xml", verdict_write_junit}};
  int result = CLI_DONE;
  if (v->json_path)
    result = verdict_save(d, v->json_path, verdict_write_json);
  if (result == CLI_DONE && v->junit_path)
    result = verdict_save(d, v->junit_path, verdict_write_junit);
  for (size_t i = 0; v->artifacts.folder && result == CLI_DONE && i < sizeof files / sizeof *files; i++) {
    char *path = artifacts_path(&v->artifacts, files[i].name);
    result = path ? verdict_save(d, path, files[i].write) : cli_fail_memory(v->cli);
    free(path);
  }
  return result;
}

static int vm_report(struct vm_command *v, const struct vm_result *result, int status, const char *error)
{
  struct verdict d = {.v = v};
  if (v->checker && verdict_make(v, &d) != CLI_DONE) {
    verdict_free(&d);
    return VM_EXIT_INFRASTRUCTURE;
  }
  d.result = result;
  d.error = status ? error : "";
  vm_judge_end(result, status, &d);
  if (result->overflows && !result->shared)
    cli_note(v->cli,
             "%" PRIu64
             " overflow interrupts of the uncore did not reach the guest, because this QEMU cannot send them: software "
             "finds overflows in the status registers; a QEMU built by vm/qemu/build.sh sends them (docs/vm.md)",
             result->overflows);
  if (!d.exit_code && v->baseline_path && (d.violations > d.known || check_incomplete(v->checker))) {
    d.exit_code = VM_EXIT_VIOLATION;
    d.kind = "violation";
  }
  if (v->checker) {
    verdict_print(&d, NULL);
    if (vm_save(v, &d) != CLI_DONE && !d.exit_code)
      d.exit_code = VM_EXIT_INFRASTRUCTURE;
  }
  verdict_free(&d);
  return d.exit_code;
}

static int vm_command_run(struct vm_command *v, struct pmon_backend *plain)
{
  char error[512] = "";
  struct vm_result result;
  int kept = artifacts_capture(v->cli, &v->artifacts, "start.capture", plain);
  const int status = vm_run(&v->vm, error, sizeof error, &result);
  if (status)
    cli_fail(v->cli, "%s", error);
  if (v->output_error) {
    cli_fail(v->cli, "standard output: %s", strerror(v->output_error));
    kept = CLI_FAILED;
  }
  if (v->log && fflush(v->log)) {
    cli_fail(v->cli, "%s: %s", v->log_path, strerror(errno));
    kept = CLI_FAILED;
  }
  if (kept == CLI_DONE)
    kept = artifacts_capture(v->cli, &v->artifacts, "end.capture", plain);
  if (kept == CLI_DONE)
    kept = artifacts_versions(v->cli, &v->artifacts, &v->vm, &result);
  if (!artifacts_close(&v->artifacts)) {
    cli_fail(v->cli, "--artifacts %s: the guest's outputs could not be written", v->artifacts_path);
    kept = CLI_FAILED;
  }
  const int code = vm_report(v, &result, status, error);
  return code == CLI_DONE && kept != CLI_DONE ? VM_EXIT_INFRASTRUCTURE : code;
}

/* Makes the guest the machine's workload. */
static int attach_guest(struct vm_command *v, struct machine *m, char *error, size_t error_size)
{
  const uint64_t *c = v->target.config.value;
  struct machine_workload *workload;
  struct placement *placement;
  int status;
  if (!(v->vm.plugin = launch_plugin(NULL, v->plugin, sizeof v->plugin))) {
    snprintf(error, error_size,
             "--traffic guest: QEMU's plugin pmon-trace.so is missing where pmon was built or installed");
    return PMON_E_NO_DEVICE;
  }
  status = placement_new(v->target.place, (unsigned)c[CONFIG_SOCKETS], (unsigned)c[CONFIG_CORES], error, error_size,
                         &placement);
  if (status)
    return status;
  status = guest_open(v->vm.shape.sockets * v->vm.shape.cores, error, error_size, &v->vm.guest);
  if (status) {
    placement_free(placement);
    return status;
  }
  status = trace_workload_new(guest_source(v->vm.guest), placement, &workload);
  if (status)
    snprintf(error, error_size, "no memory for the guest's accesses");
  else
    machine_attach(m, workload);
  return status;
}

/* Opens the target's machine if it has a workload, else an idle one. */
static int vm_open_machine(struct vm_command *v, struct target *t)
{
  char error[512] = "";
  if (v->follow && (v->target.scenario || v->target.trace))
    return cli_fail(v->cli, "--traffic guest: a scenario or trace is also given; omit one of them");
  if (v->target.scenario || v->target.trace) {
    int result = target_check(v->cli, &v->target);
    return result == CLI_DONE ? target_open(v->cli, &v->target, t) : result;
  }
  if (v->follow && v->vm.shape.sockets > 1 && !v->target.config.value[CONFIG_NUMA_MEMORY])
    v->target.config.value[CONFIG_NUMA_MEMORY] = ((uint64_t)QEMU_MEMORY_MB << 20) / v->vm.shape.sockets;
  int result = target_open_idle(v->cli, &v->target, t), status = PMON_OK;
  if (result == CLI_DONE && v->follow)
    status = attach_guest(v, t->machine, error, sizeof error);
  if (!status)
    return result;
  cli_fail(v->cli, "%s", *error ? error : "no memory");
  target_close(t);
  return VM_EXIT_INFRASTRUCTURE;
}

/* Opens the files that the verdict needs, and checks those that it will write. */
static int vm_open_files(struct vm_command *v)
{
  char error[512];
  int result = v->baseline_path ? baseline_load(v->cli, v->baseline_path, &v->baseline) : CLI_DONE;
  if (result == CLI_DONE)
    result = path_check_write(v->cli, "--json", v->json_path);
  if (result == CLI_DONE)
    result = path_check_write(v->cli, "--junit", v->junit_path);
  if (result == CLI_DONE && v->check && callers_new(&v->callers))
    result = cli_fail_memory(v->cli);
  if (result == CLI_DONE && v->symbols_path &&
      symbols_load(callers_symbols(v->callers), v->symbols_path, error, sizeof error))
    result = cli_fail(v->cli, "--symbols %s", error);
  v->vm.callers = v->callers;
  v->vm.symbols_given = v->symbols_path != NULL;
  if (result == CLI_DONE)
    result = artifacts_open(v->cli, v->artifacts_path, &v->artifacts);
  if (result == CLI_DONE && v->artifacts_path && !v->log_path &&
      !(v->log_path = v->own_log = artifacts_path(&v->artifacts, "accesses.log")))
    result = cli_fail_memory(v->cli);
  return result;
}

/* Finds the devices of the scenario and the capture; called before the machine takes ownership of the scenario. */
static int vm_find_devices(struct vm_command *v)
{
  enum { ROOT_PORT = 1 }; /* if the facts do not contain it */
  struct pmon_unit_info unit;
  if (!devices_of_scenario(&v->target.scene, v->cli->platform, &v->devices) ||
      (v->target.capture && !devices_of_capture(v->target.capture, &v->devices)))
    return cli_fail_memory(v->cli);
  if (v->vm.snapshot && v->devices.n)
    return cli_fail(v->cli, "--snapshot %s: cannot be combined with devices of a scenario or capture; omit it",
                    v->vm.snapshot);
  v->vm.devices = v->devices.devices;
  v->vm.n_devices = v->devices.n;
  v->vm.root_port = devices_unit(v->cli->platform, &unit) && unit.root_port != UINT32_MAX ? unit.root_port : ROOT_PORT;
  return CLI_DONE;
}

static int build_and_run(struct vm_command *v)
{
  char cache[512];
  struct target target;
  struct pmon_capture_info captured = {.size = sizeof captured};
  int result;
  if (!kernel_cache_folder(cache, sizeof cache))
    return cli_fail(v->cli,
                    "kernel cache: neither XDG_CACHE_HOME nor HOME is set; set one of them, or give --kernel FILE");
  if ((result = vm_find_devices(v)) != CLI_DONE || (result = vm_open_machine(v, &target)) != CLI_DONE)
    return result;
  machine_set_faults(target.machine, !v->vm.lenient);
  if (v->target.capture && !pmon_capture_describe(v->target.capture, &captured) && captured.has_cpu)
    v->vm.cpu = &captured.cpu;
  v->vm.machine = target.machine;
  v->vm.config = &v->target.config;
  v->vm.backend = target.backend;
  v->vm.cache = cache;
  v->vm.programs = v->with;
  v->vm.output = vm_on_output;
  v->vm.user = v;
  result = vm_open_files(v);
  if (result == CLI_DONE)
    result = vm_watch(v);
  if (result == CLI_DONE)
    result = vm_command_run(v, target.backend);
  artifacts_close(&v->artifacts);
  v->vm.cache = NULL; /* they end with the machine */
  v->vm.cpu = NULL;
  target.backend = v->vm.backend; /* closed together with its wrappers */
  target_close(&target);
  if (v->log)
    fclose(v->log);
  check_free(v->checker);
  callers_free(v->callers);
  baseline_free(&v->baseline);
  free(v->own_log);
  return result;
}

static int run_vm(struct cli *cli, int argc, char **argv)
{
  struct vm_command v = {.cli = cli,
                         .vm =
                             {
                                 .timeout_s = TIMEOUT_S,
                             },
                         .with = {"/proc/self/exe"},
                         .n_with = 1};
  int result;
  const bool named = cli->platform_name != NULL;
  if (!named)
    cli->platform_name = GUEST_DEFAULT_MODEL;
  if (!guest_kind_named(cli->platform_name))
    return vm_fail_model(cli, cli->platform_name);
  target_options_init(&v.target);
  v.target.followed = !named; /* a capture or preset of another platform then selects that platform */
  result = target_platform(cli, &v.target, cli->platform_name);
  if (result == CLI_DONE)
    result = vm_read_options(&v, argc, argv);
  if (result == CLI_DONE && !cli_platform(cli))
    result = CLI_USAGE;
  if (result == CLI_DONE)
    result = build_and_run(&v);
  devices_free(&v.devices);
  target_options_fini(&v.target);
  return result == VM_HELPED ? CLI_DONE : result;
}

const struct cli_command vm_command = {
    .name = "vm",
    .arguments = "[-- COMMAND [ARGUMENT...]]",
    .brief = "run a command under an unmodified Linux on the emulated machine",
    .run = run_vm,
    .platform = GUEST_DEFAULT_MODEL,
    .options = {{vm_options, NULL}, {target_input_options, NULL}, {target_shape_options, NULL}, {NULL, NULL}},
    .notes = "In the guest, `pmon-step [NS]` advances simulated time.\n"
             "Example: pmon vm -- perf stat -a -e uncore_cbox_0/event=0/ pmon-step 1000\n",
    .first = true,
};
