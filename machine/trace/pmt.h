/* SPDX-License-Identifier: MIT */
/*
 * The binary trace format: its constants, and the coding of records before version 5; visits.h has the current coding.
 * docs/trace-format.md describes the format for readers outside this project.
 */
#ifndef MACHINE_TRACE_PMT_H
#define MACHINE_TRACE_PMT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "machine/trace/visits.h"

#define PMT_MAGIC "\x89PMT\r\n\x1a\n"
#define PMT_MAGIC_BYTES 8u
/* The version that is written. Readers also accept 1 (no notes), 2 (no summaries of blocks), 3 (no pages) and 4. */
#define PMT_VERSION 5u
#define PMT_VERSION_VISITS 5u /* from this version on, records are coded as visits */
#define PMT_HEADER_BYTES 16u  /* magic, version, length of the origin text that follows */
#define PMT_ORIGIN_MAX 65536u
#define PMT_CHUNK_HEADER_BYTES 24u /* tag, thread, payload bytes, records (32 bits each), checksum (64 bits) */
#define PMT_CHUNK_RECORDS 32768u   /* maximum */
#define PMT_CHUNK_BYTES (PMT_CHUNK_RECORDS * VISIT_RECORD_BYTES + COLUMNS_HEADER) /* 10 a record before version 5 */
#define PMT_PADDING 10u /* number of bytes that must be readable after an encoded record */
#define PMT_THREADS 65536u
#define PMT_RUNNING 288u                   /* threads that run at the same time; a live run has at most 256 */
#define PMT_SLEEP_NS UINT64_C(60000000000) /* maximum of all sleeps in a trace together */
#define PMT_NAMES ((uint32_t)RECORD_PHASE) /* of regions, at most; greater mark numbers are phases of sampled runs */
#define PMT_NAME_BYTES 119u                /* maximum */

/* Tags: the four letters as in the file. */
#define PMT_RECORDS UINT32_C(0x53434552) /* "RECS" records of a thread */
#define PMT_IDLE UINT32_C(0x454c4449)    /* "IDLE" the thread starts to wait */
#define PMT_END UINT32_C(0x44454854)     /* "THED" the thread ends here */
#define PMT_NAME UINT32_C(0x454d414e)    /* "NAME" a region's name; thread: its number; payload: the text */
/* "DONE" end of the file; thread: number of threads; payload: number of all records */
#define PMT_DONE UINT32_C(0x454e4f44)

#define PMT_BASES 4u
#define PMT_BLOCKS 16384u

/* The state of the decoder of one thread; all zero at the thread's start. */
struct pmt_coder {
  uint64_t slept_ns;          /* total of the decoded sleeps */
  uint64_t base[PMT_BASES];   /* base addresses of the differences */
  uint64_t block[PMT_BLOCKS]; /* block records defined so far */
  uint32_t ordinal;           /* ordinal of the last access */
};

/* Decodes `bytes` bytes, followed by PMT_PADDING readable bytes, into exactly `n` records, of a file before version 5.
 * Returns false when they are not exactly `n` records. Ordinals are renumbered: equal where they were equal, otherwise
 * ascending. */
bool pmt_decode(struct pmt_coder *c, const uint8_t *from, size_t bytes, uint64_t *record, size_t n);

/* The checksum of a chunk: over its header's first 16 bytes and the payload. */
uint64_t pmt_checksum(const uint8_t header[16], const uint8_t *payload, size_t bytes);

static inline uint32_t pmt_get32(const uint8_t *p)
{
  return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static inline uint64_t pmt_get64(const uint8_t *p)
{
  return pmt_get32(p) | (uint64_t)pmt_get32(p + 4) << 32;
}

static inline void pmt_put32(uint8_t *p, uint32_t v)
{
  for (int i = 0; i < 4; i++)
    p[i] = (uint8_t)(v >> 8 * i);
}

static inline void pmt_put64(uint8_t *p, uint64_t v)
{
  pmt_put32(p, (uint32_t)v);
  pmt_put32(p + 4, (uint32_t)(v >> 32));
}

#endif
