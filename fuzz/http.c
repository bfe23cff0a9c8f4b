/* SPDX-License-Identifier: MIT */
/*
 * Fuzzes the data that `pmon exporter` reads from outside. The first byte selects: r, R: bytes on a connection of the
 * server (R: with users); a: USER:PASSWORD, a newline and a path, sent as a request; c: a configuration file; w: a web
 * configuration, and a login for each of its users; t: series, one a line, formatted as the texts that are served and
 * pushed.
 */
#include <jansson.h>
#include <poll.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
#include "cli/exporter/config.h"
#include "cli/exporter/exporter.h"

enum { SIZE_MOST = 1 << 13, USERS_MOST = 2, ANSWER = 1 << 16, SOON_MS = 20, SERIES_MOST = 40, COLUMNS = 7 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct cli cli;
static struct exporter_texts texts = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* Makes a file with this content. Returns its descriptor, and its name in `path`. */
static int file_of(const void *data, size_t size, char path[64])
{
  const int fd = memfd_create("fuzz", MFD_CLOEXEC);
  if (fd < 0 || write(fd, data, size) != (ssize_t)size)
    abort();
  snprintf(path, 64, "/proc/self/fd/%d", fd);
  return fd;
}

struct place {
  struct sockaddr_un address;
  socklen_t size;
};

/* Starts a server at an abstract address; it ends with this process. */
static struct place new_server(struct exporter_web *web)
{
  struct place place = {.address.sun_family = AF_UNIX, .size = sizeof(sa_family_t)};
  struct exporter_network_options o = {.fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0), .web = web};
  if (o.fd < 0 || bind(o.fd, (struct sockaddr *)&place.address, place.size) || listen(o.fd, 16))
    abort();
  place.size = sizeof place.address;
  if (getsockname(o.fd, (struct sockaddr *)&place.address, &place.size) || !exporter_serve(&cli, &o, &texts))
    abort();
  return place;
}

/* Sends a request, after which the client has nothing more to send. Returns the size of the server's answer. 0: there
 * was none soon, since the server waits for the rest of an incomplete request. */
static size_t send_request(const struct place *place, const void *request, size_t size, char *answer)
{
  const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  size_t n = 0;
  ssize_t got = 0;
  if (fd < 0 || connect(fd, (const struct sockaddr *)&place->address, place->size))
    abort();
  struct pollfd readable = {.fd = fd, .events = POLLIN};
  if (send(fd, request, size, MSG_NOSIGNAL) == (ssize_t)size)
    shutdown(fd, SHUT_WR);
  while (n < ANSWER && poll(&readable, 1, SOON_MS) > 0 && (got = read(fd, answer + n, ANSWER - n)) > 0)
    n += (size_t)got;
  close(fd);
  answer[n] = 0;
  if (n && strncmp(answer, "HTTP/1.", 7))
    abort();
  return n;
}

/* The only user is "user" with "password"; bcrypt's minimum cost. */
static const char users[] = "basic_auth_users:\n"
                            "  user: $2b$04$abcdefghijklmnopqrstuughE8Ev8uGFaUgY2cNEySvxngrb/Jzdm\n";

static const struct place *server(bool with_users)
{
  static struct place places[2];
  static struct exporter_web web;
  static char path[64], one[] = "pmon_one 1\n", two[] = "pmon_one 1\n", three[] = "{\"series\":[]}\n";
  if (!places[0].size) {
    char *const given[] = {one, two, three};
    for (size_t i = 0; i < sizeof given / sizeof *given; i++) {
      texts.text[i] = given[i];
      texts.size[i] = strlen(given[i]);
    }
    file_of(users, strlen(users), path);
    if (exporter_web_load(&cli, path, &web) != CLI_DONE)
      abort();
    places[0] = new_server(NULL);
    places[1] = new_server(&web);
  }
  return &places[with_users];
}

static char answer[ANSWER + 1];

static void try_request(const uint8_t *data, size_t size, bool with_users)
{
  send_request(server(with_users), data, size, answer);
}

/* Encodes in base64; `to` has room for 4 bytes for every 3, and the terminator. */
static void encode(const uint8_t *from, size_t n, char *to)
{
  static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  for (size_t i = 0; i < n; i += 3) {
    const uint32_t v = (uint32_t)from[i] << 16 | (i + 1 < n ? (uint32_t)from[i + 1] << 8 : 0) |
                       (i + 2 < n ? (uint32_t)from[i + 2] : 0);
    for (int k = 0; k < 4; k++)
      *to++ = i + (size_t)k > n ? '=' : digits[v >> (18 - 6 * k) & 63];
  }
  *to = 0;
}

