/* SPDX-License-Identifier: MIT */
/* Parses addresses in the text of files. */
#ifndef PMON_PLATFORM_ADDRESS_H
#define PMON_PLATFORM_ADDRESS_H

#include <pmon/access.h>
#include "src/base/text.h"

/* Takes the next word, up to a blank or tab, off the beginning of `rest`; it is empty at the end. */
struct text text_take_word(struct text *rest);

/* Takes a device such as 30:1.0, numbered as in struct pmon_address. Returns NULL; else what was expected, and *ret_got
 * has the text found. */
const char *address_take_device(struct text *rest, uint32_t *ret_device, struct text *ret_got);

/* The same for an address as pmon_address_format() writes it: sets space, device and offset. */
const char *address_take(struct text *rest, struct pmon_address *address, struct text *ret_got);

#endif
