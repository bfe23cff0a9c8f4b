/* SPDX-License-Identifier: MIT */
#include "src/access/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include "src/access/system.h"

void memory_open(struct memory_file *file, const char *root, const char *name, int flags)
{
  const struct system_file f = {.root = root, .name = file->name, .needs = "", .flags = flags};
  file->root = root;
  file->fd = -1;
  snprintf(file->name, sizeof file->name, "%s", name);
  errno = ENAMETOOLONG; /* reported if no file could be tried */
  file->error = system_open(&f, NULL, &file->fd) ? errno : 0;
}

void memory_close(struct memory_file *file)
{
  if (file->fd >= 0)
    close(file->fd);
  file->fd = -1;
}

/* Maps the page; NULL with errno, which is 0 if the file ends before the page. */
static void *memory_map_page(const struct memory_try *t)
{
  struct stat st;
  if (fstat(t->file->fd, &st))
    return NULL;
  /* An access past the end of a plain file would raise SIGBUS. */
  if (S_ISREG(st.st_mode) && ((uint64_t)st.st_size < MEMORY_PAGE || t->at > (uint64_t)st.st_size - MEMORY_PAGE)) {
    errno = 0;
    return NULL;
  }
  void *p =
      mmap(NULL, MEMORY_PAGE, t->read_only ? PROT_READ : PROT_READ | PROT_WRITE, MAP_SHARED, t->file->fd, (off_t)t->at);
  return p == MAP_FAILED ? NULL : p;
}

static void memory_write_reason(struct memory_reason *why, const struct memory_file *f, const char *verb, int error)
{
  const size_t n = strlen(why->text);
  snprintf(why->text + n, sizeof why->text - n, "%scannot %s %.180s/%s: %s", n ? "; " : "", verb, f->root, f->name,
           error ? strerror(error) : "the file ends before this address");
}

int memory_map(const struct memory_try *tries, size_t n, struct memory_reason *why, void **ret_at)
{
  int status = PMON_E_NO_DEVICE;
  bool refused = false, missing = false;
  *why->text = 0;
  for (size_t i = 0; i < n; i++) {
    const struct memory_file *f = tries[i].file;
    int error = f->error;
    if (f->fd >= 0) {
      if ((*ret_at = memory_map_page(&tries[i])))
        return 0;
      error = errno;
    }
    memory_write_reason(why, f, f->fd >= 0 ? "map" : "open", error);
    status = error ? system_status(error) : PMON_E_IO;
    refused |= status == PMON_E_PERMISSION;
    missing |= error == ENOENT;
  }
  const size_t end = strlen(why->text);
  if (refused || missing)
    snprintf(why->text + end, sizeof why->text - end, "; this needs %s", why->needs);
  return refused ? PMON_E_PERMISSION : status;
}
