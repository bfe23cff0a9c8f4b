/* SPDX-License-Identifier: MIT */
/* The exporter's configuration, from its options and its configuration file: made at the start, and again at SIGHUP. */
#ifndef CLI_EXPORTER_CONFIG_H
#define CLI_EXPORTER_CONFIG_H

#include "cli/exporter/settings.h"
#include "cli/exporter/web.h"
#include "cli/stat/run.h"

/* Values of the command line, which override those of the file. */
struct exporter_given {
  const char *config, *address, *web, *otlp, *access_method; /* NULL: not given */
  uint64_t interval_ns, slice_ns;                            /* 0: not given */
  bool wanted;                                               /* -e or -m */
};

struct exporter_config {
  struct settings settings;
  char *web_path;
  struct exporter_web web;
  bool has_web;
  struct pmon_plan *plan;                     /* NULL: the plan of the options */
  const char *address, *access_method, *otlp; /* otlp: the URL of a collector; NULL: none */
  char address_option[512];                   /* source of the address: --listen, or its place in the file */
  char access_option[512]; /* source of the access method: --backend, or its place and key in the file */
  uint64_t interval_ns, slice_ns, otlp_interval_ns;
};

/* Reads the file, if one is given, and resolves its names. CLI_DONE; else an exit code after printing an error with
 * file, line and column, and there is nothing to free. */
int exporter_config_make(struct cli *cli, const struct exporter_given *given, struct exporter_config *ret);
/* The access method that the configuration chooses. */
const char *exporter_config_method(const struct exporter_config *c);
/* Whether it differs from the method in effect: the one that was `chosen` at the start, or that `auto` has found. With
 * an input, `auto` finds the machine. */
bool exporter_config_changes_method(const struct exporter_config *c, const struct stat_run *s, const char *chosen);
/* Resolves names into c->plan, once platform and host are known. Results as above. */
int exporter_config_plan(struct stat_run *s, const struct exporter_given *given, struct exporter_config *c);
void exporter_config_fini(struct exporter_config *c);

/* From now on, SIGHUP requests that the files are read again, also before they have been read the first time. CLI_DONE.
 * exporter_config_take_hangup(): whether it has come since the previous call. */
int exporter_config_await_hangups(void);
bool exporter_config_take_hangup(void);

#endif
