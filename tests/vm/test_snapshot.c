/* SPDX-License-Identifier: MIT */
/* The files of a guest's state: opened together, after the line of the stream, and only for the guest to which they
 * belong. */
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>
#include "vm/snapshot.h"

/* Every state has the first ones. */
static const char *const endings[] = {"", ".kernel", ".memory0", ".memory1", ".functions", ".driver"};
enum { ALWAYS = 4 };

/* Makes files whose contents are their names. */
static void make_snapshot(const char *path, uint64_t key, unsigned sockets)
{
  struct snapshot s;
  assert_int_equal(snapshot_create(path, sockets, &s), 0);
  for (unsigned i = 0; i < SNAPSHOT_PARTS; i++)
    if (s.part[i] >= 0)
      assert_int_equal(write(s.part[i], "part", 4), 4);
  assert_int_equal(snapshot_keep(&s, key), 0);
  snapshot_close(&s);
}

static bool is_there(const char *path, uint64_t key, unsigned sockets)
{
  struct snapshot s;
  char text[8] = "";
  if (snapshot_open(path, key, sockets, &s))
    return false;
  assert_int_equal(read(s.part[SNAPSHOT_STREAM], text, 4), 4); /* after its first line */
  assert_string_equal(text, "part");
  for (unsigned i = 0; i < sockets; i++) {
    assert_int_equal(pread(s.part[SNAPSHOT_MEMORY + i], text, 4, 0), 4);
    assert_string_equal(text, "part");
    assert_int_equal(snapshot_size(s.part[SNAPSHOT_MEMORY + i]), 4);
  }
  snapshot_close(&s);
  return true;
}

static void remove_all(const char *folder)
{
  for (unsigned f = 0; f < 2; f++)
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
      char path[96];
      snprintf(path, sizeof path, "%s/%s%s", folder, f ? "other" : "state", endings[i]);
      unlink(path);
    }
  assert_int_equal(rmdir(folder), 0); /* no other files remained */
}

static void test_files(void **state)
{
  char folder[] = "/tmp/snapshot-XXXXXX", path[64], none[96];
  struct snapshot s;
  const uint64_t key = snapshot_key(SNAPSHOT_KEY_BEGIN, "guest", 5),
                 other = snapshot_key(SNAPSHOT_KEY_BEGIN, "guesu", 5);
  (void)state;
  assert_non_null(mkdtemp(folder));
  snprintf(path, sizeof path, "%s/state", folder);
  assert_true(other != key);
  for (unsigned byte = 0; byte < 20; byte++) { /* within words of eight bytes and after them */
    char text[] = "a guest of a snapshot";
    text[byte] ^= 1;
    assert_true(snapshot_key(key, text, 20) != snapshot_key(key, "a guest of a snapshot", 20));
  }
  uint8_t bytes[3 * 32 + 9]; /* in blocks of 32, in words and after them: each byte affects the sum, by its position */
  for (unsigned i = 0; i < sizeof bytes; i++)
    bytes[i] = (uint8_t)(i * 37);
  const uint64_t whole = snapshot_key(key, bytes, sizeof bytes);
  for (unsigned i = 0; i + 32 < sizeof bytes; i++) {
    uint8_t changed[sizeof bytes];
    memcpy(changed, bytes, sizeof bytes);
    changed[i] ^= 0x80;
    assert_true(snapshot_key(key, changed, sizeof bytes) != whole);
    changed[i] = bytes[i + 32];
    changed[i + 32] = bytes[i];
    assert_true(snapshot_key(key, changed, sizeof bytes) != whole);
  }
  assert_false(is_there(path, key, 1));
  assert_int_equal(snapshot_create(path, 1, &s), 0); /* not before they have their names, and not if naming them
                                                      * fails */
  assert_false(is_there(path, key, 1));
  snapshot_close(&s);
  for (unsigned sockets = 1; sockets <= 2; sockets++) {
    make_snapshot(path, key, sockets);
    assert_true(is_there(path, key, sockets));
    assert_false(is_there(path, other, sockets));
  }
  snprintf(none, sizeof none, "%s/none/state", folder);
  assert_int_equal(snapshot_create(none, 1, &s), -1);
  remove_all(folder);
}

/* Removes a byte before the last line, which remains the last. */
static void cut_inside(const char *path, off_t size)
{
  enum { LINE = 64 };
  char line[LINE];
  FILE *file = fopen(path, "r+");
  assert_non_null(file);
  assert_int_equal(fseek(file, size - LINE, SEEK_SET), 0);
  assert_int_equal(fread(line, 1, LINE, file), LINE);
  assert_int_equal(fseek(file, size - LINE - 1, SEEK_SET), 0);
  assert_int_equal(fwrite(line, 1, LINE, file), LINE);
  fclose(file);
  assert_int_equal(truncate(path, size - 1), 0);
}

/* A state with a missing, truncated or extended part, or a part of another snapshot of the same guest, is not a
 * state. */
