/* SPDX-License-Identifier: MIT */
#include "machine/trace/area.h"

#include <fcntl.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif
#include <limits.h>
#include <linux/futex.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <pmon/status.h>

/* Number of words read before the producer sees their space as free, and of words left when a producer that waits for
 * space is woken: few, because to wake it takes as long as to simulate some thousand words. */
#define RELEASE_AT (RING_RECORDS / 8)

int ring_area_new(int *ret_fd, struct ring_area **ret_area)
{
  struct ring_area *area;

  /* The size is sealed: otherwise a program could shrink the file, and the reader would die of SIGBUS. */
  *ret_fd = memfd_create("pmon-trace", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (*ret_fd < 0 || ftruncate(*ret_fd, (off_t)sizeof *area) < 0 ||
      fcntl(*ret_fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) < 0)
    return PMON_E_IO;
  area = mmap(NULL, sizeof *area, PROT_READ | PROT_WRITE, MAP_SHARED, *ret_fd, 0);
  if (area == MAP_FAILED)
    return PMON_E_MEMORY;
  area->magic = RING_MAGIC;
  area->threads = RING_THREADS;
  area->records = RING_RECORDS;
  *ret_area = area;
  return 0;
}

void ring_area_free(int fd, struct ring_area *area)
{
  if (area)
    munmap(area, sizeof *area);
  if (fd >= 0)
    close(fd);
}

int ring_setup_new(void)
{
  return memfd_create("pmon-setup", MFD_CLOEXEC | MFD_ALLOW_SEALING);
}

int ring_setup_write(int fd, const struct ring_setup *setup)
{
  return write(fd, setup, sizeof *setup) == (ssize_t)sizeof *setup && !fcntl(fd, F_ADD_SEALS, RING_SETUP_SEALS)
             ? 0
             : PMON_E_IO;
}

/* True if a producer can write such a word. A producer never writes a sleep. */
static bool word_is_possible(uint64_t word)
{
  if (record_is_block(word))
    return record_is_mark(word) ? record_mark_is_valid(word) : record_count(word) && record_bytes(word);
  if (record_is_note(word))
    return record_note_is_valid(word);
  return record_size_log2(word) <= RING_SIZE_LOG2_MOST && (word & RECORD_MANNER) != RECORD_SLEEP;
}

/* Words examined at once; words that are copied, and then examined while they are in the host's L1; words further on
 * that are prefetched meanwhile, because they are in another processor's cache. */
enum { USUAL_AT_ONCE = 8, COPY_AT_ONCE = 128, COPY_AHEAD = 512, HOST_LINE = 8 };

#ifdef __SSE2__
/* Returns the high 32 bits of four words, in whose high halves are the words' high 16 bits. */
static inline __m128i words_high(const uint64_t *word)
{
  const __m128 *two = (const __m128 *)(const void *)word;
  return _mm_castps_si128(
      _mm_shuffle_ps(_mm_loadu_ps((const float *)two), _mm_loadu_ps((const float *)(two + 1)), 0xdd));
}

/* Returns all ones for those of eight numbers in which none of the bits is set. */
static inline __m128i words_lack(__m128i high, uint64_t bits)
{
  return _mm_cmpeq_epi16(_mm_and_si128(high, _mm_set1_epi16((int16_t)(bits >> 48))), _mm_setzero_si128());
}

/* True if all of USUAL_AT_ONCE words are accesses or blocks, as nearly all are. */
static inline bool words_are_usual(const uint64_t *word)
{
  const __m128i high =
      _mm_packs_epi32(_mm_srai_epi32(words_high(word), 16), _mm_srai_epi32(words_high(word + USUAL_AT_ONCE / 2), 16));
  const __m128i block = _mm_cmplt_epi16(high, _mm_setzero_si128());
  const __m128i bad_block = _mm_or_si128(words_lack(high, (uint64_t)RECORD_MAX_COUNT << RECORD_COUNT_SHIFT),
                                         words_lack(high, (uint64_t)RECORD_MAX_BYTES << RECORD_BYTES_SHIFT));
  /* notes compare greater than all manners */
  const __m128i awake = _mm_cmplt_epi16(high, _mm_set1_epi16((int16_t)(RECORD_SLEEP >> 48)));
  const __m128i size = _mm_and_si128(high, _mm_set1_epi16((RECORD_ALONE >> RECORD_SIZE_SHIFT) - 1));
  const __m128i access = _mm_and_si128(awake, _mm_cmplt_epi16(size, _mm_set1_epi16(RING_SIZE_LOG2_MOST + 1)));
  const __m128i good = _mm_or_si128(_mm_andnot_si128(bad_block, block), _mm_andnot_si128(block, access));
  return _mm_movemask_epi8(good) == 0xffff;
}
#else
static inline bool words_are_usual(const uint64_t *word)
{
  (void)word;
  return false;
}
#endif

/* True if a producer can write such words. */
static bool words_are_possible(const uint64_t *word, size_t n)
{
  size_t i = 0;

  for (; n - i >= USUAL_AT_ONCE; i += USUAL_AT_ONCE)
    if (!words_are_usual(word + i))
      for (size_t k = i; k < i + USUAL_AT_ONCE; k++)
        if (!word_is_possible(word[k]))
          return false;
  for (; i < n; i++)
    if (!word_is_possible(word[i]))
      return false;
  return true;
}

/* Prefetches the next COPY_AT_ONCE words from `position` on. */
static void ring_prefetch(const struct ring *r, uint64_t position)
{
  for (unsigned i = 0; i < COPY_AT_ONCE; i += HOST_LINE)
    __builtin_prefetch(&r->record[(position + i) & (RING_RECORDS - 1)]);
}

ptrdiff_t ring_copy(const struct ring *r, uint64_t from, uint64_t end, uint64_t *to, size_t room)
{
  if (end - from > RING_RECORDS)
    return -1;
  const size_t n = end - from < room ? (size_t)(end - from) : room;
  for (size_t done = 0, part; done < n; done += part) {
    const size_t place = (from + done) & (RING_RECORDS - 1), left = n - done, end_left = RING_RECORDS - place;
    part = left < COPY_AT_ONCE ? left : COPY_AT_ONCE;
    part = part < end_left ? part : end_left;
    if (left >= COPY_AHEAD + COPY_AT_ONCE)
      ring_prefetch(r, from + done + COPY_AHEAD);
    /* A program may write there at the same time; therefore only the copy is examined and used. */
    memcpy(to + done, r->record + place, part * sizeof *to);
    if (!words_are_possible(to + done, part))
      return -1;
  }
  return (ptrdiff_t)n;
}

void ring_give_room(struct ring *r, uint64_t read)
{
  if (read - __atomic_load_n(&r->tail, __ATOMIC_RELAXED) < RELEASE_AT &&
      !__atomic_load_n(&r->producer_waits, __ATOMIC_RELAXED))
    return;
  __atomic_store_n(&r->tail, read, __ATOMIC_RELEASE);
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  if (!__atomic_load_n(&r->producer_waits, __ATOMIC_RELAXED) ||
      __atomic_load_n(&r->head, __ATOMIC_RELAXED) - read > RELEASE_AT)
    return;
  __atomic_add_fetch(&r->space, 1, __ATOMIC_SEQ_CST);
  syscall(SYS_futex, &r->space, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}
