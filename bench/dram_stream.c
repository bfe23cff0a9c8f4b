/* SPDX-License-Identifier: MIT */
/*
 * Sends one stream of requests to one memory channel of an emulated server and prints the channel's counts, for
 * comparison with a simulator of DRAM (dram_peer.sh). The controller's own time (`dram.pipe`) is 0, and rows stay open
 * (`dram.idle`): neither is a property of DRAM.
 * usage: bench_dram_stream PLATFORM [NAME=VALUE...]
 *          prints the channel's parameters; times are in clocks, rounded up
 *        bench_dram_stream PLATFORM [NAME=VALUE...] STREAM [FILE]
 *          prints the counts; FILE gets the requests, "LD ADDRESS" or "ST ADDRESS"
 * NAME=VALUE are the machine's parameters (`pmon machine describe`).
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "bench/deaf.h"
#include "machine/config.h"
#include "machine/common/memory.h"

#define LINES (UINT64_C(1) << 24) /* 1 GB, from which random lines are taken */
enum { ROWS = 64, CONFLICTS = 8, COLUMN_BITS = 7, COLUMNS = 1 << COLUMN_BITS, DEPTH = 32 };
enum pattern { SEQUENTIAL, RANDOM, CONFLICT, SAME_ROW, EACH_BANK };

/* A request every `period` clocks; every `writes`th one (0: none) is a write, to separate lines. Period 0: as many
 * requests as the channel takes: DEPTH reads in flight, and writes as their queue has room. */
static const struct request_stream {
  const char *name;
  enum pattern pattern;
  unsigned requests, period, writes;
} streams[] = {
    {"sequential", SEQUENTIAL, 20000, 16, 0}, /* half of the bus bandwidth */
    {"random-one", RANDOM, 5000, 301, 0},     /* each completes before the next one arrives */
    {"random-many", RANDOM, 20000, 11, 0},    /* seven tenths of the bus bandwidth */
    {"copy", SEQUENTIAL, 20000, 16, 3},
    {"mixed", RANDOM, 20000, 16, 3},
    {"conflict", CONFLICT, 5000, 151, 0}, /* rows of one bank, round-robin */
    {"full-sequential", SEQUENTIAL, 20000, 0, 0},
    {"full-row", SAME_ROW, 20000, 0, 0},
    {"full-banks", EACH_BANK, 20000, 0, 0}, /* banks round-robin, row by row */
    {"full-conflict", CONFLICT, 5000, 0, 0},
    {"full-stores", SEQUENTIAL, 20000, 0, 1},
    {"full-store-conflict", CONFLICT, 5000, 0, 1},
    {"full-copy", SEQUENTIAL, 20000, 0, 2},
};

struct channel_run {
  struct traffic *t;
  const struct request_stream *stream;
  FILE *trace;
  uint64_t random, next[2];  /* the next lines to read and to write in order */
  uint64_t row[ROWS][BANKS]; /* a line of each row and bank */
  uint64_t column[COLUMNS];  /* the lines of a row */
  unsigned banks;
  uint64_t reads, latency_fs;
  fs_t done[DEPTH]; /* completion times of the latest requests */
};

static _Noreturn void bench_dram_die(const char *what)
{
  fprintf(stderr, "bench_dram_stream: %s\n", what);
  exit(2);
}

static void bench_dram_set(struct machine_config *config, const char *setting)
{
  char error[256];
  if (machine_config_parse(config, setting, error, sizeof error))
    bench_dram_die(error);
}

/* Makes the machine, and takes its settings from the front of the arguments. */
static struct traffic *bench_dram_machine(const char *platform, char ***arguments)
{
  static const char *const settings[] = {"sockets=1",   "cores=1",           "imcs=1",        "channels=1",
                                         "dram.pipe=0", "dram.idle=1000000", "dram.page=open"};
  struct machine_config config;
  struct traffic *t;
  char error[256];
  if (machine_config_preset(&config, platform))
    bench_dram_die("no such platform");
  for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
    bench_dram_set(&config, settings[i]);
  for (; **arguments && strchr(**arguments, '='); ++*arguments)
    bench_dram_set(&config, **arguments);
  if (machine_config_check(&config, error, sizeof error))
    bench_dram_die(error);
  if (traffic_new(&config, model_of(&config)->uncore, NULL, &t))
    bench_dram_die("no memory");
  return t;
}

