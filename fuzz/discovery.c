/* SPDX-License-Identifier: MIT */
/*
 * Any bytes as a discovery page: a refusal, or units that make sense, each of which the comparison and the platform
 * writer take. Seed: what tests/hardware/test_discovery.c reads of the machine.
 * `meson setup B -Dfuzz=true` with clang builds it.
 */
#include <stdlib.h>
#include <string.h>
#include <pmon/pmon.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void hear(void *user, const char *text)
{
  if (!*text)
    abort();
  ++*(size_t *)user;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  static struct pmon_context *context;
  const struct pmon_platform *emr;
  struct pmon_discovery *d = NULL;
  size_t remarks = 0, n = size / 8;
  if ((!context && pmon_context_new(&context)) || pmon_platform_find(context, "emr", &emr))
    abort();
  uint64_t *words = malloc(n * 8 + 8);
  memcpy(words, data, n * 8);
  int status = pmon_discovery_parse(words, n, hear, &remarks, &d);
  if ((status == 0) != (d != NULL) || (status && !remarks))
    abort();
  if (d) {
    const struct pmon_discovered_unit *u;
    for (uint32_t i = 0; (u = pmon_discovery_unit(d, i)); i++)
      if (!u->counters || u->counters > 32 || !u->width_bits || u->width_bits > 64)
        abort();
    pmon_discovery_compare(d, emr, NULL, hear, &remarks);
    pmon_discovery_lists(d, emr);
    for (int part = PMON_PART_PLATFORM; part <= PMON_PART_UNITS; part++) {
      const size_t length = pmon_discovery_platform(d, (enum pmon_platform_part)part, "x", NULL, 0);
      char *text = malloc(length + 1);
      if (pmon_discovery_platform(d, (enum pmon_platform_part)part, "x", text, length + 1) != length)
        abort();
      free(text);
      pmon_discovery_repair(d, emr, NULL, &(struct pmon_repair_text){(enum pmon_platform_part)part, "x", NULL, 0});
    }
    pmon_discovery_free(d);
  }
  free(words);
  return 0;
}
