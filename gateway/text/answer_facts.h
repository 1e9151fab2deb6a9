/*
 * What one piece of a model's answer means to the gateway: a stream event's
 * data or a whole answer of any schema, read in one pass without a tree.
 *
 * "Payload" is what a user would see: content, reasoning, a refusal, a tool
 * call.  A role-only delta, a usage report and an empty string are not.
 * Slices point into what was read.
 */
#ifndef GATEWAY_ANSWER_FACTS_H
#define GATEWAY_ANSWER_FACTS_H

#include "base/err.h"
#include "base/slice.h"
#include "gateway/text/api_schema.h"
#include <stdbool.h>
#include <stdint.h>

#define CHUNK_FINISH_MAX 40

/* What a block of messages does in this event. */
enum chunk_block { CHUNK_NO_BLOCK, CHUNK_BLOCK_BEGINS, CHUNK_BLOCK_ENDS };

struct chunk {
	bool choices; /* has the list that an answer has: "choices", "content",
	               * "output", "data" */
	bool payload;
	bool is_odd; /* payload of another kind than text and thought: a tool
	              * call, a refusal, parts, a second choice */
	struct slice text; /* the content, escapes as they are; empty: none */
	uint64_t bytes;    /* that are said, in whatever way, as they came */
	struct slice id;   /* of the answer, with its quotes; empty: none */
	bool error;        /* has an "error" member that is not null */
	bool ends;         /* the event is a stream's last one */
	enum chunk_block block;
	bool has_usage;
	bool has_counts; /* and it can be read: numbers, one of them at least */
	bool has_in, has_out; /* which of the two halves was counted */
	bool is_uncountable;
	char finish[CHUNK_FINISH_MAX]; /* finish_reason, "" for none */
	uint64_t tokens_in, tokens_out, tokens_cached;
};

/* ERR_SYNTAX: not one JSON object; *ret is then undefined. */
enum err chunk_read(const struct schema *schema, struct slice json,
    struct chunk *ret);
/* Into the counts so far: some schemas count a stream in more than one event,
 * and all of them count from its beginning. */
void chunk_add_usage(struct chunk *sum, const struct chunk *more);

#endif
