/*
 * The pool: which hosts there are, which requests are under way, and how
 * each of them ends.
 *
 * A request is written into its own buffer at once and stays there until the
 * answer begins, so that it can be sent again when a pooled connection turns
 * out to be stale.
 */
#include "base/fetch.h"

#include "base/fetch_priv.h"
#include "base/mem.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define REQUEST_MAX (256u << 20)
#define REQUEST_KEEP                                                           \
	16384 /* a spare request's buffer up to this size stays                \
	       */

#define LITERAL(b, text) buf_add((b), (text), sizeof(text) - 1)

static struct fetch *take_fetch(struct fetch_pool *p);
static void recycle(struct fetch *f);
static struct fetch_host *find_host(struct fetch_pool *p,
    const struct fetch_request *r);
static enum err write_request(struct fetch *f, const struct fetch_request *r);
static void put_host(const struct fetch_request *r, char out[ADDR_TEXT_MAX]);
static bool is_ours(const char *name);
static void on_later(evutil_socket_t fd, short what, void *arg);
static void on_reap(evutil_socket_t fd, short what, void *arg);
static void release(struct fetch *f);

static const char *const fail_names[FETCH_NFAILS] = {
	[FETCH_FAIL_RESOLVE] = "resolve",
	[FETCH_FAIL_REFUSED] = "refused",
	[FETCH_FAIL_CONNECT_TIMEOUT] = "connect-timeout",
	[FETCH_FAIL_TLS] = "tls",
	[FETCH_FAIL_RESET] = "reset",
	[FETCH_FAIL_EMPTY] = "empty",
	[FETCH_FAIL_CUT] = "cut",
	[FETCH_FAIL_PROTOCOL] = "protocol",
	[FETCH_FAIL_INWARD] = "inward",
};

const char *
fetch_fail_name(enum fetch_fail f)
{
	return fail_names[f];
}

struct fetch_pool *
fetch_pool_new(struct loop *l, const struct fetch_pool_conf *conf)
{
	struct fetch_pool *p = xcalloc(1, sizeof *p);

	if (conf)
		p->conf = *conf;
	if (!p->conf.connect_timeout_ms)
		p->conf.connect_timeout_ms = 5000;
	if (!p->conf.idle_timeout_ms)
		p->conf.idle_timeout_ms = 30000;
	if (!p->conf.idle_per_host)
		p->conf.idle_per_host = 256;
	p->loop = l;
	TAILQ_INIT(&p->fetches);
	TAILQ_INIT(&p->spare);
	TAILQ_INIT(&p->hosts);
	TAILQ_INIT(&p->dead);
	event_assign(&p->reaper, loop_base(l), -1, 0, on_reap, p);
	p->resolver = resolver_new(loop_base(l), p->conf.servers);
	return p;
}

void
fetch_pool_free(struct fetch_pool *p)
{
	struct fetch_host *h, *next_host;
	struct fetch_conn *c, *next_conn;
	struct fetch *f, *next;

	if (!p)
		return;
	for (f = TAILQ_FIRST(&p->fetches); f; f = next) {
		next = TAILQ_NEXT(f, link);
		fetch_cancel(f);
	}
	/* A host goes with its last connection; all are idle now. */
	for (h = TAILQ_FIRST(&p->hosts); h; h = next_host) {
		next_host = TAILQ_NEXT(h, link);
		for (c = TAILQ_FIRST(&h->idle); c; c = next_conn) {
			next_conn = TAILQ_NEXT(c, link);
			fetch_conn_close(c);
		}
	}
	for (f = TAILQ_FIRST(&p->spare); f; f = next) {
		next = TAILQ_NEXT(f, link);
		buf_done(&f->request);
		free(f);
	}
	event_del(&p->reaper);
	fetch_conn_reap(p);
	resolver_free(p->resolver);
	tls_context_free(p->tls);
	free(p);
}

static void
on_reap(evutil_socket_t fd, short what, void *arg)
{
	(void)fd;
	(void)what;
	fetch_conn_reap(arg);
}

