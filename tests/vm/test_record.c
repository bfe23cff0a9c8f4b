/* SPDX-License-Identifier: MIT */
/* A driver's accesses to the machine during its load are recorded, and replayed on a fresh machine, which then has the
 * same state. A machine with different answers is detected, and so are invalid records. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "machine/pmon/faults.h"
#include "machine/pmon/save.h"
#include "tests/vm/fixture.h"
#include "vm/file.h"
#include "vm/record.h"
#include "vm/shared.h"

/* The function that announces the discovery page, and the address that a kernel assigns to the page. */
enum {
  ANNOUNCER = 2 << 8 | 3 << 3 | 1,
  COMMAND = 4,
  BAR = 0x10,
  MEMORY_ON = 2,
  PLACE = 0x40000000,
  CHA_CONTROL = 0x2002
};

static const struct port_message loading[] = {
    {.kind = PORT_CONFIG_READ, .size = 4, .address = 0, .processor = ANNOUNCER},
    {.kind = PORT_CONFIG_WRITE, .size = 4, .address = BAR, .value = UINT32_MAX, .processor = ANNOUNCER},
    {.kind = PORT_CONFIG_READ, .size = 4, .address = BAR, .processor = ANNOUNCER},
    {.kind = PORT_CONFIG_WRITE, .size = 4, .address = BAR, .value = PLACE, .processor = ANNOUNCER},
    {.kind = PORT_CONFIG_WRITE, .size = 2, .address = COMMAND, .value = MEMORY_ON, .processor = ANNOUNCER},
    {.kind = PORT_BAR_READ, .size = 8, .address = PLACE, .processor = ANNOUNCER},
    {.kind = PORT_MSR_READ, .size = 8, .address = CHA_CONTROL},
    {.kind = PORT_MSR_WRITE, .size = 8, .address = CHA_CONTROL, .value = 0x101},
    {.kind = PORT_MSR_READ, .size = 8, .address = CHA_CONTROL},
    {.kind = PORT_MEMORY_WRITE, .size = 4, .address = 0xe8022840, .value = 5},
    {.kind = PORT_MSR_READ, .size = 8, .address = 0x2fff0000}, /* no device has this MSR */
};
enum { MESSAGES = sizeof loading / sizeof *loading, REGISTERS = 4 };

static struct fixture *open_machine(struct fixture *f)
{
  fixture_init(f, "emr", (struct guest_shape){1, 64, 1});
  return f;
}

static void close_machine(struct fixture *f)
{
  void *state = f;
  fixture_fini(&state);
}

/* Handles the messages as the loop over QEMU's messages does. */
static void load(struct fixture *f, struct record *r)
{
  struct shared_memory code = {.rip = 1, .words = 3, .stack = {7, 8, 9}};
  record_begin(r);
  for (unsigned i = 0; i < MESSAGES; i++) {
    struct port_message m = loading[i];
    const uint64_t before = f->bus.reads + f->bus.writes;
    port_carry_out(&f->bus, &m);
    code.rip = i + 1;
    record_message(r, &m, f->bus.reads + f->bus.writes == before ? NULL : &code);
    if (i == 2)
      record_text(r, "a driver speaks\n", 16);
  }
  assert_false(r->failed);
}

static char *registers(const struct fixture *f)
{
  char *text = NULL;
  size_t n = 0;
  FILE *out = open_memstream(&text, &n);
  assert_non_null(out);
  assert_int_equal(machine_state_save(f->m, out), PMON_OK);
  fclose(out);
  return text;
}

struct seen {
  unsigned messages, texts, coded;
  const struct shared_memory *code;
  char text[20];
};

static void on_message(void *user, const struct port_message *m)
{
  struct seen *s = user;
  assert_int_equal(m->kind, loading[s->messages++].kind);
  if (!s->code->rip)
    return;
  assert_int_equal(s->code->rip, s->messages);
  assert_int_equal(s->code->words, 3);
  assert_int_equal(s->code->stack[2], 9);
  s->coded++;
}

static void on_text(void *user, const char *bytes, size_t n)
{
  struct seen *s = user;
  assert_int_equal(s->messages, 3);
  memcpy(s->text, bytes, n);
  s->texts++;
}

