/* SPDX-License-Identifier: MIT */
/* What a guest is shown of Emerald Rapids, and the messages of the QEMU that can: without a guest. */
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
#include "machine/machine.h"
#include "vm/bus.h"
#include "vm/kind.h"
#include "vm/port.h"
#include "vm/qemu.h"

enum { DISCOVERY = 2 << 8 | 3 << 3 | 1, COMMAND = 4, BAR = 0x10, MEMORY_ON = 2, PAGE_ENTRY = 64 };

struct fixture { struct machine *m; struct pmon_backend *backend; struct bus bus; };

static int set_up(void **state)
{
  static struct fixture f;
  struct machine_config config;
  char error[256];
  assert_int_equal(machine_config_preset(&config, "emr"), PMON_OK);
  assert_int_equal(machine_new(&config, error, sizeof error, &f.m), PMON_OK);
  assert_int_equal(machine_backend_new(f.m, &f.backend), PMON_OK);
  bus_init(&f.bus, f.m, f.backend, guest_kind_named("emr"), &(struct guest_shape){ 1, 64, 1 });
  *state = &f;
  return 0;
}

static int tear_down(void **state)
{
  struct fixture *f = *state;
  pmon_backend_close(f->backend);
  machine_free(f->m);
  return 0;
}

static bool has(const struct bus *b, unsigned devfn)
{
  for (unsigned i = 0; i < b->n; i++)
    if (b->devfn[i] == devfn)
      return true;
  return false;
}

/* What a driver does that looks for the page: a list of capabilities, the extended one, and the BAR it names. */
static void test_the_page_is_found(void **state)
{
  struct fixture *f = *state;
  struct bus *b = &f->bus;
  assert_true(has(b, DISCOVERY) && has(b, DISCOVERY & ~7u) && has(b, BUS_DOORBELL));
  assert_int_equal(bus_config_read(b, DISCOVERY, 0, 4), 0x09a78086);
  assert_true(bus_config_read(b, DISCOVERY, COMMAND + 2, 2) & 1 << 4);
  unsigned list = bus_config_read(b, DISCOVERY, 0x34, 1);
  assert_int_equal(bus_config_read(b, DISCOVERY, list, 1), 0x10);
  assert_int_equal(bus_config_read(b, DISCOVERY, 0x100, 2), 0x23);
  assert_int_equal(b->bar_devfn, DISCOVERY);
}

static void test_the_bar_is_sized_moved_and_stays_switched_on(void **state)
{
  struct fixture *f = *state;
  struct bus *b = &f->bus;
  bus_config_write(b, DISCOVERY, BAR, 4, UINT32_MAX);
  uint32_t size = ~bus_config_read(b, DISCOVERY, BAR, 4) + 1;
  assert_true(size >= 0x4000 && !(size & (size - 1)));
  bus_config_write(b, DISCOVERY, BAR, 4, 0xc0010000);
  bus_config_write(b, DISCOVERY, COMMAND, 2, MEMORY_ON);
  uint32_t command = bus_config_read(b, DISCOVERY, COMMAND, 2);
  bus_config_write(b, DISCOVERY, COMMAND, 2, command);      /* a kernel's read and write back */
  assert_int_equal(bus_config_read(b, DISCOVERY, COMMAND, 2), MEMORY_ON);
  uint64_t global = bus_bar_read(b, DISCOVERY, 0xc0010000, 8);
  assert_int_equal(global >> 8 & 0xff, PAGE_ENTRY / 8);
  assert_int_equal(bus_bar_read(b, DISCOVERY, 0xc0010001, 1), global >> 8 & 0xff);
  assert_int_equal(bus_bar_read(b, 0x60, 0xc0010000, 8), 0);
}

/* Where the page says that a unit's control is, the guest's access arrives at that control. */
static void test_what_the_page_says_is_there(void **state)
{
  struct fixture *f = *state;
  struct bus *b = &f->bus;
  const uint64_t at = b->bar, units = bus_bar_read(b, DISCOVERY, at, 8) >> 16 & 0xffff;
  unsigned found[3] = { 0 };
  for (uint64_t i = 1; i <= units; i++) {
    unsigned how = (unsigned)(bus_bar_read(b, DISCOVERY, at + i * PAGE_ENTRY, 8) >> 62);
    uint64_t control = bus_bar_read(b, DISCOVERY, at + i * PAGE_ENTRY + 8, 8), value;
    if (how == 0)
      found[how] += bus_msr_read(b, 0, (uint32_t)control, &value);
    else if (how == 1)
      found[how] += bus_memory_read(b, control, 4, &value) && bus_memory_write(b, control, 4, 0);
    else
      for (unsigned k = 0; k < b->n; k++)
        found[how] += b->kind->bus[b->devfn[k] >> 8].system == (control >> 20 & 0xff) &&
                      (b->devfn[k] & 0xff) == (control >> 12 & 0xff);
  }
  assert_int_equal(found[0] + found[1] + found[2], units);
  assert_true(found[0] >= 64 && found[1] >= 8 && found[2] == 12);
  uint64_t value;
  assert_false(bus_memory_read(b, 0xe8000000 - 8, 8, &value));
}

