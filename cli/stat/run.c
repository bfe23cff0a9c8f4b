/* SPDX-License-Identifier: MIT */
#include "cli/stat/run.h"

#include <stdlib.h>
#include "cli/stat/stop.h"

void stat_run_init(struct stat_run *s, struct cli *cli)
{
  *s = (struct stat_run){.cli = cli, .output = {.cli = cli}};
  target_options_init(&s->target);
  s->target.stop = &stat_stop;
  hardware_init(&s->source.hardware, NULL);
}

void stat_run_fini(struct stat_run *s)
{
  check_free(s->checks.checker);
  devices_free(&s->devices);
  separator_fini(&s->output.separator);
  pmon_plan_free(s->wanted.plan);
  free(s->wanted.waiting);
  target_options_fini(&s->target);
}