static void test_parts(void **state)
{
  char folder[] = "/tmp/snapshot-XXXXXX", path[64], second[64], part[96], another[96];
  struct stat is;
  (void)state;
  assert_non_null(mkdtemp(folder));
  snprintf(path, sizeof path, "%s/state", folder);
  snprintf(second, sizeof second, "%s/other", folder);
  for (size_t i = 0; i < ALWAYS; i++) {
    snprintf(part, sizeof part, "%s%s", path, endings[i]);
    snprintf(another, sizeof another, "%s%s", second, endings[i]);
    for (int way = 0; way < 5; way++) {
      make_snapshot(path, 1, 2);
      make_snapshot(second, 1, 2);
      assert_true(is_there(path, 1, 2));
      assert_int_equal(stat(part, &is), 0);
      switch (way) {
      case 0: assert_int_equal(unlink(part), 0); break;
      case 1: assert_int_equal(truncate(part, is.st_size - 1), 0); break;
      case 2: assert_int_equal(truncate(part, is.st_size + 1), 0); break;
      case 3: cut_inside(part, is.st_size); break;
      default: assert_int_equal(rename(another, part), 0); break;
      }
      assert_false(is_there(path, 1, 2));
    }
  }
  remove_all(folder);
}

/* A new state replaces an older one completely, and leftover files of its own, but nothing else. */
static void test_replace(void **state)
{
  char folder[] = "/tmp/snapshot-XXXXXX", path[64], temporary[96], name[PATH_MAX];
  (void)state;
  assert_non_null(mkdtemp(folder));
  snprintf(path, sizeof path, "%s/state", folder);
  assert_null(snapshot_check(path, name)); /* nothing exists there */
  assert_null(snapshot_check(folder, name));
  for (uint64_t key = 1; key <= 2; key++) {
    snprintf(temporary, sizeof temporary, "%s.memory0.%ld", path, (long)getpid());
    FILE *left = fopen(temporary, "a");
    assert_non_null(left);
    fclose(left);
    make_snapshot(path, key, 1);
    assert_null(snapshot_check(path, name));
    assert_true(is_there(path, key, 1));
  }
  assert_false(is_there(path, 1, 1));
  assert_int_equal(truncate(path, 100), 0); /* a truncated state begins with the state's line */
  assert_null(snapshot_check(path, name));
  assert_int_equal(truncate(path, 0), 0);
  assert_null(snapshot_check(path, name));                        /* as mktemp(1) makes it */
  for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) { /* a user's file with the name of a part */
    snprintf(temporary, sizeof temporary, "%s%s", path, endings[i]);
    FILE *other = fopen(temporary, "w");
    assert_non_null(other);
    fputs("pmon-guestbook of a user, in a line that is longer than what a part of a state ends with\n", other);
    fclose(other);
    assert_string_equal(snapshot_check(path, name), temporary);
    assert_int_equal(errno, EEXIST);
    unlink(temporary);
  }
  assert_non_null(snapshot_check("/dev/null", name)); /* a rename would replace the device */
  assert_int_equal(errno, EEXIST);
  remove_all(folder);
}

/* If not all names can be assigned, none of the new files remains. */
static void test_no_name(void **state)
{
  char folder[] = "/tmp/snapshot-XXXXXX", path[64], name[96];
  struct snapshot s;
  (void)state;
  assert_non_null(mkdtemp(folder));
  snprintf(path, sizeof path, "%s/state", folder);
  snprintf(name, sizeof name, "%s.kernel", path);
  assert_int_equal(snapshot_create(path, 1, &s), 0);
  assert_int_equal(mkdir(name, 0700), 0); /* a file does not replace a folder */
  assert_int_equal(snapshot_keep(&s, 1), -1);
  snapshot_close(&s);
  assert_false(is_there(path, 1, 1));
  assert_int_equal(rmdir(name), 0);
  remove_all(folder);
}

/* Simulates a file system without support for unnamed files (O_TMPFILE). */
static bool forbid_unnamed_files(void)
{
  struct sock_filter code[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat, 0, 3),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[2])),
      BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, O_TMPFILE & ~O_DIRECTORY, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EOPNOTSUPP),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const struct sock_fprog filter = {.len = sizeof code / sizeof *code, .filter = code};
  return !prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) && !prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter);
}

/* Runs in a child process. Returns 0, or 77 if the kernel does not support the filter. */
static int create_named(const char *path, const char *victim)
{
  struct snapshot s;
  char name[96];
  if (!forbid_unnamed_files())
    return 77;
  for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) { /* an attacker who knows the process id */
    snprintf(name, sizeof name, "%s%s.%ld", path, endings[i], (long)getpid());
    if (symlink(victim, name))
      return 2;
  }
  if (snapshot_create(path, 1, &s) || snapshot_keep(&s, 1))
    return 3;
  snapshot_close(&s);
  bool kept = !snapshot_open(path, 1, 1, &s);
  for (unsigned part = SNAPSHOT_FUNCTIONS; part < SNAPSHOT_PARTS; part++)
    kept = kept && !snapshot_create_later(&s, part) && !snapshot_keep_later(&s, part, 1);
  if (!kept)
    return 4;
  snapshot_close(&s);
  snprintf(name, sizeof name, "%s.memory1.%ld", path, (long)getpid()); /* belongs to no part of this state */
  return unlink(name) ? 5 : 0;
}

