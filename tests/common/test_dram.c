/* SPDX-License-Identifier: MIT */
/* The commands and times of a memory channel on a trace short enough to work out by hand (one channel, one rank). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "tests/common/double.h"
#include "machine/snbep/attr.h"
#include "machine/emr/m2m.h"

#define NS 1000000ull
/* 9 ns through the controller, tRCD 16, tRP 16, CL 16.4, and a burst of eight clocks of 1/2.8 GHz */
#define PIPE (9 * NS)
#define RCD (16 * NS)
#define RP (16 * NS)
#define CL 16400000ull
#define BURST (8 * 357142ull)

static const char *const one_channel[] = {"sockets=1", "cores=1", "imcs=1", "channels=1", "dram.ranks=1", NULL};

/* The same channel; a refresh takes all banks of a rank, and none is postponed. */
static const char *const all_banks[] = {
    "sockets=1", "cores=1", "imcs=1", "channels=1", "dram.ranks=1", "dram.refresh=all-bank", NULL};
static const char *const at_once[] = {
    "sockets=1", "cores=1", "imcs=1", "channels=1", "dram.ranks=1", "dram.refresh=all-bank", "dram.postpone=0", NULL};

/* Returns the `nth` line of that bank and row; the address map is one to one, so that a row has several. */
static uint64_t line_at(const struct traffic *t, unsigned bank, unsigned row, unsigned nth)
{
  for (uint64_t line = 0;; line++) {
    struct dram_place p;
    address_dram(&t->map, line, &p);
    if (p.pch == 0 && p.bank == bank && p.row == row && !nth--)
      return line;
  }
}

static uint64_t sum(const struct machine *m, uint8_t code, uint64_t attr)
{
  return double_sum(m, 0, "imc", code, attr).pulses;
}

static fs_t dram_read_line(struct traffic *t, uint64_t line, fs_t at)
{
  struct dram_place place;
  address_dram(&t->map, line, &place);
  return dram_read(t, t->socket[0], &(struct dram_request){line, &place, IMPORTANCE_MEDIUM}, at);
}

static fs_t write_line(struct traffic *t, uint64_t line, fs_t at)
{
  struct dram_place place;
  address_dram(&t->map, line, &place);
  return dram_write(t, t->socket[0], &(struct dram_request){line, &place, IMPORTANCE_MEDIUM}, at);
}

static void reads(void **state)
{
  (void)state;
  struct machine *m = double_new(0);
  struct traffic *t = double_traffic(m, at_once);
  fs_t at = 1000 * NS;
  /* no row is open: activate, then read */
  assert_int_equal(dram_read_line(t, line_at(t, 0, 5, 0), at) - at, PIPE + RCD + CL + BURST);
  assert_int_equal(sum(m, IMC_ACT_COUNT, ACT_RD(0)), 1);
  assert_int_equal(sum(m, IMC_PRE_COUNT, 0), 0);
  /* the row is open */
  at += 200 * NS;
  assert_int_equal(dram_read_line(t, line_at(t, 0, 5, 1), at) - at, PIPE + CL + BURST);
  assert_int_equal(sum(m, IMC_ACT_COUNT, 0), 1);
  /* another row of the bank: precharge, activate, read */
  at += 200 * NS;
  assert_int_equal(dram_read_line(t, line_at(t, 0, 6, 0), at) - at, PIPE + RP + RCD + CL + BURST);
  assert_int_equal(sum(m, IMC_PRE_COUNT, PRE_RD(0)), 1);
  /* three simultaneous reads of open rows in three banks share the bus: each completes a burst later than the one
   * before */
  at += 200 * NS;
  dram_read_line(t, line_at(t, 8, 1, 0), at);
  dram_read_line(t, line_at(t, 16, 1, 0), at);
  at += 200 * NS;
  fs_t first = dram_read_line(t, line_at(t, 0, 6, 1), at), second = dram_read_line(t, line_at(t, 8, 1, 1), at);
  fs_t third = dram_read_line(t, line_at(t, 16, 1, 1), at);
  assert_int_equal(first - at, PIPE + CL + BURST);
  assert_true(second >= first + BURST - 1 && third >= second + BURST - 1);
  assert_true(third <= first + 3 * BURST);
  assert_int_equal(sum(m, IMC_CAS_COUNT, CAS_RD_REG), 8);
  assert_int_equal(sum(m, IMC_ACT_COUNT, ACT_RD(0)), 4);
  assert_int_equal(sum(m, IMC_RPQ_INSERTS, IMC_PCH(0)), 8);
  /* the page table closes a row that is unused for 1 us: those of the first three reads' banks, and the other two */
  traffic_advance(t, at + 1200 * NS);
  assert_int_equal(sum(m, IMC_PRE_COUNT, PRE_PGT(0)), 3);
  traffic_free(t);
  double_free(m);
}

