/* SPDX-License-Identifier: MIT */
/*
 * The shared memory that carries a running program's accesses to the machine. The plugin (in QEMU's process) writes it,
 * the machine's reader consumes it. This is the only header that both sides share.
 *
 * There is one ring per thread, with one producer and one consumer. Child processes, and programs after execve(), write
 * into the same memory. When a whole guest is traced, ring N belongs to processor N, addresses are physical, and
 * serials and states are not used. A record is one 64-bit word:
 *
 * access  bit 63 = 0   62:61 zero, 60:59 manner, 58:53 ordinal, 52 store, 51 alone, 50:48 log2 of the size,
 *                      47:0 address
 *
 * block   bit 63 = 1   62:57 instructions (1..63), 56:48 bytes (1..511), 47:0 address of the first instruction
 *
 * mark    bit 63 = 1   62:48 zero, 47 end of a region (0: its start), 46:16 zero, 15:0 number of the region's name, or
 *                      from RECORD_PHASE on a phase that begins (enum ring_phase)
 *
 * pages   bit 63 = 1   62:47 zero, 46 one, 45:19 address / 2 MB, 18:14 log2 of the length / 2 MB, 13:11 kind, 10:0 zero
 *
 * skip    bit 63 = 1   62:46 zero, 45 one, 44:16 zero, 15:0 instructions that were executed and are not recorded
 *
 * note    bit 63 = 0   62:61 kind (1..3): dependences of a block (below)
 *
 * The ordinal numbers the instructions of a block that access memory, from 0: two consecutive accesses with one ordinal
 * belong to one instruction. The alone bit marks a plain load or store that is its instruction's only access; without
 * the bit, only the neighbouring records show whether it is. The emulator splits an access of more than 8 bytes into
 * consecutive pieces; a whole vector is nevertheless one word if the plugin knows the instruction (x86, not in sampled
 * runs). A word may change until it is published. A recording without dependences may number all instructions. Manner 0
 * is a plain load or store. Manner 1 is a prefetch or, with the store bit, a store that bypasses the caches. Manner 2
 * writes the line back and drops it; with the store bit it is another line operation, selected by the size (enum
 * line_act of the machine's feed.h, by its log2). Manner 3 is not an access: the core sleeps for as many nanoseconds as
 * the address states. A block record precedes the accesses of its instructions; a longer block consists of several
 * records.
 *
 * Notes describe a block before its first execution. NOTE_ACCESS: the accesses of the instruction with the ordinal in
 * 60:55 have an address that depends on the sources in 54:0. NOTE_OUT: at the end of the block the register in 60:55
 * depends on the sources in 54:0; a register without this note is unchanged. NOTE_BLOCK: all notes since the last of
 * this kind describe the block with 56:48 bytes at address 47:0. Sources 0-32 are registers at the start of the block:
 * 16 general registers, the flags, 16 vector registers; sources 33-54 are the data loaded by ordinals 0-21. A NOTE_OUT
 * with the number 63 has no sources: its fields (NOTE_PARTS) summarize the block's instructions. The first eight count,
 * by kind, the instructions of the longest dependence chain from a register at the start of the block to the same
 * register at its end.
 *
 * A pages record follows a system call after which memory is mapped by pages of another size (its kind is of enum
 * ring_pages); the length is a power of two, and the address a multiple of it. Calls that affect only pages of 4 KB
 * have no record. The record takes effect before the records that follow it.
 *
 * Each process has its own addresses. In all processes but the first, bits 46:39, which the emulated programs rarely
 * use, are exclusive-ored with a number from 1 to 255, and bits 37:33 with one from 0 to 31. Among 8,160 processes, one
 * after the other, each has its own pair of numbers (record_process_bits()). A program with memory on both sides of a
 * multiple of 8 GB may have a page in common with a process that has another number in bits 37:33 only.
 */
#ifndef MACHINE_TRACE_RING_H
#define MACHINE_TRACE_RING_H

#include <stdbool.h>
#include <stdint.h>

#define RING_MAGIC UINT32_C(0x41544d50) /* "PMTA": plugin and reader are of one build */
#define RING_THREADS 256u               /* guest threads alive at the same time */
#define RING_RECORDS (1u << 16)         /* capacity of a ring in words; a power of two */
#define RING_RESERVE 8192u /* maximum number of words of one block: 63 instructions with 128 accesses each */
#define RING_BATCH 2048u   /* number of words between two publications */
#define RING_WAKE 16384u   /* number of words not read yet at which a sleeping reader is woken */

