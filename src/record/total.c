/* SPDX-License-Identifier: MIT */
/* Totals in the rows of a recording. Most counters run all the time and need a few bytes. */
#include <endian.h>
#include <string.h>
#include "src/record/total.h"

/* A spread is a row of little-endian doubles: near_cc, near_ct, near_tt, near_pairs, far_cc, far_ct, far_tt, far_pairs,
 * lengths, length_squares; then count, seconds, turn and round of each peak; then a tail up to its last value in use:
 * the unseen part; the total time of the slices that counted, if some did not; the number by a witness divided by that
 * by time; how far the number may be off by the end. A tail with all four values is as long as a peak: it follows all
 * peaks, of which the lowest may be zeros. One slice has only the first three values of the tail. */
enum { SPREAD_HEAD = 10, SPREAD_PEAK = 4, SPREAD_TAIL = 4 };
enum { SPREAD_PEAKS = SPREAD_HEAD + SAMPLE_PEAKS * SPREAD_PEAK, SPREAD_MOST = SPREAD_PEAKS + SPREAD_TAIL };

static void put_double(unsigned char *to, double v)
{
  uint64_t bits;
  memcpy(&bits, &v, sizeof bits);
  bits = htole64(bits);
  memcpy(to, &bits, sizeof bits);
}

static double get_double(const unsigned char *from)
{
  uint64_t bits;
  double v;
  memcpy(&bits, from, sizeof bits);
  bits = le64toh(bits);
  memcpy(&v, &bits, sizeof v);
  return v;
}

/* Returns the number of a round, -1 for every round. */
static double round_number(uint32_t round)
{
  return round == UINT32_MAX ? -1 : (double)round;
}

static size_t list_spread(const struct sample_total *t, double *v)
{
  size_t n = 0;
  for (int i = 0; i < 2; i++) {
    v[n++] = t->spread[i].cc;
    v[n++] = t->spread[i].ct;
    v[n++] = t->spread[i].tt;
    v[n++] = t->spread[i].pairs;
  }
  v[n++] = t->lengths;
  v[n++] = t->length_squares;
  for (int i = 0; i < SAMPLE_PEAKS && (t->peak[i].count > 0 || t->off > 0); i++) {
    v[n++] = t->peak[i].count;
    v[n++] = t->peak[i].seconds;
    v[n++] = t->peak[i].slice_number;
    v[n++] = round_number(t->peak[i].round);
  }
  return n;
}

static size_t write_spread(const struct sample_total *t, unsigned char *to)
{
  double v[SPREAD_MOST];
  const bool paused = t->slices > 1 && t->busy < t->seconds;
  size_t n = t->slices > 1 ? list_spread(t, v) : 0;
  const bool off = t->slices > 1 && t->off > 0, weighed = t->times > 0 || off;
  if (t->unseen > 0 || paused || weighed)
    v[n++] = t->unseen;
  if (paused || weighed)
    v[n++] = t->busy;
  if (weighed)
    v[n++] = t->times;
  if (off)
    v[n++] = t->off;
  for (size_t i = 0; i < n; i++)
    put_double(to + i * sizeof *v, v[i]);
  return n * sizeof *v;
}

void record_total_bind(sqlite3_stmt *stmt, int at, const struct sample_total *t)
{
  unsigned char spread[SPREAD_MOST * sizeof(double)];
  sqlite3_bind_double(stmt, at, t->count);
  sqlite3_bind_double(stmt, at + 1, t->seconds);
  sqlite3_bind_int64(stmt, at + 2, t->slices);
  sqlite3_bind_int64(stmt, at + 3, t->seen);
  sqlite3_bind_int64(stmt, at + 4, t->round == UINT32_MAX ? -1 : (int64_t)t->round);
  sqlite3_bind_int64(stmt, at + 5, t->slices == 1 ? (int64_t)t->peak[0].slice_number : 0);
  const size_t bytes = write_spread(t, spread);
  if (bytes)
    sqlite3_bind_blob(stmt, at + 6, spread, (int)bytes, SQLITE_TRANSIENT);
  else
    sqlite3_bind_null(stmt, at + 6);
}

