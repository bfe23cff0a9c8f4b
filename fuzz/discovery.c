/* SPDX-License-Identifier: MIT */
/*
 * Fuzzes the parser of discovery pages: the input is refused, or its units make sense and can be compared with a
 * platform. Two platforms are written from the page, one of the page alone and one repaired; they are read and used.
 * Seed: the page that tests/hardware/test_discovery.c reads from the machine.
 * `meson setup B -Dfuzz=true` with clang builds it.
 */
#include <stdlib.h>
#include <string.h>
#include <pmon/pmon.h>
#include "fuzz/walk.h"
#include "src/facts/facts.h"
#include "src/platform/context.h"
#include "tests/engine/fake.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void fuzz_discovery_diagnostic(void *user, const char *text)
{
  if (!*text)
    abort();
  ++*(size_t *)user;
}

/* The files of a platform in memory, by part. */
struct written {
  char *text[PMON_PART_UNITS + 1];
  size_t size[PMON_PART_UNITS + 1];
};

static int read_written(void *user, const char *path, char **ret_text, size_t *ret_size)
{
  const struct written *w = user;
  const char *suffix = strrchr(path, '.');
  const int part = !suffix                        ? -1
                   : !strcmp(suffix, ".platform") ? PMON_PART_PLATFORM
                   : !strcmp(suffix, ".reg")      ? PMON_PART_REGISTERS
                   : !strcmp(suffix, ".unit")     ? PMON_PART_UNITS
                                                  : -1;
  if (part < 0 || !w->text[part])
    return PMON_E_IO;
  *ret_text = malloc(w->size[part] + 1);
  memcpy(*ret_text, w->text[part], w->size[part]);
  *ret_size = w->size[part];
  return 0;
}

/* Reads the written files, which must be valid, on top of `base`. Returns the platform, from now on the context's first
 * one. */
static const struct pmon_platform *read_back(struct pmon_context *c, struct written *w, const struct db *base)
{
  const char *file = "x.platform";
  const struct facts_reader reader = {read_written, w};
  const struct facts_input input = {.files = &file, .n = 1, .reader = &reader, .base = base};
  struct db *db;
  struct text_error error;
  if (facts_load_all(&input, &error, &db) || context_add_tables(c, db, base ? base->n_platforms : 0))
    abort();
  for (int part = 0; part <= PMON_PART_UNITS; part++)
    free(w->text[part]);
  return pmon_platform_get(c, 0);
}

/* A platform of the page alone must have each of the page's units, and be measurable. */
static void try_platform(const struct pmon_discovery *d)
{
  static struct fake fake;
  struct pmon_context *c;
  struct written w = {0};
  if (pmon_context_new(&c))
    abort();
  for (int part = PMON_PART_PLATFORM; part <= PMON_PART_UNITS; part++) {
    w.size[part] = pmon_discovery_platform(d, (enum pmon_platform_part)part, "x", NULL, 0);
    w.text[part] = malloc(w.size[part] + 1);
    if (pmon_discovery_platform(d, (enum pmon_platform_part)part, "x", w.text[part], w.size[part] + 1) != w.size[part])
      abort();
  }
  const struct pmon_platform *p = read_back(c, &w, NULL);
  if (pmon_discovery_unit(d, 0) && !pmon_discovery_lists(d, p))
    abort();
  walk_units(c, p);
  walk_rules(p);
  struct pmon_plan *plan;
  if (pmon_plan_new(c, p, &plan) ||
      (pmon_discovery_unit(d, 0) && pmon_plan_add_events(plan, "type0/config=0x35/") && !*pmon_context_error(c)))
    abort();
  fake_init(&fake, p);
  walk_plan(c, plan, &fake.backend);
  pmon_context_free(c);
}

/* The repaired platform must not differ from the page in more than its base does. */
static void try_repair(const struct pmon_discovery *d, const struct pmon_platform *emr)
{
  struct pmon_context *c;
  struct written w = {0};
  size_t diagnostics = 0;
  if (pmon_context_new(&c))
    abort();
  for (int part = PMON_PART_PLATFORM; part <= PMON_PART_UNITS; part += PMON_PART_UNITS - PMON_PART_PLATFORM) {
    struct pmon_repair_text out = {.size = sizeof out, .part = (enum pmon_platform_part)part, .name = "x"};
    w.size[part] = pmon_discovery_repair(d, emr, NULL, &out);
    out.text = w.text[part] = malloc(out.text_size = w.size[part] + 1);
    if (pmon_discovery_repair(d, emr, NULL, &out) != w.size[part])
      abort();
  }
  const struct pmon_platform *p = read_back(c, &w, &db_builtin);
  if (pmon_discovery_compare(d, p, NULL, fuzz_discovery_diagnostic, &diagnostics) >
      pmon_discovery_compare(d, emr, NULL, fuzz_discovery_diagnostic, &diagnostics))
    abort();
  walk_units(c, p);
  pmon_context_free(c);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  static unsigned repaired;
  static struct pmon_context *context;
  const struct pmon_platform *emr;
  struct pmon_discovery *d = NULL;
  size_t diagnostics = 0, n = size / 8;
  if ((!context && pmon_context_new(&context)) || pmon_platform_find(context, "emr", &emr))
    abort();
  uint64_t *words = malloc(n * 8 + 8);
  memcpy(words, data, n * 8);
  int status = pmon_discovery_parse(words, n, fuzz_discovery_diagnostic, &diagnostics, &d);
  if ((status == 0) != (d != NULL) || (status && !diagnostics))
    abort();
  if (d) {
    const struct pmon_discovered_unit *u;
    for (uint32_t i = 0; (u = pmon_discovery_unit(d, i)); i++)
      if (!u->counters || u->counters > 32 || !u->width_bits || u->width_bits > 64)
        abort();
    pmon_discovery_compare(d, emr, NULL, fuzz_discovery_diagnostic, &diagnostics);
    pmon_discovery_lists(d, emr);
    try_platform(d);
    if (repaired++ % 16 == 0) /* as large as its base: only for every 16th page */
      try_repair(d, emr);
    pmon_discovery_free(d);
  }
  free(words);
  return 0;
}
