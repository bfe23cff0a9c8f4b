/* SPDX-License-Identifier: MIT */
/* `pmon bench-tool`: runs a tool in a guest in which known things happen, and compares its numbers with them. */
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include "cli/bench/child.h"
#include "cli/bench/tool.h"
#include "cli/common/paths.h"
#include "machine/model.h"

enum {
  CODE_BENCH = CLI_OPTION_OWN,
  CODE_VALUE,
  CODE_SCENARIO,
  CODE_WITH,
  CODE_SOCKETS,
  CODE_VM,
  CODE_QEMU,
  CODE_JSON_FILE,
  CODE_JUNIT,
  CODE_ARTIFACTS,
  CODE_TIMEOUT,
  ARGUMENTS = 160,
  TOOL_PATH = PATH_MAX + 32
};

struct tool_run {
  struct cli *cli;
  struct bench_tool tool;
  const char *json, *junit, *artifacts, *scenario;
  char **argv; /* the command; NULL: that of the bench file */
  char folder[PATH_MAX];
  int exit_code;
};

static int tool_take_pair(struct tool_run *r, const char *option, const char *value)
{
  char text[PATH_MAX + 80];
  snprintf(text, sizeof text, "option %s %s", option, value);
  return tool_parse(r->cli, option, text, &r->tool);
}

static int tool_take_line(struct tool_run *r, const char *word, const char *value)
{
  char text[PATH_MAX + 80];
  snprintf(text, sizeof text, "%s %s", word, value);
  return tool_parse(r->cli, word, text, &r->tool);
}

static int tool_load(struct tool_run *r, const char *path)
{
  int result = path_check_read(r->cli, "--bench", path);
  if (result != CLI_DONE)
    return result;
  char *text = folder_read(path);
  result = !text    ? cli_fail_memory(r->cli)
           : !*text ? cli_fail(r->cli, "--bench %s: the file is empty", path)
                    : tool_parse(r->cli, path, text, &r->tool);
  free(text);
  return result;
}

static int tool_take_option(struct tool_run *r, int code, const char *value)
{
  switch (code) {
  case 'p': return tool_take_line(r, "platform", value);
  case CODE_BENCH: return tool_load(r, value);
  case CODE_VALUE: return tool_add_value(r->cli, "--value", value, &r->tool);
  case CODE_SCENARIO: r->scenario = value; break;
  case CODE_WITH: return tool_take_line(r, "with", value);
  case CODE_SOCKETS: return tool_take_pair(r, "--sockets", value);
  case CODE_QEMU: return tool_take_pair(r, "--qemu", value);
  case CODE_TIMEOUT: return tool_take_pair(r, "--timeout", value);
  case CODE_VM: return tool_take_line(r, "option", value);
  case CODE_JSON_FILE: r->json = value; break;
  case CODE_JUNIT: r->junit = value; break;
  case CODE_ARTIFACTS: r->artifacts = value; break;
  default: return CLI_USAGE;
  }
  return CLI_DONE;
}

static void write_scenario(const void *user, struct out *out)
{
  const struct bench_tool *t = user;
  for (unsigned i = 0; i < t->scenario.n; i++) {
    out_text(out, t->scenario.text[i]);
    out_char(out, '\n');
  }
}

/* Fills the arguments of `pmon vm`; scenario NULL: none. False: too many. */
static bool tool_arguments(const struct tool_run *r, const char *scenario, const char *argv[ARGUMENTS])
{
  const struct bench_tool *t = &r->tool;
  unsigned n = 0, command = 0;
  while (r->argv && r->argv[command])
    command++;
  if (12 + t->options.n + 2 * t->with.n + command > ARGUMENTS)
    return false;
  argv[n++] = "pmon";
  argv[n++] = "-p";
  argv[n++] = t->platform ? t->platform : GUEST_DEFAULT_MODEL;
  argv[n++] = "vm";
  if (scenario) {
    argv[n++] = "--scenario";
    argv[n++] = scenario;
  }
  for (unsigned i = 0; i < t->options.n; i++)
    if (*t->options.text[i]) /* an option without a value */
      argv[n++] = t->options.text[i];
  for (unsigned i = 0; i < t->with.n; i++) {
    argv[n++] = "--with";
    argv[n++] = t->with.text[i];
  }
  argv[n++] = "--";
  for (unsigned i = 0; i < command; i++)
    argv[n++] = r->argv[i];
  if (!r->argv) {
    argv[n++] = "sh";
    argv[n++] = "-c";
    argv[n++] = t->command;
  }
  argv[n] = NULL;
  return true;
}

