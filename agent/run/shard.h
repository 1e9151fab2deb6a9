/*
 * A run in several parts, on several machines: which operators each of them
 * takes.  kernelforge merge puts the parts together.
 */
#ifndef AGENT_SHARD_H
#define AGENT_SHARD_H

#include "agent/run/run_scenario.h"
#include "base/err.h"

/* "2/5".  ERR_SYNTAX, also where the number is above the count. */
enum err shard_read(const char *text, size_t *ret_number, size_t *ret_of,
    struct why *why);
/*
 * Keeps every of'th operator, from the number'th on, and of the expectations
 * what is about them.  ERR_RANGE: none is left.
 */
enum err shard_take(struct run_scenario *s, size_t number, size_t of,
    struct why *why);

#endif
