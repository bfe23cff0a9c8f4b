/* SPDX-License-Identifier: MIT */
/* The `pmon` command: the table of its subcommands, and what all of them share. */
#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include "cli/common/cli.h"
#include "cli/target/hardware.h"
#include "cli/target/privileges.h"
#include "cli/common/start.h"
#include "cli/target/target.h"

#define UNIT_HELP "  -u, --unit UNIT       only this unit (as listed by `pmon units`)\n"
#define JSON_HELP "      --json            one JSON object a line\n"

const struct cli_command cli_commands[] = {
    {"list", "[PATTERN...]", "events and umasks of a platform", cli_list,
     UNIT_HELP "      --code N          only events with this code\n"
               "      --counter N       only events that counter N can take\n" JSON_HELP
               "      --format FORMAT   text, json, or perf-json: an event file as Linux perf is built with\n"
               "PATTERN is part of a name or a word of the description; with * or ? a pattern of the whole name.\n"
               "Several patterns must all match.\n",
     false},
    {"search", "WORDS...", "events and metrics by what they tell, best first", cli_search,
     UNIT_HELP JSON_HELP "Example: pmon search read bandwidth\n", false},
    {"units", "[PATTERN]", "units, their instances and names elsewhere", cli_units, JSON_HELP, false},
    {"registers", "[PATTERN]", "registers: layouts, fields, addresses", cli_registers, UNIT_HELP JSON_HELP, false},
    {"metrics", "[PATTERN]", "derived metrics and their equations", cli_metrics, UNIT_HELP JSON_HELP, false},
    {"show", "NAME...", "all about one event, unit, register or metric", cli_show, NULL, false},
    {"encode", "EVENT...", "the register values that make the hardware count an event", cli_encode,
     "      --counter N       for this counter (default: the first that can take it)\n"
     "      --instance N      for this instance of the unit (default: the first that is meant)\n" JSON_HELP
     "Example: pmon encode cha/TOR_INSERTS.IA_MISS_DRD,thresh=4/\n",
     false},
    {"decode", "REGISTER=VALUE...", "what a register value says", cli_decode,
     JSON_HELP "REGISTER is a name (Cn_MSR_PMON_CTL0), unit and role (cha3.ctl0) or an address\n"
               "(0x2002, pci:30:1.0:0x318, mmio:MEM0+0x22840).\n",
     false},
    {"explain", "EVENT...", "the whole way from an event's text to register writes, cited", cli_explain, NULL, false},
    {"stat", "[-- COMMAND [ARGUMENT...]]", "what a command makes count: events and metrics per socket and in total",
     cli_stat,
     "  -e, --event LIST      events, separated by commas; {a,b}: only at the same time\n"
     "  -m, --metric LIST     metrics by name, or NAME=EQUATION (default, with no -e: what is usual there)\n"
     "  -I, --interval MS     tell the values every MS milliseconds\n"
     "      --every N,EVENT   tell the values each time EVENT has counted N on an instance\n"
     "  -r, --repeat N        N times: mean, its 95 % interval, deviation between the runs\n"
     "      --per-socket      each socket alone\n"
     "      --per-unit        each instance of the units alone\n"
     "      --sort KEY        value (largest first), name, given\n"
     "      --top N           the first N instances of each name, or the first N names\n"
     "      --csv, --json     for programs; JSON: one object a line\n"
     "      --color WHEN      auto (on terminals unless NO_COLOR is set), always, never\n"
     "  -o, --output FILE     into FILE instead of standard output\n" TARGET_HELP
     "      --backend NAME    what counts: perf (the kernel's driver), direct (registers; one kind: msr, pci, mmio),\n"
     "                        machine (emulated), replay; auto: the first of these that can\n"
     "      --dry-run         print every write, and make none\n"
     "      --force           take over what others have programmed; trust another processor's tables\n" HARDWARE_HELP
     "      --slice MS        how long a round counts when events take turns (default 1)\n"
     "      --freeze WHAT     what stands still while counters are read: global, box (unit by unit), ends (unit by\n"
     "                        unit, but not between intervals), none (default: global, else ends)\n"
     "      --verify MS       how often to look whether others changed control registers (default with -I: 1000; 0: "
     "at\n"
     "                        each reading)\n"
     "      --check           measure what the guides' invariants are about and judge every access by their rules\n"
     "                        (pmon machine rules); fail when one does not hold\n"
     "      --replay FILE     answer from the log that an earlier --log with the same options made\n"
     "      --record FILE     keep the counts, for pmon report\n"
     "      --journal[=FILE]  what the registers held, for pmon restore (in $XDG_RUNTIME_DIR, else in /run; kept\n"
     "                        unasked where the registers are this computer's)\n"
     "      --log FILE        every register access, one a line\n"
     "  -a, --all             whole sockets; uncore counters always do\n",
     false},
    {"sample", "--bundles FILE", "where misses and branches happen: addresses and latencies, every N-th time",
     cli_sample,
     "      --catch KIND[=WHICH]  what the processor's buffers catch (default: dcache):\n"
     "                        dcache[=CYCLES], dtlb[=WHO], alat, icache[=CYCLES], itlb[=WHO], branches[=WHICH],\n"
     "                        addresses[=CYCLES]\n"
     "  -e, --event EVENT     sample at counts of EVENT (default: of what is caught)\n"
     "  -c, --count N         at each N-th of them (default 100)\n"
     "      --top N           lines of a table (default 10)\n"
     "      --csv, --json     the samples themselves, one a line\n"
     "  -o, --output FILE     into FILE instead of standard output\n"
     "      --bundles FILE    what runs: retired bundles as docs/bundles.md describes them\n"
     "      --generate NAME[:BUNDLES[:SEED]]  or one made up: loops, calls, chase, stream, branches or mixed\n"
     "      --check           judge every access by the guide's rules for software\n"
     "      --journal[=FILE]  what the registers held, for pmon restore (default: in $XDG_RUNTIME_DIR)\n"
     "      --log FILE        every register access, one a line\n"
     "Example: pmon -p montecito sample --catch dcache=16 -c 10 --generate chase:20000\n",
     false},
    {"report", "FILE", "values from counts that pmon stat --record kept", cli_report,
     "  -e, --event LIST      these of the recorded events\n"
     "  -m, --metric LIST     metrics of recorded events, by name or NAME=EQUATION (default: those of the recording)\n"
     "  -I, --intervals       each recorded interval by itself\n"
     "      --per-socket, --per-unit, --sort KEY, --top N, --csv, --json, --color WHEN: as for\n"
     "                        pmon stat\n",
     false},
    {"restore", "[FILE...]", "what registers held before a session that was killed, given back", cli_restore,
     "      --backend NAME    where the registers are: direct (this computer's), machine (emulated), or auto, by the\n"
     "                        journal's name\n" HARDWARE_HELP
     "      --set NAME=VALUE, --preset NAME    the emulated machine's parameters\n"
     "FILE is a journal (pmon stat --journal); without one, all those in $XDG_RUNTIME_DIR, else in /run.\n",
     false},
    {"machine", "ACTION ... [-- COMMAND]", "the emulated machine: parameters, own account, traces, logs", cli_machine,
     "  describe              the machine's parameters and what they are set to\n"
     "  run                   lets it run and prints its own account of what happened\n"
     "                        --check: judges register accesses of a scenario or stream by the guide's rules\n"
     "                        --save-state FILE, --load-state FILE: all registers, as text\n"
     "  record -o FILE        writes the accesses of COMMAND to FILE; --zstd: compressed\n"
     "  check LOG             judges a log (pmon stat --log) by the guide's rules for software\n"
     "  rules                 those rules, with their places in the guide\n"
     "  replay LOG            makes the accesses of a log again and tells which answers differ\n"
     "  diff LOG LOG          where two logs differ\n"
     "  coverage              how the machine moves each event of the platform, and percentages by unit\n"
     "                        -u, --unit UNIT: of this unit alone; --totals: the percentages alone\n"
     "  mount DIR [COMMAND]   its MSRs as files, as /dev/cpu has them, and a root with PCI's configuration space in\n"
     "                        DIR/sys: for rdmsr, setpci, pmon --root DIR and others without a kernel\n" TARGET_HELP
         JSON_HELP "Example: pmon machine run --set cores=8 -- sort /etc/passwd\n",
     false},
    {"vm", "[-- COMMAND [ARGUMENT...]]", "an unmodified Linux on the emulated machine, and a command in it", cli_vm,
     "      --scenario FILE   what feeds the machine (also --trace FILE); in the guest, `pmon-step [NS]` lets it run\n"
     "      --traffic guest   the guest's own memory accesses feed it (none: nothing, the default; else a scenario)\n"
     "      --access-ns NS    simulated time that each register access takes (default 0)\n"
     "      --instruction-ns NS  the guest's clock goes by its instructions, NS (1, 2, 4 ... 1024) each, and skips\n"
     "                        waiting\n"
     "      --machine NAME    snbep, the E5-2600; emr, Emerald Rapids: with a QEMU that vm/qemu/build.sh made\n"
     "      --set NAME=VALUE  a parameter of the emulated machine (pmon machine describe lists them)\n"
     "      --kernel FILE     a kernel (default: Debian's, downloaded once)\n"
     "      --initrd FILE     a file system of your own, instead of a command\n"
     "      --sockets N       that the guest has: 1, the default, or 2\n"
     "      --processors N    that run on each socket (default: 1, or what the kernel needs to take all units)\n"
     "      --with PATH       a program, file or folder of this host, for the guest too; perf, msr-tools and pciutils\n"
     "                        are\n"
     "      --check           tell each access against the guide's rules\n"
     "      --log FILE        every register access, one a line\n"
     "      --console         the kernel's messages too\n"
     "      --timeout SECONDS after which the guest is given up (default 300)\n"
     "      --qemu PROGRAM    default: qemu-system-x86_64\n"
     "Example: pmon vm -- perf stat -a -e uncore_cbox_0/event=0/ pmon-step 1000\n",
     false},
    {"import", "FILE.json", "a platform of one's own, from an event file in Intel's format", cli_import,
     "  -o, --output OUT      a folder, or a file ending in .platform (default: here)\n"
     "      --name NAME       the platform's name (default: the file's)\n"
     "      --as PLATFORM     whose registers the units have: a platform, none, or a FILE.platform of pmon discover "
     "-o\n"
     "                        (default: the one that fits best)\n"
     "Example: pmon import events.json -o mine.platform\n",
     false},
    {"discover", "", "the units that the hardware says it has, beside the tables", cli_discover,
     "      --machine         of the emulated machine\n"
     "  -o, --output FILE     FILE.platform: the page as a platform of one's own, for a processor without facts\n"
     "      --repair FILE     FILE.platform: the platform, with the units that the page has otherwise where the page\n"
     "                        has them, and single units that differ from others of their type by "
     "themselves\n" JSON_HELP REPLAY_HELP HARDWARE_HELP,
     false},
    {"capture", "", "what a machine shows of its uncore, as a text that others can load", cli_capture,
     "  -o, --output FILE     into FILE instead of standard output\n"
     "      --machine         of the emulated machine\n"
     "      --capture FILE, --preset NAME, --set NAME=VALUE    of the emulated machine that these "
     "describe\n" REPLAY_HELP HARDWARE_HELP
     "In it: processor, packages, PCI functions, discovery pages, monitoring registers; no serial numbers, no names.\n"
     "pmon discover and doctor --replay FILE look at it, pmon stat --capture FILE measures on a machine like it.\n",
     false},
    {"doctor", "", "why something reads zero or fails: causes and remedies", cli_doctor, REPLAY_HELP HARDWARE_HELP,
     false},
    {"completion", "bash|zsh|fish", "a script that makes the shell complete names", cli_completion,
     "bash: eval \"$(pmon completion bash)\"; zsh: the same; fish: pmon completion fish | source\n", false},
    {"__complete", "WORDS...", "what the last of the words could become", cli_complete, NULL, true},
    {NULL, NULL, NULL, NULL, NULL, false},
};