static bool read_real(sqlite3_stmt *stmt, int column, double *ret)
{
  const int type = sqlite3_column_type(stmt, column);
  *ret = sqlite3_column_double(stmt, column);
  return (type == SQLITE_INTEGER || type == SQLITE_FLOAT) && *ret >= 0 && *ret < 1e300;
}

static bool read_whole(sqlite3_stmt *stmt, int column, int64_t most, uint32_t *ret)
{
  const int type = sqlite3_column_type(stmt, column);
  const int64_t v = sqlite3_column_int64(stmt, column);
  *ret = (uint32_t)v;
  return (type == SQLITE_INTEGER || type == SQLITE_FLOAT) && v >= 0 && v <= most;
}

/* Reads a whole number that is a double in a spread, from -1 (rounds only: every round) to `most`. */
static bool spread_whole(double v, double least, double most, uint32_t *ret)
{
  if (!(v >= least && v <= most) || v != (double)(int64_t)v)
    return false;
  *ret = (uint32_t)(int64_t)v;
  return true;
}

static bool spread_part(const double *v, uint32_t most, struct sample_spread *s)
{
  *s = (struct sample_spread){.cc = v[0], .ct = v[1], .tt = v[2]};
  return v[0] >= 0 && v[0] < 1e300 && v[1] > -1e300 && v[1] < 1e300 && v[2] >= 0 && v[2] < 1e300 &&
         spread_whole(v[3], 0, most, &s->pairs);
}

/* True for the factor of a witness: none, or one that sessions use (src/session/ratio.c), or a rounded mean of such
 * factors. */
static bool is_factor(double times)
{
  return times == 0 || (times > 1 / SAMPLE_TIMES_MOST - 1e-9 && times < SAMPLE_TIMES_MOST + 1e-9);
}

/* Reads the tail of a spread: the first n of SPREAD_TAIL values. */
static bool take_tail(const double *v, size_t n, struct sample_total *t)
{
  t->unseen = n > 0 ? v[0] : 0;
  t->busy = n > 1 ? v[1] : t->busy;
  t->times = n > 2 ? v[2] : 0;
  t->off = n > 3 ? v[3] : 0;
  return n <= SPREAD_TAIL && t->unseen >= 0 && t->unseen <= 1 && t->busy >= 0 && t->busy <= t->seconds &&
         is_factor(t->times) && t->off >= 0 && t->off < 1e300;
}

static bool read_spread(const unsigned char *from, size_t size, uint32_t rounds, struct sample_total *t)
{
  size_t n = size / sizeof(double);
  double v[SPREAD_MOST] = {0};
  if (size % sizeof *v || n < SPREAD_HEAD || n > SPREAD_MOST)
    return false;
  for (size_t i = 0; i < n; i++)
    v[i] = get_double(from + i * sizeof *v);
  const size_t more = n == SPREAD_MOST ? SPREAD_TAIL : (n - SPREAD_HEAD) % SPREAD_PEAK;
  n -= more;
  t->busy = t->seconds;
  bool good = take_tail(&v[n], more, t) && spread_part(v, t->slices - 1, &t->spread[0]) &&
              spread_part(v + 4, t->slices - 2, &t->spread[1]);
  t->lengths = v[8];
  t->length_squares = v[9];
  good = good && v[8] >= 0 && v[8] < 1e300 && v[9] >= 0 && v[9] < 1e300;
  for (size_t i = SPREAD_HEAD; good && i < n; i += SPREAD_PEAK) {
    struct sample_peak peak = {.count = v[i], .seconds = v[i + 1]};
    good = v[i] >= 0 && v[i] < 1e300 && v[i + 1] >= 0 && v[i + 1] < 1e300 &&
           spread_whole(v[i + 2], 0, UINT32_MAX, &peak.slice_number) &&
           spread_whole(v[i + 3], -1, (double)rounds - 1, &peak.round);
    if (good)
      pmon_private_add_peak(t, &peak);
  }
  return good;
}

