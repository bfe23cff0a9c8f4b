/* SPDX-License-Identifier: MIT */
/* The functions by which each unit of Emerald Rapids selects events: struct pmon_unit.weight of machine/emr/units.c. */
#ifndef MACHINE_EMR_MATCH_H
#define MACHINE_EMR_MATCH_H

#include <stdint.h>

uint32_t cha_weight(uint64_t ctl, uint64_t attr);
uint32_t imc_weight(uint64_t ctl, uint64_t attr);
uint32_t m2m_weight(uint64_t ctl, uint64_t attr);
uint32_t upi_weight(uint64_t ctl, uint64_t attr);
uint32_t irp_weight(uint64_t ctl, uint64_t attr);
uint32_t iio_weight(uint64_t ctl, uint64_t attr);
/* umask bits add up (1.4.0.1); an event without umasks is selected by umask 0 */
uint32_t baseline_weight(uint64_t ctl, uint64_t attr);

/* Return the bits of one occurrence that a control register selects: struct pmon_unit.occurrence. */
uint64_t cha_occurrence(const uint64_t *filter, uint64_t ctl);
uint64_t imc_occurrence(const uint64_t *filter, uint64_t ctl);
uint64_t m2m_occurrence(const uint64_t *filter, uint64_t ctl);
uint64_t upi_occurrence(const uint64_t *filter, uint64_t ctl);
uint64_t irp_occurrence(const uint64_t *filter, uint64_t ctl);
uint64_t iio_occurrence(const uint64_t *filter, uint64_t ctl);

#endif
