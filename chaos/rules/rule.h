/*
 * One rule of a scenario, as its file says it: when it matches, which faults
 * it has, and the goal that its counts are held against.  The structs stand in
 * scenario.h, because a scenario holds its rules by value.
 */
#ifndef CHAOS_RULE_H
#define CHAOS_RULE_H

#include "chaos/rules/scenario.h"

/* fault_done its faults afterwards. */
enum err rule_read(json_t *v, const char *pointer, const struct scenario *s,
    struct rule *ret, struct why *why);
void rule_done(struct rule *r);
bool rule_taps(const struct rule *r); /* can it act on bytes? */
bool goal_is_met(const struct goal *g, const uint64_t counts[GOAL_NCOUNTS]);

/* The table of what a rule may say, for api_schema.c; *n rows. */
const struct jfield *rule_fields(size_t *n);

#endif
