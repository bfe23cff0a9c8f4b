/* SPDX-License-Identifier: MIT */
/* `pmon vm`: an unmodified Linux on the emulated machine, and a command in it. */
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "cli/common/cli.h"
#include "cli/common/findings.h"
#include "cli/target/devices.h"
#include "cli/target/target.h"
#include "machine/model.h"
#include "machine/trace/guest.h"
#include "machine/trace/launcher.h"
#include "machine/trace/workload.h"
#include "vm/kernel.h"
#include "vm/qemu.h"
#include "vm/vm.h"

enum {
  CODE_MACHINE = CLI_OPTION_OWN,
  CODE_KERNEL,
  CODE_INITRD,
  CODE_TRAFFIC,
  CODE_WITH,
  CODE_QEMU,
  CODE_TIMEOUT,
  CODE_ACCESS_NS,
  CODE_LOG,
  CODE_CONSOLE,
  CODE_SOCKETS,
  CODE_PROCESSORS,
  CODE_INSTRUCTION_NS,
  CODE_CHECK,
  CODE_LENIENT,
  HELPED = -1,
  WITH_MAX = 32,
  TIMEOUT_S = 300,
  INSTRUCTION_NS_MOST = 1024
};

struct vm_command {
  struct cli *cli;
  struct target_options target;
  struct vm_options vm;
  struct device_list devices;     /* of the scenario and the capture */
  const char *with[WITH_MAX + 2]; /* the first is this program */
  unsigned n_with;
  const char *log_path;
  char plugin[PATH_MAX];
  FILE *log;
  struct checker *checker;
  bool console, check, follow, processors; /* processors: --processors was given */
};

static int read_unsigned(struct cli *cli, const char *option, const char *text, uint64_t *ret)
{
  char *end;
  errno = 0;
  *ret = strtoull(text, &end, 0);
  return *text && *text != '-' && !*end && !errno && *ret <= UINT32_MAX ? CLI_DONE
                                                                        : cli_fail_value(cli, option, text, "a number");
}

static int vm_parse_traffic(struct vm_command *v, const char *value)
{
  char error[256];
  v->follow = !strcmp(value, "guest");
  if (v->follow) /* the guest's addresses are already physical */
    return machine_config_parse(&v->target.config, "map=identity", error, sizeof error) ? CLI_USAGE : CLI_DONE;
  if (!strcmp(value, "none"))
    return v->target.scenario ? cli_fail(v->cli, "--traffic none: a scenario is also given; omit one of them")
                              : CLI_DONE;
  return target_take(v->cli, &v->target, TARGET_SCENARIO, value);
}

static int vm_parse_instruction_ns(struct vm_command *v, const char *value)
{
  uint64_t ns = 0;
  int result = read_unsigned(v->cli, "--instruction-ns", value, &ns);
  if (result == CLI_DONE && (!ns || ns & (ns - 1) || ns > INSTRUCTION_NS_MOST))
    result = cli_fail(v->cli, "invalid value \"%s\" for --instruction-ns; expected a power of two from 1 to %d", value,
                      INSTRUCTION_NS_MOST);
  v->vm.instruction_ns = ns;
  return result;
}

static int fail_model(struct cli *cli, const char *name)
{
  char names[80];
  model_names(MODELS_FOR_GUESTS, names, sizeof names);
  return cli_fail(cli, "-p %s: no guest can run on this platform; use -p %s", name, names);
}

static int vm_take_option(struct vm_command *v, int code, const char *value)
{
  uint64_t number = 0;
  int result = CLI_DONE;
  switch (code) {
  case CODE_CHECK: v->check = true; break;
  case CODE_LENIENT: v->vm.lenient = true; break;
  case 'p':
  case CODE_MACHINE:
    v->cli->platform_name = value;
    return guest_kind_named(value) ? target_platform(v->cli, &v->target, value) : fail_model(v->cli, value);
  case CODE_KERNEL: v->vm.kernel = value; break;
  case CODE_INITRD: v->vm.initrd = value; break;
  case CODE_TRAFFIC: return vm_parse_traffic(v, value);
  case CODE_WITH:
    if (v->n_with > WITH_MAX)
      return cli_fail(v->cli, "--with %s: more than %d programs; name fewer, or a folder", value, WITH_MAX);
    v->with[v->n_with++] = value;
    break;
  case CODE_QEMU: v->vm.qemu = value; break;
  case CODE_TIMEOUT:
    result = read_unsigned(v->cli, "--timeout", value, &number);
    v->vm.timeout_s = (unsigned)number;
    break;
  case CODE_ACCESS_NS: return read_unsigned(v->cli, "--access-ns", value, &v->vm.access_ns);
  case CODE_INSTRUCTION_NS: return vm_parse_instruction_ns(v, value);
  case CODE_SOCKETS:
    result = read_unsigned(v->cli, "--sockets", value, &number);
    v->vm.shape.sockets = (unsigned)number;
    if (result == CLI_DONE && (!number || number > KIND_SOCKETS))
      result = cli_fail(v->cli, "invalid value \"%s\" for --sockets; expected 1 or 2", value);
    break;
  case CODE_PROCESSORS:
    result = read_unsigned(v->cli, "--processors", value, &number);
    v->vm.shape.running = (unsigned)number;
    v->processors = true;
    break;
  case CODE_LOG: v->log_path = value; break;
  case CODE_CONSOLE: v->console = true; break;
  default: return target_take(v->cli, &v->target, code, value);
  }
  return result;
}

