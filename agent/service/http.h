/*
 * The door of clients that come over the network: streamable HTTP, one path
 * (/mcp), one POST a message.
 *
 * Who may come:
 *
 *	Host	names us: loopback, where we listen, or --allow-host; so no
 *		page that rebinds its name to this machine gets in
 *	Origin	if it is there, names one of the same hosts
 *	token	if there is one, every request bears it; beyond loopback
 *		there must be one
 *
 * An answer is one JSON object, or, for a call that asked for progress, a
 * stream of events that ends with it.  A client that goes away has cancelled
 * its request, in both eras: a result that nobody can fetch any more is not
 * worth a processor.  The legacy era's session is a label that keeps the ids of
 * several clients apart; nothing is stored for it.
 */
#ifndef AGENT_SERVICE_HTTP_H
#define AGENT_SERVICE_HTTP_H

#include "agent/service/server.h"
#include "base/addr.h"
#include "base/opts.h"

struct mcp_http;

struct mcp_http_conf {
	struct addr listen;
	const char *token;            /* borrowed; NULL: none is asked for */
	const struct opt_list *hosts; /* borrowed; names beside our own */
};

/* ERR_DENIED: beyond loopback without a token.  ERR_EXISTS, ERR_ENV. */
enum err mcp_http_new(struct loop *loop, struct mcp_server *server,
    const struct mcp_http_conf *conf, struct mcp_http **ret, struct why *why);
void mcp_http_address(const struct mcp_http *h, struct addr *ret);
void mcp_http_free(struct mcp_http *h); /* before its server; NULL-safe */

#endif
