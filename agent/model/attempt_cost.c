/*
 * Who refuses a question computes nothing for it, and neither does who never
 * got it; everything else is taken for work that was done.
 */
#include "agent/model/attempt_cost.h"

#include "agent/model/model_wire.h"

static long
tokens_of(size_t bytes)
{
	return (long)((bytes + ATTEMPT_COST_BYTES_A_TOKEN - 1) /
	    ATTEMPT_COST_BYTES_A_TOKEN);
}

static long
told_or(long told, size_t bytes)
{
	return told > 0 ? told : tokens_of(bytes);
}

/* A server that is silent after it has the whole question may be at work. */
static bool
was_worked_on(const struct model_wire *w, size_t asked_bytes)
{
	return w->status ? w->status / 100 == 2 : w->sent_bytes >= asked_bytes;
}

struct attempt_cost
attempt_cost_of(const struct model_wire *w, size_t asked_bytes)
{
	struct attempt_cost cost = model_wire_cost(w->attempts);
	size_t arrived =
	    w->answer.said_bytes ? w->answer.said_bytes : w->body.len;

	cost.calls += cost.calls == 0;
	cost.is_absurd = w->answer.tells_absurd;
	if (!was_worked_on(w, asked_bytes))
		asked_bytes = arrived = 0;
	cost.prompt_tokens = told_or(w->answer.prompt_tokens, asked_bytes);
	cost.completion_tokens = told_or(w->answer.completion_tokens, arrived);
	if (w->answer.total_tokens >
	    cost.prompt_tokens + cost.completion_tokens)
		cost.completion_tokens =
		    w->answer.total_tokens - cost.prompt_tokens;
	return cost;
}
