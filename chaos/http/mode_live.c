/*
 * Mode live: forward to an upstream and bring its answer back as it comes;
 * mode record: the same, and what came goes into a cassette as well; mode
 * forward: the same, and each request says itself where it goes (forward.h).
 * Headers pass except those that belong to one connection; what the upstream
 * does to its connection (closes, cuts, resets) the client sees done to its
 * own.
 *
 * A client's first request goes upstream on a connection of its own, as it
 * would without us: on a kept one it could meet the end of a connection that
 * the client never had.
 *
 * What is recorded is heard to its end, also when the client or a fault has
 * no more use for it: a cassette holds what the upstream said, not what came
 * of it.
 */
#include "chaos/http/mode.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/queue.h>

#include "base/files.h"
#include "base/hopbyhop.h"
#include "base/log.h"
#include "base/mem.h"
#include "chaos/http/cassette.h"
#include "chaos/http/cdn_loop.h"
#include "chaos/http/content_wanted.h"
#include "chaos/http/forward.h"
#include "chaos/text/speech_chat.h"

#define BODY_MAX 4096

/*
 * One request under way.  Two hold it: the exchange, and the fetch until it
 * called back for the last time; it is gone with the second of them.
 */
struct live {
	TAILQ_ENTRY(live) entry;
	struct live_mode *mode;
	struct exchange *x;  /* NULL: gone */
	struct fetch *fetch; /* NULL: over */
	struct take *take;   /* owned; NULL: not recorded */
	bool is_mute;        /* the exchange does not listen */
	bool has_head;
	char *host; /* owned; where it may not go if that is here; or NULL */
};

struct live_mode {
	struct mode_env env;
	struct tape *tape;        /* owned; NULL: nothing is recorded */
	struct loop *loop;        /* NULL: no request yet */
	TAILQ_HEAD(, live) lives; /* all */
	bool has_told_upgrade, has_told_trailer, has_told_asked_trailer,
	    has_told_coding, has_told_refused;
	struct hopmark mark;
};

/* What base/serve, base/fetch and this proxy write themselves. */
static const char *const request_names[] = {
	"content-length",
	"expect",
	"host",
	"x-chaos-fault",
};

static const char *const answer_names[] = { "content-length", "date" };

static bool
is_one_of(struct slice name, const char *const *names, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (slice_is_nocase(name, names[i]))
			return true;
	return false;
}

static bool
passes(const struct http1_head *h, struct slice name, const char *const *ours,
    size_t nours)
{
	return !is_one_of(name, ours, nours) && !hopbyhop_ends_here(h, name);
}

/* ---- the request */

/* What cannot pass an HTTP proxy is taken out, and said once. */
static void
tell_lost(const struct live_mode *m, bool is_lost, bool *has_told,
    const char *text)
{
	if (*has_told || !is_lost)
		return;
	*has_told = true;
	log_warn(m->env.conf->name, "%s", text);
}

/* Does the client ask for a WebSocket (RFC 6455, 4.1)? */
static bool
wants_websocket(const struct http1_head *h)
{
	const struct slice *to = http1_get(h, "upgrade");

	return to && slice_is_nocase(*to, "websocket") && h->minor == 1 &&
	    slice_is(h->method, "GET") && h->framing == HTTP1_NO_BODY &&
	    http1_get(h, "sec-websocket-key");
}

/* What a fault may look at must not be compressed. */
static bool
is_coding(struct slice name)
{
	return slice_is_nocase(name, "accept-encoding") ||
	    slice_is_nocase(name, "sec-websocket-extensions");
}

static void
tell_coding(struct live_mode *m, struct slice name)
{
	if (!m->has_told_coding)
		log_info(m->env.conf->name,
		    SLICE_FMT " is taken out of requests whose answers a rule "
		              "may look into",
		    SLICE_ARG(name));
	m->has_told_coding = true;
}

/* The request's fields that go on, in a list that owns its texts. */
static void
copy_fields(struct live_mode *m, struct exchange *x, bool is_websocket,
    struct answer_head *out)
{
	const struct http1_head *h = exchange_facts(x)->head;

