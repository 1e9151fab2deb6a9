/*
 * One request at a time to the collector, with a time limit of our own: a
 * collector that takes the connection and says nothing must not hold back the
 * spans behind it for ever.  What it refused is not sent again, because spans
 * that come twice are worse than spans that are missing and counted.
 */
#include "gateway/telling/otel.h"

#include "base/fetch.h"
#include "base/mem.h"
#include "gateway/conf/conf.h"
#include "gateway/text/jput.h"
#include <event2/event.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#define WAITING_MAX (2U << 20)
#define WRAP_MAX    2048 /* what stands around the spans */
#define FIELDS_MAX  32
#define ANSWER_MAX  65536 /* of the collector */
#define SOON_US     (200 * US_PER_MS)
#define PATIENCE_US (5 * US_PER_S)

struct otel {
	struct fetch_pool *pool;      /* borrowed */
	const struct conf_otlp *conf; /* borrowed */
	struct event *timer, *limit;  /* until sending; for the collector */
	struct fetch *fetch;          /* NULL: none under way */
	struct buf waiting;           /* spans, with commas between */
	struct buf answer;            /* of the collector, as far as it fits */
	uint64_t nwaiting, nsending, sent, dropped;
};

static void on_timer(evutil_socket_t fd, short what, void *arg);
static void on_limit(evutil_socket_t fd, short what, void *arg);

struct otel *
otel_new(struct loop *l, struct fetch_pool *pool, const struct conf_otlp *conf)
{
	struct otel *o;

	if (!conf->is_on)
		return NULL;
	o = xcalloc(1, sizeof *o);
	o->pool = pool;
	o->conf = conf;
	o->timer = evtimer_new(loop_base(l), on_timer, o);
	o->limit = evtimer_new(loop_base(l), on_limit, o);
	buf_init(&o->waiting, WAITING_MAX);
	buf_init(&o->answer, ANSWER_MAX);
	return o;
}

void
otel_free(struct otel *o)
{
	if (!o)
		return;
	if (o->fetch)
		fetch_cancel(o->fetch);
	event_free(o->timer);
	event_free(o->limit);
	buf_done(&o->waiting);
	buf_done(&o->answer);
	free(o);
}

/* ---- collecting */

void
otel_add(struct otel *o, const struct buf *spans, uint64_t n)
{
	if (!o)
		return;
	if (o->waiting.len + spans->len + 1 > WAITING_MAX) {
		o->dropped += n;
		return;
	}
	if (o->waiting.len > 0)
		buf_addc(&o->waiting, ',');
	buf_add(&o->waiting, spans->data, spans->len);
	o->nwaiting += n;
	/* One batch at a time; settle() sends what came meanwhile. */
	if (!o->fetch && !evtimer_pending(o->timer, NULL))
		loop_arm(o->timer, SOON_US);
}

/* ---- sending */

/* Of the batch so many are lost. */
static void
settle(struct otel *o, uint64_t lost)
{
	o->sent += o->nsending - lost;
	o->dropped += lost;
	o->nsending = 0;
	o->fetch = NULL;
	evtimer_del(o->limit);
	if (o->nwaiting > 0)
		loop_arm(o->timer, SOON_US);
}

static void
on_limit(evutil_socket_t fd, short what, void *arg)
{
	struct otel *o = arg;

	(void)fd;
	(void)what;
	fetch_cancel(o->fetch);
	settle(o, o->nsending);
}

static void
on_data(struct fetch *f, const char *p, size_t n, void *arg)
{
	struct otel *o = arg;

	(void)f;
	(void)buf_add(&o->answer, p, n);
}

/* What a collector that took the batch refuses of it; JSON of protocol buffers
 * writes 64 bits as a string. */
static uint64_t
rejected(const struct otel *o)
{
	json_t *root = o->answer.data
	    ? json_loadb(o->answer.data, o->answer.len, 0, NULL)
	    : NULL;
	json_t *n = json_object_get(json_object_get(root, "partialSuccess"),
	    "rejectedSpans");
	long long v = json_is_string(n) ? atoll(json_string_value(n))
	                                : json_integer_value(n);

	json_decref(root);
	if (v <= 0)
		return 0;
	return (uint64_t)v < o->nsending ? (uint64_t)v : o->nsending;
}

static void
on_end(struct fetch *f, void *arg)
{
	struct otel *o = arg;

	settle(o, fetch_status(f) / 100 == 2 ? rejected(o) : o->nsending);
}

static void
on_fail(struct fetch *f, enum fetch_fail why, const char *text, void *arg)
{
	struct otel *o = arg;

	(void)f;
	(void)why;
	(void)text;
	settle(o, o->nsending);
}

static const struct fetch_ops ops = {
	.on_data = on_data,
	.on_end = on_end,
	.on_fail = on_fail,
};

static void
wrap(const struct otel *o, struct buf *body)
{
	buf_adds(body,
	    "{\"resourceSpans\":[{\"resource\":{\"attributes\":[{\"key\":"
	    "\"service.name\",\"value\":{");
	jput_member(body, "stringValue", o->conf->service);
	buf_adds(body,
	    "}}]},\"scopeSpans\":[{\"scope\":{\"name\":\"kf-gateway\"},"
	    "\"spans\":[");
	buf_add(body, o->waiting.data, o->waiting.len);
	buf_adds(body, "]}]}]}");
}

static void
send_spans(struct otel *o)
{
	struct http1_field fields[FIELDS_MAX] = { { "content-type",
	    "application/json" } };
	struct fetch_request req = { .addr = o->conf->url.addr,
		.tls = o->conf->url.tls,
		.method = "POST",
		.target = o->conf->target,
		.fields = fields,
		.nfields = 1 };
	const struct ynode *n =
	    o->conf->headers ? o->conf->headers->first : NULL;
	struct buf body;

	if (o->conf->authorization)
		fields[req.nfields++] = (struct http1_field){ "authorization",
			o->conf->authorization };
	for (; n && req.nfields < FIELDS_MAX; n = n->next)
		fields[req.nfields++] = (struct http1_field){ n->key, n->text };
	buf_init(&body, WAITING_MAX + WRAP_MAX);
	wrap(o, &body);
	req.body = body.data;
	req.body_bytes = body.len;
	buf_clear(&o->answer);
	o->fetch = fetch_start(o->pool, &req, &ops, o);
	loop_arm(o->limit, PATIENCE_US);
	o->nsending = o->nwaiting;
	o->nwaiting = 0;
	buf_clear(&o->waiting);
	buf_done(&body);
}

static void
on_timer(evutil_socket_t fd, short what, void *arg)
{
	struct otel *o = arg;

	(void)fd;
	(void)what;
	if (!o->fetch && o->nwaiting > 0)
		send_spans(o);
}

bool
otel_flush(struct otel *o)
{
	if (!o)
		return true;
	on_timer(-1, 0, o);
	return !o->fetch && o->nwaiting == 0;
}

/* ---- counts */

uint64_t
otel_sent(const struct otel *o)
{
	return o ? o->sent : 0;
}

uint64_t
otel_dropped(const struct otel *o)
{
	return o ? o->dropped : 0;
}
