/* SPDX-License-Identifier: MIT */
#include "cli/target/privileges.h"

#include <linux/capability.h>
#include <stdint.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <unistd.h>
#include "cli/common/cli.h"
#include "machine/trace/program.h"

enum { WORDS = 2, LAST_CAPABILITY = 63 };

struct held {
  struct __user_cap_data_struct word[WORDS];
};

static bool privileges_set(const struct held *h)
{
  struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
  return !syscall(SYS_capset, &head, h->word);
}

bool privileges_are_borrowed(void)
{
  return getauxval(AT_SECURE) != 0 || getuid() != geteuid() || getgid() != getegid();
}

void privileges_warn_of_program(const struct cli *cli, const char *name)
{
  char path[PATH_MAX];
  struct stat st;
  if (!program_find_in_path(name, path, sizeof path) || stat(path, &st))
    return;
  const char *what = st.st_mode & S_ISUID && st.st_uid != geteuid() ? "set-user-ID"
                     : (st.st_mode & (S_ISGID | S_IXGRP)) == (S_ISGID | S_IXGRP) && st.st_gid != getegid()
                         ? "set-group-ID"
                     : geteuid() && getxattr(path, "security.capability", NULL, 0) > 0 ? "one with capabilities"
                                                                                       : NULL;
  if (what)
    cli_warn(cli, "%s: its file is %s, but a measured program runs with its caller's privileges", path, what);
}

bool privileges_return(void)
{
  const struct held none = {0};
  const uid_t user = getuid();
  const gid_t group = getgid();
  if (setresgid(group, group, group) || setresuid(user, user, user))
    return false;
  if (user == 0)
    return true;
  prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
  return privileges_set(&none);
}

/* Whether effective and saved IDs are the real ones already. A service's filter of system calls may kill a process that
 * sets them even then. */
static bool ids_are_real(uid_t user, gid_t group)
{
  uid_t users[3];
  gid_t groups[3];
  return !getresuid(&users[0], &users[1], &users[2]) && !getresgid(&groups[0], &groups[1], &groups[2]) &&
         users[1] == user && users[2] == user && groups[1] == group && groups[2] == group;
}

bool privileges_drop(void)
{
  const struct held none = {0};
  const uid_t user = getuid();
  const gid_t group = getgid();
  prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
  /* The first failure means that this user has no privileges to drop, or that the kernel knows no further ones. */
  for (int i = 0; i <= LAST_CAPABILITY && !prctl(PR_CAPBSET_DROP, i, 0, 0, 0); i++)
    continue;
  const bool users = ids_are_real(user, group) || (!setresgid(group, group, group) && !setresuid(user, user, user));
  return privileges_set(&none) && !prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) && users;
}
