/*
 * What the admin door says of the store, and does to its keys:
 *
 *	GET  /keys			all keys
 *	POST /keys			{"name", "models",
 *					"requests_per_minute", "budget_usd",
 *					"per", "expires", "subject"}
 *	GET  /keys/NAME
 *	POST /keys/NAME/revoke
 *	GET  /spend?by=key&since=7d
 *	GET  /requests?key=&model=&since=&status=&rows=
 */
#ifndef GATEWAY_ADMIN_STORE_H
#define GATEWAY_ADMIN_STORE_H

#include "base/serve.h"

struct gateway;

/* False: that path is not one of these.  The answer comes later. */
bool admin_store(struct gateway *g, struct serve_call *sc);
/* The client of such a request went. */
void admin_store_gone(struct serve_call *sc);

#endif
