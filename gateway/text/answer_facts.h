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

/* Choices of an answer, by their numbers; those beyond the last bit share
 * it. */
#define CHOICE_SET_WORDS 2
#define CHOICE_SET_MAX   (64 * CHOICE_SET_WORDS)

struct choice_set {
	uint64_t bits[CHOICE_SET_WORDS];
};

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
	struct choice_set begun,
	    ended;        /* chat's: those that it is about, and of
	                                 * them those that say why they end */
	uint8_t choice;   /* while it is read: the number of the present one */
	bool choice_ends; /* and whether that does */
	uint64_t tokens_in, tokens_out, tokens_cached;
};

/* ERR_SYNTAX: not one JSON object; *ret is then undefined. */
enum err chunk_read(const struct schema *schema, struct slice json,
    struct chunk *ret);
/* Into the counts so far: some schemas count a stream in more than one event,
 * and all of them count from its beginning. */
void chunk_add_usage(struct chunk *sum, const struct chunk *more);

void choice_set_add(struct choice_set *s, const struct choice_set *more);
bool choice_set_holds(const struct choice_set *s, const struct choice_set *all);
uint64_t choice_set_n(const struct choice_set *s);

#endif
