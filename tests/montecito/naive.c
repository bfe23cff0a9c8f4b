/* SPDX-License-Identifier: MIT */
#include "tests/montecito/naive.h"

/* The events that the test draws from: code, type, maximum increment, set; mesi and `always all` as letters. */
static const struct fact {
  unsigned code;
  char type;
  unsigned max;
  char kind;
  int set;
  char extra;
} facts[] = {
    {0xdc, 'F', 1, ' ', 0, ' '}, {0x54, 'A', 3, ' ', 0, ' '}, {0x50, 'A', 6, ' ', 0, ' '}, {0x87, 'S', 1, ' ', 0, ' '},
    {0x9e, 'S', 2, 's', 0, ' '}, {0x7f, 'C', 1, ' ', 0, ' '}, {0xb7, 'C', 7, ' ', 0, 'a'}, {0xb5, 'F', 7, ' ', 0, ' '},
    {0xdd, 'F', 1, ' ', 0, 'm'}, {0xcd, 'A', 4, 'd', 3, ' '}, {0xce, 'A', 4, 'd', 3, ' '}, {0xd1, 'A', 2, 'd', 4, ' '},
    {0xe6, 'F', 4, '2', 2, ' '}, {0xea, 'F', 4, '2', 4, 'r'}, {0xf0, 'F', 4, '2', 7, 'n'},
};

static const struct fact *fact_of(unsigned code)
{
  for (unsigned i = 0; i < sizeof facts / sizeof *facts; i++)
    if (facts[i].code == code)
      return &facts[i];
  return 0;
}

static unsigned code_of(uint64_t pmc)
{
  return pmc >> 8 & 0xff;
}

/* Monitor Enable of 3.3.1. */
static bool enabled(const struct naive *s, unsigned t, unsigned i)
{
  const uint64_t pmc = s->pmc[t][i], cpl = s->psr[t] >> 32 & 3;
  const bool up = s->psr[t] >> 2 & 1, pp = s->psr[t] >> 21 & 1, pm = pmc >> 6 & 1;
  return !(s->pmc[t][0] & 1) && (pmc >> cpl & 1) && (pmc >> 24 & 3) == 2 && ((!pm && up) || (pm && pp));
}

/* Returns the register that selects umask and .all: PMC4 for counters 5 and 8, PMC6 for 7 and 9, within the L2D's
 * sets. */
static unsigned chooser(const struct fact *f, unsigned i)
{
  if (f->kind != '2')
    return i;
  return i == 4 || i == 5 || i == 8 ? 4 : 6;
}

static bool selected(const struct naive *s, unsigned t, const struct fact *f, unsigned i)
{
  unsigned leader;
  const struct fact *other;
  if (((f->code >= 0x80 && f->code < 0xc0) || f->code >= 0xe0) && i > 9)
    return false;
  if (f->kind != 'd' && f->kind != '2')
    return true;
  leader = f->kind == 'd' ? 5 : chooser(f, i);
  other = fact_of(code_of(s->pmc[t][leader]));
  return other && (s->pmc[t][leader] & 0xf) && other->kind == f->kind && other->set == f->set;
}

static bool both_threads(const struct naive *s, unsigned t, const struct fact *f, unsigned i, unsigned umask)
{
  if (i > 9)
    return false;
  if (f->extra == 'a')
    return true;
  if (f->extra == 'n' || (f->extra == 'r' && umask >= 4 && umask < 8))
    return false;
  return s->pmc[t][chooser(f, i)] >> 26 & 1;
}

static unsigned owner(const struct naive *s, const struct fact *f, unsigned umask, unsigned thread)
{
  const bool self = f->kind == 's' ? umask & 1 : (umask & 3) == 2;
  if (f->type == 'C' || (f->type == 'S' && !self))
    return s->active;
  return thread;
}

/* Returns the increment of counter i of thread t in this cycle. */
static unsigned step(const struct naive *s, unsigned t, unsigned i, const unsigned what[4])
{
  const struct fact *f = fact_of(what[0]);
  const uint64_t pmc = s->pmc[t][i];
  unsigned umask, n = what[2];
  const unsigned threshold = pmc >> 20 & 7;
  if (!f || code_of(pmc) != what[0] || !enabled(s, t, i) || !selected(s, t, f, i) || (i > 9 && t != s->active))
    return 0;
  umask = s->pmc[t][chooser(f, i)] >> 16 & 0xf;
  if (!(what[1] >> umask & 1) || (f->extra == 'm' && !(pmc >> 27 & 0xf)))
    return 0;
  if (owner(s, f, umask, what[3]) != t && !both_threads(s, t, f, i, umask))
    return 0;
  n = n > f->max ? f->max : n;
  return threshold ? n > threshold : n;
}

void naive_cycle(struct naive *s, unsigned code, unsigned umasks, unsigned n, unsigned thread)
{
  const unsigned what[4] = {code, umasks, n, thread};
  const struct naive before = *s;
  for (unsigned t = 0; t < 2; t++)
    for (unsigned i = 4; i < 16; i++) {
      s->pmd[t][i] += step(&before, t, i, what);
      if (!(s->pmd[t][i] >> 47))
        continue;
      s->pmd[t][i] &= (UINT64_C(1) << 47) - 1;
      s->pmc[t][0] |= UINT64_C(1) << i;
      s->pmc[t][0] |= s->pmc[t][i] >> 5 & 1;
    }
}