static void writes(void **state)
{
  (void)state;
  struct machine *m = double_new(0);
  struct traffic *t = double_traffic(m, one_channel);
  fs_t at = 1000 * NS;
  for (unsigned i = 0; i < 35; i++)
    write_line(t, line_at(t, 4, 9 + (i & 1), i / 2), at + i * NS);
  assert_int_equal(sum(m, IMC_CAS_COUNT, 0), 0); /* all writes are pending */
  assert_int_equal(sum(m, IMC_WPQ_INSERTS, IMC_PCH(0)), 35);
  write_line(t, line_at(t, 4, 9, 40), at + 40 * NS); /* this one reaches the upper mark */
  assert_int_equal(sum(m, IMC_CAS_COUNT, 0), 0);     /* an earlier read could still arrive */
  traffic_advance(t, at + 50 * NS);
  assert_int_equal(sum(m, IMC_CAS_COUNT, CAS_WR_NONPRE), 19); /* writes of row 9; the bus would be idle until row 10
                                                               * is open */
  assert_int_equal(sum(m, IMC_ACT_COUNT, ACT_WR(0)), 1);
  assert_int_equal(sum(m, IMC_PRE_COUNT, PRE_WR(0)), 0);
  assert_int_equal(sum(m, IMC_MAJOR_MODE_CHANGE_PCH0, EMR_UMASK(0x02)), 1);
  assert_true(double_sum(m, 0, "imc", IMC_MAJOR_MODES, EMR_UMASK(0x04)).life_fs >= 19 * BURST);
  /* a read of a line with a pending write makes that write go first, out of order */
  dram_read_line(t, line_at(t, 4, 10, 16), at + 400 * NS);
  assert_int_equal(sum(m, IMC_WPQ_READ_HIT, IMC_PCH(0)), 1);
  assert_int_equal(sum(m, IMC_CAS_COUNT, CAS_WR_NONPRE), 20);
  assert_int_equal(sum(m, IMC_CAS_COUNT, CAS_RD_REG), 1);
  assert_int_equal(sum(m, IMC_CRIT_MINOR_CAS, EMR_UMASK(0x04)), 1);
  assert_int_equal(sum(m, IMC_CRIT_MINOR_CAS, EMR_UMASK(0x01)), 1);
  assert_int_equal(sum(m, IMC_WR_CAS_PRIO, EMR_UMASK(0x02)), 1);
  assert_int_equal(sum(m, IMC_RD_CAS_PRIO, EMR_UMASK(0x02)), 1);
  assert_int_equal(sum(m, IMC_CAS_MM, MM_WR_RMM(0)), 1);
  /* the other writes are issued after an idle period */
  traffic_advance(t, at + 1500 * NS);
  assert_int_equal(sum(m, IMC_CAS_COUNT, CAS_WR_NONPRE), 36);
  assert_int_equal(sum(m, IMC_MAJOR_MODE_CHANGE_PCH0, EMR_UMASK(0x80)), 2);
  /* many writes were pending at once: the sum of the entries' times exceeds the time in which the queue was occupied */
  uint64_t held = double_sum(m, 0, "imc", IMC_WPQ_OCCUPANCY_PCH0, 0).life_fs;
  uint64_t busy = double_sum(m, 0, "imc", IMC_WPQ_CYCLES_NE, IMC_PCH(0)).life_fs;
  assert_true(busy > 900 * NS && busy < 1100 * NS && held > 12 * busy && held < 36 * busy);
  /* a write hits only if a write of the same line is pending */
  assert_int_equal(sum(m, IMC_WPQ_WRITE_HIT, IMC_PCH(0)), 0);
  write_line(t, line_at(t, 4, 9, 0), at + 2000 * NS);
  write_line(t, line_at(t, 4, 9, 1), at + 2001 * NS);
  write_line(t, line_at(t, 4, 9, 0), at + 2002 * NS);
  assert_int_equal(sum(m, IMC_WPQ_WRITE_HIT, IMC_PCH(0)), 1);
  traffic_free(t);
  double_free(m);
}

