/*
 * What an engine holds.  Private to engine.c, which counts and chooses, and
 * engine_shots.c, which reports.
 */
#ifndef CHAOS_ENGINE_PRIV_H
#define CHAOS_ENGINE_PRIV_H

#include "chaos/rules/engine.h"
#include "chaos/rules/seen_keys.h"

struct engine {
	const struct scenario *s;         /* borrowed */
	struct events *events;            /* borrowed */
	const char *seed;                 /* borrowed */
	struct seen_keys *keys;           /* owned */
	struct keyed_hash secret;         /* of the hashes of keys */
	uint64_t *requests;               /* owned, a count a proxy */
	uint64_t (*counts)[GOAL_NCOUNTS]; /* owned, a row a rule */
	bool *is_off;                     /* owned, a flag a rule */
	struct live_rules live;           /* held: each on its own */
	struct live_rules last;           /* held: like the scenario's */
	uint64_t start_ms, renewed_ms;
	struct engine_limits limits; /* the scenario's, or the API's */
	bool is_expired;             /* said so */
	uint64_t ends_with;          /* only that request is told of; 0: all */
	engine_allows *allows;       /* NULL: all */
	void *allows_arg;
};

#endif
