/* SPDX-License-Identifier: MIT */
/*
 * `pmon exporter`: counters for Prometheus. exporter.c has the options and the measurement, totals.c the counts so far,
 * format.c the texts, network.c the process that serves them, serve.c HTTP.
 */
#ifndef CLI_EXPORTER_EXPORTER_H
#define CLI_EXPORTER_EXPORTER_H

#include <pmon/report.h>
#include "cli/exporter/network.h"
#include "cli/target/devices.h"

/* A series of the table (series.inc). An x in `source` stands for the number of a port, which becomes a label, with the
 * devices behind the port. */
struct exporter_series {
  const char *name, *source, *label, *fixed, *help;
};

enum exporter_kind { EXPORTER_RATE, EXPORTER_COUNT, EXPORTER_GAUGE };

/* A constant part of a text, n bytes without a zero byte. */
struct exporter_piece {
  char *text;
  size_t n;
};

/* One time series. */
struct exporter_sample {
  const struct exporter_series *series; /* NULL: an event or metric requested by name */
  char *name, *unit, *of;               /* of the report's row */
  uint32_t package, instance;           /* PMON_ALL: none */
  uint32_t port;                        /* of an I/O stack; PMON_ALL: none */
  char *device, *bdf;                   /* the devices behind that port, separated by commas; NULL: none known */
  /* Constant parts of the texts: exporter_prepare(). line: up to its value; about: the part after the name of series
   * about this one; json: the object up to its value. */
  struct exporter_piece line, about, json;
  uint32_t family, next; /* family: the first sample of its name; next: the next one, 0: none */
  enum exporter_kind kind;
  double value, variance; /* the total, or the last value of a gauge */
  bool valid;
  bool measured;    /* it has had a value; before its first value, the total is not 0, but unknown */
  char reason[163]; /* "" if it is valid */
  bool has_before;  /* its state has changed; the previous reason is in `before` */
  char before[163];
};

enum { OTLP_TIME = 32 };

/* The counts so far. */
struct exporter_totals {
  struct exporter_sample *samples;
  uint32_t n;
  uint64_t intervals;
  double seconds, read_seconds; /* measured time; processor time of the measurement */
  uint64_t accesses;            /* to registers; 0: counted by other means */
  bool ended;                   /* the measurement has ended */
  bool changed;                 /* the next report has other series; those that remain keep their totals */
  const char *platform, *backend, *machine, *package;
  const struct device_list *devices;
  char start_ns[OTLP_TIME]; /* time at which the totals were 0, in OTLP's format */
  bool otlp;                /* there is a collector */
  char last_name[128];      /* the metric looked up last ("": none), with its series and port */
  const struct exporter_series *last_series;
  uint32_t last_port;
  size_t text_size[EXPORTER_FORMATS]; /* of the previous texts: memory to allocate at once */
};

/* Whether a row of a report is served: the report of an interval needs only these rows. `totals`: a struct
 * exporter_totals. */
bool exporter_wants(void *totals, const struct pmon_report_row *row);
/* Adds the report of an interval. False: no memory. */
bool totals_add(struct exporter_totals *t, const struct pmon_report *report, double seconds, double cpu_seconds);
void totals_fini(struct exporter_totals *t);

/* Returns the text of all series; the caller frees it; NULL: no memory. The network process adds its own series, and
 * the last line of OpenMetrics. */
char *exporter_format(struct exporter_totals *t, enum exporter_format format, size_t *ret_size);
/* Returns the name of a series in Prometheus. */
const char *exporter_family(const struct exporter_sample *s);
/* Fills the constant parts of the last sample's texts. False: no memory; the sample owns the parts made so far. */
bool exporter_prepare(struct exporter_totals *t);

/* Whether a series is served: a port without a known device only once it has traffic. */
bool exporter_is_shown(const struct exporter_sample *s);

/* The same as an OTLP message, and the current time in OTLP's format (otlp.c). */
char *otlp_format(const struct exporter_totals *t, size_t *ret_size);
void otlp_time(char text[OTLP_TIME]);

#endif
