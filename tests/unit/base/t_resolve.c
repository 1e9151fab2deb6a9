/*
 * Names, against a server that misbehaves, and connections to several
 * addresses of which one swallows what it is sent.
 */
#include "base/resolve.h"

#include "base/fetch.h"
#include "base/log.h"
#include "base/mem.h"
#include "tests/unit.h"
#include "tests/unit/base/dns.h"
#include "tests/unit/base/wire.h"
#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ADDRS_TEXT 256

/* clang-format off */
static const struct dns_row table[] = {
	{ "four.test",    DNS_A,    DNS_ANSWERS,   { "10.0.0.1" }, 60 },
	{ "four.test",    DNS_AAAA, DNS_EMPTY,     { NULL }, 0 },
	{ "six.test",     DNS_AAAA, DNS_ANSWERS,   { "fd00::1" }, 60 },
	{ "six.test",     DNS_A,    DNS_EMPTY,     { NULL }, 0 },
	{ "both.test",    DNS_A,    DNS_ANSWERS,   { "10.0.0.1" }, 60 },
	{ "both.test",    DNS_AAAA, DNS_ANSWERS,   { "fd00::1" }, 60 },
	{ "dropped.test", DNS_A,    DNS_ANSWERS,   { "10.0.0.1" }, 60 },
	{ "dropped.test", DNS_AAAA, DNS_SILENT,    { NULL }, 0 },
	{ "failing.test", DNS_A,    DNS_ANSWERS,   { "10.0.0.1" }, 60 },
	{ "failing.test", DNS_AAAA, DNS_FAILS,     { NULL }, 0 },
	{ "long.test",    DNS_A,    DNS_TRUNCATED, { "10.0.0.1" }, 60 },
	{ "long.test",    DNS_AAAA, DNS_EMPTY,     { NULL }, 0 },
	{ "lying.test",   DNS_A,    DNS_LIES,      { "10.0.0.1" }, 60 },
	{ "lying.test",   DNS_AAAA, DNS_EMPTY,     { NULL }, 0 },
	{ "brief.test",   DNS_A,    DNS_ANSWERS,   { "10.0.0.1" }, 0 },
	{ "brief.test",   DNS_AAAA, DNS_EMPTY,     { NULL }, 0 },
	{ "race.test",    DNS_A,    DNS_ANSWERS,   { "127.0.0.1", "127.0.0.2" }, 60 },
	{ "race.test",    DNS_AAAA, DNS_SILENT,    { NULL }, 0 },
};

static const struct {
	const char *what, *name, *want;
	int a_first, a_again; /* questions for A: at first, and once more */
} rows[] = {
	{ "an address is known for its time",    "four.test",    "10.0.0.1",         1, 1 },
	{ "one of the other family",             "six.test",     "fd00::1",          1, 1 },
	{ "both, IPv6 first",                    "both.test",    "fd00::1 10.0.0.1", 1, 1 },
	{ "an AAAA that is dropped costs little", "dropped.test", "10.0.0.1",        1, 1 },
	{ "one that fails neither",              "failing.test", "10.0.0.1",         1, 1 },
	{ "a truncated answer comes by TCP",     "long.test",    "10.0.0.1",         2, 2 },
	{ "a forged answer is passed over",      "lying.test",   "10.0.0.1",         1, 1 },
	{ "no time to live, no memory",          "brief.test",   "10.0.0.1",         1, 2 },
	{ "nobody has that name",                "none.test",    "",                 0, 0 },
};
/* clang-format on */

struct asked {
	char addrs[ADDRS_TEXT];
	int done;
};

static void
on_answer(const struct resolve_answer *a, void *arg)
{
	struct asked *x = arg;
	char text[64];
	size_t len = 0;

	for (size_t i = 0; i < a->n; i++) {
		const void *sa = &a->addrs[i];
		const struct sockaddr_in *v4 = sa;
		const struct sockaddr_in6 *v6 = sa;

		inet_ntop(a->addrs[i].ss_family,
		    a->addrs[i].ss_family == AF_INET
		        ? (const void *)&v4->sin_addr
		        : (const void *)&v6->sin6_addr,
		    text, sizeof text);
		CHECK_INT(ntohs(v4->sin_port), 443, "the port");
		len += (size_t)snprintf(x->addrs + len, ADDRS_TEXT - len,
		    "%s%s", len ? " " : "", text);
	}
	x->done = 1;
}

