/*
 * The way up: an answer that a validator turned down is kept while a better one
 * is asked for, and given where none comes, as where no money was left for one.
 */
#include "gateway/traffic/call_priv.h"

#include "base/mem.h"
#include "gateway/exchange/answer_quality.h"
#include "gateway/exchange/attempt.h"
#include <stdlib.h>

struct call_kept {
	const struct conf_target *target;
	struct upstream_headers_told *told; /* owned; NULL: nothing */
	struct buf body;                    /* of a whole answer */
	struct commit_point commit;         /* of a stream */
	int status;
	bool is_events;
};

/* An empty one is a failure, and would not have been given. */
static void
keep_answer(struct call *c)
{
	struct call_kept *k = xcalloc(1, sizeof *k);
	size_t bytes = (size_t)c->conf->answer_bytes;

	k->target = call_target(c);
	k->told = c->told;
	k->body = c->body;
	k->commit = c->commit;
	k->status = c->status;
	k->is_events = c->is_events;
	c->told = NULL;
	buf_init(&c->body, bytes);
	commit_point_init(&c->commit, c->schema, c->conf->is_empty_answer_ok,
	    bytes);
	c->kept = k;
}

bool
call_escalates(struct call *c, enum cause cause)
{
	const struct conf_target *up = c->rule ? c->rule->escalation : NULL;

	if (!quality_rejects(c, up ? call_guess(c, up).cost_nano : 0))
		return false;
	attempt_stop(c);
	call_note(c, CAUSE_QUALITY);
	if (cause == CAUSE_OK)
		keep_answer(c);
	c->is_escalated = true;
	c->order.targets[0] = up;
	c->order.n = 1;
	c->at = 0;
	c->tries_here = 0;
	c->reason = "quality-escalation";
	call_ask(c);
	return true;
}

bool
call_gives_kept(struct call *c)
{
	struct call_kept *k = c->kept;

	if (!k || c->is_begun)
		return false;
	c->kept = NULL;
	upstream_headers_told_free(c->told);
	buf_done(&c->body);
	commit_point_done(&c->commit);
	c->told = k->told;
	c->body = k->body;
	c->commit = k->commit;
	c->status = k->status;
	c->is_events = k->is_events;
	c->order.targets[0] = k->target;
	free(k);
	c->order.n = 1;
	c->at = 0;
	c->is_noted = true; /* when it came */
	c->reason = "fallback";
	call_give(c);
	return true;
}

void
call_drop_kept(struct call *c)
{
	struct call_kept *k = c->kept;

	c->kept = NULL;
	if (!k)
		return;
	upstream_headers_told_free(k->told);
	buf_done(&k->body);
	commit_point_done(&k->commit);
	free(k);
}
