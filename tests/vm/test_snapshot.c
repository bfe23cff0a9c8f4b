/* SPDX-License-Identifier: MIT */
/* The file of a guest's state: opened behind its line, and only for the guest that it is of. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>
#include "vm/snapshot.h"

static void test_file(void **state)
{
  char folder[] = "/tmp/snapshot-XXXXXX", path[64], temporary[96], text[96] = "";
  const uint64_t key = snapshot_key(SNAPSHOT_KEY_BEGIN, "guest", 5),
                 other = snapshot_key(SNAPSHOT_KEY_BEGIN, "guesu", 5);
  (void)state;
  assert_non_null(mkdtemp(folder));
  snprintf(path, sizeof path, "%s/state", folder);
  assert_int_equal(snapshot_open(path, key), -1);
  int fd = snapshot_create(path, key, temporary, sizeof temporary);
  assert_true(fd >= 0);
  assert_int_equal(write(fd, "stream", 6), 6);
  assert_int_equal(snapshot_open(path, key), -1); /* not before it has its name */
  assert_int_equal(snapshot_keep(fd, temporary, path), 0);
  close(fd);
  assert_int_equal(access(temporary, F_OK), -1);
  assert_true(other != key);
  assert_int_equal(snapshot_open(path, other), -1);
  assert_true((fd = snapshot_open(path, key)) >= 0);
  assert_int_equal(read(fd, text, sizeof text), 6);
  assert_string_equal(text, "stream");
  close(fd);
  assert_int_equal(truncate(path, 10), 0);
  assert_int_equal(snapshot_open(path, key), -1);
  assert_int_equal(snapshot_create(path, key, temporary, 20), -1); /* no room for its name */
  snprintf(temporary, sizeof temporary, "%s/none/state", folder);
  assert_int_equal(snapshot_create(temporary, key, text, sizeof text), -1);
  unlink(path);
  rmdir(folder);
}

/* A new state replaces another one whole, and its own leftovers, but nothing else. */
static void test_replace(void **state)
{
  char folder[] = "/tmp/snapshot-XXXXXX", path[64], temporary[96];
  int fd;
  (void)state;
  assert_non_null(mkdtemp(folder));
  snprintf(path, sizeof path, "%s/state", folder);
  assert_int_equal(snapshot_check(path), 0); /* nothing there */
  assert_int_equal(snapshot_check(folder), 0);
  for (uint64_t key = 1; key <= 2; key++) {
    assert_true((fd = snapshot_create(path, key, temporary, sizeof temporary)) >= 0);
    FILE *left = fopen(temporary, "a");
    assert_non_null(left);
    fclose(left);
    assert_int_equal(snapshot_keep(fd, temporary, path), 0);
    close(fd);
    assert_int_equal(snapshot_check(path), 0);
    assert_true((fd = snapshot_open(path, key)) >= 0);
    close(fd);
  }
  assert_int_equal(snapshot_open(path, 1), -1);
  assert_int_equal(truncate(path, 0), 0);
  assert_int_equal(snapshot_check(path), 0); /* as mktemp(1) makes it */
  FILE *other = fopen(path, "w");
  assert_non_null(other);
  fputs("pmon-guestbook of a user\n", other);
  fclose(other);
  assert_int_equal(snapshot_check(path), -1);
  assert_int_equal(errno, EEXIST);
  assert_int_equal(snapshot_check("/dev/null"), -1); /* a rename would replace the device */
  assert_int_equal(errno, EEXIST);
  unlink(path);
  rmdir(folder);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_file), cmocka_unit_test(test_replace)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
