/*
 * How an attempt at an upstream can end, and what follows from each end: the
 * names in logs and headers, the status the client gets when nothing else
 * helped, whether another attempt may follow.
 */
#ifndef GATEWAY_FAILURE_CAUSE_H
#define GATEWAY_FAILURE_CAUSE_H

#include "base/fetch.h"
#include <stdbool.h>

enum cause {
	CAUSE_OK,
	CAUSE_STATUS,  /* the upstream answered with an error status */
	CAUSE_QUOTA,   /* an error that no waiting cures: no money is left */
	CAUSE_CONTEXT, /* the request is too long for this target */
	CAUSE_POLICY,  /* the provider will not talk about that */
	CAUSE_REFUSED,
	CAUSE_RESOLVE,
	CAUSE_CONNECT_TIMEOUT,
	CAUSE_TLS,
	CAUSE_RESET,
	CAUSE_NO_ANSWER,
	CAUSE_CUT,
	CAUSE_PROTOCOL,
	CAUSE_FIRST_TOKEN,
	CAUSE_IDLE,
	CAUSE_SLOW,     /* under the minimum rate */
	CAUSE_TIMEOUT,  /* the attempt's own time is over */
	CAUSE_DEADLINE, /* the request's time is over */
	CAUSE_NOT_JSON,
	CAUSE_NOT_STREAM,
	CAUSE_STREAM_ERROR,
	CAUSE_UNFINISHED,
	CAUSE_EMPTY,
	CAUSE_OVERLOADED, /* finish_reason insufficient_system_resource */
	CAUSE_TOO_BIG,
	CAUSE_MALFORMED,      /* an event that is no JSON, in the midst */
	CAUSE_UNTRANSLATABLE, /* good, but not to be said in the client's API */
	CAUSE_QUALITY,        /* a validator said no */
	CAUSE_BREAKER,
	CAUSE_DOWN, /* its health check says so */
	CAUSE_CLIENT_GONE,
	CAUSE_INVALID, /* the request itself; no upstream was asked */
	CAUSE_NCAUSES
};

struct cause_facts {
	const char *name; /* "refused" */
	int status;       /* what it counts as; the client's when final */
	bool again;       /* the same target may be asked again */
	bool falls;       /* the next target is asked, whatever the sets say */
	bool counts;      /* a failure to the breaker */
	const char *phrase; /* "refused the connection" */
};

const struct cause_facts *cause_facts(enum cause c);
/* Does that end speak against the target?  status: what it answered, if it
 * did. */
bool cause_counts_against(enum cause c, int status);
/* The answer may be so because of what was asked: no sign of health, and none
 * of a fault.  Else one client could shut a target for all. */
bool cause_may_be_askers(enum cause c);
/* The target was not asked at all. */
bool cause_is_unasked(enum cause c);
enum cause cause_of_fetch(enum fetch_fail f);

#endif
