/* SPDX-License-Identifier: MIT */
#include "cli/facts/intel.h"
#include <errno.h>
#include <jansson.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

const struct intel_field intel_fields[INTEL_FIELDS] = {
    [INTEL_EXT_SEL] = {"ExtSel", "ev_sel_ext"}, [INTEL_PORT_MASK] = {"PortMask", "ch_mask"},
    [INTEL_FC_MASK] = {"FCMask", "fc_mask"},    [INTEL_EDGE] = {"EdgeDetect", "edge_det"},
    [INTEL_INVERT] = {"Invert", "invert"},      [INTEL_THRESHOLD] = {"CounterMask", "thresh"},
    [INTEL_ANY] = {"AnyThread", "any"},
};

#define LONGEST_NAME 127 /* same maximum as for fact files */

/* The current object, and the buffer for the error message. */
struct reading {
  const json_t *object;
  char *error;
  size_t size;
};

static int intel_fail(const struct reading *r, int status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static int intel_fail(const struct reading *r, int status, const char *format, ...)
{
  va_list ap;
  va_start(ap, format);
  vsnprintf(r->error, r->size, format, ap);
  va_end(ap);
  return status;
}

static int open_array(const char *path, const char *key, struct intel_file *file, const struct reading *r)
{
  json_error_t where;
  *file = (struct intel_file){0};
  FILE *f = fopen(path, "rbe");
  if (!f)
    return intel_fail(r, PMON_E_IO, "%s: %s", path, strerror(errno));
  file->root = json_loadf(f, JSON_REJECT_DUPLICATES, &where);
  int reading = ferror(f);
  fclose(f);
  if (reading)
    return intel_fail(r, PMON_E_IO, "%s: cannot be read", path);
  if (!file->root)
    return intel_fail(r, PMON_E_SYNTAX, "%s:%d:%d: %s", path, where.line, where.column, where.text);
  file->events = json_is_object(file->root) ? json_object_get(file->root, key) : file->root;
  if (!json_is_array(file->events)) {
    intel_close(file);
    return intel_fail(r, PMON_E_SYNTAX, "%s: expected an array of %s, or an object with one under \"%s\"", path,
                      *key == 'E' ? "events" : "metrics", key);
  }
  file->n = json_array_size(file->events);
  return PMON_OK;
}

int intel_open(const char *path, struct intel_file *file, char *error, size_t size)
{
  return open_array(path, "Events", file, &(struct reading){NULL, error, size});
}

int intel_open_metrics(const char *path, struct intel_file *file, char *error, size_t size)
{
  return open_array(path, "Metrics", file, &(struct reading){NULL, error, size});
}

void intel_close(struct intel_file *file)
{
  json_decref(file->root);
  *file = (struct intel_file){0};
}

/* Reads the text of a key; "" if the key is missing. */
static int intel_text(const struct reading *r, const char *key, const char **ret_text)
{
  const json_t *value = json_object_get(r->object, key);
  *ret_text = "";
  if (!value || json_is_null(value))
    return PMON_OK;
  if (!json_is_string(value))
    return intel_fail(r, PMON_E_SYNTAX, "\"%s\" is not a string", key);
  *ret_text = json_string_value(value);
  return PMON_OK;
}

/* Reads a number: "0x35", "53" or 53; 0 if the key is missing or empty, or if the value is "null" or "na". */
static int intel_number(const struct reading *r, const char *key, uint64_t *ret_value)
{
  const json_t *value = json_object_get(r->object, key);
  const char *text;
  *ret_value = 0;
  if (json_is_integer(value)) {
    if (json_integer_value(value) < 0)
      return intel_fail(r, PMON_E_RANGE, "\"%s\" is negative", key);
    *ret_value = (uint64_t)json_integer_value(value);
    return PMON_OK;
  }
  int status = intel_text(r, key, &text);
  text += strspn(text, " ");
  if (status || !*text || strcasecmp(text, "null") == 0 || strcasecmp(text, "na") == 0)
    return status;
  char *end;
  errno = 0;
  *ret_value = strtoull(text, &end, 0);
  end += strspn(end, " ");
  /* A core event that two registers can select has two codes or umasks; each of them counts it. */
  const bool list =
      *end == ',' && (strcmp(key, "EventCode") == 0 || strcmp(key, "UMask") == 0 || strcmp(key, "MSRIndex") == 0);
  if ((*end && !list) || *text == '-')
    return intel_fail(r, PMON_E_SYNTAX, "\"%s\" is \"%s\"; expected one number", key, text);
  return errno ? intel_fail(r, PMON_E_RANGE, "\"%s\" is \"%s\", which needs more than 64 bits", key, text) : PMON_OK;
}

/* Reads "0,1,2,3", or the name of a fixed or free-running counter. */
static int intel_read_counters(const struct reading *r, struct intel_event *e)
{
  const char *text, *type;
  int status = intel_text(r, "Counter", &text);
  if (!status)
    status = intel_text(r, "CounterType", &type);
  if (status)
    return status;
  if (strcasecmp(type, "FIXED") == 0 || strncasecmp(text, "FIXED", 5) == 0) {
    e->kind = PMON_EVENT_FIXED;
    e->index = (uint32_t)strtoul(text + strcspn(text, "0123456789"), NULL, 10) & 31;
    return PMON_OK;
  }
  bool free_running = strcasecmp(type, "FREERUN") == 0;
  for (const char *s = text; *s;) {
    char *end;
    unsigned long n = strtoul(s, &end, 10);
    size_t blanks = strspn(end, " ");
    if (end == s || *s == '-' || n > 31 || (end[blanks] && end[blanks] != ','))
      return intel_fail(r, PMON_E_SYNTAX, "\"Counter\" is \"%s\"; expected a list of counters such as 0,1,2,3", text);
    e->counters |= 1u << n;
    e->index = (uint32_t)n;
    s = end + blanks + (end[blanks] == ',');
  }
  if (!free_running)
    return PMON_OK;
  if (!e->counters || (e->counters & (e->counters - 1)))
    return intel_fail(r, PMON_E_SYNTAX, "\"Counter\" is \"%s\"; expected one free-running counter", text);
  e->kind = PMON_EVENT_FREERUNNING;
  e->counters = 0;
  return PMON_OK;
}

static int intel_read_numbers(const struct reading *r, struct intel_event *e)
{
  uint64_t ext;
  int status = intel_number(r, "EventCode", &e->code);
  if (!status)
    status = intel_number(r, "UMask", &e->umask);
  if (!status)
    status = intel_number(r, "UMaskExt", &ext);
  if (!status && ext >> 56)
    status =
        intel_fail(r, PMON_E_RANGE, "\"UMaskExt\" is 0x%llx, which needs more than 56 bits", (unsigned long long)ext);
  if (!status)
    e->umask |= ext << 8;
  for (size_t i = 0; !status && i < INTEL_FIELDS; i++)
    status = intel_number(r, intel_fields[i].key, &e->fields[i]);
  return status;
}

/* Reads the value of the event's filter register: FILTER_VALUE of the uncore, MSRValue of a core event that has such a
 * register. */
static int intel_read_word(const struct reading *r, struct intel_event *e)
{
  uint64_t index = 0;
  int status = intel_number(r, "FILTER_VALUE", &e->word);
  if (!status && !*e->unit)
    status = intel_number(r, "MSRIndex", &index);
  if (!status && index)
    status = intel_number(r, "MSRValue", &e->word);
  return status;
}

static int intel_check_name(const struct reading *r, const char *name)
{
  static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-:=";
  if (!*name)
    return intel_fail(r, PMON_E_SYNTAX, "\"EventName\" is missing");
  if (strlen(name) > LONGEST_NAME)
    return intel_fail(r, PMON_E_RANGE, "\"EventName\" has more than %d characters", LONGEST_NAME);
  if (name[strspn(name, letters)])
    return intel_fail(r, PMON_E_SYNTAX,
                      "\"EventName\" contains characters other than letters, digits, '_', '.' and '-'");
  return PMON_OK;
}

int intel_event(const struct intel_file *file, size_t i, struct intel_event *event, char *error, size_t size)
{
  struct reading r = {json_array_get(file->events, i), error, size};
  *event = (struct intel_event){.number = i + 1, .name = "", .unit = "", .brief = "", .filter = ""};
  if (!json_is_object(r.object))
    return intel_fail(&r, PMON_E_SYNTAX, "expected an object");
  int status = intel_text(&r, "EventName", &event->name);
  if (!status)
    status = intel_check_name(&r, event->name);
  if (!status)
    status = intel_text(&r, "Unit", &event->unit);
  if (!status)
    status = intel_text(&r, "BriefDescription", &event->brief);
  if (!status && !*event->brief)
    status = intel_text(&r, "PublicDescription", &event->brief);
  if (!status)
    status = intel_text(&r, "Filter", &event->filter);
  if (!strcasecmp(event->filter, "na") || !strcasecmp(event->filter, "null"))
    event->filter = "";
  if (!status)
    status = intel_read_counters(&r, event);
  /* Files omit members that are 0, including the code; an object without code and unit cannot be used. */
  if (!status && !*event->unit && !json_object_get(r.object, "EventCode"))
    status = intel_fail(&r, PMON_E_SYNTAX, "\"Unit\" and \"EventCode\" are missing");
  if (!status)
    status = intel_read_word(&r, event);
  return status ? status : intel_read_numbers(&r, event);
}

static const char *metric_text(const json_t *object, const char *key)
{
  const char *text = json_string_value(json_object_get(object, key));
  return text ? text : "";
}

bool intel_metric(const struct intel_file *file, size_t i, struct intel_metric *metric)
{
  const json_t *object = json_array_get(file->events, i);
  const bool perf = json_object_get(object, "Formula") == NULL;
  *metric = (struct intel_metric){.name = metric_text(object, "MetricName"),
                                  .brief = metric_text(object, "BriefDescription"),
                                  .formula = metric_text(object, perf ? "MetricExpr" : "Formula"),
                                  .base = metric_text(object, "BaseFormula"),
                                  .unit = metric_text(object, perf ? "ScaleUnit" : "UnitOfMeasure"),
                                  .object = object};
  return *metric->formula;
}

const char *intel_metric_alias(const struct intel_metric *metric, const char *alias, bool *ret_constant)
{
  static const char *const lists[] = {"Events", "Constants"};
  for (size_t l = 0; l < 2; l++) {
    const json_t *list = json_object_get(metric->object, lists[l]);
    for (size_t i = 0; i < json_array_size(list); i++)
      if (!strcmp(metric_text(json_array_get(list, i), "Alias"), alias)) {
        *ret_constant = l == 1;
        return metric_text(json_array_get(list, i), "Name");
      }
  }
  return NULL;
}

bool intel_metric_names(const struct intel_metric *metric, const char *event)
{
  const json_t *list = json_object_get(metric->object, "Events");
  for (size_t i = 0; i < json_array_size(list); i++)
    if (!strcmp(metric_text(json_array_get(list, i), "Name"), event))
      return true;
  return false;
}