static int check_shape(struct vm_command *v)
{
  const struct guest_shape *s = &v->vm.shape;
  if (s->sockets > v->target.config.value[CONFIG_SOCKETS])
    return cli_fail(v->cli, "--sockets %u: the machine has only one socket; omit --sockets", s->sockets);
  if (v->processors && (!s->running || s->running > s->cores))
    return cli_fail(v->cli, "invalid value \"%u\" for --processors; expected a number from 1 to %u", s->running,
                    s->cores);
  /* pmon's init brings the other processors online. */
  if (v->vm.instruction_ns && v->vm.initrd && (s->sockets > 1 || s->running > 1))
    return cli_fail(v->cli,
                    "--instruction-ns: with --initrd the guest has one processor; omit --sockets and --processors");
  return CLI_DONE;
}

static int vm_read_options(struct vm_command *v, int argc, char **argv)
{
  int c, result = CLI_DONE;
  optind = 0;
  while (result == CLI_DONE && (c = cli_getopt(v->cli, argc, argv)) != -1) {
    if (c == 'h') {
      cli_help(v->cli);
      return HELPED;
    }
    result = c == '?' ? CLI_USAGE : vm_take_option(v, c, optarg);
  }
  if (result != CLI_DONE)
    return result;
  if (optind < argc)
    v->vm.argv = (const char *const *)argv + optind;
  if (!v->vm.argv == !v->vm.initrd)
    return cli_fail(v->cli, v->vm.argv ? "--initrd: the guest runs the file system's init; omit the command"
                                       : "no input; add -- COMMAND, or --initrd FILE");
  if (v->vm.initrd && v->n_with > 1)
    return cli_fail(v->cli, "--with %s: with --initrd the guest has the files of that file system only; omit --with",
                    v->with[1]);
  v->vm.kind = model_of(&v->target.config)->guest;
  if (!v->vm.shape.sockets)
    v->vm.shape.sockets = v->target.capture ? (unsigned)v->target.config.value[CONFIG_SOCKETS] : 1;
  v->vm.shape.cores = (unsigned)v->target.config.value[CONFIG_CORES];
  return check_shape(v);
}

static void vm_on_output(void *user, enum vm_stream stream, const char *bytes, size_t n)
{
  struct vm_command *v = user;
  if (stream == VM_OUTPUT || (stream == VM_CONSOLE && v->vm.initrd)) {
    fwrite(bytes, 1, n, stdout);
    fflush(stdout);
  } else if (stream == VM_ERRORS || stream == VM_REPORT || v->console)
    fwrite(bytes, 1, n, stderr);
}

static void on_line(void *user, const char *line)
{
  fprintf(user, "%s\n", line);
}

/* Wraps the backend for checking and logging; the caller closes it in any case. */
static int vm_watch(struct vm_command *v)
{
  struct pmon_backend *wrapped;
  if (v->check) {
    if (check_new(v->cli->platform, &v->checker) || check_backend_new(v->vm.backend, v->checker, &wrapped))
      return cli_fail_memory(v->cli);
    v->vm.backend = wrapped;
  }
  if (!v->log_path)
    return CLI_DONE;
  if (!(v->log = fopen(v->log_path, "we"))) {
    cli_fail(v->cli, "%s: %s", v->log_path, strerror(errno));
    return CLI_FAILED;
  }
  if (pmon_backend_trace_new(v->vm.backend, on_line, v->log, &wrapped))
    return cli_fail_memory(v->cli);
  v->vm.backend = wrapped;
  pmon_backend_trace_note(wrapped, "platform", v->vm.kind->name);
  return CLI_DONE;
}

/* Violations are reported, but are no failure: the guest's software is not pmon's. */
static int vm_command_run(struct vm_command *v)
{
  char error[512] = "";
  struct vm_result result;
  int status = vm_run(&v->vm, error, sizeof error, &result);
  if (status)
    cli_fail(v->cli, "%s", error);
  else if (v->log && fflush(v->log)) {
    cli_fail(v->cli, "%s: %s", v->log_path, strerror(errno));
    return CLI_FAILED;
  }
  if (v->checker)
    findings_print(v->cli, v->checker);
  if (!status)
    return result.exit_code;
  return status == PMON_E_NO_DEVICE ? CLI_NO_HARDWARE : status == PMON_E_INVALID ? CLI_USAGE : CLI_FAILED;
}

