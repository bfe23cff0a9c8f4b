/* SPDX-License-Identifier: MIT */
/*
 * Makes programs of functions that call each other, with blocks, loops of all kinds and forward branches. The programs
 * end: counts are small, and each function calls only the next. Instructions of one bundle are independent, as the
 * architecture requires.
 */
#include <string.h>
#include "tests/montecito/exec/random/fields.h"

struct generator {
  struct program *p;
  uint64_t state;
  struct frame frame;
  unsigned function, depth; /* depth: of enclosing loops and branches */
  bool calls[FUNCTIONS];
};

static const struct {
  uint8_t number;
  const char *units;
} templates[] = {{0x01, "MII"}, {0x03, "MII"}, {0x09, "MMI"}, {0x0b, "MMI"}, {0x0d, "MFI"}, {0x0f, "MMF"},
                 {0x11, "MIB"}, {0x13, "MBB"}, {0x17, "BBB"}, {0x19, "MMB"}, {0x1d, "MFB"}};
enum { TEMPLATES = sizeof templates / sizeof *templates, TRIES = 4, ROOM = 300 };

static unsigned below(struct generator *g, unsigned n)
{
  return random_below(&g->state, n);
}

static bool has_room(const struct generator *g)
{
  return g->p->n < MOST_BUNDLES - ROOM;
}

/* Adds a bundle with random instructions in the free slots of all units but B. `fixed`, unless NULL, goes to a slot of
 * its unit; `alone`: with no other instruction. */
static unsigned bundle_add(struct generator *g, const struct insn *fixed, bool alone)
{
  const char unit = fixed ? fixed->row->unit : 'A';
  unsigned t = below(g, TEMPLATES), at = 3;
  while (fixed && !strchr(templates[t].units, unit == 'A' ? 'M' : unit))
    t = below(g, TEMPLATES);
  for (unsigned i = 0; fixed && i < 3; i++)
    if (at == 3 && templates[t].units[i] == (unit == 'A' ? 'M' : unit))
      at = i;
  struct bundle *b = &g->p->bundle[g->p->n];
  struct uses u = {0};
  *b = (struct bundle){.template = templates[t].number};
  if (fixed) {
    b->slot[at] = *fixed;
    uses_add(&u, fixed);
  }
  for (unsigned i = 0; i < 3 && !alone; i++)
    for (unsigned k = 0; k < TRIES && i != at && templates[t].units[i] != 'B' && !b->slot[i].row; k++) {
      const struct insn v =
          random_fields(&g->state, &g->frame, row_random(templates[t].units[i], next_random(&g->state)));
      if (uses_add(&u, &v))
        b->slot[i] = v;
    }
  return g->p->n++;
}

static void movl_add(struct generator *g, unsigned r, uint64_t value)
{
  struct bundle *b = &g->p->bundle[g->p->n++];
  *b = (struct bundle){.template = 0x05};
  b->slot[2] = (struct insn){.row = row_find("movl"), .r1 = (uint8_t)r, .imm = (int64_t)value};
}

/* r = imm14, two to a bundle. */
static void registers_set(struct generator *g, unsigned from, unsigned to)
{
  const struct row *adds = row_find("adds");
  for (unsigned r = from; r < to; r += 2) {
    struct bundle *b = &g->p->bundle[g->p->n++];
    *b = (struct bundle){.template = 0x09};
    for (unsigned i = 0; i < 2 && r + i < to; i++)
      b->slot[i] = (struct insn){.row = adds, .r1 = (uint8_t)(r + i), .imm = (int64_t)below(g, 16384) - 8192};
  }
}

/* Adds an instruction whose source must not be NaT, mostly only when it is not NaT. */
static void consumer_add(struct generator *g, struct insn v)
{
  if (below(g, 8)) {
    const struct insn test = {
        .row = row_find("tnat.z"), .r3 = v.r2, .p1 = PRED_VALID}; /* p14: r2 is not NaT; tnat is true where bit is 0 */
    bundle_add(g, &test, true);
    v.qp = PRED_VALID;
  }
  bundle_add(g, &v, false);
}

