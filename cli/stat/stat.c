/* SPDX-License-Identifier: MIT */
/* `pmon stat`: measures a command, through the registers of a backend. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "cli/page/page.h"
#include "cli/page/save.h"
#include "cli/stat/by_device.h"
#include "cli/stat/measure.h"
#include "cli/stat/options.h"
#include "cli/stat/plan.h"
#include "cli/stat/run.h"
#include "cli/stat/stop.h"
#include "cli/target/privileges.h"

/* The page of --html and the values of --summary come from a recording; without --record, from one that is removed
 * afterwards. */
static int measure_recorded(struct stat_run *s)
{
  char own[] = "/tmp/pmon-page-XXXXXX";
  const char *const path = s->files.record_path ? s->files.record_path : own;
  int fd = -1, result = s->files.page_path ? page_may_save(s->cli, s->files.page_path) : CLI_DONE;
  if (result != CLI_DONE)
    return result;
  stat_handle_signals(); /* before there is a file to remove */
  if (!s->files.record_path && (fd = mkostemp(own, O_CLOEXEC)) < 0)
    return cli_fail(s->cli, "%s: cannot be written: %s", own, strerror(errno));
  s->files.record_path = path;
  result = stat_measure(s);
  /* Without a recording of this measurement, the file is empty, or has an older one. */
  const int page = s->files.recorded && s->files.page_path
                       ? page_write(s->cli, &(struct page_request){.paths = &path, .n_paths = 1, .unnamed = fd >= 0},
                                    s->files.page_path)
                       : CLI_DONE;
  if (fd >= 0) {
    close(fd);
    unlink(own);
  }
  return result == CLI_DONE ? page : result;
}

static int run_stat(struct cli *cli, int argc, char **argv)
{
  struct stat_run s;
  int result;
  stat_run_init(&s, cli);
  if (!stat_read_options(&s, argc, argv, &result)) {
    if (s.target.argv)
      privileges_warn_of_program(cli, *s.target.argv);
    s.output.breakdown_given = s.output.breakdown != 0;
    if (!s.output.breakdown)
      s.output.breakdown = stat_output_default_breakdown(&s.output, stat_times_has_intervals(&s.times));
    stat_names_describe_command(&s.names, &s.target);
    result = stat_devices_prepare(&s);
    if (result == CLI_DONE)
      result = stat_make_plan(&s);
    if (result == CLI_DONE)
      result = sampled_plan(&s);
    if (result == CLI_DONE)
      result = stat_devices_find(&s);
    if (result == CLI_DONE)
      result = s.files.page_path || s.summary ? measure_recorded(&s) : stat_measure(&s);
  }
  stat_run_fini(&s);
  return result;
}

const struct cli_command stat_command = {
    .name = "stat",
    .arguments = "[-- COMMAND [ARGUMENT...]]",
    .brief = "measure a command: events and metrics per socket and in total",
    .run = run_stat,
    .options = {{stat_what_options, NULL},
                {stat_print_options, NULL},
                {stat_output_options, NULL},
                {stat_method_options, NULL},
                {stat_group_options, NULL},
                {stat_file_options, NULL},
                {target_input_options, NULL},
                {target_stream_options, NULL},
                {target_shape_options, NULL},
                {NULL, NULL}},
    .first = true,
};
