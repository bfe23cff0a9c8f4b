/* SPDX-License-Identifier: MIT */
/* SHA-256 (FIPS 180-4), which identifies the contents of files. */
#ifndef PMON_BASE_SHA256_H
#define PMON_BASE_SHA256_H

#include <stddef.h>
#include <stdint.h>

enum { SHA256_HEX = 65 }; /* size of a digest as text, including the NUL */

struct sha256 {
  uint32_t state[8];
  uint64_t bytes;
  uint8_t block[64];
};

void sha256_init(struct sha256 *h);
void sha256_add(struct sha256 *h, const void *data, size_t n);

/* Writes the digest of all added data as lower-case hexadecimal text; `h` must be initialised again before further
 * use. */
void sha256_end(struct sha256 *h, char hex[SHA256_HEX]);

#endif
