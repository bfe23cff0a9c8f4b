/* SPDX-License-Identifier: MIT */
/* Options of `pmon vm`. */
#include <errno.h>
#include <getopt.h>
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

static int vm_take_option(struct vm_command *v, int code, const char *value)
{
  uint64_t number = 0;
  int result = CLI_DONE;
  switch (code) {
  case CODE_CHECK: v->check = true; break;
  case CODE_LENIENT: v->vm.lenient = true; break;
  case CODE_BASELINE: v->baseline_path = value; break;
  case CODE_JSON: v->json_path = value; break;
  case CODE_JUNIT: v->junit_path = value; break;
  case CODE_SYMBOLS: v->symbols_path = value; break;
  case CODE_ARTIFACTS: v->artifacts_path = value; break;
  case CODE_SNAPSHOT: v->vm.snapshot = value; break;
  case CODE_GDB:
    result = read_unsigned(v->cli, "--gdb", value, &number);
    v->vm.gdb_port = (unsigned)number;
    if (result == CLI_DONE && (!number || number > UINT16_MAX))
      result = cli_fail_value(v->cli, "--gdb", value, "a port from 1 to 65535");
    break;
  case 'p':
  case CODE_MACHINE:
    v->cli->platform_name = value;
    return guest_kind_named(value) ? target_platform(v->cli, &v->target, value) : vm_fail_model(v->cli, value);
  case CODE_KERNEL: v->vm.kernel = value; break;
  case CODE_INITRD: v->vm.initrd = value; break;
  case CODE_MODULE: v->vm.module = value; break;
  case CODE_TRAFFIC: return vm_parse_traffic(v, value);
  case CODE_WITH:
    if (v->n_with > WITH_MAX)
      return cli_fail(v->cli, "--with %s: more than %d programs; give fewer, or a folder", value, WITH_MAX);
    v->with[v->n_with++] = value;
    break;
  case CODE_QEMU: v->vm.qemu = value; break;
  case CODE_TIMEOUT:
    result = read_unsigned(v->cli, "--timeout", value, &number);
    v->vm.timeout_s = (unsigned)number;
    if (result == CLI_DONE && !number)
      result = cli_fail_value(v->cli, "--timeout", value, "a number of seconds from 1");
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
  if (!v->vm.argv == !v->vm.initrd)
    return cli_fail(v->cli, v->vm.argv ? "--initrd: the guest runs the file system's init; omit the command"
                                       : "no input; add -- COMMAND, or --initrd FILE");
  if (v->vm.initrd && v->vm.module)
    return cli_fail(v->cli, "--module %s: with --initrd the guest's own init loads modules; omit --module",
                    v->vm.module);
  if (v->vm.initrd && v->n_with > 1)
    return cli_fail(v->cli, "--with %s: with --initrd the guest has the files of that file system only; omit --with",
                    v->with[1]);
  if (v->vm.snapshot && (v->vm.initrd || v->follow))
    return cli_fail(v->cli, "--snapshot %s: cannot be combined with --initrd or --traffic guest; omit it",
                    v->vm.snapshot);
  v->check |= v->baseline_path || v->json_path || v->junit_path || v->artifacts_path || v->symbols_path;
  v->vm.kind = model_of(&v->target.config)->guest;
  char name[PATH_MAX];
  const char *foreign = v->vm.snapshot ? snapshot_check(v->vm.snapshot, name) : NULL;
  if (foreign) /* a new snapshot would replace the file */
    return cli_fail(v->cli, "--snapshot %s: %s", foreign,
                    errno == EEXIST ? "the file exists and is not a guest snapshot; choose another name"
                                    : strerror(errno));
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
