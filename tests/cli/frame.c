/* SPDX-License-Identifier: MIT */
#include "tests/cli/frame.h"

#include <sys/wait.h>
#include <unistd.h>

const char *pmon;
char folder[32] = "/tmp/pmon-stat-XXXXXX", trace[64];

void take_file(const char *path, char *text, size_t size)
{
  FILE *f = fopen(path, "re");
  size_t n = f ? fread(text, 1, size - 1, f) : 0;
  text[n] = 0;
  if (f)
    fclose(f);
}

struct output *measured(const char *arguments)
{
  static struct output o;
  char command[2048], words[1024] = "", out[96], err[96];
  size_t n = 0;
  for (const char *c = arguments; *c; c++)
    n += (size_t)snprintf(words + n, sizeof words - n, *c == '@' ? "%s" : "%.1s", *c == '@' ? folder : c);
  snprintf(out, sizeof out, "%s/out", folder);
  snprintf(err, sizeof err, "%s/err", folder);
  snprintf(command, sizeof command, "'%s' -p emr stat %s >%s 2>%s </dev/null", pmon, words, out, err);
  int status = system(command);
  o.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  take_file(out, o.out, sizeof o.out);
  take_file(err, o.err, sizeof o.err);
  return &o;
}

int frame_set_up(void **state)
{
  (void)state;
  if (!mkdtemp(folder))
    return -1;
  snprintf(trace, sizeof trace, "%s/trace", folder);
  FILE *f = fopen(trace, "we");
  for (unsigned pass = 0; f && pass < 2; pass++)
    for (unsigned i = 0; i < 65536; i++)
      fprintf(f, "I  00400000,4\n %c %08x,8\n", i % 4 ? 'L' : 'S', 0x10000000 + 64 * i);
  return !f || fclose(f);
}

int frame_tear_down(void **state)
{
  char command[96];
  (void)state;
  snprintf(command, sizeof command, "rm -rf '%s'", folder);
  return system(command);
}

json_t *frame_parse(const char *text)
{
  json_error_t error;
  json_t *o = json_loads(text, 0, &error);
  if (!o)
    fail_msg("%s: %s", error.text, text);
  return o;
}

double json_value_of(const json_t *report, const char *name, int package, int instance)
{
  size_t i;
  json_t *row;
  json_array_foreach(json_object_get(report, "values"), i, row)
  {
    const json_t *p = json_object_get(row, "package"), *n = json_object_get(row, "instance");
    if (!strcmp(json_string_value(json_object_get(row, "name")), name) &&
        (json_is_null(p) ? -1 : (int)json_integer_value(p)) == package &&
        (json_is_null(n) ? -1 : (int)json_integer_value(n)) == instance) {
      assert_true(json_is_number(json_object_get(row, "value")));
      return json_number_value(json_object_get(row, "value"));
    }
  }
  fail_msg("no %s of package %d, instance %d", name, package, instance);
  return 0;
}

json_t *measured_json(const char *arguments)
{
  struct output *o = measured(arguments);
  if (o->status)
    fail_msg("%s: status %d: %s", arguments, o->status, o->err);
  return frame_parse(o->out);
}
