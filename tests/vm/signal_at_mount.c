/* SPDX-License-Identifier: MIT */
/* Preloaded into pmon: a signal arrives as soon as the file system is mounted. */
#include <dlfcn.h>
#include <signal.h>
#include <unistd.h>

struct fuse;
int fuse_mount(struct fuse *f, const char *folder);

int fuse_mount(struct fuse *f, const char *folder)
{
  int (*mount)(struct fuse *, const char *) = (int (*)(struct fuse *, const char *))dlsym(RTLD_NEXT, "fuse_mount");
  const int status = mount(f, folder);
  kill(getpid(), SIGTERM);
  return status;
}
