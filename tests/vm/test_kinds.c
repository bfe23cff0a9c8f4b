/* SPDX-License-Identifier: MIT */
/* The devices that a guest of Emerald Rapids has, and the messages of a QEMU that supports them: without a guest. */
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
#include "tests/vm/fixture.h"
#include "vm/port.h"
#include "vm/qemu.h"

/* The functions that announce each socket's discovery page, on the socket's third bus. */
static const unsigned announcers[KIND_SOCKETS] = {2 << 8 | 3 << 3 | 1, 5 << 8 | 3 << 3 | 1};

enum { COMMAND = 4, BAR = 0x10, MEMORY_ON = 2, PAGE_ENTRY = 64, CORES = 64 };

/* The first counter's control in one unit of each kind of access; the beginning of a socket's registers in memory. */
enum { IMC_CONTROL = 0x22840, CHA_CONTROL = 0x2002, UPI_FUNCTION = 1 << 3 | 1, UPI_CONTROL = 0x350, EVENT = 1 };
static const struct pmon_address controls[] = {
    {.space = PMON_SPACE_MMIO, .width_bits = 32, .offset = IMC_CONTROL},
    {.space = PMON_SPACE_MSR, .width_bits = 64, .offset = CHA_CONTROL},
    {.space = PMON_SPACE_PCI, .width_bits = 32, .device = 30 << 8 | UPI_FUNCTION, .offset = UPI_CONTROL},
};
static const uint64_t memory[KIND_SOCKETS] = {0xe8000000, 0xf0000000};

static int kinds_set_up(void **state)
{
  static struct fixture f;
  *state = &f;
  return fixture_init(&f, "emr", (struct guest_shape){KIND_SOCKETS, CORES, 1});
}

static bool has(const struct bus *b, unsigned devfn)
{
  for (unsigned i = 0; i < b->n; i++)
    if (b->devfn[i] == devfn)
      return true;
  return false;
}

/* The steps of a driver that looks for the pages: a list of capabilities, the extended capability, and the BAR that it
 * names. */
static void test_the_pages_are_found(void **state)
{
  struct fixture *f = *state;
  struct bus *b = &f->bus;
  assert_true(has(b, BUS_DOORBELL));
  for (unsigned i = 0; i < KIND_SOCKETS; i++) {
    const unsigned at = announcers[i];
    assert_true(has(b, at) && has(b, at & ~7u));
    assert_int_equal(bus_system_number(b, at), i ? 0xe7 : 0x67);
    assert_int_equal(bus_config_read(b, at, 0, 4), 0x09a78086);
    assert_true(bus_config_read(b, at, COMMAND + 2, 2) & 1 << 4);
    unsigned list = bus_config_read(b, at, 0x34, 1);
    assert_int_equal(bus_config_read(b, at, list, 1), 0x10);
    assert_int_equal(bus_config_read(b, at, 0x100, 2), 0x23);
    assert_int_equal(b->bar[i].devfn, at);
    const unsigned added[] = {at / 0x300 * 0x300 + 0x108,
                              BUS_DOORBELL}; /* of pmon's devices: a capability list would only cost guest time */
    for (unsigned n = 0; n < 2; n++) {
      assert_int_equal(bus_config_read(b, added[n], 2, 2), n ? 0x7064 : 0x706d);
      assert_int_equal(bus_config_read(b, added[n], COMMAND, 4), 0);
      assert_int_equal(bus_config_read(b, added[n], 0x34, 1), 0);
      assert_int_equal(bus_config_read(b, added[n], 0x40, 4), 0);
    }
  }
}

static void test_a_bar_is_sized_moved_and_stays_switched_on(void **state)
{
  struct fixture *f = *state;
  struct bus *b = &f->bus;
  for (unsigned i = 0; i < KIND_SOCKETS; i++) {
    const unsigned at = announcers[i];
    const uint32_t place = 0xc0010000 + (i << 16), of_other = bus_config_read(b, announcers[!i], BAR, 4);
    bus_config_write(b, at, BAR, 4, UINT32_MAX);
    uint32_t size = ~bus_config_read(b, at, BAR, 4) + 1;
    assert_true(size >= 0x4000 && !(size & (size - 1)));
    bus_config_write(b, at, BAR, 4, place);
    bus_config_write(b, at, COMMAND, 2, MEMORY_ON);
    uint32_t command = bus_config_read(b, at, COMMAND, 2);
    bus_config_write(b, at, COMMAND, 2, command); /* the read and write-back of a kernel */
    assert_int_equal(bus_config_read(b, at, COMMAND, 2), MEMORY_ON);
    uint64_t global = bus_bar_read(b, at, place, 8);
    assert_int_equal(global >> 8 & 0xff, PAGE_ENTRY / 8);
    assert_int_equal(bus_bar_read(b, at, place + 1, 1), global >> 8 & 0xff);
    assert_int_equal(bus_bar_read(b, 0x60, place, 8), 0);
    assert_int_equal(bus_config_read(b, announcers[!i], BAR, 4), of_other);
  }
}

