/*
 * Bytes are gathered per read of the upstream and written once.
 */
#include "gateway/exchange/relay.h"

#include "gateway/exchange/answer_quality.h"
#include "gateway/exchange/reply.h"
#include <stdio.h>

#define NOTE_MAX ((size_t)4096)
#define TOLD_MAX 4032 /* of the attempts, in a comment of the stream */

static bool
on_item(const struct sse_item *item, void *arg)
{
	struct call *c = arg;

	return commit_point_item(&c->commit, item);
}

void
relay_feed(struct call *c, const char *p, size_t n)
{
	enum err e = sse_feed(c->sse, p, n, on_item, c);

	if (e != ERR_OK && c->commit.cause == CAUSE_OK)
		c->commit.cause = CAUSE_TOO_BIG;
	/* What a validator has to see whole is held whole. */
	if (c->commit.cause == CAUSE_OK && !c->is_begun && quality_holds(c) &&
	    c->commit.out.len > (size_t)c->conf->answer_bytes)
		c->commit.cause = CAUSE_TOO_BIG;
	/* An error that was made here, of an answer that is none. */
	if (c->commit.cause == CAUSE_STREAM_ERROR && c->told_as &&
	    *translation_stream_untold(c->told_as))
		c->commit.cause = CAUSE_UNTRANSLATABLE;
	/* A failure beside the first payload is still before the commit. */
	if (c->commit.is_committed && !c->first_token_us)
		c->first_token_us = loop_now_us(c->gate->loop);
}

/* Whether the client may have what is committed now: not beside a failure
 * that is still invisible, and not while the whole is being held. */
bool
relay_may_send(const struct call *c)
{
	const struct conf_terms *terms = c->terms;
	uint64_t held_us = loop_now_us(c->gate->loop) - c->try_started_us;

	if (!c->commit.is_committed || c->is_begun)
		return c->commit.is_committed;
	if (c->commit.cause != CAUSE_OK)
		return false;
	if (quality_holds(c))
		return c->commit.is_done;
	return c->commit.is_done ||
	    c->commit.out.len >= (size_t)terms->buffer_bytes ||
	    held_us >= (uint64_t)terms->buffer_ms * 1000;
}

void
relay_send(struct call *c)
{
	struct buf *out = &c->commit.out;
	enum err e;

	if (out->len == 0)
		return;
	e = serve_write(c->client, out->data, out->len);
	buf_clear(out);
	if (e == ERR_AGAIN && c->fetch && !c->is_paused) {
		c->is_paused = true;
		c->due.progress = 0;
		fetch_pause(c->fetch);
	}
}

/* What was paid, also by a stream that comes to nothing. */
static void
put_attempts(const struct call *c, struct buf *out)
{
	char attempts[TOLD_MAX];

	reply_attempts(c, attempts, sizeof attempts);
	buf_addf(out, ": x-kf-attempts %s\n\n", attempts);
}

void
relay_send_done(struct call *c)
{
	struct slice last = commit_point_last_event(&c->commit);
	struct buf note;

	/* The last event may say it all. */
	buf_init(&note, NOTE_MAX + last.n);
	put_attempts(c, &note);
	buf_add(&note, last.p, last.n);
	serve_write(c->client, note.data, note.len);
	buf_done(&note);
}

void
relay_finish(struct call *c)
{
	if (c->client)
		serve_finish(c->client);
	c->client = NULL;
}

void
relay_break(struct call *c, enum cause cause, const char *message)
{
	struct answer_stamp_error e = { cause_facts(cause)->status,
		cause_facts(cause)->name, NULL, message, c->schema };
	struct buf body, event;

	buf_init(&body, NOTE_MAX);
	buf_init(&event, NOTE_MAX * 3);
	put_attempts(c, &event);
	if (c->schema->names_events)
		buf_adds(&event, "event: error\n");
	answer_stamp_event_body(&e, &body);
	sse_write(&event, body.data, body.len);
	serve_write(c->client, event.data, event.len);
	buf_done(&body);
	buf_done(&event);
	serve_abort(c->client, SERVE_END_FIN);
	c->client = NULL;
}
