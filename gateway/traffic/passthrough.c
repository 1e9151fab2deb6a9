/*
 * One request, one upstream, bytes through.  The total time bounds all of it,
 * the idle time the pauses once the answer has begun.  A cut answer is cut
 * here too, so that nobody takes it for whole.
 */
#include "gateway/traffic/passthrough.h"

#include "base/clock.h"
#include "base/fetch.h"
#include "base/gunzip.h"
#include "base/hopbyhop.h"
#include "base/mem.h"
#include "gateway/decisions/silence_limit.h"
#include "gateway/exchange/answer_stamp.h"
#include "gateway/exchange/gateway.h"
#include "gateway/exchange/upstream_headers.h"
#include "gateway/routing/provider_keys.h"
#include "gateway/text/jput.h"
#include "gateway/traffic/front.h"
#include <ctype.h>
#include <event2/event.h>
#include <event2/event_struct.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define TARGET_MAX     8192
#define LINE_MAX_BYTES 65536
#define FIELDS_MAX     (HTTP1_HEADERS_MAX + 4)

struct pass {
	const struct front_work *work; /* first: see front.h */
	struct gateway *gate;
	struct conf *conf; /* a reference */
	struct serve_call *client;
	const struct conf_provider *to;
	struct fetch *fetch;
	struct pass *next, **link; /* in gate->passes */
	struct limit_hold hold;
	struct event timer;
	char id[ANSWER_STAMP_ID_BYTES];
	char *target; /* as the upstream is asked; owned */
	/* Of an answer that may quote a key: its end. */
	bool is_guarded;
	struct buf held;
	struct gunzip *gunzip; /* NULL: it came as it is */
	int status;            /* the upstream's, 0: no head yet */
	uint64_t started_us;
};

static const struct fetch_ops upstream_ops;
static const struct front_work pass_work;

/* ---- which paths pass */

/* %61 is an `a` to a server and none to whoever compares paths. */
static bool
hides_letters(const char *path)
{
	char digits[3] = "";

	for (const char *p = strchr(path, '%'); p; p = strchr(p + 1, '%')) {
		if (!p[1])
			return true;
		memcpy(digits, p + 1, 2);
		if (isalnum((int)strtol(digits, NULL, 16)))
			return true;
	}
	return false;
}

/* Bytes that let two servers read two paths. */
static bool
is_plain_path(struct slice path)
{
	static const char *const odd[] = { "/..", "/./", "//", "%2e", "%2f",
		"%5c", "\\", "%00" };
	char text[TARGET_MAX];

	if (path.n >= sizeof text)
		return false;
	snprintf(text, sizeof text, SLICE_FMT, SLICE_ARG(path));
	for (size_t i = 0; i < COUNT(odd); i++)
		if (strcasestr(text, odd[i]))
			return false;
	return !hides_letters(text);
}

/* "/files" is itself, "/files*" is whatever begins so. */
static bool
lets_through(const char *pattern, struct slice path)
{
	size_t n = strlen(pattern);

	if (pattern[n - 1] == '*')
		return path.n >= n - 1 && memcmp(path.p, pattern, n - 1) == 0;
	return slice_is(path, pattern);
}

const struct conf_provider *
pass_provider(const struct conf *c, struct slice path)
{
	if (!is_plain_path(path))
		return NULL;
	for (size_t i = 0; i < c->nproviders; i++) {
		const struct ynode *list = c->providers[i].passthrough;

		for (const struct ynode *n = list ? list->first : NULL; n;
		     n = n->next)
			if (lets_through(n->text, path))
				return &c->providers[i];
	}
	return NULL;
}

/* TRACE is answered with what was asked, a key in it; CONNECT asks for a
 * tunnel; of others nobody knows. */
bool
pass_takes(struct slice method)
{
	static const char *const names[] = { "GET", "HEAD", "POST", "PUT",
		"PATCH", "DELETE", "OPTIONS" };

	for (size_t i = 0; i < COUNT(names); i++)
		if (slice_is(method, names[i]))
			return true;
	return false;
}

/* ---- the end */

