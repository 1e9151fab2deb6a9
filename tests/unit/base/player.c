/* The playing server; see player.h. */
#include "tests/unit/base/player.h"

#include "base/clock.h"
#include "base/log.h"
#include "tests/unit.h"
#include "tests/unit/base/wire.h"
#include <string.h>

#define LATER_US (20 * US_PER_MS)

static void
on_later(evutil_socket_t fd, short what, void *arg)
{
	struct player *b = arg;

	(void)fd;
	(void)what;
	(void)serve_answer(b->waiting, 200, NULL, 0, "later", 5);
}

static void
play_later(struct serve_call *c, struct player *b)
{
	b->waiting = c;
	loop_arm(b->later, LATER_US);
}

static void
play_whole(struct serve_call *c, struct player *b)
{
	static const struct http1_field fields[] = { { "X-A", "b" },
		{ "content-length", "99" }, { "Date", "never" } };

	(void)b;
	(void)serve_answer(c, 200, fields, 3, "hello", 5);
}

static void
play_echo(struct serve_call *c, struct player *b)
{
	struct slice body = serve_body(c);

	(void)b;
	(void)serve_answer(c, 200, NULL, 0, body.p, body.n);
}

static void
play_stream(struct serve_call *c, struct player *b)
{
	(void)b;
	serve_release(c); /* too early: nothing happens */
	CHECK(serve_head(c)->method.n > 0, "the request is still there");
	(void)serve_start(c, 200, NULL, 0);
	(void)serve_write(c, "one", 3);
	serve_release(c);
	(void)serve_write(c, "", 0);
	(void)serve_write(c, "sixteen bytes...", 16);
	serve_finish(c);
}

static void
play_empty(struct serve_call *c, struct player *b)
{
	(void)b;
	(void)serve_answer(c, 204, NULL, 0, NULL, 0);
}

static const struct http1_field bad[] = { { "X", "a\r\nSet-Cookie: b" },
	{ "X-A", "b" }, { "X-C", "d\x7f" } };

static void
play_inject(struct serve_call *c, struct player *b)
{
	(void)b;
	CHECK_INT(serve_start(c, 99, bad, COUNT(bad)), ERR_SYNTAX, "no status");
	CHECK_INT(serve_answer(c, 201, bad, COUNT(bad), "x", 1), ERR_OK,
	    "the answer goes on");
}

static void
play_inject_stream(struct serve_call *c, struct player *b)
{
	(void)b;
	CHECK_INT(serve_start(c, 200, bad, COUNT(bad)), ERR_OK, "so it begins");
	serve_finish(c);
}

static void
play_raw(struct serve_call *c, struct player *b)
{
	(void)b;
	(void)serve_raw(c, "HTTP/1.1 200 Fine\r\n", 19);
	(void)serve_raw(c, "Content-Length: 2\r\n\r\nok", 23);
	serve_raw_done(c);
}

static void
play_rst(struct serve_call *c, struct player *b)
{
	(void)b;
	(void)serve_raw(c, "HTTP/1.1 200 OK\r\n\r\ncut he", 25);
	serve_abort(c, SERVE_END_RST);
}

static void
play_fin(struct serve_call *c, struct player *b)
{
	(void)b;
	serve_abort(c, SERVE_END_FIN);
}

static void
play_cut(struct serve_call *c, struct player *b)
{
	(void)b;
	(void)serve_start(c, 200, NULL, 0);
	(void)serve_write(c, "half", 4);
	serve_abort(c, SERVE_END_FIN);
}

static void
play_wait(struct serve_call *c, struct player *b)
{
	b->waiting = c;
}

static void
fill_big(struct serve_call *c, struct player *b)
{
	static char bytes[65536];
	enum err e = ERR_OK;
	size_t n;

	while (b->big_left > 0 && e == ERR_OK) {
		n = b->big_left < sizeof bytes ? b->big_left : sizeof bytes;
		memset(bytes, 'a' + (int)(b->big_left / sizeof bytes % 26), n);
		b->big_left -= n;
		e = serve_write(c, bytes, n);
		if (serve_pending_bytes(c) > b->pending_max)
			b->pending_max = serve_pending_bytes(c);
	}
	if (e == ERR_AGAIN)
		b->big_stops++;
	else
		serve_finish(c);
}

static void
play_big(struct serve_call *c, struct player *b)
{
	b->big_left = PLAYER_BIG_BYTES;
	(void)serve_start(c, 200, NULL, 0);
	fill_big(c, b);
}

static const struct {
	const char *target;
	void (*play)(struct serve_call *c, struct player *b);
} plays[] = {
	{ "/big", play_big },
	{ "/cut", play_cut },
	{ "/echo", play_echo },
	{ "/empty", play_empty },
	{ "/fin", play_fin },
	{ "/inject", play_inject },
	{ "/inject-stream", play_inject_stream },
	{ "/later", play_later },
	{ "/raw", play_raw },
	{ "/rst", play_rst },
	{ "/stream", play_stream },
	{ "/wait", play_wait },
	{ "/whole", play_whole },
};

static void
on_request(struct serve_call *c, void *arg)
{
	struct player *b = arg;

	b->played++;
	for (size_t i = 0; i < COUNT(plays); i++)
		if (slice_is(serve_head(c)->target, plays[i].target)) {
			plays[i].play(c, b);
			return;
		}
	(void)serve_answer(c, 404, NULL, 0, NULL, 0);
}

static void
on_refuse(struct serve_call *c, int status, const char *reason, void *arg)
{
	struct player *b = arg;

	b->refused = status;
	(void)serve_answer(c, status, NULL, 0, reason, 0);
}

static void
on_gone(struct serve_call *c, enum serve_gone why, void *arg)
{
	struct player *b = arg;

	(void)c;
	b->gone = 1 + (int)why;
}

static void
on_drain(struct serve_call *c, void *arg)
{
	fill_big(c, arg);
}

const struct serve_ops player_ops = { .on_request = on_request,
	.on_refuse = on_refuse,
	.on_gone = on_gone,
	.on_drain = on_drain };

void
player_open(struct player *b, const struct serve_conf *conf)
{
	struct serve_conf c = { 0 };
	struct why why;

	*b = (struct player){ 0 };
	if (conf)
		c = *conf;
	c.listen = (struct addr){ .host = "127.0.0.1" };
	b->loop = loop_new(NULL, NULL);
	b->later = evtimer_new(loop_base(b->loop), on_later, b);
	if (serve_new(b->loop, &c, &player_ops, b, &b->serve, &why) != ERR_OK)
		fatalx("%s", why.text);
	serve_address(b->serve, &b->addr);
}

void
player_close(struct player *b)
{
	serve_free(b->serve);
	event_free(b->later);
	loop_free(b->loop);
}

void
player_run_ms(struct player *b, uint32_t ms)
{
	struct timeval tv = { 0, (suseconds_t)(ms * 1000) };

	event_base_loopexit(loop_base(b->loop), &tv);
	loop_run(b->loop);
}

bool
player_await_request(struct player *b, unsigned n)
{
	uint64_t until = clock_mono_ms() + WIRE_PATIENCE_MS;

	while (b->played < n && clock_mono_ms() < until)
		event_base_loop(loop_base(b->loop), EVLOOP_NONBLOCK);
	return b->played >= n;
}
