/*
 * The retry policy of the model client, the one that the big SDKs use, with
 * two corrections: Retry-After is obeyed up to the deadline and never cut
 * short (a server that names a later time is not asked again), and a quota
 * that is used up is never retried whatever its status says.
 */
#include "agent/model/model_retry.h"

#include "base/units.h"
#include <stddef.h>

const struct model_retry_policy model_retry_default = { 4, 8, 500, 8000 };
const struct model_retry_policy model_retry_never = { 1, 8, 500, 8000 };

static const int retry_statuses[] = { 408, 409, 425, 429 };

static bool
status_is_passing(int status)
{
	for (size_t i = 0; i < COUNT(retry_statuses); i++)
		if (retry_statuses[i] == status)
			return true;
	/* 501 and 505 are about the request and not about the moment (RFC 9110,
	 * 15.6). */
	return status >= 500 && status != 501 && status != 505;
}

/* NULL: nothing speaks against a retry; else why not. */
static const char *
refuse(const struct model_retry_policy *p, const struct model_retry_facts *f)
{
	if (f->outcome == MODEL_RETRY_STOPPED)
		return "the run was asked to stop";
	if (f->quota)
		return "a used-up quota is not retried";
	if (f->should_retry == 0)
		return "the server said x-should-retry: false";
	if (f->attempts >= p->attempts_max)
		return "no attempts left";
	if (f->calls >= p->calls_max)
		return "the gateway has used up the calls";
	if (f->should_retry == 1)
		return NULL;
	if (f->outcome == MODEL_RETRY_FINAL)
		return "asking again would not help";
	if (f->outcome == MODEL_RETRY_STATUS && !status_is_passing(f->status))
		return "the status will not pass";
	return NULL;
}

/* Exponential, less up to a quarter of itself. */
static uint32_t
backoff_ms(const struct model_retry_policy *p,
    const struct model_retry_facts *f)
{
	uint64_t ms = p->first_ms;

	for (unsigned i = 1; i < f->attempts && ms < p->most_ms; i++)
		ms *= 2;
	if (ms > p->most_ms)
		ms = p->most_ms;
	return (uint32_t)(ms - (ms / 4 * f->random >> 32));
}

bool
model_retry_decide(const struct model_retry_policy *p,
    const struct model_retry_facts *f, uint32_t *ret_delay_ms,
    const char **ret_reason)
{
	uint64_t delay;

	*ret_reason = refuse(p, f);
	if (*ret_reason)
		return false;
	delay = backoff_ms(p, f);
	*ret_reason = "backoff";
	if (f->retry_after_ms >= 0) {
		/* Jitter comes on top: nobody may come early. */
		delay = (uint64_t)f->retry_after_ms + delay / 10;
		*ret_reason = "Retry-After";
	}
	if (delay >= f->left_ms) {
		*ret_reason = "the wait would pass the deadline";
		return false;
	}
	*ret_delay_ms = (uint32_t)delay;
	return true;
}