static void refresh(void **state)
{
  (void)state;
  struct machine *m = double_new(0);
  struct traffic *t = double_traffic(m, at_once);
  traffic_advance(t, 39000 * NS); /* 10 * tREFI */
  assert_int_equal(sum(m, IMC_DRAM_REFRESH, REFRESH_HIGH(0)), 10);
  assert_int_equal(sum(m, IMC_DRAM_REFRESH, REFRESH_HIGH(1)), 10);
  assert_int_equal(sum(m, IMC_DRAM_PRE_ALL, 0), 0);
  /* a read that arrives just after the start of a refresh waits for its end */
  fs_t next = t->socket[0]->channel[0].pch[0].refresh[0];
  fs_t took = dram_read_line(t, line_at(t, 0, 5, 0), next) - next;
  assert_int_equal(took, 295 * NS + RCD + CL + BURST + PIPE / 2);
  traffic_free(t);
  double_free(m);
}

/* A refresh begins as soon as the open rows may be closed and are closed. */
static void refresh_waits_for_rows(void **state)
{
  (void)state;
  struct machine *m = double_new(0);
  struct traffic *t = double_traffic(m, at_once);
  const fs_t due = t->socket[0]->channel[0].pch[0].refresh[0], at = due - PIPE / 2 - NS;
  dram_read_line(t, line_at(t, 0, 5, 0), at); /* the activate is 1 ns earlier: tRAS has not elapsed */
  const fs_t took = dram_read_line(t, line_at(t, 8, 5, 0), due) - (due - NS);
  assert_int_equal(took, (32 + 16 + 295) * NS + RCD + CL + BURST + PIPE / 2);
  traffic_free(t);
  double_free(m);
}

/* A refresh is postponed while requests of its banks are pending, by four intervals at most. */
static void refresh_is_postponed(void **state)
{
  (void)state;
  struct machine *m = double_new(0);
  struct traffic *t = double_traffic(m, all_banks);
  const fs_t due = t->socket[0]->channel[0].pch[0].refresh[0], interval = 3900 * NS;
  fs_t at = due - 100 * NS, took = 0;
  for (unsigned i = 0; i < 16; i++) /* rows of one bank in sequence: 48 ns each, so that the last read waits long */
    took = dram_read_line(t, line_at(t, 0, 5 + i, 0), at) - at;
  assert_true(took > 15 * 48 * NS && took < 17 * 48 * NS);
  took = dram_read_line(t, line_at(t, 8, 5, 0), due + 100 * NS) - due - 100 * NS; /* precedes the refresh */
  assert_in_range(took, PIPE + RCD + CL + BURST, PIPE + RCD + CL + 4 * BURST);
  assert_int_equal(sum(m, IMC_DRAM_REFRESH, 0), 0);
  traffic_advance(t, due + 2000 * NS);
  assert_int_equal(sum(m, IMC_DRAM_REFRESH, REFRESH_HIGH(0)), 1);
  /* an unbroken sequence of rows of the bank */
  for (at = due + 2000 * NS; at < due + 11 * interval / 2; at += 40 * NS)
    dram_read_line(t, line_at(t, 0, 5 + (unsigned)(at / (40 * NS)) % 2, 0), at);
  assert_int_equal(sum(m, IMC_DRAM_REFRESH, REFRESH_HIGH(0)), 1);
  assert_int_equal(sum(m, IMC_DRAM_REFRESH, REFRESH_PANIC(0)), 1);
  traffic_free(t);
  double_free(m);
}

