/* SPDX-License-Identifier: MIT */
#include "machine/trace/pages.h"

#include "machine/trace/ring.h"

_Static_assert((unsigned)RING_PAGES_ADVISED == (unsigned)PAGES_ADVISED &&
                   (unsigned)RING_PAGES_1G == (unsigned)PAGES_1G &&
                   (unsigned)RING_PAGES_KINDS == (unsigned)PAGES_KIND_N,
               "the records have the machine's kinds");

int pages_take(struct feeder *fd, struct traffic *t, uint64_t record)
{
  feeder_flush(fd, t);
  return traffic_pages(t, &(struct pages_asked){.unit = record_pages_unit(record),
                                                .log2 = (uint8_t)record_pages_log2(record),
                                                .kind = (uint8_t)record_pages_kind(record)});
}
