/* SPDX-License-Identifier: MIT */
#include "cli/exporter/config.h"
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "cli/common/groups.h"
#include "cli/common/one_value.h"
#include "cli/exporter/exporter.h"
#include "cli/stat/plan.h"

#define ADDRESS "localhost:9738"
#define OTLP_INTERVAL_NS UINT64_C(10000000000)
enum { INTERVAL_NS = 1000000000 };

enum config_key {
  CONFIG_LISTEN,
  CONFIG_WEB,
  CONFIG_BACKEND,
  CONFIG_INTERVAL,
  CONFIG_SLICE,
  CONFIG_OTLP,
  CONFIG_OTLP_INTERVAL,
  CONFIG_METRICS,
  CONFIG_GROUPS,
  CONFIG_EVENTS
};
static const struct setting_rule config_rules[] = {[CONFIG_LISTEN] = {"listen", false},
                                                   [CONFIG_WEB] = {"web-config", false},
                                                   [CONFIG_BACKEND] = {"backend", false},
                                                   [CONFIG_INTERVAL] = {"interval", false},
                                                   [CONFIG_SLICE] = {"slice", false},
                                                   [CONFIG_OTLP] = {"otlp.endpoint", false},
                                                   [CONFIG_OTLP_INTERVAL] = {"otlp.interval", false},
                                                   [CONFIG_METRICS] = {"metrics", true},
                                                   [CONFIG_GROUPS] = {"groups", true},
                                                   [CONFIG_EVENTS] = {"events", true},
                                                   {NULL, false}};

/* Takes a time of the file, unless the command line gives it. */
static int config_take_time(struct cli *cli, const struct exporter_config *c, enum config_key key, uint64_t *ns)
{
  const struct setting *item = settings_next(&c->settings, key, NULL);
  char place[512];
  uint64_t parsed = 0;
  if (!item)
    return CLI_DONE;
  const int result = stat_time_parse(cli, settings_place(&c->settings, item, place, sizeof place), item->text, &parsed);
  *ns = *ns ? *ns : parsed;
  return result;
}

/* Loads the web configuration; a path in the file is relative to the file's folder. */
static int config_take_web(struct cli *cli, const struct exporter_given *given, struct exporter_config *c)
{
  const char *path = given->web ? given->web : settings_text(&c->settings, CONFIG_WEB);
  if (!path)
    return CLI_DONE;
  const char *slash = given->web || *path == '/' ? NULL : strrchr(given->config, '/');
  if (asprintf(&c->web_path, "%.*s%s", slash ? (int)(slash - given->config) + 1 : 0, slash ? given->config : "", path) <
      0) {
    c->web_path = NULL;
    return cli_fail_memory(cli);
  }
  char place[512];
  if (!given->web && access(c->web_path, R_OK))
    return cli_fail(cli, "%s: %s: %s",
                    settings_place(&c->settings, settings_next(&c->settings, CONFIG_WEB, NULL), place, sizeof place),
                    c->web_path, strerror(errno));
  const int result = exporter_web_load(cli, c->web_path, &c->web);
  c->has_web = result == CLI_DONE;
  return result;
}

/* Takes the address of the command line, of the file, or the default. */
static void config_take_address(const struct exporter_given *given, struct exporter_config *c)
{
  const struct setting *item = given->address ? NULL : settings_next(&c->settings, CONFIG_LISTEN, NULL);
  c->address = given->address ? given->address : item ? item->text : ADDRESS;
  if (item)
    settings_place(&c->settings, item, c->address_option, sizeof c->address_option);
  else
    snprintf(c->address_option, sizeof c->address_option, "--listen");
}