static void
log_line(const struct pass *p, int status, const char *outcome)
{
	char wall[CLOCK_ISO_BYTES];
	struct buf b;

	clock_iso(clock_wall_ms(), wall);
	buf_init(&b, LINE_MAX_BYTES);
	buf_addc(&b, '{');
	jput_member(&b, "request", p->id);
	jput_member(&b, "path", p->target);
	jput_member(&b, "provider", p->to->name);
	jput_uint(&b, "status", (uint64_t)status);
	jput_member(&b, "outcome", outcome);
	jput_ms(&b, "ms", loop_now_us(p->gate->loop) - p->started_us);
	jput_member(&b, "wall", wall);
	buf_addc(&b, '}');
	decision_log_line(p->gate->log, &b);
	buf_done(&b);
}

static void
pass_close(struct pass *p, int status, enum cause cause)
{
	static const struct limit_use nothing = { 0, 0 };
	struct gateway *g = p->gate;

	if (p->fetch)
		fetch_cancel(p->fetch);
	if (cause != CAUSE_INVALID)
		p->to->live->causes[cause]++;
	g->stats.by_class[status / 100 < 6 ? status / 100 : 5]++;
	log_line(p, status, cause_facts(cause)->name);
	limit_leave(g->limits, &p->hold, &nothing);
	evtimer_del(&p->timer);
	if ((*p->link = p->next))
		p->next->link = p->link;
	buf_done(&p->held);
	gunzip_free(p->gunzip);
	free(p->target);
	conf_unref(p->conf);
	free(p);
}

static void
refuse(struct pass *p, const struct answer_stamp_error *e,
    const struct answer_stamp *extra)
{
	answer_stamp_refuse(p->client, e, extra);
	p->client = NULL;
}

static void
fail(struct pass *p, enum cause cause)
{
	const struct cause_facts *facts = cause_facts(cause);
	char message[512];
	struct answer_stamp_error e = { facts->status, facts->name, NULL,
		message, NULL };
	int status = p->status ? p->status : facts->status;

	snprintf(message, sizeof message, "%.200s %s", p->to->name,
	    facts->phrase);
	if (p->status) {
		serve_abort(p->client, SERVE_END_RST);
		p->client = NULL;
	} else {
		refuse(p, &e, NULL);
	}
	pass_close(p, status, cause);
}

void
pass_drop_all(struct gateway *g)
{
	struct pass *p, *next;

	for (p = g->passes; p; p = next) {
		next = p->next;
		serve_abort(p->client, SERVE_END_RST);
		pass_close(p, 503, CAUSE_DEADLINE);
	}
}

/* ---- time */

static int64_t
idle_of(const struct pass *p)
{
	return silence_limit_ms(p->conf->terms.timers.idle_ms, PATIENCE_MAX_MS,
	    false);
}

/* The idle time (0: none), but never beyond the total. */
static void
arm(struct pass *p, int64_t idle_ms)
{
	uint64_t end =
	    p->started_us + (uint64_t)p->conf->terms.timers.total_ms * 1000;
	uint64_t idle_end =
	    loop_now_us(p->gate->loop) + (uint64_t)idle_ms * 1000;

	loop_arm_at(&p->timer, idle_ms && idle_end < end ? idle_end : end);
}

static void
on_timer(evutil_socket_t fd, short what, void *arg)
{
	struct pass *p = arg;

	(void)fd;
	(void)what;
	fail(p, p->status ? CAUSE_IDLE : CAUSE_TIMEOUT);
}

/* ---- coming back */

/* Sorted.  What is ours to say. */
#define OUR_PREFIX "x-kf-"

static const char *const stays_there[] = {
	"content-length",
	"x-local-gateway",
	"x-request-id",
};

static bool
comes_back(const struct http1_head *h, struct slice name)
{
	for (size_t i = 0; i < COUNT(stays_there); i++)
		if (slice_is_nocase(name, stays_there[i]))
			return false;
	/* Another gateway's account of itself is none of ours. */
	if (name.n >= strlen(OUR_PREFIX) &&
	    strncasecmp(name.p, OUR_PREFIX, strlen(OUR_PREFIX)) == 0)
		return false;
	return !hopbyhop_ends_here(h, name);
}

/* Errors, redirections and echoes quote what they were sent.  A part of what is
 * compressed nobody can read. */
