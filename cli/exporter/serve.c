/* SPDX-License-Identifier: MIT */
/* HTTP, by libmicrohttpd: requests are only read; nothing that a client sends changes anything. The library is loaded
 * by this command alone: it brings a TLS library, which no other one should start, or run with privileges. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <microhttpd.h>
#include <netdb.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>
#include "cli/exporter/exporter.h"

enum { CONNECTIONS = 256, TIMEOUT_S = 10, MEMORY = 16 << 10, BACKLOG = 128, SYSTEMD_FD = 3 };

/* Its functions; loaded once, never unloaded. */
static struct {
  __typeof__(MHD_start_daemon) *start_daemon;
  __typeof__(MHD_stop_daemon) *stop_daemon;
  __typeof__(MHD_create_response_from_buffer) *create_response_from_buffer;
  __typeof__(MHD_add_response_header) *add_response_header;
  __typeof__(MHD_queue_response) *queue_response;
  __typeof__(MHD_destroy_response) *destroy_response;
  __typeof__(MHD_lookup_connection_value) *lookup_connection_value;
} http;

static bool load_library(struct cli *cli)
{
  void *const library = dlopen("libmicrohttpd.so.12", RTLD_NOW | RTLD_LOCAL);
  const struct {
    const char *name;
    void **function;
  } wanted[] = {{"MHD_start_daemon", (void **)&http.start_daemon},
                {"MHD_stop_daemon", (void **)&http.stop_daemon},
                {"MHD_create_response_from_buffer", (void **)&http.create_response_from_buffer},
                {"MHD_add_response_header", (void **)&http.add_response_header},
                {"MHD_queue_response", (void **)&http.queue_response},
                {"MHD_destroy_response", (void **)&http.destroy_response},
                {"MHD_lookup_connection_value", (void **)&http.lookup_connection_value}};
  bool good = library != NULL;
  for (size_t i = 0; good && i < sizeof wanted / sizeof *wanted; i++)
    good = (*wanted[i].function = dlsym(library, wanted[i].name)) != NULL;
  if (!good)
    cli_fail(cli, "the exporter needs libmicrohttpd (Debian: libmicrohttpd12): %s", dlerror());
  return good;
}

struct exporter_server {
  struct MHD_Daemon *daemon;
  struct exporter_totals *totals;
  char *path; /* of a socket file that is removed at the end; NULL: none */
};

static const char page[] =
    "<!DOCTYPE html><html lang=\"en\"><head><meta charset=\"utf-8\"><title>pmon exporter</title></head><body>"
    "<h1>pmon exporter</h1><p>Counters of this server's uncore: <a href=\"/metrics\">/metrics</a>, "
    "<a href=\"/json\">/json</a>.</p></body></html>\n";

static enum MHD_Result answer(struct MHD_Connection *connection, unsigned code, const char *type, const char *text)
{
  struct MHD_Response *r =
      http.create_response_from_buffer(strlen(text), (void *)(uintptr_t)text, MHD_RESPMEM_PERSISTENT);
  if (!r)
    return MHD_NO;
  http.add_response_header(r, "Content-Type", type);
  if (code == MHD_HTTP_METHOD_NOT_ALLOWED)
    http.add_response_header(r, "Allow", "GET, HEAD");
  const enum MHD_Result result = http.queue_response(connection, code, r);
  http.destroy_response(r);
  return result;
}

static enum MHD_Result answer_values(struct exporter_server *s, struct MHD_Connection *connection,
                                     enum exporter_format format)
{
  static const char *const types[] = {[EXPORTER_PROMETHEUS] = "text/plain; version=0.0.4; charset=utf-8",
                                      [EXPORTER_OPENMETRICS] =
                                          "application/openmetrics-text; version=1.0.0; charset=utf-8",
                                      [EXPORTER_JSON] = "application/json"};
  size_t n = 0;
  char *text = exporter_format(s->totals, format, &n);
  if (!text)
    return answer(connection, MHD_HTTP_SERVICE_UNAVAILABLE, "text/plain", "no memory\n");
  struct MHD_Response *r = http.create_response_from_buffer(n, text, MHD_RESPMEM_MUST_FREE);
  if (!r) {
    free(text);
    return MHD_NO;
  }
  http.add_response_header(r, "Content-Type", types[format]);
  const enum MHD_Result result = http.queue_response(connection, MHD_HTTP_OK, r);
  http.destroy_response(r);
  return result;
}

