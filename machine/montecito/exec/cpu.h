/* SPDX-License-Identifier: MIT */
/*
 * The architectural state of one thread, and the functions that execute its instructions. Private to
 * machine/montecito/exec/. An instruction's function changes the state and completes its slot of the record: the data
 * address, and flags such as SLOT_TAKEN.
 */
#ifndef MACHINE_MONTECITO_EXEC_CPU_H
#define MACHINE_MONTECITO_EXEC_CPU_H

#include <stdbool.h>
#include <stdint.h>
#include "machine/montecito/exec/decode.h"
#include "machine/montecito/exec/operations.h"
#include "machine/montecito/exec/pages.h"
#include "machine/montecito/exec/registers.h"
#include "machine/montecito/stream/record.h"

enum { STACKED = 96, ROTATING_PR = 48, ALAT_ENTRIES = 32 };

/* A floating-point register: significand, biased exponent of 17 bits, sign. */
struct exec_float {
  uint64_t significand;
  uint32_t exponent;
  bool sign;
};
enum { EXPONENT_BIAS = 0xffff, EXPONENT_INTEGER = 0x1003e, EXPONENT_SPECIAL = 0x1ffff, EXPONENT_NATVAL = 0x1fffe };

/* A general register with its NaT bit. */
struct exec_value {
  uint64_t v;
  bool nat;
};

#define EXEC_GUARDED (UINT64_C(1) << 15 | UINT64_C(1) << 24) /* PSR.pk, PSR.db */

enum exec_fault_kind {
  FAULT_NONE,
  FAULT_ILLEGAL,     /* no such instruction, or registers that it cannot have */
  FAULT_PRIVILEGED,  /* an instruction of the operating system */
  FAULT_RESERVED,    /* a reserved register, field or value */
  FAULT_NAT,         /* a NaT is consumed */
  FAULT_PAGE,        /* no page, or no access right */
  FAULT_ALIGNMENT,   /* semaphores and others that must be aligned */
  FAULT_BREAK,       /* break with an immediate that is not a system call */
  FAULT_FP,          /* a floating-point trap that is not masked */
  FAULT_UNSUPPORTED, /* legal, but the executor does not have it */
  FAULT_ATTRIBUTE,   /* a semaphore or an access of 16 bytes to memory that is not cacheable */
  FAULT_DEBUG,       /* a breakpoint on data */
  FAULT_KEY_MISS,    /* no protection key register has the page's key */
  FAULT_KEY,         /* the key's register forbids the access */
  FAULT_FETCH,       /* execution reached an address without code */
  FAULT_LIMIT,       /* the limit of executed bundles is reached */
  FAULT_N
};

struct exec_fault {
  uint8_t kind, slot; /* enum exec_fault_kind */
  uint64_t ip, address;
};

/* The current frame: sizes of the frame, its locals and its rotating part; rename bases, 0 to size - 1. */
struct exec_frame {
  uint8_t sof, sol, sor, rrb_gr, rrb_fr, rrb_pr;
};

/* An entry of the ALAT. `reg`: a general register by its place in the sequence of all frames, or a floating-point
 * register. */
struct exec_alat_entry {
  uint64_t address, reg;
  uint8_t bytes; /* 0: invalid */
  bool fp;
};

/* Loads or stores of the register stack engine that follow the bundle: `n` consecutive ones, from `address` upwards. */
struct exec_transfer {
  uint64_t address;
  uint16_t n;
  bool store;
};
enum { EXEC_TRANSFERS = 8 };

/* A translation that the program has inserted: a page of 1 << bits bytes; 0: none. */
struct exec_translation {
  uint64_t address;
  uint32_t key;
  uint8_t bits;
};
/* 2.4.3.1: 32 translation registers for each logical processor. */
enum { EXEC_TRANSLATION_CACHE = 96, EXEC_TRANSLATION_REGISTERS = 32, EXEC_PKRS = 16, EXEC_DBRS = 8 };

/* A write to a register of the machine, performed when the bundle has retired: kind is RECORD_PMC, RECORD_PMD,
 * RECORD_STATE, or RECORD_PURGE. */