static uint64_t page_word(struct bus *b, unsigned socket, uint64_t unit, unsigned word)
{
  return bus_bar_read(b, announcers[socket], b->bar[socket].address + unit * PAGE_ENTRY + word * 8, 8);
}

static bool has_function_at(const struct bus *b, uint64_t control)
{
  for (unsigned i = 0; i < b->n; i++)
    if (bus_system_number(b, b->devfn[i]) == (control >> 20 & 0xff) && (b->devfn[i] & 0xff) == (control >> 12 & 0xff))
      return true;
  return false;
}

/* The guest's access at the address of a unit's control in the socket's page reaches that control. */
static void test_units_of_the_discovery_pages_exist(void **state)
{
  struct fixture *f = *state;
  struct bus *b = &f->bus;
  for (unsigned socket = 0; socket < KIND_SOCKETS; socket++) {
    const uint64_t units = page_word(b, socket, 0, 0) >> 16 & 0xffff;
    unsigned found[3] = {0};
    for (uint64_t i = 1; i <= units; i++) {
      const unsigned how = (unsigned)(page_word(b, socket, i, 0) >> 62);
      uint64_t control = page_word(b, socket, i, 1), value;
      if (how == 0)
        found[how] += bus_msr_read(b, socket * CORES, (uint32_t)control, &value) == BUS_DONE;
      else if (how == 1)
        found[how] += control - memory[socket] < b->kind->next_areas && bus_memory_read(b, control, 4, &value) &&
                      bus_memory_write(b, control, 4, 0);
      else
        found[how] += (control >> 20 & 0x80) == socket * 0x80 && has_function_at(b, control);
    }
    assert_int_equal(found[0] + found[1] + found[2], units);
    assert_true(found[0] >= 64 && found[1] >= 8 && found[2] == 12);
  }
  uint64_t value;
  for (unsigned i = 0; i < KIND_SOCKETS; i++)
    assert_false(bus_memory_read(b, memory[i] - 8, 8, &value));
}

/* Returns a socket's control register as the machine has it. */
static uint64_t in_machine(struct fixture *f, uint32_t socket, size_t of_kind)
{
  struct pmon_address a = controls[of_kind];
  uint64_t value;
  a.package = socket;
  assert_int_equal(machine_read(f->m, &a, &value), PMON_OK);
  return value;
}

/* The socket is selected by the address for memory, by the processor for MSRs, by the bus for PCI functions. */
static void test_an_access_reaches_its_socket_alone(void **state)
{
  struct fixture *f = *state;
  struct bus *b = &f->bus;
  for (unsigned i = 0; i < KIND_SOCKETS; i++) {
    const unsigned function = (1 + i * b->kind->n_buses) << 8 | UPI_FUNCTION;
    for (size_t k = 0; k < sizeof controls / sizeof *controls; k++)
      assert_int_equal(in_machine(f, i, k), 0);
    assert_true(bus_memory_write(b, memory[i] + IMC_CONTROL, 4, EVENT));
    assert_int_equal(bus_msr_write(b, i * CORES + 1, CHA_CONTROL, EVENT), BUS_DONE);
    bus_config_write(b, function, UPI_CONTROL, 4, EVENT);
    for (size_t k = 0; k < sizeof controls / sizeof *controls; k++)
      assert_int_equal(in_machine(f, i, k), EVENT);
    uint64_t value = 0;
    assert_true(bus_memory_read(b, memory[i] + IMC_CONTROL, 4, &value) && value == EVENT);
    assert_true(bus_msr_read(b, i * CORES, CHA_CONTROL, &value) == BUS_DONE && value == EVENT);
    assert_int_equal(bus_config_read(b, function, UPI_CONTROL, 4), EVENT);
  }
}

/* With one socket, nothing of the second socket exists. */
static void test_one_socket_has_no_second_socket_registers(void **state)
{
  struct fixture *f = *state;
  struct bus b;
  uint64_t value;
  bus_init(&b, f->m, f->backend, guest_kind_named("emr"), &(struct guest_shape){1, CORES, 1});
  assert_true(has(&b, announcers[0]) && !has(&b, announcers[1]) && b.n < f->bus.n);
  assert_true(b.bar[1].devfn != announcers[1]);
  assert_true(bus_memory_read(&b, memory[0] + IMC_CONTROL, 4, &value));
  assert_false(bus_memory_read(&b, memory[1] + IMC_CONTROL, 4, &value));
}

/* ---- the ports' messages ---- */

static int exchange(struct bus *b, struct port_message *m, size_t n)
{
  int fd[2], status;
  char error[256];
  struct port_message received;
  assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, fd), 0);
  assert_int_equal(write(fd[1], m, n), n);
  if (n < sizeof *m)
    shutdown(fd[1], SHUT_WR);
  status = port_receive(fd[0], &received, error, sizeof error);
  if (status == PMON_OK) {
    port_carry_out(b, &received);
    assert_int_equal(port_reply(fd[0], &received), PMON_OK);
  }
  if (status == PMON_OK)
    assert_int_equal(read(fd[1], m, sizeof *m), sizeof *m);
  close(fd[0]);
  close(fd[1]);
  return status;
}

