/* SPDX-License-Identifier: MIT */
/* Every line that `pmon ... --json` prints is one object with the members that scripts rely on. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <jansson.h>

static const char *pmon;

/* Runs a command, passes each line's object to `check`, and returns the number of lines. */
static size_t each_line(const char *arguments, void (*check)(json_t *object))
{
  char command[512], *line = NULL;
  size_t size = 0, lines = 0;
  snprintf(command, sizeof command, "'%s' %s", pmon, arguments);
  FILE *f = popen(command, "r");
  assert_non_null(f);
  while (getline(&line, &size, f) > 0) {
    json_error_t error;
    json_t *object = json_loads(line, JSON_REJECT_DUPLICATES, &error);
    if (!object)
      fail_msg("%s line %zu: %s", arguments, lines + 1, error.text);
    check(object);
    json_decref(object);
    lines++;
  }
  free(line);
  assert_int_equal(pclose(f), 0);
  return lines;
}

/* Fails the test unless the object has exactly these members (separated by blanks), each with its kind: s string, i
 * integer, b boolean, a array, o object, n null or string. */
static void assert_members(json_t *object, const char *names)
{
  char copy[512], *save = NULL;
  size_t n = 0;
  snprintf(copy, sizeof copy, "%s", names);
  for (char *word = strtok_r(copy, " ", &save); word; word = strtok_r(NULL, " ", &save), n++) {
    char kind = *word;
    json_t *v = json_object_get(object, word + 2);
    if (!v || (kind == 's' && !json_is_string(v)) || (kind == 'i' && !json_is_integer(v)) ||
        (kind == 'b' && !json_is_boolean(v)) || (kind == 'a' && !json_is_array(v)) ||
        (kind == 'o' && !json_is_object(v)) || (kind == 'n' && !json_is_string(v) && !json_is_null(v)))
      fail_msg("member %s is missing or of another kind", word + 2);
  }
  assert_int_equal(json_object_size(object), n);
}

static void check_event(json_t *object)
{
  json_object_del(object, "attrs"); /* only rows that have some */
  assert_members(object, "s:platform s:unit s:event n:umask s:name i:code i:umask_value i:ext o:fields a:counters "
                         "i:max_inc b:states s:category a:filters s:brief s:source b:unsure s:cite");
  assert_true(*json_string_value(json_object_get(object, "brief")) &&
              *json_string_value(json_object_get(object, "cite")));
  assert_string_equal(json_string_value(json_object_get(object, "platform")), "emr");
}

static void check_named(json_t *object)
{
  assert_true(json_is_string(json_object_get(object, "name")) && json_is_string(json_object_get(object, "brief")));
}

static void check_coverage(json_t *object)
{
  assert_members(object, "s:unit s:event n:umask s:how s:part");
}

static void check_account(json_t *object)
{
  json_t *sockets = json_object_get(object, "sockets"), *socket;
  size_t i;
  assert_true(json_array_size(sockets) > 0);
  json_array_foreach(sockets, i, socket)
  {
    assert_true(json_is_array(json_object_get(socket, "tor")));
    assert_true(json_is_integer(json_object_get(socket, "instructions")));
  }
}

static void test_machine(void **state)
{
  (void)state;
  assert_true(each_line("machine coverage -p emr --json", check_coverage) > 2000);
  assert_true(each_line("machine coverage -p montecito --json", check_coverage) > 100);
  assert_int_equal(each_line("machine run -p emr --json --set cores=2 -- true", check_account), 1);
}

static void test_list(void **state)
{
  (void)state;
  size_t all = each_line("list -p emr --json", check_event), cms = each_line("-p emr list --json -u cms", check_event);
  assert_true(all > 2800 && cms > 300 && cms < all);
  assert_true(each_line("search -p emr --json -u imc reads", check_named) > 0);
}

static size_t unique, seen_n;
static char *seen[8192];

static void check_unique(json_t *object)
{
  const char *name = json_string_value(json_object_get(object, "name"));
  for (size_t i = 0; i < seen_n; i++)
    if (strcmp(seen[i], name) == 0)
      fail_msg("%s is listed twice", name);
  assert_true(seen_n < sizeof seen / sizeof *seen);
  seen[seen_n++] = strdup(name);
  unique++;
}

static void test_rows_once(void **state)
{
  (void)state;
  assert_true(each_line("list -p emr --json", check_unique) == unique);
  while (seen_n)
    free(seen[--seen_n]);
}

static void check_unit(json_t *object)
{
  json_t *at = json_object_get(object, "at");
  assert_true(json_is_array(at));
  assert_int_equal(json_array_size(at), json_integer_value(json_object_get(object, "instances")));
}

static void check_register(json_t *object)
{
  json_t *fields = json_object_get(object, "fields"), *f;
  size_t i, bits = 0;
  json_array_foreach(fields, i, f) if (!*json_string_value(json_object_get(f, "overlay"))) bits +=
      (size_t)(json_integer_value(json_object_get(f, "hi")) - json_integer_value(json_object_get(f, "lo")) + 1);
  assert_int_equal(bits, json_integer_value(json_object_get(object, "width_bits"))); /* each bit belongs to one field */
  /* A layout without a register, such as that of an entry of the discovery page, has no address. */
  assert_int_equal(json_array_size(json_object_get(object, "addresses")) == 0,
                   json_is_null(json_object_get(object, "unit")));
}

static void check_metric(json_t *object)
{
  assert_true(json_is_string(json_object_get(object, "name")) && json_is_string(json_object_get(object, "brief")) &&
              json_is_string(json_object_get(object, "unit")) && json_is_string(json_object_get(object, "cite")));
  assert_true(json_is_string(json_object_get(object, "equation")) || json_is_string(json_object_get(object, "stale")));
}

static void check_encoded(json_t *object)
{
  json_t *r = json_array_get(json_object_get(object, "registers"), 0);
  assert_string_equal(json_string_value(json_object_get(object, "event")), "cha/TOR_INSERTS.IA_MISS_DRD/");
  assert_true(json_integer_value(json_object_get(r, "value")) == 0x00C817FE00000135);
  assert_int_equal(json_integer_value(json_object_get(r, "address")), 0x2002);
  assert_int_equal(json_integer_value(json_object_get(json_object_get(r, "fields"), "ev_sel")), 0x35);
}

static void test_others(void **state)
{
  (void)state;
  assert_int_equal(each_line("units -p emr --json", check_unit), 20);
  assert_true(each_line("registers -p emr --json", check_register) > 60);
  assert_true(each_line("metrics -p emr --json", check_metric) > 30);
  assert_int_equal(
      each_line("encode -p emr --json cha/TOR_INSERTS.IA_MISS_DRD/ TOR_INSERTS.IA_MISS_DRD", check_encoded), 2);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_machine), cmocka_unit_test(test_list),
                                     cmocka_unit_test(test_rows_once), cmocka_unit_test(test_others)};
  if (argc != 2)
    return 1;
  pmon = argv[1];
  return cmocka_run_group_tests(tests, NULL, NULL);
}
