/*
 * The order of the questions is the policy: is time left, may this failure
 * be tried again here, does the target ask for a wait we can afford, may it
 * pass to the next.  "Full jitter on top of the delay" means a wait between
 * the delay and twice the delay, so that clients that failed together do
 * not come back together.
 */
#include "gateway/decisions/retry.h"

#include <string.h>

/* Statuses that another attempt at the same target cannot cure. */
static const int never_again[] = { 400, 401, 402, 403, 404, 413, 422 };

void
retry_conf_init(struct retry_conf *c)
{
	/* TrueFoundry's; then what says "later" as well: time-outs, conflicts,
	 * and what proxies and clouds (52x, 529) put in front of a model. */
	static const int on[] = { 429, 500, 502, 503, 408, 409, 425, 504, 520,
		521, 522, 523, 524, 529 };
	static const int fallback[] = { 401, 403, 404, 429, 500, 502, 503, 408,
		409, 425, 501, 504, 520, 521, 522, 523, 524, 529 };

	memset(c, 0, sizeof *c);
	c->retries = 2;
	c->delay_ms = 100;
	c->delay_max_ms = 10000;
	for (size_t i = 0; i < COUNT(on); i++)
		status_set_add(&c->on, on[i]);
	for (size_t i = 0; i < COUNT(fallback); i++)
		status_set_add(&c->fallback, fallback[i]);
}

#define BUDGET_START (10 * 5) /* retries a fresh target may have */
#define BUDGET_MAX   (100 * 5)

void
retry_budget_init(struct retry_budget *b)
{
	b->fifths = BUDGET_START;
}

void
retry_budget_earn(struct retry_budget *b)
{
	if (b->fifths < BUDGET_MAX)
		b->fifths++;
}

bool
retry_budget_is_empty(const struct retry_budget *b)
{
	return b->fifths < 5;
}

bool
retry_budget_spend(struct retry_budget *b)
{
	if (retry_budget_is_empty(b))
		return false;
	b->fifths -= 5;
	return true;
}

int64_t
retry_shared(int64_t retries, int64_t client_retries)
{
	return client_retries > 0 ? 0 : retries;
}

static int
status_of(const struct retry_facts *f)
{
	return f->cause == CAUSE_STATUS ? f->status
	                                : cause_facts(f->cause)->status;
}

static bool
may_again(const struct retry_conf *c, const struct retry_facts *f)
{
	int status = status_of(f);

	if (!cause_facts(f->cause)->again || f->tries > c->retries ||
	    f->is_stormy)
		return false;
	for (size_t i = 0; i < COUNT(never_again); i++)
		if (status == never_again[i])
			return false;
	return status_set_has(&c->on, status);
}

static bool
may_fall(const struct retry_conf *c, const struct retry_facts *f)
{
	return f->has_next &&
	    (cause_facts(f->cause)->falls ||
	        status_set_has(&c->fallback, status_of(f)));
}

static int64_t
jittered(const struct retry_conf *c, unsigned tries, uint32_t random)
{
	unsigned doublings = tries > 20 ? 20 : tries - 1;
	int64_t delay = c->delay_ms << doublings;

	if (delay > c->delay_max_ms)
		delay = c->delay_max_ms;
	return delay + (int64_t)((uint64_t)delay * random >> 32);
}

struct retry_plan
retry_decide(const struct retry_conf *c, const struct retry_facts *f,
    uint32_t random)
{
	struct retry_plan next = { RETRY_NEXT, 0 }, stop = { RETRY_STOP, 0 };
	struct retry_plan same = { RETRY_SAME, 0 };

	if (f->left_ms <= 0 || f->is_spent)
		return stop;
	if (!may_again(c, f))
		return may_fall(c, f) ? next : stop;
	same.wait_ms = jittered(c, f->tries, random);
	if (f->retry_after_ms > same.wait_ms)
		same.wait_ms = f->retry_after_ms;
	if (same.wait_ms < f->left_ms && same.wait_ms <= RETRY_AFTER_MAX_MS)
		return same;
	return may_fall(c, f) ? next : stop;
}
