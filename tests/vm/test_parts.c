/* SPDX-License-Identifier: MIT */
/* The parts of a guest's environment, without a guest: messages, packets, archives, and the bus with its doorbell. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>
#include <pmon/status.h>
#include "machine/config.h"
#include "machine/pmon/violation.h"
#include "vm/bus.h"
#include "vm/cpio.h"
#include "vm/gdb.h"
#include "vm/proxy.h"
#include "vm/ready.h"

enum { CONFIG_WRITE = 2, CONFIG_READ = 3, BAR_READ = 5, INTERRUPT = 6, RESET = 7 };

/* ---- messages ---- */

struct seen {
  unsigned devfn, offset, size, writes;
  uint32_t value;
};

static uint32_t on_read(void *user, unsigned devfn, unsigned offset, unsigned size)
{
  *(struct seen *)user = (struct seen){devfn, offset, size, 0, 0};
  return 0xcafe;
}

static void on_write(void *user, unsigned devfn, unsigned offset, unsigned size, uint32_t value)
{
  struct seen *s = user;
  *s = (struct seen){devfn, offset, size, s->writes + 1, value};
}

static void put_message(int fd, uint32_t command, const void *payload, uint64_t n)
{
  uint8_t bytes[600] = {0};
  memcpy(bytes, &command, 4);
  memcpy(bytes + 8, &n, 8);
  memcpy(bytes + 16, payload, n);
  assert_int_equal(write(fd, bytes, 16 + n), 16 + n);
}

static void test_messages_are_answered(void **state)
{
  const uint32_t access[3] = {0xf4, 0x10100, 4};
  uint8_t answer[24], memory[256] = {0};
  struct seen seen = {0};
  const struct proxy_function f = {on_read, on_write, &seen, NULL};
  uint64_t value;
  char error[200];
  int pair[2];
  (void)state;
  assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
  put_message(pair[0], CONFIG_WRITE, access, sizeof access);
  assert_int_equal(proxy_serve(pair[1], &f, 0x71, error, sizeof error), PMON_OK);
  assert_int_equal(read(pair[0], answer, sizeof answer), sizeof answer);
  assert_true(seen.devfn == 0x71 && seen.offset == 0xf4 && seen.size == 4 && seen.value == 0x10100 && seen.writes == 1);
  put_message(pair[0], CONFIG_READ, access, sizeof access);
  assert_int_equal(proxy_serve(pair[1], &f, 0x71, error, sizeof error), PMON_OK);
  assert_int_equal(read(pair[0], answer, sizeof answer), sizeof answer);
  memcpy(&value, answer + 16, 8);
  assert_int_equal(value, 0xcafe);
  assert_int_equal(answer[0], 1);                 /* an answer, of */
  assert_int_equal(answer[8], 8);                 /* eight bytes */
  put_message(pair[0], 0, memory, sizeof memory); /* memory and interrupts have no answer */
  put_message(pair[0], INTERRUPT, memory, 0);
  put_message(pair[0], RESET, memory, 0);
  for (int i = 0; i < 3; i++)
    assert_int_equal(proxy_serve(pair[1], &f, 0x71, error, sizeof error), PMON_OK);
  assert_int_equal(recv(pair[0], memory, sizeof memory, MSG_DONTWAIT), 24); /* only the reset is answered */
  close(pair[0]);
  assert_int_equal(proxy_serve(pair[1], &f, 0x71, error, sizeof error), PMON_E_NO_DEVICE);
  close(pair[1]);
}

static void test_malformed_messages_are_refused(void **state)
{
  static const uint32_t bad[][3] = {
      {4096, 0, 4}, {0xfe, 0, 4}, {4, 0, 3}, {0x41, 0, 2 + 2}, {UINT32_MAX, 0, 1},
  };
  struct seen seen = {0};
  const struct proxy_function f = {on_read, on_write, &seen, NULL};
  struct proxy_message m = {CONFIG_READ, NULL, 12};
  struct proxy_reply reply;
  (void)state;
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    m.payload = (const uint8_t *)bad[i];
    assert_int_equal(proxy_answer(&m, &f, 0, &reply), PMON_E_INVALID);
  }
  m.n = 8;
  assert_int_equal(proxy_answer(&m, &f, 0, &reply), PMON_E_INVALID);
  assert_int_equal(proxy_answer(&(struct proxy_message){99, NULL, 0}, &f, 0, &reply), PMON_E_INVALID);
  assert_int_equal(seen.size, 0); /* none came through */
  m = (struct proxy_message){BAR_READ, (const uint8_t *)bad[0], 12};
  assert_int_equal(proxy_answer(&m, &f, 0, &reply), PMON_OK);
  assert_true(reply.wanted && reply.value == 0);
}

