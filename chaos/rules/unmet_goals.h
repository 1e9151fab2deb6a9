/*
 * What a rule's author promised himself of a run: "fired>=1".  A run that never
 * reached its faults proves nothing, so it does not end with 0.
 */
#ifndef CHAOS_UNMET_GOALS_H
#define CHAOS_UNMET_GOALS_H

#include "chaos/rules/engine.h"

/* Calls on_unmet with a line for each goal that is not met; how many. */
size_t unmet_goals(const struct engine *e, const struct scenario *s,
    void (*on_unmet)(const char *line, void *arg), void *arg);

#endif
