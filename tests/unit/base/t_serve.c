/*
 * The server over real sockets.  The handler plays what the target asks for;
 * rows compare whole conversations, with the Date lines taken out.
 */
#include "base/serve.h"

#include "base/log.h"
#include "base/mem.h"
#include "tests/unit.h"
#include "tests/unit/base/wire.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define TEXT_MAX  (64u * 1024 * 1024)
#define BIG_TOTAL (8u * 1024 * 1024)

struct bench { /* one server on one loop */
	struct loop *loop;
	struct serve *serve;
	struct addr addr;
	struct serve_call *waiting; /* of /wait */
	struct event *later;
	int gone; /* 1 + enum serve_gone */
	int refused;
	size_t big_left, pending_max;
	int big_stops;
};

/* ---- the handler */

static void
on_later(evutil_socket_t fd, short what, void *arg)
{
	struct bench *b = arg;

	(void)fd;
	(void)what;
	(void)serve_answer(b->waiting, 200, NULL, 0, "later", 5);
}

static void
play_later(struct serve_call *c, struct bench *b)
{
	struct timeval tv = { 0, 20000 };

	b->waiting = c;
	event_add(b->later, &tv);
}

static void
play_whole(struct serve_call *c, struct bench *b)
{
	static const struct http1_field fields[] = { { "X-A", "b" },
		{ "content-length", "99" }, { "Date", "never" } };

	(void)b;
	(void)serve_answer(c, 200, fields, 3, "hello", 5);
}

static void
play_echo(struct serve_call *c, struct bench *b)
{
	struct slice body = serve_body(c);

	(void)b;
	(void)serve_answer(c, 200, NULL, 0, body.p, body.n);
}

static void
play_stream(struct serve_call *c, struct bench *b)
{
	(void)b;
	(void)serve_start(c, 200, NULL, 0);
	(void)serve_write(c, "one", 3);
	(void)serve_write(c, "", 0);
	(void)serve_write(c, "sixteen bytes...", 16);
	serve_finish(c);
}

static void
play_empty(struct serve_call *c, struct bench *b)
{
	(void)b;
	(void)serve_answer(c, 204, NULL, 0, NULL, 0);
}

static void
play_inject(struct serve_call *c, struct bench *b)
{
	static const struct http1_field bad = { "X", "a\r\nSet-Cookie: b" };

	(void)b;
	CHECK_INT(serve_start(c, 200, &bad, 1), ERR_SYNTAX, "bad start");
	CHECK_INT(serve_answer(c, 200, &bad, 1, "x", 1), ERR_SYNTAX,
	    "bad answer");
}

static void
play_raw(struct serve_call *c, struct bench *b)
{
	(void)b;
	(void)serve_raw(c, "HTTP/1.1 200 Fine\r\n", 19);
	(void)serve_raw(c, "Content-Length: 2\r\n\r\nok", 23);
	serve_raw_done(c);
}

static void
play_rst(struct serve_call *c, struct bench *b)
{
	(void)b;
	(void)serve_raw(c, "HTTP/1.1 200 OK\r\n\r\ncut he", 25);
	serve_abort(c, SERVE_END_RST);
}

static void
play_fin(struct serve_call *c, struct bench *b)
{
	(void)b;
	serve_abort(c, SERVE_END_FIN);
}

static void
play_cut(struct serve_call *c, struct bench *b)
{
	(void)b;
	(void)serve_start(c, 200, NULL, 0);
	(void)serve_write(c, "half", 4);
	serve_abort(c, SERVE_END_FIN);
}

static void
play_wait(struct serve_call *c, struct bench *b)
{
	b->waiting = c;
}

static void
fill_big(struct serve_call *c, struct bench *b)
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
play_big(struct serve_call *c, struct bench *b)
{
	b->big_left = BIG_TOTAL;
	(void)serve_start(c, 200, NULL, 0);
	fill_big(c, b);
}

static const struct {
	const char *target;
	void (*play)(struct serve_call *c, struct bench *b);
} plays[] = {
	{ "/big", play_big },
	{ "/cut", play_cut },
	{ "/echo", play_echo },
	{ "/empty", play_empty },
	{ "/fin", play_fin },
	{ "/inject", play_inject },
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
	for (size_t i = 0; i < sizeof plays / sizeof plays[0]; i++)
		if (slice_is(serve_head(c)->target, plays[i].target)) {
			plays[i].play(c, arg);
			return;
		}
	(void)serve_answer(c, 404, NULL, 0, NULL, 0);
}

