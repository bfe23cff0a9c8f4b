/* SPDX-License-Identifier: MIT */
/* Options of `pmon vm`. */
#include <errno.h>
#include <getopt.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include "cli/vm/command.h"
#include "machine/model.h"
#include "vm/qemu.h"
#include "vm/snapshot.h"

enum {
  CODE_MACHINE = CLI_OPTION_OWN,
  CODE_KERNEL,
  CODE_INITRD,
  CODE_MODULE,
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
  CODE_BASELINE,
  CODE_JSON,
  CODE_JUNIT,
  CODE_ARTIFACTS,
  CODE_GDB,
  CODE_SYMBOLS,
  CODE_SNAPSHOT,
  INSTRUCTION_NS_MOST = 1024
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

int vm_fail_model(struct cli *cli, const char *name)
{
  char names[80];
  model_names(MODELS_FOR_GUESTS, names, sizeof names);
  return cli_fail(cli, "-p %s: no guest can run on this platform; use -p %s", name, names);
}

/* The variable that a flag sets, or in which an option's text or number is stored. */
static bool *option_flag(struct vm_command *v, int code)
{
  switch (code) {
  case CODE_CHECK: return &v->check;
  case CODE_LENIENT: return &v->vm.lenient;
  case CODE_CONSOLE: return &v->console;
  default: return NULL;
  }
}

static const char **option_word(struct vm_command *v, int code)
{
  switch (code) {
  case CODE_BASELINE: return &v->baseline_path;
  case CODE_JSON: return &v->json_path;
  case CODE_JUNIT: return &v->junit_path;
  case CODE_SYMBOLS: return &v->symbols_path;
  case CODE_ARTIFACTS: return &v->artifacts_path;
  case CODE_LOG: return &v->log_path;
  case CODE_SNAPSHOT: return &v->vm.snapshot;
  case CODE_KERNEL: return &v->vm.kernel;
  case CODE_INITRD: return &v->vm.initrd;
  case CODE_MODULE: return &v->vm.module;
  case CODE_QEMU: return &v->vm.qemu;
  default: return NULL;
  }
}

/* Options with a number, its range, and the `unsigned` of struct vm_command in which it is stored. check_shape() knows
 * the largest number of processors. */
static const struct number_option {
  int code;
  const char *option, *expected;
  uint64_t least, most;
  size_t offset;
} number_options[] = {
    {CODE_GDB, "--gdb", "a port from 1 to 65535", 1, UINT16_MAX, offsetof(struct vm_command, vm.gdb_port)},
    {CODE_TIMEOUT, "--timeout", "a number of seconds from 1", 1, UINT32_MAX, offsetof(struct vm_command, vm.timeout_s)},
    {CODE_SOCKETS, "--sockets", "1 or 2", 1, KIND_SOCKETS, offsetof(struct vm_command, vm.shape.sockets)},
    {CODE_PROCESSORS, "--processors", "", 0, UINT32_MAX, offsetof(struct vm_command, vm.shape.running)}};

static const struct number_option *option_number(int code)
{
  for (size_t i = 0; i < sizeof number_options / sizeof *number_options; i++)
    if (number_options[i].code == code)
      return &number_options[i];
  return NULL;
}

static int take_number(struct vm_command *v, const struct number_option *o, const char *value)
{
  uint64_t number = 0;
  const int result = read_unsigned(v->cli, o->option, value, &number);
  if (result == CLI_DONE && (number < o->least || number > o->most))
    return cli_fail_value(v->cli, o->option, value, o->expected);
  *(unsigned *)(void *)((char *)v + o->offset) = (unsigned)number;
  v->processors |= o->code == CODE_PROCESSORS;
  return result;
}

static int take_with(struct vm_command *v, const char *path)
{
  if (v->n_with > WITH_MAX)
    return cli_fail(v->cli, "--with %s: more than %d programs; give fewer, or a folder", path, WITH_MAX);
  v->with[v->n_with++] = path;
  return CLI_DONE;
}

static int vm_take_option(struct vm_command *v, int code, const char *value)
{
  bool *const flag = option_flag(v, code);
  const char **const word = option_word(v, code);
  const struct number_option *const number = option_number(code);
  if (flag)
    *flag = true;
  if (word)
    *word = value;
  if (flag || word)
    return CLI_DONE;
  if (number)
    return take_number(v, number, value);
  switch (code) {
  case 'p':
  case CODE_MACHINE:
    v->cli->platform_name = value;
    return guest_kind_named(value) ? target_platform(v->cli, &v->target, value) : vm_fail_model(v->cli, value);
  case CODE_TRAFFIC: return vm_parse_traffic(v, value);
  case CODE_WITH: return take_with(v, value);
  case CODE_ACCESS_NS: return read_unsigned(v->cli, "--access-ns", value, &v->vm.access_ns);
  case CODE_INSTRUCTION_NS: return vm_parse_instruction_ns(v, value);
  default: return target_take(v->cli, &v->target, code, value);
  }
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

/* Rejects options that exclude each other, and a guest without a command and a file system. */
static int check_guest(const struct vm_command *v)
{
  const struct vm_options *vm = &v->vm;
  if (!vm->argv == !vm->initrd)
    return cli_fail(v->cli, vm->argv ? "--initrd: the guest runs the file system's init; omit the command"
                                     : "no input; add -- COMMAND, or --initrd FILE");
  if (vm->initrd && vm->module)
    return cli_fail(v->cli, "--module %s: with --initrd the guest's own init loads modules; omit --module", vm->module);
  if (vm->initrd && v->n_with > 1)
    return cli_fail(v->cli, "--with %s: with --initrd the guest has the files of that file system only; omit --with",
                    v->with[1]);
  return CLI_DONE;
}

/* A new snapshot would replace a file of another kind. */
static int check_snapshot(const struct vm_command *v)
{
  const char *path = v->vm.snapshot;
  char name[PATH_MAX];
  if (path && (v->vm.initrd || v->follow))
    return cli_fail(v->cli, "--snapshot %s: cannot be combined with --initrd or --traffic guest; omit it", path);
  const char *foreign = path ? snapshot_check(path, name) : NULL;
  if (!foreign)
    return CLI_DONE;
  return cli_fail(v->cli, "--snapshot %s: %s", foreign,
                  errno == EEXIST ? "the file exists and is not a guest snapshot; choose another name"
                                  : strerror(errno));
}

int vm_read_options(struct vm_command *v, int argc, char **argv)
{
  int c, result = CLI_DONE;
  optind = 0;
  while (result == CLI_DONE && (c = cli_getopt(v->cli, argc, argv)) != -1) {
    if (c == 'h') {
      cli_help(v->cli);
      return VM_HELPED;
    }
    result = c == '?' ? CLI_USAGE : vm_take_option(v, c, optarg);
  }
  if (result != CLI_DONE) /* an unreadable file is reported as a wrong option, because 1 would be taken for the
                             command's exit code */
    return CLI_USAGE;
  if (optind < argc)
    v->vm.argv = (const char *const *)argv + optind;
  result = check_guest(v);
  if (result == CLI_DONE)
    result = check_snapshot(v);
  if (result != CLI_DONE)
    return result;
  v->check |= v->baseline_path || v->json_path || v->junit_path || v->artifacts_path || v->symbols_path;
  v->vm.kind = model_of(&v->target.config)->guest;
  if (!v->vm.shape.sockets)
    v->vm.shape.sockets = v->target.capture ? (unsigned)v->target.config.value[CONFIG_SOCKETS] : 1;
  v->vm.shape.cores = (unsigned)v->target.config.value[CONFIG_CORES];
  return check_shape(v);
}

const struct cli_option vm_options[] = {
    {"traffic", CODE_TRAFFIC, "SOURCE",
     "guest: the guest's own memory accesses drive the machine; none (default); otherwise a scenario file", CLI_WORDS,
     "guest none"},
    {"access-ns", CODE_ACCESS_NS, "NS", "simulated time of a register access (default 0)", CLI_TEXT, NULL},
    {"instruction-ns", CODE_INSTRUCTION_NS, "NS",
     "the guest's clock advances by NS (1, 2, 4 ... 1024) for each instruction and skips idle time", CLI_TEXT, NULL},
    {"machine", CODE_MACHINE, "NAME", GUEST_HELP, CLI_WORDS, GUEST_WORDS},
    {"kernel", CODE_KERNEL, "FILE", "a kernel (default: Debian's, downloaded once)", CLI_FILE, NULL},
    {"module", CODE_MODULE, "FILE", "an uncore driver (intel-uncore.ko) to use instead of the kernel's", CLI_FILE,
     NULL},
    {"initrd", CODE_INITRD, "FILE", "a user-supplied file system, instead of a command", CLI_FILE, NULL},
    {"sockets", CODE_SOCKETS, "N", "sockets of the guest: 1 (default) or 2; with --capture, its packages", CLI_TEXT,
     NULL},
    {"processors", CODE_PROCESSORS, "N",
     "processors that run on each socket (default: 1, or what the kernel needs to use all units)", CLI_TEXT, NULL},
    {"with", CODE_WITH, "PATH",
     "copy a program, file or folder of this host to the guest; perf, msr-tools and pciutils are included", CLI_FILE,
     NULL},
    CLI_FLAG("check", CODE_CHECK, "check each access against the programming rules"),
    CLI_FLAG("lenient", CODE_LENIENT, "unknown MSRs read as 0, and reserved bits are ignored; without it both fault"),
    {"baseline", CODE_BASELINE, "FILE",
     "known violations and their reasons; others make the exit status 122 (implies --check)", CLI_FILE, NULL},
    {"json", CODE_JSON, "FILE", "write the result to FILE (implies --check)", CLI_NEW_FILE, NULL},
    {"junit", CODE_JUNIT, "FILE", "write the result to FILE as a JUnit report (implies --check)", CLI_NEW_FILE, NULL},
    {"artifacts", CODE_ARTIFACTS, "DIR",
     "save outputs, console, log, captures, findings and versions of the run in DIR (implies --check)", CLI_NEW_FILE,
     NULL},
    {"symbols", CODE_SYMBOLS, "FILE",
     "names of the kernel's functions: vmlinux or System.map (default: from the guest's /proc/kallsyms; implies "
     "--check)",
     CLI_FILE, NULL},
    {"snapshot", CODE_SNAPSHOT, "FILE|DIR",
     "start from the guest snapshot FILE, taken after the boot; FILE is created if it does not exist or is of another "
     "guest; DIR contains a snapshot for each guest (needs a QEMU built by vm/qemu/build.sh)",
     CLI_FILE, NULL},
    {"log", CODE_LOG, "FILE", "write every register access to FILE", CLI_NEW_FILE, NULL},
    CLI_FLAG("console", CODE_CONSOLE, "also print the kernel's messages"),
    {"gdb", CODE_GDB, "PORT",
     "let a debugger attach to the guest at this TCP port (needs a QEMU built by vm/qemu/build.sh)", CLI_TEXT, NULL},
    {"timeout", CODE_TIMEOUT, "SECONDS", "stop the guest after this time (default 300)", CLI_TEXT, NULL},
    {"qemu", CODE_QEMU, "PROGRAM",
     "QEMU to use (default: qemu-system-x86_64); one built by vm/qemu/build.sh also delivers overflow interrupts and "
     "names functions",
     CLI_FILE, NULL},
    CLI_OPTION_END,
};
