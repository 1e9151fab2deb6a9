/* A provider, a timer: the next question, or the end of the patience. */
#include "gateway/service/health_checks.h"

#include "base/log.h"
#include "base/mem.h"
#include "gateway/exchange/gateway.h"
#include "gateway/routing/provider_keys.h"
#include "gateway/text/jput.h"
#include <event2/event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIELDS_MAX 64
#define BODY_MAX   4096
#define REASON_MAX 160

struct check {
	struct health_checks *all;
	const struct conf_provider *to; /* of all->conf */
	struct event *timer;
	struct fetch *fetch; /* NULL: none is asked now */
	int64_t streak;      /* answers of that kind in a row */
	bool was_good;
};

struct health_checks {
	struct gateway *gate;
	struct conf *conf;    /* a reference */
	struct check *checks; /* owned */
	size_t n;
};

/* ---- what an answer says */

static void
change(const struct check *c, bool is_down, const char *why)
{
	c->to->live->is_down = is_down;
	if (is_down)
		log_error("health",
		    "%s is down: %s, %lld times in a row; its targets are "
		    "skipped",
		    c->to->name, why, (long long)c->streak);
	else
		log_info("health", "%s is up again", c->to->name);
}

/* why: what was wrong; NULL: nothing. */
static void
note(struct check *c, const char *why)
{
	const struct conf_health *h = &c->to->health;
	bool is_good = !why, is_down = c->to->live->is_down;

	c->fetch = NULL;
	c->streak = is_good == c->was_good ? c->streak + 1 : 1;
	c->was_good = is_good;
	if (is_down == is_good && c->streak >= (is_good ? h->passes : h->fails))
		change(c, !is_good, why);
	loop_arm(c->timer, (uint64_t)h->interval_ms * US_PER_MS);
}

static void
on_end(struct fetch *f, void *arg)
{
	char why[REASON_MAX];

	snprintf(why, sizeof why, "it answered %d", fetch_status(f));
	note(arg, fetch_status(f) / 100 == 2 ? NULL : why);
}

static void
on_fail(struct fetch *f, enum fetch_fail fail, const char *text, void *arg)
{
	char why[REASON_MAX];

	(void)f;
	(void)fail;
	snprintf(why, sizeof why, "%s", text);
	note(arg, why);
}

/* ---- the question */

static void
write_question(const struct conf_health *h, struct buf *b)
{
	buf_addc(b, '{');
	jput_member(b, "model", h->model);
	buf_adds(b,
	    ",\"messages\":[{\"role\":\"user\",\"content\":\"ping\"}],"
	    "\"max_tokens\":1}");
}

static size_t
fill_fields(const struct conf_provider *p, size_t key,
    struct http1_field fields[FIELDS_MAX])
{
	const char *value = NULL;
	const char *name =
	    conf_key_header(p, schema_of(SCHEMA_CHAT), key, &value);
	size_t n = 0;

	fields[n++] = (struct http1_field){ "user-agent", "kf-gateway" };
	fields[n++] = (struct http1_field){ "accept", "application/json" };
	if (p->health.model)
		fields[n++] =
		    (struct http1_field){ "content-type", "application/json" };
	if (name)
		fields[n++] = (struct http1_field){ name, value };
	for (const struct ynode *h = p->headers ? p->headers->first : NULL;
	     h && n < FIELDS_MAX; h = h->next)
		fields[n++] = (struct http1_field){ h->key, h->text };
	return n;
}

static void
ask(struct check *c)
{
	static const struct fetch_ops ops = { .on_end = on_end,
		.on_fail = on_fail };
	const struct conf_provider *p = c->to;
	struct gateway *g = c->all->gate;
	size_t key = provider_keys_next(p, loop_now_us(g->loop) / 1000);
	struct http1_field fields[FIELDS_MAX];
	char *target = xasprintf("%s%s", p->health.target,
	    p->nsecrets > 0 ? p->secrets[key].query : "");
	struct fetch_request req = { .addr = p->url.addr,
		.tls = p->url.tls,
		.method = p->health.model ? "POST" : "GET",
		.target = target,
		.fields = fields,
		.nfields = fill_fields(p, key, fields) };
	struct buf body;

	buf_init(&body, BODY_MAX);
	if (p->health.model) {
		write_question(&p->health, &body);
		req.has_body = true;
		req.body = body.data;
		req.body_bytes = body.len;
	}
	c->fetch = fetch_start(g->pool, &req, &ops, c);
	loop_arm(c->timer, (uint64_t)p->health.timeout_ms * US_PER_MS);
	buf_done(&body);
	free(target);
}

static void
on_timer(evutil_socket_t fd, short what, void *arg)
{
	struct check *c = arg;

	(void)fd;
	(void)what;
	if (!c->fetch) {
		ask(c);
		return;
	}
	fetch_cancel(c->fetch);
	note(c, "it did not answer in time");
}

/* ---- life */

static void
drop_all(struct health_checks *h)
{
	for (size_t i = 0; i < h->n; i++) {
		if (h->checks[i].fetch)
			fetch_cancel(h->checks[i].fetch);
		event_free(h->checks[i].timer);
	}
	free(h->checks);
	h->checks = NULL;
	h->n = 0;
	conf_unref(h->conf);
	h->conf = NULL;
}

void
health_checks_bind(struct health_checks *h)
{
	drop_all(h);
	h->conf = conf_ref(h->gate->conf);
	h->checks = xcalloc(h->conf->nproviders + 1, sizeof *h->checks);
	for (size_t i = 0; i < h->conf->nproviders; i++) {
		const struct conf_provider *p = &h->conf->providers[i];
		struct check *c = &h->checks[h->n];

		if (!p->health.target) {
			p->live->is_down = false;
			continue;
		}
		h->n++;
		c->all = h;
		c->to = p;
		c->timer = evtimer_new(loop_base(h->gate->loop), on_timer, c);
		loop_arm(c->timer, 0);
	}
}

struct health_checks *
health_checks_new(struct gateway *g)
{
	struct health_checks *h = xcalloc(1, sizeof *h);

	h->gate = g;
	health_checks_bind(h);
	return h;
}

void
health_checks_free(struct health_checks *h)
{
	if (!h)
		return;
	drop_all(h);
	free(h);
}