/* The same bank of each group refreshes, round-robin; the other banks continue, except for activates in the next 30
 * ns. */
static void refresh_of_one_bank(void **state)
{
  (void)state;
  struct machine *m = double_new(0);
  struct traffic *t = double_traffic(m, one_channel);
  traffic_advance(t, 39000 * NS); /* 10 * tREFI */
  assert_int_equal(sum(m, IMC_DRAM_REFRESH, REFRESH_HIGH(0)), 80);
  assert_int_equal(sum(m, IMC_DRAM_PRE_ALL, 0), 0);
  const fs_t interval = 3900 * NS / 8, next = t->socket[0]->channel[0].pch[0].refresh[0],
             closed = RCD + CL + BURST + PIPE / 2;
  const unsigned bank = (unsigned)(next / interval % 4);
  assert_int_equal(dram_read_line(t, line_at(t, 4 + bank, 5, 0), next) - next, 130 * NS + closed);
  assert_int_equal(dram_read_line(t, line_at(t, 8 + (bank ^ 2), 5, 0), next) - next, 30 * NS + closed);
  assert_int_equal(dram_read_line(t, line_at(t, 8 + (bank ^ 2), 5, 1), next + 200 * NS) - next - 200 * NS,
                   PIPE + CL + BURST);
  /* the next refresh takes the next bank */
  assert_int_equal(dram_read_line(t, line_at(t, 12 + (bank + 1) % 4, 5, 0), next + interval) - next - interval,
                   130 * NS + closed);
  traffic_free(t);
  double_free(m);
}

/* The limit of four activates in a window applies by time, not by requests. (The bus adds less than three bursts.) */
static void activates_by_time(void **state)
{
  (void)state;
  struct machine *m = double_new(0);
  struct traffic *t = double_traffic(m, at_once);
  const fs_t begin = 1000 * NS, closed = PIPE + RCD + CL + BURST, window = 11428000;
  dram_read_line(t, line_at(t, 0, 5, 0), begin);
  dram_read_line(t, line_at(t, 0, 6, 0), begin); /* activates at 48 ns */
  const struct {
    unsigned bank;
    fs_t at, activates;
  } reads[] = {
      {8, 9 * NS, 9 * NS},
      {16, 12 * NS, 12 * NS},
      {24, 15 * NS, 15 * NS},
      {1, 18 * NS, 18 * NS},
      {10, 19 * NS, 9 * NS + window}, /* the fifth activate of these */
      {18, 45 * NS, 45 * NS},
      {26, 46 * NS, 46 * NS},
      {9, 47 * NS, 47 * NS},
      {17, 44 * NS, 45 * NS + window}, /* requested last; there is no room before these four */
  };
  for (size_t i = 0; i < sizeof reads / sizeof *reads; i++) {
    const fs_t end = dram_read_line(t, line_at(t, reads[i].bank, 5, 0), begin + reads[i].at) - begin - closed;
    assert_in_range(end, reads[i].activates, reads[i].activates + 3 * BURST);
  }
  traffic_free(t);
  double_free(m);
}

/* Fills the write queue to its upper mark with lines of one bank, which drain slowly; returns the last write's time. */
static fs_t drain_slowly(struct traffic *t, fs_t at)
{
  for (unsigned i = 0; i < 36; i++)
    write_line(t, line_at(t, 4, 20, i), at + i * NS);
  traffic_advance(t, at + 50 * NS);
  return at + 36 * NS;
}

