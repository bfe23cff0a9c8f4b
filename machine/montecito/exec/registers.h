/* SPDX-License-Identifier: MIT */
/* Names and numbers of application and control registers. */
#ifndef MACHINE_MONTECITO_EXEC_REGISTERS_H
#define MACHINE_MONTECITO_EXEC_REGISTERS_H

enum exec_application {
  AR_KR0 = 0,
  AR_RSC = 16,
  AR_BSP = 17,
  AR_BSPSTORE = 18,
  AR_RNAT = 19,
  AR_CSD = 25,
  AR_SSD = 26,
  AR_CCV = 32,
  AR_UNAT = 36,
  AR_FPSR = 40,
  AR_ITC = 44,
  AR_PFS = 64,
  AR_LC = 65,
  AR_EC = 66
};

enum exec_control {
  CR_DCR = 0,
  CR_ITM = 1,
  CR_IVA = 2,
  CR_PTA = 8,
  CR_IPSR = 16,
  CR_ISR = 17,
  CR_IIP = 19,
  CR_IFA = 20,
  CR_ITIR = 21,
  CR_IIPA = 22,
  CR_IFS = 23,
  CR_IIM = 24,
  CR_IHA = 25,
  CR_TPR = 66,
  CR_ITV = 72,
  CR_PMV = 73
};

/* "ar.lc", "cr.iva"; NULL: a register without a name. */
const char *exec_application_name(unsigned n);
const char *exec_control_name(unsigned n);

#endif
