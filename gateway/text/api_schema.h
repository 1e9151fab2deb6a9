/*
 * The APIs that are routed, as rows: what a client calls them, how their
 * streams and their errors look.  How an answer of theirs is read is in
 * answer_facts.c, by the places where each of them has its facts.
 *
 * All of them name the model in `model` and ask for a stream by `stream`.
 */
#ifndef GATEWAY_API_SCHEMA_H
#define GATEWAY_API_SCHEMA_H

#include "base/slice.h"
#include <stdbool.h>
#include <stddef.h>

enum schema_kind {
	SCHEMA_CHAT,
	SCHEMA_MESSAGES,
	SCHEMA_RESPONSES,
	SCHEMA_EMBEDDINGS,
	SCHEMA_NKINDS
};

struct schema {
	enum schema_kind kind;
	const char *name; /* "messages", in configurations and in the log */
	const char *path; /* behind a base URL */
	const char *operation;  /* as OpenTelemetry calls it */
	const char *key_header; /* where a provider's key goes, see conf.h */
	const char *stopped;    /* the finish of a model that has said all */
	/* The last event of a stream; NULL: the upstream's own is needed. */
	const char *last_event;
	/* What a stream may say before its first word: a response begins with
	 * the whole of the request, instructions and tools, twice. */
	size_t held_bytes;
	bool has_pings;    /* events named ping are the schema's own */
	bool wraps_errors; /* {"type":"error","error":{...}} */
	bool names_events; /* an error in a stream is `event: error` */
	/* In whose words its questions can be said, and answers come back. */
	const struct schema *other; /* NULL: nobody's */
};

const struct schema *schema_of(enum schema_kind kind);
/* By path, "/messages"; NULL: none of them. */
const struct schema *schema_find(struct slice path);
extern const char *const schema_names[]; /* by kind; NULL-terminated */

#endif