static void
look_up(struct loop *l, struct resolver *r, const char *name, const char *want,
    const char *what)
{
	struct addr a = { .port = 443 };
	struct asked x = { "", 0 };

	snprintf(a.host, sizeof a.host, "%s", name);
	(void)resolve_start(r, &a, on_answer, &x);
	CHECK(!x.done, "no answer from inside resolve_start");
	CHECK(wire_pump(l, &x.done), what);
	CHECK_STR(x.addrs, want, what);
}

static struct resolver *
new_resolver(struct loop *l, const struct dns *d, const char *conf)
{
	struct resolve_servers servers = { conf, dns_port(d) };

	return resolver_new(loop_base(l), &servers);
}

static void
check_names(struct loop *l, const char *conf)
{
	struct dns *d = dns_new(l, table, COUNT(table));
	struct resolver *r;
	int before;

	dns_write_conf(conf, false);
	r = new_resolver(l, d, conf);
	for (size_t i = 0; i < COUNT(rows); i++) {
		before = dns_asked(d, DNS_A);
		look_up(l, r, rows[i].name, rows[i].want, rows[i].what);
		if (!rows[i].a_first)
			continue;
		CHECK_INT(dns_asked(d, DNS_A) - before, rows[i].a_first,
		    rows[i].what);
		look_up(l, r, rows[i].name, rows[i].want, rows[i].what);
		CHECK_INT(dns_asked(d, DNS_A) - before, rows[i].a_again,
		    rows[i].what);
	}
	resolver_free(r);
	dns_free(d);
}

/* Many wait for one name: it is asked for once, and who leaves is not told. */
static void
check_crowd(struct loop *l, const char *conf)
{
	struct dns *d = dns_new(l, table, COUNT(table));
	struct addr a = { .host = "both.test", .port = 443 };
	struct asked x[5] = { { "", 0 } };
	struct resolve *q[COUNT(x)];
	struct resolver *r;

	dns_write_conf(conf, false);
	r = new_resolver(l, d, conf);
	for (size_t i = 0; i < COUNT(x); i++)
		q[i] = resolve_start(r, &a, on_answer, &x[i]);
	resolve_cancel(q[1]);
	CHECK(wire_pump(l, &x[4].done), "a crowd");
	CHECK_STR(x[0].addrs, "fd00::1 10.0.0.1", "is told");
	CHECK(!x[1].done, "less one who left");
	CHECK_INT(dns_asked(d, DNS_A), 1, "by one question");
	/* The resolver may go while somebody waits. */
	(void)resolve_start(r, &a, on_answer, &x[2]);
	snprintf(a.host, sizeof a.host, "dropped.test");
	q[1] = resolve_start(r, &a, on_answer, &x[1]);
	resolve_cancel(q[1]);
	wire_settle(l);
	resolver_free(r);
	dns_free(d);
}

/* The servers that resolv.conf names are those of now. */
static void
check_repair(struct loop *l, const char *conf)
{
	struct dns *d = dns_new(l, table, COUNT(table));
	struct addr a = { .host = "both.test", .port = 443 };
	struct asked x = { "", 0 };
	struct resolver *r;

	dns_write_conf(conf, true);
	r = new_resolver(l, d, conf);
	(void)resolve_start(r, &a, on_answer, &x);
	wire_settle(l);
	CHECK(!x.done, "a server that is dead");
	dns_write_conf(conf, false);
	look_up(l, r, "four.test", "10.0.0.1", "one that is repaired");
	CHECK(wire_pump(l, &x.done), "and for those who wait");
	CHECK_STR(x.addrs, "fd00::1 10.0.0.1", "and for those who wait");
	resolver_free(r);
	dns_free(d);
}