static const char spellings_help[] =
    "Events are written\n"
    "  unit/EVENT.UMASK,attribute=value,.../   cha/TOR_INSERTS.IA_MISS_DRD,thresh=4/\n"
    "  unit3/... or unit0-7/...                some instances of the unit only\n"
    "  EVENT.UMASK                             where only one unit has it\n"
    "and also as Linux perf (uncore_cha/event=0x35,umask=0x1/), Intel's event files\n"
    "(UNC_CHA_TOR_INSERTS.IA_MISS_DRD), libpfm4 (spr_unc_cha0::UNC_CHA_CLOCKTICKS) and\n"
    "the guides (EVENT.UMASK{edge_det,thresh=0x1}) do. Case does not matter.\n";

static const char global_help[] =
    "  -p, --platform NAME   platform whose facts are meant (default: this host's, else emr);\n"
    "                        with a slash or ending in .platform: a file of one's own;\n"
    "                        NAME,FILE.met,...: with metrics, invariants, events of one's own\n"
    "  -h, --help            help on a command\n";

static void print_help(FILE *to)
{
  fputs("pmon: events, registers and counts of processor uncores\n\nusage: pmon [-p PLATFORM] COMMAND ...\n\n", to);
  for (const struct cli_command *c = cli_commands; c->name; c++)
    if (!c->hidden)
      fprintf(to, "  %-11s %s\n", c->name, c->brief);
  fprintf(to,
          "\n%s      --version         version\n      --color WHEN      auto (default), always, never\n\n%s\n"
          "Exit status: 0 done, 1 the measured thing failed, 2 usage or input error,\n"
          "3 no permission or no such hardware. Colour is for terminals; NO_COLOR in the environment,\n"
          "or --color never before the command: none; --color always: everywhere.\n",
          global_help, spellings_help);
}