	out->nfields = 0;
	out->reason = NULL;
	for (size_t i = 0; i < h->nheaders; i++) {
		struct slice name = h->headers[i].name;

		if (!passes(h, name, request_names, COUNT(request_names)))
			continue;
		/* Its percentages too. */
		if (slice_begins_nocase(name, "x-envoy-fault-"))
			continue;
		if (is_coding(name) && content_is_wanted(x, is_websocket)) {
			tell_coding(m, name);
			continue;
		}
		answer_head_add_slices(out, name, h->headers[i].value);
	}
}

static void
reply_error(struct exchange *x, int status, const char *text, const char *code)
{
	struct buf body;

	buf_init(&body, BODY_MAX);
	completion_error(&body, text, "upstream_error", code);
	exchange_reply(x, status, "application/json",
	    (struct slice){ body.data, body.len });
	buf_done(&body);
}

static void
reply_bad_gateway(struct exchange *x, const char *text)
{
	reply_error(x, 502, text, "bad_gateway");
}

/* The client's words name nobody; whoever runs the proxy is told which. */
static void
reply_circle(struct exchange *x, struct live_mode *m)
{
	reply_error(x, 508, "the upstream leads back to this proxy",
	    "loop_detected");
	if (m->mark.has_told)
		return;
	m->mark.has_told = true;
	log_warn(m->env.conf->name,
	    "its upstream leads back to it through another process: 508");
}

/* ---- the answer */

/* The answer to HEAD has the length of what GET would have brought (a 304
 * too); one that says none would have come in chunks. */
static void
read_said_length(const struct http1_head *h, struct answer_head *a)
{
	const struct slice *said = http1_get(h, "content-length");
	char text[24] = "";

	a->has_length = said != NULL || a->status == 304;
	if (said && said->n < sizeof text)
		memcpy(text, said->p, said->n);
	a->said_bytes = strtoull(text, NULL, 10);
}

static void
read_head(const struct http1_head *h, struct answer_head *a)
{
	a->status = h->status;
	a->has_length =
	    h->framing == HTTP1_LENGTH || h->framing == HTTP1_NO_BODY;
	a->content_bytes = h->framing == HTTP1_LENGTH ? h->content_bytes : 0;
	answer_head_set_reason(a, h->reason);
	if (h->framing == HTTP1_NO_BODY && a->status >= 200 && a->status != 204)
		read_said_length(h, a);
	for (size_t i = 0; i < h->nheaders; i++)
		if (passes(h, h->headers[i].name, answer_names,
		        COUNT(answer_names)))
			answer_head_add_slices(a, h->headers[i].name,
			    h->headers[i].value);
	answer_head_read_type(a);
}

static void
forget(struct live_mode *m, struct live *live)
{
	TAILQ_REMOVE(&m->lives, live, entry);
	take_free(live->take);
	free(live->host);
	free(live);
}

/* Lets go of it when nobody holds it. */
static void
release(struct live *live)
{
	if (!live->x && !live->fetch)
		forget(live->mode, live);
}

static bool
is_heard(const struct live *live)
{
	return live->x && !live->is_mute;
}

static void
on_head(struct fetch *f, const struct http1_head *h, void *arg)
{
	struct live *live = arg;
	struct answer_head own = { 0 };
	struct answer_head *a =
	    is_heard(live) ? exchange_answer(live->x) : &own;

	(void)f;
	live->has_head = true;
	read_head(h, a);
	/* Also when nobody listens any more: the cassette needs the head. */
	if (live->take)
		take_head(live->take, a);
	answer_head_done(&own);
	if (is_heard(live))
		exchange_head(live->x);
}

/* A WebSocket: bytes both ways from here on. */
static void
on_tunnel(struct fetch *f, const struct http1_head *h, void *arg)
{
	struct live *live = arg;
	struct answer_head *a;

	(void)f;
	live->has_head = true;
	if (!is_heard(live))
		return;
	a = exchange_answer(live->x);
	read_head(h, a);
	a->is_websocket = true;
	a->is_stream = a->is_lines = a->has_length = false;
	answer_head_add(a, "Upgrade", "websocket");
	exchange_head(live->x);
}

static void
on_drain(struct fetch *f, void *arg)
{
	struct live *live = arg;

	(void)f;
	if (is_heard(live))
		exchange_hold_client(live->x, false);
}

