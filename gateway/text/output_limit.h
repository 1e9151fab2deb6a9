/*
 * How many tokens an answer may have, as the request says it: the limit of one
 * choice, in the words of all APIs, and how many choices are written at once.
 * Who asks for ten choices of a hundred tokens may be billed for a thousand.
 *
 * Names that a target does not know are counted as well: its library may, and
 * what is reserved too much is given back.
 */
#ifndef GATEWAY_OUTPUT_LIMIT_H
#define GATEWAY_OUTPUT_LIMIT_H

#include "gateway/text/request_peek.h"
#include <stdint.h>

#define OUTPUT_LIMIT_MAX INT64_C(1000000000) /* of each; more is absurd */

enum output_limit_word {
	OUTPUT_LIMIT_MAX_TOKENS,
	OUTPUT_LIMIT_MAX_COMPLETION_TOKENS,
	OUTPUT_LIMIT_MAX_OUTPUT_TOKENS,
	OUTPUT_LIMIT_N_PREDICT,
	OUTPUT_LIMIT_N, /* from here on: choices */
	OUTPUT_LIMIT_BEST_OF,
	OUTPUT_LIMIT_NWORDS
};

struct output_limit {
	uint32_t said[OUTPUT_LIMIT_NWORDS]; /* 0: not said */
};

/* What the client says. */
void output_limit_read(const struct peek *k, struct output_limit *ret);

/* In the words of an API that has max_tokens alone; unsaid: what is put there
 * when the client says none, 0 for nothing. */
void output_limit_translate(struct output_limit *l, uint32_t unsaid);

/* What a target's parameters put in the client's place. */
void output_limit_edit(struct output_limit *l, const struct peek_edit *edits,
    size_t n);

/* The largest limit of one choice; unsaid: when none is said. */
uint64_t output_limit_each(const struct output_limit *l, uint64_t unsaid);
uint64_t output_limit_choices(const struct output_limit *l); /* 1 or more */

#endif
