/*
 * After a failed attempt: the same target again, the next one, or stop?
 *
 * Pure: the clock and the random number are arguments, so that every row of
 * the tests is exact and a replay decides as the run did.
 */
#ifndef GATEWAY_RETRY_H
#define GATEWAY_RETRY_H

#include "base/slice.h"
#include "gateway/decisions/failure_cause.h"
#include "gateway/text/conf_field.h"
#include <stdint.h>

#define RETRY_AFTER_MAX_MS 60000

struct retry_conf {
	int64_t retries;            /* beyond the first attempt */
	int64_t delay_ms;           /* before the first retry */
	int64_t delay_max_ms;       /* the delay doubles up to this */
	struct status_set on;       /* retried on the same target */
	struct status_set fallback; /* passed on to the next target */
};

/* TrueFoundry's defaults: 2 retries, 100 ms, its two lists and their kin. */
void retry_conf_init(struct retry_conf *c);

struct retry_facts {
	enum cause cause;       /* not CAUSE_OK */
	int status;             /* CAUSE_STATUS: the upstream's */
	int64_t retry_after_ms; /* -1: not said */
	unsigned tries;         /* at this target, this one included */
	bool has_next;          /* another target is left */
	bool is_spent;          /* the budget of all attempts is used up */
	bool is_stormy;         /* the target's budget of retries is used up */
	int64_t left_ms;        /* to the request's deadline */
};

/*
 * The budget of retries of one target: a fifth of its first attempts, and a
 * few to begin with.  A target that fails for everybody is then asked little
 * more than it would be without retries.
 */
struct retry_budget {
	unsigned fifths; /* five are one retry */
};

void retry_budget_init(struct retry_budget *b);
void retry_budget_earn(struct retry_budget *b);  /* a first attempt */
bool retry_budget_spend(struct retry_budget *b); /* false: none is left */
bool retry_budget_is_empty(const struct retry_budget *b);

enum retry_verdict { RETRY_SAME, RETRY_NEXT, RETRY_STOP };

struct retry_plan {
	enum retry_verdict verdict;
	int64_t wait_ms; /* RETRY_SAME */
};

/* random: 32 uniform bits, for the jitter. */
/*
 * A client that retries on top of us (its x-stainless-retry-count) shares
 * one budget of attempts with us: what it repeats, we do not repeat again.
 */
int64_t retry_shared(int64_t retries, int64_t client_retries);

struct retry_plan retry_decide(const struct retry_conf *c,
    const struct retry_facts *f, uint32_t random);

#endif
