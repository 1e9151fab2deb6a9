/*
 * What may pass is also decided here, because clients break on some of it:
 * empty data, events named ping and blocks of nothing but `retry:` are
 * dropped; comments pass once the stream is committed.
 */
#include "gateway/decisions/commit_point.h"
#include "base/sse_end.h"

#include <string.h>

#define OVERLOADED "insufficient_system_resource"

void
commit_point_init(struct commit_point *c, const struct schema *schema,
    bool is_empty_ok, size_t bytes_max)
{
	memset(c, 0, sizeof *c);
	c->schema = schema;
	c->is_empty_ok = is_empty_ok;
	/* The cap is on what is held; committed bytes are sent and cleared
	 * by the caller after every read, in which an event may end that began
	 * before it. */
	buf_init(&c->out, 2 * bytes_max);
	buf_init(&c->last, bytes_max);
	buf_init(&c->error, bytes_max);
}

void
commit_point_done(struct commit_point *c)
{
	buf_done(&c->out);
	buf_done(&c->last);
	buf_done(&c->error);
}

static bool
fail(struct commit_point *c, enum cause cause)
{
	c->cause = cause;
	return false;
}

static bool
add(struct commit_point *c, struct slice bytes)
{
	if ((!c->is_committed &&
	        c->out.len + bytes.n > c->schema->held_bytes) ||
	    buf_add(&c->out, bytes.p, bytes.n) != ERR_OK)
		return fail(c, CAUSE_TOO_BIG);
	return true;
}

/* An end without payload is the whole answer only when the model says why. */
static bool
settle(struct commit_point *c)
{
	if (c->is_committed)
		return true;
	/* Nothing to add to what was said is an end, too. */
	if (c->continues) {
		c->is_committed = true;
		return true;
	}
	if (!c->is_empty_ok && !c->is_stop_ok &&
	    strcmp(c->finish, c->schema->stopped) == 0)
		return fail(c, CAUSE_EMPTY);
	if (!c->is_empty_ok && c->finish[0] == '\0')
		return fail(c, CAUSE_EMPTY);
	c->is_committed = true;
	return true;
}

static bool
take_done(struct commit_point *c, struct slice raw)
{
	c->is_done = true;
	if (buf_add(&c->last, raw.p, raw.n) != ERR_OK)
		return fail(c, CAUSE_TOO_BIG);
	return settle(c);
}

/*
 * In the midst of an answer, an event that is no JSON.  Bytes that do not even
 * name a delta are noise and carry no text; others may be a piece of the
 * answer, and leaving it out would make the answer another one.
 */
static bool
take_malformed(struct commit_point *c, struct slice data)
{
	bool is_noise = !memmem(data.p, data.n, "\"delta\"", 7) &&
	    !memmem(data.p, data.n, "\"choices\"", 9) &&
	    !memmem(data.p, data.n, "\"cho", 4);

	if (!c->is_committed && !c->continues)
		return fail(c, CAUSE_NOT_JSON);
	if (c->cuts_malformed || !(is_noise || c->drops_malformed))
		return fail(c, CAUSE_MALFORMED);
	c->malformed++;
	return true;
}

/* The event, for the client: as it came, or as part of the answer that it
 * goes on. */
static bool
pass_on(struct commit_point *c, const struct sse_item *item,
    const struct chunk *chunk)
{
	enum err e;

	if (c->continues) {
		e = continuation_retell(c->spoken, c->schema, chunk, item->data,
		    &c->out);
		return e == ERR_OK ||
		    fail(c, e == ERR_TOOBIG ? CAUSE_TOO_BIG : CAUSE_MALFORMED);
	}
	if (!add(c, item->raw))
		return false;
	if (c->spoken)
		continuation_note(c->spoken, chunk);
	return true;
}

/* Chat's events have no names and all have choices: one that has a name and
 * none is another protocol's, and its client's library would read it as a
 * chunk. */
static bool
is_foreign(const struct commit_point *c, const struct sse_item *item,
    const struct chunk *chunk)
{
	return c->schema->kind == SCHEMA_CHAT && item->event.n > 0 &&
	    !chunk->choices && !chunk->payload && !chunk->error &&
	    !chunk->has_usage;
}

/* Whole items of responses, and the end with all of them, say again what came in
 * pieces. */
static void
count_bytes(struct commit_point *c, const struct chunk *chunk)
{
	bool is_again = c->schema->kind == SCHEMA_RESPONSES &&
	    (chunk->ends || chunk->text.n > 0);

	if (!is_again)
		c->bytes += chunk->bytes;
	else if (chunk->bytes > c->bytes)
		c->bytes = chunk->bytes;
}

/* What an event tells of the answer as a whole, one that fails too. */
static void
note_facts(struct commit_point *c, const struct chunk *chunk)
{
	if (chunk->has_counts)
		chunk_add_usage(&c->last_usage, chunk);
	if (chunk->finish[0])
		memcpy(c->finish, chunk->finish, sizeof c->finish);
	choice_set_add(&c->begun, &chunk->begun);
	choice_set_add(&c->ended, &chunk->ended);
	/* One that was cut is not whole because its neighbour is. */
	c->is_finished = c->finish[0] &&
	    (c->schema->kind != SCHEMA_CHAT ||
	        (choice_set_holds(&c->ended, &c->begun) &&
	            choice_set_n(&c->ended) >= c->choices));
}

static bool
take_event(struct commit_point *c, const struct sse_item *item)
{
	struct chunk chunk;

	/* Behind an API's own end it says nothing, and in front of it nothing
	 * either. */
	if (sse_end_is_done(item->data))
		return c->schema->kind != SCHEMA_CHAT ||
		    take_done(c, item->raw);
	if (item->data.n == 0)
		return true;
	/* No progress, and what a client of chat takes for a chunk. */
	if (slice_is(item->event, "ping"))
		return !c->schema->has_pings || !c->is_committed ||
		    add(c, item->raw);
	if (chunk_read(c->schema, item->data, &chunk) != ERR_OK)
		return take_malformed(c, item->data);
	if (is_foreign(c, item, &chunk))
		return true;
	note_facts(c, &chunk);
	if (chunk.error) {
		buf_add(&c->error, item->data.p, item->data.n);
		return fail(c, CAUSE_STREAM_ERROR);
	}
	if (strcmp(chunk.finish, OVERLOADED) == 0)
		return fail(c, CAUSE_OVERLOADED);
	count_bytes(c, &chunk);
	/* A thought of a target that goes on is not told: no progress for
	 * the client, but the target is at work. */
	if (chunk.payload && c->continues && chunk.text.n == 0 && !chunk.is_odd)
		c->events++;
	else if (chunk.payload) {
		c->is_committed = true;
		c->events++;
	}
	if (chunk.ends)
		return take_done(c, item->raw);
	/* A usage event by itself, asked for by us only, goes no further. */
	if (c->strips_usage && chunk.has_usage && !chunk.payload &&
	    !chunk.finish[0])
		return true;
	return pass_on(c, item, &chunk);
}

bool
commit_point_item(struct commit_point *c, const struct sse_item *item)
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
commit_point_end(struct commit_point *c)
{
	if (!sse_end_is_whole(c->is_done,
	        c->is_finished && c->schema->last_event))
		return fail(c, CAUSE_UNFINISHED);
	return settle(c);
}

struct slice
commit_point_last_event(const struct commit_point *c)
{
	return c->last.len ? (struct slice){ c->last.data, c->last.len }
	                   : slice_of(c->schema->last_event);
}
