/*
 * The server over real sockets: rows compare whole conversations, with the
 * Date lines taken out.
 */
#include "base/mem.h"
#include "tests/unit.h"
#include "tests/unit/base/player.h"
#include "tests/unit/base/wire.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TEXT_MAX (64u << 20)

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
	{ "nothing is injected",   "GET /inject" H "\r\n" BYE,       "HTTP/1.1 201 Created\r\nX-A: b\r\nContent-Length: 1\r\n\r\nx" LAST, WIRE_EOF },
	{ "nor into a stream",     "GET /inject-stream" H "\r\n" BYE, OK "X-A: b\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" LAST, WIRE_EOF },
	{ "exact bytes",           "GET /raw" H "\r\n" BYE,          "HTTP/1.1 200 Fine\r\nContent-Length: 2\r\n\r\nok" LAST, WIRE_EOF },
	{ "exact bytes and a reset", "GET /rst" H "\r\n",            "HTTP/1.1 200 OK\r\n\r\ncut he", WIRE_RESET },
	{ "FIN without a byte",    "GET /fin" H "\r\n",              "", WIRE_EOF },
	{ "a stream cut by FIN",   "GET /cut" H "\r\n",              OK "Transfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n", WIRE_EOF },
	{ "three in a row",        "GET /raw" H "\r\nGET /raw" H "\r\n" BYE, "HTTP/1.1 200 Fine\r\nContent-Length: 2\r\n\r\nokHTTP/1.1 200 Fine\r\nContent-Length: 2\r\n\r\nok" LAST, WIRE_EOF },
	{ "streams in a row",      "POST /stream" H "Content-Length: 3\r\n\r\nxyzGET /stream" H "\r\n" BYE, OK "Transfer-Encoding: chunked\r\n\r\n3\r\none\r\n10\r\nsixteen bytes...\r\n0\r\n\r\n" OK "Transfer-Encoding: chunked\r\n\r\n3\r\none\r\n10\r\nsixteen bytes...\r\n0\r\n\r\n" LAST, WIRE_EOF },
	{ "a bare LF is refused",  "GET /whole HTTP/1.1\nHost: h\n\n", NO("400 Bad Request"), WIRE_EOF },
	{ "a smuggled length",     "POST /echo" H "Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", NO("400 Bad Request"), WIRE_EOF },
	{ "a bad chunk",           "POST /echo" H "Transfer-Encoding: chunked\r\n\r\nz", NO("400 Bad Request"), WIRE_EOF },
	{ "a body too big",        "POST /echo" H "Content-Length: 10485760\r\n\r\nxxxx", NO("413 Content Too Large"), WIRE_EOF },
	{ "HTTP/2 as a text",      "GET / HTTP/2.0\r\n\r\n", NO("505 HTTP Version Not Supported"), WIRE_EOF },
	{ "HTTP/2 (a NUL first)",  "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "", WIRE_EOF },
	{ "the absolute form",     "GET http://h:1/whole" H "\r\n" BYE, OK "X-A: b\r\n" LEN5 "hello" LAST, WIRE_EOF },
	{ "the same, no path",     "GET HTTP://h" H "\r\n" BYE, "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n" LAST, WIRE_EOF },
	{ "the same, no host",     "GET http:///whole" H "\r\n", NO("400 Bad Request"), WIRE_EOF },
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
check_conversation(struct player *b, size_t i, size_t cut)
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
	struct player b;
	size_t n, step;

	player_open(&b, NULL);
	for (size_t i = 0; i < COUNT(rows); i++) {
		n = row_length(rows[i].send);
		check_conversation(&b, i, n);
		/* A refused tail may be answered before it is sent. */
		step = strstr(rows[i].what, "later") ? 16 : 1;
		for (size_t cut = 1; cut < n; cut += step)
			check_conversation(&b, i, cut);
	}
	CHECK_INT(serve_active(b.serve), 0, "no call is left");
	player_close(&b);
}

static void
check_expect(void)
{
	static const char head[] =
	    "POST /echo" H "Expect: 100-continue\r\nContent-Length: 5\r\n\r\n";
	struct player b;
	struct buf got;
	int fd;

	player_open(&b, NULL);
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
	player_close(&b);
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
	struct player b;
	struct buf got;
	int fd;

	player_open(&b, &conf);
	for (size_t i = 0; i < COUNT(slow_rows); i++) {
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
	player_close(&b);
}

void t_serve(void);

void
t_serve(void)
{
	check_conversations();
	check_expect();
	check_timers();
}