/* Reads wait during a drain; one that has waited too long goes first after it. */
static void starved_reads(void **state)
{
  (void)state;
  struct machine *m = double_new(0);
  struct traffic *t = double_traffic(m, one_channel);
  const fs_t at = drain_slowly(t, 1000 * NS);
  const struct pch *p = &t->socket[0]->channel[0].pch[0];
  const fs_t until = p->write_until;
  assert_true(until > at + 130 * NS);
  dram_read_line(t, line_at(t, 8, 1, 0), until - 50 * NS); /* has not waited too long */
  assert_int_equal(sum(m, IMC_RD_CAS_PRIO, EMR_UMASK(0x01)), 1);
  assert_int_equal(sum(m, IMC_MAJOR_MODE_CHANGE_PCH0, EMR_UMASK(0x40)), 0);
  dram_read_line(t, line_at(t, 16, 1, 0), until - 125 * NS);
  assert_int_equal(sum(m, IMC_PREEMPTION_MM_SWITCH, EMR_UMASK(0x01)), 2);
  assert_int_equal(sum(m, IMC_PREEMPTION_MM_SWITCH, EMR_UMASK(0x02)), 12); /* the writes that remain queued */
  assert_int_equal(sum(m, IMC_RD_CAS_PRIO, EMR_UMASK(0x04)), 1);
  assert_int_equal(sum(m, IMC_ACT_PRIO, EMR_UMASK(0x04)), 1);
  assert_int_equal(sum(m, IMC_MAJOR_MODE_CHANGE_PCH0, EMR_UMASK(0x40)), 1);
  /* until its column command: the other read's data; rows are opened during the drain */
  assert_int_equal(double_sum(m, 0, "imc", IMC_MAJOR_MODES, EMR_UMASK(0x02)).life_fs, BURST);
  traffic_advance(t, until + 100 * NS);
  assert_int_equal(sum(m, IMC_MAJOR_MODE_CHANGE_PCH0, EMR_UMASK(0x10)), 1);
  assert_int_equal(sum(m, IMC_MAJOR_MODE_CHANGE_PCH0, EMR_UMASK(0x80)), 0);
  assert_int_equal(sum(m, IMC_MAJOR_MODE_VOTE_MISMATCH, IMC_PCH(0)), 1); /* the other sub-channel has no writes */
  traffic_free(t);
  double_free(m);
}

/* An unbroken sequence of reads does not starve a write. */
static void starved_writes(void **state)
{
  (void)state;
  struct machine *m = double_new(0);
  struct traffic *t = double_traffic(m, one_channel);
  fs_t at = 1000 * NS;
  for (unsigned i = 0; i < 3; i++)
    write_line(t, line_at(t, 4, 9, i), at);
  for (; at < 5900 * NS; at += 100 * NS)
    dram_read_line(t, line_at(t, 0, 5, 1), at);
  for (unsigned i = 0; i < 2; i++)
    write_line(t, line_at(t, 12, 9, i), at);
  assert_int_equal(sum(m, IMC_CAS_COUNT, CAS_WR_NONPRE), 0);
  dram_read_line(t, line_at(t, 0, 5, 1), at + 200 * NS);
  assert_int_equal(sum(m, IMC_CAS_COUNT, CAS_WR_NONPRE), 3); /* only the old writes */
  assert_int_equal(sum(m, IMC_WR_CAS_PRIO, EMR_UMASK(0x04)), 3);
  assert_int_equal(sum(m, IMC_ACT_PRIO, EMR_UMASK(0x20)), 1);
  assert_int_equal(sum(m, IMC_MAJOR_MODE_CHANGE_PCH0, EMR_UMASK(0x01)), 1);
  assert_true(double_sum(m, 0, "imc", IMC_MAJOR_MODES, EMR_UMASK(0x08)).life_fs >= RCD + CL + 3 * BURST);
  traffic_advance(t, at + 400 * NS);
  assert_int_equal(sum(m, IMC_MAJOR_MODE_CHANGE_PCH0, EMR_UMASK(0x04)), 1);
  traffic_free(t);
  double_free(m);
}

