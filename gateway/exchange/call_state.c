/*
 * Small questions about a call, and the one setter of its state.
 */
#include "gateway/exchange/call_state.h"

#include "base/log.h"
#include <stdlib.h>

void
call_set_state(struct call *c, enum call_state to)
{
	static const char *const names[CALL_NSTATES] = { "booking", "asking",
		"holding", "waiting", "streaming", "ended" };

	if (c->state != to)
		log_debug(c->id, "%s -> %s", names[c->state], names[to]);
	c->state = to;
}

const struct conf_target *
call_target(const struct call *c)
{
	size_t at = c->at < c->order.n ? c->at : c->order.n - 1;

	return c->order.n ? c->order.targets[at] : NULL;
}

void
call_forget_question(struct call *c)
{
	free(c->peek);
	c->peek = NULL;
	if (c->other)
		buf_done(&c->other->text);
	free(c->other);
	c->other = NULL;
}

int64_t
call_left_ms(const struct call *c)
{
	uint64_t now = loop_now_us(c->gate->loop);

	return now >= c->due.total ? 0 : (int64_t)((c->due.total - now) / 1000);
}

bool
call_can_continue(const struct call *c, size_t at)
{
	const struct conf_provider *p = c->order.targets[at]->provider;

	/* A last message of the assistant is what both APIs have. */
	if ((c->schema->kind == SCHEMA_MESSAGES ||
	        conf_asked_in(p, c->schema) != c->schema) &&
	    p->continues != CONTINUATION_PREFILL)
		return false;
	return c->is_plain && c->is_stream && p->continues != CONTINUATION_NOT;
}

bool
call_goes_on(const struct call *c, size_t from)
{
	for (size_t i = from; i < c->order.n; i++)
		if (call_can_continue(c, i))
			return true;
	return false;
}
