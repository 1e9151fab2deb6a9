/*
 * What is written down about a request: that it may cost so much, before an
 * upstream hears of it, and what it did cost, at its end; and what can be
 * asked about all of them.
 *
 * An entry stands as what it has reserved until it is settled, also in what
 * was spent: whatever happens to the gateway in between, the money is counted.
 */
#ifndef GATEWAY_SPEND_BOOK_H
#define GATEWAY_SPEND_BOOK_H

#include "gateway/store/store.h"

#define BOOK_COUNTERS_MAX 4
#define BOOK_USES_MAX     16
#define BOOK_NO_LIMIT     INT64_MAX /* only counted */

enum book_kind {
	BOOK_LIMIT, /* of a budget of the configuration */
	BOOK_KEY_BUDGET,
	BOOK_KEY_RATE,
};

/* Something that is counted within a stretch of time. */
struct book_counter {
	enum book_kind kind;
	int64_t id;
	int64_t span;  /* its first second */
	int64_t limit; /* who finds so much used is refused; BOOK_NO_LIMIT */
	int64_t amount;
};

struct book_counters {
	struct book_counter list[BOOK_COUNTERS_MAX];
	size_t n;
};

/* One more attempt of a request.  Texts are borrowed. */
struct book_entry {
	int64_t id;   /* the row of its request */
	bool is_more; /* an attempt after the first one */
	uint64_t now_ms;
	const char *request, *key, *model;
	const char *target; /* of the first one */
	int64_t nano;
	struct book_counters counters; /* of more: only counted, never judged */
};

/* What one target has cost. */
struct book_use {
	const char *target;
	int64_t tokens_in, tokens_out, nano;
};

struct book_bill {
	int64_t id;
	const char *request, *key, *target; /* as it was entered */
	int64_t reserved;
	struct book_counters counters; /* amount: what is to be added now */
	struct book_use uses[BOOK_USES_MAX];
	size_t nuses;
	const char *last;    /* the target at its end */
	const char *outcome; /* how it ended */
	int64_t status, ms;
	bool is_estimated;
	const char *attempts, *asked, *answered; /* NULL: nothing */
};

#define BOOK_ROW_BITS 20 /* of a row, below the millisecond */

/* Forgets requests that are older than the store keeps them, some at a time,
 * and counters of long ago. */
enum err book_forget(struct store *s, uint64_t now_ms);

/* ---- asking */

struct book_question {
	const char *by;          /* of spend: "key", "model" or "day" */
	const char *key, *model; /* of requests; NULL: any */
	int64_t status;          /* -1: any; 0: not ended */
	int64_t since_ms, rows_max;
};

/* Objects of JSON with commas between. */
enum err book_spend(struct store *s, const struct book_question *q,
    struct buf *out);
enum err book_requests(struct store *s, const struct book_question *q,
    struct buf *out);

/* "200", or "open", which is 0; false: neither. */
bool book_status(const char *text, int64_t *ret, struct why *why);

/* "90d", "12h", "30m", "60s" ago, or a day, "2026-11-22"; ERR_SYNTAX. */
enum err book_since(const char *text, uint64_t now_ms, int64_t *ret,
    struct why *why);

#endif
