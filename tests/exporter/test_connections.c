/* SPDX-License-Identifier: MIT */
/* Bounds of the exporter's connections: which connection is closed when one address, or all of them, have too many. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <arpa/inet.h>
#include <stdbool.h>
#include <unistd.h>
#include "cli/exporter/connections.h"

enum { MOST_PAIRS = 300 };

static struct connections connections;
static int ours[MOST_PAIRS], theirs[MOST_PAIRS];
static unsigned pairs;

/* Opens the next connection, from an IPv4 or IPv6 address; NULL: from a socket file. Returns its index. */
static unsigned open_from(const char *address)
{
  struct sockaddr_in v4 = {.sin_family = AF_INET};
  struct sockaddr_in6 v6 = {.sin6_family = AF_INET6};
  const struct sockaddr_storage file = {.ss_family = AF_UNIX};
  const struct sockaddr *client = (const struct sockaddr *)&file;
  int pair[2];
  if (address && inet_pton(AF_INET, address, &v4.sin_addr))
    client = (const struct sockaddr *)&v4;
  else if (address && inet_pton(AF_INET6, address, &v6.sin6_addr))
    client = (const struct sockaddr *)&v6;
  assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
  ours[pairs] = pair[0];
  theirs[pairs] = pair[1];
  connections_open(&connections, pair[0], client);
  return pairs++;
}

/* True if the client of a connection sees its end. */
static bool is_shut(unsigned i)
{
  char byte;
  return recv(theirs[i], &byte, 1, MSG_DONTWAIT) == 0;
}

static int connections_setup(void **state)
{
  (void)state;
  connections_init(&connections);
  pairs = 0;
  return 0;
}

static int connections_teardown(void **state)
{
  (void)state;
  for (unsigned i = 0; i < pairs; i++) {
    connections_close(&connections, ours[i]);
    close(ours[i]);
    close(theirs[i]);
  }
  return connections.n != 0;
}

static void an_address_loses_its_oldest(void **state)
{
  (void)state;
  const unsigned other = open_from("192.0.2.1");
  for (unsigned i = 0; i < CONNECTIONS_OF_ADDRESS; i++)
    open_from("192.0.2.2");
  assert_int_equal(connections.shut, 0);
  open_from("192.0.2.2");
  assert_int_equal(connections.shut, 1);
  assert_false(is_shut(other));
  assert_true(is_shut(other + 1));
  assert_false(is_shut(other + 2));
  assert_int_equal(connections.n, CONNECTIONS_OF_ADDRESS + 1);
}

static void a_request_makes_a_connection_new(void **state)
{
  (void)state;
  for (unsigned i = 0; i < CONNECTIONS_OF_ADDRESS; i++)
    open_from("192.0.2.2");
  connections_renew(&connections, ours[0]);
  connections_renew(&connections, -1);
  open_from("192.0.2.2");
  assert_false(is_shut(0));
  assert_true(is_shut(1));
}

static void a_closed_connection_makes_room(void **state)
{
  (void)state;
  for (unsigned i = 0; i < CONNECTIONS_OF_ADDRESS; i++)
    open_from(NULL);
  connections_close(&connections, ours[5]);
  connections_close(&connections, ours[5]);
  open_from(NULL);
  assert_int_equal(connections.shut, 0);
  open_from(NULL);
  assert_true(is_shut(0));
}

/* Above the total bound, the address with the most connections loses one, not the oldest connection of all. */
static void the_address_with_the_most_loses_one(void **state)
{
  (void)state;
  const unsigned first = open_from("192.0.2.1");
  char address[] = "192.0.2.100";
  for (unsigned i = 1; i < CONNECTIONS_MOST; i++) {
    /* 63 from one address, then 4 each from others */
    address[10] = (char)('0' + (i < 64 ? 0 : i / 4 % 9 + 1));
    address[9] = (char)('0' + (i < 64 ? 0 : i / 36));
    open_from(address);
  }
  assert_int_equal(connections.n, CONNECTIONS_MOST);
  assert_int_equal(connections.shut, 0);
  open_from("192.0.2.9");
  assert_int_equal(connections.n, CONNECTIONS_MOST);
  assert_false(is_shut(first));
  assert_true(is_shut(1));
  assert_int_equal(connections.shut, 1);
}

/* All hosts of an IPv6 network count as one client, since further addresses cost them nothing. */
static void a_network_of_ipv6_is_one_client(void **state)
{
  (void)state;
  for (unsigned i = 0; i < CONNECTIONS_OF_ADDRESS; i++)
    open_from(i % 2 ? "2001:db8::1" : "2001:db8::2:0:0:1");
  open_from("2001:db8:1::1");
  assert_int_equal(connections.shut, 0);
  open_from("2001:db8::3");
  assert_true(is_shut(0));
}

/* An IPv6 socket sees IPv4 clients as ::ffff:a.b.c.d, which do not belong to one network. */
static void mapped_addresses_are_of_ipv4(void **state)
{
  (void)state;
  for (unsigned i = 0; i < CONNECTIONS_OF_ADDRESS; i++)
    open_from("::ffff:192.0.2.1");
  open_from("::ffff:192.0.2.2");
  assert_int_equal(connections.shut, 0);
  open_from("192.0.2.1");
  assert_true(is_shut(0));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(an_address_loses_its_oldest, connections_setup, connections_teardown),
      cmocka_unit_test_setup_teardown(a_request_makes_a_connection_new, connections_setup, connections_teardown),
      cmocka_unit_test_setup_teardown(a_closed_connection_makes_room, connections_setup, connections_teardown),
      cmocka_unit_test_setup_teardown(the_address_with_the_most_loses_one, connections_setup, connections_teardown),
      cmocka_unit_test_setup_teardown(a_network_of_ipv6_is_one_client, connections_setup, connections_teardown),
      cmocka_unit_test_setup_teardown(mapped_addresses_are_of_ipv4, connections_setup, connections_teardown),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
