/* SPDX-License-Identifier: MIT */
/*
 * The machine as the files that Linux has for a real host, addressed by name. vm/mount.h makes them readable and
 * writable. A table of patterns names all files; the folders follow from it.
 */
#ifndef VM_TREE_H
#define VM_TREE_H

#include "vm/bus.h"

enum tree_kind { TREE_NOTHING, TREE_FOLDER, TREE_MSR, TREE_TIME, TREE_CONFIG, TREE_TEXT };

struct tree_shape {
  struct machine *machine;
  struct pmon_backend *backend;
  const char *platform;
  unsigned sockets, cores;
  const struct machine_config *config; /* of the machine */
};

struct machine_tree {
  struct tree_shape shape;
  struct bus bus;
};

/* The object that a path names. */
struct tree_node {
  enum tree_kind kind;
  unsigned row;              /* of the table */
  unsigned processor, devfn; /* as struct bus numbers functions */
};

void tree_init(struct machine_tree *t, const struct tree_shape *shape);

/* Returns the object that `path`, without its leading slash, names. */
struct tree_node tree_find(const struct machine_tree *t, const char *path);

/* Returns the name of the i-th entry of a folder; false: it has no more. */
bool tree_entry(struct machine_tree *t, const char *path, unsigned i, char *name, size_t size);

enum { TREE_TEXT_SIZE = 8192 };
/* Writes the contents of a text file, or of the firmware's tables, to `text`. Returns its length. */
size_t tree_text(struct machine_tree *t, const struct tree_node *node, char text[TREE_TEXT_SIZE]);

/* Returns the size of a function's configuration space. */
size_t tree_config_size(const struct machine_tree *t);

/* Reads and writes configuration space in the dwords, words and bytes that make up the range. */
void tree_config_read(struct machine_tree *t, unsigned devfn, size_t offset, char *to, size_t n);
void tree_config_write(struct machine_tree *t, unsigned devfn, size_t offset, const char *from, size_t n);

#endif