/* ---- the race */

static void
on_end(struct fetch *f, void *arg)
{
	(void)f;
	*(int *)arg = 1;
}

static void
on_fail(struct fetch *f, enum fetch_fail fail, const char *text, void *arg)
{
	(void)f;
	CHECK(fail == FETCH_NFAILS, text);
	*(int *)arg = 2;
}

static int
listen_on(uint32_t ip, uint16_t *port, int backlog)
{
	struct sockaddr_in sin = { .sin_family = AF_INET,
		.sin_port = htons(*port),
		.sin_addr.s_addr = htonl(ip) };
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
	socklen_t len = sizeof sin;

	if (bind(fd, (struct sockaddr *)&sin, len) < 0 ||
	    listen(fd, backlog) < 0 ||
	    getsockname(fd, (struct sockaddr *)&sin, &len) < 0)
		fatalx("cannot listen");
	*port = ntohs(sin.sin_port);
	return fd;
}

/* Answers what connects to fd, until *flag. */
static void
serve_until(struct loop *l, int fd, const int *flag)
{
	static const char text[] = "HTTP/1.1 200 OK\r\n"
	                           "Content-Length: 0\r\n"
	                           "Connection: close\r\n\r\n";
	char request[1024];
	int c = -1;

	for (int i = 0; i < WIRE_PATIENCE_MS && !*flag; i++) {
		event_base_loop(loop_base(l), EVLOOP_NONBLOCK);
		if (c < 0)
			c = accept(fd, NULL, NULL);
		else if (recv(c, request, sizeof request, MSG_DONTWAIT) > 0)
			(void)send(c, text, sizeof text - 1, MSG_NOSIGNAL);
		usleep(1000);
	}
	if (c >= 0)
		close(c);
}

/* The first address answers no SYN: the second one is asked beside it, and a
 * second connection goes there at once. */
static void
check_race(struct loop *l, const char *conf)
{
	struct dns *d = dns_new(l, table, COUNT(table));
	struct resolve_servers servers = { conf, dns_port(d) };
	struct fetch_pool_conf pc = { .connect_timeout_ms = WIRE_PATIENCE_MS,
		.servers = &servers };
	struct fetch_pool *pool = fetch_pool_new(l, &pc);
	struct fetch_request r = { .method = "GET",
		.target = "/",
		.addr = { .host = "race.test" } };
	static const struct fetch_ops ops = { .on_end = on_end,
		.on_fail = on_fail };
	uint16_t port = 0;
	int full = listen_on(INADDR_LOOPBACK, &port, 0), fill[4], done = 0;
	int good = listen_on(INADDR_LOOPBACK + 1, &port, 16);
	struct sockaddr_in sin = { .sin_family = AF_INET,
		.sin_port = htons(port),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK) };

	for (size_t i = 0; i < COUNT(fill); i++) {
		fill[i] = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
		(void)connect(fill[i], (struct sockaddr *)&sin, sizeof sin);
	}
	dns_write_conf(conf, false);
	r.addr.port = port;
	(void)fetch_start(pool, &r, &ops, &done);
	serve_until(l, good, &done);
	CHECK_INT(done, 1, "the address that answers is taken");
	for (size_t i = 0; i < COUNT(fill); i++)
		close(fill[i]);
	close(full);
	close(good);
	fetch_pool_free(pool);
	dns_free(d);
}

void t_resolve(void);

void
t_resolve(void)
{
	char *conf = xasprintf("%s/resolv.conf", unit_tmpdir());
	struct resolve_answer local;
	struct addr a = { .host = "localhost", .port = 443 };
	struct loop_ops ops = { NULL, NULL };
	struct loop *l = loop_new(&ops, NULL);

	CHECK(resolve_at_once(&a, &local), "localhost is known");
	CHECK_INT(local.n, 2, "in both families");
	check_names(l, conf);
	check_crowd(l, conf);
	check_repair(l, conf);
	check_race(l, conf);
	loop_free(l);
	free(conf);
}