/* A partial write first reads the rest of the line, with read commands that have their own event (underfill). */
static void underfills(void **state)
{
  (void)state;
  struct machine *m = double_new(0);
  struct traffic *t = double_traffic(m, one_channel);
  struct dram_place place;
  const fs_t at = 1000 * NS;
  address_dram(&t->map, line_at(t, 4, 9, 0), &place);
  assert_int_equal(dram_underfill(t, t->socket[0], &place, at) - at, PIPE / 2 + RCD + CL + BURST);
  assert_int_equal(sum(m, IMC_CAS_COUNT, CAS_RD_UNDERFILL), 1);
  assert_int_equal(sum(m, IMC_CAS_COUNT, 0), 1);
  assert_int_equal(sum(m, IMC_ACT_COUNT, ACT_UFILL(0)), 1);
  assert_int_equal(sum(m, IMC_CAS_ISSUED_REQ_LEN, EMR_UMASK(0x02)), 1);
  address_dram(&t->map, line_at(t, 4, 10, 0), &place);
  dram_underfill(t, t->socket[0], &place, at + 200 * NS);
  assert_int_equal(sum(m, IMC_PRE_COUNT, PRE_UFILL(0)), 1);
  assert_int_equal(sum(m, IMC_RDB_INSERTS, 0), 0); /* an underfill returns no data to the requester */
  traffic_free(t);
  double_free(m);
}

/* The cost of refreshes, of the limit of four activates in a window, and of self-refresh. */
static void refresh_costs(void **state)
{
  (void)state;
  struct machine *m = double_new(0);
  struct traffic *t = double_traffic(m, at_once);
  fs_t next = t->socket[0]->channel[0].pch[0].refresh[0];
  dram_read_line(t, line_at(t, 0, 5, 0), next);
  write_line(t, line_at(t, 4, 9, 0), next);
  assert_int_equal(sum(m, IMC_PREEMPTION, EMR_UMASK(0x01)), 1);
  assert_int_equal(sum(m, IMC_PREEMPTION, 0), 1);
  fs_t at = next + 1000 * NS;
  for (unsigned bank = 8; bank < 8 + 4 * 4; bank += 4)
    dram_read_line(t, line_at(t, bank, 1, 0), at);
  assert_int_equal(sum(m, IMC_PREEMPTION_AS, IMC_PCH(0)), 0);
  dram_read_line(t, line_at(t, 24, 1, 0), at);
  assert_int_equal(sum(m, IMC_PREEMPTION_AS, IMC_PCH(0)), 1);
  /* memory that is idle for long enters self-refresh, and leaves it in tRFC plus 10 ns */
  traffic_advance(t, at + 50000 * NS);
  assert_int_equal(double_sum(m, 0, "imc", IMC_POWER_SELF_REFRESH, 0).life_fs, 0);
  uint64_t refreshed = sum(m, IMC_DRAM_REFRESH, 0);
  at += 100000 * NS;
  traffic_advance(t, at);
  fs_t slept = double_sum(m, 0, "imc", IMC_POWER_SELF_REFRESH, 0).life_fs;
  assert_true(slept > 45000 * NS && slept < 49000 * NS);
  assert_true(sum(m, IMC_DRAM_REFRESH, 0) < refreshed + 4);
  assert_int_equal(dram_read_line(t, line_at(t, 0, 5, 0), at) - at, PIPE + RCD + CL + BURST + 305 * NS);
  traffic_free(t);
  double_free(m);
}

/* Reads are counted by importance. */
static void importance(void **state)
{
  (void)state;
  struct machine *m = double_new(0);
  struct traffic *t = double_traffic(m, one_channel);
  struct dram_place place;
  const uint64_t line = line_at(t, 0, 5, 0);
  address_dram(&t->map, line, &place);
  for (unsigned i = 0; i < 3; i++)
    dram_read(t, t->socket[0], &(struct dram_request){line, &place, (enum importance)i}, (1000 + 100 * i) * NS);
  for (unsigned i = 0; i < 3; i++)
    assert_int_equal(sum(m, IMC_RPQ_PRIO, EMR_UMASK(1u << i)), 1);
  dram_write(t, t->socket[0], &(struct dram_request){line, &place, IMPORTANCE_HIGH}, 2000 * NS);
  assert_int_equal(sum(m, IMC_WPQ_PRIO, EMR_UMASK(0x04)), 1);
  dram_read(t, t->socket[0], &(struct dram_request){line, &place, IMPORTANCE_LOW}, 2100 * NS);
  assert_int_equal(sum(m, IMC_WPQ_PRIO, EMR_UMASK(0x08)), 1);
  assert_int_equal(sum(m, IMC_RPQ_PRIO, EMR_UMASK(0x08)), 1);
  assert_int_equal(sum(m, IMC_RPQ_PRIO, 0), 4);
  traffic_free(t);
  double_free(m);
}

