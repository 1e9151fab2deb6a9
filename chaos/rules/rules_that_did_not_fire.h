/*
 * What a run says at its end of rules that did nothing: a preset that met no
 * request, a fault that found nothing to change.  A green run without faults
 * looks like one that was survived.
 */
#ifndef CHAOS_RULES_THAT_DID_NOT_FIRE_H
#define CHAOS_RULES_THAT_DID_NOT_FIRE_H

#include "chaos/rules/engine.h"

/* Calls on_line with a line for each rule of the scenario that met requests
 * and could never act, or met none though its proxies did. */
void idlerules_tell(const struct engine *e, const struct scenario *s,
    void (*on_line)(const char *line, void *arg), void *arg);

#endif
