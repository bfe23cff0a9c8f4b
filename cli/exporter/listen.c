/* SPDX-License-Identifier: MIT */
/* Opens the socket that is served: a path, an address, or systemd's. */
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>
#include "cli/exporter/network.h"

/* BACKLOG: when it is full, Linux lets a client try again only after a second. */
enum { BACKLOG = 4096, SYSTEMD_FD = 3, PORT_MOST = 65535, HOST_SIZE = 256 };
#define UNIX "unix:"

/* Prints why an address cannot be served, and the remedy. Returns -1. */
static int listen_fail(struct cli *cli, const char *option, const char *address, int failure)
{
  const char *remedy = failure == EADDRINUSE ? "; another program uses this address: stop it, or choose another address"
                       : failure == EADDRNOTAVAIL ? "; no network interface of this host has this address"
                       : failure == EACCES        ? "; ports below 1024 and other users' folders need privileges"
                                                  : "";
  cli_fail(cli, "%s %s: %s%s", option, address, strerror(failure), remedy);
  return -1;
}

/* Serves a path. A socket file without a server is replaced, one with a server is not. */
static int listen_on_path(struct cli *cli, const char *option, const char *name)
{
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  const char *path = name + strlen(UNIX);
  memcpy(address.sun_path, path, strlen(path) + 1);
  const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  struct stat st;
  if (fd >= 0 && !lstat(path, &st) && S_ISSOCK(st.st_mode) &&
      connect(fd, (struct sockaddr *)&address, sizeof address) && errno == ECONNREFUSED)
    unlink(path);
  if (fd >= 0 && !bind(fd, (struct sockaddr *)&address, sizeof address) && !listen(fd, BACKLOG))
    return fd;
  const int failure = errno;
  if (fd >= 0)
    close(fd);
  if (failure == EADDRINUSE && !lstat(path, &st) && !S_ISSOCK(st.st_mode))
    return cli_fail(cli, "%s %s: the file exists and is not a socket", option, name), -1;
  return listen_fail(cli, option, name, failure);
}

/* Checks a port's number, because getaddrinfo() takes any number and uses its lower 16 bits. */
static bool is_port(const char *text)
{
  return *text && strlen(text) <= 5 && strspn(text, "0123456789") == strlen(text) && atoi(text) <= PORT_MOST;
}

/* Splits HOST:PORT; a host with colons is in brackets; without a host, it is the loopback interface. */
static bool split_address(const char *address, char *host, size_t host_size, const char **ret_port)
{
  const char *colon = strrchr(address, ':');
  const char *begin = address, *end = colon;
  if (!colon || !is_port(colon + 1))
    return false;
  if (*address == '[') {
    begin++;
    end = strchr(address, ']');
    if (!end || end + 1 != colon)
      return false;
  } else if (memchr(address, ':', (size_t)(colon - address)))
    return false;
  if ((size_t)(end - begin) >= host_size)
    return false;
  snprintf(host, host_size, "%.*s", (int)(end - begin), begin);
  *ret_port = colon + 1;
  return true;
}

static int listen_on_address(struct cli *cli, const char *option, const char *address)
{
  const struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE | AI_NUMERICSERV};
  struct addrinfo *found = NULL;
  char host[HOST_SIZE];
  const char *port = NULL;
  split_address(address, host, sizeof host, &port);
  const int error = getaddrinfo(*host ? host : "localhost", port, &hints, &found);
  if (error)
    return cli_fail(cli, "%s %s: %s", option, address, gai_strerror(error)), -1;
  int fd = -1, failure = 0;
  for (const struct addrinfo *a = found; a && fd < 0; a = a->ai_next) {
    const int on = 1;
    fd = socket(a->ai_family, a->ai_socktype | SOCK_CLOEXEC, a->ai_protocol);
    if (fd >= 0)
      setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (fd >= 0 && (bind(fd, a->ai_addr, a->ai_addrlen) || listen(fd, BACKLOG))) {
      failure = errno;
      close(fd);
      fd = -1;
    } else if (fd < 0)
      failure = errno;
  }
  freeaddrinfo(found);
  return fd >= 0 ? fd : listen_fail(cli, option, address, failure);
}

