/* SPDX-License-Identifier: MIT */
#include "tests/audit/event_files.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Filters without which some rows of the E5-2600 are refused; the event files leave their values to the user. */
static const char *const filters[] = {"",
                                      "{opc=0x182}",
                                      "{nid=1}",
                                      "{opc=0x182,nid=1}",
                                      "{state=0x1f}",
                                      "{state=0x1f,nid=1}",
                                      "{filt7_0=20}",
                                      "{filt15_8=20}",
                                      "{filt23_16=20}",
                                      "{filt31_24=20}"};

static bool platform_has_unit(const struct pmon_platform *platform, const char *name)
{
  uint32_t unit;
  return !pmon_unit_find(platform, name, &unit);
}

static int event_file_resolve(struct pmon_context *context, const struct pmon_platform *platform, const char *name,
                              struct pmon_event **ret_event)
{
  int status = PMON_E_UNKNOWN;
  for (size_t i = 0; i < sizeof filters / sizeof *filters; i++) {
    char text[256];
    snprintf(text, sizeof text, "%s%s", name, filters[i]);
    status = pmon_event_resolve(context, platform, text, ret_event);
    if (!status)
      return status;
  }
  return status;
}

/* Returns umask_ext, or IIO's masks, or the extra bit of the event code. *umask: with the PCU's bits 15:14, which are a
 * separate field in the guide. */
static uint64_t event_extension(const struct pmon_event_info *info, uint64_t *umask)
{
  uint64_t ext = info->ext;
  for (uint32_t i = 0; i < info->n_fields; i++) {
    const char *name = info->fields[i].name;
    if (!strcmp(name, "fc_mask"))
      ext |= info->fields[i].value << 12;
    else if (!strcmp(name, "ch_mask") || !strcmp(name, "ev_sel_ext"))
      ext |= info->fields[i].value;
    else if (!strcmp(name, "occ_sel"))
      *umask |= info->fields[i].value << 6;
  }
  return ext;
}

static void format_counters(const struct pmon_event *event, char text[64])
{
  uint32_t counters = pmon_event_counters(event);
  *text = '\0';
  for (unsigned c = 0, n = 0; c < 32; c++)
    if (counters >> c & 1)
      n += (unsigned)snprintf(text + n, 64 - n, "%s%u", n ? "," : "", c);
}

/* A free-running counter has no code; the files number the unit's free-running counters. */
static enum event_file_class compare_free(const struct pmon_event *event, const char *counters, char what[256])
{
  struct pmon_image image;
  unsigned long wanted = strtoul(counters + strlen("free "), NULL, 10), index = 0;
  int status = pmon_event_encode(event, 0, 0, 0, &image);
  if (!status && image.counter.offset >= 0x3800) /* IIO_MSR_PMON_FRCTR_BW_IN_P0, counter 1 */
    index = image.counter.offset - 0x3800 + 1;
  if (!status && pmon_event_get_kind(event) == PMON_EVENT_FREERUNNING && index == wanted)
    return EVENT_FILE_SAME;
  snprintf(what, 256, "free-running counter %lu -> %lu", wanted, index);
  return EVENT_FILE_VALUE;
}

static enum event_file_class compare_event(const struct pmon_event *event, const struct table *files, size_t row,
                                           char what[256])
{
  const char *counters = table_cell(files, row, "counters");
  if (!strncmp(counters, "free ", 5))
    return compare_free(event, counters, what);
  struct pmon_event_info info = {.size = sizeof info};
  char theirs[96], ours[96], own_counters[64];
  if (pmon_event_describe(event, &info))
    return EVENT_FILE_UNKNOWN;
  snprintf(theirs, sizeof theirs, "%s %s %s", table_cell(files, row, "code"), table_cell(files, row, "umask_value"),
           table_cell(files, row, "ext"));
  uint64_t umask = info.umask_value, ext = event_extension(&info, &umask);
  snprintf(ours, sizeof ours, "0x%" PRIx32 " 0x%" PRIx64 " 0x%" PRIx64, info.code, umask, ext);
  if (info.kind == PMON_EVENT_PROGRAMMED && strcmp(theirs, ours)) {
    snprintf(what, 256, "%s -> %s", theirs, ours);
    return EVENT_FILE_VALUE;
  }
  format_counters(event, own_counters);
  if (info.kind != PMON_EVENT_PROGRAMMED || !strcmp(counters, own_counters))
    return EVENT_FILE_SAME;
  snprintf(what, 256, "counters %s -> %s", counters, own_counters);
  return EVENT_FILE_COUNTERS;
}

/* True if the facts list the row, with its code and umask. */
static bool event_file_is_listed(const struct pmon_platform *platform, const struct table *files, size_t row)
{
  struct pmon_event_cursor at = {0};
  struct pmon_event_info info = {.size = sizeof info};
  const char *unit = table_cell(files, row, "unit"), *name = table_cell(files, row, "name");
  while (pmon_event_next(platform, UINT32_MAX, &at, &info)) {
    char text[128];
    int n = snprintf(text, sizeof text, "%s%s%s", info.event, info.umask ? "." : "", info.umask ? info.umask : "");
    size_t length = strlen(name);
    if (!strcmp(info.unit, unit) && (size_t)n < length && !strcmp(name + length - (size_t)n, text))
      return info.code == strtoul(table_cell(files, row, "code"), NULL, 0) &&
             info.umask_value == strtoul(table_cell(files, row, "umask_value"), NULL, 0);
  }
  return false;
}

enum event_file_class event_file_compare(struct pmon_context *context, const struct pmon_platform *platform,
                                         const struct table *files, size_t row, char what[256])
{
  *what = '\0';
  if (!platform_has_unit(platform, table_cell(files, row, "unit"))) {
    snprintf(what, 256, "no such unit");
    return EVENT_FILE_NO_UNIT;
  }
  struct pmon_event *event;
  int status = event_file_resolve(context, platform, table_cell(files, row, "name"), &event);
  if (status == PMON_E_UNSUPPORTED && event_file_is_listed(platform, files, row))
    return EVENT_FILE_LISTED;
  if (status) {
    snprintf(what, 256, "unknown");
    return EVENT_FILE_UNKNOWN;
  }
  enum event_file_class class = compare_event(event, files, row, what);
  pmon_event_free(event);
  return class;
}
