/* SPDX-License-Identifier: MIT */
#ifndef PMON_API_H
#define PMON_API_H

/* Marks what libpmon exports; everything else in it is hidden. */
#define PMON_API __attribute__((visibility("default")))

#endif
