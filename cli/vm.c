/* SPDX-License-Identifier: MIT */
/* `pmon vm`: an unmodified Linux on the emulated machine, and a command in it. */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "cli/cli.h"
#include "cli/target.h"
#include "machine/violation.h"
#include "vm/kernel.h"
#include "vm/vm.h"

enum { CODE_MACHINE = 256, CODE_KERNEL, CODE_INITRD, CODE_TRAFFIC, CODE_WITH, CODE_QEMU, CODE_TIMEOUT, CODE_ACCESS_NS,
       CODE_LOG, CODE_CONSOLE, HELPED = -1, WITH_MAX = 32, TIMEOUT_S = 300 };

struct vm_command {
  struct cli *cli;
  struct target_options target;
  struct vm_options vm;
  const char *with[WITH_MAX + 2];           /* the first is this program */
  unsigned n_with;
  const char *log_path;
  FILE *log;
  bool console, check;
};

static int read_unsigned(struct cli *cli, const char *option, const char *text, uint64_t *ret)
{
  char *end;
  errno = 0;
  *ret = strtoull(text, &end, 0);
  return *text && *text != '-' && !*end && !errno && *ret <= UINT32_MAX
             ? CLI_DONE : cli_fail(cli, "%s %s: a number is expected", option, text);
}

static int take_traffic(struct vm_command *v, const char *value)
{
  if (!strcmp(value, "none"))
    return v->target.scenario ? cli_fail(v->cli, "--traffic none, and a scenario") : CLI_DONE;
  return target_take(v->cli, &v->target, TARGET_SCENARIO, value);
}

static int take(struct vm_command *v, int code, const char *value)
{
  uint64_t number = 0;
  int result = CLI_DONE;
  switch (code) {
  case 'c': v->check = true; break;
  case CODE_MACHINE:
    if (strcmp(value, "snbep"))
      return cli_fail(v->cli, "--machine %s: with QEMU as it is packaged there is snbep only; docs/vm.md says why", value);
    break;
  case CODE_KERNEL: v->vm.kernel = value; break;
  case CODE_INITRD: v->vm.initrd = value; break;
  case CODE_TRAFFIC: return take_traffic(v, value);
  case CODE_WITH:
    if (v->n_with > WITH_MAX)
      return cli_fail(v->cli, "--with: at most %d programs", WITH_MAX);
    v->with[v->n_with++] = value;
    break;
  case CODE_QEMU: v->vm.qemu = value; break;
  case CODE_TIMEOUT:
    result = read_unsigned(v->cli, "--timeout", value, &number);
    v->vm.timeout_s = (unsigned)number;
    break;
  case CODE_ACCESS_NS: return read_unsigned(v->cli, "--access-ns", value, &v->vm.access_ns);
  case CODE_LOG: v->log_path = value; break;
  case CODE_CONSOLE: v->console = true; break;
  default: return target_take(v->cli, &v->target, code, value);
  }
  return result;
}

static int read_options(struct vm_command *v, int argc, char **argv)
{
  static const struct option options[] = {
    { "machine", 1, NULL, CODE_MACHINE }, { "kernel", 1, NULL, CODE_KERNEL }, { "initrd", 1, NULL, CODE_INITRD },
    { "traffic", 1, NULL, CODE_TRAFFIC }, { "with", 1, NULL, CODE_WITH }, { "qemu", 1, NULL, CODE_QEMU },
    { "timeout", 1, NULL, CODE_TIMEOUT }, { "access-ns", 1, NULL, CODE_ACCESS_NS }, { "log", 1, NULL, CODE_LOG },
    { "console", 0, NULL, CODE_CONSOLE }, { "check", 0, NULL, 'c' }, { "help", 0, NULL, 'h' }, TARGET_OPTIONS,
    { NULL, 0, NULL, 0 },
  };
  int c, result = CLI_DONE;
  optind = 0;
  while (result == CLI_DONE && (c = getopt_long(argc, argv, "+h", options, NULL)) != -1) {
    if (c == 'h') {
      cli_help(v->cli);
      return HELPED;
    }
    result = c == '?' ? CLI_USAGE : take(v, c, optarg);
  }
  if (result != CLI_DONE)
    return result;
  if (optind < argc)
    v->vm.argv = (const char *const *)argv + optind;
  if (!v->vm.argv == !v->vm.initrd)
    return cli_fail(v->cli, v->vm.argv ? "with --initrd the guest runs what that has, and no command"
                                       : "give a command after --, or a file system of your own with --initrd");
  if (v->target.config.value[CONFIG_PLATFORM] != 1)
    return cli_fail(v->cli, "only the E5-2600 (snbep) can be shown to a guest; docs/vm.md says why");
  return CLI_DONE;
}

