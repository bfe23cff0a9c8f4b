/* SPDX-License-Identifier: MIT */
/*
 * `pmon exporter`: counters for Prometheus. exporter.c has the options and the measurement, totals.c what was counted
 * so far, format.c the texts, serve.c HTTP.
 */
#ifndef CLI_EXPORTER_EXPORTER_H
#define CLI_EXPORTER_EXPORTER_H

#include <pmon/report.h>
#include <pthread.h>
#include "cli/common/cli.h"

/* A series of the table (series.inc), or of -e and -m. */
struct exporter_series {
  const char *name, *source, *label, *fixed, *help;
};
extern const struct exporter_series exporter_table[];
extern const uint32_t exporter_table_size;

enum exporter_kind { EXPORTER_RATE, EXPORTER_COUNT, EXPORTER_GAUGE };

/* One time series. */
struct exporter_sample {
  const struct exporter_series *series; /* NULL: an event or metric that was asked for by name */
  char *name, *unit, *of;               /* of the report's row */
  uint32_t package, instance;           /* PMON_ALL: none */
  enum exporter_kind kind;
  double value, variance; /* the total, or the last value of a gauge */
  bool valid;
  char reason[163];
};

/* What was counted so far. The measurement adds to it, requests read it, both with the lock held. */
struct exporter_totals {
  pthread_mutex_t lock;
  struct exporter_sample *samples;
  uint32_t n;
  uint64_t intervals, scrapes;
  double seconds, read_seconds; /* measured time; processor time of the measurement */
  bool ended;                   /* nothing more is counted */
  const char *platform, *backend, *machine, *package;
};

/* Adds the report of an interval. False: no memory. */
bool totals_add(struct exporter_totals *t, const struct pmon_report *report, double seconds, double cpu_seconds);
void totals_fini(struct exporter_totals *t);

enum exporter_format { EXPORTER_PROMETHEUS, EXPORTER_OPENMETRICS, EXPORTER_JSON };
/* The text of all series, which the caller frees; NULL: no memory. The lock is taken. */
char *exporter_format(struct exporter_totals *t, enum exporter_format format, size_t *ret_size);

struct exporter_server;
/* Serves on an address: HOST:PORT, [HOST]:PORT, :PORT, unix:PATH, or the socket of systemd. NULL after printing an
 * error.
 */
struct exporter_server *exporter_serve(struct cli *cli, const char *address, struct exporter_totals *totals);
/* Ends it after its open requests; NULL is allowed. */
void exporter_stop(struct exporter_server *server);

#endif
