/*
 * What rules, identity and scripted answers may know about one request.
 *
 * Everything that costs a parse (JSON body, metadata) is worked out on first
 * use, so that a request no rule looks at is never parsed.  What most rules
 * ask is found by scanning the body; a tree of it is made for the rest.
 */
#ifndef CHAOS_REQUEST_FACTS_H
#define CHAOS_REQUEST_FACTS_H

#include "base/http1.h"
#include "base/keyed_hash.h"
#include "base/slice.h"
#include "chaos/rules/canonical_json.h"
#include "chaos/rules/seen_keys.h"
#include "chaos/text/dialect.h"
#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#define FACTS_KEY_MAX 128

struct identity;

struct facts {
	const char *proxy;             /* borrowed */
	const struct http1_head *head; /* borrowed */
	struct slice body;             /* borrowed */
	struct slice answer_model;     /* who answered, when known; borrowed */

	struct keyed_hash id;   /* of proxy and key; by identity_see() */
	uint64_t attempt;       /* how often the key was seen, from 1 */
	uint64_t ordinal;       /* of the request on its proxy, from 1 */
	unsigned fires;         /* faults that acted on it */
	struct seen_rules past; /* decided for earlier attempts of its key */

	/* private */
	const struct identity *identity;   /* borrowed; NULL: not seen yet */
	char key[FACTS_KEY_MAX + 1];       /* "": not asked for yet */
	char unqueried[FACTS_KEY_MAX + 1]; /* the key without the query */
	struct slice said;                 /* what the key is a digest of */
	char *said_own;                    /* owned; NULL: it is in the body */
	json_t *json, *meta;               /* owned */
	bool has_json, has_meta;
	enum { FACTS_UNREAD, FACTS_SCANNED, FACTS_BY_TREE } reading;
	struct slice known[CANON_NKNOWN]; /* scanned; into body */
};

void facts_init(struct facts *f, const char *proxy,
    const struct http1_head *head, struct slice body);
void facts_done(struct facts *f);

struct slice facts_method(struct facts *f);
struct slice facts_path(struct facts *f);  /* the target without its query */
struct slice facts_query(struct facts *f); /* the rest, behind the '?' */
json_t *facts_json(struct facts *f);       /* borrowed; NULL: not JSON */
/* The body's canonical text by a scan, owned.  False: ask the tree. */
bool facts_canon(struct facts *f, const struct canon_ignored *ignored,
    struct buf *ret);
struct slice facts_meta(struct facts *f, const char *key);
struct slice facts_header(struct facts *f, const char *name);

/* The model that answered, else the request's; its last path segment. */
struct slice facts_model(struct facts *f);
struct slice facts_asked_model(struct facts *f); /* as the body says */
struct slice facts_op(struct facts *f);
struct slice facts_iteration(struct facts *f);
bool facts_stream(struct facts *f);
/* The API that the request speaks, by its path; NULL: none that is known. */
const struct dialect *facts_dialect(struct facts *f);
struct slice facts_api(struct facts *f); /* its name */
bool facts_has_tools(struct facts *f);
/* Of the conversation with a model, from 1 (conversation.h); 0: it is none. */
int64_t facts_turn(struct facts *f);

#endif