static void print_command_help(const struct cli_command *c)
{
  printf("usage: pmon %s [-p PLATFORM] [OPTIONS] %s\n\n%s\n\n%s%s", c->name, c->arguments, c->brief, global_help,
         c->options ? c->options : "");
  if (strstr(c->arguments, "EVENT") || strcmp(c->name, "show") == 0)
    printf("\n%s", spellings_help);
}

void cli_help(const struct cli *cli)
{
  print_command_help(cli->command);
}

int cli_take_color(struct cli *cli, const char *when)
{
  bool always = strcmp(when, "always") == 0, automatic = strcmp(when, "auto") == 0;
  if (!always && !automatic && strcmp(when, "never") != 0)
    return cli_fail(cli, "--color \"%s\": expected auto, always or never", when);
  const bool wanted = automatic && !getenv("NO_COLOR");
  cli->out.color = always || (wanted && isatty(STDOUT_FILENO));
  cli->error_color = always || (wanted && isatty(STDERR_FILENO));
  return CLI_DONE;
}

int cli_fail(const struct cli *cli, const char *format, ...)
{
  va_list ap;
  fprintf(stderr, "pmon%s%s: ", cli->command ? " " : "", cli->command ? cli->command->name : "");
  va_start(ap, format);
  vfprintf(stderr, format, ap);
  va_end(ap);
  fputc('\n', stderr);
  return CLI_USAGE;
}