static int config_take_otlp(struct cli *cli, const struct exporter_given *given, struct exporter_config *c)
{
  const struct setting *item = given->otlp ? NULL : settings_next(&c->settings, CONFIG_OTLP, NULL);
  char place[512];
  c->otlp = given->otlp ? given->otlp : item ? item->text : NULL;
  const struct setting *alone = c->otlp ? NULL : settings_next(&c->settings, CONFIG_OTLP_INTERVAL, NULL);
  if (alone)
    return cli_fail(cli, "%s: otlp has no endpoint; add one, or give --otlp URL",
                    settings_place(&c->settings, alone, place, sizeof place));
  if (!c->otlp || !strncmp(c->otlp, "http://", 7) || !strncmp(c->otlp, "https://", 8))
    return CLI_DONE;
  return cli_fail_value(cli, item ? settings_place(&c->settings, item, place, sizeof place) : "--otlp", c->otlp,
                        "a URL such as http://localhost:4318/v1/metrics");
}

static int config_take_backend(struct cli *cli, const struct exporter_given *given, struct exporter_config *c)
{
  static const char words[] = "auto perf direct machine";
  const struct setting *item = settings_next(&c->settings, CONFIG_BACKEND, NULL);
  char place[512];
  snprintf(c->access_option, sizeof c->access_option, "%s", given->access_method ? "--backend" : "backend");
  if (!item)
    return CLI_DONE;
  for (const char *word = words; word; word = strchr(word, ' ')) {
    word += *word == ' ';
    if (strcspn(word, " ") == strlen(item->text) && !strncmp(word, item->text, strlen(item->text))) {
      c->access_method = c->access_method ? c->access_method : item->text;
      if (!given->access_method)
        settings_place(&c->settings, item, c->access_option, sizeof c->access_option);
      return CLI_DONE;
    }
  }
  return cli_fail_word(cli, settings_place(&c->settings, item, place, sizeof place), item->text, words);
}

int exporter_config_make(struct cli *cli, const struct exporter_given *given, struct exporter_config *ret)
{
  *ret = (struct exporter_config){
      .access_method = given->access_method, .interval_ns = given->interval_ns, .slice_ns = given->slice_ns};
  int result = given->config ? settings_load(cli, given->config, config_rules, &ret->settings) : CLI_DONE;
  if (result != CLI_DONE)
    return result;
  config_take_address(given, ret);
  result = config_take_time(cli, ret, CONFIG_INTERVAL, &ret->interval_ns);
  if (result == CLI_DONE)
    result = config_take_time(cli, ret, CONFIG_SLICE, &ret->slice_ns);
  if (result == CLI_DONE)
    result = config_take_time(cli, ret, CONFIG_OTLP_INTERVAL, &ret->otlp_interval_ns);
  ret->interval_ns = ret->interval_ns ? ret->interval_ns : INTERVAL_NS;
  ret->otlp_interval_ns = ret->otlp_interval_ns ? ret->otlp_interval_ns : OTLP_INTERVAL_NS;
  if (result == CLI_DONE)
    result = config_take_otlp(cli, given, ret);
  if (result == CLI_DONE)
    result = config_take_backend(cli, given, ret);
  if (result == CLI_DONE)
    result = config_take_web(cli, given, ret);
  if (result != CLI_DONE)
    exporter_config_fini(ret);
  return result;
}

const char *exporter_config_method(const struct exporter_config *c)
{
  return c->access_method ? c->access_method : "auto";
}

bool exporter_config_changes_method(const struct exporter_config *c, const struct stat_run *s, const char *chosen)
{
  const char *wanted = exporter_config_method(c);
  const char *found = !s->source.host ? "machine" : strcmp(s->names.backend, "perf") ? "direct" : "perf";
  const bool finds_machine = !strcmp(wanted, "auto") && !s->source.host;
  return !finds_machine && strcmp(wanted, chosen) && strcmp(wanted, found);
}

/* Adds the platform's group for this command, or else its default metrics. */
static int plan_add_default_series(struct stat_run *s)
{
  static const char *const groups[] = {"EXPORTER", "DEFAULT"};
  for (size_t i = 0; i < sizeof groups / sizeof *groups; i++)
    if (groups_has(s->cli, groups[i]))
      return stat_wanted_add(s->cli, &s->source.hardware, &s->wanted, 'g', groups[i]);
  return cli_fail(s->cli, "this platform has no default series; give -m, -g or -e");
}

