/*
 * The client against a server that plays scripted bytes, and against our own
 * server over TLS.  What the callbacks saw is written down as text, one word
 * an event, and compared.
 */
#include "base/fetch.h"

#include "base/files.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/serve.h"
#include "base/tls.h"
#include "tests/unit.h"
#include "tests/unit/base/wire.h"
#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define TEXT_MAX (64u << 20)

enum act { ACT_NONE, ACT_CANCEL, ACT_PAUSE };

struct probe { /* one request and what was seen of it */
	struct buf seen;
	struct buf body;
	int done, in_start;
	enum act on_head, on_data;
	struct fetch *fetch;
	/* on_end starts this one */
	struct fetch_pool *pool;
	const struct fetch_request *next;
	struct probe *next_probe;
};

static void probe_start(struct probe *p, struct fetch_pool *pool,
    const struct fetch_request *r);

static void
act(struct probe *p, enum act what)
{
	if (what == ACT_PAUSE) {
		fetch_pause(p->fetch);
		p->done = 1;
	} else if (what == ACT_CANCEL) {
		fetch_cancel(p->fetch);
		p->done = 1;
	}
}

static void
on_head(struct fetch *f, const struct http1_head *h, void *arg)
{
	struct probe *p = arg;

	CHECK(!p->in_start, "no callback from inside fetch_start");
	CHECK(f == p->fetch, "the fetch that was started");
	buf_addf(&p->seen, "head %d%s|", h->status,
	    fetch_reused(f) ? " reused" : "");
	act(p, p->on_head);
}

static void
on_data(struct fetch *f, const char *bytes, size_t n, void *arg)
{
	struct probe *p = arg;

	(void)f;
	buf_add(&p->body, bytes, n);
	act(p, p->on_data);
}

static void
on_end(struct fetch *f, void *arg)
{
	struct probe *p = arg;

	buf_addf(&p->seen, "end");
	p->done = 1;
	fetch_cancel(f); /* too late, and harmless */
	if (p->next)
		probe_start(p->next_probe, p->pool, p->next);
}

static void
on_fail(struct fetch *f, enum fetch_fail fail, const char *text, void *arg)
{
	struct probe *p = arg;

	CHECK(!p->in_start, "no failure from inside fetch_start");
	CHECK(text[0] != '\0', "a failure has a text");
	buf_addf(&p->seen, "%s", fetch_fail_name(fail));
	p->done = 1;
	fetch_cancel(f);
}

static const struct fetch_ops ops = { .on_head = on_head,
	.on_data = on_data,
	.on_end = on_end,
	.on_fail = on_fail };

static void
probe_init(struct probe *p)
{
	*p = (struct probe){ 0 };
	buf_init(&p->seen, TEXT_MAX);
	buf_init(&p->body, TEXT_MAX);
}

static void
probe_done(struct probe *p)
{
	buf_done(&p->seen);
	buf_done(&p->body);
}

static void
probe_start(struct probe *p, struct fetch_pool *pool,
    const struct fetch_request *r)
{
	p->pool = pool;
	p->in_start = 1;
	p->fetch = fetch_start(pool, r, &ops, p);
	p->in_start = 0;
}

static const char *
text_of(const struct buf *b)
{
	return b->data ? b->data : "";
}

/* ---- one request each */

#define OK     "HTTP/1.1 200 OK\r\n"
#define EARLY  "HTTP/1.1 103 Early\r\n\r\n"
#define EARLY4 EARLY EARLY EARLY EARLY
#define LEN5   OK "Content-Length: 5\r\n\r\n"

