/* SPDX-License-Identifier: MIT */
/*
 * A guest's state behind its boot: files beside one another that belong together. FILE is a line and QEMU's own stream,
 * of the devices alone; FILE.memoryN is the memory of socket N, which each guest maps for itself; FILE.kernel is the
 * unpacked kernel. Each ends with a line that names what was booted, the snapshot that it is a part of, and its own
 * size: a file that is cut short, or from another snapshot, is none.
 *
 * FILE.functions and FILE.driver are later states, of what has changed since: QEMU's stream behind a line, as in FILE,
 * and whatever else is written behind it. They are of one machine's functions and of one driver, and replaced for
 * others.
 */
#ifndef VM_SNAPSHOT_H
#define VM_SNAPSHOT_H

#include <limits.h>
#include <stddef.h>
#include <stdint.h>
#include "vm/kind.h"

/* What was booted: a checksum, begun with snapshot_key() of nothing, over all that the state depends on. */
#define SNAPSHOT_KEY_BEGIN UINT64_C(0xcbf29ce484222325)
uint64_t snapshot_key(uint64_t key, const void *bytes, size_t n);

/* The parts, in the order in which they get their names: the stream last, so that what has it is whole. Later
 * states are there or not. */
enum {
  SNAPSHOT_MEMORY,
  SNAPSHOT_KERNEL = KIND_SOCKETS,
  SNAPSHOT_STREAM,
  SNAPSHOT_FUNCTIONS,
  SNAPSHOT_DRIVER,
  SNAPSHOT_PARTS
};

struct snapshot {
  char path[PATH_MAX]; /* FILE */
  unsigned sockets;
  uint64_t id;              /* of the snapshot that was opened */
  int part[SNAPSHOT_PARTS]; /* descriptors; -1: not open */
};

/* The parts of that guest, the stream behind its first line. -1: there is none, or it is of another guest, or none of
 * these files; none is open then. */
int snapshot_open(const char *path, uint64_t key, unsigned sockets, struct snapshot *ret);

/* What the name of a part has behind FILE. */
const char *snapshot_ending(unsigned part);

/* Bytes of an open part, without its last line. */
size_t snapshot_size(int part);

/* What stands in the way of a state at `path`: NULL if `path` is a folder, or none of the files is there but those of
 * another state and empty ones. Otherwise the file's name, in `name` or `path`, with errno set: EEXIST for what a state
 * must not replace. */
const char *snapshot_check(const char *path, char name[PATH_MAX]);

/* New files in the folder of `path`: the stream behind its first line, the others empty; -1 with errno set, and none is
 * open. They have no names where the file system allows that, and are gone when pmon is killed. */
int snapshot_create(const char *path, unsigned sockets, struct snapshot *ret);

/* Ends the files of snapshot_create() with their lines, and gives them their names, in place of files of those names.
 * -1 with errno set. */
int snapshot_keep(struct snapshot *s, uint64_t key);

/* The same for the part of a later state, beside parts that snapshot_open() has opened. Closing it leaves those open.
 * What snapshot_check() would name is not replaced: EEXIST. */
int snapshot_open_later(struct snapshot *s, unsigned part, uint64_t key);
int snapshot_create_later(struct snapshot *s, unsigned part);
int snapshot_keep_later(struct snapshot *s, unsigned part, uint64_t key);
void snapshot_remove_later(const struct snapshot *s, unsigned part); /* its file; what is open stays so */
void snapshot_close_later(struct snapshot *s, unsigned part);

/* Closes the parts that are open; what snapshot_keep() did not keep is gone. */
void snapshot_close(struct snapshot *s);

#endif