/* ---- the ports' messages ---- */

static int exchange(struct bus *b, struct port_message *m, size_t n, bool *ret_ours)
{
  int fd[2], status;
  char error[256];
  bool msr;
  assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, fd), 0);
  assert_int_equal(write(fd[1], m, n), n);
  if (n < sizeof *m)
    shutdown(fd[1], SHUT_WR);
  status = port_serve(fd[0], b, error, sizeof error, &msr, ret_ours);
  if (status == PMON_OK)
    assert_int_equal(read(fd[1], m, sizeof *m), sizeof *m);
  close(fd[0]);
  close(fd[1]);
  return status;
}

static void test_messages_of_the_ports(void **state)
{
  struct fixture *f = *state;
  struct port_message m = { .kind = PORT_MSR_WRITE, .size = 8, .address = 0x2002, .value = 1 };
  bool ours;
  assert_int_equal(exchange(&f->bus, &m, sizeof m, &ours), PMON_OK);
  assert_true(ours && m.answer == PORT_DONE);
  m = (struct port_message){ .kind = PORT_MSR_READ, .size = 8, .address = 0x2002 };
  assert_int_equal(exchange(&f->bus, &m, sizeof m, &ours), PMON_OK);
  assert_int_equal(m.value, 1);
  m = (struct port_message){ .kind = PORT_MSR_READ, .size = 8, .address = 0x10 };
  assert_int_equal(exchange(&f->bus, &m, sizeof m, &ours), PMON_OK);
  assert_true(!ours && m.answer == PORT_NOT_THERE);
  m = (struct port_message){ .kind = 9 };
  assert_int_equal(exchange(&f->bus, &m, sizeof m, &ours), PMON_E_IO);
  m = (struct port_message){ .kind = PORT_MSR_READ };
  assert_int_equal(exchange(&f->bus, &m, 7, &ours), PMON_E_IO);
  assert_int_equal(exchange(&f->bus, &m, 0, &ours), PMON_E_NO_DEVICE);
}

/* ---- which QEMU it is ---- */

static int probe(const char *says, struct qemu_features *ret)
{
  char path[] = "/tmp/pmon-qemu-XXXXXX", error[256];
  int fd = mkstemp(path), status;
  assert_true(fd >= 0);
  dprintf(fd, "#!/bin/sh\n%s\n", says);
  fchmod(fd, 0700);
  close(fd);
  status = qemu_probe(path, error, sizeof error, ret);
  unlink(path);
  return status;
}

static void test_a_qemu_is_asked_what_it_has(void **state)
{
  struct qemu_features has_what;
  char error[256] = "";
  (void)state;
  assert_int_equal(probe("echo 'name \"x-pci-proxy-dev\", bus PCI'", &has_what), PMON_OK);
  assert_true(has_what.proxy && !has_what.express && !has_what.ports);
  assert_int_equal(probe("for d in x-pci-proxy-dev x-pci-proxy-express-dev pmon-msr pmon-window; do\n"
                         "echo \"\\\"$d\\\"\"\ndone", &has_what), PMON_OK);
  assert_true(has_what.proxy && has_what.express && has_what.ports);
  assert_int_equal(probe("exit 1", &has_what), PMON_E_NO_DEVICE);
  assert_int_equal(qemu_probe("/nowhere/qemu", error, sizeof error, &has_what), PMON_E_NO_DEVICE);
  assert_non_null(strstr(error, "/nowhere/qemu"));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test_setup_teardown(test_the_page_is_found, set_up, tear_down),
    cmocka_unit_test_setup_teardown(test_the_bar_is_sized_moved_and_stays_switched_on, set_up, tear_down),
    cmocka_unit_test_setup_teardown(test_what_the_page_says_is_there, set_up, tear_down),
    cmocka_unit_test_setup_teardown(test_messages_of_the_ports, set_up, tear_down),
    cmocka_unit_test(test_a_qemu_is_asked_what_it_has),
  };
  return cmocka_run_group_tests_name("vm-kinds", tests, NULL, NULL);
}
