/* SPDX-License-Identifier: MIT */
/* The web configuration file that Prometheus' exporters share: TLS, and users with bcrypt hashes. */
#ifndef CLI_EXPORTER_WEB_H
#define CLI_EXPORTER_WEB_H

#include "cli/exporter/settings.h"

struct exporter_web {
  char *cert, *key, *client_ca; /* texts of the files (PEM); cert NULL: no TLS; client_ca NULL: none */
  const char *priorities;       /* GnuTLS' protocol versions */
  bool client_required;         /* a client needs a certificate of client_ca */
  bool authenticated;           /* there are users */
  struct settings settings;     /* users and their hashes */
  char proof[256];              /* of the last successful login: a salted hash that takes a millisecond */
  double refused_s, refused_at; /* time spent on wrong passwords, decreasing; when it was last updated */
};

enum web_login { WEB_REFUSED, WEB_ALLOWED, WEB_BUSY };

/* Reads the file and the files that it names, relative to its folder. CLI_DONE; else an exit code after printing an
 * error, and there is nothing to free. `path` must outlive ret. */
int exporter_web_load(struct cli *cli, const char *path, struct exporter_web *ret);
void exporter_web_fini(struct exporter_web *w);

/* Checks a user's password. Takes the same time for an unknown user. WEB_BUSY: the password was not checked, because
 * wrong ones took a fifth of the time lately; the last successful login never gets this answer. Not thread-safe. */
enum web_login exporter_web_login(struct exporter_web *w, const char *user, const char *password);

#endif