int cli_exit_code(int status)
{
  switch (status) {
  case PMON_OK: return CLI_DONE;
  case PMON_E_NO_DEVICE: return CLI_NO_HARDWARE;
  case PMON_E_MEMORY: return CLI_FAILED;
  default: return CLI_USAGE;
  }
}

int cli_fail_context(const struct cli *cli, const char *text)
{
  int status = pmon_context_error_status(cli->context);
  uint32_t column = pmon_context_error_column(cli->context);
  cli_fail(cli, "%s", pmon_context_error(cli->context));
  if (text && column)
    fprintf(stderr, "  %s\n  %*s\n", text, (int)column, "^");
  if (status == PMON_E_PERMISSION || status == PMON_E_NO_DEVICE)
    return CLI_NO_HARDWARE;
  return status == PMON_E_MEMORY || status == PMON_E_IO ? CLI_FAILED : CLI_USAGE;
}

int cli_unit(struct cli *cli, const struct cli_options *options, uint32_t *ret_unit)
{
  *ret_unit = UINT32_MAX;
  if (options->unit && pmon_unit_find(cli->platform, options->unit, ret_unit) != PMON_OK)
    return cli_fail_context(cli, options->unit);
  return 0;
}

unsigned cli_width(void)
{
  struct winsize size;
  const char *columns = getenv("COLUMNS");
  if (!isatty(STDOUT_FILENO))
    return 0;
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col >= 20)
    return size.ws_col;
  return columns && atoi(columns) >= 20 ? (unsigned)atoi(columns) : 80;
}