static void
on_refuse(struct serve_call *c, int status, const char *reason, void *arg)
{
	struct bench *b = arg;

	b->refused = status;
	(void)serve_answer(c, status, NULL, 0, reason, 0);
}

static void
on_gone(struct serve_call *c, enum serve_gone why, void *arg)
{
	struct bench *b = arg;

	(void)c;
	b->gone = 1 + (int)why;
}

static void
on_drain(struct serve_call *c, void *arg)
{
	fill_big(c, arg);
}

static const struct serve_ops ops = { on_request, on_refuse, on_gone,
	on_drain };

static void
bench_open(struct bench *b, const struct serve_conf *conf)
{
	struct serve_conf c = { 0 };
	struct why why;

	*b = (struct bench){ 0 };
	if (conf)
		c = *conf;
	c.listen = (struct addr){ .host = "127.0.0.1" };
	b->loop = loop_new(NULL, NULL);
	b->later = evtimer_new(loop_base(b->loop), on_later, b);
	if (serve_new(b->loop, &c, &ops, b, &b->serve, &why) != ERR_OK)
		fatalx("%s", why.text);
	serve_address(b->serve, &b->addr);
}

static void
bench_close(struct bench *b)
{
	serve_free(b->serve);
	event_free(b->later);
	loop_free(b->loop);
}

static void
drop_dates(char *text)
{
	char *date, *end;

	while ((date = strstr(text, "Date: "))) {
		end = strstr(date, "\r\n") + 2;
		memmove(date, end, strlen(end) + 1);
	}
}

/* ---- conversations */

#define H    " HTTP/1.1\r\nHost: h\r\n"
#define OK   "HTTP/1.1 200 OK\r\n"
#define LEN5 "Content-Length: 5\r\n\r\n"
#define LAST                                                                   \
	"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: "          \
	"close\r\n\r\n"
#define BYE "GET /none" H "Connection: close\r\n\r\n" /* then comes LAST */
#define NO(status)                                                             \
	"HTTP/1.1 " status "\r\nContent-Length: 0\r\nConnection: "             \
	                   "close\r\n\r\n"

