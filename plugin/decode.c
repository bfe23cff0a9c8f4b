/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifdef HAVE_ZYDIS
#include "plugin/decode.h"

#include <string.h>

static ZydisDecoder decoder;
static struct {
  unsigned char code[ZYDIS_MAX_INSTRUCTION_LENGTH];
  size_t n; /* 0: none yet */
  bool known;
  struct decoded decoded;
} last; /* QEMU translates one block of a program at a time */

bool decode_install(bool is_64_bit)
{
  last.n = 0;
  return ZYAN_SUCCESS(ZydisDecoderInit(&decoder, is_64_bit ? ZYDIS_MACHINE_MODE_LONG_64 : ZYDIS_MACHINE_MODE_LEGACY_32,
                                       is_64_bit ? ZYDIS_STACK_WIDTH_64 : ZYDIS_STACK_WIDTH_32));
}

/* The parts of the plugin ask for an instruction one after the other. */
const struct decoded *decode(const void *code, size_t n)
{
  if (!n || n > sizeof last.code)
    return NULL;
  if (n != last.n || memcmp(code, last.code, n) != 0) {
    last.n = n;
    memcpy(last.code, code, n);
    last.known = ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, code, n, &last.decoded.in, last.decoded.o));
  }
  return last.known ? &last.decoded : NULL;
}
#endif