static int tool_start(struct tool_run *r, struct child_watch *w)
{
  char scenario[TOOL_PATH], output[TOOL_PATH], errors[TOOL_PATH];
  const char *argv[ARGUMENTS];
  int status = 0;
  snprintf(scenario, sizeof scenario, "%s/scenario", r->folder);
  snprintf(output, sizeof output, "%s/output", r->folder);
  snprintf(errors, sizeof errors, "%s/errors", r->folder);
  if (!tool_arguments(r, r->scenario ? r->scenario : r->tool.scenario.n ? scenario : NULL, argv))
    return cli_fail(r->cli, "more than %d arguments; put the command into a script", ARGUMENTS);
  int result = r->scenario ? CLI_DONE : folder_save(r->cli, scenario, write_scenario, &r->tool);
  if (result != CLI_DONE)
    return result;
  pid_t pid = child_start(argv, output, errors);
  if (pid < 0)
    return cli_fail(r->cli, "no process for a guest: %s", strerror(errno));
  if (child_wait(w, &status) < 0) {
    cli_fail(r->cli, "waiting for the guest: %s", w->ended_by ? "interrupted" : strerror(errno));
    children_end(&pid, 1);
    return CLI_FAILED;
  }
  r->exit_code = child_exit_code(status);
  return CLI_DONE;
}

/* Returns the text of a file of the folder; NULL: no memory. */
static char *tool_read(const struct tool_run *r, const char *name)
{
  char path[TOOL_PATH];
  snprintf(path, sizeof path, "%s/%s", r->folder, name);
  return folder_read(path);
}

/* Judges both outputs of the command, one after the other, if it ran. False: no memory. */
static bool tool_judge_outputs(struct tool_run *r, const char **ret_failure)
{
  char *output = tool_read(r, "output"), *errors = tool_read(r, "errors"), *both = NULL;
  const bool good = output && errors && asprintf(&both, "%s\n%s", output, errors) >= 0;
  if (good) {
    *ret_failure = child_failure(r->exit_code, errors);
    tool_judge(&r->tool, *ret_failure ? "" : both);
    if (*ret_failure || !tool_passed(&r->tool))
      cli_write_error(both, strlen(both));
    free(both);
  }
  free(output);
  free(errors);
  return good;
}

static int tool_report(struct tool_run *r)
{
  const char *failure = NULL;
  if (!tool_judge_outputs(r, &failure))
    return cli_fail_memory(r->cli);
  const bool passed = tool_passed(&r->tool) && !failure;
  if (failure)
    cli_fail(r->cli, "%s (exit code %d of the guest)", failure, r->exit_code);
  else if (r->exit_code)
    cli_fail(r->cli, "the tool's exit code is %d", r->exit_code);
  tool_write_text(&r->tool, &r->cli->out);
  int result = r->json ? folder_save(r->cli, r->json, tool_write_json, &r->tool) : CLI_DONE;
  if (result == CLI_DONE && r->junit)
    result = folder_save(r->cli, r->junit, tool_write_junit, &r->tool);
  return result != CLI_DONE ? result : passed ? CLI_DONE : CLI_FAILED;
}

