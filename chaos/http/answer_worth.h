/*
 * What a careful client would make of one answer, from the very bytes that
 * it was given: whole, empty, cut, an error, garbled, or nothing at all.
 * Pure: the proxy feeds it what the faults have left of an answer, and
 * conduct.h compares what the client did with it.
 *
 * It reads what the request's API says (dialect.h), whole or as a stream, and
 * whether a JSON-RPC call has its result; anything else is judged by its
 * framing, and by an error inside.
 */
#ifndef CHAOS_ANSWER_WORTH_H
#define CHAOS_ANSWER_WORTH_H

#include "base/slice.h"
#include "chaos/http/answer_head.h"
#include "chaos/http/stage.h"
#include <stdbool.h>
#include <stdint.h>

enum worth {
	WORTH_GOOD,
	WORTH_EMPTY,     /* complete, and says nothing */
	WORTH_TRUNCATED, /* cut by framing, or not finished by its own account
	                  */
	WORTH_GARBLED,   /* complete, and not what was promised */
	WORTH_ERROR,     /* an error, by status or inside the answer */
	WORTH_NOTHING,   /* no answer: not even a head */
	WORTH_NWORTHS
};

const char *worth_name(enum worth w); /* "good", "empty", ... */

/* What an answer says beside its content. */
struct answer_worth_head {
	int status;             /* 0: there was no head */
	int64_t retry_after_ms; /* -1: not said */
	int should_retry;       /* x-should-retry: 1, 0; -1: not said */
	bool is_final;          /* the error says that retrying is no use */
	bool calls_tool;        /* it asks for one, whole or not */
};

struct answer_worth;
struct dialect;

/* dialect: of the request; NULL: none that is known. */
struct answer_worth *answer_worth_new(const struct dialect *dialect);
/* The request was a JSON-RPC call: whatever comes with it (an event before it
 * may be a notification), a result or an error must. */
void answer_worth_expect_rpc(struct answer_worth *r);
void answer_worth_free(struct answer_worth *r); /* NULL-safe */

/* now_s: Unix time, against which Retry-After may name a date. */
void answer_worth_add_head(struct answer_worth *r, const struct answer_head *a,
    uint64_t now_s);
void answer_worth_add(struct answer_worth *r, struct slice raw);
void answer_worth_end(struct answer_worth *r, enum item_end end);

const struct answer_worth_head *answer_worth_head(const struct answer_worth *r);
uint64_t answer_worth_bytes(const struct answer_worth *r); /* of body */
uint64_t answer_worth_events(
    const struct answer_worth *r); /* of a stream, with data */
bool answer_worth_is_stream(const struct answer_worth *r);

/* Before answer_worth_end the answer is one that never came to its end. */
enum worth answer_worth_of(const struct answer_worth *r);

#endif
