/* SPDX-License-Identifier: MIT */
/* Fuzzes lists of metrics of each platform, which are counted where possible; the text is also decoded as a register
 * value. */
#include <stdlib.h>
#include <string.h>
#include "fuzz/text.h"
#include "fuzz/walk.h"
#include "tests/engine/fake.h"

static void fuzz_metrics_try(struct pmon_context *c, const struct pmon_platform *p, const char *text)
{
  static struct fake fake;
  struct pmon_plan *plan;
  struct pmon_decoded decoded = {.size = sizeof decoded};
  if (pmon_plan_new(c, p, &plan))
    abort();
  if (pmon_plan_add_metrics(plan, text)) {
    if (!*pmon_context_error(c))
      abort();
    pmon_plan_free(plan);
  } else {
    fake_init(&fake, p);
    walk_plan(c, plan, &fake.backend);
  }
  pmon_decode(c, p, text, &decoded);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  text_on_each_platform(data, size, fuzz_metrics_try);
  return 0;
}