static int tool_check(struct tool_run *r, int argc, char **argv)
{
  if (optind < argc)
    r->argv = argv + optind;
  if (!r->argv && !r->tool.command)
    return cli_fail(r->cli, "no input; add --bench FILE, or -- COMMAND");
  if (r->argv && r->tool.command)
    return cli_fail(r->cli, "%s: the bench file has a command, too; omit one of them", r->argv[0]);
  if (!r->tool.n)
    return cli_fail(r->cli, "no expected value; add --value 'NAME COUNT TOLERANCE REGEX'");
  if (r->scenario && r->tool.scenario.n)
    return cli_fail(r->cli, "--scenario %s: the bench file has a scenario, too; omit one of them", r->scenario);
  int result = path_check_read(r->cli, "--scenario", r->scenario);
  if (result == CLI_DONE)
    result = path_check_write(r->cli, "--json", r->json);
  return result == CLI_DONE ? path_check_write(r->cli, "--junit", r->junit) : result;
}

static int run_bench_tool(struct cli *cli, int argc, char **argv)
{
  static struct tool_run r;
  int c, result = CLI_DONE;
  r.cli = cli;
  optind = 0;
  while (result == CLI_DONE && (c = cli_getopt(cli, argc, argv)) != -1) {
    if (c == 'h') {
      cli_help(cli);
      tool_free(&r.tool);
      return CLI_DONE;
    }
    result = tool_take_option(&r, c, optarg);
  }
  if (result == CLI_DONE && cli->platform_name && !r.tool.platform)
    result = tool_take_line(&r, "platform", cli->platform_name);
  if (result == CLI_DONE)
    result = tool_check(&r, argc, argv);
  if (result == CLI_DONE) {
    struct child_watch watch;
    child_watch(&watch); /* before there is a folder to remove */
    result = folder_open(cli, r.artifacts, r.folder);
    const bool opened = result == CLI_DONE;
    if (opened)
      result = tool_start(&r, &watch);
    if (result == CLI_DONE)
      result = tool_report(&r);
    if (opened && !r.artifacts)
      folder_remove(r.folder);
    child_unwatch(&watch);
  }
  tool_free(&r.tool);
  return result;
}

static const struct cli_option bench_tool_options[] = {
    {"bench", CODE_BENCH, "FILE", "a file with command, scenario and expected values (docs/bench.md)", CLI_FILE, NULL},
    {"value", CODE_VALUE, "'NAME COUNT TOLERANCE REGEX'",
     "a number in the tool's output, and its expected value: reads 100 1% 'RD +([0-9]+)'", CLI_TEXT, NULL},
    {"scenario", CODE_SCENARIO, "FILE", "a scenario with the activity on the machine", CLI_FILE, NULL},
    {"with", CODE_WITH, "PATH", "as in pmon vm: a program, file or folder to copy into the guest", CLI_FILE, NULL},
    {"sockets", CODE_SOCKETS, "N", "as in pmon vm", CLI_TEXT, NULL},
    {"vm", CODE_VM, "'--OPTION VALUE'", "another option of pmon vm", CLI_TEXT, NULL},
    {"json", CODE_JSON_FILE, "FILE", "write the values to FILE", CLI_NEW_FILE, NULL},
    {"junit", CODE_JUNIT, "FILE", "write the values to FILE as a JUnit report", CLI_NEW_FILE, NULL},
    {"artifacts", CODE_ARTIFACTS, "DIR", "save the scenario and both outputs in DIR", CLI_NEW_FILE, NULL},
    {"timeout", CODE_TIMEOUT, "SECONDS", "time limit of the guest (default 300)", CLI_TEXT, NULL},
    {"qemu", CODE_QEMU, "PROGRAM", "as in pmon vm", CLI_FILE, NULL},
    CLI_OPTION_END,
};

const struct cli_command bench_tool_command = {
    .name = "bench-tool",
    .arguments = "[-- COMMAND [ARGUMENT...]]",
    .brief = "compare a measuring tool's numbers with known counts",
    .run = run_bench_tool,
    .platform = GUEST_DEFAULT_MODEL,
    .options = {{bench_tool_options, NULL}, {NULL, NULL}},
    .notes = "Exit status: 0 all values are right or known wrong, 1 one is not, 2 usage error.\n"
             "Example: pmon bench-tool --scenario mine.scn --value 'cycles 2700 1% ([0-9]+)' \\\n"
             "           -- perf stat -a -e uncore_cbox_0/event=0/ pmon-step 1000\n",
    .first = true,
};