/* Every conversation ends with the server closing. */
/* clang-format off */
static const struct {
	const char *what, *send, *want;
	enum wire_end end;
} rows[] = {
	{ "a whole answer",        "GET /whole" H "\r\n" BYE,        OK "X-A: b\r\n" LEN5 "hello" LAST, WIRE_EOF },
	{ "an answer from later",  "GET /later" H "\r\n" BYE,        OK LEN5 "later" LAST, WIRE_EOF },
	{ "a stream",              "GET /stream" H "\r\n" BYE,       OK "Transfer-Encoding: chunked\r\n\r\n3\r\none\r\n10\r\nsixteen bytes...\r\n0\r\n\r\n" LAST, WIRE_EOF },
	{ "a body of a length",    "POST /echo" H "Content-Length: 5\r\n\r\nab\0cd" BYE, OK LEN5 "ab\0cd" LAST, WIRE_EOF },
	{ "a chunked body",        "POST /echo" H "Transfer-Encoding: chunked\r\n\r\n2\r\nab\r\n3\r\ncde\r\n0\r\n\r\n" BYE, OK LEN5 "abcde" LAST, WIRE_EOF },
	{ "HEAD has no body",      "HEAD /whole" H "\r\n" BYE,       OK "X-A: b\r\n" LEN5 LAST, WIRE_EOF },
	{ "nor has its stream",    "HEAD /stream" H "\r\n" BYE,      OK "Transfer-Encoding: chunked\r\n\r\n" LAST, WIRE_EOF },
	{ "204 has none",          "GET /empty" H "\r\n" BYE,        "HTTP/1.1 204 No Content\r\n\r\n" LAST, WIRE_EOF },
	{ "HTTP/1.0 ends",         "GET /whole HTTP/1.0\r\n\r\n",    OK "X-A: b\r\nContent-Length: 5\r\nConnection: close\r\n\r\nhello", WIRE_EOF },
	{ "a stream for HTTP/1.0", "GET /stream HTTP/1.0\r\n\r\n",   OK "Connection: close\r\n\r\nonesixteen bytes...", WIRE_EOF },
	{ "HTTP/1.0 keep-alive",   "GET /whole HTTP/1.0\r\nConnection: keep-alive\r\n\r\n" BYE, OK "X-A: b\r\nContent-Length: 5\r\nConnection: keep-alive\r\n\r\nhello" LAST, WIRE_EOF },
	{ "nothing is injected",   "GET /inject" H "\r\n" BYE,       "HTTP/1.1 500 Internal Server Error\r\nContent-Length: 0\r\n\r\n" LAST, WIRE_EOF },
	{ "exact bytes",           "GET /raw" H "\r\n" BYE,          "HTTP/1.1 200 Fine\r\nContent-Length: 2\r\n\r\nok" LAST, WIRE_EOF },
	{ "exact bytes and a reset", "GET /rst" H "\r\n",            "HTTP/1.1 200 OK\r\n\r\ncut he", WIRE_RESET },
	{ "FIN without a byte",    "GET /fin" H "\r\n",              "", WIRE_EOF },
	{ "a stream cut by FIN",   "GET /cut" H "\r\n",              OK "Transfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n", WIRE_EOF },
	{ "three in a row",        "GET /raw" H "\r\nGET /raw" H "\r\n" BYE, "HTTP/1.1 200 Fine\r\nContent-Length: 2\r\n\r\nokHTTP/1.1 200 Fine\r\nContent-Length: 2\r\n\r\nok" LAST, WIRE_EOF },
	{ "a bare LF is refused",  "GET /whole HTTP/1.1\nHost: h\n\n", NO("400 Bad Request"), WIRE_EOF },
	{ "a smuggled length",     "POST /echo" H "Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", NO("400 Bad Request"), WIRE_EOF },
	{ "a bad chunk",           "POST /echo" H "Transfer-Encoding: chunked\r\n\r\nz", NO("400 Bad Request"), WIRE_EOF },
	{ "a body too big",        "POST /echo" H "Content-Length: 10485760\r\n\r\nxxxx", NO("413 Content Too Large"), WIRE_EOF },
	{ "HTTP/2",                "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", NO("505 HTTP Version Not Supported"), WIRE_EOF },
	{ "garbage after a call",  "GET /whole" H "\r\n\x16garbage", OK "X-A: b\r\n" LEN5 "hello" NO("400 Bad Request"), WIRE_EOF },
};
/* clang-format on */

/* The row's text may hold a NUL in its body: find the length by its end. */
static size_t
row_length(const char *s)
{
	size_t n = strlen(s);

	return strstr(s, "\r\nab") && s[n - 1] == 'b'
	    ? n + 1 + strlen(s + n + 1)
	    : n;
}

static void
check_conversation(struct bench *b, size_t i, size_t cut)
{
	int fd = wire_connect(&b->addr);
	size_t n = row_length(rows[i].send);
	struct buf got;
	char what[96];

	buf_init(&got, TEXT_MAX);
	(void)snprintf(what, sizeof what, "%s, cut at %zu", rows[i].what, cut);
	wire_send(fd, rows[i].send, cut);
	if (cut < n) {
		wire_settle(b->loop);
		wire_send(fd, rows[i].send + cut, n - cut);
	}
	CHECK_INT(wire_read(b->loop, fd, &got, NULL), rows[i].end, what);
	if (got.data)
		drop_dates(got.data);
	CHECK_STR(got.data ? got.data : "", rows[i].want, what);
	buf_done(&got);
	close(fd);
}

static void
check_conversations(void)
{
	struct bench b;
	size_t n, step;

	bench_open(&b, NULL);
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		n = row_length(rows[i].send);
		check_conversation(&b, i, n);
		/* A refused tail may be answered before it is sent. */
		step = strstr(rows[i].what, "later") ? 16 : 1;
		for (size_t cut = 1; cut < n; cut += step)
			check_conversation(&b, i, cut);
	}
	CHECK_INT(serve_active(b.serve), 0, "no call is left");
	bench_close(&b);
}

