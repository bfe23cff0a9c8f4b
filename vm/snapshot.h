/* SPDX-License-Identifier: MIT */
/*
 * The snapshot of a guest after its boot: files in one folder that belong together. FILE is a line and QEMU's own
 * stream, of the devices alone; FILE.memoryN is the memory of socket N, which each guest maps for itself; FILE.kernel
 * is the unpacked kernel. Each ends with a line that names the key of the booted guest, the snapshot that it is a part
 * of, and its own size: a file that is truncated, or from another snapshot, is not accepted.
 *
 * FILE.functions and FILE.driver are later snapshots, with the changes since then: a line and QEMU's stream, as in
 * FILE, and any further data after it. They belong to one machine's functions and to one driver, and are replaced for
 * others.
 */
#ifndef VM_SNAPSHOT_H
#define VM_SNAPSHOT_H

#include <limits.h>
#include <stddef.h>
#include <stdint.h>
#include "vm/kind.h"

/* The key of a booted guest: a checksum, begun with SNAPSHOT_KEY_BEGIN, over all that the snapshot depends on. */
#define SNAPSHOT_KEY_BEGIN UINT64_C(0xcbf29ce484222325)
uint64_t snapshot_key(uint64_t key, const void *bytes, size_t n);

/* The parts, in the order in which they get their names: the stream last, so that a snapshot with a stream is complete.
 * Later snapshots are optional. */
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

/* Opens the parts of the guest with that key; the stream is positioned after its first line. -1: there is no snapshot,
 * it is another guest's, or the files are of another kind; none is open then. */
int snapshot_open(const char *path, uint64_t key, unsigned sockets, struct snapshot *ret);

/* Returns the ending of a part's name, after FILE. */
const char *snapshot_ending(unsigned part);

/* Returns the bytes of an open part, without its last line. */
size_t snapshot_size(int part);

/* Checks whether a snapshot can be kept at `path`. NULL: `path` is a folder, or the only existing files are empty or
 * those of another snapshot. Otherwise returns the conflicting file's name, in `name` or `path`, with errno set: EEXIST
 * for a file that a snapshot must not replace. */
const char *snapshot_check(const char *path, char name[PATH_MAX]);

/* Creates files in the folder of `path`: the stream positioned after its first line, the others empty; -1 with errno
 * set, and none is open. They have no names where the file system allows that, and vanish if pmon is killed. */
int snapshot_create(const char *path, unsigned sockets, struct snapshot *ret);

/* Ends the files of snapshot_create() with their lines, and gives them their names, which replaces files of those
 * names. -1 with errno set. */
int snapshot_keep(struct snapshot *s, uint64_t key);

/* The same functions for the part of a later snapshot, besides the parts that snapshot_open() has opened, which stay
 * open when it is closed. A file that snapshot_check() would return is not replaced: EEXIST. */
int snapshot_open_later(struct snapshot *s, unsigned part, uint64_t key);
int snapshot_create_later(struct snapshot *s, unsigned part);
int snapshot_keep_later(struct snapshot *s, unsigned part, uint64_t key);
void snapshot_remove_later(const struct snapshot *s, unsigned part); /* removes its file; an open part stays open */
void snapshot_close_later(struct snapshot *s, unsigned part);

/* Closes the open parts; files that snapshot_keep() did not keep vanish. */
void snapshot_close(struct snapshot *s);

#endif
