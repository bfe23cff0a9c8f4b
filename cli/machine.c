/* SPDX-License-Identifier: MIT */
/* pmon machine: the emulated machine itself: its parameters, its own account of a run, recording of traces. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "cli/feed.h"
#include "machine/trace/live.h"
#include "machine/trace/writer.h"
#include "machine/traffic/totals.h"
#include "machine/traffic/traffic.h"

#define NAME_WIDTH 34
#define VALUE_WIDTH 20

struct machine_options { struct feed feed; const char *output; bool json, zstd; };

/* Options of all three subcommands; those that `accept` (j, z, o, and f for what feeds) does not name are refused.
 * 0, or -1 when *ret_exit is the result. */
static int read_options(struct cli *cli, int argc, char **argv, const char *accept, struct machine_options *o,
                        int *ret_exit)
{
  static const struct option options[] = {
    { "json", 0, NULL, 'j' }, { "zstd", 0, NULL, 'z' }, { "output", 1, NULL, 'o' }, { "platform", 1, NULL, 'p' },
    { "help", 0, NULL, 'h' }, FEED_OPTIONS, { NULL, 0, NULL, 0 },
  };
  int c;

  *ret_exit = CLI_USAGE;
  optind = 0;
  while ((c = getopt_long(argc, argv, "+o:p:h", options, NULL)) != -1) {
    if (c == '?')
      return -1;
    if (c == 'h') {
      *ret_exit = CLI_DONE;
      cli_help(cli);
      return -1;
    }
    if (c != 'p' && !strchr(accept, c >= FEED_TRACE ? 'f' : c)) {
      cli_fail(cli, "%s has no such option as %s", argv[0], argv[optind - 1]);
      return -1;
    }
    if (c == 'j')
      o->json = true;
    else if (c == 'z')
      o->zstd = true;
    else if (c == 'o')
      o->output = optarg;
    else
      feed_option(&o->feed, c, optarg);
  }
  o->feed.command = optind < argc ? argv + optind : NULL;
  return 0;
}

/* ---- describe ---- */

static int describe(struct cli *cli, int argc, char **argv)
{
  struct machine_options o = { 0 };
  const struct config_parameter *p;
  struct out *out = &cli->out;
  int result;

  if (read_options(cli, argc, argv, "jf", &o, &result) < 0)
    return result;
  if (o.feed.command)
    return cli_fail(cli, "describe takes no argument such as '%s'", o.feed.command[0]);
  result = feed_configure(cli, &o.feed);
  for (unsigned i = 0; result == 0 && (p = machine_config_parameter(i)); i++) {
    char value[32], usual[32];

    machine_config_format(i, o.feed.config.value[i], value, sizeof value);
    machine_config_format(i, p->usual, usual, sizeof usual);
    if (o.json) {
      json_open(out, NULL, '{');
      json_string(out, "name", p->name);
      json_string(out, "value", value);
      json_string(out, "default", usual);
      json_string(out, "words", *p->words ? p->words : NULL);
      json_string(out, "meaning", p->meaning);
      json_close(out, '}');
      json_end_line(out);
      continue;
    }
    out_style(out, OUT_NAME);
    out_padded(out, p->name, 18);
    out_style(out, strcmp(value, usual) ? OUT_BOLD : OUT_PLAIN);
    out_padded(out, value, 14);
    out_style(out, OUT_PLAIN);
    out_text(out, p->meaning);
    if (*p->words) {
      out_text(out, ": ");
      out_text(out, p->words);
    }
    out_char(out, '\n');
  }
  feed_close(&o.feed);
  return result;
}

/* ---- run ---- */

struct row { const char *name; size_t offset; };
#define SOCKET_ROW(field) { #field, offsetof(struct traffic_totals, field) }
#define CORE_ROW(field) { #field, offsetof(struct core_totals, field) }

