/* SPDX-License-Identifier: MIT */
/* The location of a scenario step's memory, and the pages that map it. */
#include <stdlib.h>
#include <string.h>
#include <pmon/status.h>
#include "machine/trace/scenario_parser.h"
#include "machine/common/address.h"

#define FIRST_SHARED (UINT64_C(1) << 45) /* above all threads */
#define SHARED_MAX 256u
#define PAGE 4096u
#define CXL_REGIONS ((UINT64_C(4096) << CXL_PAGES_BITS) / SCENARIO_REGION) /* of one device */

int scenario_shared(struct parser *p, uint64_t *ret_base)
{
  struct scenario *s = p->s;
  const char *name = scenario_peek(p);
  char(*list)[32];
  size_t i = 0;

  if (!*name || strlen(name) >= sizeof s->shared[0])
    return scenario_wrong(p, PMON_E_SYNTAX, "expected the name of a shared buffer, not '%.40s'", name);
  while (i < s->n_shared && strcmp(s->shared[i], name) != 0)
    i++;
  if (i == SHARED_MAX)
    return scenario_wrong(p, PMON_E_RANGE, "more than %u shared buffers", SHARED_MAX);
  if (i == s->n_shared) {
    list = scenario_grow_list(s->shared, s->n_shared, sizeof *list);
    if (!list)
      return PMON_E_MEMORY;
    s->shared = list;
    strcpy(s->shared[s->n_shared++], name);
  }
  p->at++;
  *ret_base = FIRST_SHARED + i * SCENARIO_REGION;
  return 0;
}

/* A device has regions for 128 threads; the other threads use the upper halves of these regions. No step needs more
 * than half a region: the maximum is a copy of the longest span. */
static uint64_t cxl_region(unsigned thread)
{
  _Static_assert(SCENARIO_THREADS <= 2 * CXL_REGIONS && 4 * SCENARIO_SPAN_MAX <= SCENARIO_REGION, "room in a device");
  return thread % CXL_REGIONS * SCENARIO_REGION + thread / CXL_REGIONS * (SCENARIO_REGION / 2);
}

int scenario_cxl_base(struct parser *p, unsigned thread, unsigned first, uint64_t *ret_base)
{
  static const uint64_t devices[2] = {0, CXL_DEVICES - 1};
  uint64_t device = 0;
  int rc = scenario_number(p, "a CXL device", scenario_plain_units, devices, &device);
  *ret_base = (CXL_PAGES + ((first + device) << CXL_PAGES_BITS)) * PAGE + cxl_region(thread);
  return rc;
}

int scenario_pages(struct parser *p, enum pages_kind *ret_pages)
{
  const bool small = scenario_take(p, "2M");

  if (!small && !scenario_take(p, "1G"))
    return scenario_wrong(p, PMON_E_SYNTAX, "expected 2M or 1G after 'pages', not '%.40s'", scenario_peek(p));
  *ret_pages = small ? PAGES_2M : PAGES_1G;
  return 0;
}

void scenario_fini(struct scenario *s)
{
  free(s->setting);
  free(s->step);
  free(s->dma);
  free(s->device);
  free(s->shared);
  free(s->inject);
  free(s->action);
  free(s->expectation);
  free(s->fault);
  *s = (struct scenario){0};
}
