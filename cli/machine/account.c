/* SPDX-License-Identifier: MIT */
#include "cli/machine/account.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include "machine/common/totals.h"
#include "machine/common/traffic.h"

#define NAME_WIDTH 34 /* if there is room */
#define VALUE_WIDTH 20

struct row {
  const char *name;
  size_t offset;
  bool without_l2; /* counted by cores without L2 only */
};
#define SOCKET_ROW(field)                                                                                              \
  {                                                                                                                    \
#field, offsetof(struct traffic_totals, field), false                                                              \
  }
#define CORE_ROW(field)                                                                                                \
  {                                                                                                                    \
#field, offsetof(struct core_totals, field), false                                                                 \
  }
#define LLC_ROW(field)                                                                                                 \
  {                                                                                                                    \
#field, offsetof(struct core_totals, field), true                                                                  \
  }

static const struct row core_rows[] = {
    CORE_ROW(instructions),    CORE_ROW(fetch_lines),      CORE_ROW(fetch_l1_misses), LLC_ROW(fetch_llc_misses),
    CORE_ROW(reads),           CORE_ROW(read_l1_misses),   LLC_ROW(read_llc_misses),  CORE_ROW(writes),
    CORE_ROW(write_l1_misses), LLC_ROW(write_llc_misses),  CORE_ROW(l2_hits),         CORE_ROW(l2_misses),
    CORE_ROW(prefetches),      CORE_ROW(demand_loads),     CORE_ROW(demand_wait_fs),  CORE_ROW(branches),
    CORE_ROW(branch_misses),   CORE_ROW(issue_fs),         CORE_ROW(fetch_stall_fs),  CORE_ROW(walk_stall_fs),
    CORE_ROW(load_stall_fs),   CORE_ROW(store_stall_fs),   CORE_ROW(branch_stall_fs), CORE_ROW(fence_stall_fs),
    CORE_ROW(cycles),          CORE_ROW(reference_cycles),
};

static const struct row socket_rows[] = {
    SOCKET_ROW(ingress_inserts),
    SOCKET_ROW(ingress_wait_fs),
    SOCKET_ROW(llc_lookups),
    SOCKET_ROW(llc_hits),
    SOCKET_ROW(llc_victims),
    SOCKET_ROW(llc_victims_m),
    SOCKET_ROW(sf_evictions),
    SOCKET_ROW(m2m_reads),
    SOCKET_ROW(m2m_writes),
    SOCKET_ROW(directory_writes),
    SOCKET_ROW(cas_reads),
    SOCKET_ROW(cas_writes),
    SOCKET_ROW(row_hits),
    SOCKET_ROW(activates),
    SOCKET_ROW(precharges),
    SOCKET_ROW(auto_precharges),
    SOCKET_ROW(refresh_closed),
    SOCKET_ROW(rows_open),
    SOCKET_ROW(underfills),
    SOCKET_ROW(refreshes),
    SOCKET_ROW(rpq_inserts),
    SOCKET_ROW(rpq_wait_fs),
    SOCKET_ROW(wpq_inserts),
    SOCKET_ROW(wpq_inside),
    SOCKET_ROW(drains),
    SOCKET_ROW(upi_sent_data_slots),
    SOCKET_ROW(upi_sent_header_slots),
    SOCKET_ROW(upi_received_data_slots),
    SOCKET_ROW(upi_received_header_slots),
    SOCKET_ROW(snoops_sent),
    SOCKET_ROW(snoop_responses),
    SOCKET_ROW(dma_reads),
    SOCKET_ROW(dma_writes),
    SOCKET_ROW(dma_read_bytes),
    SOCKET_ROW(dma_write_bytes),
    SOCKET_ROW(dma_read_excess_bytes),
    SOCKET_ROW(dma_write_excess_bytes),
};

#define TOR_NAME(name) #name,
static const char *const op_names[OP_N] = {TOR_OPS(TOR_NAME)};
#undef TOR_NAME

/* The account of one socket: the sum over its cores. */
struct account {
  struct traffic_totals socket;
  struct core_totals cores;
  uint64_t pmis;
  bool l2; /* the cores have second-level caches */
};

/* Whether the cores count a row. Cores with L2 do not attribute LLC misses to accesses: a prefetcher requests some of
 * the lines, and stores request theirs later. The rows "tor" have the misses of each kind of request. */