static bool is_ready(struct exporter_totals *t)
{
  pthread_mutex_lock(&t->lock);
  const bool ready = t->intervals > 0;
  pthread_mutex_unlock(&t->lock);
  return ready;
}

/* The parameters are libmicrohttpd's. */
static enum MHD_Result on_request(void *user, struct MHD_Connection *connection, const char *url, const char *method,
                                  const char *version, const char *upload, size_t *upload_size, void **request)
{
  struct exporter_server *s = user;
  (void)version;
  (void)upload;
  if (strcmp(method, MHD_HTTP_METHOD_GET) && strcmp(method, MHD_HTTP_METHOD_HEAD))
    return answer(connection, MHD_HTTP_METHOD_NOT_ALLOWED, "text/plain", "only GET and HEAD\n");
  if (!*request) { /* the headers are there; the request is complete at the next call */
    *request = s;
    return MHD_YES;
  }
  if (*upload_size) /* what a client sends is dropped */
    *upload_size = 0;
  if (!strcmp(url, "/metrics")) {
    const char *accept = http.lookup_connection_value(connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_ACCEPT);
    return answer_values(s, connection,
                         accept && strstr(accept, "application/openmetrics-text") ? EXPORTER_OPENMETRICS
                                                                                  : EXPORTER_PROMETHEUS);
  }
  if (!strcmp(url, "/json"))
    return answer_values(s, connection, EXPORTER_JSON);
  if (!strcmp(url, "/-/healthy"))
    return answer(connection, MHD_HTTP_OK, "text/plain", "healthy\n");
  if (!strcmp(url, "/-/ready"))
    return is_ready(s->totals) ? answer(connection, MHD_HTTP_OK, "text/plain", "ready\n")
                               : answer(connection, MHD_HTTP_SERVICE_UNAVAILABLE, "text/plain", "not measured yet\n");
  if (!strcmp(url, "/"))
    return answer(connection, MHD_HTTP_OK, "text/html; charset=utf-8", page);
  return answer(connection, MHD_HTTP_NOT_FOUND, "text/plain", "not found; /metrics has the values\n");
}

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

struct exporter_server *exporter_serve(struct cli *cli, const char *address, struct exporter_totals *totals)
{
  if (!load_library(cli))
    return NULL;
  struct exporter_server *s = calloc(1, sizeof *s);
  const bool file = !strncmp(address, "unix:", 5);
  int fd = systemd_socket();
  if (!s || (file && fd < 0 && !(s->path = strdup(address + 5)))) {
    cli_fail_memory(cli);
    free(s);
    return NULL;
  }
  s->totals = totals;
  if (fd < 0)
    fd = file ? listen_on_path(cli, address + 5) : listen_on_address(cli, address);
  if (fd >= 0)
    s->daemon = http.start_daemon(MHD_USE_AUTO | MHD_USE_INTERNAL_POLLING_THREAD, 0, NULL, NULL, on_request, s,
                                  MHD_OPTION_LISTEN_SOCKET, fd, MHD_OPTION_CONNECTION_LIMIT, (unsigned)CONNECTIONS,
                                  MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)TIMEOUT_S,
                                  MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)MEMORY, MHD_OPTION_END);
  if (s->daemon)
    return s;
  if (fd >= 0) {
    cli_fail(cli, "--listen %s: the server does not start: %s", address, strerror(errno));
    close(fd);
  }
  free(s->path);
  free(s);
  return NULL;
}

void exporter_stop(struct exporter_server *s)
{
  if (!s)
    return;
  http.stop_daemon(s->daemon);
  if (s->path)
    unlink(s->path);
  free(s->path);
  free(s);
}
