/* SPDX-License-Identifier: MIT */
/* Shifts and masks; the rest of the library uses fields (src/facts/field.h). */
#ifndef PMON_BASE_BITS_H
#define PMON_BASE_BITS_H

#include <stdbool.h>
#include <stdint.h>

/* The bits hi..lo, both included; hi is at most 63 and not below lo. */
static inline uint64_t bits_mask(unsigned hi, unsigned lo)
{
  return (UINT64_MAX >> (63 - (hi - lo))) << lo;
}

/* Put a value into the bits hi..lo of a register, and extract it. */
static inline uint64_t bits_place(uint64_t value, unsigned hi, unsigned lo)
{
  return (value << lo) & bits_mask(hi, lo);
}

static inline uint64_t bits_take(uint64_t value, unsigned hi, unsigned lo)
{
  return (value & bits_mask(hi, lo)) >> lo;
}

static inline bool bit_is(uint64_t mask, unsigned n)
{
  return n < 64 && (mask >> n & 1) != 0;
}

/* Bits 0 .. n-1. */
static inline uint64_t bits_below(unsigned n)
{
  return (n < 64 ? UINT64_C(1) << n : 0) - 1;
}

/* A umask as Linux perf writes it: the extended part above the low byte. */
static inline uint64_t umask_low(uint64_t wide)
{
  return wide & 0xff;
}

static inline uint64_t umask_ext(uint64_t wide)
{
  return wide >> 8;
}

/* PCI: bus << 8 | device << 3 | function (pmon_address.device). */
static inline uint32_t pci_device(uint32_t bus, uint32_t device, uint32_t function)
{
  return bus << 8 | device << 3 | function;
}

static inline uint32_t pci_bus(uint32_t device)
{
  return device >> 8;
}
static inline uint32_t pci_slot(uint32_t device)
{
  return device >> 3 & 31;
}
static inline uint32_t pci_function(uint32_t device)
{
  return device & 7;
}

#endif
