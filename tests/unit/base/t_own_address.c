/*
 * Addresses that end on this machine, and requests that may go to none of
 * them: by a number or by what a name leads to, also where a connection that
 * was not so bound waits for the next request.
 */
#include "base/own_address.h"

#include "base/fetch.h"
#include "base/log.h"
#include "base/mem.h"
#include "tests/unit.h"
#include "tests/unit/base/dns.h"
#include "tests/unit/base/wire.h"
#include <arpa/inet.h>
#include <ifaddrs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* clang-format off */
static const struct {
	const char *what, *text;
	bool is_own;
} rows[] = {
	{ "loopback",               "127.0.0.1",          true },
	{ "all of it",              "127.8.9.10",         true },
	{ "no address",             "0.0.0.0",            true },
	{ "what begins like it",    "0.1.2.3",            true },
	{ "of IPv6",                "::1",                true },
	{ "no address of IPv6",     "::",                 true },
	{ "IPv4 in IPv6's clothes", "::ffff:127.0.0.1",   true },
	{ "the same of none",       "::ffff:0.0.0.0",     true },
	{ "a documented one",       "198.51.100.7",       false },
	{ "one of IPv6",            "2001:db8::7",        false },
	{ "one in clothes",         "::ffff:203.0.113.9", false },
};

static const struct dns_row names[] = {
	{ "inward.test", DNS_A,    DNS_ANSWERS, { "127.0.0.1" }, 60 },
	{ "inward.test", DNS_AAAA, DNS_ANSWERS, { "::1" }, 60 },
};
/* clang-format on */

static void
read_address(const char *text, struct sockaddr_storage *ret)
{
	struct sockaddr_in v4 = { .sin_family = AF_INET };
	struct sockaddr_in6 v6 = { .sin6_family = AF_INET6 };

	memset(ret, 0, sizeof *ret);
	if (inet_pton(AF_INET, text, &v4.sin_addr) == 1)
		memcpy(ret, &v4, sizeof v4);
	else if (inet_pton(AF_INET6, text, &v6.sin6_addr) == 1)
		memcpy(ret, &v6, sizeof v6);
	else
		fatalx("%s: no address", text);
}

static void
check_addresses(void)
{
	struct sockaddr_storage at;
	struct ifaddrs *list = NULL;

	for (size_t i = 0; i < COUNT(rows); i++) {
		read_address(rows[i].text, &at);
		CHECK(own_address_is((struct sockaddr *)&at) == rows[i].is_own,
		    rows[i].what);
	}
	CHECK_INT(getifaddrs(&list), 0, "interfaces");
	for (const struct ifaddrs *i = list; i; i = i->ifa_next)
		if (i->ifa_addr &&
		    (i->ifa_addr->sa_family == AF_INET ||
		        i->ifa_addr->sa_family == AF_INET6))
			CHECK(own_address_is(i->ifa_addr), i->ifa_name);
	freeifaddrs(list);
}

/* ---- requests */

struct asked {
	int done;
	enum fetch_fail fail; /* FETCH_NFAILS: it was answered */
};

static void
on_end(struct fetch *f, void *arg)
{
	struct asked *x = arg;

	(void)f;
	x->fail = FETCH_NFAILS;
	x->done = 1;
}

static void
on_fail(struct fetch *f, enum fetch_fail fail, const char *text, void *arg)
{
	struct asked *x = arg;

	(void)f;
	(void)text;
	x->fail = fail;
	x->done = 1;
}

static int
listen_here(uint16_t *port)
{
	struct sockaddr_in sin = { .sin_family = AF_INET,
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t len = sizeof sin;
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);

	if (bind(fd, (struct sockaddr *)&sin, len) < 0 || listen(fd, 16) < 0 ||
	    getsockname(fd, (struct sockaddr *)&sin, &len) < 0)
		fatalx("cannot listen");
	*port = ntohs(sin.sin_port);
	return fd;
}

/* Asks, answers what comes, and says what became of it. */
static enum fetch_fail
ask(struct loop *l, struct fetch_pool *pool, const char *host, uint16_t port,
    bool is_outward, int listener)
{
	static const struct fetch_ops ops = { .on_end = on_end,
		.on_fail = on_fail };
	static const char answer[] =
	    "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";
	struct fetch_request r = { .method = "GET",
		.target = "/",
		.outward = is_outward,
		.addr = { .port = port } };
	struct asked x = { 0, FETCH_NFAILS };
	char request[1024];
	int c = -1;

	snprintf(r.addr.host, sizeof r.addr.host, "%s", host);
	(void)fetch_start(pool, &r, &ops, &x);
	for (int i = 0; i < WIRE_PATIENCE_MS && !x.done; i++) {
		event_base_loop(loop_base(l), EVLOOP_NONBLOCK);
		if (c < 0)
			c = accept(listener, NULL, NULL);
		else if (recv(c, request, sizeof request, MSG_DONTWAIT) > 0)
			(void)send(c, answer, sizeof answer - 1, MSG_NOSIGNAL);
		usleep(1000);
	}
	CHECK(x.done, host);
	/* Left open: the pool keeps it for the next one, who may not. */
	return x.fail;
}

static void
check_requests(struct loop *l, const char *conf)
{
	static const char *const hosts[] = { "inward.test", "127.0.0.1",
		"localhost", "0.0.0.0", "::ffff:127.0.0.1" };
	struct dns *d = dns_new(l, names, COUNT(names));
	struct resolve_servers servers = { conf, dns_port(d) };
	struct fetch_pool_conf pc = { .servers = &servers };
	struct fetch_pool *pool = fetch_pool_new(l, &pc);
	uint16_t port = 0;
	int fd = listen_here(&port);

	dns_write_conf(conf, false);
	for (size_t i = 0; i < COUNT(hosts); i++) {
		CHECK_INT(ask(l, pool, hosts[i], port, false, fd), FETCH_NFAILS,
		    hosts[i]);
		CHECK_INT(ask(l, pool, hosts[i], port, true, fd),
		    FETCH_FAIL_INWARD, hosts[i]);
	}
	close(fd);
	fetch_pool_free(pool);
	dns_free(d);
}

void t_own_address(void);

void
t_own_address(void)
{
	char *conf = xasprintf("%s/resolv.conf", unit_tmpdir());
	struct loop_ops ops = { NULL, NULL };
	struct loop *l = loop_new(&ops, NULL);

	check_addresses();
	check_requests(l, conf);
	loop_free(l);
	free(conf);
}
