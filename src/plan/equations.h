/* SPDX-License-Identifier: MIT */
/* The equations of a plan, which have names. */
#ifndef PMON_PLAN_EQUATIONS_H
#define PMON_PLAN_EQUATIONS_H

#include "src/plan/names.h"

struct pmon_plan;

/* An equation given as NAME=EQUATION. Equations of the same list and of later lists can use it by its name. */
struct plan_equation {
  char *name, *text;
  bool stored;
  uint32_t different; /* the number of different equations of this name up to this one, after the stored ones */
};

struct plan_equations {
  struct plan_equation *at; /* in the order in which they were added */
  uint32_t n, cap;
  struct plan_names names;
};

/* Adds an equation, whose texts are copied. PMON_E_MEMORY. */
int plan_add_equation(struct pmon_plan *plan, struct text name, struct text text);

/* Returns the last equation of this name, or NULL, and the number of different ones. */
const struct plan_equation *plan_find_equation(const struct pmon_plan *plan, struct text name, uint32_t *ret_n);

/* Removes all equations but the first n; 0 also frees the table. */
void plan_forget_equations(struct pmon_plan *plan, uint32_t n);

#endif
