/* SPDX-License-Identifier: MIT */
#include "cli/exporter/web.h"
#include <crypt.h>
#include <dlfcn.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

enum { MOST_PEM = 1 << 20 };

/* Of the time, this share may be spent on wrong passwords, and this many seconds at once. */
static const double REFUSED_SHARE = 0.2, REFUSED_S = 1;

enum web_key {
  WEB_CERT,
  WEB_KEY,
  WEB_CLIENT_AUTH,
  WEB_CLIENT_CA,
  WEB_MIN_VERSION,
  WEB_MAX_VERSION,
  WEB_HTTP2,
  WEB_USERS
};
static const struct setting_rule web_rules[] = {[WEB_CERT] = {"tls_server_config.cert_file", false},
                                                [WEB_KEY] = {"tls_server_config.key_file", false},
                                                [WEB_CLIENT_AUTH] = {"tls_server_config.client_auth_type", false},
                                                [WEB_CLIENT_CA] = {"tls_server_config.client_ca_file", false},
                                                [WEB_MIN_VERSION] = {"tls_server_config.min_version", false},
                                                [WEB_MAX_VERSION] = {"tls_server_config.max_version", false},
                                                [WEB_HTTP2] = {"http_server_config.http2", false},
                                                [WEB_USERS] = {"basic_auth_users.*", false},
                                                {NULL, false}};

/* A hash that is no user's, so that the time of an answer does not reveal which users exist. */
static const char no_user[] = "$2y$10$PWn8q66tdHV0NH8EXyD4AOr4Vio3Ryg7zVlNNS14KDmvopXMbIvHC";

static __typeof__(crypt_r) *web_crypt;

