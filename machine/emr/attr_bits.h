/* SPDX-License-Identifier: MIT */
/* Positions of the umask and its extension in `attr` (attr.h), and the events that every unit has. */
#ifndef MACHINE_EMR_ATTR_BITS_H
#define MACHINE_EMR_ATTR_BITS_H

#include <stdint.h>

#define EMR_UMASK(u) ((uint64_t)(u) << 8) /* umask, bits 15:8 (Table 1-5) */
#define EMR_EXT(e) ((uint64_t)(e) << 32)  /* extended umask, bits 63:32 */

/* The clock event of every unit, which the block itself generates. Mesh stops: CMS_CLOCKTICKS. */
enum { EMR_CLOCKTICKS = 0x01, EMR_CMS_CLOCKTICKS = 0xc0 };

#endif