#define RECORD_BLOCK (UINT64_C(1) << 63)
#define RECORD_ADDRESS ((UINT64_C(1) << 48) - 1)
#define RECORD_STORE_SHIFT 52
#define RECORD_STORE (UINT64_C(1) << RECORD_STORE_SHIFT)
#define RECORD_SIZE_SHIFT 48
#define RECORD_ALONE (UINT64_C(1) << 51)
#define RECORD_ORDINAL_SHIFT 53
#define RECORD_MANNER_SHIFT 59
#define RECORD_MANNER (UINT64_C(3) << RECORD_MANNER_SHIFT)
#define RECORD_PAST_CACHES (UINT64_C(1) << RECORD_MANNER_SHIFT) /* with the store bit */
#define RECORD_PREFETCH (UINT64_C(1) << RECORD_MANNER_SHIFT)    /* without the store bit */
#define RECORD_FLUSH (UINT64_C(2) << RECORD_MANNER_SHIFT)
#define RECORD_SLEEP (UINT64_C(3) << RECORD_MANNER_SHIFT)
#define RECORD_NOTE_SHIFT 61
#define RECORD_NOTE (UINT64_C(3) << RECORD_NOTE_SHIFT) /* zero in an access */
#define NOTE_ACCESS UINT64_C(1)
#define NOTE_OUT UINT64_C(2)
#define NOTE_BLOCK UINT64_C(3)
#define NOTE_NUMBER_SHIFT 55
#define NOTE_SOURCES ((UINT64_C(1) << NOTE_NUMBER_SHIFT) - 1)
#define NOTE_BLOCK_KEY ((UINT64_C(1) << 57) - 1) /* common bits of a block record and its NOTE_BLOCK */
#define NOTE_FLAGS 16u                           /* register numbers */
#define NOTE_VECTORS 17u
#define NOTE_REGISTERS 33u
#define NOTE_LOADS 22u
#define NOTE_MOST 128u   /* maximum number of notes of a block */
#define NOTE_SUMMARY 63u /* number of a summary. Its parts: X(name, bits) */
#define NOTE_PARTS(X)                                                                                                  \
  X(ALU, 6)                                                                                                            \
  X(LOAD, 5)                                                                                                           \
  X(MUL, 4)                                                                                                            \
  X(DIV, 3)                                                                                                            \
  X(FADD, 5)                                                                                                           \
  X(FMUL, 5)                                                                                                           \
  X(FDIV, 3)                                                                                                           \
  X(VECTOR, 5) /* the parts up to here count the longest chain */                                                      \
  X(DIVS, 3)   /* DIVS, FDIVS: integer and floating-point divisions of the block */                                    \
  X(FDIVS, 3)                                                                                                          \
  X(LOCKED, 3) /* LOCKED, FENCES, SERIAL: instructions that wait for all earlier ones */                               \
  X(FENCES, 2)                                                                                                         \
  X(SERIAL, 2)                                                                                                         \
  X(BRANCH, 1) /* the block ends with a conditional branch */
#define NOTE_PART(what, bits) NOTE_PART_##what,
enum note_part { NOTE_PARTS(NOTE_PART) NOTE_PARTS_N };
#undef NOTE_PART
#define RECORD_BYTES_SHIFT 48
#define RECORD_COUNT_SHIFT 57
#define RECORD_MAX_COUNT 63u
#define RECORD_MAX_BYTES 511u
#define RECORD_MARK_END (UINT64_C(1) << 47) /* of a mark */
#define RECORD_MARK_NAME UINT64_C(0xffff)
#define RECORD_PHASE UINT64_C(0xff00)
#define RECORD_PHASE_NUMBER UINT64_C(0xff)
#define RING_MARK_ZERO UINT64_C(0x7fffffff0000) /* bits of a mark that are zero */
#define RECORD_PAGES (UINT64_C(1) << 46)        /* of a pages record, in a mark's place */
#define RECORD_SKIP (UINT64_C(1) << 45)         /* of a skip, in a mark's place */
#define RECORD_SKIP_COUNT UINT64_C(0xffff)
#define RECORD_PAGES_UNIT_SHIFT 19
#define PAGES_UNIT_SHIFT 21 /* 2 MB */
#define RECORD_PAGES_UNITS ((UINT64_C(1) << 27) - 1)
#define RECORD_PAGES_LOG2_SHIFT 14
#define RECORD_PAGES_LOG2_MOST 18u
#define RECORD_PAGES_KIND_SHIFT 11
/* How memory is mapped from now on; the values of enum pages_kind (feed.h). */
enum ring_pages {
  RING_PAGES_NONE,
  RING_PAGES_SMALL,
  RING_PAGES_ADVISED,
  RING_PAGES_2M,
  RING_PAGES_1G,
  RING_PAGES_KINDS
};
/* Phases of a run in which only intervals are simulated in detail (plugin/sampled.c). WHOLE: at the start of the run,
 * everything is written. BETWEEN: between intervals, only accesses that pass a filter of lines are written, and skips.
 * SETTLE: an interval's first part, in which the machine warms up. UNIT: the part of an interval that is measured. */
