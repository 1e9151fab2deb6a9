/*
 * One end is a call of base/serve, the other a raw fetch; each pauses the
 * other when its own side is full.  A FIN of the client's is passed on and the
 * host may still speak; a FIN of the host's is the end.
 */
#include "chaos/http/tunnel.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>

#include "base/mem.h"
#include "chaos/http/forward.h"

#define TEXT_MAX 256

struct tunnel {
	TAILQ_ENTRY(tunnel) entry;
	struct tunnels *all;
	struct serve_call *call; /* borrowed */
	struct fetch *fetch;     /* borrowed */
	struct tunnel_conf conf;
	bool is_open; /* the client was told so */
};

struct tunnels {
	struct fetch_pool *pool; /* borrowed */
	TAILQ_HEAD(, tunnel) list;
};

struct tunnels *
tunnels_new(struct fetch_pool *pool)
{
	struct tunnels *t = xcalloc(1, sizeof *t);

	t->pool = pool;
	TAILQ_INIT(&t->list);
	return t;
}

static void
forget(struct tunnel *t)
{
	TAILQ_REMOVE(&t->all->list, t, entry);
	free(t);
}

void
tunnels_free(struct tunnels *t)
{
	struct tunnel *one, *next;

	if (!t)
		return;
	for (one = TAILQ_FIRST(&t->list); one; one = next) {
		next = TAILQ_NEXT(one, entry);
		tunnel_gone(one);
	}
	free(t);
}

/* ---- the host */

static void
on_tunnel(struct fetch *f, const struct http1_head *h, void *arg)
{
	struct tunnel *t = arg;

	(void)f;
	(void)h;
	t->is_open = true;
	serve_raw(t->call, t->conf.established, strlen(t->conf.established));
	serve_tunnel(t->call);
}

static void
on_data(struct fetch *f, const char *p, size_t n, void *arg)
{
	struct tunnel *t = arg;

	if (serve_raw(t->call, p, n) == ERR_AGAIN)
		fetch_pause(f);
}

static void
on_drain(struct fetch *f, void *arg)
{
	(void)f;
	serve_tunnel_pause(((struct tunnel *)arg)->call, false);
}

static void
on_end(struct fetch *f, void *arg)
{
	struct tunnel *t = arg;

	(void)f;
	serve_set_data(t->call, NULL);
	serve_abort(t->call, SERVE_END_FIN);
	forget(t);
}

static void
on_fail(struct fetch *f, enum fetch_fail fail, const char *text, void *arg)
{
	static const struct http1_field plain = { "Content-Type",
		"text/plain; charset=utf-8" };
	struct tunnel *t = arg;
	char body[TEXT_MAX];
	bool is_inward = fail == FETCH_FAIL_INWARD;
	int status = is_inward ? 403 : 502;

	(void)f;
	(void)snprintf(body, sizeof body, "%d %s: %s\n", status,
	    http1_reason(status), is_inward ? FORWARD_INWARD_TEXT : text);
	if (is_inward)
		forward_tell_inward(t->conf.proxy, t->conf.to.host);
	serve_set_data(t->call, NULL);
	if (t->is_open)
		serve_abort(t->call, SERVE_END_RST);
	else
		(void)serve_answer(t->call, status, &plain, 1, body,
		    strlen(body));
	forget(t);
}

static const struct fetch_ops fetch_ops = {
	.on_data = on_data,
	.on_end = on_end,
	.on_fail = on_fail,
	.on_tunnel = on_tunnel,
	.on_drain = on_drain,
};

void
tunnel_start(struct tunnels *all, struct serve_call *c,
    const struct tunnel_conf *conf)
{
	struct tunnel *t = xcalloc(1, sizeof *t);

	t->all = all;
	t->call = c;
	t->conf = *conf;
	TAILQ_INSERT_TAIL(&all->list, t, entry);
	serve_set_data(c, t);
	t->fetch = fetch_start(all->pool,
	    &(struct fetch_request){ .addr = conf->to,
	        .method = "CONNECT",
	        .target = "",
	        .raw = true,
	        .fresh = true,
	        .once = true,
	        .outward = conf->is_outward },
	    &fetch_ops, t);
}

/* ---- the client */

void
tunnel_bytes(struct tunnel *t, const char *p, size_t n)
{
	if (n == 0)
		fetch_send_end(t->fetch);
	else if (fetch_send(t->fetch, p, n) == ERR_AGAIN)
		serve_tunnel_pause(t->call, true);
}

void
tunnel_drain(struct tunnel *t)
{
	fetch_resume(t->fetch);
}

void
tunnel_gone(struct tunnel *t)
{
	fetch_cancel(t->fetch);
	forget(t);
}