/* Finds the socket that systemd opened for this process (sd_listen_fds(3)); *ret_fd is -1 if there is none. */
static int systemd_socket(struct cli *cli, int *ret_fd)
{
  const char *pid = getenv("LISTEN_PID"), *n = getenv("LISTEN_FDS");
  *ret_fd = -1;
  if (!pid || !n || strtol(pid, NULL, 10) != getpid())
    return CLI_DONE;
  if (strcmp(n, "1"))
    return cli_fail(
        cli,
        "LISTEN_FDS: %s sockets were passed, but only one can be served; leave one ListenStream in the socket unit", n);
  int type = 0, accepts = 0;
  socklen_t n_type = sizeof type, n_accepts = sizeof accepts;
  if (getsockopt(SYSTEMD_FD, SOL_SOCKET, SO_TYPE, &type, &n_type) || type != SOCK_STREAM ||
      getsockopt(SYSTEMD_FD, SOL_SOCKET, SO_ACCEPTCONN, &accepts, &n_accepts) || !accepts)
    return cli_fail(cli, "LISTEN_FDS: descriptor 3 is not a listening stream socket; use ListenStream, and Accept=no");
  fcntl(SYSTEMD_FD, F_SETFD, FD_CLOEXEC);
  *ret_fd = SYSTEMD_FD;
  return CLI_DONE;
}

/* Refuses a host that can only be a numeric address, but is not valid. Names are looked up when the socket is
 * opened. */
static int check_number(struct cli *cli, const char *option, const char *address, const char *host)
{
  const struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICHOST};
  struct addrinfo *found = NULL;
  if (!*host || (strspn(host, "0123456789.") < strlen(host) && !strchr(host, ':')))
    return CLI_DONE;
  if (getaddrinfo(host, NULL, &hints, &found))
    return cli_fail(cli, "%s %s: %s is not an address", option, address, host);
  freeaddrinfo(found);
  return CLI_DONE;
}

int exporter_listen_check(struct cli *cli, const char *option, const char *address)
{
  const size_t most = sizeof((struct sockaddr_un *)NULL)->sun_path - 1, length = strlen(address);
  char host[HOST_SIZE];
  const char *port;
  int fd;
  const int result = systemd_socket(cli, &fd);
  if (result != CLI_DONE || fd >= 0)
    return result;
  if (strncmp(address, UNIX, strlen(UNIX)))
    return split_address(address, host, sizeof host, &port)
               ? check_number(cli, option, address, host)
               : cli_fail_value(cli, option, address, "HOST:PORT, [HOST]:PORT, :PORT (up to 65535) or unix:PATH");
  return length > strlen(UNIX) && length - strlen(UNIX) <= most
             ? CLI_DONE
             : cli_fail(cli, "%s %s: the path is empty or longer than %zu bytes", option, address, most);
}

int exporter_listen(struct cli *cli, const char *option, const char *address, struct exporter_listener *ret)
{
  const bool file = !strncmp(address, UNIX, strlen(UNIX));
  *ret = (struct exporter_listener){.fd = -1};
  const int result = systemd_socket(cli, &ret->fd);
  ret->handed_over = ret->fd >= 0;
  if (result != CLI_DONE || ret->handed_over)
    return result;
  if (file && !(ret->path = strdup(address + strlen(UNIX))))
    return cli_fail_memory(cli);
  ret->fd = file ? listen_on_path(cli, option, address) : listen_on_address(cli, option, address);
  if (ret->fd >= 0)
    return CLI_DONE;
  free(ret->path);
  ret->path = NULL;
  return CLI_USAGE;
}

void exporter_listener_name(const struct exporter_listener *l, bool tls, char *text, size_t size)
{
  union {
    struct sockaddr any;
    struct sockaddr_un file;
    struct sockaddr_storage storage;
  } address = {.any.sa_family = AF_UNSPEC};
  socklen_t n = sizeof address;
  char host[NI_MAXHOST], port[NI_MAXSERV];
  if (!getsockname(l->fd, &address.any, &n) && address.any.sa_family != AF_UNIX &&
      !getnameinfo(&address.any, n, host, sizeof host, port, sizeof port, NI_NUMERICHOST | NI_NUMERICSERV)) {
    const char *format = strchr(host, ':') ? "http%s://[%s]:%s/metrics" : "http%s://%s:%s/metrics";
    snprintf(text, size, format, tls ? "s" : "", host, port);
  } else
    snprintf(text, size, "/metrics at unix:%s", address.any.sa_family == AF_UNIX ? address.file.sun_path : "");
}

void exporter_unlisten(struct exporter_listener *l)
{
  if (l->fd >= 0)
    close(l->fd);
  if (l->path)
    unlink(l->path);
  free(l->path);
}