static void
on_data(struct fetch *f, const char *p, size_t n, void *arg)
{
	struct live *live = arg;

	(void)f;
	if (live->take)
		take_bytes(live->take, p, n, loop_now_us(live->mode->loop));
	if (is_heard(live))
		exchange_bytes(live->x, p, n);
}

/* An answer without a head cannot be played again. */
static void
keep_take(struct live *live, enum item_end end)
{
	if (live->take && !live->has_head)
		take_free(live->take);
	else if (live->take)
		take_end(live->take, end);
	live->take = NULL;
}

static void
on_end(struct fetch *f, void *arg)
{
	struct live *live = arg;

	live->fetch = NULL;
	tell_lost(live->mode, fetch_had_trailers(f),
	    &live->mode->has_told_trailer,
	    "an answer's trailers were taken out");
	keep_take(live, ITEM_END_CLEAN);
	if (is_heard(live))
		exchange_end(live->x, ITEM_END_CLEAN);
	release(live);
}

/* The client of a 502 is told in its body, which no program shows. */
static void
tell_refused(struct live_mode *m, const char *reason)
{
	if (!m->has_told_refused)
		log_warn(m->env.conf->name,
		    "an answer of the upstream was refused: %s", reason);
	m->has_told_refused = true;
}

static void
on_fail(struct fetch *f, enum fetch_fail fail, const char *text, void *arg)
{
	struct live *live = arg;
	bool is_reset = fail == FETCH_FAIL_RESET;
	enum item_end end = is_reset ? ITEM_END_RST : ITEM_END_FIN;

	(void)f;
	live->fetch = NULL;
	keep_take(live, end);
	if (fail == FETCH_FAIL_INWARD) {
		forward_tell_inward(live->mode->env.conf->name, live->host);
		if (is_heard(live))
			reply_error(live->x, 403, FORWARD_INWARD_TEXT,
			    "forbidden");
		release(live);
		return;
	}
	/* An upstream that hung up before its head did something that the
	 * client should meet too; one that could not be reached did nothing,
	 * and a 502 says why. */
	if (is_heard(live) &&
	    (live->has_head || is_reset || fail == FETCH_FAIL_EMPTY))
		exchange_end(live->x, end);
	else if (is_heard(live))
		reply_bad_gateway(live->x, text);
	if (fail == FETCH_FAIL_PROTOCOL)
		tell_refused(live->mode, text);
	release(live);
}

static const struct fetch_ops fetch_ops = { .on_head = on_head,
	.on_data = on_data,
	.on_end = on_end,
	.on_fail = on_fail,
	.on_tunnel = on_tunnel,
	.on_drain = on_drain };

static enum err
where(const struct live_mode *m, struct exchange *x, struct url *ret,
    struct why *why)
{
	const struct mode_env *env = &m->env;

	if (env->conf->mode == PROXY_FORWARD)
		return forward_where(exchange_call(x), ret, why);
	return upstreams_resolve(env->upstreams, env->conf->upstream, ret, why);
}