static void
guard(struct pass *p, const struct http1_head *h)
{
	const struct slice *encoding = http1_get(h, "content-encoding");

	p->is_guarded = conf_hides(p->to) && !(encoding && h->status == 206);
	if (!p->is_guarded)
		return;
	buf_init(&p->held, (size_t)p->conf->answer_bytes);
	p->gunzip = encoding ? gunzip_new(*encoding) : NULL;
}

static void
on_head(struct fetch *f, const struct http1_head *h, void *arg)
{
	struct http1_field fields[FIELDS_MAX];
	struct upstream_headers_text text;
	struct pass *p = arg;
	size_t n;
	enum err e;

	(void)f;
	if (h->status < 200)
		return;
	p->status = h->status;
	guard(p, h);
	upstream_headers_text_init(&text, h);
	n = answer_stamp_put(fields, p->id);
	fields[n++] =
	    (struct http1_field){ "x-tfy-resolved-provider", p->to->name };
	for (size_t i = 0; i < h->nheaders; i++)
		if (comes_back(h, h->headers[i].name) &&
		    !(p->gunzip &&
		        slice_is_nocase(h->headers[i].name,
		            "content-encoding")))
			fields[n++] =
			    upstream_headers_text_put(&text, &h->headers[i]);
	/* A redirection repeats the query, and a key in it. */
	conf_hide_keys(p->to, text.text, (size_t)(text.to - text.text));
	e = serve_start(p->client, h->status, fields, n);
	upstream_headers_text_done(&text);
	if (e == ERR_SYNTAX) {
		/* Nothing of it was sent, so the client can still be told. */
		p->status = 0;
		fail(p, CAUSE_PROTOCOL);
		return;
	}
	arm(p, idle_of(p));
}

static void
send_on(struct pass *p, const char *bytes, size_t n)
{
	if (n > 0 && serve_write(p->client, bytes, n) == ERR_AGAIN) {
		/* It is the client that is slow: the provider's idle time
		 * waits with it. */
		if (p->fetch)
			fetch_pause(p->fetch);
		arm(p, 0);
		return;
	}
	arm(p, idle_of(p));
}

/* All but what may be the beginning of a key. */
static void
send_held(struct pass *p, size_t kept)
{
	size_t n = p->held.len - kept;

	conf_hide_keys(p->to, p->held.data, n);
	send_on(p, p->held.data, n);
	buf_drop(&p->held, n);
}

static void
on_data(struct fetch *f, const char *bytes, size_t n, void *arg)
{
	struct pass *p = arg;
	enum err e;

	(void)f;
	if (!p->is_guarded) {
		send_on(p, bytes, n);
		return;
	}
	e = p->gunzip ? gunzip_feed(p->gunzip, bytes, n, &p->held)
	              : buf_add(&p->held, bytes, n);
	if (e != ERR_OK) {
		fail(p, e == ERR_TOOBIG ? CAUSE_TOO_BIG : CAUSE_PROTOCOL);
		return;
	}
	send_held(p, conf_hidden_begun(p->to, p->held.data, p->held.len));
}

static void
on_end(struct fetch *f, void *arg)
{
	struct pass *p = arg;

	(void)f;
	p->fetch = NULL;
	if (p->held.len > 0)
		send_held(p, 0);
	if (p->gunzip && !gunzip_is_whole(p->gunzip)) {
		fail(p, CAUSE_CUT);
		return;
	}
	serve_finish(p->client);
	p->client = NULL;
	pass_close(p, p->status, p->status < 400 ? CAUSE_OK : CAUSE_STATUS);
}

static void
on_fail(struct fetch *f, enum fetch_fail why, const char *text, void *arg)
{
	struct pass *p = arg;

	(void)f;
	(void)text;
	p->fetch = NULL;
	fail(p, cause_of_fetch(why));
}

static const struct fetch_ops upstream_ops = {
	.on_head = on_head,
	.on_data = on_data,
	.on_end = on_end,
	.on_fail = on_fail,
};

/* ---- the client */