/* Reads the tail of a single slice: the time for which it counted follows from the slice, and is not the last value. */
static bool read_tail(const unsigned char *from, size_t size, struct sample_total *t)
{
  double v[SPREAD_TAIL];
  const size_t n = size / sizeof *v;
  if (size % sizeof *v || n >= SPREAD_TAIL || n == 2)
    return false;
  for (size_t i = 0; i < n; i++)
    v[i] = get_double(from + i * sizeof *v);
  return take_tail(v, n, t);
}

bool record_total_read(sqlite3_stmt *stmt, int at, uint32_t rounds, struct sample_total *ret_total)
{
  struct sample_total t = {0};
  uint32_t turn;
  const int type = sqlite3_column_type(stmt, at + 4);
  const int64_t round = sqlite3_column_int64(stmt, at + 4);
  bool good = read_real(stmt, at, &t.count) && read_real(stmt, at + 1, &t.seconds) &&
              read_whole(stmt, at + 2, UINT32_MAX, &t.slices) && read_whole(stmt, at + 3, t.slices, &t.seen) &&
              (type == SQLITE_INTEGER || type == SQLITE_FLOAT) && round >= -1 && round < (int64_t)rounds &&
              read_whole(stmt, at + 5, UINT32_MAX, &turn);
  t.round = (uint32_t)round;
  const unsigned char *spread = sqlite3_column_blob(stmt, at + 6);
  const size_t bytes = (size_t)sqlite3_column_bytes(stmt, at + 6);
  if (good && t.slices > 1) {
    good = spread && read_spread(spread, bytes, rounds, &t);
  } else if (good && t.slices) {
    t.busy = t.count > 0 ? t.seconds : 0;
    good = read_tail(spread, bytes, &t);
    pmon_private_add_peak(&t, &(struct sample_peak){t.count, t.seconds, turn, t.round});
  }
  if (good)
    *ret_total = t;
  return good;
}

/* Returns the weighted mean of two numbers; exact if only one has a weight, or if they are equal. */
static double mean_of(double a, double weight_a, double b, double weight_b)
{
  if (weight_a <= 0 || a == b)
    return b;
  return weight_b <= 0 ? a : (a * weight_a + b * weight_b) / (weight_a + weight_b);
}

/* Returns the mean of the factors, weighted by counts, because each interval was scaled by its own witness. The numbers
 * then add up if both were counted for the same part of the time; otherwise the sum is scaled by time like one without
 * a witness. */
static double add_times(const struct sample_total *a, const struct sample_total *b)
{
  if (a->count + b->count <= 0 || (a->times <= 0 && b->times <= 0))
    return 0;
  return mean_of(a->times > 0 ? a->times : 1, a->count, b->times > 0 ? b->times : 1, b->count);
}

void record_total_add(struct sample_total *into, const struct sample_total *from)
{
  into->unseen =
      into->seconds + from->seconds > 0 ? mean_of(into->unseen, into->seconds, from->unseen, from->seconds) : 0;
  into->times = add_times(into, from);
  into->off += from->off;
  into->count += from->count;
  into->seconds += from->seconds;
  into->slices += from->slices;
  into->seen += from->seen;
  into->busy += from->busy;
  into->flags |= from->flags;
  into->round = from->round;
  for (int i = 0; i < 2; i++) {
    into->spread[i].cc += from->spread[i].cc;
    into->spread[i].ct += from->spread[i].ct;
    into->spread[i].tt += from->spread[i].tt;
    into->spread[i].pairs += from->spread[i].pairs;
  }
  into->lengths += from->lengths;
  into->length_squares += from->length_squares;
  for (int i = 0; i < SAMPLE_PEAKS; i++)
    pmon_private_add_peak(into, &from->peak[i]);
}