static void test_a_record_is_repeated(void **state)
{
  struct fixture first, second;
  struct record r = {.on = false};
  struct shared_memory code = {.rip = 0};
  struct shared shared = {.fd = -1, .at = &code};
  struct seen seen = {.code = &code};
  const struct record_repeated on = {on_message, on_text, &seen};
  (void)state;
  load(open_machine(&first), &r);
  open_machine(&second);
  second.bus.shared = &shared;
  char *before = registers(&second);
  assert_true(record_fits(&r, &second.bus));
  char *after = registers(&second);
  assert_string_equal(before, after); /* the check has no effect */
  assert_int_equal(second.bus.reads + second.bus.writes, 0);
  free(after);
  assert_true(record_repeat(&r, &second.bus, &on));
  assert_int_equal(seen.messages, MESSAGES);
  assert_int_equal(seen.coded, REGISTERS);
  assert_int_equal(code.rip, 0);
  assert_int_equal(seen.texts, 1);
  assert_string_equal(seen.text, "a driver speaks\n");
  assert_int_equal(second.bus.reads, first.bus.reads);
  assert_int_equal(second.bus.writes, first.bus.writes);
  assert_int_equal(second.bus.bar[0].devfn, first.bus.bar[0].devfn);
  assert_int_equal(second.bus.bar[0].address, first.bus.bar[0].address);
  assert_int_equal(second.bus.bar[0].command, first.bus.bar[0].command);
  char *wanted = registers(&first);
  after = registers(&second);
  assert_string_equal(after, wanted);
  assert_string_not_equal(after, before);
  free(wanted);
  free(after);
  free(before);
  record_free(&r);
  close_machine(&first);
  close_machine(&second);
}

static void test_another_machine_is_found_out(void **state)
{
  const struct machine_fault page = {.kind = FAULT_PAGE_STRIDE, .number = 9, .instance = -1, .counter = -1};
  struct port_message m = {.kind = PORT_MSR_WRITE, .size = 8, .address = CHA_CONTROL, .value = 0x102};
  struct shared_memory code = {.rip = 0};
  struct seen seen = {.code = &code};
  const struct record_repeated on = {on_message, on_text, &seen};
  struct fixture f;
  struct record r = {.on = false};
  char error[256];
  (void)state;
  load(open_machine(&f), &r);
  close_machine(&f);
  open_machine(&f); /* another discovery page */
  assert_int_equal(machine_fault_add(f.m, &page, error, sizeof error), PMON_OK);
  assert_false(record_fits(&r, &f.bus));
  close_machine(&f);
  open_machine(&f); /* another register, which only a replay in order detects */
  port_carry_out(&f.bus, &m);
  assert_true(record_fits(&r, &f.bus));
  assert_false(record_repeat(&r, &f.bus, &on));
  assert_int_equal(seen.messages, 6);
  close_machine(&f);
  record_free(&r);
}

static void test_bytes_that_are_no_record(void **state)
{
  struct fixture f;
  struct record r = {.on = false}, other = {.on = false};
  (void)state;
  load(open_machine(&f), &r);
  close_machine(&f);
  for (size_t n = 0; n <= r.n; n += 8) { /* truncated: at an item's end, or not a record */
    uint8_t *bytes = malloc(n + 1);
    assert_non_null(bytes);
    memcpy(bytes, r.bytes, n);
    if (!record_take(&other, bytes, n))
      free(bytes);
    else
      assert_int_equal(other.n, n);
  }
  assert_int_equal(other.n, r.n);
  for (unsigned kind = PORT_KINDS; kind < 0x800; kind += 0xf8) {
    uint8_t *bytes = calloc(1, sizeof(struct port_message));
    assert_non_null(bytes);
    bytes[0] = (uint8_t)kind;
    bytes[1] = (uint8_t)(kind >> 8);
    if (record_take(&other, bytes, sizeof(struct port_message)))
      assert_int_equal(kind, 0); /* none of these messages */
    free(bytes);
  }
  record_free(&r);
  record_free(&other);
}

/* Messages that no guest of this machine sends: for functions that it lacks (also with numbers beyond any bus), and
 * with invalid sizes. */
