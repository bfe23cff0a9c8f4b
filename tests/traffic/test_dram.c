/* SPDX-License-Identifier: MIT */
/* The commands and times of a memory channel on a trace short enough to work out by hand (one channel, one rank). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "double.h"
#include "machine/traffic/state.h"

#define NS 1000000ull
/* 9 ns through the controller, tRCD 16, tRP 16, CL 16.4, and a burst of eight clocks of 1/2.8 GHz */
#define PIPE (9 * NS)
#define RCD (16 * NS)
#define RP (16 * NS)
#define CL 16400000ull
#define BURST (8 * 357142ull)

static const char *const one_channel[] = { "sockets=1", "cores=1", "imcs=1", "channels=1", "dram.ranks=1", NULL };

/* A line of that place: the map is one to one, so there are many; `nth` of them. */
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

static fs_t read_line(struct traffic *t, uint64_t line, fs_t at)
{
  struct dram_place place;
  address_dram(&t->map, line, &place);
  return dram_read(t, t->socket[0], line, &place, at);
}

static fs_t write_line(struct traffic *t, uint64_t line, fs_t at)
{
  struct dram_place place;
  address_dram(&t->map, line, &place);
  return dram_write(t, t->socket[0], line, &place, at);
}

static void reads(void **state)
{
  (void)state;
  struct machine *m = double_new(0);
  struct traffic *t = double_traffic(m, one_channel);
  fs_t at = 1000 * NS;
  /* nothing open: activate, then read */
  assert_int_equal(read_line(t, line_at(t, 0, 5, 0), at) - at, PIPE + RCD + CL + BURST);
  assert_int_equal(sum(m, IMC_ACT_COUNT, ACT_RD(0)), 1);
  assert_int_equal(sum(m, IMC_PRE_COUNT, 0), 0);
  /* the row is open */
  at += 200 * NS;
  assert_int_equal(read_line(t, line_at(t, 0, 5, 1), at) - at, PIPE + CL + BURST);
  assert_int_equal(sum(m, IMC_ACT_COUNT, 0), 1);
  /* another row of the bank: precharge, activate, read */
  at += 200 * NS;
  assert_int_equal(read_line(t, line_at(t, 0, 6, 0), at) - at, PIPE + RP + RCD + CL + BURST);
  assert_int_equal(sum(m, IMC_PRE_COUNT, PRE_RD(0)), 1);
  /* three at once to open rows of three banks share the bus: each a burst later */
  at += 200 * NS;
  read_line(t, line_at(t, 8, 1, 0), at);
  read_line(t, line_at(t, 16, 1, 0), at);
  at += 200 * NS;
  fs_t first = read_line(t, line_at(t, 0, 6, 1), at), second = read_line(t, line_at(t, 8, 1, 1), at);
  fs_t third = read_line(t, line_at(t, 16, 1, 1), at);
  assert_int_equal(first - at, PIPE + CL + BURST);
  assert_true(second >= first + BURST - 1 && third >= second + BURST - 1);
  assert_true(third <= first + 3 * BURST);
  assert_int_equal(sum(m, IMC_CAS_COUNT, CAS_RD_REG), 8);
  assert_int_equal(sum(m, IMC_ACT_COUNT, ACT_RD(0)), 4);
  assert_int_equal(sum(m, IMC_RPQ_INSERTS, IMC_PCH(0)), 8);
  /* a row left alone for 1 us is closed by the page table: the first three reads' banks, and the other two */
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
  assert_int_equal(sum(m, IMC_CAS_COUNT, 0), 0);          /* all wait */
  assert_int_equal(sum(m, IMC_WPQ_INSERTS, IMC_PCH(0)), 35);
  write_line(t, line_at(t, 4, 9, 40), at + 40 * NS);   /* the upper mark: 24 of 36 go, one row after the other */
  assert_int_equal(sum(m, IMC_CAS_COUNT, CAS_WR_NONPRE), 24);
  assert_int_equal(sum(m, IMC_ACT_COUNT, ACT_WR(0)), 2);  /* 19 of row 9, then 5 of row 10 */
  assert_int_equal(sum(m, IMC_PRE_COUNT, PRE_WR(0)), 1);
  assert_int_equal(sum(m, IMC_MAJOR_MODE_CHANGE_PCH0, EMR_UMASK(0x02)), 1);
  assert_true(double_sum(m, 0, "imc", IMC_MAJOR_MODES, EMR_UMASK(0x04)).life_fs >= 24 * BURST);
  /* a read of a line that waits makes the rest go first */
  read_line(t, line_at(t, 4, 10, 16), at + 400 * NS);
  assert_int_equal(sum(m, IMC_WPQ_READ_HIT, IMC_PCH(0)), 1);
  assert_int_equal(sum(m, IMC_CAS_COUNT, CAS_WR_NONPRE), 36);
  assert_int_equal(sum(m, IMC_CAS_COUNT, CAS_RD_REG), 1);
  /* many waited at once: entries' time is far more than the queue's */
  uint64_t held = double_sum(m, 0, "imc", IMC_WPQ_OCCUPANCY_PCH0, 0).life_fs;
  uint64_t busy = double_sum(m, 0, "imc", IMC_WPQ_CYCLES_NE, IMC_PCH(0)).life_fs;
  assert_true(busy > 400 * NS && busy < 700 * NS && held > 12 * busy && held < 36 * busy);
  traffic_free(t);
  double_free(m);
}

static void refresh(void **state)
{
  (void)state;
  struct machine *m = double_new(0);
  struct traffic *t = double_traffic(m, one_channel);
  traffic_advance(t, 39000 * NS);                          /* ten times tREFI */
  assert_int_equal(sum(m, IMC_DRAM_REFRESH, REFRESH_HIGH(0)), 10);
  assert_int_equal(sum(m, IMC_DRAM_REFRESH, REFRESH_HIGH(1)), 10);
  assert_int_equal(sum(m, IMC_DRAM_PRE_ALL, 0), 0);
  /* a read that comes just after a refresh began waits for its end */
  fs_t next = t->socket[0]->channel[0].pch[0].refresh[0];
  fs_t took = read_line(t, line_at(t, 0, 5, 0), next) - next;
  assert_int_equal(took, 295 * NS + RCD + CL + BURST + PIPE / 2);
  traffic_free(t);
  double_free(m);
}

int main(void)
{
  const struct CMUnitTest tests[] = { cmocka_unit_test(reads), cmocka_unit_test(writes), cmocka_unit_test(refresh) };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
