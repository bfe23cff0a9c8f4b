/* SPDX-License-Identifier: MIT */
/* REGISTER=VALUE as users write it. */
#include <pmon/encode.h>
#include "src/base/text.h"
#include "src/platform/context.h"
#include "src/platform/platform.h"

int pmon_decode(struct pmon_context *context, const struct pmon_platform *platform, const char *text,
                struct pmon_decoded *decoded)
{
  const char *equals = strrchr(text, '=');
  struct pmon_register_match match;
  uint64_t value;
  if (!equals || equals == text)
    return context_fail(context, PMON_E_SYNTAX, 1, "%s: expected REGISTER=VALUE", text);
  if (!text_number(text_of(equals + 1), &value))
    return context_fail(context, text_is_wide_number(text_of(equals + 1)) ? PMON_E_RANGE : PMON_E_SYNTAX,
                        (uint32_t)(equals + 1 - text) + 1, "\"%s\" is not a number of at most 64 bits", equals + 1);
  int status = platform_resolve_register(platform, (struct text){text, (size_t)(equals - text)}, &match);
  if (status)
    return status;
  struct pmon_decoded full = {.size = sizeof full, .any_instance = match.any_instance, .any_index = match.any_index};
  status = pmon_decode_value(platform, &match.id, value, &full);
  if (status)
    return context_fail(context, status, (uint32_t)(equals + 1 - text) + 1, "0x%llx does not fit into the register",
                        (unsigned long long)value);
  return CONTEXT_FILL(context, decoded, full);
}
