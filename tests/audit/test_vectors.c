/* SPDX-License-Identifier: MIT */
/*
 * libpfm4's own test vectors: the uncore cases of the E5-2600 and of Sapphire Rapids (whose uncore Emerald Rapids
 * shares) are read from its tests/validate_x86.c, in a source folder that PMON_LIBPFM4_SOURCE names or that the set-up
 * fetched, and encoded here. data/audit/libpfm4-vectors.tsv has the differences with verdicts.
 */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <pmon/pmon.h>
#include "tests/audit/explain.h"

enum { SKIPPED = 77, CODES = 4 };

/* The session sets the enable bits of the counter and its overflow; libpfm4's codes lack them. */
#define ENABLES 0x500000ull

struct vector {
  char name[160];
  bool succeeds;
  unsigned count, line;
  uint64_t codes[CODES];
};

/* The prefixes of the vectors for each platform. */
static const struct {
  const char *prefix, *platform;
} families[] = {
    {"snbep_unc_", "snbep"},
    {"spr_unc_", "emr"},
};
enum { FAMILIES = sizeof families / sizeof *families };

static const char *source_folder;

static FILE *open_vectors(char *path, size_t size)
{
  snprintf(path, size, "%s/tests/validate_x86.c", source_folder);
  return fopen(path, "r");
}

/* Reads the next vector: from the line with its name to the one with the closing brace. */
static bool next_vector(FILE *file, unsigned *line_number, struct vector *v)
{
  char line[512];
  bool inside = false;
  while (fgets(line, sizeof line, file)) {
    ++*line_number;
    unsigned index;
    char value[40];
    if (sscanf(line, " .name = \"%159[^\"]\"", v->name) == 1) {
      *v = (struct vector){.line = *line_number};
      inside = sscanf(line, " .name = \"%159[^\"]\"", v->name) == 1;
    } else if (inside && strstr(line, ".ret")) {
      v->succeeds = strstr(line, "PFM_SUCCESS") != NULL;
    } else if (inside && sscanf(line, " .count = %u", &v->count) == 1) {
      continue;
    } else if (inside && sscanf(line, " .codes[%u] = %39[0-9a-fA-Fxu]", &index, value) == 2) {
      assert_true(index < CODES);
      v->codes[index] = strtoull(value, NULL, 0);
    } else if (inside && strstr(line, "},")) {
      return true;
    }
  }
  return false;
}

/* Formats libpfm4's result for a vector: its codes, or a refusal. */
static void print_theirs(const struct vector *v, char *text, size_t size)
{
  if (!v->succeeds) {
    snprintf(text, size, "refused");
    return;
  }
  size_t length = (size_t)snprintf(text, size, "0x%" PRIx64, v->codes[0]);
  for (unsigned i = 1; i < v->count && i < CODES && length < size; i++)
    if (v->codes[i])
      length += (size_t)snprintf(text + length, size - length, " 0x%" PRIx64, v->codes[i]);
}

/* Formats pmon's result: the control register, then filters in the order of their addresses. */
static void print_ours(struct pmon_context *context, const struct pmon_platform *platform, const struct vector *v,
                       char *text, size_t size)
{
  struct pmon_event *event;
  struct pmon_image image;
  if (pmon_event_resolve(context, platform, v->name, &event)) {
    snprintf(text, size, "refused");
    return;
  }
  uint32_t counter = (uint32_t)__builtin_ctz(pmon_event_counters(event));
  uint32_t instance = (uint32_t)__builtin_ctzll(pmon_event_instances(event));
  int status = pmon_event_encode(event, 0, instance, counter, &image);
  pmon_event_free(event);
  if (status || !image.n) {
    snprintf(text, size, "refused");
    return;
  }
  uint64_t control = image.registers[image.n - 1].value & ~ENABLES;
  size_t length = (size_t)snprintf(text, size, "0x%" PRIx64, control);
  for (uint32_t i = 0; i + 1 < image.n && length < size; i++)
    if (image.registers[i].value & image.registers[i].mask)
      length += (size_t)snprintf(text + length, size - length, " 0x%" PRIx64,
                                 image.registers[i].value & image.registers[i].mask);
}

static void every_vector(void **state)
{
  (void)state;
  char path[4096];
  FILE *file = open_vectors(path, sizeof path);
  assert_non_null(file);
  struct pmon_context *context;
  const struct pmon_platform *platform[FAMILIES];
  struct explain explain;
  assert_int_equal(pmon_context_new(&context), 0);
  for (size_t f = 0; f < FAMILIES; f++)
    assert_int_equal(pmon_platform_find(context, families[f].platform, &platform[f]), 0);
  assert_int_equal(explain_open(&explain, "libpfm4-vectors.tsv"), 0);

  struct vector v;
  unsigned line = 0, compared[FAMILIES] = {0}, equal[FAMILIES] = {0};
  while (next_vector(file, &line, &v))
    for (size_t f = 0; f < FAMILIES; f++) {
      if (strncmp(v.name, families[f].prefix, strlen(families[f].prefix)))
        continue;
      char theirs[100], ours[100], what[256];
      print_theirs(&v, theirs, sizeof theirs);
      print_ours(context, platform[f], &v, ours, sizeof ours);
      compared[f]++;
      equal[f] += !strcmp(theirs, ours);
      snprintf(what, sizeof what, "%s there, %s here", theirs, ours);
      if (strcmp(theirs, ours))
        explain_difference(&explain, (const char *const[1]){v.name}, what);
    }
  fclose(file);
  for (size_t f = 0; f < FAMILIES; f++)
    print_message("%s*: %u vectors, %u the same%s\n", families[f].prefix, compared[f], equal[f],
                  compared[f] ? "" : " (this libpfm4 has none)");
  assert_true(compared[0] > 40);
  assert_int_equal(explain.unexplained, 0);
  assert_int_equal(explain_stale(&explain), 0);
  explain_close(&explain);
  pmon_context_free(context);
}

int main(void)
{
  char path[4096];
  const char *named = getenv("PMON_LIBPFM4_SOURCE");
  source_folder = named ? named : LIBPFM4_SOURCE;
  FILE *file = open_vectors(path, sizeof path);
  if (!file) {
    fprintf(stderr, "SKIPPED: libpfm4's test vectors: no %s; name its source folder in PMON_LIBPFM4_SOURCE\n", path);
    return SKIPPED;
  }
  fclose(file);
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_vector)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
