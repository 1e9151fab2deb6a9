/*
 * What a careful client would make of one answer, from the very bytes that
 * it was given: whole, empty, cut, an error, garbled, or nothing at all.
 * Pure: the proxy feeds it what the faults have left of an answer, and
 * conduct.h compares what the client did with it.
 *
 * It reads chat completions, whole or as events, and JSON-RPC answers;
 * anything else is judged by its framing alone.
 */
#ifndef CHAOS_READING_H
#define CHAOS_READING_H

#include "base/slice.h"
#include "chaos/http/answer.h"
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
struct reading_head {
	int status;             /* 0: there was no head */
	int64_t retry_after_ms; /* -1: not said */
	int should_retry;       /* x-should-retry: 1, 0; -1: not said */
	bool is_final;          /* the error says that retrying is no use */
};

struct reading;

struct reading *reading_new(void);
void reading_free(struct reading *r); /* NULL-safe */

/* now_s: Unix time, against which Retry-After may name a date. */
void reading_add_head(struct reading *r, const struct answer *a,
    uint64_t now_s);
void reading_add(struct reading *r, struct slice raw);
void reading_end(struct reading *r, enum item_end end);

const struct reading_head *reading_head(const struct reading *r);
uint64_t reading_bytes(const struct reading *r);  /* of body */
uint64_t reading_events(const struct reading *r); /* of a stream, with data */
bool reading_is_stream(const struct reading *r);

/* Before reading_end the answer is one that never came to its end. */
enum worth reading_worth(const struct reading *r);

#endif
