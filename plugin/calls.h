/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Memory for what translated code passes to the functions that it calls. */
#ifndef PLUGIN_CALLS_H
#define PLUGIN_CALLS_H

#include <stddef.h>
#include <stdint.h>

/* Before the first allocation: the memory goes when the plugin's translations do. */
void calls_install(uint64_t id);
/* Aborts without memory. */
void *call_allocate(size_t n);

#endif
