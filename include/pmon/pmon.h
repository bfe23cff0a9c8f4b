/* SPDX-License-Identifier: MIT */
/* All of libpmon's interface. Each header also compiles alone, and is the manual of its part. */
#ifndef PMON_PMON_H
#define PMON_PMON_H

#include <pmon/access.h>
#include <pmon/api.h>
#include <pmon/context.h>
#include <pmon/discovery.h>
#include <pmon/encode.h>
#include <pmon/event.h>
#include <pmon/hardware.h>
#include <pmon/law.h>
#include <pmon/plan.h>
#include <pmon/platform.h>
#include <pmon/record.h>
#include <pmon/report.h>
#include <pmon/session.h>
#include <pmon/status.h>
#include <pmon/value.h>

#endif