static void on_output(void *user, enum vm_stream stream, const char *bytes, size_t n)
{
  struct vm_command *v = user;
  if (stream == VM_OUTPUT || (stream == VM_CONSOLE && v->vm.initrd)) {
    fwrite(bytes, 1, n, stdout);
    fflush(stdout);
  } else if (stream == VM_ERRORS || v->console)
    fwrite(bytes, 1, n, stderr);
}

/* The lines of `pmon stat --log`. */
static void on_access(void *user, const struct bus_access *a)
{
  struct vm_command *v = user;
  unsigned long long now = machine_now_fs(v->vm.machine) / 1000000, at = a->address.offset, value = a->value;
  if (!v->log)
    return;
  if (a->address.space == PMON_SPACE_MSR)
    fprintf(v->log, "%llu %s %u msr 0x%llx %u 0x%llx\n", now, a->write ? "write" : "read", a->address.package, at,
            a->address.width_bits, value);
  else
    fprintf(v->log, "%llu %s %u pci:%u:%u.%u:0x%llx %u 0x%llx\n", now, a->write ? "write" : "read", a->address.package,
            a->address.device >> 8, a->address.device >> 3 & 31, a->address.device & 7, at, a->address.width_bits, value);
}

static void tell_violations(const struct vm_command *v)
{
  const struct machine_violation *list;
  size_t n = machine_violations(v->vm.machine, &list);
  for (size_t i = 0; i < n; i++)
    fprintf(stderr, "pmon vm: %s.%s: 0x%llx written, at fault 0x%llx: %s (%s)\n", list[i].name, list[i].field,
            (unsigned long long)list[i].value, (unsigned long long)list[i].bits, list[i].rule, list[i].section);
  fprintf(stderr, "pmon vm: %llu accesses against the guide's rules\n",
          (unsigned long long)machine_violations_total(v->vm.machine));
}

static int run(struct vm_command *v, struct machine *m, const char *cache)
{
  char error[512] = "";
  struct vm_result result;
  v->vm.machine = m;
  v->vm.cores = (unsigned)v->target.config.value[CONFIG_CORES];
  v->vm.cache = cache;
  v->vm.programs = v->with;
  v->vm.output = on_output;
  v->vm.access = on_access;
  v->vm.user = v;
  if (v->log_path && !(v->log = fopen(v->log_path, "w"))) {
    cli_fail(v->cli, "%s: %s", v->log_path, strerror(errno));
    return CLI_FAILED;
  }
  int status = vm_run(&v->vm, error, sizeof error, &result);
  if (v->log && fclose(v->log) && !status) {
    cli_fail(v->cli, "%s: %s", v->log_path, strerror(errno));
    return CLI_FAILED;
  }
  if (v->check)
    tell_violations(v);
  if (!status)
    return result.exit_code;
  cli_fail(v->cli, "%s", error);
  return status == PMON_E_NO_DEVICE ? CLI_NO_HARDWARE : CLI_FAILED;
}

static int build_and_run(struct vm_command *v)
{
  char cache[512], error[512] = "";
  struct target target;
  struct machine *m = NULL;
  int result;
  if (!kernel_cache_folder(cache, sizeof cache))
    return cli_fail(v->cli, "neither XDG_CACHE_HOME nor HOME says where a kernel may be kept");
  if (v->target.scenario || v->target.trace) {
    result = target_check(v->cli, &v->target);
    if (result == CLI_DONE)
      result = target_open(v->cli, &v->target, &target);
    if (result != CLI_DONE)
      return result;
    result = run(v, target.machine, cache);
    target_close(&target);
    return result;
  }
  if (machine_new(&v->target.config, error, sizeof error, &m))
    return cli_fail(v->cli, "%s", error);
  result = run(v, m, cache);
  machine_free(m);
  return result;
}

int cli_vm(struct cli *cli, int argc, char **argv)
{
  struct vm_command v = { .cli = cli, .vm = { .timeout_s = TIMEOUT_S }, .with = { "/proc/self/exe" }, .n_with = 1 };
  int result;
  target_options_init(&v.target);
  result = target_platform(cli, &v.target, "snbep");
  if (result == CLI_DONE)
    result = read_options(&v, argc, argv);
  if (result == CLI_DONE)
    result = build_and_run(&v);
  target_options_fini(&v.target);
  return result == HELPED ? CLI_DONE : result;
}