int cli_finish(struct cli *cli, int result)
{
  out_flush(&cli->out);
  if (cli->out.error) {
    fprintf(stderr, "pmon: cannot write standard output: %s\n", strerror(cli->out.error));
    return CLI_FAILED;
  }
  return result;
}

static const struct cli_command *find_command(const char *name)
{
  for (const struct cli_command *c = cli_commands; c->name; c++)
    if (strcmp(c->name, name) == 0)
      return c;
  return NULL;
}

static int run(struct cli *cli, int argc, char **argv)
{
  cli->command = find_command(argv[0]);
  if (!cli->command) {
    cli_fail(cli, "no command \"%s\"; `pmon --help` lists them", argv[0]);
    return CLI_USAGE;
  }
  if (pmon_context_new(&cli->context) != PMON_OK) {
    fputs("pmon: no memory\n", stderr);
    return CLI_FAILED;
  }
  int result = cli_finish(cli, cli->command->run(cli, argc, argv));
  pmon_context_free(cli->context);
  return result;
}

static int run_arguments(int argc, char **argv)
{
  static const struct option options[] = {
      {"platform", 1, NULL, 'p'}, {"help", 0, NULL, 'h'}, {"version", 0, NULL, 'V'},
      {"color", 1, NULL, 'C'},    {NULL, 0, NULL, 0},
  };
  static struct cli cli;
  int c;
  cli.out.fd = STDOUT_FILENO;
  cli_take_color(&cli, "auto");
  while ((c = cli_getopt(&cli, argc, argv, "+:p:h", options)) != -1) {
    switch (c) {
    case 'p': cli.platform_name = optarg; break;
    case 'C':
      if (cli_take_color(&cli, optarg) != CLI_DONE)
        return CLI_USAGE;
      break;
    case 'h': print_help(stdout); return CLI_DONE;
    case 'V': printf("pmon %s\n", pmon_version()); return CLI_DONE;
    default: return CLI_USAGE;
    }
  }
  if (optind == argc) {
    print_help(stderr);
    return CLI_USAGE;
  }
  if (strcmp(argv[optind], "help") == 0) {
    const struct cli_command *about = optind + 1 < argc ? find_command(argv[optind + 1]) : NULL;
    if (about)
      print_command_help(about);
    else
      print_help(stdout);
    return CLI_DONE;
  }
  return run(&cli, argc - optind, argv + optind);
}

int main(int argc, char **argv)
{
  start_open_standard_descriptors();
  privileges_lay_aside();
  start_handle_file_limit();
  return start_finish_output(run_arguments(argc, argv));
}
