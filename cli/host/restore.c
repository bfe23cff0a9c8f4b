/* SPDX-License-Identifier: MIT */
/* `pmon restore`: restores the registers of a session that was killed. */
#include <errno.h>
#include <getopt.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "cli/host/leftovers.h"
#include "cli/target/target.h"

enum { CODE_BACKEND = CLI_OPTION_OWN, CODE_ROOT };

/* The emulated machine or the host to which the journals belong. */
struct restore {
  struct cli *cli;
  struct target_options target;
  struct hardware hardware;
  bool machine, direct; /* selected by options; if neither is set, the journal's name decides */
  bool configured;      /* the machine, by --preset or --set */
  bool platform_given;
};

bool journal_default_path(char *path, size_t size, const char *name)
{
  const char *folder = getenv("XDG_RUNTIME_DIR");
  if (!folder || *folder != '/')
    folder = access("/run", W_OK) ? NULL : "/run";
  return folder && (size_t)snprintf(path, size, "%s/pmon-%s.journal", folder, name) < size;
}

/* Determines the backend of a journal: --backend, else the name that `pmon stat` assigned to the journal, else the
 * machine if this host has no uncore counters. Returns CLI_USAGE if it remains unknown. */
static int restore_find_owner(const struct restore *r, const char *path, bool *ret_machine)
{
  const char *name = strrchr(path, '/'), *known;
  name = name ? name + 1 : path;
  *ret_machine = r->machine || (!r->direct && (strncmp(name, "pmon-", 5) || !strncmp(name, "pmon-machine-", 13)));
  if (r->machine || r->direct || !strncmp(name, "pmon-", 5) || !hardware_known(r->cli, &r->hardware, &known))
    return CLI_DONE;
  return cli_fail(r->cli, "%s: the access method is unknown; add --backend direct or --backend machine", path);
}

static int restore_through(struct restore *r, struct pmon_backend **backend, struct pmon_journal *journal,
                           const char *path)
{
  struct pmon_backend *allowed;
  uint32_t n = 0;
  if (pmon_backend_allow_new(*backend, r->cli->platform, &allowed))
    return cli_fail_memory(r->cli);
  *backend = allowed;
  if (pmon_journal_restore(journal, allowed, &n))
    return cli_fail_registers(r->cli);
  cli_note(r->cli, "%s: %u register%s restored", path, n, n == 1 ? "" : "s");
  return CLI_DONE;
}

/* Selects the journal's platform; -p only loads the files of a user-supplied platform. */
static int restore_take_platform(struct restore *r, const struct pmon_journal *journal, const char *path)
{
  const struct pmon_platform *platform = pmon_journal_platform(journal);
  struct pmon_platform_info info = {.size = sizeof info};
  if (!platform) /* an incomplete journal: nothing is written */
    return cli_platform(r->cli) ? CLI_DONE : CLI_USAGE;
  pmon_platform_describe(platform, &info);
  if (r->platform_given && r->cli->platform != platform && *info.content)
    return cli_fail(r->cli, "%s: the journal is of another platform than -p %s", path, r->cli->platform_name);
  if (r->cli->platform != platform)
    r->cli->platform_name = info.name;
  r->cli->platform = platform;
  return CLI_DONE;
}

/* Checks that this processor is of the journal's platform: on another one the registers can have other meanings. */
static int restore_check_host(const struct restore *r, const char *path)
{
  struct pmon_platform_info info = {.size = sizeof info};
  const char *known;
  if (!hardware_known(r->cli, &r->hardware, &known) || hardware_is_host(r->cli, &r->hardware) ||
      pmon_platform_describe(r->cli->platform, &info))
    return hardware_check(r->cli, &r->hardware);
  cli_fail(r->cli,
           "%s is a journal of platform %s, and this processor is of platform %s; restore it on the host that wrote it",
           path, info.name, known);
  return CLI_NO_HARDWARE;
}

/* Opens the machine, which is of the journal's platform unless options chose another. */
static int restore_open_machine(struct restore *r, struct target *target)
{
  struct pmon_platform_info info = {.size = sizeof info};
  int result = CLI_DONE;
  if (!machine_config_has_platform(&r->target.config) && !pmon_platform_describe(r->cli->platform, &info))
    result = target_platform(r->cli, &r->target, info.base);
  return result == CLI_DONE ? target_open_idle(r->cli, &r->target, target) : result;
}

/* Restores one journal's registers through a machine of the configured shape, or on the host. */
static int restore_journal(struct restore *r, struct pmon_journal *journal, const char *path)
{
  struct target target = {0};
  bool machine = r->machine;
  int result = restore_take_platform(r, journal, path);
  if (result == CLI_DONE)
    result = restore_find_owner(r, path, &machine);
  if (result == CLI_DONE && !machine)
    result = restore_check_host(r, path);
  if (result == CLI_DONE)
    result = machine ? restore_open_machine(r, &target) : hardware_open(r->cli, &r->hardware, &target.backend);
  if (result != CLI_DONE) {
    cli_note(r->cli, "%s: kept; its registers were not restored", path);
    return result;
  }
  result = restore_through(r, &target.backend, journal, path);
  target_close(&target);
  return result;
}