/* Rounds a time up to clocks; less than a hundredth of a clock is ignored. */
static uint64_t bench_dram_clocks(const struct traffic *t, fs_t time)
{
  return (time + t->time.dclk - t->time.dclk / 100) / t->time.dclk;
}

static void bench_dram_parameters(const struct traffic *t)
{
  const uint64_t *v = t->config.value;
  const struct timing *w = &t->time;
  const struct {
    const char *name;
    fs_t time;
  } times[] = {{"nBL", w->burst}, {"nCL", w->cl},   {"nRCD", w->rcd},    {"nRP", w->rp},
               {"nRAS", w->ras},  {"nRTP", w->rtp}, {"nWR", w->wr},      {"nRFC", w->rfc},
               {"nFAW", w->faw},  {"nWTR", w->wtr}, {"nWTRS", w->wtr_s}, {"nREFI", w->refi}};
  for (size_t i = 0; i < sizeof times / sizeof *times; i++)
    printf("%s %" PRIu64 "\n", times[i].name, bench_dram_clocks(t, times[i].time));
  printf("clock_fs %" PRIu32 "\nranks %" PRIu64 "\nbanks %" PRIu64 "\n", t->time.dclk, v[CONFIG_DRAM_RANKS],
         v[CONFIG_DRAM_BANKS]);
  printf("reads %" PRIu64 "\nwrites %" PRIu64 "\nwrites_high %" PRIu64 "\nwrites_low %" PRIu64 "\n", v[CONFIG_DRAM_RPQ],
         v[CONFIG_DRAM_WPQ], v[CONFIG_DRAM_WPQ_HIGH], v[CONFIG_DRAM_WPQ_LOW]);
  for (size_t i = 0; i < sizeof streams / sizeof *streams; i++)
    if (streams[i].period)
      printf("stream %s %u\n", streams[i].name, streams[i].period);
}

static bool bench_dram_is_pch0(const struct channel_run *r, uint64_t line)
{
  struct dram_place place;
  address_dram(&r->t->map, line, &place);
  return place.pch == 0;
}

static uint64_t bench_dram_line(struct channel_run *r, unsigned i, bool write)
{
  uint64_t line;
  switch (r->stream->pattern) {
  case CONFLICT: return r->row[i % (r->stream->period ? CONFLICTS : ROWS)][0];
  case EACH_BANK: return r->row[i / r->banks % ROWS][i % r->banks];
  case SAME_ROW: return r->column[i % COLUMNS];
  default: break;
  }
  /* The writes of a full channel are two rows ahead: in another bank. */
  const uint64_t apart = LINES + (r->stream->period ? 0 : 2 * COLUMNS);
  do {
    r->random = r->random * 6364136223846793005u + 1442695040888963407u;
    line = (r->stream->pattern == RANDOM ? r->random >> 20 & (LINES - 1) : r->next[write]++) + (write ? apart : 0);
  } while (!bench_dram_is_pch0(r, line));
  return line;
}

/* Finds a line of each bank's first rows, and the lines of one row. */
static void bench_dram_rows(struct channel_run *r)
{
  const uint64_t *v = r->t->config.value;
  r->banks = (unsigned)(v[CONFIG_DRAM_BANKS] * v[CONFIG_DRAM_RANKS]);
  unsigned columns = 0;
  for (uint64_t line = 0, left = (uint64_t)ROWS * r->banks * COLUMNS; left; line++) {
    struct dram_place place;
    address_dram(&r->t->map, line, &place);
    if (place.pch || place.row >= ROWS)
      continue;
    left--;
    r->row[place.row][v[CONFIG_DRAM_BANKS] == 32 ? place.bank : (place.bank >> 5) * 8 + (place.bank & 7)] = line;
    if (place.bank == 0 && place.row == 0)
      r->column[columns++] = line;
  }
}