/* Distributions without the old functions have libcrypt only under its second name. */
static bool crypt_load_library(struct cli *cli)
{
  void *library = dlopen("libcrypt.so.2", RTLD_NOW | RTLD_LOCAL);
  void **function = (void **)&web_crypt;
  if (!library)
    library = dlopen("libcrypt.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library && (*function = dlsym(library, "crypt_r")))
    return true;
  cli_fail(cli, "passwords need libcrypt (Debian: libcrypt1, Fedora: libxcrypt): %s", dlerror());
  return false;
}

/* Computes the hash of `password` with the salt and method of `setting`. False: libcrypt refuses it. */
static bool password_hash(const char *password, const char *setting, char *ret, size_t size)
{
  struct crypt_data *data = calloc(1, sizeof *data);
  const char *hash = data ? web_crypt(password, setting, data) : NULL;
  const bool good = hash && *hash != '*' && strlen(hash) < size;
  if (good)
    snprintf(ret, size, "%s", hash);
  if (data)
    explicit_bzero(data, sizeof *data);
  free(data);
  return good;
}

static bool is_same(const char *a, const char *b)
{
  const size_t n = strlen(a);
  unsigned char difference = n != strlen(b);
  for (size_t i = 0; i < n && !difference; i++)
    difference |= (unsigned char)(a[i] ^ b[i]);
  return !difference;
}

/* Reads the file that an item names. */
static char *web_read_file(struct cli *cli, const struct exporter_web *w, uint32_t rule)
{
  const struct setting *item = settings_next(&w->settings, rule, NULL);
  char path[4096], place[512];
  const char *slash = strrchr(w->settings.path, '/');
  const int folder = *item->text == '/' || !slash ? 0 : (int)(slash - w->settings.path) + 1;
  snprintf(path, sizeof path, "%.*s%s", folder, w->settings.path, item->text);
  char *text = calloc(1, MOST_PEM + 1);
  FILE *file = fopen(path, "re");
  const size_t n = text && file ? fread(text, 1, MOST_PEM, file) : 0;
  const int problem = errno;
  if (file)
    fclose(file);
  if (n && n < MOST_PEM && strstr(text, "-----BEGIN "))
    return text;
  free(text);
  cli_fail(cli, "%s: %s: %s", settings_place(&w->settings, item, place, sizeof place), path,
           file ? "expected a file in PEM format" : strerror(problem));
  return NULL;
}

/* Returns which of some words an item of a rule is; `unset`: there is no such item; -1 after printing an error. */
static int web_take_word(struct cli *cli, const struct exporter_web *w, uint32_t rule, const char *words, int unset)
{
  char place[512];
  const struct setting *item = settings_next(&w->settings, rule, NULL);
  if (!item)
    return unset;
  const size_t n = strlen(item->text);
  int index = 0;
  for (const char *word = words; *word; word += strcspn(word, " "), word += *word == ' ', index++)
    if (n && strcspn(word, " ") == n && !strncmp(word, item->text, n))
      return index;
  cli_fail_word(cli, settings_place(&w->settings, item, place, sizeof place), item->text, words);
  return -1;
}

/* Takes the values that are words, in the form that GnuTLS and the server use. HTTP/2 is not spoken here, so that
 * either value is accepted for it. */
static int web_take_words(struct cli *cli, struct exporter_web *w)
{
  static const char *const priorities[2][2] = {
      {"NORMAL:-VERS-ALL:+VERS-TLS1.2", "NORMAL:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2"},
      {NULL, "NORMAL:-VERS-ALL:+VERS-TLS1.3"}};
  static const char versions[] = "TLS12 TLS13", clients[] = "NoClientCert RequireAndVerifyClientCert";
  char place[512];
  const int least = web_take_word(cli, w, WEB_MIN_VERSION, versions, 0);
  const int most = least < 0 ? -1 : web_take_word(cli, w, WEB_MAX_VERSION, versions, 1);
  const int client = most < 0 ? -1 : web_take_word(cli, w, WEB_CLIENT_AUTH, clients, 0);
  if (client < 0 || web_take_word(cli, w, WEB_HTTP2, "false true", 0) < 0)
    return CLI_USAGE;
  if (least > most)
    return cli_fail(
        cli, "%s: below min_version",
        settings_place(&w->settings, settings_next(&w->settings, WEB_MAX_VERSION, NULL), place, sizeof place));
  w->priorities = priorities[least][most];
  w->client_required = client != 0;
  if (w->client_required && !settings_text(&w->settings, WEB_CLIENT_CA))
    return cli_fail(
        cli, "%s needs client_ca_file",
        settings_place(&w->settings, settings_next(&w->settings, WEB_CLIENT_AUTH, NULL), place, sizeof place));
  return CLI_DONE;
}

/* Whether the text is $2b$COST$ with 53 digits. A hash of cost 15 takes seconds for each request with a wrong password;
 * a higher cost is refused. */
static bool is_bcrypt(const char *text)
{
  static const char digits[] = "./0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
  const bool head = !strncmp(text, "$2", 2) && text[2] && strchr("aby", text[2]) && text[3] == '$';
  const char *cost = text + 4;
  return head &&
         ((cost[0] == '0' && cost[1] >= '4' && cost[1] <= '9') ||
          (cost[0] == '1' && cost[1] >= '0' && cost[1] <= '5')) &&
         cost[2] == '$' && strlen(cost + 3) == 53 && strspn(cost + 3, digits) == 53;
}

static int web_take_users(struct cli *cli, struct exporter_web *w)
{
  const struct setting *user = NULL;
  while ((user = settings_next(&w->settings, WEB_USERS, user))) {
    char place[512];
    if (!w->authenticated && !crypt_load_library(cli))
      return CLI_USAGE;
    w->authenticated = true;
    if (!is_bcrypt(user->text))
      return cli_fail(cli, "%s: expected a bcrypt hash of cost 4 to 15, as `htpasswd -nBC 10 %s` prints it",
                      settings_place(&w->settings, user, place, sizeof place), user->key);
  }
  return CLI_DONE;
}

int exporter_web_load(struct cli *cli, const char *path, struct exporter_web *ret)
{
  *ret = (struct exporter_web){.cert = NULL};
  int result = settings_load(cli, path, web_rules, &ret->settings);
  if (result != CLI_DONE)
    return result;
  const bool cert = settings_text(&ret->settings, WEB_CERT), key = settings_text(&ret->settings, WEB_KEY);
  if (cert != key)
    result = cli_fail(cli, "%s: tls_server_config has only one of cert_file and key_file; give both", path);
  if (result == CLI_DONE)
    result = web_take_words(cli, ret);
  if (result == CLI_DONE && cert &&
      (!(ret->cert = web_read_file(cli, ret, WEB_CERT)) || !(ret->key = web_read_file(cli, ret, WEB_KEY)) ||
       (ret->client_required && !(ret->client_ca = web_read_file(cli, ret, WEB_CLIENT_CA)))))
    result = CLI_USAGE;
  if (result == CLI_DONE)
    result = web_take_users(cli, ret);
  if (result != CLI_DONE)
    exporter_web_fini(ret);
  return result;
}

void exporter_web_fini(struct exporter_web *w)
{
  free(w->cert);
  free(w->key);
  free(w->client_ca);
  settings_fini(&w->settings);
  *w = (struct exporter_web){.cert = NULL};
}

/* Whether the login is the last successful one. bcrypt takes a tenth of a second, and a scrape comes each second: the
 * last login is verified by a cheaper hash, which exists in memory only. */
static bool is_last_login(const struct exporter_web *w, const char *login)
{
  char proof[CRYPT_OUTPUT_SIZE];
  return *w->proof && password_hash(login, w->proof, proof, sizeof proof) && is_same(proof, w->proof);
}

static void remember_login(struct exporter_web *w, const char *login)
{
  unsigned char salt[8];
  char setting[64], *end = setting + snprintf(setting, sizeof setting, "$5$rounds=1000$");
  if (getrandom(salt, sizeof salt, 0) != sizeof salt)
    return;
  for (size_t i = 0; i < sizeof salt; i++)
    end += snprintf(end, 3, "%02x", salt[i]);
  if (!password_hash(login, setting, w->proof, sizeof w->proof))
    *w->proof = 0;
}

static double web_now_s(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Checks a password by its hash, unless wrong ones took too much time lately: all clients wait meanwhile. */
static enum web_login check_by_hash(struct exporter_web *w, const char *user, const char *password)
{
  char hash[CRYPT_OUTPUT_SIZE];
  const struct setting *found = NULL;
  const double begin = web_now_s();
  w->refused_s = fmax(0, w->refused_s - (begin - w->refused_at) * REFUSED_SHARE);
  w->refused_at = begin;
  if (w->refused_s > REFUSED_S)
    return WEB_BUSY;
  while ((found = settings_next(&w->settings, WEB_USERS, found)) && strcmp(found->key, user))
    continue;
  const char *expected = found ? found->text : no_user;
  if (password_hash(password, expected, hash, sizeof hash) && is_same(hash, expected) && found)
    return WEB_ALLOWED;
  w->refused_s += web_now_s() - begin;
  return WEB_REFUSED;
}

enum web_login exporter_web_login(struct exporter_web *w, const char *user, const char *password)
{
  char login[512];
  if ((size_t)snprintf(login, sizeof login, "%zu:%s:%s", strlen(user), user, password) >= sizeof login)
    return WEB_REFUSED;
  enum web_login result = WEB_ALLOWED;
  if (!is_last_login(w, login)) {
    result = check_by_hash(w, user, password);
    if (result == WEB_ALLOWED)
      remember_login(w, login);
  }
  explicit_bzero(login, sizeof login);
  return result;
}