struct exec_write {
  uint8_t kind, number;
  uint64_t value;
};
enum { EXEC_WRITES = 4, EXEC_CALLED = 8 };

struct exec_cpu {
  uint64_t ip, next_ip; /* next_ip: where execution continues after the bundle */
  uint64_t previous_ip; /* address of the previous bundle */
  bool taken;           /* a branch or an interruption ends the bundle */
  uint64_t gr[32], stack[STACKED];
  uint32_t gr_nat;
  bool stack_nat[STACKED];
  struct exec_float fr[128];
  uint64_t pr, br[8], ar[128], cr[128], psr;
  struct exec_frame frame;
  unsigned bottom; /* index of r32 in `stack` */
  uint64_t base;   /* number of registers in all callers' frames: r32's place in the sequence of all frames */
  /* The register stack: ar.bsp and ar.bspstore are in `ar`. Dirty registers lie between them; below lie clean
   * registers, whose values are in the backing store, too. */
  unsigned dirty, clean;
  struct exec_alat_entry alat[ALAT_ENTRIES];
  unsigned n_alat, next_alat;
  uint64_t alat_words;            /* bit n: an entry may have a byte in a 16-byte word whose number is n modulo 64 */
  uint64_t alat_first, alat_last; /* no entry has a byte outside this range */
  struct exec_transfer transfer[EXEC_TRANSFERS];
  unsigned n_transfers;
  struct exec_memory *memory;
  struct exec_fault fault;
  bool system_call, user_mask_changed;
  /* The system level. */
  uint64_t rr[8], pkr[EXEC_PKRS], dbr[EXEC_DBRS], bank[16]; /* bank: r16 to r31 of the other bank */
  uint16_t bank_nat;
  uint8_t restart, slot;    /* first slot of the next bundle to execute; the slot of a system call */
  uint8_t entered_event;    /* the machine's event that the interruption signals; 0: none */
  bool entered, in_service; /* an interruption was entered that the machine does not know yet; ivr was read */
  struct exec_write write[EXEC_WRITES];
  unsigned n_writes, next_cached;
  uint64_t called[EXEC_CALLED]; /* ar.pfs of the calls that have not returned, as the front end remembers them */
  unsigned n_called;
  bool timer_armed;     /* cr.itm was written, and its interrupt has not been taken */
  bool while_predicate; /* the last branch of a while loop had a true predicate */
  struct exec_translation cached[EXEC_TRANSLATION_CACHE], fixed[2][EXEC_TRANSLATION_REGISTERS]; /* fixed: data, code */
  struct montecito_machine *machine; /* its cycles are ar.itc; NULL: time does not pass */
  uint8_t thread;                    /* hardware thread */
  struct exec_cpu *peer;             /* ring of the processors that share the memory; NULL: only this one */
  const struct exec_page *code_page; /* page of the previous bundle; NULL: none */
};

struct montecito_machine;
typedef void exec_fn(struct exec_cpu *c, const struct exec_instruction *v, struct montecito_slot *s);
/* The functions of each part; NULL: an operation of another part. */
extern exec_fn *const exec_integer[EXEC_OPERATIONS];
extern exec_fn *const exec_compare[EXEC_OPERATIONS];
extern exec_fn *const exec_parallel[EXEC_OPERATIONS];
extern exec_fn *const exec_data[EXEC_OPERATIONS];
extern exec_fn *const exec_fp_data[EXEC_OPERATIONS];
extern exec_fn *const exec_control[EXEC_OPERATIONS];
extern exec_fn *const exec_system[EXEC_OPERATIONS];
extern exec_fn *const exec_stack[EXEC_OPERATIONS];
extern exec_fn *const exec_arithmetic[EXEC_OPERATIONS];
extern exec_fn *const exec_approximations[EXEC_OPERATIONS];
extern exec_fn *const exec_fp_bits[EXEC_OPERATIONS];
extern exec_fn *const exec_interruption[EXEC_OPERATIONS];

/* Sets a fault, unless the instruction has one already. */
static inline void exec_set_fault(struct exec_cpu *c, unsigned kind, uint64_t address)
{
  if (!c->fault.kind)
    c->fault = (struct exec_fault){.kind = (uint8_t)kind, .ip = c->ip, .address = address};
}