static uint64_t data_address(struct generator *g, unsigned bytes)
{
  return DATA_BASE + below(g, DATA_BYTES / bytes) * bytes;
}

/* Adds one access; rarely, a load from an unmapped address. */
static void block_access(struct generator *g)
{
  struct insn v = random_fields(&g->state, &g->frame, row_random_access(next_random(&g->state)));
  const bool speculative = strncmp(v.row->name, "ld.s", 4) == 0;
  const bool wild = below(g, speculative ? 4 : 400) == 0;
  v.r3 = (uint8_t)(REG_POINTER + below(g, 3));
  movl_add(g, v.r3, wild ? 0x10000 : data_address(g, (unsigned)v.row->a));
  if (below(g, 2))
    bundle_add(g, NULL, false);
  if (v.row->form == FORM_ST || v.row->form == FORM_ST_IMM || v.row->form == FORM_XCHG)
    consumer_add(g, v);
  else if (v.row->form != FORM_STF || v.row->a == 16 || below(g, 8) == 0)
    bundle_add(g, &v, false);
}

static void block_consumer(struct generator *g)
{
  static const char *const names[] = {"mov.to.br", "mov.to.pr", "mov.to.ccv", "mov.to.unat"};
  consumer_add(g, random_fields(&g->state, &g->frame, row_find(names[below(g, 4)])));
}

static void block_add(struct generator *g);

/* Adds an advanced load, stores that may overlap it, and the check. */
static void block_advanced(struct generator *g)
{
  struct insn load = {.row = row_find("ld8.a"), .r1 = REG_CHECKED, .r3 = REG_CHECKED_AT};
  const uint64_t address = data_address(g, 8);
  movl_add(g, REG_CHECKED_AT, address);
  bundle_add(g, &load, false);
  for (unsigned i = below(g, 4); i > 0; i--)
    block_access(g);
  if (below(g, 2)) {
    const struct insn store = {.row = row_find("st8"), .r2 = REG_STACK + 1, .r3 = REG_POINTER};
    movl_add(g, REG_POINTER, address);
    bundle_add(g, &store, true);
  }
  load.row = row_find(below(g, 2) ? "ld8.c.clr" : "ld8.c.nc");
  bundle_add(g, &load, false);
  const struct insn check = {
      .row = row_find(below(g, 2) ? "chk.a.nc" : "chk.a.clr"), .r1 = REG_CHECKED, .target = g->p->n + 1};
  bundle_add(g, &check, true);
}

static void blocks_add(struct generator *g, unsigned n)
{
  g->depth++;
  for (unsigned i = 0; i < n && has_room(g); i++)
    block_add(g);
  g->depth--;
}

/* Adds a branch or check over some blocks. */
static void block_forward(struct generator *g)
{
  struct insn v = random_fields(&g->state, &g->frame, row_find(below(g, 3) ? "br.cond" : "chk.s.m"));
  if (v.row->form == FORM_BR)
    v.qp = (uint8_t)below(g, PRED_VALID);
  const unsigned at = bundle_add(g, &v, false);
  blocks_add(g, 1 + below(g, 2));
  for (unsigned i = 0; i < 3; i++)
    if (g->p->bundle[at].slot[i].row == v.row)
      g->p->bundle[at].slot[i].target = g->p->n;
}

static void immediate_add(struct generator *g, const char *name, int64_t imm)
{
  const struct insn v = {.row = row_find(name), .imm = imm};
  bundle_add(g, &v, false);
}

static void block_counted_loop(struct generator *g)
{
  static const char *const names[] = {"br.cloop", "br.ctop"};
  struct insn v = {.row = row_find(names[below(g, 2)])};
  immediate_add(g, "mov.lc.imm", below(g, 5));
  immediate_add(g, "mov.ec.imm", below(g, 4));
  v.target = g->p->n;
  blocks_add(g, 1 + below(g, 3));
  bundle_add(g, &v, false);
}