static void test_messages_of_the_ports(void **state)
{
  struct fixture *f = *state;
  struct port_message m = {.kind = PORT_MSR_WRITE, .size = 8, .address = 0x2002, .value = 1};
  assert_int_equal(exchange(&f->bus, &m, sizeof m), PMON_OK);
  assert_int_equal(m.answer, PORT_DONE);
  m = (struct port_message){.kind = PORT_MSR_READ, .size = 8, .address = 0x2002};
  assert_int_equal(exchange(&f->bus, &m, sizeof m), PMON_OK);
  assert_int_equal(m.value, 1);
  m = (struct port_message){.kind = PORT_MSR_READ, .size = 8, .address = 0x10};
  assert_int_equal(exchange(&f->bus, &m, sizeof m), PMON_OK);
  assert_int_equal(m.answer, PORT_NOT_THERE);
  for (uint32_t kind = PORT_CONFIG_READ; kind < PORT_KINDS + 2; kind++) { /* kinds that use other sockets, and
                                                                           * invalid kinds */
    m = (struct port_message){.kind = kind};
    assert_int_equal(exchange(&f->bus, &m, sizeof m), PMON_E_IO);
  }
  m = (struct port_message){.kind = PORT_MSR_READ};
  assert_int_equal(exchange(&f->bus, &m, 7), PMON_E_IO);
  assert_int_equal(exchange(&f->bus, &m, 0), PMON_E_NO_DEVICE);
}

/* ---- detecting the QEMU ---- */

static int probe_program(const char *path, char *error, size_t error_size, struct qemu_features *ret)
{
  struct file_program list;
  qemu_probe_begin(path, &list);
  return qemu_probe_end(path, &list, error, error_size, ret);
}

static int probe(const char *says, struct qemu_features *ret)
{
  char path[] = "/tmp/pmon-qemu-XXXXXX", error[256];
  int fd = mkstemp(path), status;
  assert_true(fd >= 0);
  dprintf(fd, "#!/bin/sh\n%s\n", says);
  fchmod(fd, 0700);
  close(fd);
  status = probe_program(path, error, sizeof error, ret);
  unlink(path);
  return status;
}

static void test_qemu_features_are_probed(void **state)
{
  struct qemu_features has_what;
  char error[256] = "";
  (void)state;
  assert_int_equal(probe("echo 'name \"x-pci-proxy-dev\", bus PCI'", &has_what), PMON_OK);
  assert_true(has_what.proxy && !has_what.express && !has_what.ports);
  assert_int_equal(probe("for d in x-pci-proxy-dev x-pci-proxy-express-dev pmon-msr pmon-window; do\n"
                         "echo \"\\\"$d\\\"\"\ndone",
                         &has_what),
                   PMON_OK);
  assert_true(has_what.proxy && has_what.express && has_what.ports);
  assert_int_equal(probe("exit 1", &has_what), PMON_E_NO_DEVICE);
  assert_int_equal(probe_program("/nowhere/qemu", error, sizeof error, &has_what), PMON_E_NO_DEVICE);
  assert_non_null(strstr(error, "/nowhere/qemu"));
}

static void test_newer_kernels_need_more_processors(void **state)
{
  static const struct {
    const char *platform, *release;
    unsigned cores, processors;
  } cases[] = {
      {"snbep", "", 8, 1},
      {"snbep", "5.10.0-32-amd64", 8, 1},
      {"snbep", "6.8.12", 8, 1},
      {"snbep", "6.9.0-rc1", 8, 8},
      {"snbep", "6.12.95+deb12-amd64", 4, 4},
      {"snbep", "7.2.13", 8, 8},
      {"emr", "6.1.0-56-amd64", 64, 1},
      {"emr", "6.10.3", 64, 1},
      {"emr", "6.11.0", 64, 2},
      {"emr", "7.0.0", 64, 2},
      {"emr", "no number", 64, 1},
  };
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    assert_int_equal(guest_kind_processors(guest_kind_named(cases[i].platform), cases[i].release, cases[i].cores),
                     cases[i].processors);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_the_pages_are_found, kinds_set_up, fixture_fini),
      cmocka_unit_test_setup_teardown(test_a_bar_is_sized_moved_and_stays_switched_on, kinds_set_up, fixture_fini),
      cmocka_unit_test_setup_teardown(test_units_of_the_discovery_pages_exist, kinds_set_up, fixture_fini),
      cmocka_unit_test_setup_teardown(test_an_access_reaches_its_socket_alone, kinds_set_up, fixture_fini),
      cmocka_unit_test_setup_teardown(test_one_socket_has_no_second_socket_registers, kinds_set_up, fixture_fini),
      cmocka_unit_test_setup_teardown(test_messages_of_the_ports, kinds_set_up, fixture_fini),
      cmocka_unit_test(test_newer_kernels_need_more_processors),
      cmocka_unit_test(test_qemu_features_are_probed),
  };
  return cmocka_run_group_tests_name("vm-kinds", tests, NULL, NULL);
}
