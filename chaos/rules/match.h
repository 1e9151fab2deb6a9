/*
 * Which requests a rule is about: `"match": {...}`, all of whose members
 * must hold.  A member is a row of the tables in match.c.
 */
#ifndef CHAOS_MATCH_H
#define CHAOS_MATCH_H

#include "base/err.h"
#include "base/jfield.h"
#include "chaos/rules/request_facts.h"
#include <jansson.h>

struct match {
	/* Globs, borrowed; NULL: not asked. */
	const char *api, *method, *path, *model, *op, *body;
	json_t *header, *metadata; /* objects of name to glob, borrowed */
	int64_t iteration, attempt, turn; /* 0: not asked */
	int stream, has_tools;            /* -1: not asked */
};

/* v NULL: matches everything. */
enum err match_read(json_t *v, const char *pointer, struct match *ret,
    struct why *why);
const struct jfield *match_fields(size_t *n); /* for api_schema.c */
/* True if a holds wherever b does, as far as their texts tell. */
bool match_covers(const struct match *a, const struct match *b);
/* Does it ask for what only an HTTP request has? */
bool match_asks_http(const struct match *m);
bool match_holds(const struct match *m, struct facts *f);

#endif