/* Adds a loop whose exit is at the top: br.cexit leaves, and a branch at the end goes back. */
static void block_exit_loop(struct generator *g)
{
  struct insn leave = {.row = row_find("br.cexit")}, back = {.row = row_find("br.cond")};
  immediate_add(g, "mov.lc.imm", below(g, 4));
  immediate_add(g, "mov.ec.imm", below(g, 4));
  back.target = g->p->n;
  const unsigned at = bundle_add(g, &leave, true);
  blocks_add(g, 1 + below(g, 2));
  bundle_add(g, &back, true);
  for (unsigned i = 0; i < 3; i++)
    if (g->p->bundle[at].slot[i].row == leave.row)
      g->p->bundle[at].slot[i].target = g->p->n;
}

static void block_while_loop(struct generator *g)
{
  const struct insn count = {.row = row_find("adds"), .r1 = REG_COUNT, .r3 = REG_COUNT, .imm = -1};
  const struct insn test = {.row = row_find("cmp.lt"), .r2 = 0, .r3 = REG_COUNT, .p1 = PRED_WHILE};
  struct insn v = {.row = row_find("br.wtop"), .qp = PRED_WHILE};
  movl_add(g, REG_COUNT, below(g, 5));
  immediate_add(g, "mov.ec.imm", below(g, 4));
  v.target = g->p->n;
  blocks_add(g, 1 + below(g, 2));
  bundle_add(g, &count, true);
  bundle_add(g, &test, true);
  bundle_add(g, &v, false);
}

/* The registers that the callee used are undefined afterwards. */
static void block_call(struct generator *g)
{
  const unsigned callee = g->function + 1;
  const struct insn v = {.row = row_find("br.call"), .r1 = 0, .target = callee};
  if (callee >= FUNCTIONS)
    return;
  bundle_add(g, &v, true);
  g->calls[callee] = true;
  registers_set(g, 32 + g->frame.sol, 32 + g->frame.sof);
}

static void block_straight(struct generator *g)
{
  for (unsigned i = 1 + below(g, 5); i > 0; i--)
    bundle_add(g, NULL, false);
}

static void block_constant(struct generator *g)
{
  movl_add(g, random_target(&g->state, &g->frame), (uint64_t)random_word(&g->state));
}

/* Singles at the ends of the ranges at which approximations of pairs change their results. */
static void block_approximation(struct generator *g)
{
  static const uint32_t ends[] = {0,          1,          0x400000,   0x7fffff,   0x800000,   0xbfffff,   0x0c000000,
                                  0x0c7fffff, 0x0cffffff, 0x3f7fffff, 0x3f800000, 0x40000000, 0x7e000000, 0x7e7fffff,
                                  0x7e800000, 0x7f000000, 0x7f7fffff, 0x7f800000, 0x7f800001, 0x7fc00000};
  static const char *const names[] = {"frcpa", "frsqrta", "fprcpa", "fprsqrta"};
  struct insn v = random_fields(&g->state, &g->frame, row_find(names[below(g, 4)]));
  for (unsigned i = v.row->b ? 1 : 0; i < 2; i++) {
    const uint8_t r = (uint8_t)random_target(&g->state, &g->frame), f = (uint8_t)(2 + below(g, 30));
    uint64_t pair = next_random(&g->state);
    for (unsigned half = 0; half < 64; half += 32)
      if (below(g, 2))
        pair = (pair & ~(UINT64_C(0x7fffffff) << half)) | (uint64_t)ends[below(g, sizeof ends / sizeof *ends)] << half;
    movl_add(g, r, pair);
    const struct insn set = {.row = row_find("setf.sig"), .r1 = f, .r2 = r};
    bundle_add(g, &set, true);
    if (i)
      v.r3 = f;
    else
      v.r2 = f;
  }
  bundle_add(g, &v, true);
}