/* ---- packets ---- */

static void test_packets(void **state)
{
  static struct gdb g;
  char text[64] = {0};
  int pair[2];
  (void)state;
  assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
  g = (struct gdb){.fd = pair[0]};
  assert_int_equal(write(pair[1], "+$T05thread:01;#07+$O", 21), 21);
  assert_true(gdb_receive(&g));
  assert_true(gdb_next(&g));
  assert_string_equal(g.packet, "T05thread:01;");
  assert_false(gdb_next(&g)); /* the next packet is incomplete */
  assert_int_equal(write(pair[1], "K#9a", 4), 4);
  assert_true(gdb_set_register(&g, GDB_RIP, 0xffffffff8107e7c5));
  assert_true(read(pair[1], text, sizeof text - 1) > 0);
  assert_string_equal(text, "+$P10=c5e70781ffffffff#22+"); /* low byte first */
  close(pair[1]);
  assert_false(gdb_receive(&g));
  close(pair[0]);
}

/* ---- archives ---- */

static void test_archive(void **state)
{
  char *bytes = NULL;
  size_t n = 0;
  FILE *out = open_memstream(&bytes, &n);
  struct cpio c;
  (void)state;
  cpio_init(&c, out);
  cpio_add(&c, "a", S_IFREG | 0644, "hello", 5);
  cpio_device(&c, "nul", S_IFCHR | 0666, 1, 3);
  assert_true(cpio_finish(&c));
  fclose(out);
  /* 110 bytes of header and "a\0" are 112; "hello" takes 8 */
  assert_memory_equal(bytes, "07070100000001000081a4", 22);
  assert_memory_equal(bytes + 54, "00000005", 8); /* size */
  assert_memory_equal(bytes + 94, "00000002", 8); /* of the name with its zero */
  assert_memory_equal(bytes + 110,
                      "a\0hello\0\0\0"
                      "070701",
                      16);
  assert_memory_equal(bytes + 120 + 78, "0000000100000003", 16);
  assert_memory_equal(bytes + 120 + 110, "nul", 4);
  assert_memory_equal(bytes + 120 + 116 + 110, "TRAILER!!!", 11);
  assert_int_equal(n % 4, 0);
  free(bytes);
}

/* Without a stream, an archive has a key: a hash of its contents. */
static void test_key(void **state)
{
  uint64_t key[4];
  (void)state;
  for (unsigned i = 0; i < 4; i++) {
    struct cpio c;
    cpio_init(&c, NULL);
    cpio_add(&c, i == 1 ? "b" : "a", S_IFREG | (i == 2 ? 0755 : 0644), i == 3 ? "hallo" : "hello", 5);
    assert_true(cpio_finish(&c));
    key[i] = c.key;
    for (unsigned k = 0; k < i; k++)
      assert_true(key[k] != key[i]);
  }
  struct cpio again;
  cpio_init(&again, NULL);
  cpio_add(&again, "a", S_IFREG | 0644, "hello", 5);
  assert_true(cpio_finish(&again));
  assert_true(again.key == key[0]);
}

/* ---- many file descriptors ---- */

static void test_ready(void **state)
{
  int pair[3][2], fd[4];
  bool ready[4];
  char byte;
  (void)state;
  for (unsigned i = 0; i < 3; i++)
    assert_int_equal(pipe(pair[i]), 0);
  for (unsigned i = 0; i < 4; i++)
    fd[i] = i == 1 ? -1 : pair[i ? i - 1 : 0][0];
  const int all = ready_open(fd, 4);
  assert_true(all >= 0);
  assert_true(ready_wait(all, 0, ready, 4));
  assert_false(ready[0] || ready[1] || ready[2] || ready[3]);
  assert_int_equal(write(pair[0][1], "x", 1), 1);
  assert_int_equal(write(pair[2][1], "x", 1), 1);
  for (int twice = 0; twice < 2; twice++) { /* until they are read */
    assert_true(ready_wait(all, -1, ready, 4));
    assert_true(ready[0] && !ready[1] && !ready[2] && ready[3]);
  }
  assert_int_equal(read(pair[0][0], &byte, 1), 1);
  close(pair[2][0]); /* closed descriptors are not watched any more */
  close(pair[1][1]); /* the end of a stream is readable */
  assert_true(ready_wait(all, -1, ready, 4));
  assert_true(!ready[0] && ready[2] && !ready[3]);
  close(all);
  close(pair[0][0]);
  close(pair[0][1]);
  close(pair[1][0]);
  close(pair[2][1]);
}

