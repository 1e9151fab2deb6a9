/*
 * When a rule fires: `"when": {"KIND": ...}`, exactly one kind.
 *
 * A kind is a row of the table in when.c: how to read its value, how to
 * decide.  Each decision is a function of (seed, scenario, rule, key,
 * attempt) alone; "attempt" is how often the key was seen, so with the
 * identity "ordinal" every kind counts requests.
 */
#ifndef CHAOS_WHEN_H
#define CHAOS_WHEN_H

#include "base/err.h"
#include "base/jfield.h"
#include "chaos/rules/fire_draw.h"
#include <jansson.h>

struct when_kind;

struct when {
	const struct when_kind *kind;
	uint64_t a, b;      /* nth; every n, len; window from, to; burst len */
	struct chance p, q; /* p; burst start; markov to bad, to good */
	const char *rule;   /* after: that rule's id, borrowed */
};

/* What else a decision may ask: was that rule decided for an earlier attempt
 * of this key? */
struct when_past {
	bool (*was_decided)(const char *rule, void *arg);
	void *arg;
};

/* v: the value of "when", which stands at pointer. */
enum err when_read(json_t *v, const char *pointer, struct when *ret,
    struct why *why);

bool when_fires(const struct when *w, const struct fire_draw *d,
    const struct when_past *past);

/*
 * For api_schema.c: the i-th kind's name, NULL past the last, and how its value
 * is written: n rows; n 0: one value like *fields, or true if that is NULL.
 */
const char *when_kind_at(size_t i, const struct jfield **fields, size_t *n);

/* Does it look at the draws, and so at the key? */
bool when_draws(const struct when *w);
/* True if no request can ever fire it (p 0, an empty window). */
bool when_is_dead(const struct when *w);
/* True if a surely fires for every attempt that b can fire for. */
bool when_covers(const struct when *a, const struct when *b);
/* The first attempt that it can fire for; 1 if that is not known. */
uint64_t when_first(const struct when *w);

#endif