/* E5-2600: a read of an open row goes before an earlier read that must open its row, but not if it arrives when the
 * channel is idle again. An underfill read that has waited too long goes before the other writes. */
static void preemption(void **state)
{
  static const char *const settings[] = {
      "platform=snbep", "sockets=1",   "cores=1",          "chas=1",         "channels=1",
      "dram.ranks=1",   "dram.wpq=64", "dram.wpq_high=56", "dram.wpq_low=2", NULL};
  struct machine *m = double_new(0);
  struct traffic *t = double_traffic(m, settings);
  const fs_t at = 1000 * NS, later = at + 100 * NS, busy = at + 10000 * NS;
  struct dram_place place;
  (void)state;
  dram_read_line(t, line_at(t, 1, 7, 0), at);
  assert_int_equal(sum(m, SNB_IMC_PREEMPTION, 0), 0);
  dram_read_line(t, line_at(t, 0, 5, 0), later);
  assert_int_equal(sum(m, SNB_IMC_PREEMPTION, 0), 0);
  dram_read_line(t, line_at(t, 1, 7, 1), later + NS);
  assert_int_equal(sum(m, SNB_IMC_PREEMPTION, SNB_UMASK(0x01)), 1);
  dram_read_line(t, line_at(t, 1, 7, 2), later + 500 * NS);
  assert_int_equal(sum(m, SNB_IMC_PREEMPTION, 0), 1);
  for (unsigned i = 0; i < 56; i++) /* one burst each: more than 200 ns */
    write_line(t, line_at(t, 2, 1, i), busy);
  address_dram(&t->map, line_at(t, 5, 5, 0), &place);
  dram_underfill(t, t->socket[0], &place, busy + 10 * NS);
  assert_int_equal(sum(m, SNB_IMC_PREEMPTION, SNB_UMASK(0x02)), 1);
  dram_underfill(t, t->socket[0], &place, busy + 100000 * NS);
  assert_int_equal(sum(m, SNB_IMC_PREEMPTION, 0), 2);
  traffic_free(t);
  double_free(m);
}

/* One step to a much later time leaves nothing pending in either sub-channel: the drain that is due has ended, and so
 * has the one that the idle channel starts. */
static void both_halves_drain(void **state)
{
  (void)state;
  struct machine *m = double_new(0);
  struct traffic *t = double_traffic(m, one_channel);
  for (unsigned i = 0; i < 300; i++)
    write_line(t, i, 1000 * NS + i * NS);
  traffic_advance(t, 1000000 * NS);
  assert_int_equal(t->socket[0]->totals.wpq_inserts, 300);
  assert_int_equal(t->socket[0]->totals.wpq_inside, 0);
  traffic_free(t);
  double_free(m);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(reads),
                                     cmocka_unit_test(writes),
                                     cmocka_unit_test(both_halves_drain),
                                     cmocka_unit_test(refresh),
                                     cmocka_unit_test(refresh_waits_for_rows),
                                     cmocka_unit_test(activates_by_time),
                                     cmocka_unit_test(starved_reads),
                                     cmocka_unit_test(starved_writes),
                                     cmocka_unit_test(underfills),
                                     cmocka_unit_test(refresh_costs),
                                     cmocka_unit_test(refresh_is_postponed),
                                     cmocka_unit_test(refresh_of_one_bank),
                                     cmocka_unit_test(importance),
                                     cmocka_unit_test(preemption)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
