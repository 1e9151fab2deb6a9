/*
 * What the stage coverage launches on the device beside the cases that there
 * are anyway, planned before the builds: a device compiles for all shapes at
 * once.
 */
#ifndef LAB_COVERAGE_PLAN_H
#define LAB_COVERAGE_PLAN_H

#include "lab/stages/coverage_count.h"

#define COVERAGE_SOUGHT ((uint64_t)6000000) /* instructions, a launch */

/* All of it, for a program; first: of the trial's. */
void coverage_plan(struct trial *t, struct cover *c, enum dtype d, bool first);

/* A launch with values from the program's constants, as the round has them;
 * is_machines: after the builds. */
void coverage_plant(struct trial *t, struct cover *c, enum dtype d,
    uint32_t round, bool is_machines);

#endif