/* Only the right login must get an answer other than a refusal. A zero byte ends a password. */
static void try_login(const uint8_t *data, size_t size)
{
  static const char right[] = "user:password";
  static char request[4 * SIZE_MOST], login[2 * SIZE_MOST];
  const uint8_t *end = memchr(data, '\n', size);
  const size_t n = end ? (size_t)(end - data) : size, rest = end ? size - n - 1 : 0;
  const char *path = (const char *)data + size - rest;
  encode(data, n, login);
  const int length =
      snprintf(request, sizeof request, "GET /%.*s HTTP/1.1\r\nHost: x\r\nAuthorization: Basic %s\r\n\r\n", (int)rest,
               path, login);
  const bool good =
      n >= strlen(right) && !memcmp(data, right, strlen(right)) && (n == strlen(right) || !data[strlen(right)]);
  bool plain = true; /* the path ends neither the line nor the headers */
  for (size_t i = 0; i < rest; i++)
    plain &= path[i] > ' ';
  if (send_request(server(true), request, (size_t)length, answer) > 12 && plain && !good &&
      (!strncmp(answer + 9, "200", 3) || !strncmp(answer + 9, "404", 3)))
    abort();
}

static void try_config(const uint8_t *data, size_t size)
{
  char path[64];
  const int fd = file_of(data, size, path);
  struct stat_run s = {.cli = &cli};
  struct exporter_given given = {.config = path};
  struct exporter_config c;
  if (exporter_config_make(&cli, &given, &c) == CLI_DONE) {
    exporter_config_plan(&s, &given, &c);
    exporter_config_fini(&c);
  }
  close(fd);
}

static void try_web(const uint8_t *data, size_t size)
{
  char path[64];
  const int fd = file_of(data, size, path);
  struct exporter_web w;
  if (exporter_web_load(&cli, path, &w) == CLI_DONE) {
    if (w.authenticated)
      for (uint32_t i = 0; i < w.settings.n && i < USERS_MOST; i++)
        exporter_web_login(&w, w.settings.items[i].key, "password");
    exporter_web_fini(&w);
  }
  close(fd);
}

/* Parses the columns of a series, separated by tabs: kind, package, instance, value, name, unit, reason. */
static void take_series(struct exporter_totals *t, char *line)
{
  char *column[COLUMNS] = {"", "", "", "", "", "", ""};
  for (int i = 0; i < COLUMNS && line; i++)
    column[i] = strsep(&line, "\t");
  const double value = strtod(column[3], NULL);
  struct exporter_sample *s = &t->samples[t->n++];
  *s = (struct exporter_sample){.name = column[4],
                                .unit = column[5],
                                .of = "imc",
                                .package = (uint32_t)strtoul(column[1], NULL, 10),
                                .instance = *column[2] ? (uint32_t)strtoul(column[2], NULL, 10) : PMON_ALL,
                                .kind = (enum exporter_kind)((unsigned char)*column[0] % 3),
                                .value = value,
                                .variance = value > 0 ? value : 0,
                                .valid = !*column[6]};
  snprintf(s->reason, sizeof s->reason, "%s", column[6]);
  if (!exporter_prepare(t))
    abort();
}

/* Checks that JSON texts are valid JSON, and that each line of the other formats is a comment or a series of pmon. */
static void check_text(enum exporter_format f, const char *text, size_t n)
{
  if (!text)
    abort();
  json_t *json = f == EXPORTER_JSON || f == EXPORTER_OTLP ? json_loadb(text, n, 0, NULL) : json_true();
  if (!json || !n)
    abort();
  json_decref(json);
  for (const char *at = text; f < EXPORTER_JSON && at < text + n; at = strchr(at, '\n') + 1)
    if (*at != '#' && strncmp(at, "pmon_", 5))
      abort();
}

static void try_series(const uint8_t *data, size_t size)
{
  struct exporter_sample samples[SERIES_MOST];
  struct exporter_totals t = {
      .samples = samples, .platform = "emr", .backend = "machine", .machine = "emr", .package = "socket", .otlp = true};
  char *copy = strndup((const char *)data, size), *rest = copy;
  if (!copy)
    abort();
  snprintf(t.start_ns, sizeof t.start_ns, "1");
  while (rest && t.n < SERIES_MOST)
    take_series(&t, strsep(&rest, "\n"));
  for (enum exporter_format f = EXPORTER_PROMETHEUS; f < EXPORTER_FORMATS; f++) {
    size_t n = 0;
    char *text = exporter_format(&t, f, &n);
    check_text(f, text, n);
    free(text);
  }
  for (uint32_t i = 0; i < t.n; i++) {
    free(samples[i].line.text);
    free(samples[i].about.text);
    free(samples[i].json.text);
  }
  free(copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  if (!size || size > SIZE_MOST)
    return 0;
  if (!cli.context && (pmon_context_new(&cli.context) || pmon_platform_find(cli.context, "emr", &cli.platform)))
    abort();
  const uint8_t *rest = data + 1;
  switch (*data) {
  case 'r':
  case 'R': try_request(rest, size - 1, *data == 'R'); break;
  case 'a': try_login(rest, size - 1); break;
  case 'c': try_config(rest, size - 1); break;
  case 'w': try_web(rest, size - 1); break;
  case 't': try_series(rest, size - 1); break;
  default: break;
  }
  return 0;
}