static void
on_gone(struct serve_call *sc, enum serve_gone why, void *arg)
{
	struct pass *p = serve_data(sc);

	(void)why;
	(void)arg;
	p->client = NULL;
	p->gate->stats.gone++;
	pass_close(p, 499, CAUSE_CLIENT_GONE);
}

static void
on_drain(struct serve_call *sc, void *arg)
{
	struct pass *p = serve_data(sc);

	(void)arg;
	if (p->fetch)
		fetch_resume(p->fetch);
	arm(p, idle_of(p));
}

static const struct front_work pass_work = { on_gone, on_drain };

/* ---- going out */

static void
refuse_limit(struct pass *p, const struct limit_refusal *r)
{
	struct answer_stamp_error e = { 429,
		r->rule->is_budget ? "budget_exceeded" : "rate_limit_exceeded",
		NULL, "a limit is reached", NULL };
	uint64_t wait_s = r->wait_s < 60 ? r->wait_s : 60;
	struct answer_stamp extra = { .n = 0 };
	char after[24];

	snprintf(after, sizeof after, "%u", wait_s ? (unsigned)wait_s : 1);
	answer_stamp_add(&extra, "retry-after", after);
	if (limit_is_hopeless(r))
		answer_stamp_add(&extra, "x-should-retry", "false");
	refuse(p, &e, &extra);
	pass_close(p, 429, CAUSE_INVALID);
}

static bool
enter_limits(struct pass *p, const struct conf_key *caller)
{
	struct route_ask who = { caller->subject, "", NULL,
		serve_head(p->client), caller->groups };
	struct limit_question q = { p->conf->limits, p->conf->nlimits, &who,
		{ 0, 0 }, clock_wall_ms() / 1000 };
	struct limit_refusal refusal;

	if (limit_enter(p->gate->limits, &q, &p->hold, &refusal) == ERR_OK)
		return true;
	p->gate->stats.limited++;
	refuse_limit(p, &refusal);
	return false;
}

/* The log has the target without it. */
static char *
with_key(const struct pass *p, size_t key)
{
	const char *query = conf_key_query(p->to, key);

	if (*query && strchr(p->target, '?'))
		return xasprintf("%s&%s", p->target, query + 1);
	return xasprintf("%s%s", p->target, query);
}

static void
send_request(struct pass *p)
{
	const struct http1_head *h = serve_head(p->client);
	struct slice body = serve_body(p->client);
	char *method = slice_dup(h->method);
	size_t key = provider_keys_next(p->to, p->started_us / 1000);
	char *target = with_key(p, key);
	struct fetch_request req = { .addr = p->to->url.addr,
		.tls = p->to->url.tls,
		.method = method,
		.target = target,
		.body = body.p,
		.body_bytes = body.n,
		.has_body = h->framing != HTTP1_NO_BODY,
		.connect_timeout_ms =
		    (uint32_t)p->conf->terms.timers.connect_ms };
	struct upstream_headers fields;

	/* Nobody knows what a second one of these would do. */
	req.once = !slice_is(h->method, "GET") &&
	    !slice_is(h->method, "HEAD") && !http1_get(h, "idempotency-key");
	upstream_headers_init_plain(&fields, h, p->to, key);
	req.fields = fields.fields;
	req.nfields = fields.n;
	p->fetch = fetch_start(p->gate->pool, &req, &upstream_ops, p);
	upstream_headers_done(&fields);
	free(target);
	free(method);
}

void
pass_start(struct gateway *g, struct serve_call *sc, const struct pass_ask *ask)
{
	struct pass *p = xcalloc(1, sizeof *p);

	p->work = &pass_work;
	p->gate = g;
	p->conf = conf_ref(g->conf);
	p->client = sc;
	p->to = ask->to;
	p->started_us = serve_started_us(sc);
	p->target =
	    xasprintf("%s" SLICE_FMT, ask->to->url.path, SLICE_ARG(ask->rest));
	p->link = &g->passes;
	if ((p->next = g->passes))
		p->next->link = &p->next;
	g->passes = p;
	answer_stamp_new_id(p->id);
	serve_set_data(sc, p);
	evtimer_assign(&p->timer, loop_base(g->loop), on_timer, p);
	if (!enter_limits(p, ask->caller))
		return;
	send_request(p);
	arm(p, 0);
}
