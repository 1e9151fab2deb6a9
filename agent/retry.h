/*
 * Whether to send a request once more, and when.  Pure: the outcome, the
 * time left and a random number come in, a decision goes out.
 */
#ifndef AGENT_RETRY_H
#define AGENT_RETRY_H

#include <stdbool.h>
#include <stdint.h>

enum retry_outcome {
	RETRY_CONNECT, /* no connection: refused, unreachable, no name */
	RETRY_STATUS,  /* an HTTP status that is no success */
	RETRY_BROKEN,  /* cut, reset, garbage, stalled: no usable answer */
	RETRY_FINAL,   /* an answer that asking again will not mend */
	RETRY_NOUTCOMES
};

struct retry_policy {
	unsigned attempts_max;
	uint32_t first_ms, most_ms; /* backoff doubles from first to most */
};

struct retry_facts {
	enum retry_outcome outcome;
	int status;             /* RETRY_STATUS */
	bool quota;             /* the error says that a quota is used up */
	int should_retry;       /* x-should-retry: 1 true, 0 false, -1 absent */
	int64_t retry_after_ms; /* -1: not told */
	unsigned attempts;      /* sent so far */
	uint64_t left_ms;       /* until the deadline */
	uint32_t random;
};

/* The default: 4 attempts, 500 ms doubling to 8 s. */
extern const struct retry_policy retry_default;

/* True: wait *ret_delay_ms, then send again.  *ret_reason says why or why
 * not, for the trace. */
bool retry_decide(const struct retry_policy *p, const struct retry_facts *f,
    uint32_t *ret_delay_ms, const char **ret_reason);

#endif