enum ring_phase { RING_PHASE_WHOLE, RING_PHASE_BETWEEN, RING_PHASE_SETTLE, RING_PHASE_UNIT, RING_PHASES };
#define RING_SIZE_LOG2_MOST 6u /* of an access */
#define RECORD_PROCESS_SHIFT 39
#define RECORD_PROCESSES 255u /* numbers, from 1 */
#define RECORD_PROCESS_ROUND_SHIFT 33
#define RECORD_PROCESS_ROUNDS 32u
#define RECORD_PROCESS_BITS                                                                                            \
  ((uint64_t)RECORD_PROCESSES << RECORD_PROCESS_SHIFT | (uint64_t)(RECORD_PROCESS_ROUNDS - 1)                          \
                                                            << RECORD_PROCESS_ROUND_SHIFT)

/* The bits with which the addresses of process `n` are exclusive-ored; n: 0 for the second process. */
static inline uint64_t record_process_bits(uint64_t n)
{
  return (n % RECORD_PROCESSES + 1) << RECORD_PROCESS_SHIFT | n / RECORD_PROCESSES % RECORD_PROCESS_ROUNDS
                                                                  << RECORD_PROCESS_ROUND_SHIFT;
}

static inline uint64_t record_block(uint64_t pc, uint32_t bytes, uint32_t instructions)
{
  return RECORD_BLOCK | (uint64_t)instructions << RECORD_COUNT_SHIFT | (uint64_t)bytes << RECORD_BYTES_SHIFT |
         (pc & RECORD_ADDRESS);
}

static inline uint64_t record_access(uint64_t va, unsigned size_log2, bool store, unsigned ordinal)
{
  return (va & RECORD_ADDRESS) | (uint64_t)size_log2 << RECORD_SIZE_SHIFT | (store ? RECORD_STORE : 0) |
         (uint64_t)ordinal << RECORD_ORDINAL_SHIFT;
}

static inline uint64_t record_mark(uint32_t name, bool end)
{
  return RECORD_BLOCK | (end ? RECORD_MARK_END : 0) | (name & RECORD_MARK_NAME);
}

static inline uint64_t record_note(uint64_t kind, unsigned number, uint64_t sources)
{
  return kind << RECORD_NOTE_SHIFT | (uint64_t)number << NOTE_NUMBER_SHIFT | (sources & NOTE_SOURCES);
}