/* Writes the request for a simulator, with the address that maps to the same place there: the simulator's address has
 * the column lowest, then rank, bank group, bank and row. */
static void bench_dram_trace(const struct channel_run *r, const struct dram_place *p, uint64_t line, bool write)
{
  const struct address_map *map = &r->t->map;
  const uint64_t rest = line >> map->sub_bits, rank = p->bank >> 5;
  const uint64_t column = map->groups ? (rest >> 1 & 3) | (rest >> 5 & 31) << 2 : rest & 127;
  const uint64_t group = p->bank >> 2 & 7, bank = map->groups ? p->bank & 3 : p->bank & 7;
  uint64_t address = (uint64_t)p->row;
  address = map->groups ? (address << 2 | bank) << 3 | group : address << 3 | bank;
  address = (address << map->rank_bits | rank) << COLUMN_BITS | column;
  fprintf(r->trace, "%s %" PRIu64 "\n", write ? "ST" : "LD", address << 6);
}

static void bench_dram_run(struct channel_run *r)
{
  struct traffic *t = r->t;
  fs_t at = 0;
  for (unsigned i = 0; i < r->stream->requests; i++) {
    const bool write = r->stream->writes && i % r->stream->writes == r->stream->writes - 1;
    const uint64_t line = bench_dram_line(r, i, write);
    struct dram_place place;
    address_dram(&t->map, line, &place);
    const struct dram_request request = {line, &place, IMPORTANCE_MEDIUM};
    at = r->stream->period ? at + (fs_t)r->stream->period * t->time.dclk
                           : fs_later(at + t->time.dclk, r->done[i % DEPTH]);
    if (r->trace)
      bench_dram_trace(r, &place, line, write);
    if (write) {
      r->done[i % DEPTH] = dram_write(t, t->socket[0], &request, at);
    } else {
      r->done[i % DEPTH] = dram_read(t, t->socket[0], &request, at);
      r->latency_fs += r->done[i % DEPTH] - at;
      r->reads++;
    }
  }
  if (r->stream->period)
    traffic_advance(t, at);
}

static void bench_dram_report(const struct channel_run *r)
{
  struct traffic_totals n;
  traffic_totals(r->t, 0, &n);
  printf("reads %" PRIu64 "\nwrites %" PRIu64 "\nhits %" PRIu64 "\n", n.cas_reads, n.cas_writes, n.row_hits);
  printf("activates %" PRIu64 "\nconflicts %" PRIu64 "\n", n.activates, n.precharges);
  printf("refreshes %" PRIu64 "\ndrains %" PRIu64 "\n", n.refreshes / r->t->subs, n.drains);
  if (r->reads)
    printf("latency %.3f\n", (double)r->latency_fs / (double)r->reads / (double)r->t->time.dclk);
  if (!r->stream->period) /* from the first request to the last data */
    printf("each %.3f\n", (double)r->t->socket[0]->channel[0].pch[0].bus.run.end / (double)r->t->time.dclk /
                              (double)(n.cas_reads + n.cas_writes));
}

int main(int argc, char **argv)
{
  struct channel_run run = {.random = 1};
  if (argc < 2)
    bench_dram_die("usage: bench_dram_stream emr|snbep [NAME=VALUE...] [STREAM [FILE]]");
  char **rest = argv + 2;
  run.t = bench_dram_machine(argv[1], &rest);
  if (!*rest) {
    bench_dram_parameters(run.t);
    traffic_free(run.t);
    return 0;
  }
  for (size_t i = 0; i < sizeof streams / sizeof *streams; i++)
    if (!strcmp(streams[i].name, *rest))
      run.stream = &streams[i];
  if (!run.stream)
    bench_dram_die("no such stream");
  if (rest[1] && !(run.trace = fopen(rest[1], "w")))
    bench_dram_die("the file cannot be written");
  bench_dram_rows(&run);
  bench_dram_run(&run);
  bench_dram_report(&run);
  if (run.trace && fclose(run.trace))
    bench_dram_die("the file cannot be written");
  traffic_free(run.t);
  return 0;
}