/* ---- general registers ---- */

static inline unsigned exec_stack_place(const struct exec_cpu *c, unsigned r)
{
  unsigned i = r - 32;
  if (i < c->frame.sor) {
    i += c->frame.rrb_gr;
    if (i >= c->frame.sor)
      i -= c->frame.sor;
  }
  i += c->bottom;
  return i < STACKED ? i : i - STACKED;
}

static inline struct exec_value exec_gr(const struct exec_cpu *c, unsigned r)
{
  if (r < 32)
    return (struct exec_value){c->gr[r], c->gr_nat >> r & 1};
  if (r - 32 >= c->frame.sof)
    return (struct exec_value){0, false}; /* undefined outside of the frame */
  const unsigned i = exec_stack_place(c, r);
  return (struct exec_value){c->stack[i], c->stack_nat[i]};
}

static inline void exec_gr_set(struct exec_cpu *c, unsigned r, uint64_t value, bool nat)
{
  if (r < 32) {
    if (!r) {
      exec_set_fault(c, FAULT_ILLEGAL, 0);
      return;
    }
    c->gr[r] = value;
    c->gr_nat = (c->gr_nat & ~(1u << r)) | (uint32_t)nat << r;
    return;
  }
  if (r - 32 >= c->frame.sof) {
    exec_set_fault(c, FAULT_ILLEGAL, 0);
    return;
  }
  const unsigned i = exec_stack_place(c, r);
  c->stack[i] = value;
  c->stack_nat[i] = nat;
}

/* A value that must not be NaT: an address, or the source of a move to a special register. */
static inline uint64_t exec_gr_consume(struct exec_cpu *c, unsigned r)
{
  const struct exec_value x = exec_gr(c, r);
  if (x.nat)
    exec_set_fault(c, FAULT_NAT, x.v);
  return x.v;
}

/* ---- predicates ---- */

static inline unsigned exec_pr_place(const struct exec_cpu *c, unsigned p)
{
  if (p < 16)
    return p;
  p += c->frame.rrb_pr;
  return p < 64 ? p : p - ROTATING_PR;
}

static inline bool exec_pr(const struct exec_cpu *c, unsigned p)
{
  return c->pr >> exec_pr_place(c, p) & 1;
}

static inline void exec_pr_set(struct exec_cpu *c, unsigned p, bool value)
{
  const unsigned i = exec_pr_place(c, p);
  if (i)
    c->pr = (c->pr & ~(UINT64_C(1) << i)) | (uint64_t)value << i;
}

/* ---- floating-point registers ---- */

static inline unsigned exec_fr_place(const struct exec_cpu *c, unsigned f)
{
  if (f < 32)
    return f;
  f += c->frame.rrb_fr;
  return f < 128 ? f : f - STACKED;
}

static inline struct exec_float exec_fr(const struct exec_cpu *c, unsigned f)
{
  return c->fr[exec_fr_place(c, f)];
}

static inline bool exec_is_natval(struct exec_float x)
{
  return x.exponent == EXPONENT_NATVAL && !x.significand && !x.sign;
}

/* f0 and f1 are constants. Writes set PSR.mfl or PSR.mfh. */
static inline void exec_fr_set(struct exec_cpu *c, unsigned f, struct exec_float x)
{
  if (f < 2) {
    exec_set_fault(c, FAULT_ILLEGAL, 0);
    return;
  }
  c->fr[exec_fr_place(c, f)] = x;
  c->psr |= f < 32 ? UINT64_C(1) << 4 : UINT64_C(1) << 5;
}

static inline struct exec_float exec_natval(void)
{
  return (struct exec_float){0, EXPONENT_NATVAL, false};
}

/* ---- other files ---- */

/* rse.c: the frame in the format of ar.pfs; calls and returns. When a frame grows, the dirty registers that it
 * displaces are stored. */