/* clang-format off */
static const struct {
	const char *what;
	struct wire_step step;
	const char *seen, *body;
} rows[] = {
	{ "an answer of a length",   { LEN5 "hello", WIRE_KEEP },           "head 200|end", "hello" },
	{ "a chunked answer",        { OK "Transfer-Encoding: chunked\r\n\r\n2\r\nhe\r\n3\r\nllo\r\n0\r\n\r\n", WIRE_KEEP }, "head 200|end", "hello" },
	{ "an answer to eof",        { OK "\r\nhello", WIRE_FIN },          "head 200|end", "hello" },
	{ "no body",                 { "HTTP/1.1 204 No Content\r\n\r\n", WIRE_KEEP }, "head 204|end", "" },
	{ "endless interim answers", { EARLY4 EARLY4 EARLY4 EARLY4 EARLY4 LEN5 "hello", WIRE_KEEP }, "protocol", "" },
	{ "interim answers",         { "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early\r\nA: b\r\n\r\n" LEN5 "hello", WIRE_KEEP }, "head 200|end", "hello" },
	{ "an unasked upgrade",      { "HTTP/1.1 101 Switching\r\n\r\n", WIRE_KEEP }, "protocol", "" },
	{ "an early refusal",        { "HTTP/1.1 413 Too Large\r\nContent-Length: 0\r\nConnection: close\r\n\r\n", WIRE_FIN }, "head 413|end", "" },
	{ "closed without a byte",   { "", WIRE_FIN },                      "empty", "" },
	{ "reset without a byte",    { "", WIRE_RST },                      "reset", "" },
	{ "closed in the head",      { "HTTP/1.1 20", WIRE_FIN },           "cut", "" },
	{ "closed in the body",      { LEN5 "hel", WIRE_FIN },              "head 200|cut", "hel" },
	{ "reset in the body",       { LEN5 "hel", WIRE_RST },              "head 200|reset", "hel" },
	{ "reset after the head",    { OK "\r\nhel", WIRE_RST },            "head 200|reset", "hel" },
	{ "closed in the chunks",    { OK "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n", WIRE_FIN }, "head 200|cut", "hello" },
	{ "garbage",                 { "\x01garbage", WIRE_KEEP },          "protocol", "" },
	{ "HTML without HTTP",       { "<html>502</html>", WIRE_KEEP },     "protocol", "" },
	{ "a bad chunk",             { OK "Transfer-Encoding: chunked\r\n\r\nzz\r\n", WIRE_KEEP }, "head 200|protocol", "" },
	{ "two lengths",             { OK "Content-Length: 1\r\nContent-Length: 2\r\n\r\nab", WIRE_KEEP }, "protocol", "" },
};
/* clang-format on */

static void
check_row(struct loop *l, size_t i)
{
	struct fetch_pool *pool = fetch_pool_new(l, NULL);
	struct wire_server *s = wire_server_new(l, &rows[i].step, 1);
	struct fetch_request r = { .method = "GET", .target = "/" };
	struct probe p;

	probe_init(&p);
	wire_server_address(s, &r.addr);
	probe_start(&p, pool, &r);
	CHECK(wire_pump(l, &p.done), rows[i].what);
	CHECK_STR(text_of(&p.seen), rows[i].seen, rows[i].what);
	CHECK_STR(text_of(&p.body), rows[i].body, rows[i].what);
	CHECK_INT(wire_server_connections(s), 1, rows[i].what);
	probe_done(&p);
	fetch_pool_free(pool);
	wire_server_free(s);
}

/* An answer that comes a byte at a time. */
static void
check_dribble(struct loop *l)
{
	static const char answer[] = "HTTP/1.1 200 OK\r\nTransfer-Encoding: "
	                             "chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n";
	struct wire_step first = { "", WIRE_KEEP };
	struct fetch_pool *pool = fetch_pool_new(l, NULL);
	struct wire_server *s = wire_server_new(l, &first, 1);
	struct fetch_request r = { .method = "GET", .target = "/" };
	struct probe p;
	char one[2] = "";

	probe_init(&p);
	wire_server_address(s, &r.addr);
	probe_start(&p, pool, &r);
	while (!strstr(wire_server_received(s), "\r\n\r\n"))
		event_base_loop(loop_base(l), EVLOOP_ONCE);
	for (const char *c = answer; *c; c++) {
		one[0] = *c;
		wire_server_send(s, one);
		event_base_loop(loop_base(l), EVLOOP_ONCE);
	}
	CHECK(wire_pump(l, &p.done), "a byte at a time");
	CHECK_STR(text_of(&p.seen), "head 200|end", "a byte at a time");
	CHECK_STR(text_of(&p.body), "hello", "a byte at a time");
	probe_done(&p);
	fetch_pool_free(pool);
	wire_server_free(s);
}