static bool row_is_counted(const struct account *a, const struct row *row)
{
  return !row->without_l2 || !a->l2;
}

static uint64_t *account_value(void *totals, const struct row *row)
{
  return (uint64_t *)(void *)((char *)totals + row->offset);
}

static void account_read(const struct target *target, const struct machine_config *config, unsigned socket,
                         struct account *ret)
{
  struct traffic *t = machine_traffic(target->machine);
  unsigned cores = (unsigned)config->value[CONFIG_CORES];

  *ret = (struct account){0};
  ret->pmis = machine_pmis(target->machine, socket);
  ret->l2 = config->value[CONFIG_L2_SIZE] != 0;
  traffic_totals(t, socket, &ret->socket);
  for (unsigned i = 0; i < cores; i++) {
    struct core_totals core;

    traffic_core_totals(t, socket * cores + i, &core);
    for (size_t r = 0; r < sizeof core_rows / sizeof core_rows[0]; r++)
      *account_value(&ret->cores, &core_rows[r]) += *account_value(&core, &core_rows[r]);
  }
}

enum { COLUMNS = 3 }; /* columns of values: two sockets, and their sum */

/* The layout of the text. If `out` is NULL, the lines are only measured. */
struct layout {
  struct out *out;
  size_t name, value[COLUMNS]; /* widths of the columns */
  size_t over;                 /* by how much the texts of the line exceed their columns so far */
};

/* Writes a text right-aligned in a column of values, after at least one blank. Fewer blanks are written while texts on
 * the left have exceeded their columns. */
static void account_write_value(struct layout *l, unsigned column, const char *text)
{
  const size_t n = strlen(text);

  if (l->out) {
    const size_t room = l->value[column] > n ? l->value[column] - n : 1;
    const size_t blanks = room > l->over ? room - l->over : 1;
    out_repeat(l->out, ' ', blanks);
    l->over -= room - blanks;
    out_text(l->out, text);
  } else if (l->value[column] < n + 1)
    l->value[column] = n + 1;
}

/* Writes 1,234,567. */
static void account_write_number(struct layout *l, unsigned column, uint64_t value)
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
  account_write_value(l, column, p);
}

static void account_write_name(struct layout *l, const char *name)
{
  const size_t n = strlen(name);

  l->over = n > l->name ? n - l->name : 0;
  if (l->out)
    out_padded(l->out, name, l->name);
  else if (l->name < n)
    l->name = n;
}

static void account_end_line(struct layout *l)
{
  if (l->out)
    out_char(l->out, '\n');
}

static void account_write_line(struct layout *l, const char *name, const uint64_t *value, unsigned sockets)
{
  uint64_t sum = 0;

  account_write_name(l, name);
  for (unsigned s = 0; s < sockets; s++) {
    account_write_number(l, s, value[s]);
    sum += value[s];
  }
  if (sockets > 1)
    account_write_number(l, sockets, sum);
  account_end_line(l);
}

static void write_tor_lines(struct layout *l, const struct account *a, unsigned sockets)
{
  for (unsigned i = 0; i < OP_N * 4; i++) {
    unsigned op = i / 4, miss = i / 2 & 1, remote = i & 1;
    uint64_t entries[2] = {0}, life[2] = {0};
    char name[64];

    for (unsigned s = 0; s < sockets; s++) {
      entries[s] = a[s].socket.tor[op][miss][remote].entries;
      life[s] = a[s].socket.tor[op][miss][remote].life_fs;
    }
    if (!entries[0] && !entries[1])
      continue;
    snprintf(name, sizeof name, "tor.%s.%s.%s", op_names[op], miss ? "miss" : "hit", remote ? "remote" : "local");
    account_write_line(l, name, entries, sockets);
    snprintf(name, sizeof name, "  life_fs");
    account_write_line(l, name, life, sockets);
  }
}

static void account_write_rows(struct layout *l, struct account *a, unsigned sockets, bool of_cores)
{
  const struct row *rows = of_cores ? core_rows : socket_rows;
  size_t n = of_cores ? sizeof core_rows / sizeof core_rows[0] : sizeof socket_rows / sizeof socket_rows[0];

  for (size_t r = 0; r < n; r++) {
    uint64_t value[2] = {0};

    if (!row_is_counted(a, &rows[r]))
      continue;
    for (unsigned s = 0; s < sockets; s++)
      value[s] = *account_value(of_cores ? (void *)&a[s].cores : (void *)&a[s].socket, &rows[r]);
    account_write_line(l, rows[r].name, value, sockets);
  }
}

