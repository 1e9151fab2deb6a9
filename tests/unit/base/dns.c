/* Questions are parsed as far as one question goes; nothing else is asked. */
#include "tests/unit/base/dns.h"

#include "base/files.h"
#include "base/log.h"
#include "base/mem.h"
#include <arpa/inet.h>
#include <event2/event_struct.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

#define HEAD_BYTES    12
#define MESSAGE_BYTES 1500
#define NXDOMAIN      3
#define SERVFAIL      2

struct dns {
	const struct dns_row *rows;
	size_t n;
	int udp, tcp, dead; /* dead: bound, and nobody reads it */
	uint16_t port;
	struct event on_udp, on_tcp;
	int asked[DNS_AAAA + 1];
};

static uint16_t
bind_to(int fd, uint32_t ip, uint16_t port)
{
	struct sockaddr_in sin = { .sin_family = AF_INET,
		.sin_port = htons(port),
		.sin_addr.s_addr = htonl(ip) };
	socklen_t len = sizeof sin;

	if (bind(fd, (struct sockaddr *)&sin, len) < 0)
		return 0;
	(void)getsockname(fd, (struct sockaddr *)&sin, &len);
	return ntohs(sin.sin_port);
}

static void
put16(unsigned char **p, unsigned v)
{
	*(*p)++ = (unsigned char)(v >> 8);
	*(*p)++ = (unsigned char)v;
}

static void
put_record(unsigned char **p, const struct dns_row *row, const char *addr)
{
	unsigned char bytes[16];
	unsigned n = row->type == DNS_A ? 4 : 16;

	if (inet_pton(row->type == DNS_A ? AF_INET : AF_INET6, addr, bytes) !=
	    1)
		fatalx("%s is no address", addr);
	put16(p, 0xc000 | HEAD_BYTES); /* the name of the question */
	put16(p, row->type);
	put16(p, 1);
	put16(p, row->ttl_s >> 16);
	put16(p, row->ttl_s & 0xffff);
	put16(p, n);
	memcpy(*p, bytes, n);
	*p += n;
}

static const struct dns_row *
find(struct dns *d, const unsigned char *q, size_t n, size_t *ret_end)
{
	char name[256] = "";
	size_t at = HEAD_BYTES, len = 0, part;
	unsigned type;

	while (at < n && (part = q[at]) > 0 && len + part < sizeof name - 2) {
		len += (size_t)snprintf(name + len, sizeof name - len, "%s%.*s",
		    len ? "." : "", (int)part, (const char *)q + at + 1);
		at += part + 1;
	}
	if (at + 5 > n)
		return NULL;
	type = (unsigned)q[at + 1] << 8 | q[at + 2];
	*ret_end = at + 5;
	if (type <= DNS_AAAA)
		d->asked[type]++;
	for (size_t i = 0; i < d->n; i++)
		if (d->rows[i].type == type &&
		    strcasecmp(d->rows[i].name, name) == 0)
			return &d->rows[i];
	return NULL;
}

/* The answer's length; 0: none is given. */
static size_t
answer(struct dns *d, const unsigned char *q, size_t n, bool is_tcp,
    unsigned char out[MESSAGE_BYTES])
{
	size_t end = 0, count = 0;
	const struct dns_row *row = find(d, q, n, &end);
	bool is_cut = row && row->way == DNS_TRUNCATED && !is_tcp;
	unsigned code = !row ? NXDOMAIN : row->way == DNS_FAILS ? SERVFAIL : 0;
	unsigned char *p = out + 2;

	if (end == 0 || (row && row->way == DNS_SILENT))
		return 0;
	while (row && !code && !is_cut && row->way != DNS_EMPTY && count < 3 &&
	    row->addrs[count])
		count++;
	memcpy(out, q, 2);
	put16(&p, 0x8180 | code | (is_cut ? 0x0200 : 0));
	put16(&p, 1);
	put16(&p, (unsigned)count);
	put16(&p, 0);
	put16(&p, 0);
	memcpy(p, q + HEAD_BYTES, end - HEAD_BYTES);
	p += end - HEAD_BYTES;
	for (size_t i = 0; i < count; i++)
		put_record(&p, row, row->addrs[i]);
	return (size_t)(p - out);
}

