/*
 * What may pass is also decided here, because clients break on some of it:
 * empty data, events named ping and blocks of nothing but `retry:` are
 * dropped; comments pass once the stream is committed.
 */
#include "gateway/decisions/commit.h"

#include <string.h>

#define OVERLOADED "insufficient_system_resource"

void
commit_init(struct commit *c, bool is_empty_ok)
{
	memset(c, 0, sizeof *c);
	c->is_empty_ok = is_empty_ok;
	/* The cap is on what is held; committed bytes are sent and cleared
	 * by the caller after every read. */
	buf_init(&c->out, COMMIT_HELD_MAX * 64);
	buf_init(&c->error, COMMIT_HELD_MAX);
}

void
commit_done(struct commit *c)
{
	buf_done(&c->out);
	buf_done(&c->error);
}

static bool
fail(struct commit *c, enum cause cause)
{
	c->cause = cause;
	return false;
}

static bool
add(struct commit *c, struct slice bytes)
{
	if ((!c->is_committed && c->out.len + bytes.n > COMMIT_HELD_MAX) ||
	    buf_add(&c->out, bytes.p, bytes.n) != ERR_OK)
		return fail(c, CAUSE_TOO_BIG);
	return true;
}

/* An end without payload is the whole answer only when the model says why. */
static bool
settle(struct commit *c)
{
	if (c->is_committed)
		return true;
	if (!c->is_empty_ok && strcmp(c->finish, "stop") == 0)
		return fail(c, CAUSE_EMPTY);
	if (!c->is_empty_ok && c->finish[0] == '\0')
		return fail(c, CAUSE_EMPTY);
	c->is_committed = true;
	return true;
}

static bool
take_done(struct commit *c)
{
	c->is_done = true;
	return settle(c);
}

static bool
take_event(struct commit *c, const struct sse_item *item)
{
	struct chunk chunk;

	if (slice_is(item->data, SSE_DONE))
		return take_done(c);
	if (slice_is(item->event, "ping") || item->data.n == 0)
		return true;
	if (chunk_read(item->data, &chunk) != ERR_OK)
		return fail(c, CAUSE_NOT_JSON);
	if (chunk.error) {
		buf_add(&c->error, item->data.p, item->data.n);
		return fail(c, CAUSE_STREAM_ERROR);
	}
	if (strcmp(chunk.finish, OVERLOADED) == 0)
		return fail(c, CAUSE_OVERLOADED);
	if (chunk.has_usage)
		c->last_usage = chunk;
	if (chunk.finish[0]) {
		c->is_finished = true;
		memcpy(c->finish, chunk.finish, sizeof c->finish);
	}
	if (chunk.payload) {
		c->is_committed = true;
		c->events++;
	}
	/* A usage event by itself, asked for by us only, goes no further. */
	if (c->strips_usage && chunk.has_usage && !chunk.payload &&
	    !chunk.finish[0])
		return true;
	return add(c, item->raw);
}

bool
commit_item(struct commit *c, const struct sse_item *item)
{
	if (c->is_done)
		return true;
	if (item->kind == SSE_EVENT)
		return take_event(c, item);
	if (item->kind == SSE_COMMENT && c->is_committed && item->raw.n > 0 &&
	    item->raw.p[0] == ':')
		return add(c, item->raw);
	return true;
}

bool
commit_end(struct commit *c)
{
	if (!c->is_done && !c->is_finished)
		return fail(c, CAUSE_UNFINISHED);
	return settle(c);
}
