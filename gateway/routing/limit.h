/*
 * Rate limits and budgets: so many requests, tokens or dollars in a window
 * of time, for all or for each user, model or metadata value.
 *
 * The first matching rule of each kind counts.  What an answer will use is
 * not known before it, so tokens and dollars are reserved by a guess and
 * reconciled when the answer is there.  Pure: the time is an argument.
 */
#ifndef GATEWAY_LIMIT_H
#define GATEWAY_LIMIT_H

#include "gateway/routing/route.h"

#define LIMIT_HITS_MAX 2 /* one rule of each kind */

/* What a request holds of the limits until it ends. */
struct limit_hold {
	struct limit_hit {
		const struct conf_limit *rule;
		uint64_t key, window;
		uint64_t reserved;
	} hits[LIMIT_HITS_MAX];
	size_t n;
};

struct limit_use {
	uint64_t tokens, cost_nano;
};

struct limit_refusal {
	const struct conf_limit *rule;
	uint64_t wait_s; /* to the end of the window */
	bool is_crowded; /* nothing is used up: one more cannot be counted */
};

struct limit_question {
	const struct conf_limit *rules;
	size_t n;
	const struct route_ask *who;
	struct limit_use guess; /* what it may use */
	uint64_t now_s;
};

struct limit_table;

struct limit_table *limit_table_new(void);
void limit_table_free(struct limit_table *t);
/* How often one counter took the place of another that still ran. */
uint64_t limit_displaced(const struct limit_table *t);

/*
 * ERR_OK      the request may pass; hold keeps what it reserved
 * ERR_DENIED  *refusal says which rule and for how long; nothing is held
 * A rule in audit mode never refuses; *refusal names it (else NULL).
 */
enum err limit_enter(struct limit_table *t, const struct limit_question *q,
    struct limit_hold *hold, struct limit_refusal *refusal);

/* Nobody should ask again: a budget is empty, or the limit lasts for longer
 * than clients wait (a minute). */
bool limit_is_hopeless(const struct limit_refusal *r);

/* What of it the rule counts, and how much of that it lets in. */
uint64_t limit_amount(const struct conf_limit *rule,
    const struct limit_use *use);
uint64_t limit_most(const struct conf_limit *rule);

/* The request has ended and used this. */
void limit_leave(struct limit_table *t, struct limit_hold *hold,
    const struct limit_use *used);

#endif