static void
on_udp(evutil_socket_t fd, short what, void *arg)
{
	unsigned char q[MESSAGE_BYTES], out[MESSAGE_BYTES];
	struct dns *d = arg;
	struct sockaddr_storage from;
	socklen_t len = sizeof from;
	ssize_t n =
	    recvfrom(fd, q, sizeof q, 0, (struct sockaddr *)&from, &len);
	const struct dns_row *row;
	size_t bytes, end;

	(void)what;
	if (n < HEAD_BYTES)
		return;
	row = find(d, q, (size_t)n, &end);
	if (row)
		d->asked[row->type]--; /* counted once, in answer() */
	if ((bytes = answer(d, q, (size_t)n, false, out)) == 0)
		return;
	if (row && row->way == DNS_LIES) {
		/* Another question's number, and an address that is wrong.
		 * Not bytes that are no message: what a resolver does with
		 * those differs from one version of c-ares to the next. */
		out[0] ^= 1;
		out[bytes - 1] ^= 1;
		(void)sendto(fd, out, bytes, 0, (struct sockaddr *)&from, len);
		out[0] ^= 1;
		out[bytes - 1] ^= 1;
	}
	(void)sendto(fd, out, bytes, 0, (struct sockaddr *)&from, len);
}

/* One question, and the connection is done. */
static void
on_link(evutil_socket_t fd, short what, void *arg)
{
	unsigned char q[MESSAGE_BYTES + 2], out[MESSAGE_BYTES + 2];
	ssize_t n = recv(fd, q, sizeof q, MSG_DONTWAIT);
	size_t bytes;

	(void)what;
	if (n > HEAD_BYTES + 2 &&
	    (bytes = answer(arg, q + 2, (size_t)n - 2, true, out + 2)) > 0) {
		out[0] = (unsigned char)(bytes >> 8);
		out[1] = (unsigned char)bytes;
		(void)send(fd, out, bytes + 2, MSG_NOSIGNAL);
	}
	close(fd);
}

static void
on_tcp(evutil_socket_t fd, short what, void *arg)
{
	struct dns *d = arg;

	(void)what;
	event_base_once(event_get_base(&d->on_tcp), accept(fd, NULL, NULL),
	    EV_READ, on_link, d, NULL);
}

struct dns *
dns_new(struct loop *l, const struct dns_row *rows, size_t n)
{
	struct dns *d = xcalloc(1, sizeof *d);

	d->rows = rows;
	d->n = n;
	/* A port that is free for both. */
	do {
		d->udp = socket(AF_INET, SOCK_DGRAM, 0);
		d->tcp = socket(AF_INET, SOCK_STREAM, 0);
		d->port = bind_to(d->udp, INADDR_LOOPBACK, 0);
		if (bind_to(d->tcp, INADDR_LOOPBACK, d->port) &&
		    listen(d->tcp, 16) == 0)
			break;
		close(d->udp);
		close(d->tcp);
	} while (true);
	d->dead = socket(AF_INET, SOCK_DGRAM, 0);
	(void)bind_to(d->dead, INADDR_LOOPBACK + 2, d->port);
	event_assign(&d->on_udp, loop_base(l), d->udp, EV_READ | EV_PERSIST,
	    on_udp, d);
	event_assign(&d->on_tcp, loop_base(l), d->tcp, EV_READ | EV_PERSIST,
	    on_tcp, d);
	event_add(&d->on_udp, NULL);
	event_add(&d->on_tcp, NULL);
	return d;
}

void
dns_free(struct dns *d)
{
	event_del(&d->on_udp);
	event_del(&d->on_tcp);
	close(d->udp);
	close(d->tcp);
	close(d->dead);
	free(d);
}

int
dns_asked(const struct dns *d, enum dns_type type)
{
	return d->asked[type];
}

uint16_t
dns_port(const struct dns *d)
{
	return d->port;
}

void
dns_write_conf(const char *path, bool is_dead)
{
	const char *text =
	    is_dead ? "nameserver 127.0.0.3\n" : "nameserver 127.0.0.1\n\n";

	if (files_write(path, text, strlen(text), NULL) != ERR_OK)
		fatalx("cannot write %s", path);
}
