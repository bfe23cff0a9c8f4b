/* SPDX-License-Identifier: MIT */
/* Any text as a list of metrics of each platform, and as a register value to decode. */
#include <stdlib.h>
#include <string.h>
#include <pmon/pmon.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void try(struct pmon_context *c, const struct pmon_platform *p, const char *text)
{
  struct pmon_plan *plan;
  struct pmon_decoded decoded = { .size = sizeof decoded };
  if (pmon_plan_new(c, p, &plan))
    abort();
  if (pmon_plan_add_metrics(plan, text)) {
    if (!*pmon_context_error(c))
      abort();
  } else if (pmon_plan_schedule(plan) && !*pmon_context_error(c)) {
    abort();
  }
  pmon_plan_free(plan);
  pmon_decode(c, p, text, &decoded);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  static struct pmon_context *c;
  char text[2048];
  if (size >= sizeof text || (!c && pmon_context_new(&c)))
    return 0;
  memcpy(text, data, size);
  text[size] = 0;
  for (uint32_t i = 0; pmon_platform_get(c, i); i++)
    try(c, pmon_platform_get(c, i), text);
  return 0;
}
