/*
 * A stream on its way through.  Bytes are gathered per read of the upstream
 * and written once; after the commit point a failure is told inside the
 * stream, and the connection is dropped without the last chunk, because a
 * clean end would be taken for success.
 */
#include "gateway/traffic/call_impl.h"

#include <stdio.h>
#include <stdlib.h>

#define LINGER_US 1000000 /* [DONE] came: how long the upstream may dawdle */
#define NOTE_MAX  ((size_t)4096)

static bool
on_item(const struct sse_item *item, void *arg)
{
	struct call *c = arg;

	return commit_item(&c->commit, item);
}

/* Sends what is committed. */
static void
send_out(struct call *c)
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

static void
start_streaming(struct call *c)
{
	if (c->state == CALL_STREAMING)
		return;
	call_set_state(c, CALL_STREAMING);
	c->due.attempt = 0;
	if (c->is_begun)
		return;
	c->is_begun = true;
	c->gate->stats.streams++;
	reply_stream_head(c);
	if (call_goes_on(c, c->at))
		return;
	/* Nobody else can be asked any more. */
	free(c->peek);
	c->peek = NULL;
	serve_release(c->client);
}

/* [DONE], with the story of the attempts as a comment before it. */
static void
send_done(struct call *c)
{
	char text[NOTE_MAX - 64];
	char note[NOTE_MAX];
	int n;

	reply_attempts(c, text, sizeof text);
	n = snprintf(note, sizeof note,
	    ": x-kf-attempts %s\n\ndata: " SSE_DONE "\n\n", text);
	serve_write(c->client, note, (size_t)n);
}

static void
note_progress(struct call *c, uint64_t events_before)
{
	if (c->commit.events == events_before || c->is_paused)
		return;
	c->due.progress = loop_now_us(c->gate->loop) + timers_idle_us(c);
	timers_arm(c);
}

/* The client has all of it; the upstream's last bytes are still to come. */
static void
take_done(struct call *c)
{
	attempt_note(c, CAUSE_OK);
	send_done(c);
	c->due.progress = 0;
	c->due.linger = loop_now_us(c->gate->loop) + LINGER_US;
	timers_arm(c);
}

/* Whether the client may have what is committed now: not beside a failure
 * that is still invisible, and not while the whole is being held. */
static bool
may_stream(const struct call *c)
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
relay_data(struct call *c, const char *p, size_t n)
{
	uint64_t events = c->commit.events;
	bool was_done = c->commit.is_done;
	enum err e;

	if (was_done)
		return;
	e = sse_feed(c->sse, p, n, on_item, c);
	if (e != ERR_OK && c->commit.cause == CAUSE_OK)
		c->commit.cause = CAUSE_TOO_BIG;
	/* A failure beside the first payload is still before the commit. */
	if (c->commit.is_committed && !c->first_token_us)
		c->first_token_us = loop_now_us(c->gate->loop);
	if (c->commit.is_done && c->commit.cause == CAUSE_OK &&
	    quality_escalates(c))
		return;
	if (may_stream(c)) {
		start_streaming(c);
		send_out(c);
	}
	if (c->commit.cause != CAUSE_OK)
		attempt_fail(c, c->commit.cause);
	else if (c->commit.is_done)
		take_done(c);
	else
		note_progress(c, events);
}

void
relay_end(struct call *c)
{
	if (c->commit.is_done) {
		relay_finish(c);
		return;
	}
	if (!commit_end(&c->commit)) {
		attempt_fail(c, c->commit.cause);
		return;
	}
	if (quality_escalates(c))
		return;
	/* A finish_reason without [DONE] is complete; say so. */
	start_streaming(c);
	send_out(c);
	c->commit.is_done = true;
	attempt_note(c, CAUSE_OK);
	send_done(c);
	relay_finish(c);
}

void
relay_finish(struct call *c)
{
	if (c->client)
		serve_finish(c->client);
	c->client = NULL;
	call_close(c, 200, CAUSE_OK);
}

void
relay_break(struct call *c, enum cause cause)
{
	char message[512];
	struct answer_stamp_error e = { cause_facts(cause)->status,
		cause_facts(cause)->name, NULL, message };
	struct buf body, event;

	call_set_state(c, CALL_STREAMING);
	reply_describe(c, cause, message, sizeof message);
	buf_init(&body, NOTE_MAX);
	buf_init(&event, NOTE_MAX * 2);
	answer_stamp_error_body(&e, &body);
	sse_write(&event, body.data, body.len);
	serve_write(c->client, event.data, event.len);
	buf_done(&body);
	buf_done(&event);
	serve_abort(c->client, SERVE_END_FIN);
	c->client = NULL;
	call_close(c, 200, cause);
}
