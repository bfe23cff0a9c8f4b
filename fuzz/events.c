/* SPDX-License-Identifier: MIT */
/* Fuzzes event names on each platform: a text is refused with a reason, or is an event whose own name resolves to the
 * same event. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "fuzz/text.h"

static void fuzz_events_try(struct pmon_context *c, const struct pmon_platform *p, const char *text)
{
  struct pmon_event *e, *again;
  struct pmon_image image;
  struct pmon_event_info info = {.size = sizeof info};
  if (pmon_event_resolve(c, p, text, &e)) {
    if (!*pmon_context_error(c))
      abort();
    return;
  }
  pmon_event_describe(e, &info);
  for (uint32_t i = 0; i < 16; i++)
    if (pmon_event_counters(e) >> i & 1 && !pmon_event_encode(e, 0, 0, i, &image) && image.n > PMON_IMAGE_REGISTERS)
      abort();
  if (pmon_event_resolve(c, p, pmon_event_name(e), &again) || strcmp(pmon_event_name(e), pmon_event_name(again)))
    abort();
  pmon_event_free(again);
  pmon_event_free(e);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  text_on_each_platform(data, size, fuzz_events_try);
  return 0;
}
