/*
 * Mode replay: answers come from a cassette and from nowhere else, with the
 * timing they were recorded with or as fast as the client reads.  A request
 * that is not in it is a 404 that names its key and attempt, or (conf.asks)
 * goes to the upstream as in mode live.
 */
#include "chaos/http/mode.h"

#include <stdlib.h>

#include "base/mem.h"
#include "chaos/http/cassette.h"
#include "chaos/rules/request_key.h"
#include "chaos/text/speech_chat.h"

#define BODY_MAX  4096
#define PIECE_MAX ((size_t)64 << 20)

struct replay_mode {
	struct cassette *cassette; /* owned */
	bool is_fast, loops;
	size_t *missing; /* borrowed; see struct proxy_conf */
	void *live;      /* owned: mode live's; NULL: nobody is asked */
};

struct replay { /* one answer under way */
	struct exchange *x;
	json_t *recorded; /* borrowed from the cassette */
	size_t next;
	bool is_fast, is_paused, has_head;
	uint64_t from_us;
	struct event *timer; /* owned */
	void *asked; /* owned: mode live's source, instead of all this; NULL */
};

static void arm(struct replay *r);
static void replay_close(void *mode);

static void
replay_free(void *arg)
{
	struct replay *r = arg;

	if (r->asked)
		mode_live.source.free(r->asked);
	if (r->timer)
		event_free(r->timer);
	free(r);
}

/* A piece a turn: whoever hears it may stop or pause us. */
static void
on_timer(evutil_socket_t fd, short what, void *arg)
{
	struct replay *r = arg;
	struct exchange *x = r->x;
	struct buf piece;
	uint64_t us;

	(void)fd;
	(void)what;
	if (!r->has_head) {
		r->has_head = true;
		/* Before the call: whoever hears the head may pause or stop us,
		 * and that must find the timer it deletes. */
		arm(r);
		exchange_head(x);
		return;
	}
	buf_init(&piece, PIECE_MAX);
	if (cassette_piece(r->recorded, r->next, &us, &piece)) {
		r->next++;
		arm(r);
		exchange_bytes(x, piece.data, piece.len);
	} else {
		exchange_end(x, cassette_end(r->recorded));
	}
	buf_done(&piece);
}

/* The end comes with the last piece. */
static void
arm(struct replay *r)
{
	uint64_t us = 0, at_us = 0;
	struct buf piece;

	buf_init(&piece, PIECE_MAX);
	if (!r->is_fast && cassette_piece(r->recorded, r->next, &us, &piece))
		at_us = r->from_us + us;
	buf_done(&piece);
	if (!r->is_paused)
		loop_arm_at(r->timer, at_us);
}

static void
not_found(struct exchange *x)
{
	struct facts *f = exchange_facts(x);
	char *text = xasprintf("not in the cassette: key %s, attempt %llu",
	    identity_key(f), (unsigned long long)f->attempt);
	struct buf body;

	buf_init(&body, BODY_MAX);
	completion_error(&body, text, "invalid_request_error", "not_recorded");
	exchange_reply(x, 404, "application/json",
	    (struct slice){ body.data, body.len });
	buf_done(&body);
	free(text);
}

static void *
ask(struct replay_mode *m, struct exchange *x)
{
	void *asked = mode_live.source.start(x, m->live);
	struct replay *r;

	if (!asked)
		return NULL;
	r = xcalloc(1, sizeof *r);
	r->x = x;
	r->asked = asked;
	return r;
}

static void *
start(struct exchange *x, void *arg)
{
	struct replay_mode *m = arg;
	struct facts *f = exchange_facts(x);
	json_t *recorded = m->missing ? cassette_nearest(m->cassette, f)
	                              : cassette_find(m->cassette, f, m->loops);
	struct replay *r;

	if (!recorded && m->live)
		return ask(m, x);
	if (!recorded) {
		if (m->missing)
			++*m->missing;
		not_found(x);
		return NULL;
	}
	r = xcalloc(1, sizeof *r);
	r->x = x;
	r->recorded = recorded;
	r->is_fast = m->is_fast;
	r->from_us = loop_now_us(exchange_loop(x));
	r->timer = evtimer_new(loop_base(exchange_loop(x)), on_timer, r);
	cassette_head(recorded, exchange_answer(x));
	arm(r);
	return r;
}

static void
replay_pause(void *arg)
{
	struct replay *r = arg;

	r->is_paused = true;
	if (r->asked)
		mode_live.source.pause(r->asked);
	else
		event_del(r->timer);
}

static void
replay_resume(void *arg)
{
	struct replay *r = arg;

	r->is_paused = false;
	if (r->asked)
		mode_live.source.resume(r->asked);
	else
		arm(r);
}

static void
replay_stop(void *arg)
{
	struct replay *r = arg;

	if (r->asked)
		mode_live.source.stop(r->asked);
	else
		event_del(r->timer);
}

static enum err
replay_send(void *arg, const char *p, size_t n)
{
	return mode_live.source.send(((struct replay *)arg)->asked, p, n);
}

static void
replay_reset(void *arg)
{
	mode_live.source.reset(((struct replay *)arg)->asked);
}

static enum err
replay_open(const struct mode_env *env, void **ret, struct why *why)
{
	struct cassette *c = NULL;
	struct replay_mode *m;
	enum err e = cassette_read(env->conf->cassette, &c, why);

	if (e != ERR_OK)
		return e;
	m = xcalloc(1, sizeof *m);
	m->cassette = c;
	m->is_fast = env->conf->is_fast;
	m->loops = env->conf->loops;
	m->missing = env->conf->missing;
	if (env->conf->asks)
		e = mode_live.open(env, &m->live, why);
	if (e == ERR_OK)
		*ret = m;
	else
		replay_close(m);
	return e;
}

static void
replay_close(void *mode)
{
	struct replay_mode *m = mode;

	if (m->live)
		mode_live.close(m->live);
	cassette_free(m->cassette);
	free(m);
}

const struct mode mode_replay = {
	.source = { .start = start,
	    .pause = replay_pause,
	    .resume = replay_resume,
	    .send = replay_send,
	    .reset = replay_reset,
	    .stop = replay_stop,
	    .free = replay_free },
	.open = replay_open,
	.close = replay_close,
};
