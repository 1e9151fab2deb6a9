/*
 * A call's beginning and its one end.  Everything that is wrong with a request
 * is said before an upstream hears of it.
 */
#include "gateway/traffic/call_priv.h"

#include "base/digest.h"
#include "base/gunzip.h"
#include "base/mem.h"
#include "gateway/exchange/answer_quality.h"
#include "gateway/exchange/attempt.h"
#include "gateway/exchange/decision_record.h"
#include "gateway/exchange/relay.h"
#include "gateway/exchange/reply.h"
#include "gateway/exchange/timers.h"
#include "gateway/store/spend_ledger.h"
#include "gateway/traffic/front.h"
#include "gateway/translation/translation.h"
#include <stdlib.h>
#include <string.h>

#define SPARE_MAX 64   /* calls that are kept for later ones */
#define KEPT_MAX  8192 /* bytes of an answer that stay with one */

static const struct front_work call_work;

/* Some kilobytes a request, which malloc would lock for. */
static struct call *
take_call(struct gateway *g)
{
	struct call *c = g->spare;

	if (!c) {
		c = xcalloc(1, sizeof *c);
		c->gate = g;
		timers_init(c);
		return c;
	}
	g->spare = c->next;
	g->nspare--;
	memset(c, 0, offsetof(struct call, tries));
	c->gate = g;
	c->order.n = 0;
	c->model[0] = c->why[0] = '\0';
	return c;
}

static void
free_call(struct call *c)
{
	timers_done(c);
	buf_done(&c->body);
	buf_done(&c->asked);
	free(c);
}

static void
give_call(struct gateway *g, struct call *c)
{
	if (g->nspare == SPARE_MAX) {
		free_call(c);
		return;
	}
	if (c->body.size > KEPT_MAX)
		buf_done(&c->body);
	c->next = g->spare;
	g->spare = c;
	g->nspare++;
}

void
call_start(struct gateway *g, struct serve_call *sc,
    const struct conf_key *caller, const struct schema *schema)
{
	struct call *c = take_call(g);

	c->work = &call_work;
	c->on = &call_events;
	c->schema = schema;
	c->conf = conf_ref(g->conf);
	c->client = sc;
	c->caller = caller;
	c->keys = keyring_ref(ledger_keys(g->ledger));
	c->started_us = serve_started_us(sc);
	c->link = &g->calls;
	if ((c->next = g->calls))
		c->next->link = &c->next;
	g->calls = c;
	g->ncalls++;
	serve_set_data(sc, c);
	answer_stamp_new_id(c->id);
	buf_reuse(&c->body, (size_t)c->conf->answer_bytes);
	commit_point_init(&c->commit, c->schema, c->conf->is_empty_answer_ok,
	    (size_t)c->conf->answer_bytes);
	c->terms = &c->conf->terms;
	continuation_init(&c->spoken);
	c->due.total =
	    c->started_us + (uint64_t)c->terms->timers.total_ms * 1000;
	if (!call_read(c) || !call_may_ask(c) || !call_choose_targets(c) ||
	    !call_enter_limits(c))
		return;
	call_read_wishes(c);
	call_ask(c);
}

uint32_t
call_random(void)
{
	uint32_t r;

	digest_random(&r, sizeof r);
	return r;
}

bool
call_refuse(struct call *c, int status, const char *code, const char *message)
{
	struct answer_stamp_error e = { status, code, NULL, message, NULL };

	reply_error(c, &e);
	call_close(c, status, CAUSE_INVALID);
	return false;
}

/* ---- the end */

void
call_close(struct call *c, int status, enum cause cause)
{
	struct gateway *g = c->gate;

	call_set_state(c, CALL_ENDED);
	attempt_stop(c);
	record_call(c, status, cause);
	call_settle(c, status, cause);
	call_leave_limits(c);
	call_drop_kept(c);
	quality_leave(c);
	if ((*c->link = c->next))
		c->next->link = c->link;
	g->ncalls--;
	sse_parser_free(c->sse);
	commit_point_done(&c->commit);
	continuation_done(&c->spoken);
	record_done(c);
	upstream_headers_told_free(c->told);
	gunzip_free(c->gunzip);
	call_forget_question(c);
	translation_stream_free(c->told_as);
	free(c->echo);
	json_decref(c->metadata);
	if (c->direct)
		target_health_let_go(c->direct->live);
	free(c->direct);
	free(c->retry);
	keyring_unref(c->keys);
	conf_unref(c->conf);
	give_call(g, c);
}

/* The client has all of a stream.  One that came to nothing, and is asked for
 * again, had its end, too. */
static bool
is_told_whole(const struct call *c)
{
	return c->state == CALL_STREAMING && c->commit.is_done;
}

/* Nobody waits any more for what is under way; it was asked all the same. */
static void
stop_asking(struct call *c, enum cause cause)
{
	if (!c->fetch || c->is_noted)
		return;
	attempt_stop(c);
	call_note(c, cause);
}

static void
on_gone(struct serve_call *sc, enum serve_gone why, void *arg)
{
	struct call *c = serve_data(sc);

	(void)why;
	(void)arg;
	c->client = NULL;
	c->gate->stats.gone++;
	if (is_told_whole(c)) {
		call_finish(c);
		return;
	}
	stop_asking(c, CAUSE_CLIENT_GONE);
	call_close(c, 499, CAUSE_CLIENT_GONE);
}

static void
on_drain(struct serve_call *sc, void *arg)
{
	struct call *c = serve_data(sc);

	(void)arg;
	if (!c->is_paused)
		return;
	c->is_paused = false;
	c->due.progress = loop_now_us(c->gate->loop) + timers_idle_us(c);
	timers_arm(c);
	if (c->fetch)
		fetch_resume(c->fetch);
}

static const struct front_work call_work = { on_gone, on_drain };

/* Whoever waits is told so: a stream that only ends looks like any cut one. */
static void
drop(struct call *c)
{
	static const struct answer_stamp_error e = { 503, "stopping", NULL,
		"the gateway is being stopped", NULL };

	if (is_told_whole(c)) {
		call_finish(c);
		return;
	}
	stop_asking(c, CAUSE_DEADLINE);
	c->is_noted = true;
	c->limited_s = 1;
	if (c->is_begun || c->is_headed)
		relay_break(c, CAUSE_DEADLINE, e.message);
	else
		reply_error(c, &e);
	call_close(c, e.status, CAUSE_DEADLINE);
}

void
call_drop_all(struct gateway *g)
{
	struct call *c, *next;

	for (c = g->calls; c; c = next) {
		next = c->next;
		drop(c);
	}
	for (c = g->spare; c; c = next) {
		next = c->next;
		free_call(c);
	}
	g->spare = NULL;
	g->nspare = 0;
}
