/* SPDX-License-Identifier: MIT */
/* What every header needs: which functions the library exports, C linkage for C++, and the version. */
#ifndef PMON_API_H
#define PMON_API_H

/* Marks a function that the library exports. All other symbols are hidden. */
#define PMON_API __attribute__((visibility("default")))

/* Enclose the declarations of each header, so that C++ programs link the C functions. */
#ifdef __cplusplus
#define PMON_BEGIN_DECLS extern "C" {
#define PMON_END_DECLS }
#else
#define PMON_BEGIN_DECLS
#define PMON_END_DECLS
#endif

/* The version of these headers; pmon_version() in pmon/context.h returns the version of the library that runs.
 * docs/stability.md states when each number changes. */
#define PMON_VERSION_MAJOR 0
#define PMON_VERSION_MINOR 1
#define PMON_VERSION_PATCH 0

/* The version as one number, for comparisons: major * 1000000 + minor * 1000 + patch. */
#define PMON_VERSION_NUMBER (PMON_VERSION_MAJOR * 1000000 + PMON_VERSION_MINOR * 1000 + PMON_VERSION_PATCH)

#endif
