/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Determines whether an x86 instruction makes exactly one memory access, whatever its registers hold. */
#ifndef PLUGIN_ACCESS_H
#define PLUGIN_ACCESS_H

#include <stdbool.h>
#include <Zydis/Zydis.h>

/* True if it makes one access, in one piece: a load or a store of at most eight bytes. */
bool access_is_alone(const ZydisDecodedInstruction *in, const ZydisDecodedOperand *o);
/* True if it loads or stores one vector of 16 or 32 bytes, all of it, and accesses nothing else. */
bool access_is_vector(const ZydisDecodedInstruction *in, const ZydisDecodedOperand *o);

#endif
