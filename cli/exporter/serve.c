/* SPDX-License-Identifier: MIT */
/* HTTP, by libmicrohttpd. Requests only read; nothing that a client sends changes anything. Only the network process
 * loads the library, because it brings a TLS library, which no other process should start, or run with privileges. */
#include <dlfcn.h>
#include <errno.h>
#include <inttypes.h>
#include <microhttpd.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/resource.h>
#include "cli/exporter/connections.h"
#include "cli/exporter/network.h"

/* TIMEOUT_S: of an idle connection; MEMORY: for a connection's header; SHUT: connections that were shut down and that
 * libmicrohttpd has not closed yet. */
enum { TIMEOUT_S = 10, MEMORY = 16 << 10, SHUT = 64, OPTIONS = 8 };

/* GnuTLS' function that checks a client's certificate against the authorities of the server. */
typedef int verify_function(void *session, unsigned *ret_status);

/* libmicrohttpd's functions; loaded once, never unloaded. */
static struct {
  __typeof__(MHD_start_daemon) *start_daemon;
  __typeof__(MHD_create_response_from_buffer) *create_response_from_buffer;
  __typeof__(MHD_add_response_header) *add_response_header;
  __typeof__(MHD_queue_response) *queue_response;
  __typeof__(MHD_queue_basic_auth_fail_response) *queue_basic_auth_fail_response;
  __typeof__(MHD_destroy_response) *destroy_response;
  __typeof__(MHD_lookup_connection_value) *lookup_connection_value;
  __typeof__(MHD_basic_auth_get_username_password) *basic_auth_get_username_password;
  __typeof__(MHD_get_connection_info) *get_connection_info;
  __typeof__(MHD_free) *free;
  verify_function *verify_client;
} http;

static bool http_load_library(struct cli *cli, const struct exporter_web *web)
{
  void *const library = dlopen("libmicrohttpd.so.12", RTLD_NOW | RTLD_LOCAL);
  const struct {
    const char *name;
    void **function;
  } wanted[] = {{"MHD_start_daemon", (void **)&http.start_daemon},
                {"MHD_create_response_from_buffer", (void **)&http.create_response_from_buffer},
                {"MHD_add_response_header", (void **)&http.add_response_header},
                {"MHD_queue_response", (void **)&http.queue_response},
                {"MHD_queue_basic_auth_fail_response", (void **)&http.queue_basic_auth_fail_response},
                {"MHD_destroy_response", (void **)&http.destroy_response},
                {"MHD_lookup_connection_value", (void **)&http.lookup_connection_value},
                {"MHD_basic_auth_get_username_password", (void **)&http.basic_auth_get_username_password},
                {"MHD_get_connection_info", (void **)&http.get_connection_info},
                {"MHD_free", (void **)&http.free}};
  bool good = library != NULL;
  for (size_t i = 0; good && i < sizeof wanted / sizeof *wanted; i++)
    good = (*wanted[i].function = dlsym(library, wanted[i].name)) != NULL;
  if (good && web && web->client_required) {
    void *const tls = dlopen("libgnutls.so.30", RTLD_NOW | RTLD_LOCAL), **verify = (void **)&http.verify_client;
    good = tls && (*verify = dlsym(tls, "gnutls_certificate_verify_peers2")) != NULL;
  }
  if (!good)
    cli_fail(cli, "the exporter needs libmicrohttpd (Debian: libmicrohttpd12): %s", dlerror());
  return good;
}

struct exporter_server {
  struct MHD_Daemon *daemon;
  struct exporter_texts *texts;
  struct exporter_web *web;
  struct connections connections;
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
  const enum MHD_Result result = code == MHD_HTTP_UNAUTHORIZED
                                     ? http.queue_basic_auth_fail_response(connection, "pmon", r)
                                     : http.queue_response(connection, code, r);
  http.destroy_response(r);
  return result;
}