uint64_t exec_frame_marker(const struct exec_cpu *c);
void exec_stack_call(struct exec_cpu *c);
void exec_stack_return(struct exec_cpu *c, uint64_t marker);
void exec_stack_return_to(struct exec_cpu *c, uint64_t marker); /* returns to a frame that was covered */
uint64_t exec_bsp(const struct exec_cpu *c);
/* Notes the state of the register stack before an operation on it (RSE_EVENT_RETIRED). */
static inline void exec_stack_note(const struct exec_cpu *c, struct montecito_slot *s)
{
  s->latency = stack_state(c->frame.sof, c->dirty);
}
void exec_set_bspstore(struct exec_cpu *c, uint64_t address);

/* load.c: marks a misaligned access that retires. 4.15: others trap, all with PSR.ac, and without it those that cross 8
 * aligned bytes, stores those that cross 16. */
void exec_mark_misaligned(const struct exec_cpu *c, struct montecito_slot *s, unsigned bytes);

/* alat.c */
uint64_t exec_alat_register(const struct exec_cpu *c, unsigned r, bool fp);
/* Returns true if the entry displaces a valid one. */
bool exec_alat_insert(struct exec_cpu *c, uint64_t reg, bool fp, uint64_t address, unsigned bytes);
bool exec_alat_check(struct exec_cpu *c, uint64_t reg, bool fp, bool clear);
void exec_alat_store_slow(struct exec_cpu *c, uint64_t address, unsigned bytes);
void exec_alat_clear(struct exec_cpu *c);
/* The 16-byte words of an access of 1 to 16 bytes, as bits of alat_words. */
static inline uint64_t exec_alat_words(uint64_t address, unsigned bytes)
{
  return UINT64_C(1) << (address / 16 % 64) | UINT64_C(1) << ((address + bytes - 1) / 16 % 64);
}
/* Returns false if no entry has one of the bytes. */
static inline bool exec_alat_may_have(const struct exec_cpu *c, uint64_t address, unsigned bytes)
{
  return c->n_alat && address <= c->alat_last && address + bytes - 1 >= c->alat_first &&
         c->alat_words & exec_alat_words(address, bytes);
}
/* Invalidates the entries that a store overlaps, in the ALATs of all processors with the same memory. */
static inline void exec_alat_store(struct exec_cpu *c, uint64_t address, unsigned bytes)
{
  if (exec_alat_may_have(c, address, bytes))
    exec_alat_store_slow(c, address, bytes);
  for (struct exec_cpu *p = c->peer; p && p != c; p = p->peer)
    if (exec_alat_may_have(p, address, bytes))
      exec_alat_store_slow(p, address, bytes);
}

/* load.c: little-endian accesses of 1 to 16 bytes, which may cross pages. False: a page fault was set. */
bool exec_read(struct exec_cpu *c, uint64_t address, void *to, unsigned bytes);
bool exec_write(struct exec_cpu *c, uint64_t address, const void *from, unsigned bytes);
/* Completes the slot of a speculative load that is deferred, with the cause (Table 4-125), and clears PSR.ed. nat: the
 * address was NaT. */
void exec_defer_load(struct exec_cpu *c, bool nat, struct montecito_slot *s);

/* device.c: performs a store to the registers of the device that copies memory. */
void exec_device_store(struct exec_cpu *c, uint64_t address);
/* uncached.c: completes the slot of an access to memory that is not cacheable. */
void exec_uncached_mark(struct exec_cpu *c, struct montecito_slot *s);
/* guard.c: sets a fault if a breakpoint or a protection key forbids the access. */
void exec_guard_check(struct exec_cpu *c, const struct montecito_slot *s);
/* For a speculative load: withdraws such a fault. False: there was none. */
bool exec_guard_defers(struct exec_cpu *c);
static inline void exec_attribute_mark(struct exec_cpu *c, struct montecito_slot *s)
{
  if (c->psr & EXEC_GUARDED)
    exec_guard_check(c, s);
  if (c->memory->n_attributes)
    exec_uncached_mark(c, s);
}

/* control.c: branches to `target`. */
void exec_branch_to(struct exec_cpu *c, uint64_t target, struct montecito_slot *s);

/* code.c: discards the decoded bundles of a 64-byte line, or of all pages. */
void exec_code_forget(struct exec_cpu *c, uint64_t address);
void exec_code_forget_all(struct exec_cpu *c);

#endif
