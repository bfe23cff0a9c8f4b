/* SPDX-License-Identifier: MIT */
/*
 * Branch prediction (2.1.2, 2.4, 2.4.3.1.1). Two levels predict paths. The first level is part of the L1I: a line
 * carries the predictions of its branches, and the targets to which the front end turns without delay. The predictions
 * are created when the line arrives and are lost when it leaves. The second level keeps the paths of lines that have
 * left. Returns are predicted by a stack of each thread, other indirect branches by a table of targets; both threads
 * share the rest, as they share the L1I. The contents and sizes of these structures are the model's own.
 */
#ifndef MACHINE_MONTECITO_FRONT_PREDICT_H
#define MACHINE_MONTECITO_FRONT_PREDICT_H

#include <stdbool.h>
#include <stdint.h>

enum { PREDICTED_BUNDLES = 4, PREDICTED_TARGETS = 256, PREDICTED_RETURNS = 8 };

/* Predictions of a line's branches. The paths of a bundle are a 2-bit counter for each slot; from 2 on: taken. */
struct montecito_predicted_line {
  uint64_t line;                      /* the line's number with its address space, and 1; 0: none */
  uint64_t target[PREDICTED_BUNDLES]; /* target of each bundle's IP-relative branch taken last; 0: none */
  uint8_t paths[PREDICTED_BUNDLES];
  bool fresh; /* no branch has used it since the line arrived */
};

struct montecito_predictor {
  struct montecito_predicted_line *lines; /* by the sets of the L1I */
  uint32_t sets, ways;
  struct montecito_predicted_line *last; /* the line used last */
  uint8_t *paths;                        /* second level: paths by the bundle's address */
  uint32_t entries;
  uint64_t targets[PREDICTED_TARGETS];
  struct montecito_return_stack {
    uint64_t address[PREDICTED_RETURNS];
    unsigned n;
  } returns[2];
};

struct montecito_memory;

/* Allocates the predictor for an L1I of `sets` and `ways`, with a second level of `entries` bundles. False: no
 * memory. */
bool predict_init(struct montecito_predictor *p, uint32_t sets, uint32_t ways, uint32_t entries);
void predict_fini(struct montecito_predictor *p);

/* Fills an absent line into the L1I, with the paths that the second level has for it. A displaced line is dropped. */
void predict_fill_line(struct montecito_memory *m, uint64_t address);
/* Drops the line from the L1I, if it is present; the second level keeps its paths. */
void predict_drop_line(struct montecito_memory *m, uint64_t address);

/* A branch that retires. predict_branch() learns its outcome at once. */
struct montecito_branch {
  uint64_t ip, target, next; /* ip: address of the bundle */
  uint8_t slot, thread;      /* thread: 0 or 1 of the core */
  bool taken, call, returns, indirect;
  bool counted; /* the branch of a counted loop whose count the front end knows: the last iteration is predicted, too */
};
struct montecito_prediction {
  bool wrong_path, wrong_target;
  bool fresh;    /* the first branch in a line since it arrived: its predictions had to come from the second level */
  bool resteers; /* predicted taken, to a target that the first level does not have */
};
struct montecito_prediction predict_branch(struct montecito_memory *m, const struct montecito_branch *b);

#endif
