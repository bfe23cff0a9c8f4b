/* SPDX-License-Identifier: MIT */
/* Folders for trees of many small files. */
#ifndef PMON_TESTS_HARDWARE_PLACE_H
#define PMON_TESTS_HARDWARE_PLACE_H

#include <stddef.h>

/* Makes a new folder whose name begins with `stem`, and writes its path to ret_folder; NULL: it cannot be made (errno).
 * The folder is in memory if possible: a disk's file system takes ten times as long to recreate thousands of files that
 * were just removed. */
char *place_make(char *ret_folder, size_t size, const char *stem);

#endif
