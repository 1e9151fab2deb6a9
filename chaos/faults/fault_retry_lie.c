/*
 * retry_lie{retry_after,should_retry}: the answer's headers say the wrong
 * thing about trying again: x-should-retry (false unless told otherwise) and
 * an absurd Retry-After.  On an error it keeps good clients away or hammering;
 * on a good answer it must be ignored.
 */
#include "chaos/rules/fault.h"

#include <string.h>

#include "chaos/faults/headertext.h"
#include "chaos/http/answer_head.h"
#include "chaos/http/exchange.h"
#include "chaos/rules/engine.h"

struct conf {
	const char *retry_after;
	bool should_retry;
};

static const struct jfield fields[] = {
	{ "retry_after", JF_STRING, 0, 0, 0, offsetof(struct conf, retry_after),
	    NULL },
	{ "should_retry", JF_BOOL, 0, 0, 0, offsetof(struct conf, should_retry),
	    NULL },
};

static void
defaults(void *conf)
{
	((struct conf *)conf)->retry_after = "86400";
}

static enum err
check(const void *conf, const char *pointer, struct why *why)
{
	const struct conf *c = conf;

	return headertext_check("retry-after", c->retry_after, pointer,
	    "retry_after", why);
}

static bool
is_said(const struct answer_head *a, const char *name, const char *value)
{
	const char *was = answer_head_get(a, name);

	return was && strcmp(was, value) == 0;
}

static struct stage *
on_answer(struct shot *s, struct exchange *x)
{
	const struct conf *c = shot_conf(s);
	struct answer_head *a = exchange_answer(x);
	const char *word = c->should_retry ? "true" : "false";

	if (is_said(a, "retry-after", c->retry_after) &&
	    is_said(a, "x-should-retry", word) &&
	    !answer_head_get(a, "retry-after-ms")) {
		shot_bypass(s, "its head says so already");
		return NULL;
	}
	if (!shot_fire(s,
	        json_pack("{ss sb}", "retry_after", c->retry_after,
	            "should_retry", (int)c->should_retry)))
		return NULL;
	/* The true ones go first: a client that takes the first of two would be
	 * told the truth. */
	answer_head_remove(a, "retry-after");
	answer_head_remove(a, "retry-after-ms");
	answer_head_remove(a, "x-should-retry");
	answer_head_add(a, "retry-after", c->retry_after);
	answer_head_add(a, "x-should-retry", word);
	return NULL;
}

const struct fault_type fault_retry_lie = {
	.name = "retry_lie",
	.about = "headers that lie about trying again",
	FAULT_CONF,
	.defaults = defaults,
	.check = check,
	.on_head_alone = true,
	.on_answer = on_answer,
};
