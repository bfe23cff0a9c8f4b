/* SPDX-License-Identifier: MIT */
/*
 * The process that clients reach. It is started before counters are opened, drops all privileges, and receives the
 * texts of each interval; it can send nothing back. The other process, which reads counters, never touches the network.
 */
#ifndef CLI_EXPORTER_NETWORK_H
#define CLI_EXPORTER_NETWORK_H

#include <pthread.h>
#include <sys/types.h>
#include <time.h>
#include "cli/exporter/web.h"

struct exporter_totals;

/* The socket that is served; fd -1: none. */
struct exporter_listener {
  int fd;
  bool handed_over; /* by systemd */
  char *path;       /* of a socket file that is removed at the end; NULL: none */
};
/* Checks that `option` gives HOST:PORT, [HOST]:PORT, :PORT or unix:PATH, unless systemd's socket makes it irrelevant.
 * An enum cli_exit, after printing an error. */
int exporter_listen_check(struct cli *cli, const char *option, const char *address);
/* Opens an address that passed the check, or takes systemd's socket. An enum cli_exit, after printing an error. */
int exporter_listen(struct cli *cli, const char *option, const char *address, struct exporter_listener *ret);
/* Writes the name of the served socket: its URL, or the path of its file. */
void exporter_listener_name(const struct exporter_listener *l, bool tls, char *text, size_t size);
void exporter_unlisten(struct exporter_listener *l);

/* What the process serves. */
struct exporter_network_options {
  int fd;                   /* of the listener */
  struct exporter_web *web; /* NULL: neither TLS nor users */
  const char *otlp;         /* the URL of an OpenTelemetry collector; NULL: none */
  uint64_t otlp_interval_ns;
};

/* How long the process may receive nothing: far longer than a host withholds a processor. */
enum { EXPORTER_SEND_S = 30 };
struct exporter_network;
/* Starts the process. CLI_DONE; else an exit code after printing an error. */
int exporter_network_start(struct cli *cli, const struct exporter_network_options *o, struct exporter_network **ret);
/* Sends the texts of the last interval to it. False: it has ended, or there is no memory. */
bool exporter_network_send(struct exporter_network *n, struct exporter_totals *totals);
/* Whether it still runs. */
bool exporter_network_lives(struct exporter_network *n);
/* Ends it; NULL is allowed. */
void exporter_network_stop(struct exporter_network *n);

/* The texts of the last interval, by format, in the process that serves them; requests hold the lock. */
enum exporter_format { EXPORTER_PROMETHEUS, EXPORTER_OPENMETRICS, EXPORTER_JSON, EXPORTER_OTLP, EXPORTER_FORMATS };
struct exporter_texts {
  pthread_mutex_t lock;
  char *text[EXPORTER_FORMATS]; /* NULL: no interval yet */
  size_t size[EXPORTER_FORMATS];
  struct timespec received; /* time of the last texts, on the monotonic clock */
  uint64_t scrapes;
};

/* Whether a client prefers OpenMetrics to Prometheus' text, by its header Accept (NULL: it has none). */
bool exporter_accepts_openmetrics(const char *accept);

/* Starts the HTTP server (serve.c). NULL after printing an error. */
struct exporter_server;
struct exporter_server *exporter_serve(struct cli *cli, const struct exporter_network_options *o,
                                       struct exporter_texts *texts);

/* Pushes texts to the collector, in a thread (otlp.c). False after printing an error. */
bool otlp_start(struct cli *cli, const struct exporter_network_options *o, struct exporter_texts *texts);

#endif