static void test_messages_that_cannot_be(void **state)
{
  enum { NO_FUNCTION = ANNOUNCER + 1, FAR = 0x7fffff00 };
  static const struct port_message none[] = {
      {.kind = PORT_CONFIG_READ, .size = 4, .processor = FAR},
      {.kind = PORT_CONFIG_WRITE, .size = 4, .address = BAR, .value = PLACE, .processor = FAR},
      {.kind = PORT_CONFIG_WRITE, .size = 4, .address = 0x80, .processor = FAR},
      {.kind = PORT_CONFIG_READ, .size = 4, .processor = UINT32_MAX},
      {.kind = PORT_BAR_READ, .size = 4, .address = PLACE, .processor = FAR},
      {.kind = PORT_CONFIG_READ, .size = 4, .address = 0x80, .processor = NO_FUNCTION},
      {.kind = PORT_CONFIG_READ, .size = 0, .processor = ANNOUNCER},
      {.kind = PORT_CONFIG_READ, .size = 3, .processor = ANNOUNCER},
      {.kind = PORT_CONFIG_READ, .size = 5, .address = 0x80, .processor = ANNOUNCER},
      {.kind = PORT_CONFIG_WRITE, .size = 8, .address = 0x80, .processor = ANNOUNCER},
      {.kind = PORT_BAR_READ, .size = 0, .address = PLACE, .processor = ANNOUNCER},
      {.kind = PORT_MEMORY_READ, .size = 3, .address = 0xe8022840},
      {.kind = PORT_MEMORY_WRITE, .size = 6, .address = 0xe8022840},
  };
  struct fixture f;
  (void)state;
  open_machine(&f);
  for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
    struct record r = {.on = false};
    record_begin(&r);
    record_message(&r, &none[i], NULL);
    assert_false(record_fits(&r, &f.bus));
    record_free(&r);
  }
  assert_int_equal(bus_config_read(&f.bus, FAR, BAR, 4), 0); /* the bus itself has no such function */
  bus_config_write(&f.bus, FAR, BAR, 4, PLACE);
  assert_int_equal(bus_bar_read(&f.bus, UINT32_MAX, PLACE, 8), 0);
  close_machine(&f);
}

/* Writes a file in memory with a few bytes before the record, where a state has QEMU's stream. */
static int record_file(const struct record *r, size_t *ret_n)
{
  const int fd = file_memory("record", "stream", 6);
  assert_true(fd >= 0);
  assert_int_equal(lseek(fd, 0, SEEK_END), 6);
  assert_true(record_write(r, fd));
  *ret_n = (size_t)lseek(fd, 0, SEEK_END);
  return fd;
}

static void test_a_file_that_is_damaged(void **state)
{
  struct fixture f;
  struct record r = {.on = false}, other = {.on = false};
  size_t n;
  uint8_t byte;
  (void)state;
  load(open_machine(&f), &r);
  close_machine(&f);
  const int fd = record_file(&r, &n);
  assert_true(record_read(&other, fd, n));
  assert_int_equal(other.n, r.n);
  assert_memory_equal(other.bytes, r.bytes, r.n);
  record_free(&other);
  for (size_t end = 0; end < n; end++)
    assert_false(record_read(&other, fd, end));
  for (size_t at = 6; at < n; at++) /* any one bit; with a changed value, it is a valid record as well */
    for (unsigned bit = 0; bit < 8; bit++) {
      assert_int_equal(pread(fd, &byte, 1, (off_t)at), 1);
      const uint8_t flipped = (uint8_t)(byte ^ 1 << bit);
      assert_int_equal(pwrite(fd, &flipped, 1, (off_t)at), 1);
      assert_false(record_read(&other, fd, n));
      assert_int_equal(pwrite(fd, &byte, 1, (off_t)at), 1);
    }
  assert_true(record_read(&other, fd, n));
  record_free(&other);
  record_free(&r);
  close(fd);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_record_is_repeated),     cmocka_unit_test(test_another_machine_is_found_out),
      cmocka_unit_test(test_bytes_that_are_no_record), cmocka_unit_test(test_messages_that_cannot_be),
      cmocka_unit_test(test_a_file_that_is_damaged),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