static const struct row core_rows[] = {
  CORE_ROW(instructions), CORE_ROW(fetch_lines), CORE_ROW(fetch_l1_misses), CORE_ROW(fetch_llc_misses),
  CORE_ROW(reads), CORE_ROW(read_l1_misses), CORE_ROW(read_llc_misses), CORE_ROW(writes), CORE_ROW(write_l1_misses),
  CORE_ROW(write_llc_misses), CORE_ROW(l2_hits), CORE_ROW(l2_misses), CORE_ROW(prefetches), CORE_ROW(demand_loads),
  CORE_ROW(demand_wait_fs),
};

static const struct row socket_rows[] = {
  SOCKET_ROW(ingress_inserts), SOCKET_ROW(ingress_wait_fs), SOCKET_ROW(llc_lookups), SOCKET_ROW(llc_hits),
  SOCKET_ROW(llc_victims), SOCKET_ROW(llc_victims_m), SOCKET_ROW(sf_evictions), SOCKET_ROW(m2m_reads),
  SOCKET_ROW(m2m_writes), SOCKET_ROW(directory_writes), SOCKET_ROW(cas_reads), SOCKET_ROW(cas_writes),
  SOCKET_ROW(row_hits), SOCKET_ROW(activates), SOCKET_ROW(precharges), SOCKET_ROW(auto_precharges),
  SOCKET_ROW(refresh_closed), SOCKET_ROW(rows_open), SOCKET_ROW(refreshes), SOCKET_ROW(rpq_inserts),
  SOCKET_ROW(rpq_wait_fs), SOCKET_ROW(wpq_inserts), SOCKET_ROW(wpq_inside), SOCKET_ROW(drains),
  SOCKET_ROW(upi_sent_data_slots), SOCKET_ROW(upi_sent_header_slots), SOCKET_ROW(upi_received_data_slots),
  SOCKET_ROW(upi_received_header_slots), SOCKET_ROW(snoops_sent), SOCKET_ROW(snoop_responses), SOCKET_ROW(dma_reads),
  SOCKET_ROW(dma_writes), SOCKET_ROW(dma_read_bytes), SOCKET_ROW(dma_write_bytes),
};

static const char *const op_names[OP_N] = {
  "DRD", "CRD", "RFO", "DRD_PREF", "RFO_PREF", "LLC_PREF", "WBMTOI", "WBEFTOI", "WBSTOI", "WCILF", "WCIL", "CLFLUSH",
  "PCIRDCUR", "ITOM", "ITOMCACHENEAR", "RDDATA", "RDCODE", "INVOWN", "INVITOE", "RDCUR", "REMOTE_WB", "REMOTE_WRITE",
  "SNPDATA", "SNPINV", "VICTIM",
};

/* One socket's account, its cores' added up. */
struct account { struct traffic_totals socket; struct core_totals cores; };

static uint64_t *value_of(void *totals, const struct row *row)
{
  return (uint64_t *)(void *)((char *)totals + row->offset);
}

static void take_account(struct feed *f, unsigned socket, struct account *ret)
{
  struct traffic *t = machine_traffic(f->machine);
  unsigned cores = (unsigned)f->config.value[CONFIG_CORES];

  *ret = (struct account){ 0 };
  traffic_totals(t, socket, &ret->socket);
  for (unsigned i = 0; i < cores; i++) {
    struct core_totals core;

    traffic_core_totals(t, socket * cores + i, &core);
    for (size_t r = 0; r < sizeof core_rows / sizeof core_rows[0]; r++)
      *value_of(&ret->cores, &core_rows[r]) += *value_of(&core, &core_rows[r]);
  }
}

/* 1,234,567 at the right of a column. */
static void write_number(struct out *out, uint64_t value)
{
  char text[40], *p = text + sizeof text - 1;
  int digits = 0;

  *p = 0;
  do {
    if (digits && digits % 3 == 0)
      *--p = ',';
    *--p = (char)('0' + value % 10);
    digits++;
  } while (value /= 10);
  out_repeat(out, ' ', strlen(p) < VALUE_WIDTH ? VALUE_WIDTH - strlen(p) : 1);
  out_text(out, p);
}

static void write_line(struct out *out, const char *name, const uint64_t *value, unsigned sockets)
{
  uint64_t sum = 0;

  out_padded(out, name, NAME_WIDTH);
  for (unsigned s = 0; s < sockets; s++) {
    write_number(out, value[s]);
    sum += value[s];
  }
  if (sockets > 1)
    write_number(out, sum);
  out_char(out, '\n');
}