/* Returns a block's summary; a value that does not fit into its part is stored as the part's maximum. */
static inline uint64_t record_note_summary(const uint8_t part[NOTE_PARTS_N])
{
  uint64_t fields = 0;
  unsigned at = 0, most;
#define NOTE_PART(what, bits)                                                                                          \
  most = (1u << (bits)) - 1;                                                                                           \
  fields |= (uint64_t)(part[NOTE_PART_##what] < most ? part[NOTE_PART_##what] : most) << at;                           \
  at += (bits);
  NOTE_PARTS(NOTE_PART)
#undef NOTE_PART
  return record_note(NOTE_OUT, NOTE_SUMMARY, fields);
}
static inline void record_note_parts(uint64_t r, uint8_t ret_part[NOTE_PARTS_N])
{
#define NOTE_PART(what, bits)                                                                                          \
  ret_part[NOTE_PART_##what] = (uint8_t)(r & ((1u << (bits)) - 1));                                                    \
  r >>= (bits);
  NOTE_PARTS(NOTE_PART)
#undef NOTE_PART
}
/* Returns the note that ends the notes of a block. */
static inline uint64_t record_note_block(uint64_t block)
{
  return NOTE_BLOCK << RECORD_NOTE_SHIFT | (block & NOTE_BLOCK_KEY);
}

static inline bool record_is_note(uint64_t r)
{
  return !(r & RECORD_BLOCK) && (r & RECORD_NOTE);
}
static inline uint64_t record_note_kind(uint64_t r)
{
  return r >> RECORD_NOTE_SHIFT & 3;
}
static inline unsigned record_note_number(uint64_t r)
{
  return (unsigned)(r >> NOTE_NUMBER_SHIFT) & 63;
}

/* True if producers write such notes. */
static inline bool record_note_is_valid(uint64_t r)
{
  if (record_note_kind(r) == NOTE_BLOCK)
    return !(r & ~(NOTE_BLOCK_KEY | RECORD_NOTE));
  return record_note_kind(r) == NOTE_ACCESS || record_note_number(r) < NOTE_REGISTERS ||
         record_note_number(r) == NOTE_SUMMARY;
}

/* True for a block, and for a mark, pages or skip record. */
static inline bool record_is_block(uint64_t r)
{
  return r >> 63;
}
static inline uint64_t record_address(uint64_t r)
{
  return r & RECORD_ADDRESS;
}
static inline uint32_t record_bytes(uint64_t r)
{
  return (uint32_t)(r >> RECORD_BYTES_SHIFT) & RECORD_MAX_BYTES;
}
static inline uint32_t record_count(uint64_t r)
{
  return (uint32_t)(r >> RECORD_COUNT_SHIFT) & RECORD_MAX_COUNT;
}
static inline uint32_t record_size_log2(uint64_t r)
{
  return (uint32_t)(r >> RECORD_SIZE_SHIFT) & 7;
}
static inline bool record_is_store(uint64_t r)
{
  return r & RECORD_STORE;
}
static inline uint32_t record_ordinal(uint64_t r)
{
  return (uint32_t)(r >> RECORD_ORDINAL_SHIFT) & RECORD_MAX_COUNT;
}

static inline bool record_is_mark(uint64_t r)
{
  return r >> RECORD_BYTES_SHIFT == RECORD_BLOCK >> RECORD_BYTES_SHIFT;
}

/* The unit is 2 MB. */
static inline uint64_t record_pages(uint64_t unit, unsigned log2, unsigned kind)
{
  return RECORD_BLOCK | RECORD_PAGES | (unit & RECORD_PAGES_UNITS) << RECORD_PAGES_UNIT_SHIFT |
         (uint64_t)log2 << RECORD_PAGES_LOG2_SHIFT | (uint64_t)kind << RECORD_PAGES_KIND_SHIFT;
}
static inline bool record_is_pages(uint64_t r)
{
  return record_is_mark(r) && r & RECORD_PAGES;
}
static inline uint64_t record_pages_unit(uint64_t r)
{
  return r >> RECORD_PAGES_UNIT_SHIFT & RECORD_PAGES_UNITS;
}
static inline unsigned record_pages_log2(uint64_t r)
{
  return (unsigned)(r >> RECORD_PAGES_LOG2_SHIFT) & 31;
}
static inline unsigned record_pages_kind(uint64_t r)
{
  return (unsigned)(r >> RECORD_PAGES_KIND_SHIFT) & 7;
}

static inline uint64_t record_skip(uint16_t instructions)
{
  return RECORD_BLOCK | RECORD_SKIP | instructions;
}
static inline bool record_is_skip(uint64_t r)
{
  return record_is_mark(r) && (r & (RECORD_PAGES | RECORD_SKIP)) == RECORD_SKIP;
}

/* True if a mark, pages or skip record belongs to a sampled run: a skip, or the start of a phase. */
static inline bool record_is_sampling(uint64_t r)
{
  return record_is_skip(r) || (!(r & RECORD_PAGES) && (r & RECORD_MARK_NAME) >= RECORD_PHASE);
}

/* True if producers write such mark, pages or skip records. */
static inline bool record_mark_is_valid(uint64_t r)
{
  if (record_is_skip(r))
    return r == record_skip((uint16_t)(r & RECORD_SKIP_COUNT));
  if (!(r & RECORD_PAGES))
    return !(r & RING_MARK_ZERO) && (!record_is_sampling(r) || (r & RECORD_PHASE_NUMBER) < RING_PHASES);
  const unsigned log2 = record_pages_log2(r);
  return log2 <= RECORD_PAGES_LOG2_MOST && record_pages_kind(r) < RING_PAGES_KINDS &&
         !(record_pages_unit(r) & ((UINT64_C(1) << log2) - 1)) &&
         r == record_pages(record_pages_unit(r), log2, record_pages_kind(r));
}

/* True if recordings may contain the record: sampled runs are not recorded. */
static inline bool record_mark_is_recorded(uint64_t r)
{
  return record_mark_is_valid(r) && !record_is_sampling(r);
}

/* Names of regions that the program's marks refer to by number, in the order of their first use. A slot goes from
 * NAME_FREE over NAME_CLAIMED, while its text is written, to NAME_READY. */
#define RING_NAMES 1024u
#define RING_NAME_BYTES 120u
enum ring_name_state { NAME_FREE, NAME_CLAIMED, NAME_READY };
struct ring_name {
  uint32_t state;
  char text[RING_NAME_BYTES]; /* terminated by a zero byte */
};

/* The states of a slot: the producer claims a FREE slot, which is CLAIMED until it is set up; it ends the slot by
 * ENDED. The reader frees an ended slot after its last record, and ends the slots of terminated processes. */
enum ring_state { RING_FREE, RING_CLAIMED, RING_RUNNING, RING_IN_SYSCALL, RING_ENDED };

/* Positions count words since the slot was claimed and never wrap (64 bits); word i is stored at i modulo
 * RING_RECORDS. */
struct ring {
  /* written by the producer; the reader uses `head` only after the producer's process has terminated */
  _Alignas(64) uint64_t head; /* next word to write */
  uint64_t limit;             /* at this position the producer publishes or waits */
  uint64_t seen_tail;         /* the producer's copy of tail */
  /* written by the producer, read by the reader */
  _Alignas(64) uint64_t published; /* words before this one may be read */
  uint32_t state;                  /* enum ring_state */
  uint32_t serial;                 /* number of its thread since the start, from 0 */
  uint32_t producer_waits;         /* the ring is full and the producer waits on `space` */
  int32_t process;                 /* process ID of its thread */
  /* written by the reader, read by the producer */
  _Alignas(64) uint64_t tail; /* words before this one are free again */
  uint64_t done; /* words before this one are simulated; updated when the reader has used up the words that it copied */
  uint32_t space; /* futex: woken when there is space */
  _Alignas(4096) uint64_t record[RING_RECORDS];
};

/*
 * Data from the reader for the plugin. They are in a separate, sealed file: any traced program can write into the
 * shared memory, and another program, possibly with more privileges, executes the emulator that is named here.
 */
struct ring_setup {
  int32_t reader;      /* its process ID */
  char memory[64];     /* path at which the reader provides the shared memory as a file */
  char emulator[8192]; /* words of the emulator's command before the program's, each terminated by a zero byte, and a
                          final zero byte; empty: programs after execve() are not traced */
};
#define RING_SETUP_SEALS (F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL)

struct ring_area {
  uint32_t magic, threads, records; /* set by the reader, checked by the plugin */
  uint32_t started;                 /* the plugin has mapped the area */
  uint32_t begins; /* futex: set and woken when the reader begins to read. A program executes nothing before */
  _Alignas(64) uint32_t bell; /* futex: woken by producers when the reader waits */
  uint32_t reader_waits;
  uint32_t gone;         /* the first process has terminated: recording stops */
  uint32_t serials;      /* number of threads begun */
  uint32_t slots;        /* no slot from this one on has been claimed yet */
  uint32_t lost_threads; /* threads without a free slot: not traced */
  uint32_t children;     /* number of child processes begun */
  uint32_t processes;    /* process numbers assigned so far, for the addresses */
  uint32_t unseen;       /* successful execve calls of programs that cannot be traced */
  uint32_t unnamed;      /* marks that were dropped because their name could not be read or found no free slot */
  uint32_t dependences;  /* the plugin writes notes */
  uint32_t follow;       /* set by the reader: the guest is traced from now on */
  uint32_t flushes;      /* the program has instructions that flush or write back lines, which have no records */
  struct ring_name name[RING_NAMES];
  _Alignas(4096) struct ring ring[RING_THREADS];
};

#endif
