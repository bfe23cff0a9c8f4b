/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which memory the kernel maps for the program by large pages, by the Linux system calls that succeed. The list of
 * mappings holds the memory whose pages may be other than 4 KB, so that unmapping it can be recorded; calls for other
 * memory write no records.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include "plugin/targets.h"
#include "plugin/trace.h"

enum { HUGE_SIZE_SHIFT = 26, HUGE_SIZE_MASK = 63, HUGE_1G = 30 };
/* log2 of the units below the bits in which the addresses of processes differ */
enum { PROCESS_UNIT_BITS = RECORD_PROCESS_ROUND_SHIFT - PAGES_UNIT_SHIFT };
#define HUGETLB UINT64_C(0x40000) /* flag of mmap(), equal on all these targets */
enum { ADVICE_HUGE = 14, ADVICE_NOT_HUGE = 15, ADVICE_COLLAPSE = 25 };

/* Memory from `first` to before `end` whose pages may be other than 4 KB. The list is sorted and has no overlaps. */
struct mapping {
  uint64_t first, end;
  enum ring_pages kind;
};

static const struct target *target;
static uint64_t addresses = UINT64_MAX; /* mask of the target's addresses */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct mapping *mapping;
static size_t n_mappings, room;
static uint64_t heap_end;
static __thread uint64_t argument[4];

void pages_install(const struct target *of_program)
{
  target = of_program;
  if (target && target->pointer_bytes == 4)
    addresses = UINT32_MAX;
}

static uint64_t unit_up(uint64_t address)
{
  return (address + (UINT64_C(1) << PAGES_UNIT_SHIFT) - 1) >> PAGES_UNIT_SHIFT;
}

/* Writes the units from `first` to before `end` as records of powers of two. */
static void units_write(uint64_t first, uint64_t end, enum ring_pages kind, void (*write)(uint64_t record))
{
  while (first < end) {
    unsigned log2 = 0;
    while (log2 < PROCESS_UNIT_BITS && !(first >> log2 & 1) && first + (UINT64_C(2) << log2) <= end)
      log2++;
    write(record_pages(first, log2, (unsigned)kind));
    first += UINT64_C(1) << log2;
  }
}

static void mapping_insert(size_t i, struct mapping m)
{
  if (n_mappings == room) {
    const size_t more = room ? 2 * room : 16;
    struct mapping *list = realloc(mapping, more * sizeof *list);

    if (!list)
      return; /* unmapping this memory will write no record */
    mapping = list;
    room = more;
  }
  memmove(mapping + i + 1, mapping + i, (n_mappings++ - i) * sizeof *mapping);
  mapping[i] = m;
}

static void mapping_remove(size_t i)
{
  memmove(mapping + i, mapping + i + 1, (--n_mappings - i) * sizeof *mapping);
}

/* Records that memory has pages of 4 KB again: kind RING_PAGES_NONE for new pages, RING_PAGES_SMALL for the present
 * ones. If only a part of a large page is unmapped, the rest keeps its frames. */
static void memory_clear(uint64_t first, uint64_t end, enum ring_pages kind, void (*write)(uint64_t record))
{
  for (size_t i = 0; i < n_mappings;) {
    const struct mapping m = mapping[i];
    const uint64_t from = m.first > first ? m.first : first, to = m.end < end ? m.end : end;

    if (from >= to) {
      i++;
      continue;
    }
    const uint64_t units = unit_up(from), units_end = to >> PAGES_UNIT_SHIFT;
    if (units > from >> PAGES_UNIT_SHIFT && m.first >> PAGES_UNIT_SHIFT < units)
      units_write(units - 1, units, RING_PAGES_SMALL, write);
    units_write(units, units_end, kind, write);
    if (to & ((UINT64_C(1) << PAGES_UNIT_SHIFT) - 1) && units_end >= units)
      units_write(units_end, units_end + 1, RING_PAGES_SMALL, write);
    mapping_remove(i);
    if (to < m.end)
      mapping_insert(i, (struct mapping){to, m.end, m.kind});
    if (m.first < from)
      mapping_insert(i++, (struct mapping){m.first, from, m.kind});
  }
}

/* Records that memory gets large pages, and merges it with adjacent memory of the same kind. Advice
 * (RING_PAGES_ADVISED) does not change memory that has large pages. */
