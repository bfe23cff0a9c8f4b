/* SPDX-License-Identifier: MIT */
/* The socket that is served: a path, an address, or systemd's. */
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

/* BACKLOG: where it is full, Linux lets a client try again after a second only. */
enum { BACKLOG = 4096, SYSTEMD_FD = 3 };

/* A socket file without a server is replaced, one with a server is not. */
static int listen_on_path(struct cli *cli, const char *path)
{
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  if (strlen(path) >= sizeof address.sun_path || !*path)
    return cli_fail(cli, "--listen unix:%s: the path is empty or longer than %zu bytes", path,
                    sizeof address.sun_path - 1),
           -1;
  memcpy(address.sun_path, path, strlen(path) + 1);
  const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  struct stat st;
  if (fd >= 0 && !lstat(path, &st) && S_ISSOCK(st.st_mode) &&
      connect(fd, (struct sockaddr *)&address, sizeof address) && errno == ECONNREFUSED)
    unlink(path);
  if (fd >= 0 && !bind(fd, (struct sockaddr *)&address, sizeof address) && !listen(fd, BACKLOG))
    return fd;
  cli_fail(cli, "--listen unix:%s: %s", path, strerror(errno));
  if (fd >= 0)
    close(fd);
  return -1;
}

/* HOST:PORT, with the host in brackets if it has colons; without a host, the loopback interface. */
static bool split_address(const char *address, char *host, size_t host_size, const char **ret_port)
{
  const char *colon = strrchr(address, ':');
  const char *begin = address, *end = colon;
  if (!colon || !colon[1])
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

static int listen_on_address(struct cli *cli, const char *address)
{
  const struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE | AI_NUMERICSERV};
  struct addrinfo *found = NULL;
  char host[256];
  const char *port;
  if (!split_address(address, host, sizeof host, &port))
    return cli_fail_value(cli, "--listen", address, "HOST:PORT, [HOST]:PORT, :PORT or unix:PATH"), -1;
  const int error = getaddrinfo(*host ? host : "localhost", port, &hints, &found);
  if (error)
    return cli_fail(cli, "--listen %s: %s", address, gai_strerror(error)), -1;
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
  if (fd < 0)
    cli_fail(cli, "--listen %s: %s", address, strerror(failure));
  return fd;
}

/* The socket that systemd opened for this process (sd_listen_fds(3)); -1: none. */
static int systemd_socket(void)
{
  const char *pid = getenv("LISTEN_PID"), *n = getenv("LISTEN_FDS");
  if (!pid || !n || strtol(pid, NULL, 10) != getpid() || strcmp(n, "1"))
    return -1;
  fcntl(SYSTEMD_FD, F_SETFD, FD_CLOEXEC);
  return SYSTEMD_FD;
}

int exporter_listen(struct cli *cli, const char *address, struct exporter_listener *ret)
{
  const bool file = !strncmp(address, "unix:", 5);
  *ret = (struct exporter_listener){.fd = systemd_socket()};
  if (ret->fd >= 0)
    return CLI_DONE;
  if (file && !(ret->path = strdup(address + 5)))
    return cli_fail_memory(cli);
  ret->fd = file ? listen_on_path(cli, address + 5) : listen_on_address(cli, address);
  if (ret->fd >= 0)
    return CLI_DONE;
  free(ret->path);
  ret->path = NULL;
  return CLI_USAGE;
}

void exporter_unlisten(struct exporter_listener *l)
{
  if (l->fd >= 0)
    close(l->fd);
  if (l->path)
    unlink(l->path);
  free(l->path);
}
