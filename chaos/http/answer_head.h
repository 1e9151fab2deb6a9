/*
 * The head of an answer while it passes through the proxy: filled by the
 * source, edited by faults, written by the sink.
 */
#ifndef CHAOS_ANSWER_HEAD_H
#define CHAOS_ANSWER_HEAD_H

#include "base/http1.h"
#include "base/slice.h"
#include <stdbool.h>
#include <stdint.h>

#define ANSWER_HEAD_FIELDS_MAX (HTTP1_HEADERS_MAX + 8)

struct answer_head_field {
	char *name, *value; /* owned */
};

struct answer_head {
	int status;
	struct answer_head_field fields[ANSWER_HEAD_FIELDS_MAX];
	size_t nfields;
	bool is_stream;  /* text/event-stream, or lines */
	bool is_lines;   /* application/x-ndjson */
	bool has_length; /* the source framed it by Content-Length */
	uint64_t content_bytes;
	uint64_t said_bytes; /* without a body: the length it would have, as in
	                      * an answer to HEAD and in a 304 */
	char *reason;        /* owned; NULL: the usual one of reason_status */
	int reason_status;   /* of another status it is not the reason */
	bool is_websocket;   /* a 101: frames follow, both ways */
	/* For the sink: nothing is gathered, each piece leaves as it comes. */
	bool is_raw;
	size_t head_first; /* is_raw: only so much of the head leaves at once */
};

void answer_head_done(struct answer_head *a); /* frees what is owned */

/* Takes the reason phrase of its status, unless that is the usual one. */
void answer_head_set_reason(struct answer_head *a, struct slice reason);
/* NULL: the usual one. */
const char *answer_head_reason(const struct answer_head *a);
/* Can its body hold a byte?  request: what it answers. */
bool answer_head_has_body(const struct answer_head *a,
    const struct http1_head *request);

/* Copies; fields past the cap are dropped. */
void answer_head_add(struct answer_head *a, const char *name,
    const char *value);
void answer_head_add_slices(struct answer_head *a, struct slice name,
    struct slice value);
const char *answer_head_get(const struct answer_head *a,
    const char *name); /* or NULL */
void answer_head_remove(struct answer_head *a, const char *name);

/* Whether it is a stream, and of what, by its content type. */
void answer_head_read_type(struct answer_head *a);

/* The fields as base/http1 and base/serve take them; borrowed.  out holds
 * ANSWER_HEAD_FIELDS_MAX; returns how many. */
size_t answer_head_fields(const struct answer_head *a, struct http1_field *out);

#endif