static void write_tor_lines(struct out *out, const struct account *a, unsigned sockets)
{
  for (unsigned i = 0; i < OP_N * 4; i++) {
    unsigned op = i / 4, miss = i / 2 & 1, remote = i & 1;
    uint64_t entries[2] = { 0 }, life[2] = { 0 };
    char name[64];

    for (unsigned s = 0; s < sockets; s++) {
      entries[s] = a[s].socket.tor[op][miss][remote].entries;
      life[s] = a[s].socket.tor[op][miss][remote].life_fs;
    }
    if (!entries[0] && !entries[1])
      continue;
    snprintf(name, sizeof name, "tor.%s.%s.%s", op_names[op], miss ? "miss" : "hit", remote ? "remote" : "local");
    write_line(out, name, entries, sockets);
    snprintf(name, sizeof name, "  life_fs");
    write_line(out, name, life, sockets);
  }
}

static void write_rows(struct out *out, struct account *a, unsigned sockets, bool of_cores)
{
  const struct row *rows = of_cores ? core_rows : socket_rows;
  size_t n = of_cores ? sizeof core_rows / sizeof core_rows[0] : sizeof socket_rows / sizeof socket_rows[0];

  for (size_t r = 0; r < n; r++) {
    uint64_t value[2] = { 0 };

    for (unsigned s = 0; s < sockets; s++)
      value[s] = *value_of(of_cores ? (void *)&a[s].cores : (void *)&a[s].socket, &rows[r]);
    write_line(out, rows[r].name, value, sockets);
  }
}

static void write_text(struct out *out, const struct feed *f, struct account *a, unsigned sockets)
{
  uint64_t now[1] = { machine_now_fs(f->machine) };

  write_line(out, "simulated_fs", now, 1);
  out_style(out, OUT_BOLD);
  out_padded(out, "", NAME_WIDTH);
  out_text(out, "            socket 0");
  if (sockets > 1)
    out_text(out, "            socket 1               total");
  out_char(out, '\n');
  out_style(out, OUT_PLAIN);
  write_rows(out, a, sockets, true);
  write_rows(out, a, sockets, false);
  write_tor_lines(out, a, sockets);
}

static void write_json(struct out *out, const struct feed *f, struct account *a, unsigned sockets)
{
  json_open(out, NULL, '{');
  json_number(out, "simulated_fs", machine_now_fs(f->machine));
  json_open(out, "sockets", '[');
  for (unsigned s = 0; s < sockets; s++) {
    json_open(out, NULL, '{');
    for (size_t r = 0; r < sizeof core_rows / sizeof core_rows[0]; r++)
      json_number(out, core_rows[r].name, *value_of(&a[s].cores, &core_rows[r]));
    for (size_t r = 0; r < sizeof socket_rows / sizeof socket_rows[0]; r++)
      json_number(out, socket_rows[r].name, *value_of(&a[s].socket, &socket_rows[r]));
    json_open(out, "tor", '[');
    for (unsigned i = 0; i < OP_N * 4; i++) {
      const struct tor_total *t = &a[s].socket.tor[i / 4][i / 2 & 1][i & 1];

      if (!t->entries)
        continue;
      json_open(out, NULL, '{');
      json_string(out, "op", op_names[i / 4]);
      json_bool(out, "miss", i / 2 & 1);
      json_bool(out, "remote", i & 1);
      json_number(out, "entries", t->entries);
      json_number(out, "life_fs", t->life_fs);
      json_close(out, '}');
    }
    json_close(out, ']');
    json_close(out, '}');
  }
  json_close(out, ']');
  json_close(out, '}');
  json_end_line(out);
}

