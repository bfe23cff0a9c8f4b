/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whether all that an x86 instruction accesses is known to be one access, whatever its registers hold. */
#ifndef PLUGIN_ACCESS_H
#define PLUGIN_ACCESS_H

#include <stdbool.h>
#include <Zydis/Zydis.h>

/* It makes one access, in one piece: a load or a store of at most eight bytes. */
bool access_is_alone(const ZydisDecodedInstruction *in, const ZydisDecodedOperand *o);
/* It loads or stores one vector of 16 or 32 bytes, all of it, and accesses nothing else. */
bool access_is_vector(const ZydisDecodedInstruction *in, const ZydisDecodedOperand *o);

#endif
