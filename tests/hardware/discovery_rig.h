/* SPDX-License-Identifier: MIT */
/* The discovery page of an emulated Emerald Rapids. */
#ifndef TESTS_HARDWARE_DISCOVERY_RIG_H
#define TESTS_HARDWARE_DISCOVERY_RIG_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>
#include <pmon/pmon.h>
#include "machine/machine.h"

enum { WORDS = 2048, ALL = 0xffff };
static struct pmon_context *context;
static const struct pmon_platform *emr;
static struct machine *machine;
static struct pmon_backend *backend;
static uint64_t page[WORDS];
static size_t page_words;

struct observed {
  unsigned n;
  char last[256], all[4096];
};

static inline void discovery_note(void *user, const char *text)
{
  struct observed *h = user;
  size_t n = strlen(h->all);
  h->n++;
  snprintf(h->last, sizeof h->last, "%s", text);
  snprintf(h->all + n, sizeof h->all - n, "%s\n", text);
}

static inline int discovery_set_up(void **state)
{
  (void)state;
  char error[200];
  if (pmon_context_new(&context) || pmon_platform_find(context, "emr", &emr) ||
      machine_new(NULL, error, sizeof error, &machine) || machine_backend_new(machine, &backend))
    return -1;
  struct pmon_address a = {.space = PMON_SPACE_MMIO, .width_bits = 64, .device = 16};
  for (page_words = 0; page_words < WORDS && !machine_read(machine, &a, &page[page_words]); page_words++)
    a.offset += 8;
  return page_words > 500 && page_words < WORDS ? 0 : -1;
}

static inline int discovery_tear_down(void **state)
{
  (void)state;
  pmon_backend_close(backend);
  machine_free(machine);
  pmon_context_free(context);
  return 0;
}

#endif