/* ---- the bus ---- */

static struct machine *machine_ready(struct bus *b)
{
  struct machine_config config;
  struct machine *m = NULL;
  char error[256];
  assert_int_equal(machine_config_preset(&config, "snbep"), PMON_OK);
  config.value[CONFIG_UNCORE_GHZ] = 1000;
  assert_int_equal(machine_new(&config, error, sizeof error, &m), PMON_OK);
  struct pmon_backend *backend = NULL;
  assert_int_equal(machine_backend_new(m, &backend), PMON_OK);
  bus_init(b, m, backend, guest_kind_named("snbep"), &(struct guest_shape){1, 8, 1});
  return m;
}

static void test_functions_and_placeholder_functions(void **state)
{
  struct bus b;
  struct machine *m = machine_ready(&b);
  (void)state;
  assert_int_equal(b.devfn[b.n - 1], BUS_DOORBELL);
  for (unsigned i = 1; i < b.n; i++)
    assert_true(b.devfn[i - 1] < b.devfn[i]);
  for (unsigned i = 0; i < b.n; i++) { /* each device has a function 0, all have an id */
    bool first = false;
    for (unsigned k = 0; k < b.n; k++)
      first |= b.devfn[k] == (b.devfn[i] & ~7);
    assert_true(first);
    assert_int_not_equal(bus_config_read(&b, b.devfn[i], 0, 2), 0);
    assert_int_not_equal(bus_config_read(&b, b.devfn[i], 0, 2), 0xffff);
    assert_int_equal(bus_config_read(&b, b.devfn[i], 0xe, 1), 0x80);
    assert_int_equal(bus_config_read(&b, b.devfn[i], 0x10, 4), 0); /* no BARs */
  }
  assert_int_equal(bus_config_read(&b, 11 << 3, 0, 4), 0x3ce08086);
  assert_int_equal(bus_config_read(&b, 11 << 3, 2, 2), 0x3ce0);
  bus_config_write(&b, 14 << 3 | 1, 0x10, 4, UINT32_MAX); /* a kernel's accesses to headers are not counted */
  bus_config_write(&b, 14 << 3 | 1, 4, 2, 7);
  assert_int_equal(machine_violations_total(m), 0);
  assert_int_equal(b.reads + b.writes, 0);
  bus_config_write(&b, 14 << 3 | 1, 0xf4, 4, 0x10100);
  bus_config_write(&b, 14 << 3 | 1, 0xf5, 1, 0); /* one byte of it: the freeze bit */
  assert_int_equal(bus_config_read(&b, 14 << 3 | 1, 0xf4, 4), 0x10000);
  assert_int_equal(b.writes, 2);
  assert_int_equal(b.reads, 1);
  pmon_backend_close(b.backend);
  machine_free(m);
}

static int run_for_a_moment(struct machine_workload *w, struct machine *m, uint64_t until_fs, bool *ret_ended,
                            char *error, size_t error_size)
{
  (void)w, (void)until_fs, (void)error, (void)error_size;
  machine_reached(m, 200000000);
  *ret_ended = true;
  return 0;
}

static void free_nothing(struct machine_workload *w)
{
  (void)w;
}

/* A step in which the workload ends is as long as others; a step to its end is not. */
static void test_time_advances_past_the_end_of_a_workload(void **state)
{
  struct machine_workload w = {.run = run_for_a_moment, .free = free_nothing};
  (void)state;
  for (int to_end = 0; to_end < 2; to_end++) {
    struct bus b;
    struct machine *m = machine_ready(&b);
    machine_attach(m, &w);
    bus_config_write(&b, BUS_DOORBELL, BUS_STEP, 4, to_end ? BUS_TO_END : 1500);
    assert_int_equal(bus_config_read(&b, BUS_DOORBELL, BUS_TIME, 4), to_end ? 200 : 1500);
    bus_config_write(&b, BUS_DOORBELL, BUS_STEP, 4, 1500);
    assert_int_equal(bus_config_read(&b, BUS_DOORBELL, BUS_TIME, 4), to_end ? 1700 : 3000);
    pmon_backend_close(b.backend);
    machine_free(m);
  }
}