/* Restores one journal. `found`: the file was found in a folder; if its session has removed it since, this is no
 * error. */
static int restore_one(struct restore *r, const char *path, bool found)
{
  struct pmon_journal *journal = NULL;
  if (pmon_journal_open(r->cli->context, path, &journal))
    return found && access(path, F_OK) && errno == ENOENT ? CLI_DONE : cli_fail_file(r->cli);
  const int result = restore_journal(r, journal, path);
  pmon_journal_close(journal);
  return result;
}

/* Restores all journals in the user's runtime folder. */
static int restore_all(struct restore *r)
{
  char pattern[400];
  glob_t found = {0};
  int result = CLI_DONE;
  if (!journal_default_path(pattern, sizeof pattern, "*"))
    return cli_fail(
        r->cli,
        "no default folder for journals: XDG_RUNTIME_DIR is not set, and /run is not writable; use pmon restore FILE");
  leftovers_remove(r->cli, pattern, true);
  if (glob(pattern, 0, NULL, &found) || !found.gl_pathc)
    cli_note(r->cli, "%s: no journal found; nothing to restore", pattern);
  for (size_t i = 0; i < found.gl_pathc; i++) {
    const bool machine = strstr(found.gl_pathv[i], "/pmon-machine-") != NULL;
    const int one = (machine ? r->direct : r->machine) ? CLI_DONE : restore_one(r, found.gl_pathv[i], true);
    result = result ? result : one;
  }
  globfree(&found);
  return result;
}

static int restore_parse_backend(struct restore *r, const char *name)
{
  r->machine = !strcmp(name, "machine");
  r->direct = !strcmp(name, "direct");
  if (r->machine || r->direct || !strcmp(name, "auto"))
    return CLI_DONE;
  return cli_fail_word(r->cli, "--backend", name, "auto direct machine");
}

/* Checks the options: those of the machine select it, and contradict those of the host. */
static int restore_check_options(struct restore *r)
{
  if (r->direct && r->configured)
    return cli_fail(
        r->cli,
        "--backend direct: --preset and --set apply to the emulated machine; use --backend machine, or omit them");
  r->machine |= r->configured;
  if (r->machine && r->hardware.root)
    return cli_fail(r->cli, "--root: %s; use --backend direct, or omit --root",
                    r->configured ? "--preset and --set apply to the emulated machine, which has no files"
                                  : "the emulated machine of --backend machine has no files");
  return CLI_DONE;
}

static int restore_read_options(struct restore *r, int argc, char **argv, bool *ret_help)
{
  int c, result = CLI_DONE;
  optind = 0;
  r->platform_given = r->cli->platform_name != NULL;
  while (result == CLI_DONE && (c = cli_getopt(r->cli, argc, argv)) != -1) {
    if (c == 'h') {
      cli_help(r->cli);
      *ret_help = true;
      return CLI_DONE;
    }
    if (c == 'p') {
      r->cli->platform_name = optarg;
      r->platform_given = true;
    } else if (c == CODE_BACKEND) {
      result = restore_parse_backend(r, optarg);
    } else if (c == CODE_ROOT) {
      result = hardware_take_root(r->cli, &r->hardware, optarg);
    } else {
      result = c == TARGET_SET || c == TARGET_PRESET ? target_take(r->cli, &r->target, c, optarg) : CLI_USAGE;
      r->configured = true;
    }
  }
  return result == CLI_DONE ? restore_check_options(r) : result;
}

static const struct cli_option restore_options[] = {
    {"backend", CODE_BACKEND, "NAME",
     "access method: direct (this host's registers), machine (emulated), or auto, by the journal's name", CLI_WORDS,
     "auto direct machine"},
    {"root", CODE_ROOT, "DIR", "read the system's files below DIR instead of /", CLI_FILE, NULL},
    CLI_OPTION_END,
};

static int run_restore(struct cli *cli, int argc, char **argv)
{
  struct restore r = {.cli = cli};
  bool help = false;
  target_options_init(&r.target);
  hardware_init(&r.hardware, NULL);
  int result = restore_read_options(&r, argc, argv, &help);
  if (result == CLI_DONE && !help && r.platform_given && !cli_platform(cli))
    result = CLI_USAGE;
  if (result == CLI_DONE && !help && optind >= argc)
    result = restore_all(&r);
  for (int i = optind; result == CLI_DONE && !help && i < argc; i++) {
    leftovers_remove(cli, argv[i], false);
    result = *argv[i] ? restore_one(&r, argv[i], false) : cli_fail_no_file(cli);
  }
  hardware_fini(&r.hardware);
  target_options_fini(&r.target);
  return result;
}

const struct cli_command restore_command = {
    .name = "restore",
    .arguments = "[FILE...]",
    .brief = "restore registers after a session that was killed",
    .run = run_restore,
    .options = {{restore_options, NULL}, {target_preset_options, NULL}, {NULL, NULL}},
    .notes = "FILE is a journal (pmon stat --journal); without one, all journals in\n"
             "$XDG_RUNTIME_DIR, else in /run. Files of sessions that were killed while they\n"
             "wrote their journal (JOURNAL.new-XXXXXX) are also removed, except a complete one\n"
             "whose JOURNAL does not exist.\n",
    .value = CLI_FILE,
};