static int run(struct cli *cli, int argc, char **argv)
{
  struct machine_options o = { 0 };
  struct account account[2];
  unsigned sockets;
  bool counted = false;
  int result, ended;

  if (read_options(cli, argc, argv, "jf", &o, &result) < 0)
    return result;
  result = feed_configure(cli, &o.feed);
  if (result == 0)
    result = feed_open(cli, &o.feed);
  if (result) {
    feed_close(&o.feed);
    return result;
  }
  result = feed_run(cli, &o.feed);
  ended = result == 0 ? feed_result(cli, &o.feed) : 0;
  sockets = (unsigned)o.feed.config.value[CONFIG_SOCKETS];
  for (unsigned s = 0; s < sockets; s++) {
    take_account(&o.feed, s, &account[s]);
    counted |= account[s].cores.instructions || account[s].cores.reads || account[s].socket.llc_lookups;
  }
  if (result && !counted)
    ;                              /* the error says it all */
  else if (o.json)
    write_json(&cli->out, &o.feed, account, sockets);
  else
    write_text(&cli->out, &o.feed, account, sockets);
  feed_close(&o.feed);
  return result ? result : ended;
}

/* ---- record ---- */

/* The command as one line, for the file's header. */
static void join(char *const *argv, char *text, size_t size)
{
  size_t n = 0;

  text[0] = 0;
  for (; *argv && n < size; argv++)
    n += (size_t)snprintf(text + n, size - n, "%s%s", n ? " " : "", *argv);
}

static int copy(struct cli *cli, struct feed *f, struct trace_writer *w)
{
  bool writer_failed = false;
  int status = trace_copy(f->live, w, &writer_failed);

  if (status == 0)
    return feed_result(cli, f);
  cli_fail(cli, "%s%s", writer_failed ? trace_writer_error(w) : f->live->error,
           writer_failed ? "; what was recorded until then is kept" : "");
  return feed_exit(status);
}

/* Removes a file in which nothing was recorded; a device stays where it is. */
static void drop(const char *path)
{
  struct stat st;

  if (lstat(path, &st) == 0 && S_ISREG(st.st_mode))
    unlink(path);
}

static int record(struct cli *cli, int argc, char **argv)
{
  struct machine_options o = { 0 };
  struct trace_writer_options options;
  struct trace_writer *w;
  char origin[4096], error[TRACE_ERROR_SIZE];
  struct live_options live = { 0 };
  int result;

  if (read_options(cli, argc, argv, "zo", &o, &result) < 0)
    return result;
  if (!o.output || !o.feed.command)
    return cli_fail(cli, "record needs -o FILE and -- COMMAND");
  live.argv = o.feed.command;
  join(live.argv, origin, sizeof origin);
  options = (struct trace_writer_options){ .path = o.output, .origin = origin, .zstd = o.zstd };
  signal(SIGXFSZ, SIG_IGN);        /* a limit on file sizes is an error of write() like a full disk */
  result = trace_writer_new(&options, error, sizeof error, &w);
  if (result < 0) {
    cli_fail(cli, "%s", error);
    return feed_exit(result);
  }
  result = live_open(&live, error, sizeof error, &o.feed.live);
  if (result < 0) {
    cli_fail(cli, "%s", error);
    trace_writer_free(w);
    drop(o.output);
    return feed_exit(result);
  }
  result = copy(cli, &o.feed, w);
  fprintf(stderr, "pmon: %llu records in %s\n", (unsigned long long)trace_writer_records(w), o.output);
  trace_writer_free(w);
  trace_source_free(o.feed.live);
  return result;
}

int cli_machine(struct cli *cli, int argc, char **argv)
{
  static const struct { const char *name; int (*run)(struct cli *cli, int argc, char **argv); } actions[] = {
    { "describe", describe }, { "run", run }, { "record", record },
  };

  if (argc < 2 || !strcmp(argv[1], "--help") || !strcmp(argv[1], "-h")) {
    if (argc >= 2)
      cli_help(cli);
    return argc < 2 ? cli_fail(cli, "expected describe, run or record; `pmon help machine` says more") : CLI_DONE;
  }
  for (size_t i = 0; i < sizeof actions / sizeof actions[0]; i++)
    if (!strcmp(argv[1], actions[i].name))
      return actions[i].run(cli, argc - 1, argv + 1);
  return cli_fail(cli, "no subcommand \"%s\"; there are describe, run and record", argv[1]);
}