static void memory_set(struct mapping m, void (*write)(uint64_t record))
{
  const uint64_t first = m.first, end = m.end;
  size_t i = 0;

  if (m.kind != RING_PAGES_ADVISED)
    memory_clear(first, end, RING_PAGES_NONE, write);
  for (size_t k = 0; m.kind == RING_PAGES_ADVISED && k < n_mappings; k++) {
    const struct mapping other = mapping[k];

    if (other.kind == RING_PAGES_ADVISED || other.end <= first || other.first >= end)
      continue;
    if (first < other.first)
      memory_set((struct mapping){first, other.first, m.kind}, write);
    if (other.end < end)
      memory_set((struct mapping){other.end, end, m.kind}, write);
    return;
  }
  while (i < n_mappings) {
    if (mapping[i].kind == m.kind && mapping[i].first <= m.end && mapping[i].end >= m.first) {
      m.first = m.first < mapping[i].first ? m.first : mapping[i].first;
      m.end = m.end > mapping[i].end ? m.end : mapping[i].end;
      mapping_remove(i);
    } else {
      i++;
    }
  }
  for (i = 0; i < n_mappings && mapping[i].first < m.first; i++)
    ;
  mapping_insert(i, m);
  const uint64_t least = unit_up(m.first), most = m.end >> PAGES_UNIT_SHIFT;
  const uint64_t from = first >> PAGES_UNIT_SHIFT, to = unit_up(end);
  units_write(from > least ? from : least, to < most ? to : most, m.kind, write);
}

static void memory_map(uint64_t address, uint64_t bytes, uint64_t flags, void (*write)(uint64_t record))
{
  const uint64_t size_log2 = flags >> HUGE_SIZE_SHIFT & HUGE_SIZE_MASK,
                 large = size_log2 >= HUGE_1G ? HUGE_1G : PAGES_UNIT_SHIFT;
  const uint64_t whole = UINT64_C(1) << large;

  if (flags & HUGETLB)
    memory_set((struct mapping){address, address + ((bytes + whole - 1) & ~(whole - 1)),
                                large == HUGE_1G ? RING_PAGES_1G : RING_PAGES_2M},
               write);
  else
    memory_clear(address, address + bytes, RING_PAGES_NONE, write);
}

/* Handles mremap(): the kind of pages moves with the memory; the physical frames do not (a simplification of the
 * model). */
static void memory_move(uint64_t to, void (*write)(uint64_t record))
{
  const uint64_t from = argument[0], before = argument[1], bytes = argument[2];
  enum ring_pages kind = RING_PAGES_NONE;

  for (size_t i = 0; i < n_mappings; i++)
    if (mapping[i].first <= from && from < mapping[i].end)
      kind = mapping[i].kind;
  if (to != from) {
    memory_clear(from, from + before, RING_PAGES_NONE, write);
    memory_clear(to, to + bytes, RING_PAGES_NONE, write);
  } else if (bytes < before) {
    memory_clear(from + bytes, from + before, RING_PAGES_NONE, write);
  }
  const uint64_t kept = to == from ? before : 0;
  if (kind != RING_PAGES_NONE && bytes > kept)
    memory_set((struct mapping){to + kept, to + bytes, kind}, write);
}

static void memory_advise(void (*write)(uint64_t record))
{
  const uint64_t first = argument[0], end = first + argument[1];

  if (argument[2] == ADVICE_NOT_HUGE)
    memory_clear(first, end, RING_PAGES_SMALL, write);
  else if (argument[2] == ADVICE_HUGE || argument[2] == ADVICE_COLLAPSE)
    memory_set((struct mapping){first, end, argument[2] == ADVICE_HUGE ? RING_PAGES_ADVISED : RING_PAGES_2M}, write);
}

void pages_call(uint64_t a1, uint64_t a2, uint64_t a3, uint64_t a4)
{
  memcpy(argument, (const uint64_t[]){a1 & addresses, a2 & addresses, a3 & addresses, a4}, sizeof argument);
}

void pages_return(int64_t number, int64_t result, void (*write)(uint64_t record))
{
  const bool failed = result < 0 && result >= -4095;
  int call = CALL_MMAP;

  while (target && call <= CALL_BRK && target->call[call] != number)
    call++;
  if (!target || call > CALL_BRK || failed)
    return;
  const uint64_t address = (uint64_t)result & addresses;
  pthread_mutex_lock(&lock);
  if (call == CALL_MMAP)
    memory_map(address, argument[1], argument[3], write);
  else if (call == CALL_MUNMAP)
    memory_clear(argument[0], argument[0] + argument[1], RING_PAGES_NONE, write);
  else if (call == CALL_MREMAP)
    memory_move(address, write);
  else if (call == CALL_MADVISE)
    memory_advise(write);
  else if (address < heap_end)
    memory_clear(address, heap_end, RING_PAGES_NONE, write);
  if (call == CALL_BRK)
    heap_end = address;
  pthread_mutex_unlock(&lock);
}

void pages_fork(void)
{
  lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
}

void pages_repeat(void (*write)(uint64_t record))
{
  for (size_t i = 0; i < n_mappings; i++)
    units_write(unit_up(mapping[i].first), mapping[i].end >> PAGES_UNIT_SHIFT, mapping[i].kind, write);
}
