/* SPDX-License-Identifier: MIT */
#include "tests/hardware/servers.h"

#include <sys/wait.h>
#include <unistd.h>
#include "cli/pmon.h"
#include "tests/hardware/place.h"
#include "tests/leave.h"

char folder[48];
char output[1 << 20];

static int servers_run(const char *line)
{
  char text[1000], *argv[32], *save = NULL;
  int pipes[2], argc = 0, status;
  size_t n = 0;
  snprintf(text, sizeof text, "pmon %s", line);
  for (char *w = strtok_r(text, " ", &save); w && argc < 31; w = strtok_r(NULL, " ", &save))
    argv[argc++] = w;
  argv[argc] = NULL;
  assert_int_equal(pipe(pipes), 0);
  const pid_t pid = fork();
  if (!pid) {
    dup2(pipes[1], 1);
    dup2(pipes[1], 2);
    close(pipes[0]);
    const int code = pmon_main(argc, argv);
    fflush(NULL);
    leave(code);
  }
  close(pipes[1]);
  for (ssize_t k; (k = read(pipes[0], output + n, sizeof output - 1 - n)) > 0;)
    n += (size_t)k;
  output[n] = 0;
  close(pipes[0]);
  assert_int_equal(waitpid(pid, &status, 0), pid);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

void expect(const char *line, int code, const char *text)
{
  const int got = servers_run(line);
  if (got != code || !strstr(output, text))
    fail_msg("pmon %s: %d, \"%s\" expected in:\n%s", line, got, text, output);
}

double total_of(const char *name)
{
  char key[200];
  snprintf(key, sizeof key, ",%s,,", name);
  const char *at = strstr(output, key);
  if (!at) { /* fields with a comma are quoted */
    snprintf(key, sizeof key, ",\"%s\",,", name);
    at = strstr(output, key);
  }
  at = at ? strchr(at + strlen(key), ',') : NULL; /* after the unit */
  at = at ? strchr(at + 1, ',') : NULL;
  return at && at[1] != ',' ? strtod(at + 1, NULL) : -1;
}

void make_server(const char *platform)
{
  char command[160];
  const struct sysfs_server *s = NULL;
  for (unsigned i = 0; (s = sysfs_server(i)) && strcmp(s->platform, platform) != 0;)
    i++;
  assert_non_null(s);
  snprintf(command, sizeof command, "rm -rf '%s/root' && mkdir '%s/root'", folder, folder);
  assert_int_equal(system(command), 0);
  snprintf(command, sizeof command, "%s/root", folder);
  sysfs_make(s, command);
}

int servers_main(int argc, char **argv, int (*run)(void))
{
  char line[600];
  if (argc != 2 || !place_make(folder, sizeof folder, "pmon-servers"))
    return 2;
  setenv("XDG_DATA_HOME", folder, 1);
  /* The sample has files of another processor that cannot be read: exit code 1. */
  snprintf(line, sizeof line, "import %s", argv[1]);
  if (servers_run(line) != 1) {
    fputs(output, stderr);
    return 2;
  }
  const int failed = run();
  snprintf(line, sizeof line, "rm -r '%s'", folder);
  return system(line) || failed;
}
