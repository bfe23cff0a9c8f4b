/* SPDX-License-Identifier: MIT */
/*
 * Branch prediction (2.1.2, 2.4, 2.4.3.1.1). Two levels predict paths. The first level is part of the L1I: a line
 * carries the predictions of its branches, and the targets to which the front end turns without delay. It comes into
 * being when the line arrives and is lost with it. The second level keeps the paths of lines that have left. Returns
 * are predicted by a stack of each thread, other indirect branches by a table of targets; both threads share the rest,
 * as they share the L1I. What a structure holds, and how large it is, is the model's own.
 */
#ifndef MACHINE_MONTECITO_PREDICT_H
#define MACHINE_MONTECITO_PREDICT_H

#include <stdbool.h>
#include <stdint.h>

enum { PREDICTED_BUNDLES = 4, PREDICTED_TARGETS = 256, PREDICTED_RETURNS = 8 };

/* Paths of a bundle: a counter of two bits for each slot, taken from 2 on. */
struct montecito_predicted_line {
  uint64_t line;                      /* the line's number with its address space, and 1; 0: none */
  uint64_t target[PREDICTED_BUNDLES]; /* of the IP-relative branch that was taken last; 0: none */
  uint8_t paths[PREDICTED_BUNDLES];
  bool fresh; /* no branch has used it since the line arrived */
};

struct montecito_predictor {
  struct montecito_predicted_line *lines; /* by the sets of the L1I */
  uint32_t sets, ways;
  struct montecito_predicted_line *last; /* that was used last */
  uint8_t *paths;                        /* second level: paths by the bundle's address */
  uint32_t entries;
  uint64_t targets[PREDICTED_TARGETS];
  struct montecito_return_stack {
    uint64_t address[PREDICTED_RETURNS];
    unsigned n;
  } returns[2];
};

struct montecito_memory;

/* For an L1I of so many sets and ways, and so many entries of the second level. False: no memory. */
bool predict_init(struct montecito_predictor *p, uint32_t sets, uint32_t ways, uint32_t entries);
void predict_fini(struct montecito_predictor *p);

/* The L1I gets an absent line, with what the second level knows of it; a line that it displaces leaves. */
void predict_fill_line(struct montecito_memory *m, uint64_t address);
/* The line leaves the L1I, if it is there; the second level keeps its paths. */
void predict_drop_line(struct montecito_memory *m, uint64_t address);

/* A branch that retires. Its outcome is learned at once. */
struct montecito_branch {
  uint64_t ip, target, next; /* ip: of the bundle */
  uint8_t slot, thread;      /* thread: of the core, 0 or 1 */
  bool taken, call, returns, indirect;
  bool counted; /* a counted loop whose count the front end knows: the last round is predicted, too */
};
struct montecito_prediction {
  bool wrong_path, wrong_target;
  bool fresh;    /* the first branch of a line that has arrived: its predictions had to come from the second level */
  bool resteers; /* predicted taken, to a target that the first level does not have */
};
struct montecito_prediction predict_branch(struct montecito_memory *m, const struct montecito_branch *b);

#endif
