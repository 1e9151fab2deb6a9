/*
 * What is entered into the store about a request: that it may cost so much,
 * before an upstream hears of it, and what it did cost, at its end.
 *
 * An entry stands as what it has reserved until it is settled, also in what
 * was spent: whatever happens to the gateway in between, the money is counted.
 */
#ifndef GATEWAY_SPEND_BOOK_H
#define GATEWAY_SPEND_BOOK_H

#include "gateway/store/store.h"

#define BOOK_COUNTERS_MAX 4
#define BOOK_USES_MAX     16
#define BOOK_NAME_MAX     256

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
	int64_t limit; /* who finds so much used is refused */
	int64_t amount;
};

struct book_counters {
	struct book_counter list[BOOK_COUNTERS_MAX];
	size_t n;
};

/* One more attempt of a request. */
struct book_entry {
	int64_t id; /* 0: the first one; set by book_reserve */
	uint64_t now_ms;
	char request[40], key[BOOK_NAME_MAX], model[BOOK_NAME_MAX];
	char target[BOOK_NAME_MAX]; /* of the first one */
	int64_t nano;
	struct book_counters counters;
};

/*
 * ERR_OK      it is entered and may go on
 * ERR_DENIED  *refused is the index of the counter that is full; nothing is
 *             entered.  Only the first attempt is judged.
 * ERR_ENV     the store failed, see store_why
 */
enum err book_reserve(struct store *s, struct book_entry *e, size_t *refused);

/* What one target has cost. */
struct book_use {
	char target[BOOK_NAME_MAX];
	int64_t tokens_in, tokens_out, nano;
};

struct book_bill {
	int64_t id;
	char key[BOOK_NAME_MAX], target[BOOK_NAME_MAX]; /* as it was entered */
	int64_t reserved;
	struct book_counters counters; /* amount: what is to be added now */
	struct book_use uses[BOOK_USES_MAX];
	size_t nuses;
	char last[BOOK_NAME_MAX]; /* the target at its end */
	const char *outcome;      /* a literal */
	int64_t status, ms;
	bool is_estimated;
	char *attempts, *asked, *answered; /* owned; NULL: nothing */
};

enum err book_settle(struct store *s, const struct book_bill *b);

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