/* ---- starting */

struct fetch *
fetch_start(struct fetch_pool *p, const struct fetch_request *r,
    const struct fetch_ops *ops, void *arg)
{
	struct fetch *f = take_fetch(p);

	f->ops = *ops;
	f->arg = arg;
	f->connect_timeout_ms = r->connect_timeout_ms
	    ? r->connect_timeout_ms
	    : p->conf.connect_timeout_ms;
	f->to_head = strcmp(r->method, "HEAD") == 0;
	f->once = r->once;
	f->upgrade = r->upgrade != NULL;
	f->raw = r->raw;
	TAILQ_INSERT_TAIL(&p->fetches, f, link);
	if (!r->raw && write_request(f, r) != ERR_OK) {
		fetch_fail_later(f, FETCH_FAIL_PROTOCOL,
		    "the request holds bytes that HTTP does not allow");
		return f;
	}
	f->host = find_host(p, r);
	if (r->fresh || !fetch_conn_reuse(f))
		fetch_conn_dial(f);
	return f;
}

static struct fetch *
take_fetch(struct fetch_pool *p)
{
	struct fetch *f = TAILQ_FIRST(&p->spare);

	if (f) {
		TAILQ_REMOVE(&p->spare, f, link);
		p->nspare--;
		return f;
	}
	f = xcalloc(1, sizeof *f);
	f->pool = p;
	buf_init(&f->request, REQUEST_MAX);
	event_assign(&f->later, loop_base(p->loop), -1, 0, on_later, f);
	return f;
}

static void
recycle(struct fetch *f)
{
	struct fetch_pool *p = f->pool;

	free(f->text);
	f->text = NULL;
	if (p->nspare == FETCH_SPARE_MAX) {
		buf_done(&f->request);
		free(f);
		return;
	}
	if (f->request.size > REQUEST_KEEP)
		buf_done(&f->request);
	buf_clear(&f->request);
	f->status = 0;
	f->upgrade = f->raw = f->had_trailers = false;
	f->reused = f->once = f->retried = f->paused = f->answered = f->ended =
	    false;
	TAILQ_INSERT_HEAD(&p->spare, f, link);
	p->nspare++;
}

static struct fetch_host *
find_host(struct fetch_pool *p, const struct fetch_request *r)
{
	struct fetch_host *h;

	TAILQ_FOREACH(h, &p->hosts, link)
		if (h->addr.port == r->addr.port && h->tls == r->tls &&
		    h->is_outward == r->outward &&
		    strcmp(h->addr.host, r->addr.host) == 0)
			return h;
	h = xcalloc(1, sizeof *h);
	h->addr = r->addr;
	h->tls = r->tls;
	h->is_outward = r->outward;
	TAILQ_INIT(&h->idle);
	TAILQ_INSERT_HEAD(&p->hosts, h, link);
	return h;
}

void
fetch_host_release(struct fetch_pool *p, struct fetch_host *h)
{
	if (--h->nconns > 0)
		return;
	TAILQ_REMOVE(&p->hosts, h, link);
	free(h);
}

static enum err
write_request(struct fetch *f, const struct fetch_request *r)
{
	bool has_body = r->has_body || r->body_bytes > 0;
	struct buf *b = &f->request;
	char host[ADDR_TEXT_MAX];
	struct http1_field host_field = { "Host", host };
	struct http1_field switching[] = { { "Connection", "Upgrade" },
		{ "Upgrade", r->upgrade } };
	enum err e;

	put_host(r, host);
	e = http1_put_request(b, r->method, r->target);
	if (e == ERR_OK)
		e = http1_put_field(b, &host_field);
	for (size_t i = 0; i < r->nfields && e == ERR_OK; i++)
		if (!is_ours(r->fields[i].name))
			e = http1_put_field(b, &r->fields[i]);
	for (size_t i = 0; r->upgrade && i < 2 && e == ERR_OK; i++)
		e = http1_put_field(b, &switching[i]);
	if (e == ERR_OK && has_body)
		e = http1_put_framing(b, HTTP1_LENGTH, r->body_bytes);
	if (e == ERR_OK)
		e = LITERAL(b, "\r\n");
	return e == ERR_OK ? buf_add(b, r->body, r->body_bytes) : e;
}