/* ---- what is sent */

static void
check_request(struct loop *l)
{
	static const struct http1_field fields[] = { { "X-A", "b" },
		{ "Host", "evil" }, { "content-length", "99" },
		{ "Transfer-Encoding", "chunked" }, { "Connection", "close" } };
	static const struct wire_step steps[] = { { LEN5 "hello", WIRE_KEEP } };
	static const struct http1_field bad = { "X", "a\r\nB: c" };
	struct fetch_pool *pool = fetch_pool_new(l, NULL);
	struct wire_server *s = wire_server_new(l, steps, 1);
	struct fetch_request r = { .method = "POST",
		.target = "/v1?a=b",
		.fields = fields,
		.nfields = 5,
		.body = "body",
		.body_bytes = 4 };
	struct probe p, q;
	char *want;

	probe_init(&p);
	probe_init(&q);
	wire_server_address(s, &r.addr);
	probe_start(&p, pool, &r);
	CHECK(wire_pump(l, &p.done), "a request");
	want = xasprintf("POST /v1?a=b HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n"
	                 "X-A: b\r\nContent-Length: 4\r\n\r\nbody",
	    r.addr.port);
	CHECK_STR(wire_server_received(s), want, "a request");
	free(want);
	r.fields = &bad;
	r.nfields = 1;
	probe_start(&q, pool, &r);
	CHECK(wire_pump(l, &q.done), "an injection");
	CHECK_STR(text_of(&q.seen), "protocol", "is not sent");
	probe_done(&p);
	probe_done(&q);
	fetch_pool_free(pool);
	wire_server_free(s);
}

/* ---- the pool */

/* clang-format off */
static const struct {
	const char *what;
	struct wire_step steps[4];
	const char *first, *second;
	int connections;
	const char *third; /* NULL: none is asked */
} pool_rows[] = {
	{ "a connection is used again",      { { LEN5 "hello", WIRE_KEEP }, { LEN5 "again", WIRE_KEEP } },                      "head 200|end", "head 200 reused|end", 1, NULL },
	{ "not when it says close",          { { OK "Connection: close\r\nContent-Length: 0\r\n\r\n", WIRE_KEEP }, { LEN5 "again", WIRE_KEEP } }, "head 200|end", "head 200|end", 2, NULL },
	{ "nor when bytes are left over",    { { LEN5 "hello+", WIRE_KEEP }, { LEN5 "again", WIRE_KEEP } },                     "head 200|end", "head 200|end", 2, NULL },
	{ "a closed one is replaced, unseen", { { LEN5 "hello", WIRE_FIN }, { LEN5 "again", WIRE_KEEP } },                      "head 200|end", "head 200|end", 2, NULL },
	{ "but once only",                   { { LEN5 "hello", WIRE_FIN }, { "", WIRE_FIN } },                                  "head 200|end", "empty", 2, NULL },
	{ "not when it took the request",    { { LEN5 "hello", WIRE_KEEP }, { "", WIRE_FIN }, { LEN5 "again", WIRE_KEEP } },    "head 200|end", "empty", 1, NULL },
	{ "nor after a reset",               { { LEN5 "hello", WIRE_KEEP }, { "", WIRE_RST }, { LEN5 "again", WIRE_KEEP } },    "head 200|end", "reset", 1, NULL },
	{ "a third is sent there, too",      { { LEN5 "hello", WIRE_KEEP }, { LEN5 "again", WIRE_KEEP }, { LEN5 "third", WIRE_KEEP } }, "head 200|end", "head 200 reused|end", 1, "head 200 reused|end" },
	{ "or anew, when it is closed",      { { LEN5 "hello", WIRE_KEEP }, { LEN5 "again", WIRE_FIN }, { LEN5 "third", WIRE_KEEP } }, "head 200|end", "head 200 reused|end", 2, "head 200|end" },
	{ "not when it took the third",      { { LEN5 "hello", WIRE_KEEP }, { LEN5 "again", WIRE_KEEP }, { "", WIRE_FIN }, { LEN5 "third", WIRE_KEEP } }, "head 200|end", "head 200 reused|end", 1, "empty" },
	{ "and not after a byte",            { { LEN5 "hello", WIRE_KEEP }, { "H", WIRE_FIN }, { LEN5 "again", WIRE_KEEP } },   "head 200|end", "cut", 1, NULL },
};
/* clang-format on */