static void
check_expect(void)
{
	static const char head[] =
	    "POST /echo" H "Expect: 100-continue\r\nContent-Length: 5\r\n\r\n";
	struct bench b;
	struct buf got;
	int fd;

	bench_open(&b, NULL);
	fd = wire_connect(&b.addr);
	buf_init(&got, TEXT_MAX);
	wire_send(fd, head, sizeof head - 1);
	CHECK_INT(wire_read(b.loop, fd, &got, "\r\n\r\n"), WIRE_FOUND, "100");
	CHECK_STR(got.data, "HTTP/1.1 100 Continue\r\n\r\n", "go on");
	wire_send(fd, "12345" BYE, 5 + strlen(BYE));
	CHECK_INT(wire_read(b.loop, fd, &got, NULL), WIRE_EOF, "then the rest");
	drop_dates(got.data);
	CHECK_STR(got.data + 25, OK LEN5 "12345" LAST, "and the answer");
	buf_done(&got);
	close(fd);
	bench_close(&b);
}

/* ---- timers */

/* clang-format off */
static const struct {
	const char *what, *send, *want;
} slow_rows[] = {
	{ "a slow head",             "GET /wh",                             NO("408 Request Timeout") },
	{ "a slow body",             "POST /echo" H "Content-Length: 9\r\n\r\n12", NO("408 Request Timeout") },
	{ "a slow chunk",            "POST /echo" H "Transfer-Encoding: chunked\r\n\r\n5", NO("408 Request Timeout") },
	{ "silence is closed",       "",                                    "" },
	{ "an idle client is too",   "GET /empty" H "\r\n",                 "HTTP/1.1 204 No Content\r\n\r\n" },
	{ "a slow second request",   "GET /empty" H "\r\nGE",               "HTTP/1.1 204 No Content\r\n\r\n" NO("408 Request Timeout") },
};
/* clang-format on */

static void
check_timers(void)
{
	struct serve_conf conf = { .head_timeout_ms = 30,
		.body_timeout_ms = 30,
		.idle_timeout_ms = 30 };
	struct bench b;
	struct buf got;
	int fd;

	bench_open(&b, &conf);
	for (size_t i = 0; i < sizeof slow_rows / sizeof slow_rows[0]; i++) {
		fd = wire_connect(&b.addr);
		buf_init(&got, TEXT_MAX);
		wire_send(fd, slow_rows[i].send, strlen(slow_rows[i].send));
		CHECK_INT(wire_read(b.loop, fd, &got, NULL), WIRE_EOF,
		    slow_rows[i].what);
		if (got.data)
			drop_dates(got.data);
		CHECK_STR(got.data ? got.data : "", slow_rows[i].want,
		    slow_rows[i].what);
		buf_done(&got);
		close(fd);
	}
	bench_close(&b);
}

/* ---- clients that leave */

static void
settle_ms(struct bench *b, uint32_t ms)
{
	struct timeval tv = { 0, (suseconds_t)(ms * 1000) };

	event_base_loopexit(loop_base(b->loop), &tv);
	loop_run(b->loop);
}

static void
check_gone(void)
{
	static const char request[] = "GET /wait" H "\r\n";
	struct bench b;
	int fd;

	bench_open(&b, NULL);
	for (int reset = 0; reset <= 1; reset++) {
		b.gone = 0;
		fd = wire_connect(&b.addr);
		wire_send(fd, request, sizeof request - 1);
		settle_ms(&b, 30);
		CHECK_INT(serve_active(b.serve), 1, "the call waits");
		if (reset)
			wire_reset(fd);
		else
			close(fd);
		CHECK(wire_pump(b.loop, &b.gone), "the end is noticed");
		CHECK_INT(b.gone - 1, reset ? SERVE_GONE_RESET : SERVE_GONE_EOF,
		    reset ? "a reset" : "a close");
		CHECK_INT(serve_active(b.serve), 0, "the call is gone");
	}
	bench_close(&b);
}

static void
check_half_close(void)
{
	static const char request[] = "GET /later" H "\r\n";
	struct bench b;
	struct buf got;
	int fd;

	bench_open(&b, NULL);
	fd = wire_connect(&b.addr);
	buf_init(&got, TEXT_MAX);
	wire_send(fd, request, sizeof request - 1);
	shutdown(fd, SHUT_WR);
	CHECK_INT(wire_read(b.loop, fd, &got, NULL), WIRE_EOF, "half-closed");
	CHECK(got.data && strstr(got.data, "later"), "still gets its answer");
	CHECK_INT(b.gone, 0, "and was never gone");
	buf_done(&got);
	close(fd);
	bench_close(&b);
}