/* The default port is left out, as browsers and curl do. */
static void
put_host(const struct fetch_request *r, char out[ADDR_TEXT_MAX])
{
	char *colon;

	addr_format(&r->addr, out);
	colon = strrchr(out, ':');
	if (colon && r->addr.port == (r->tls ? 443 : 80))
		*colon = '\0';
}

/* Fields that fetch writes itself or decides; a caller's are left out. */
static bool
is_ours(const char *name)
{
	switch (name[0] | 0x20) {
	case 'c':
		return strcasecmp(name, "Connection") == 0 ||
		    strcasecmp(name, "Content-Length") == 0;
	case 'e':
		return strcasecmp(name, "Expect") == 0;
	case 'h':
		return strcasecmp(name, "Host") == 0;
	case 't':
		return strcasecmp(name, "Transfer-Encoding") == 0;
	default:
		return false;
	}
}

struct tls_context *
fetch_pool_tls(struct fetch_pool *p, char reason[TLS_REASON_MAX])
{
	if (!p->tls)
		p->tls = tls_client_new(p->conf.ca_file, reason);
	return p->tls;
}

/* ---- under way */

void
fetch_pause(struct fetch *f)
{
	f->paused = true;
	if (f->conn)
		fetch_conn_set_paused(f->conn, true);
}

void
fetch_resume(struct fetch *f)
{
	if (!f->paused)
		return;
	f->paused = false;
	if (f->conn)
		fetch_conn_set_paused(f->conn, false);
}

uint64_t
fetch_resent(const struct fetch_pool *p)
{
	return p->resent;
}

bool
fetch_reused(const struct fetch *f)
{
	return f->reused;
}

bool
fetch_is_sent(const struct fetch *f)
{
	const struct fetch_conn *c = f->conn;

	return c && c->state == FETCH_BUSY && c->established &&
	    stream_pending(&c->io) == 0;
}

bool
fetch_had_trailers(const struct fetch *f)
{
	return f->had_trailers;
}

int
fetch_status(const struct fetch *f)
{
	return f->status;
}

/* ---- the three ends */

void
fetch_cancel(struct fetch *f)
{
	if (f->ended)
		return; /* from inside on_end or on_fail */
	if (f->conn)
		fetch_conn_close(f->conn);
	release(f);
	recycle(f);
}

void
fetch_reset(struct fetch *f)
{
	if (!f->ended && f->conn && f->conn->state == FETCH_BUSY)
		stream_reset_at_close(&f->conn->io);
	fetch_cancel(f);
}

void
fetch_finish(struct fetch *f)
{
	release(f);
	f->ops.on_end(f, f->arg);
	recycle(f);
}

void
fetch_fail(struct fetch *f, enum fetch_fail fail, const char *text)
{
	if (f->conn)
		fetch_conn_close(f->conn);
	release(f);
	f->ops.on_fail(f, fail, text, f->arg);
	recycle(f);
}

static void
release(struct fetch *f)
{
	f->ended = true;
	event_del(&f->later);
	TAILQ_REMOVE(&f->pool->fetches, f, link);
	f->conn = NULL;
	f->host = NULL;
}

void
fetch_fail_later(struct fetch *f, enum fetch_fail fail, const char *text)
{
	f->fail = fail;
	free(f->text);
	f->text = xstrdup(text);
	event_active(&f->later, EV_TIMEOUT, 0);
}

static void
on_later(evutil_socket_t fd, short what, void *arg)
{
	struct fetch *f = arg;

	(void)fd;
	(void)what;
	fetch_fail(f, f->fail, f->text);
}