/* Writes the titles of the columns, in bold. */
static void account_write_titles(struct layout *l, unsigned sockets)
{
  if (l->out)
    out_style(l->out, OUT_BOLD);
  account_write_name(l, "");
  account_write_value(l, 0, "socket 0");
  if (sockets > 1) {
    account_write_value(l, 1, "socket 1");
    account_write_value(l, 2, "total");
  }
  account_end_line(l);
  if (l->out)
    out_style(l->out, OUT_PLAIN);
}

static void account_write_table(struct layout *l, struct account *a, unsigned sockets)
{
  const uint64_t pmis[2] = {a[0].pmis, sockets > 1 ? a[1].pmis : 0};

  account_write_titles(l, sockets);
  account_write_rows(l, a, sockets, true);
  account_write_rows(l, a, sockets, false);
  account_write_line(l, "pmis", pmis, sockets);
  write_tor_lines(l, a, sockets);
}

/* Measures the columns. If they do not fit, the column of names is made narrower: the longest names are not on the
 * lines of the largest values. */
static void account_fit(struct layout *l, struct account *a, unsigned sockets, size_t width)
{
  size_t values = 0;

  account_write_table(l, a, sockets);
  for (size_t i = 0; i < COLUMNS; i++)
    values += l->value[i];
  if (l->name + values > width)
    l->name = width > values ? width - values : 0;
}

/* Writes the account. If the terminal is too narrow for the usual columns, their widths are measured first. */
static void account_write_text(struct out *out, uint64_t now_fs, struct account *a, unsigned sockets)
{
  const unsigned width = cli_width(), columns = sockets > 1 ? sockets + 1 : 1;
  struct layout l = {.out = NULL};

  if (width && width < NAME_WIDTH + columns * VALUE_WIDTH)
    account_fit(&l, a, sockets, width);
  else
    l = (struct layout){.name = NAME_WIDTH, .value = {VALUE_WIDTH, VALUE_WIDTH, VALUE_WIDTH}};
  l.out = out;
  account_write_line(&l, "simulated_fs", &now_fs, 1);
  account_write_table(&l, a, sockets);
}

static void account_write_json(struct out *out, uint64_t now_fs, struct account *a, unsigned sockets)
{
  json_open(out, NULL, '{');
  json_number(out, "simulated_fs", now_fs);
  json_open(out, "sockets", '[');
  for (unsigned s = 0; s < sockets; s++) {
    json_open(out, NULL, '{');
    for (size_t r = 0; r < sizeof core_rows / sizeof core_rows[0]; r++)
      if (row_is_counted(a, &core_rows[r]))
        json_number(out, core_rows[r].name, *account_value(&a[s].cores, &core_rows[r]));
    for (size_t r = 0; r < sizeof socket_rows / sizeof socket_rows[0]; r++)
      json_number(out, socket_rows[r].name, *account_value(&a[s].socket, &socket_rows[r]));
    json_number(out, "pmis", a[s].pmis);
    json_open(out, "tor", '[');
    for (unsigned i = 0; i < OP_N * 4; i++) {
      const struct tor_total *t = &a[s].socket.tor[i / 4][i / 2 & 1][i & 1];

      if (!t->entries)
        continue;
      json_open(out, NULL, '{');
      json_text(out, "op", op_names[i / 4]);
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
/* A failed run is also printed, if it counted anything. */
void account_write(struct out *out, const struct target *t, const struct machine_config *config, bool json, bool failed)
{
  unsigned sockets = (unsigned)config->value[CONFIG_SOCKETS];
  struct account account[2];
  bool counted = !failed;

  for (unsigned s = 0; s < sockets; s++) {
    account_read(t, config, s, &account[s]);
    counted |= account[s].cores.instructions || account[s].cores.reads || account[s].socket.llc_lookups;
  }
  if (counted)
    (json ? account_write_json : account_write_text)(out, machine_now_fs(t->machine), account, sockets);
}
