/*
 * What comes back from an upstream, and what is due: here the call decides
 * what its client sees of it.
 */
#include "gateway/traffic/call_priv.h"

#include "gateway/exchange/attempt.h"
#include "gateway/exchange/decision_record.h"
#include "gateway/exchange/relay.h"
#include "gateway/exchange/reply.h"
#include "gateway/exchange/timers.h"
#include <stdlib.h>

#define LINGER_US 1000000 /* [DONE] came: how long the upstream may dawdle */

/* ---- a stream */

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
	c->due.comment = 0;
	if (!c->is_headed)
		reply_stream_head(c);
	if (call_goes_on(c, c->at))
		return;
	/* Nobody else can be asked any more. */
	call_forget_question(c);
	serve_release(c->client);
}

/* The last of the stream, with the story of the attempts. */
static void
tell_done(struct call *c)
{
	call_note(c, CAUSE_OK);
	relay_send_done(c);
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
	tell_done(c);
	/* They are not, where the end had to be made up. */
	if (!c->fetch) {
		call_finish(c);
		return;
	}
	c->due.progress = 0;
	c->due.linger = loop_now_us(c->gate->loop) + LINGER_US;
	timers_arm(c);
}

/* Of answers, validators judge all, an empty one too. */
static bool
may_escalate(enum cause cause)
{
	return cause == CAUSE_OK || cause == CAUSE_EMPTY;
}

static void
hear_stream(struct call *c, const char *p, size_t n)
{
	uint64_t events = c->commit.events;

	if (c->commit.is_done)
		return;
	relay_feed(c, p, n);
	if (c->commit.is_done && may_escalate(c->commit.cause) &&
	    call_escalates(c, c->commit.cause))
		return;
	if (relay_may_send(c)) {
		start_streaming(c);
		relay_send(c);
	}
	if (c->commit.cause != CAUSE_OK)
		call_fail(c, c->commit.cause);
	else if (c->commit.is_done)
		take_done(c);
	else
		note_progress(c, events);
}

/* ---- a whole answer */

static bool
is_blank(const char *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (p[i] != ' ' && p[i] != '\n' && p[i] != '\r' && p[i] != '\t')
			return false;
	return true;
}

static void
hear_whole(struct call *c, const char *p, size_t n)
{
	/* Blank lines keep a connection alive and are no progress. */
	if (is_blank(p, n))
		return;
	if (!c->is_seen)
		c->first_token_us = loop_now_us(c->gate->loop);
	c->is_seen = true;
	c->due.progress = loop_now_us(c->gate->loop) + timers_idle_us(c);
	timers_arm(c);
}

static void
on_data(struct call *c, const char *p, size_t n)
{
	record_answered(c, p, n);
	if (c->is_events)
		hear_stream(c, p, n);
	else
		hear_whole(c, p, n);
}

/* All of a stream but its last event. */
static void
send_held(struct call *c)
{
	start_streaming(c);
	relay_send(c);
	c->commit.is_done = true;
}

static void
end_stream(struct call *c)
{
	if (c->commit.is_done) {
		call_finish(c);
		return;
	}
	(void)commit_point_end(&c->commit);
	if (may_escalate(c->commit.cause) && call_escalates(c, c->commit.cause))
		return;
	if (c->commit.cause != CAUSE_OK) {
		call_fail(c, c->commit.cause);
		return;
	}
	/* A finish_reason without [DONE] is complete; say so. */
	send_held(c);
	tell_done(c);
	call_finish(c);
}

void
call_give(struct call *c)
{
	if (!c->is_events) {
		reply_whole(c);
		call_close(c, c->status, CAUSE_OK);
		return;
	}
	send_held(c);
	relay_send_done(c);
	call_finish(c);
}

static void
end_whole(struct call *c)
{
	struct chunk chunk = { 0 };
	enum cause cause = attempt_judge(c, &chunk);

	/* What is refused was counted too; what is no JSON said nothing. */
	if (cause != CAUSE_NOT_JSON)
		c->commit.last_usage = chunk;
	if (may_escalate(cause) && call_escalates(c, cause))
		return;
	if (cause != CAUSE_OK) {
		call_fail(c, cause);
		return;
	}
	call_note(c, CAUSE_OK);
	call_give(c);
}

static void
on_end(struct call *c)
{
	if (c->is_events)
		end_stream(c);
	else
		end_whole(c);
}

static void
on_fail(struct call *c, enum cause cause)
{
	/* After [DONE] nothing is missing. */
	if (c->commit.is_done)
		call_finish(c);
	else
		call_fail(c, cause);
}

/* ---- time */

/* Nothing can be told by a status any more, but the client, and whatever stands
 * between it and here, know that the answer is on its way. */
static void
tell_held(struct call *c, uint64_t now)
{
	static const char comment[] = ": x-kf-held\n\n";

	if (!c->is_headed) {
		c->is_headed = true;
		reply_stream_head(c);
	}
	c->due.comment = now + (uint64_t)c->terms->comment_ms * 1000;
	timers_arm(c);
	(void)serve_write(c->client, comment, sizeof comment - 1);
}

/* Each of these may end the call, so the first that applies is the last. */
static void
on_due(struct call *c, uint64_t now)
{
	if (timers_is_over(c->due.linger, now)) {
		call_finish(c);
	} else if (timers_is_over(c->due.wait, now)) {
		c->due.wait = 0;
		call_ask(c);
	} else if (timers_is_over(c->due.total, now) &&
	    (c->state == CALL_WAITING || c->state == CALL_BOOKING)) {
		call_give_up(c, CAUSE_DEADLINE);
	} else if (timers_is_over(c->due.total, now)) {
		call_fail(c, CAUSE_DEADLINE);
	} else if (timers_is_over(c->due.attempt, now)) {
		call_fail(c, CAUSE_TIMEOUT);
	} else if (timers_is_over(c->due.progress, now)) {
		call_fail(c,
		    c->first_token_us ? CAUSE_IDLE : CAUSE_FIRST_TOKEN);
	} else if (timers_is_over(c->due.rate, now) && timers_is_slow(c)) {
		call_fail(c, CAUSE_SLOW);
	} else if (timers_is_over(c->due.comment, now)) {
		tell_held(c, now);
	} else {
		timers_arm(c);
	}
}

/* ---- the client's stream ends */

void
call_finish(struct call *c)
{
	relay_finish(c);
	call_close(c, 200, CAUSE_OK);
}

void
call_break(struct call *c, enum cause cause)
{
	char message[512];

	call_set_state(c, CALL_STREAMING);
	c->is_noted = true; /* nobody is asked now */
	reply_describe(c, cause, message, sizeof message);
	relay_break(c, cause, message);
	call_close(c, 200, cause);
}

const struct call_events call_events = {
	.on_data = on_data,
	.on_end = on_end,
	.on_fail = on_fail,
	.on_due = on_due,
};
