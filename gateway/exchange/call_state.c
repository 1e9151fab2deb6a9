/*
 * Small questions about a call, and the one setter of its state.
 */
#include "gateway/exchange/call_state.h"

#include "base/log.h"
#include "base/mem.h"
#include <stdlib.h>

#define TRANSLATED_MORE ((size_t)65536)

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

struct output_limit
call_limit(const struct call *c, const struct conf_target *t)
{
	const struct schema *wire = conf_asked_in(t->provider, c->schema);
	struct output_limit l = c->limit;

	/* A target's parameters come after the translation. */
	if (wire && wire != c->schema)
		output_limit_translate(&l,
		    wire->kind == SCHEMA_MESSAGES ? TRANSLATION_MAX_TOKENS : 0);
	output_limit_edit(&l, t->edits, t->nedits);
	return l;
}

bool
call_can_ask(struct call *c, const struct conf_provider *p)
{
	const struct schema *wire = conf_asked_in(p, c->schema);
	struct call_question *q = c->other;

	if (!wire || wire == c->schema)
		return wire != NULL;
	/* One for all of them, but of how they go on. */
	if (q && (!q->to.is_begun || q->to.way == p->continues))
		return q->text.len > 0;
	if (!q)
		q = c->other = xcalloc(1, sizeof *q);
	buf_done(&q->text);
	buf_init(&q->text, 2 * c->peek->body.n + TRANSLATED_MORE);
	q->to.kind = wire->kind;
	q->to.way = p->continues;
	if (translation_question(&q->to, c->peek->body, &q->text, &q->why) !=
	    ERR_OK)
		buf_done(&q->text);
	return q->text.len > 0;
}

bool
call_can_continue(const struct call *c, size_t at)
{
	const struct conf_provider *p = c->order.targets[at]->provider;

	const struct schema *wire = conf_asked_in(p, c->schema);

	/* In messages there is one way. */
	if (wire && wire->kind == SCHEMA_MESSAGES &&
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

bool
call_has_said_why(const struct call *c)
{
	return c->commit.is_finished ||
	    (c->told_as && translation_stream_is_finished(c->told_as));
}
