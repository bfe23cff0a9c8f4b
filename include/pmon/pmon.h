/* SPDX-License-Identifier: MIT */
/*
 * Performance monitoring of processors, by name. Each header compiles alone and is the manual of its part. In the order
 * in which a program needs them:
 *
 *   context    the fact tables, and the last error
 *   platform   a processor's units, registers, fields, derived metrics and rules
 *   event      events by name, in the spelling of any tool
 *   metric     groups of metrics
 *   encode     an event to register values, and register values to names
 *   plan       which counter counts which event, and in which round
 *   access     access to registers: the emulated machine, a log, wrappers
 *   hardware   the registers of this host
 *   perf       an event as the contents of a struct perf_event_attr, and the CPU to open it on
 *   capture    the state of a machine as text, and a machine or backend made from it
 *   discovery  units as the discovery page of a processor lists them (Sapphire Rapids and later)
 *   session    programs, runs, freezes, reads, and restores every register
 *   set        events in a set: start, read, reset and stop from inside a program
 *   regions    counts of named parts of a program
 *   value      a number with its uncertainty, or the reason why there is none
 *   invariant  equations that the counts of any measurement must satisfy
 *   report     values as text, CSV and JSON
 *   compare    what differs between two measurements, and whether that is more than their uncertainty
 *   sample     where the processor was at each n-th count of an event
 *   status     the results of functions
 *
 * This header does not include the following ones:
 *
 *   record     counts in a file, for metrics that are computed later: library libpmon-record
 *   machine    the emulated machine as a backend: library libpmon-machine
 *   region     marks named parts of a program, for pmon/regions.h; needs no library
 *
 * examples/five-minutes.c names an event, prints its registers, and measures it, in a hundred lines.
 */
#ifndef PMON_PMON_H
#define PMON_PMON_H

#include <pmon/access.h>
#include <pmon/api.h>
#include <pmon/capture.h>
#include <pmon/compare.h>
#include <pmon/context.h>
#include <pmon/discovery.h>
#include <pmon/encode.h>
#include <pmon/event.h>
#include <pmon/hardware.h>
#include <pmon/invariant.h>
#include <pmon/metric.h>
#include <pmon/perf.h>
#include <pmon/plan.h>
#include <pmon/platform.h>
#include <pmon/regions.h>
#include <pmon/report.h>
#include <pmon/sample.h>
#include <pmon/session.h>
#include <pmon/set.h>
#include <pmon/status.h>
#include <pmon/value.h>

#endif