static void
check_pool_row(struct loop *l, size_t i, bool from_on_end)
{
	struct fetch_pool *pool = fetch_pool_new(l, NULL);
	struct wire_server *s = wire_server_new(l, pool_rows[i].steps, 4);
	struct fetch_request r = { .method = "GET", .target = "/" };
	const char *want[] = { pool_rows[i].first, pool_rows[i].second,
		pool_rows[i].third };
	size_t n = want[2] ? 3 : 2;
	struct probe p[3];

	wire_server_address(s, &r.addr);
	for (size_t k = 0; k < n; k++) {
		probe_init(&p[k]);
		p[k].next = from_on_end && k + 1 < n ? &r : NULL;
		p[k].next_probe = &p[k + 1 < n ? k + 1 : k];
	}
	for (size_t k = 0; k < n; k++) {
		if (k == 0 || !from_on_end)
			probe_start(&p[k], pool, &r);
		CHECK(wire_pump(l, &p[k].done), pool_rows[i].what);
		if (!from_on_end)
			wire_settle(l);
	}
	CHECK_INT(wire_server_connections(s), pool_rows[i].connections,
	    pool_rows[i].what);
	for (size_t k = 0; k < n; k++) {
		CHECK_STR(text_of(&p[k].seen), want[k], pool_rows[i].what);
		probe_done(&p[k]);
	}
	fetch_pool_free(pool);
	wire_server_free(s);
}

/* ---- cancel and pause */

static void
check_cancel(struct loop *l, enum act head, enum act data)
{
	static const struct wire_step steps[] = { { LEN5 "hello", WIRE_KEEP },
		{ LEN5 "again", WIRE_KEEP } };
	struct fetch_pool *pool = fetch_pool_new(l, NULL);
	struct wire_server *s = wire_server_new(l, steps, 2);
	struct fetch_request r = { .method = "GET", .target = "/" };
	struct probe p, q;

	probe_init(&p);
	probe_init(&q);
	p.on_head = head;
	p.on_data = data;
	wire_server_address(s, &r.addr);
	probe_start(&p, pool, &r);
	CHECK(wire_pump(l, &p.done), "cancelled inside a callback");
	wire_settle(l);
	CHECK_STR(text_of(&p.seen), "head 200|", "no callback follows");
	probe_start(&q, pool, &r);
	CHECK(wire_pump(l, &q.done), "the pool goes on");
	CHECK_STR(text_of(&q.seen), "head 200|end", "on a fresh connection");
	/* And one that is cancelled at once, and one by the pool's end. */
	probe_start(&p, pool, &r);
	fetch_cancel(p.fetch);
	probe_start(&p, pool, &r);
	probe_done(&p);
	probe_done(&q);
	fetch_pool_free(pool);
	wire_server_free(s);
}

