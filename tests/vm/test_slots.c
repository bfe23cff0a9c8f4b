/* SPDX-License-Identifier: MIT */
/* Devices behind I/O stacks in the guest's PCI tree: root buses, root ports, configuration space, and refused
 * requests. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>
#include "vm/slots.h"

static char reports[1000];

static void on_refused(void *report, const char *text)
{
  (void)report;
  strcat(reports, text);
  strcat(reports, "\n");
}

/* True for the guest's own buses: 0, 7eh and 7fh. */
static bool is_taken(const void *user, unsigned bus)
{
  (void)user;
  return !bus || bus == 0x7e || bus == 0x7f;
}

static void place(struct slots *s, const struct pmon_device *devices, uint32_t n)
{
  *reports = 0;
  slots_place(s,
              &(struct slots_options){
                  .devices = devices, .n = n, .root_port = 1, .sockets = 2, .taken = is_taken, .refused = on_refused});
}

static void devices_stand_at_their_addresses(void **state)
{
  (void)state;
  static const struct pmon_device devices[] = {
      {.address = "0000:98:00.0", .package = 1, .instance = 3, .port = 4},
      {.address = "0000:18:00.0", .instance = 2, .port = 1, .vendor = 0x144d, .id = 0xa80a, .class_code = 0x010802},
      {.address = "0000:17:00.1", .instance = 2, .port = 0},
      {.address = "0000:17:00.0", .instance = 2, .port = 0, .vendor = 0x8086, .id = 0x1572, .class_code = 0x020000},
      {.address = "0000:1a:00.0", .instance = 2, .port = 1},
      {.address = "0000:1b:00.0", .instance = 2, .port = UINT32_MAX}};
  struct slots s;
  place(&s, devices, 6);
  assert_string_equal(reports, "");
  assert_int_equal(s.n, 6);
  assert_int_equal(s.n_hosts, 3);
  assert_int_equal(s.n_bridges, 5);
  static const unsigned hosts[][2] = {{0x16, 0}, {0x19, 0}, {0x97, 1}},
                        bridges[][2] = {{0, 1}, {0, 2}, {1, 2}, {1, 3}, {2, 5}};
  for (unsigned i = 0; i < 3; i++) {
    assert_int_equal(s.host[i].bus, hosts[i][0]);
    assert_int_equal(s.host[i].package, hosts[i][1]);
  }
  for (unsigned i = 0; i < 5; i++) {
    assert_int_equal(s.bridge[i].host, bridges[i][0]);
    assert_int_equal(s.bridge[i].number, bridges[i][1]);
  }
  assert_int_equal(slot_config_read(&s.slot[0], 0, 0, 4), 0x15728086);
  assert_int_equal(slot_config_read(&s.slot[0], 0, 2, 2), 0x1572);
  assert_int_equal(slot_config_read(&s.slot[0], 0, 0x0b, 1), 0x02);
  assert_int_equal(slot_config_read(&s.slot[0], 0, 0x0e, 1), 0x80);
  assert_int_equal(slot_config_read(&s.slot[1], 0, 0, 4), 0x64761234);
  assert_int_equal(slot_config_read(&s.slot[1], 0, 0x08, 4), 0xff000000);
  assert_int_equal(slot_config_read(&s.slot[2], 0, 0x08, 4), 0x01080200);
  assert_int_equal(slot_config_read(&s.slot[2], 0, 0x0e, 1), 0);
}

static void what_cannot_be_shown_is_reported(void **state)
{
  (void)state;
  static const struct {
    struct pmon_device first, second;
    unsigned n;
    const char *why;
  } rows[] = {
      {{.address = "0001:17:00.0"}, {.address = "0000:17:00.0"}, 1, "its PCI domain is not 0"},
      {{.address = "0000:17:02.0"}, {.address = "0000:17:00.0"}, 1, "only device 0"},
      {{.address = "0000:17:00.1"}, {.address = "0000:20:00.0"}, 1, "it has no function 0"},
      {{.address = "0000:17:00.0", .package = 2}, {.address = "0000:20:00.0"}, 1, "its socket is not in the guest"},
      {{.address = "0000:17:00.0"}, {.address = "0000:17:00.0"}, 1, "another device has the same address"},
      {{.address = "0000:17:00.0"}, {.address = "0000:18:00.0", .instance = 1}, 1, "belongs to another stack"},
      {{.address = "0000:17:00.0", .port = 1}, {.address = "0000:18:00.0"}, 1, "in the order of its ports"},
      {{.address = "0000:17:00.0"}, {.address = "0000:17:00.1", .instance = 1}, 1, "another stack's devices"},
      {{.address = "0000:7f:00.0"}, {.address = "0000:20:00.0"}, 1, "its bus is used by the uncore"},
      {{.address = "0000:80:00.0"}, {.address = "0000:20:00.0"}, 1, "which is its root bus, is used by the uncore"},
      {{.address = "0000:00:00.0"}, {.address = "0000:01:00.0"}, 0, "by the guest itself"},
      {{.address = "0000:17:00.0", .port = 31}, {.address = "0000:20:00.0"}, 1, "no more ports"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    const struct pmon_device devices[] = {rows[i].first, rows[i].second};
    struct slots s;
    place(&s, devices, 2);
    if (s.n != rows[i].n || !strstr(reports, rows[i].why) || !strstr(reports, "not visible in the guest"))
      fail_msg("row %zu: %u devices, \"%s\" expected in \"%s\"", i, s.n, rows[i].why, reports);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(devices_stand_at_their_addresses),
      cmocka_unit_test(what_cannot_be_shown_is_reported),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
