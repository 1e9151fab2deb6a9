/*
 * The names that this door has besides its own, and the pages that may call it.
 * What could match nothing is an error: its writer takes a door for open, or
 * for shut.
 */
#include "gateway/conf/conf_read.h"

#include "base/addr.h"
#include <arpa/inet.h>
#include <string.h>
#include <strings.h>

/* A Host is compared without its port, and an address without brackets. */
static bool
is_host(const char *name)
{
	struct in6_addr six;
	struct addr at;

	if (inet_pton(AF_INET6, name, &six) == 1)
		return true;
	return !strpbrk(name, "/*, ") && addr_of_host(slice_of(name), &at) &&
	    strcasecmp(at.host, name) == 0;
}

/* Names, one by one: what is no name would match no Host. */
void
conf_read_hosts(struct conf_reader *r, const struct ynode *list)
{
	for (const struct ynode *n = list->first; n; n = n->next)
		if (!is_host(n->text))
			findings_error(r->f, n,
			    "found \"%s\", expected the name of a host, "
			    "without a port",
			    n->text);
	r->conf->hosts = list;
}

/* As browsers write them: a page is known by scheme, host and port alone. */
void
conf_read_origins(struct conf_reader *r, const struct ynode *list)
{
	for (const struct ynode *n = list->first; n; n = n->next) {
		const char *host = strstr(n->text, "://");

		if (!host || host[3] == '\0' || strpbrk(host + 3, "/*, "))
			findings_error(r->f, n,
			    "found %s, expected an origin such as "
			    "https://app.example",
			    n->text);
	}
	r->conf->origins = list;
}