static void
check_pause(struct loop *l, enum act head, enum act data)
{
	static const struct wire_step steps[] = {
		{ OK "Transfer-Encoding: chunked\r\n\r\n2\r\nhe\r\n2\r\nll\r\n",
		    WIRE_KEEP },
	};
	struct fetch_pool *pool = fetch_pool_new(l, NULL);
	struct wire_server *s = wire_server_new(l, steps, 1);
	struct fetch_request r = { .method = "GET", .target = "/" };
	struct probe p;

	probe_init(&p);
	p.on_head = head;
	p.on_data = data;
	wire_server_address(s, &r.addr);
	probe_start(&p, pool, &r);
	CHECK(wire_pump(l, &p.done), "paused inside a callback");
	wire_server_send(s, "1\r\no\r\n0\r\n\r\n");
	wire_settle(l);
	CHECK_STR(text_of(&p.body), data == ACT_PAUSE ? "he" : "",
	    "nothing comes while paused");
	p.on_head = p.on_data = ACT_NONE;
	p.done = 0;
	fetch_resume(p.fetch);
	CHECK(wire_pump(l, &p.done), "resumed");
	CHECK_STR(text_of(&p.seen), "head 200|end", "it goes on");
	CHECK_STR(text_of(&p.body), "hello", "with every byte");
	probe_done(&p);
	fetch_pool_free(pool);
	wire_server_free(s);
}

/* ---- connecting */

