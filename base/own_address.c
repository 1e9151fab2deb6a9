/*
 * Interfaces are asked each time: addresses come and go while we run.
 */
#include "base/own_address.h"

#include <ifaddrs.h>
#include <netinet/in.h>
#include <string.h>

#define MAPPED_AT 12 /* in ::ffff:1.2.3.4 */

/* An address without its port; is_v4 with four bytes of it. */
struct bare {
	bool is_v4;
	unsigned char bytes[sizeof(struct in6_addr)];
};

static bool
read_bare(const struct sockaddr *sa, struct bare *ret)
{
	struct sockaddr_in v4;
	struct sockaddr_in6 v6;

	memset(ret, 0, sizeof *ret);
	if (sa->sa_family == AF_INET) {
		memcpy(&v4, sa, sizeof v4);
		memcpy(ret->bytes, &v4.sin_addr, sizeof v4.sin_addr);
		ret->is_v4 = true;
		return true;
	}
	if (sa->sa_family != AF_INET6)
		return false;
	memcpy(&v6, sa, sizeof v6);
	ret->is_v4 = IN6_IS_ADDR_V4MAPPED(&v6.sin6_addr);
	if (ret->is_v4)
		memcpy(ret->bytes, v6.sin6_addr.s6_addr + MAPPED_AT,
		    sizeof(struct in_addr));
	else
		memcpy(ret->bytes, &v6.sin6_addr, sizeof v6.sin6_addr);
	return true;
}

/* 127/8 and 0/8, :: and ::1. */
static bool
is_loopback(const struct bare *a)
{
	static const struct in6_addr none = IN6ADDR_ANY_INIT,
	                             self = IN6ADDR_LOOPBACK_INIT;

	if (a->is_v4)
		return a->bytes[0] == 127 || a->bytes[0] == 0;
	return memcmp(a->bytes, &none, sizeof none) == 0 ||
	    memcmp(a->bytes, &self, sizeof self) == 0;
}

bool
own_address_is(const struct sockaddr *sa)
{
	struct ifaddrs *list = NULL;
	struct bare asked, own;
	bool is_own;

	if (!read_bare(sa, &asked))
		return false;
	is_own = is_loopback(&asked);
	if (is_own || getifaddrs(&list) != 0)
		return is_own;
	for (const struct ifaddrs *i = list; i && !is_own; i = i->ifa_next)
		is_own = i->ifa_addr && read_bare(i->ifa_addr, &own) &&
		    memcmp(&own, &asked, sizeof own) == 0;
	freeifaddrs(list);
	return is_own;
}
