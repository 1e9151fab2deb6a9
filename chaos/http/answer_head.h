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
	uint64_t said_bytes; /* to HEAD: the length of the body that GET has */
	bool is_websocket;   /* a 101: frames follow, both ways */
	/* For the sink: nothing is gathered, each piece leaves as it comes. */
	bool is_raw;
	size_t head_first; /* is_raw: only so much of the head leaves at once */
};

void answer_head_done(struct answer_head *a); /* frees the fields */

/* Copies; fields past the cap are dropped. */
void answer_head_add(struct answer_head *a, const char *name,
    const char *value);
void answer_head_add_slices(struct answer_head *a, struct slice name,
    struct slice value);
const char *answer_head_get(const struct answer_head *a,
    const char *name); /* or NULL */
void answer_head_remove(struct answer_head *a, const char *name);

/* The fields as base/http1 and base/serve take them; borrowed.  out holds
 * ANSWER_HEAD_FIELDS_MAX; returns how many. */
size_t answer_head_fields(const struct answer_head *a, struct http1_field *out);

#endif