/* Prints the context's error with its position in the file. list: the text that was added, of this or several lines. */
static int fail_list(const struct cli *cli, const struct settings *settings, const struct setting *item,
                     const char *list)
{
  const uint32_t at = strcmp(list, item->text) ? 0 : pmon_context_error_column(cli->context);
  return cli_fail(cli, "%s:%u:%u: %s", settings->path, item->line, item->column + (at ? at - 1 : 0),
                  pmon_context_error(cli->context));
}

/* Adds the lists of the file. Equations can use those of later lines by name. */
static int plan_add_lists(struct stat_run *s, const struct settings *settings)
{
  const struct setting *first = NULL; /* first of the lines that wait for later ones */
  char *waiting = NULL;
  int result = CLI_DONE;
  static int (*const add[])(struct pmon_plan *, const char *) = {[CONFIG_METRICS] = pmon_plan_add_metrics,
                                                                 [CONFIG_GROUPS] = pmon_plan_add_metric_groups,
                                                                 [CONFIG_EVENTS] = pmon_plan_add_events};
  for (enum config_key key = CONFIG_METRICS; key <= CONFIG_EVENTS; key++)
    for (const struct setting *item = NULL; result == CLI_DONE && (item = settings_next(settings, key, item));) {
      if (!add[key](s->wanted.plan, item->text)) {
        if (key == CONFIG_METRICS)
          one_value_warn(s->cli, item->text);
        continue;
      }
      if (key != CONFIG_METRICS || !stat_wanted_defer(s->cli, &waiting, item->text))
        result = fail_list(s->cli, settings, item, item->text);
      else if (!first)
        first = item;
    }
  if (result == CLI_DONE && waiting && pmon_plan_add_metrics(s->wanted.plan, waiting))
    result = fail_list(s->cli, settings, first, waiting);
  free(waiting);
  return result;
}

int exporter_config_plan(struct stat_run *s, const struct exporter_given *given, struct exporter_config *c)
{
  if (given->wanted)
    return CLI_DONE;
  struct pmon_plan *const before = s->wanted.plan;
  bool lists = false;
  for (enum config_key key = CONFIG_METRICS; key <= CONFIG_EVENTS; key++)
    lists |= settings_text(&c->settings, key) != NULL;
  s->wanted.plan = NULL;
  s->wanted.given = true;
  int result =
      pmon_plan_new(s->cli->context, s->cli->platform, &s->wanted.plan) ? cli_fail_context(s->cli, NULL) : CLI_DONE;
  if (result == CLI_DONE)
    result = lists ? plan_add_lists(s, &c->settings) : plan_add_default_series(s);
  if (result == CLI_DONE)
    result = stat_make_plan(s);
  if (result == CLI_DONE)
    c->plan = s->wanted.plan;
  else
    pmon_plan_free(s->wanted.plan);
  s->wanted.plan = before;
  return result;
}

void exporter_config_fini(struct exporter_config *c)
{
  if (c->has_web)
    exporter_web_fini(&c->web);
  settings_fini(&c->settings);
  free(c->web_path);
  pmon_plan_free(c->plan);
  *c = (struct exporter_config){.web_path = NULL};
}

static volatile sig_atomic_t config_hangups;

static void config_on_hangup(int number)
{
  (void)number;
  config_hangups = 1;
}

int exporter_config_await_hangups(void)
{
  const struct sigaction action = {.sa_handler = config_on_hangup, .sa_flags = SA_RESTART}; /* files are being read */
  sigaction(SIGHUP, &action, NULL);
  return CLI_DONE;
}

bool exporter_config_take_hangup(void)
{
  const bool come = config_hangups != 0;
  config_hangups = 0;
  return come;
}
