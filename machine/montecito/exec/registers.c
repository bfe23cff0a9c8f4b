/* SPDX-License-Identifier: MIT */
#include "machine/montecito/exec/registers.h"
#include <stddef.h>

static const char *const application[128] = {
    [0] = "ar.k0",   [1] = "ar.k1",     [2] = "ar.k2",   [3] = "ar.k3",    [4] = "ar.k4",        [5] = "ar.k5",
    [6] = "ar.k6",   [7] = "ar.k7",     [16] = "ar.rsc", [17] = "ar.bsp",  [18] = "ar.bspstore", [19] = "ar.rnat",
    [21] = "ar.fcr", [24] = "ar.eflag", [25] = "ar.csd", [26] = "ar.ssd",  [27] = "ar.cflg",     [28] = "ar.fsr",
    [29] = "ar.fir", [30] = "ar.fdr",   [32] = "ar.ccv", [36] = "ar.unat", [40] = "ar.fpsr",     [44] = "ar.itc",
    [45] = "ar.ruc", [64] = "ar.pfs",   [65] = "ar.lc",  [66] = "ar.ec"};
static const char *const control[128] = {
    [0] = "cr.dcr",   [1] = "cr.itm",   [2] = "cr.iva",   [8] = "cr.pta",   [16] = "cr.ipsr", [17] = "cr.isr",
    [19] = "cr.iip",  [20] = "cr.ifa",  [21] = "cr.itir", [22] = "cr.iipa", [23] = "cr.ifs",  [24] = "cr.iim",
    [25] = "cr.iha",  [64] = "cr.lid",  [65] = "cr.ivr",  [66] = "cr.tpr",  [67] = "cr.eoi",  [68] = "cr.irr0",
    [69] = "cr.irr1", [70] = "cr.irr2", [71] = "cr.irr3", [72] = "cr.itv",  [73] = "cr.pmv",  [74] = "cr.cmcv",
    [80] = "cr.lrr0", [81] = "cr.lrr1"};

const char *exec_application_name(unsigned n)
{
  return n < 128 ? application[n] : NULL;
}

const char *exec_control_name(unsigned n)
{
  return n < 128 ? control[n] : NULL;
}
