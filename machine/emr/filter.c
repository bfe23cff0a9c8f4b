/* SPDX-License-Identifier: MIT */
#include "machine/emr/filter.h"

#include <pmon/status.h>
#include "machine/common/host_pages.h"

int filter_init(struct filter *f, uint64_t banks, uint64_t sets, uint32_t ways)
{
  f->set_mask = sets - 1;
  f->sets = banks * sets;
  f->ways = ways;
  f->groups = (ways + FILTER_GROUP - 1) / FILTER_GROUP;
  f->first_bytes = f->sets * sizeof *f->group;
  f->bytes = f->groups * f->first_bytes;
  f->cores_bytes = f->sets * f->groups * FILTER_GROUP * sizeof *f->cores;
  f->group = pages_get(f->bytes);
  f->cores = pages_get(f->cores_bytes);
  return f->group && f->cores ? PMON_OK : PMON_E_MEMORY;
}

void filter_fini(struct filter *f)
{
  pages_put(f->group, f->bytes);
  pages_put(f->cores, f->cores_bytes);
}

bool filter_empty_behind(struct filter *f, struct filter_place *p)
{
  for (uint32_t way = FILTER_GROUP; way < f->ways; way++) {
    filter_way_set(p, way);
    struct filter_group *before = p->group - f->sets;
    if (!before->more) { /* all ways behind are empty */
      before->more = true;
      f->spread += before == p->set;
      return true;
    }
    if (!p->group->rest[p->way])
      return true;
  }
  return false;
}