static void block_clear(struct generator *g)
{
  const struct insn v = {.row = row_find(below(g, 2) ? "clrrrb" : "clrrrb.pr")};
  bundle_add(g, &v, true);
}

static void block_add(struct generator *g)
{
  static void (*const simple[])(struct generator *) = {
      block_straight, block_straight, block_straight, block_access,   block_access,
      block_access,   block_constant, block_consumer, block_advanced, block_approximation};
  static void (*const nested[])(struct generator *) = {block_forward,    block_counted_loop, block_exit_loop,
                                                       block_while_loop, block_call,         block_clear};
  if (g->depth < 3 && below(g, 4) == 0)
    nested[below(g, sizeof nested / sizeof *nested)](g);
  else
    simple[below(g, sizeof simple / sizeof *simple)](g);
}

/* Allocates a frame and sets all its registers; mostly small, sometimes of up to 96 registers, so that some calls
 * spill. */
static void function_begin(struct generator *g)
{
  const unsigned size = below(g, 3) ? 4 + below(g, 20) : 4 + below(g, 93);
  g->frame = (struct frame){.sof = size, .sol = 2 + below(g, size - 1)};
  g->frame.sor = below(g, (g->frame.sol - 2) / 8 + 1) * 8;
  const struct insn v = {.row = row_find("alloc"),
                         .r1 = (uint8_t)frame_pfs(&g->frame),
                         .pos = (uint8_t)g->frame.sof,
                         .len = (uint8_t)g->frame.sol,
                         .imm = g->frame.sor / 8};
  struct bundle *b = &g->p->bundle[g->p->n++];
  *b = (struct bundle){.template = 0x01};
  b->slot[0] = v;
  registers_set(g, 32, frame_pfs(&g->frame));
  const struct insn save = {.row = row_find("mov.from.br"), .r1 = (uint8_t)frame_b0(&g->frame), .r2 = 0};
  bundle_add(g, &save, true);
  registers_set(g, frame_b0(&g->frame) + 1, 32 + size);
}

static void function_end(struct generator *g)
{
  const struct insn pfs = {.row = row_find("mov.to.pfs"), .r2 = (uint8_t)frame_pfs(&g->frame)};
  const struct insn b0 = {.row = row_find("mov.to.br"), .r1 = 0, .r2 = (uint8_t)frame_b0(&g->frame)};
  const struct insn ret = {.row = row_find("br.ret"), .r2 = 0};
  bundle_add(g, &pfs, true);
  bundle_add(g, &b0, true);
  bundle_add(g, &ret, true);
}

static void resolve_calls(struct program *p)
{
  for (unsigned i = 0; i < p->n; i++)
    for (unsigned k = 0; k < 3; k++)
      if (p->bundle[i].slot[k].row && p->bundle[i].slot[k].row->form == FORM_CALL)
        p->bundle[i].slot[k].target = p->function[p->bundle[i].slot[k].target];
}

void program_generate(struct program *p, uint64_t seed)
{
  static const struct insn stop = {0};
  struct generator g = {.p = p, .state = seed * UINT64_C(0xd1342543de82ef95) + 1};
  struct insn end = stop;
  p->n = 0;
  p->most_steps = MOST_STEPS;
  for (unsigned i = 0; i < DATA_BYTES; i += 8) {
    const int64_t word = random_word(&g.state);
    memcpy(p->data + i, &word, 8);
  }
  end.row = row_find("break.m");
  g.calls[0] = true;
  for (; g.function < FUNCTIONS; g.function++) {
    p->function[g.function] = p->n;
    if (!g.calls[g.function])
      continue;
    function_begin(&g);
    for (unsigned r = 2; r < 32 && !g.function; r++)
      if (r != REG_STACK)
        movl_add(&g, r, (uint64_t)random_word(&g.state));
    for (unsigned i = 2 + below(&g, 8); i > 0 && has_room(&g); i--)
      block_add(&g);
    if (g.function)
      function_end(&g);
    else
      bundle_add(&g, &end, true);
  }
  resolve_calls(p);
}
