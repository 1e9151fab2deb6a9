/*
 * The server and clients that leave, stall or are too many.
 */
#include "tests/unit.h"
#include "tests/unit/base/player.h"
#include "tests/unit/base/wire.h"
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define TEXT_MAX (64u << 20)

#define H " HTTP/1.1\r\nHost: h\r\n"

static void
check_gone(void)
{
	static const char request[] = "GET /wait" H "\r\n";
	struct player b;
	int fd;

	player_open(&b, NULL);
	for (int reset = 0; reset <= 1; reset++) {
		b.gone = 0;
		fd = wire_connect(&b.addr);
		wire_send(fd, request, sizeof request - 1);
		CHECK(player_await_request(&b, 1 + (unsigned)reset), "asked");
		player_run_ms(&b, 30);
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
	player_close(&b);
}

/* However long the request itself took, only its end counts. */
static void
check_half_close(const char *head, const char *body)
{
	struct player b;
	struct buf got;
	int fd;

	player_open(&b, NULL);
	fd = wire_connect(&b.addr);
	buf_init(&got, TEXT_MAX);
	wire_send(fd, head, strlen(head));
	if (body) {
		player_run_ms(&b, 30);
		wire_send(fd, body, strlen(body));
	}
	shutdown(fd, SHUT_WR);
	CHECK_INT(wire_read(b.loop, fd, &got, NULL), WIRE_EOF, "half-closed");
	CHECK(got.data && strstr(got.data, "later"), "still gets its answer");
	CHECK_INT(b.gone, 0, "and was never gone");
	buf_done(&got);
	close(fd);
	player_close(&b);
}

static void
check_back_pressure(void)
{
	static const char request[] = "GET /big" H "Connection: close\r\n\r\n";
	struct serve_conf conf = { .write_high_bytes = 128u << 10 };
	struct player b;
	struct buf got;
	size_t frames = PLAYER_BIG_BYTES / 65536; /* "10000\r\n" and "\r\n" */
	int fd;

	player_open(&b, &conf);
	fd = wire_connect(&b.addr);
	buf_init(&got, TEXT_MAX);
	wire_send(fd, request, sizeof request - 1);
	CHECK(player_await_request(&b, 1), "asked");
	player_run_ms(&b, 30);
	CHECK(b.big_left > 0, "a reader that does not read stops the source");
	CHECK(b.pending_max < (128u << 10) + 70000, "what waits is bounded");
	CHECK_INT(wire_read(b.loop, fd, &got, NULL), WIRE_EOF, "then it reads");
	CHECK(got.data && strstr(got.data, "\r\n0\r\n\r\n"), "to the end");
	CHECK_INT(got.len - (size_t)(strstr(got.data, "\r\n\r\n") - got.data),
	    PLAYER_BIG_BYTES + frames * 9 + 4 + 5, "every byte");
	CHECK(b.big_stops > 1, "in several goes");
	buf_done(&got);
	close(fd);
	player_close(&b);
}

static void
check_stalled_reader(void)
{
	static const char request[] = "GET /big" H "\r\n";
	struct serve_conf conf = { .body_timeout_ms = 30 };
	struct player b;
	int fd;

	player_open(&b, &conf);
	fd = wire_connect(&b.addr);
	wire_send(fd, request, sizeof request - 1);
	CHECK(wire_pump(b.loop, &b.gone), "a reader that never reads");
	CHECK_INT(b.gone - 1, SERVE_GONE_TIMEOUT, "times out");
	close(fd);
	player_close(&b);
}

/* ---- limits of the listener */

static void
check_connections_max(void)
{
	static const char request[] = "GET /whole" H "\r\n";
	struct serve_conf conf = { .connections_max = 2 };
	struct player b;
	struct buf got;
	int fds[3];

	player_open(&b, &conf);
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
	player_run_ms(&b, 20);
	CHECK(recv(fds[2], &conf, 1, MSG_DONTWAIT) < 0, "the third waits");
	close(fds[0]);
	CHECK_INT(wire_read(b.loop, fds[2], &got, "hello"), WIRE_FOUND,
	    "until one leaves");
	close(fds[1]);
	close(fds[2]);
	buf_done(&got);
	player_close(&b);
}

static void
check_stop(void)
{
	static const char request[] = "GET /later" H "\r\n";
	struct player b, other;
	struct serve_conf conf = { 0 };
	struct serve *second;
	struct buf got;
	struct why why;
	int idle, busy;

	player_open(&b, NULL);
	conf.listen = b.addr;
	CHECK_INT(serve_new(b.loop, &conf, &player_ops, &other, &second, &why),
	    ERR_EXISTS, "an address that is taken");
	idle = wire_connect(&b.addr);
	busy = wire_connect(&b.addr);
	buf_init(&got, TEXT_MAX);
	wire_send(busy, request, sizeof request - 1);
	CHECK(player_await_request(&b, 1), "asked");
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
	player_close(&b);
}

void t_serve_clients(void);

void
t_serve_clients(void)
{
	check_gone();
	check_half_close("GET /later" H "\r\n", NULL);
	check_half_close("POST /later" H "Content-Length: 4\r\n\r\n", "body");
	check_half_close("POST /later" H "Content-Length: 4\r\n\r\nbo", "dy");
	check_half_close("POST /later" H "Transfer-Encoding: chunked\r\n\r\n",
	    "4\r\nbody\r\n0\r\n\r\n");
	check_back_pressure();
	check_stalled_reader();
	check_connections_max();
	check_stop();
}