static void
check_back_pressure(void)
{
	static const char request[] = "GET /big" H "Connection: close\r\n\r\n";
	struct serve_conf conf = { .write_high_bytes = 128 * 1024 };
	struct bench b;
	struct buf got;
	size_t frames = BIG_TOTAL / 65536 * 9; /* "10000\r\n" and "\r\n" */
	int fd;

	bench_open(&b, &conf);
	fd = wire_connect(&b.addr);
	buf_init(&got, TEXT_MAX);
	wire_send(fd, request, sizeof request - 1);
	settle_ms(&b, 30);
	CHECK(b.big_left > 0, "a reader that does not read stops the source");
	CHECK(b.pending_max < 128 * 1024 + 70000, "what waits is bounded");
	CHECK_INT(wire_read(b.loop, fd, &got, NULL), WIRE_EOF, "then it reads");
	CHECK(got.data && strstr(got.data, "\r\n0\r\n\r\n"), "to the end");
	CHECK_INT(got.len - (size_t)(strstr(got.data, "\r\n\r\n") - got.data),
	    BIG_TOTAL + frames + 4 + 5, "every byte");
	CHECK(b.big_stops > 1, "in several goes");
	buf_done(&got);
	close(fd);
	bench_close(&b);
}

static void
check_stalled_reader(void)
{
	static const char request[] = "GET /big" H "\r\n";
	struct serve_conf conf = { .body_timeout_ms = 30 };
	struct bench b;
	int fd;

	bench_open(&b, &conf);
	fd = wire_connect(&b.addr);
	wire_send(fd, request, sizeof request - 1);
	CHECK(wire_pump(b.loop, &b.gone), "a reader that never reads");
	CHECK_INT(b.gone - 1, SERVE_GONE_TIMEOUT, "times out");
	close(fd);
	bench_close(&b);
}

/* ---- limits of the listener */

static void
check_connections_max(void)
{
	static const char request[] = "GET /whole" H "\r\n";
	struct serve_conf conf = { .connections_max = 2 };
	struct bench b;
	struct buf got;
	int fds[3];

	bench_open(&b, &conf);
	buf_init(&got, TEXT_MAX);
	for (int i = 0; i < 3; i++)
		fds[i] = wire_connect(&b.addr);
	for (int i = 0; i < 2; i++) {
		buf_clear(&got);
		wire_send(fds[i], request, sizeof request - 1);
		CHECK_INT(wire_read(b.loop, fds[i], &got, "hello"), WIRE_FOUND,
		    "two are served");
	}
	buf_clear(&got);
	wire_send(fds[2], request, sizeof request - 1);
	settle_ms(&b, 20);
	CHECK(recv(fds[2], &conf, 1, MSG_DONTWAIT) < 0, "the third waits");
	close(fds[0]);
	CHECK_INT(wire_read(b.loop, fds[2], &got, "hello"), WIRE_FOUND,
	    "until one leaves");
	close(fds[1]);
	close(fds[2]);
	buf_done(&got);
	bench_close(&b);
}

static void
check_stop(void)
{
	static const char request[] = "GET /later" H "\r\n";
	struct bench b, other;
	struct serve_conf conf = { 0 };
	struct serve *second;
	struct buf got;
	struct why why;
	int idle, busy;

	bench_open(&b, NULL);
	conf.listen = b.addr;
	CHECK_INT(serve_new(b.loop, &conf, &ops, &other, &second, &why),
	    ERR_EXISTS, "an address that is taken");
	idle = wire_connect(&b.addr);
	busy = wire_connect(&b.addr);
	buf_init(&got, TEXT_MAX);
	wire_send(busy, request, sizeof request - 1);
	settle_ms(&b, 5);
	serve_stop_accepting(b.serve);
	CHECK_INT(wire_read(b.loop, idle, &got, NULL), WIRE_EOF,
	    "idle clients are closed");
	CHECK_INT(wire_read(b.loop, busy, &got, NULL), WIRE_EOF,
	    "busy ones are answered first");
	CHECK(got.data && strstr(got.data, "Connection: close\r\n\r\nlater"),
	    "and asked to close");
	buf_done(&got);
	close(idle);
	close(busy);
	bench_close(&b);
}

void t_serve(void);

void
t_serve(void)
{
	check_conversations();
	check_expect();
	check_timers();
	check_gone();
	check_half_close();
	check_back_pressure();
	check_stalled_reader();
	check_connections_max();
	check_stop();
}