/* A socket at a port of its own, nobody listens yet. */
static int
bind_loopback(struct sockaddr_in *sin)
{
	socklen_t len = sizeof *sin;
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	*sin = (struct sockaddr_in){ .sin_family = AF_INET,
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	if (bind(fd, (struct sockaddr *)sin, len) < 0 ||
	    getsockname(fd, (struct sockaddr *)sin, &len) < 0)
		fatalx("cannot bind");
	return fd;
}

/* The port is taken, so that nobody else's is met, and nobody listens. */
static void
check_refused(struct loop *l)
{
	struct fetch_pool *pool = fetch_pool_new(l, NULL);
	struct fetch_request r = { .method = "GET",
		.target = "/",
		.addr = { .host = "127.0.0.1" } };
	struct sockaddr_in sin;
	int fd = bind_loopback(&sin);
	struct probe p;

	probe_init(&p);
	r.addr.port = ntohs(sin.sin_port);
	probe_start(&p, pool, &r);
	CHECK(wire_pump(l, &p.done), "a closed port");
	CHECK_STR(text_of(&p.seen), "refused", "is refused");
	close(fd);
	probe_done(&p);
	fetch_pool_free(pool);
}

/* A full backlog answers no SYN. */
static void
check_connect_timeout(struct loop *l)
{
	struct fetch_pool_conf conf = { .connect_timeout_ms = 50 };
	struct fetch_pool *pool = fetch_pool_new(l, &conf);
	struct fetch_request r = { .method = "GET",
		.target = "/",
		.addr = { .host = "localhost" } };
	struct sockaddr_in sin;
	int fd = bind_loopback(&sin), fill[4];
	struct probe p;

	probe_init(&p);
	if (listen(fd, 0) < 0)
		fatalx("cannot listen");
	r.addr.port = ntohs(sin.sin_port);
	for (int i = 0; i < 4; i++) {
		fill[i] = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
		(void)connect(fill[i], (struct sockaddr *)&sin, sizeof sin);
	}
	probe_start(&p, pool, &r);
	CHECK(wire_pump(l, &p.done), "no answer to SYN");
	CHECK_STR(text_of(&p.seen), "connect-timeout", "times out");
	for (int i = 0; i < 4; i++)
		close(fill[i]);
	close(fd);
	probe_done(&p);
	fetch_pool_free(pool);
}

/* ---- TLS, against our own server */

#define BIG_BYTES (3u << 20)

static void
on_tls_request(struct serve_call *c, void *arg)
{
	struct slice body = serve_body(c);

	(void)arg;
	(void)serve_start(c, 200, NULL, 0);
	(void)serve_write(c, body.p, body.n);
	serve_finish(c);
}

/* clang-format off */
static const struct {
	const char *what, *host;
	bool trusts;
	const char *seen;
} tls_rows[] = {
	{ "a number in the certificate", "127.0.0.1", true,  "head 200|end" },
	{ "a name in it",                "localhost", true,  "head 200|end" },
	{ "a number that is not",        "127.0.0.2", true,  "tls" },
	{ "an unknown authority",        "127.0.0.1", false, "tls" },
};
/* clang-format on */

/* Two requests, so that the second goes over the same connection. */
static void
check_tls_pair(struct loop *l, size_t i, struct fetch_pool *pool,
    const struct fetch_request *r)
{
	bool is_good = strstr(tls_rows[i].seen, "end") != NULL;
	struct probe p;

	for (int again = 0; again < 2; again++) {
		probe_init(&p);
		probe_start(&p, pool, r);
		CHECK(wire_pump(l, &p.done), tls_rows[i].what);
		CHECK_STR(text_of(&p.seen),
		    is_good && again ? "head 200 reused|end" : tls_rows[i].seen,
		    tls_rows[i].what);
		if (is_good)
			CHECK(p.body.len == BIG_BYTES &&
			        memcmp(p.body.data, r->body, BIG_BYTES) == 0,
			    tls_rows[i].what);
		probe_done(&p);
	}
}

static void
check_tls_row(struct loop *l, size_t i, const char *ca, struct tls_context *tls)
{
	static const struct serve_ops tls_ops = { .on_request =
		                                      on_tls_request };
	struct serve_conf sconf = { .tls = tls };
	struct fetch_pool_conf conf = { .ca_file =
		                            tls_rows[i].trusts ? ca : NULL };
	struct fetch_pool *pool = fetch_pool_new(l, &conf);
	char *body = xmalloc(BIG_BYTES);
	struct fetch_request r = { .tls = true,
		.method = "POST",
		.target = "/",
		.body = body,
		.body_bytes = BIG_BYTES };
	struct serve *s;
	struct why why;

	memset(body, 'x', BIG_BYTES);
	(void)snprintf(sconf.listen.host, ADDR_HOST_MAX, "%s",
	    tls_rows[i].host);
	if (serve_new(l, &sconf, &tls_ops, NULL, &s, &why) != ERR_OK)
		fatalx("%s", why.text);
	serve_address(s, &r.addr);
	(void)snprintf(r.addr.host, ADDR_HOST_MAX, "%s", tls_rows[i].host);
	check_tls_pair(l, i, pool, &r);
	free(body);
	fetch_pool_free(pool);
	serve_free(s);
}

static void
check_tls(struct loop *l)
{
	char *cert = files_join(unit_tmpdir(), "cert.pem");
	char *key = files_join(unit_tmpdir(), "key.pem");
	char reason[TLS_REASON_MAX];
	struct tls_context *tls;

	wire_make_certificate(cert, key);
	tls = tls_server_new(cert, key, reason);
	CHECK(tls != NULL, "a server's certificate");
	CHECK(tls_server_new(key, key, reason) == NULL, "a file that is none");
	for (size_t i = 0; i < COUNT(tls_rows); i++)
		check_tls_row(l, i, cert, tls);
	tls_context_free(tls);
	free(cert);
	free(key);
}

void t_fetch(void);

void
t_fetch(void)
{
	struct loop *l = loop_new(NULL, NULL);

	for (size_t i = 0; i < COUNT(rows); i++)
		check_row(l, i);
	check_dribble(l);
	check_request(l);
	for (size_t i = 0; i < COUNT(pool_rows); i++) {
		check_pool_row(l, i, false);
		/* All but the last also from inside on_end. */
		if (i + 1 < COUNT(pool_rows))
			check_pool_row(l, i, true);
	}
	check_cancel(l, ACT_CANCEL, ACT_NONE);
	check_cancel(l, ACT_NONE, ACT_CANCEL);
	check_pause(l, ACT_PAUSE, ACT_NONE);
	check_pause(l, ACT_NONE, ACT_PAUSE);
	check_refused(l);
	check_connect_timeout(l);
	check_tls(l);
	loop_free(l);
}