static void test_time_advances_by_the_doorbell_only(void **state)
{
  struct bus b;
  struct machine *m = machine_ready(&b);
  uint64_t value = 0;
  (void)state;
  assert_int_equal(bus_msr_write(&b, 0, 0xd10, 0x400000), BUS_DONE); /* clock ticks of the first CBo, at 1 GHz */
  assert_int_equal(bus_msr_read(&b, 0, 0xd16, &value), BUS_DONE);
  assert_int_equal(value, 0);
  bus_config_write(&b, BUS_DOORBELL, BUS_STEP, 4, 1500);
  assert_int_equal(bus_msr_read(&b, 0, 0xd16, &value), BUS_DONE);
  assert_int_equal(value, 1500);
  assert_int_equal(bus_config_read(&b, BUS_DOORBELL, BUS_TIME, 4), 1500);
  bus_config_write(&b, BUS_DOORBELL, BUS_STEP, 2, 1500); /* half a doorbell write does not ring */
  assert_int_equal(bus_config_read(&b, BUS_DOORBELL, BUS_TIME, 4), 1500);
  b.access_ns = 10;
  for (int i = 0; i < 3; i++)
    assert_int_equal(bus_msr_read(&b, 0, 0xd16, &value), BUS_DONE);
  assert_int_equal(value, 1520);
  assert_int_equal(bus_msr_read(&b, 0, 0x10, &value), BUS_ELSEWHERE); /* the processor's own MSR */
  assert_int_equal(bus_msr_write(&b, 0, 0x1a0, 1), BUS_ELSEWHERE);
  pmon_backend_close(b.backend);
  machine_free(m);
}

static void test_msrs_fault(void **state)
{
  struct bus b;
  struct machine *m = machine_ready(&b);
  const struct machine_violation *list;
  uint64_t value = 7;
  (void)state;
  machine_set_faults(m, true);
  assert_int_equal(bus_msr_read(&b, 0, 0xdff, &value), BUS_FAULT); /* an MSR that no processor has */
  assert_int_equal(bus_msr_write(&b, 0, 0xdff, 1), BUS_FAULT);
  assert_int_equal(bus_msr_read(&b, 0, 0x770, &value), BUS_FAULT); /* an MSR that only later processors have */
  assert_int_equal(bus_msr_write(&b, 0, 0xd10, UINT64_MAX), BUS_FAULT);
  assert_int_equal(bus_msr_read(&b, 0, 0xd10, &value), BUS_DONE);
  assert_int_equal(value, 0); /* nothing was written */
  assert_int_equal(machine_violations(m, &list), 1);
  assert_string_equal(list->field, "reserved");
  assert_int_equal(b.status, PMON_OK);                /* the run continues */
  bus_config_write(&b, 16 << 3, 0xd8, 4, UINT32_MAX); /* accesses to configuration space do not fault */
  assert_int_equal(b.status, PMON_OK);
  b.lenient = true;
  machine_set_faults(m, false);
  assert_int_equal(bus_msr_read(&b, 0, 0xdff, &value), BUS_ELSEWHERE);
  assert_int_equal(bus_msr_write(&b, 0, 0xd10, UINT64_MAX), BUS_DONE);
  pmon_backend_close(b.backend);
  machine_free(m);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_messages_are_answered),
      cmocka_unit_test(test_malformed_messages_are_refused),
      cmocka_unit_test(test_packets),
      cmocka_unit_test(test_archive),
      cmocka_unit_test(test_key),
      cmocka_unit_test(test_ready),
      cmocka_unit_test(test_functions_and_placeholder_functions),
      cmocka_unit_test(test_time_advances_by_the_doorbell_only),
      cmocka_unit_test(test_time_advances_past_the_end_of_a_workload),
      cmocka_unit_test(test_msrs_fault),
  };
  return cmocka_run_group_tests_name("vm-parts", tests, NULL, NULL);
}
