/*
 * What an attempt on the wire cost.  Dollars are the gateway's word or not
 * known.  Tokens are the provider's; where it told none, or none for text that
 * there was, what was asked and what arrived count four bytes a token, for a
 * stream that was cut is paid for as one that was not.  Of a sum that is larger
 * than its parts the rest is the answer's: some leave thoughts out of it.  More
 * than COMPLETION_TOKENS_MAX counts as so many, which ends every budget: a
 * number that cannot be is no reason to spend more.
 */
#ifndef AGENT_ATTEMPT_COST_H
#define AGENT_ATTEMPT_COST_H

#include <stdbool.h>
#include <stddef.h>

#define ATTEMPT_COST_BYTES_A_TOKEN 4

struct model_wire;

struct attempt_cost {
	double usd; /* -1: nobody told */
	/* Calls to providers: as the gateway told, else one. */
	unsigned calls;
	long prompt_tokens, completion_tokens;
	bool is_absurd; /* the provider told more than there can be */
};

/* The wire after its transfer; asked_bytes: the question's body. */
struct attempt_cost attempt_cost_of(const struct model_wire *w,
    size_t asked_bytes);

#endif
