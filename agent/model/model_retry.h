/*
 * Whether to send a request once more, and when.  Pure: the outcome, the
 * time left and a random number come in, a decision goes out.
 */
#ifndef AGENT_MODEL_RETRY_H
#define AGENT_MODEL_RETRY_H

#include <stdbool.h>
#include <stdint.h>

enum model_retry_outcome {
	MODEL_RETRY_CONNECT, /* no connection: refused, unreachable, no name */
	MODEL_RETRY_STATUS,  /* an HTTP status that is no success */
	MODEL_RETRY_BROKEN, /* cut, reset, garbage, stalled: no usable answer */
	MODEL_RETRY_FINAL,  /* an answer that asking again will not mend */
	/* By a signal: no server's word outvotes it. */
	MODEL_RETRY_STOPPED,
	MODEL_RETRY_NOUTCOMES
};

struct model_retry_policy {
	unsigned attempts_max;
	unsigned calls_max; /* what the gateway asked of providers for them */
	uint32_t first_ms, most_ms; /* backoff doubles from first to most */
};

struct model_retry_facts {
	enum model_retry_outcome outcome;
	int status;             /* MODEL_RETRY_STATUS */
	bool quota;             /* the error says that a quota is used up */
	int should_retry;       /* x-should-retry: 1 true, 0 false, -1 absent */
	int64_t retry_after_ms; /* -1: not told */
	unsigned attempts;      /* sent so far */
	unsigned calls;         /* that the gateway made of them, so far */
	uint64_t left_ms;       /* until the deadline */
	uint32_t random;
};

/* The default: 4 attempts of 8 calls in all, 500 ms doubling to 8 s. */
extern const struct model_retry_policy model_retry_default;
/* None at all. */
extern const struct model_retry_policy model_retry_never;

/* True: wait *ret_delay_ms, then send again.  *ret_reason says why or why
 * not, for the trace. */
bool model_retry_decide(const struct model_retry_policy *p,
    const struct model_retry_facts *f, uint32_t *ret_delay_ms,
    const char **ret_reason);

#endif
