/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Decodes x86 instructions; several parts of the plugin look at each. Only with HAVE_ZYDIS. */
#ifndef PLUGIN_DECODE_H
#define PLUGIN_DECODE_H

#include <stdbool.h>
#include <stddef.h>
#include <Zydis/Zydis.h>

struct decoded {
  ZydisDecodedInstruction in;
  ZydisDecodedOperand o[ZYDIS_MAX_OPERAND_COUNT];
};

/* Prepares for code of that width. false: it failed. */
bool decode_install(bool is_64_bit);
/* The instruction of `n` bytes at `code`, valid until the next one is decoded; NULL: it is unknown. */
const struct decoded *decode(const void *code, size_t n);

#endif
