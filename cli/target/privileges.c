/* SPDX-License-Identifier: MIT */
#include "cli/target/privileges.h"

#include <linux/capability.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { WORDS = 2, LAST_CAPABILITY = 63 };

struct held {
  struct __user_cap_data_struct word[WORDS];
};

static bool privileges_get(struct held *h)
{
  struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
  return !syscall(SYS_capget, &head, h->word);
}

static bool privileges_set(const struct held *h)
{
  struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
  return !syscall(SYS_capset, &head, h->word);
}

/* Sets the effective ones to the permitted ones, or to none. */
static void set_effective(bool all)
{
  struct held h;
  if (!privileges_get(&h))
    return;
  for (int i = 0; i < WORDS; i++)
    h.word[i].effective = all ? h.word[i].permitted : 0;
  privileges_set(&h);
}

void privileges_lay_aside(void)
{
  uid_t real, effective, saved;
  gid_t real_group, effective_group, saved_group;
  if (getresgid(&real_group, &effective_group, &saved_group) == 0 && effective_group != real_group &&
      setegid(real_group))
    _exit(1); /* continuing with more privileges than the user has would be worse */
  if (getresuid(&real, &effective, &saved) == 0 && effective != real && seteuid(real))
    _exit(1);
  if (real != 0)
    set_effective(false);
}

void privileges_take_up(void)
{
  uid_t real, effective, saved;
  gid_t real_group, effective_group, saved_group;
  /* If a privilege cannot be raised, opening a device fails, and that is reported. */
  if (getresuid(&real, &effective, &saved) == 0 && saved != effective && seteuid(saved))
    return;
  if (getresgid(&real_group, &effective_group, &saved_group) == 0 && saved_group != effective_group &&
      setegid(saved_group))
    return;
  set_effective(true);
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

bool privileges_drop(void)
{
  const struct held none = {0};
  const uid_t user = getuid();
  const gid_t group = getgid();
  prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
  set_effective(true);
  /* The first failure means that this user has no privileges to drop, or that the kernel knows no further ones. */
  for (int i = 0; i <= LAST_CAPABILITY && !prctl(PR_CAPBSET_DROP, i, 0, 0, 0); i++)
    continue;
  const bool users = !setresgid(group, group, group) && !setresuid(user, user, user);
  return privileges_set(&none) && !prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) && users;
}
