/*
 * A DNS server for tests, on the loop that is tested, over UDP and TCP at one
 * port.  What it does about a name and a type is a row of a table; what has no
 * row does not exist.
 */
#ifndef TESTS_UNIT_BASE_DNS_H
#define TESTS_UNIT_BASE_DNS_H

#include "base/loop.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum dns_type { DNS_A = 1, DNS_AAAA = 28 };

enum dns_way {
	DNS_ANSWERS,
	DNS_SILENT,    /* no answer at all */
	DNS_TRUNCATED, /* over UDP; the whole of it over TCP */
	DNS_FAILS,     /* SERVFAIL */
	DNS_LIES,      /* a forged answer, then the answer */
	DNS_EMPTY,     /* the name has no such address */
};

struct dns_row {
	const char *name;
	enum dns_type type;
	enum dns_way way;
	const char *addrs[3]; /* as text */
	uint32_t ttl_s;
};

struct dns;

struct dns *dns_new(struct loop *l, const struct dns_row *rows, size_t n);
void dns_free(struct dns *d);
/* Questions of that type, all in all. */
int dns_asked(const struct dns *d, enum dns_type type);
uint16_t dns_port(const struct dns *d);
/* A resolv.conf that names this server, or one that never answers. */
void dns_write_conf(const char *path, bool is_dead);

#endif