static void *
start(struct exchange *x, void *mode)
{
	struct live_mode *m = mode;
	const struct mode_env *env = &m->env;
	struct facts *facts = exchange_facts(x);
	const struct http1_head *h = facts->head;
	struct http1_field fields[ANSWER_HEAD_FIELDS_MAX];
	struct answer_head sent;
	struct url url;
	struct why why = { "" };
	struct live *live;
	char *method, *target;
	bool is_websocket;
	size_t n;

	if (hopmark_is_circle(&m->mark, h)) {
		reply_circle(x, m);
		return NULL;
	}
	if (where(m, x, &url, &why) != ERR_OK) {
		reply_bad_gateway(x, why.text);
		return NULL;
	}
	live = xcalloc(1, sizeof *live);
	live->mode = m;
	live->x = x;
	m->loop = exchange_loop(x);
	is_websocket = !m->tape && wants_websocket(h);
	if (!is_websocket)
		tell_lost(m, http1_get(h, "upgrade"), &m->has_told_upgrade,
		    "a request's Upgrade was taken out: WebSockets alone "
		    "pass, and no cassette holds them");
	tell_lost(m, serve_had_trailers(exchange_call(x)),
	    &m->has_told_asked_trailer, "a request's trailers were taken out");
	TAILQ_INSERT_TAIL(&m->lives, live, entry);
	if (m->tape)
		live->take =
		    take_new(m->tape, facts, loop_now_us(exchange_loop(x)));
	copy_fields(m, x, is_websocket, &sent);
	answer_head_add(&sent, HOPMARK_FIELD, m->mark.name);
	n = answer_head_fields(&sent, fields);
	method = slice_dup(h->method);
	target = xasprintf("%s" SLICE_FMT, url.path, SLICE_ARG(h->target));
	if (env->conf->mode == PROXY_FORWARD &&
	    forward_is_outward(env->conf, url.addr.host))
		live->host = xstrdup(url.addr.host);
	live->fetch = fetch_start(env->pool,
	    &(struct fetch_request){ .addr = url.addr,
	        .tls = url.tls,
	        .method = method,
	        .target = target,
	        .fields = fields,
	        .nfields = n,
	        .body = facts->body.p,
	        .body_bytes = facts->body.n,
	        .has_body = h->framing != HTTP1_NO_BODY,
	        .upgrade = is_websocket ? "websocket" : NULL,
	        .once = is_websocket,
	        .outward = live->host != NULL,
	        .fresh = is_websocket || serve_is_first(exchange_call(x)) },
	    &fetch_ops, live);
	answer_head_done(&sent);
	free(method);
	free(target);
	return live;
}

static void
live_pause(void *arg)
{
	fetch_pause(((struct live *)arg)->fetch);
}

static void
live_resume(void *arg)
{
	fetch_resume(((struct live *)arg)->fetch);
}

static enum err
live_send(void *arg, const char *p, size_t n)
{
	struct live *live = arg;

	if (!live->fetch)
		return ERR_CLOSED;
	if (n > 0)
		return fetch_send(live->fetch, p, n);
	fetch_send_end(live->fetch);
	return ERR_OK;
}

static void
live_reset(void *arg)
{
	struct live *live = arg;

	if (live->fetch)
		fetch_reset(live->fetch);
	live->fetch = NULL;
}

/* What is recorded is heard to its end, by the cassette alone. */
static void
live_stop(void *arg)
{
	struct live *live = arg;

	live->is_mute = true;
	if (live->take) {
		fetch_resume(live->fetch);
	} else if (live->fetch) {
		fetch_cancel(live->fetch);
		live->fetch = NULL;
	}
}

static void
live_free(void *arg)
{
	struct live *live = arg;

	live->x = NULL;
	release(live);
}

static enum err
live_open(const struct mode_env *env, void **ret, struct why *why)
{
	enum err e = ERR_OK;
	struct live_mode *m;

	if (env->conf->mode != PROXY_FORWARD)
		e = upstreams_check(env->upstreams, env->conf->upstream, why);
	if (e != ERR_OK)
		return e;
	m = xcalloc(1, sizeof *m);
	m->env = *env;
	hopmark_init(&m->mark);
	TAILQ_INIT(&m->lives);
	/* Appended to, so that a run may be recorded in several sittings. */
	if (env->conf->mode == PROXY_RECORD) {
		e = tape_open(env->conf->cassette, &m->tape, why);
		if (e != ERR_OK) {
			free(m);
			return e == ERR_SYNTAX ? e : ERR_IO;
		}
	}
	*ret = m;
	return ERR_OK;
}

static bool
live_has_lost(const void *mode)
{
	const struct live_mode *m = mode;

	return m->tape && tape_is_incomplete(m->tape);
}

static void
live_close(void *mode)
{
	struct live_mode *m = mode;
	struct live *live, *next;

	for (live = TAILQ_FIRST(&m->lives); live; live = next) {
		next = TAILQ_NEXT(live, entry);
		/* Exchanges are freed before their mode is closed, so whoever
		 * is left here is held by its fetch alone: a recording under
		 * way, which is dropped. */
		fetch_cancel(live->fetch);
		forget(m, live);
	}
	tape_close(m->tape);
	free(m);
}

const struct mode mode_live = {
	.source = { .start = start,
	    .pause = live_pause,
	    .resume = live_resume,
	    .send = live_send,
	    .reset = live_reset,
	    .stop = live_stop,
	    .free = live_free },
	.open = live_open,
	.has_lost = live_has_lost,
	.close = live_close,
};