/* The guest is the machine's workload. */
static int attach_guest(struct vm_command *v, struct machine *m, char *error, size_t error_size)
{
  const uint64_t *c = v->target.config.value;
  struct machine_workload *workload;
  struct placement *placement;
  int status;
  if (!(v->vm.plugin = launch_plugin(NULL, v->plugin, sizeof v->plugin))) {
    snprintf(error, error_size,
             "--traffic guest: pmon-trace.so, QEMU's plugin, is not where pmon was built or "
             "installed");
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

/* The target's machine if it has a workload, else an idle one. */
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
  return status == PMON_E_NO_DEVICE ? CLI_NO_HARDWARE : CLI_FAILED;
}

/* Before the machine takes the scenario over. */
static int vm_find_devices(struct vm_command *v)
{
  enum { ROOT_PORT = 1 }; /* where the facts do not say */
  struct pmon_unit_info unit;
  if (!devices_of_scenario(&v->target.scene, v->cli->platform, &v->devices) ||
      (v->target.capture && !devices_of_capture(v->target.capture, &v->devices)))
    return cli_fail_memory(v->cli);
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
  v->vm.backend = target.backend;
  v->vm.cache = cache;
  v->vm.programs = v->with;
  v->vm.output = vm_on_output;
  v->vm.user = v;
  result = vm_watch(v);
  if (result == CLI_DONE)
    result = vm_command_run(v);
  v->vm.cache = NULL; /* these end here */
  v->vm.cpu = NULL;
  target.backend = v->vm.backend; /* closed with its wrappers */
  target_close(&target);
  if (v->log)
    fclose(v->log);
  check_free(v->checker);
  return result;
}

static const struct cli_option vm_options[] = {
    {"traffic", CODE_TRAFFIC, "SOURCE",
     "guest: the guest's own memory accesses drive the machine; none (default); else a scenario file", CLI_WORDS,
     "guest none"},
    {"access-ns", CODE_ACCESS_NS, "NS", "simulated time of a register access (default 0)", CLI_TEXT, NULL},
    {"instruction-ns", CODE_INSTRUCTION_NS, "NS",
     "the guest's clock advances by NS (1, 2, 4 ... 1024) for each instruction and skips idle time", CLI_TEXT, NULL},
    {"machine", CODE_MACHINE, "NAME", GUEST_HELP, CLI_WORDS, GUEST_WORDS},
    {"kernel", CODE_KERNEL, "FILE", "a kernel (default: Debian's, downloaded once)", CLI_FILE, NULL},
    {"initrd", CODE_INITRD, "FILE", "a user-supplied file system, instead of a command", CLI_FILE, NULL},
    {"sockets", CODE_SOCKETS, "N", "sockets of the guest: 1 (default) or 2; with --capture, its packages", CLI_TEXT,
     NULL},
    {"processors", CODE_PROCESSORS, "N",
     "processors that run on each socket (default: 1, or what the kernel needs to use all units)", CLI_TEXT, NULL},
    {"with", CODE_WITH, "PATH",
     "copy a program, file or folder of this host to the guest; perf, msr-tools and pciutils are there already",
     CLI_FILE, NULL},
    CLI_FLAG("check", CODE_CHECK, "check each access against the programming rules"),
    CLI_FLAG("lenient", CODE_LENIENT, "unknown MSRs read as 0, and reserved bits are ignored: without it both fault"),
    {"log", CODE_LOG, "FILE", "write every register access to FILE", CLI_FILE, NULL},
    CLI_FLAG("console", CODE_CONSOLE, "print the kernel's messages, too"),
    {"timeout", CODE_TIMEOUT, "SECONDS", "stop the guest after this time (default 300)", CLI_TEXT, NULL},
    {"qemu", CODE_QEMU, "PROGRAM", "default: qemu-system-x86_64", CLI_FILE, NULL},
    CLI_OPTION_END,
};

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
    return fail_model(cli, cli->platform_name);
  target_options_init(&v.target);
  v.target.followed = !named; /* a capture or preset of another platform selects that one */
  result = target_platform(cli, &v.target, cli->platform_name);
  if (result == CLI_DONE)
    result = vm_read_options(&v, argc, argv);
  if (result == CLI_DONE && !cli_platform(cli))
    result = CLI_USAGE;
  if (result == CLI_DONE)
    result = build_and_run(&v);
  devices_free(&v.devices);
  target_options_fini(&v.target);
  return result == HELPED ? CLI_DONE : result;
}

const struct cli_command vm_command = {
    .name = "vm",
    .arguments = "[-- COMMAND [ARGUMENT...]]",
    .brief = "run a command under an unmodified Linux on the emulated machine",
    .run = run_vm,
    .options = {{vm_options, NULL}, {target_input_options, NULL}, {target_shape_options, NULL}, {NULL, NULL}},
    .notes = "In the guest, `pmon-step [NS]` lets simulated time pass.\n"
             "Example: pmon vm -- perf stat -a -e uncore_cbox_0/event=0/ pmon-step 1000\n",
    .first = true,
};
