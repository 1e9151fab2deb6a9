/*
 * The mark by which a proxy knows a request that it has forwarded before.
 *
 * A circle through other processes shows in no address; it shows in a request
 * that comes back.  So each forwarding proxy names itself in CDN-Loop (RFC
 * 8586): made for this, passed on by other proxies as it is, and without the
 * side effects of Via, for which web servers switch compression off.  A name
 * is 64 random bits, one a proxy, so that no other proxy is taken for it.
 *
 * A request may rightly come twice (a server between that routes by path); a
 * third time it goes round.  Who takes the header out hides a circle: only
 * descriptors end it then.  Bytes of TCP have no place for a mark.
 */
#ifndef CHAOS_CDN_LOOP_H
#define CHAOS_CDN_LOOP_H

#include "base/http1.h"
#include <stdbool.h>

#define HOPMARK_FIELD     "CDN-Loop"
#define HOPMARK_MAX       32 /* of a name, with its NUL */
#define HOPMARK_TURNS_MAX 3  /* forwarded so often, it is a circle */

struct hopmark {
	char name[HOPMARK_MAX];
	bool has_told; /* whoever runs the proxy */
};

void hopmark_init(struct hopmark *m);

/* Has this proxy forwarded the request too often already? */
bool hopmark_is_circle(const struct hopmark *m, const struct http1_head *h);

#endif