/* Writes the series about this process itself, which follow the text of the other one. */
static size_t own_series(const struct exporter_texts *t, bool openmetrics, char *to, size_t size)
{
  const char *total = openmetrics ? "" : "_total";
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  const double cpu = (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
                     (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1e-6;
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  const double age = (double)(now.tv_sec - t->received.tv_sec) + (double)(now.tv_nsec - t->received.tv_nsec) * 1e-9;
  const int n = snprintf(to, size,
                         "# HELP pmon_scrape_age_seconds Time between reading the values and this response.\n"
                         "# TYPE pmon_scrape_age_seconds gauge\n%s"
                         "pmon_scrape_age_seconds %.6f\n"
                         "# HELP pmon_scrapes%s Requests for these values.\n# TYPE pmon_scrapes%s counter\n"
                         "pmon_scrapes_total %" PRIu64 "\n"
                         "# HELP pmon_network_cpu_seconds%s Processor time of the network process.\n"
                         "# TYPE pmon_network_cpu_seconds%s counter\n%s"
                         "pmon_network_cpu_seconds_total %.6f\n%s",
                         openmetrics ? "# UNIT pmon_scrape_age_seconds seconds\n" : "", age, total, total, t->scrapes,
                         total, total, openmetrics ? "# UNIT pmon_network_cpu_seconds seconds\n" : "", cpu,
                         openmetrics ? "# EOF\n" : "");
  return n > 0 && (size_t)n < size ? (size_t)n : 0;
}

/* Copies the text of a format, with the server's own series; NULL: no memory, or no interval yet. */
static char *copy_text(struct exporter_texts *t, enum exporter_format format, size_t *ret_size)
{
  char own[1000];
  pthread_mutex_lock(&t->lock);
  const size_t n = t->size[format];
  t->scrapes += t->text[format] != NULL;
  const size_t m = format == EXPORTER_JSON ? 0 : own_series(t, format == EXPORTER_OPENMETRICS, own, sizeof own);
  char *copy = t->text[format] ? malloc(n + m + 1) : NULL;
  if (copy)
    memcpy(copy, t->text[format], n);
  pthread_mutex_unlock(&t->lock);
  if (copy)
    memcpy(copy + n, own, m);
  *ret_size = n + m;
  return copy;
}

static enum MHD_Result answer_values(struct exporter_server *s, struct MHD_Connection *connection,
                                     enum exporter_format format)
{
  static const char *const types[] = {[EXPORTER_PROMETHEUS] = "text/plain; version=0.0.4; charset=utf-8",
                                      [EXPORTER_OPENMETRICS] =
                                          "application/openmetrics-text; version=1.0.0; charset=utf-8",
                                      [EXPORTER_JSON] = "application/json"};
  size_t n = 0;
  char *text = copy_text(s->texts, format, &n);
  if (!text)
    return answer(connection, MHD_HTTP_SERVICE_UNAVAILABLE, "text/plain", "not measured yet\n");
  struct MHD_Response *r = http.create_response_from_buffer(n, text, MHD_RESPMEM_MUST_FREE);
  if (!r) {
    free(text);
    return MHD_NO;
  }
  http.add_response_header(r, "Content-Type", types[format]);
  if (format != EXPORTER_JSON)
    http.add_response_header(r, "Vary", "Accept");
  const enum MHD_Result result = http.queue_response(connection, MHD_HTTP_OK, r);
  http.destroy_response(r);
  return result;
}

static bool is_ready(struct exporter_texts *t)
{
  pthread_mutex_lock(&t->lock);
  const bool ready = t->text[EXPORTER_PROMETHEUS] != NULL;
  pthread_mutex_unlock(&t->lock);
  return ready;
}

/* Checks whether the client has the certificate and the password that the web configuration requires. */
static enum web_login check_client(const struct exporter_server *s, struct MHD_Connection *connection)
{
  if (!s->web)
    return WEB_ALLOWED;
  if (http.verify_client) {
    const union MHD_ConnectionInfo *info = http.get_connection_info(connection, MHD_CONNECTION_INFO_GNUTLS_SESSION);
    unsigned status = 1;
    if (!info || http.verify_client(info->tls_session, &status) < 0 || status)
      return WEB_REFUSED;
  }
  if (!s->web->authenticated)
    return WEB_ALLOWED;
  char *password = NULL, *user = http.basic_auth_get_username_password(connection, &password);
  const enum web_login result = user && password ? exporter_web_login(s->web, user, password) : WEB_REFUSED;
  if (password)
    explicit_bzero(password, strlen(password));
  http.free(password);
  http.free(user);
  return result;
}

/* Returns the path of a request's target, without the scheme and authority of the absolute form (RFC 9112, 3.2.2). */
static const char *target_path(const char *target)
{
  static const char *const schemes[] = {"http://", "https://"};
  for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++)
    if (!strncasecmp(target, schemes[i], strlen(schemes[i]))) {
      const char *path = strchr(target + strlen(schemes[i]), '/');
      return path ? path : "/";
    }
  return target;
}

static enum MHD_Result answer_path(struct exporter_server *s, struct MHD_Connection *connection, const char *url)
{
  if (!strcmp(url, "/metrics")) {
    const char *accept = http.lookup_connection_value(connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_ACCEPT);
    return answer_values(s, connection,
                         exporter_accepts_openmetrics(accept) ? EXPORTER_OPENMETRICS : EXPORTER_PROMETHEUS);
  }
  if (!strcmp(url, "/json"))
    return answer_values(s, connection, EXPORTER_JSON);
  if (!strcmp(url, "/-/healthy"))
    return answer(connection, MHD_HTTP_OK, "text/plain", "healthy\n");
  if (!strcmp(url, "/-/ready"))
    return is_ready(s->texts) ? answer(connection, MHD_HTTP_OK, "text/plain", "ready\n")
                              : answer(connection, MHD_HTTP_SERVICE_UNAVAILABLE, "text/plain", "not measured yet\n");
  if (!strcmp(url, "/"))
    return answer(connection, MHD_HTTP_OK, "text/html; charset=utf-8", page);
  return answer(connection, MHD_HTTP_NOT_FOUND, "text/plain", "not found; /metrics has the values\n");
}

static bool has_body(struct MHD_Connection *connection)
{
  const char *size = http.lookup_connection_value(connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_CONTENT_LENGTH);
  return (size && strcmp(size, "0")) ||
         http.lookup_connection_value(connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_TRANSFER_ENCODING);
}

/* The parameters are libmicrohttpd's. An answer before the request is complete ends the connection. */
static enum MHD_Result on_request(void *user, struct MHD_Connection *connection, const char *url, const char *method,
                                  const char *version, const char *upload, size_t *upload_size, void **request)
{
  struct exporter_server *s = user;
  (void)version;
  (void)upload;
  if (strcmp(method, MHD_HTTP_METHOD_GET) && strcmp(method, MHD_HTTP_METHOD_HEAD))
    return answer(connection, MHD_HTTP_METHOD_NOT_ALLOWED, "text/plain", "only GET and HEAD are supported\n");
  if (!*request) { /* only the headers are there; the request is complete at the next call */
    if (has_body(connection))
      return answer(connection, MHD_HTTP_CONTENT_TOO_LARGE, "text/plain", "requests with a body are not accepted\n");
    *request = s;
    return MHD_YES;
  }
  if (*upload_size) { /* the body that a client sends is dropped */
    *upload_size = 0;
    return MHD_YES;
  }
  const enum web_login login = check_client(s, connection);
  if (login == WEB_BUSY)
    return answer(connection, MHD_HTTP_TOO_MANY_REQUESTS, "text/plain", "too many wrong passwords; try again later\n");
  if (login == WEB_REFUSED)
    return answer(connection, MHD_HTTP_UNAUTHORIZED, "text/plain", "unauthorized\n");
  return answer_path(s, connection, target_path(url));
}

static void on_connection(void *user, struct MHD_Connection *connection, void **context,
                          enum MHD_ConnectionNotificationCode code)
{
  struct exporter_server *s = user;
  (void)context;
  const union MHD_ConnectionInfo *fd = http.get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
  const union MHD_ConnectionInfo *client = http.get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
  if (fd && code == MHD_CONNECTION_NOTIFY_STARTED)
    connections_open(&s->connections, fd->connect_fd, client ? client->client_addr : NULL);
  else if (fd)
    connections_close(&s->connections, fd->connect_fd);
}

static void on_completed(void *user, struct MHD_Connection *connection, void **request,
                         enum MHD_RequestTerminationCode code)
{
  struct exporter_server *s = user;
  const union MHD_ConnectionInfo *fd = http.get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
  (void)request;
  if (fd && code == MHD_REQUEST_TERMINATED_COMPLETED_OK)
    connections_renew(&s->connections, fd->connect_fd);
}

struct exporter_server *exporter_serve(struct cli *cli, const struct exporter_network_options *o,
                                       struct exporter_texts *texts)
{
  struct exporter_web *const web = o->web;
  const bool tls = web && web->cert;
  struct MHD_OptionItem options[OPTIONS] = {{MHD_OPTION_END, 0, NULL}};
  unsigned n = 0;
  if (!http_load_library(cli, web))
    return NULL;
  struct exporter_server *s = calloc(1, sizeof *s);
  if (!s)
    return cli_fail_memory(cli), NULL;
  s->texts = texts;
  s->web = web;
  connections_init(&s->connections);
  if (tls) {
    options[n++] = (struct MHD_OptionItem){MHD_OPTION_HTTPS_MEM_CERT, 0, web->cert};
    options[n++] = (struct MHD_OptionItem){MHD_OPTION_HTTPS_MEM_KEY, 0, web->key};
    options[n++] = (struct MHD_OptionItem){MHD_OPTION_HTTPS_PRIORITIES, 0, (void *)(uintptr_t)web->priorities};
    if (web->client_ca)
      options[n++] = (struct MHD_OptionItem){MHD_OPTION_HTTPS_MEM_TRUST, 0, web->client_ca};
  }
  options[n] = (struct MHD_OptionItem){MHD_OPTION_END, 0, NULL};
  s->daemon = http.start_daemon(MHD_USE_AUTO | MHD_USE_INTERNAL_POLLING_THREAD | (tls ? MHD_USE_TLS : 0), 0, NULL, NULL,
                                on_request, s, MHD_OPTION_LISTEN_SOCKET, o->fd, MHD_OPTION_CONNECTION_LIMIT,
                                (unsigned)(CONNECTIONS_MOST + SHUT), MHD_OPTION_NOTIFY_CONNECTION, on_connection, s,
                                MHD_OPTION_NOTIFY_COMPLETED, on_completed, s, MHD_OPTION_CONNECTION_TIMEOUT,
                                (unsigned)TIMEOUT_S, MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)MEMORY,
                                MHD_OPTION_ARRAY, options, MHD_OPTION_END);
  if (s->daemon)
    return s;
  cli_fail(cli, "the server cannot be started: %s", tls ? "certificate and key do not match" : strerror(errno));
  free(s);
  return NULL;
}