static void test_files_with_names(void **state)
{
  char folder[] = "/tmp/snapshot-XXXXXX", path[64], victim[64];
  struct stat is;
  int code;
  (void)state;
  assert_non_null(mkdtemp(folder));
  snprintf(path, sizeof path, "%s/state", folder);
  snprintf(victim, sizeof victim, "%s/other", folder);
  FILE *f = fopen(victim, "w");
  assert_true(f && fputs("a letter", f) >= 0 && !fclose(f));
  const pid_t child = fork();
  if (!child)
    _exit(create_named(path, victim));
  assert_int_equal(waitpid(child, &code, 0), child);
  assert_true(WIFEXITED(code));
  assert_true(WEXITSTATUS(code) == 0 || WEXITSTATUS(code) == 77);
  assert_int_equal(stat(victim, &is), 0);
  assert_int_equal(is.st_size, 8);
  remove_all(folder);
  if (WEXITSTATUS(code))
    skip();
}

/* A later state, of a driver or a machine: belongs to the boot state from which it was made. */
static void later_state(unsigned part)
{
  enum { DRIVER = 11, OTHER = 12 };
  char folder[] = "/tmp/snapshot-XXXXXX", path[64], name[96], foreign[PATH_MAX], text[8] = "";
  struct snapshot s;
  assert_non_null(mkdtemp(folder));
  snprintf(path, sizeof path, "%s/state", folder);
  snprintf(name, sizeof name, "%s%s", path, part == SNAPSHOT_DRIVER ? ".driver" : ".functions");
  make_snapshot(path, 1, 2);
  assert_int_equal(access(name, F_OK), -1);
  assert_int_equal(snapshot_open(path, 1, 2, &s), 0);
  assert_int_equal(snapshot_open_later(&s, part, DRIVER), -1);
  assert_int_equal(snapshot_create_later(&s, part), 0);
  snapshot_close_later(&s, part); /* not kept */
  assert_int_equal(access(name, F_OK), -1);
  assert_int_equal(snapshot_create_later(&s, part), 0);
  assert_int_equal(write(s.part[part], "part", 4), 4);
  assert_int_equal(snapshot_keep_later(&s, part, DRIVER), 0);
  snapshot_close_later(&s, part);
  assert_true(s.part[SNAPSHOT_STREAM] >= 0); /* the others remain open */
  assert_int_equal(snapshot_open_later(&s, part, OTHER), -1);
  assert_int_equal(snapshot_open_later(&s, part, DRIVER), 0);
  assert_int_equal(read(s.part[part], text, 4), 4);
  assert_string_equal(text, "part");
  snapshot_close(&s);
  assert_null(snapshot_check(path, foreign));
  make_snapshot(path, 1, 2); /* another state of the same guest: the driver's state was made from the previous one */
  assert_int_equal(snapshot_open(path, 1, 2, &s), 0);
  assert_int_equal(snapshot_open_later(&s, part, DRIVER), -1);
  snapshot_close(&s);
  assert_int_equal(truncate(name, 0), 0);
  assert_null(snapshot_check(path, foreign)); /* empty: may be replaced */
  FILE *f = fopen(name, "w");
  assert_true(f && fputs("a letter, which is of the user", f) >= 0 && !fclose(f));
  assert_string_equal(snapshot_check(path, foreign), name);
  for (unsigned pipe = 0; pipe < 2; pipe++) { /* the open does not block on it, and it remains, as does the letter */
    struct stat before, after;
    if (pipe)
      assert_true(!unlink(name) && !mkfifo(name, 0600));
    assert_int_equal(stat(name, &before), 0);
    assert_int_equal(snapshot_open(path, 1, 2, &s), 0);
    assert_int_equal(snapshot_open_later(&s, part, DRIVER), -1);
    assert_int_equal(snapshot_create_later(&s, part), 0);
    assert_int_equal(snapshot_keep_later(&s, part, DRIVER), -1);
    assert_int_equal(errno, EEXIST);
    snapshot_close(&s);
    assert_int_equal(stat(name, &after), 0);
    assert_int_equal(after.st_ino, before.st_ino);
  }
  remove_all(folder);
}

static void test_later_states(void **state)
{
  (void)state;
  later_state(SNAPSHOT_FUNCTIONS);
  later_state(SNAPSHOT_DRIVER);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_files),
                                     cmocka_unit_test(test_parts),
                                     cmocka_unit_test(test_replace),
                                     cmocka_unit_test(test_no_name),
                                     cmocka_unit_test(test_files_with_names),
                                     cmocka_unit_test(test_later_states)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
