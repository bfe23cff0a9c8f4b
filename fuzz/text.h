/* SPDX-License-Identifier: MIT */
/* A target whose input is a text, tried on each platform. */
#ifndef FUZZ_TEXT_H
#define FUZZ_TEXT_H

#include <stdint.h>
#include <string.h>
#include <pmon/pmon.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static inline void text_on_each_platform(const uint8_t *data, size_t size,
                                         void (*try)(struct pmon_context *, const struct pmon_platform *, const char *))
{
  static struct pmon_context *c;
  char text[2048];
  if (size >= sizeof text || (!c && pmon_context_new(&c)))
    return;
  memcpy(text, data, size);
  text[size] = 0;
  for (uint32_t i = 0; pmon_platform_get(c, i); i++)
    try(c, pmon_platform_get(c, i), text);
}

#endif
