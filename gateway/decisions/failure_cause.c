/*
 * Two tables: what follows from each end, and which end a failed fetch is.
 *
 * An error that the upstream answered with is CAUSE_STATUS, unless its body
 * says more (error_class.c names the class, attempt.c the cause of each
 * class).  Of CAUSE_STATUS the row is only the default: the status decides
 * whether it is asked again or falls back (retry.c, by the configuration's
 * lists) and whether it counts against the target (below).
 */
#include "gateway/decisions/failure_cause.h"

/* clang-format off */
static const struct cause_facts facts[CAUSE_NCAUSES] = {
	/*                          name               status again  falls  counts  phrase */
	[CAUSE_OK]              = { "ok",              200, false, false, false, "answered" },
	[CAUSE_STATUS]          = { "status",          502, true,  false, true,  "answered with an error" },
	[CAUSE_QUOTA]           = { "quota",           429, false, true,  false, "has no quota left" },
	[CAUSE_CONTEXT]         = { "context-length",  400, false, true,  false, "has no room for so long a request" },
	[CAUSE_POLICY]          = { "content-policy",  400, false, false, false, "refused the content" },
	[CAUSE_REFUSED]         = { "refused",         502, true,  true,  true,  "refused the connection" },
	[CAUSE_RESOLVE]         = { "resolve",         502, false, true,  true,  "has no address" },
	[CAUSE_CONNECT_TIMEOUT] = { "connect-timeout", 504, false, true,  true,  "did not accept the connection in time" },
	[CAUSE_TLS]             = { "tls",             502, false, true,  true,  "failed the TLS handshake" },
	[CAUSE_RESET]           = { "reset",           502, true,  true,  true,  "reset the connection" },
	[CAUSE_NO_ANSWER]       = { "no-answer",       502, true,  true,  true,  "closed the connection without an answer" },
	[CAUSE_CUT]             = { "cut",             502, true,  true,  true,  "closed the connection inside its answer" },
	[CAUSE_PROTOCOL]        = { "protocol",        502, true,  true,  true,  "did not answer in HTTP" },
	[CAUSE_FIRST_TOKEN]     = { "first-token",     408, false, true,  true,  "gave no token in time" },
	[CAUSE_IDLE]            = { "idle",            504, false, true,  true,  "stalled inside its answer" },
	[CAUSE_SLOW]            = { "slow",            504, false, true,  true,  "answered too slowly" },
	[CAUSE_TIMEOUT]         = { "timeout",         504, false, true,  true,  "did not finish in time" },
	[CAUSE_DEADLINE]        = { "deadline",        504, false, false, true,  "did not finish before the request's deadline" },
	[CAUSE_MALFORMED]       = { "malformed",       502, true,  true,  true,  "sent an event that is no JSON" },
	[CAUSE_UNTRANSLATABLE]  = { "untranslatable",  502, false, true,  false, "answered with what the client's API has no word for" },
	[CAUSE_NOT_JSON]        = { "not-json",        502, true,  true,  true,  "did not answer as its API does" },
	[CAUSE_NOT_STREAM]      = { "not-stream",      502, true,  true,  true,  "did not answer with a stream" },
	[CAUSE_STREAM_ERROR]    = { "stream-error",    502, true,  true,  true,  "sent an error in its stream" },
	[CAUSE_UNFINISHED]      = { "unfinished",      502, true,  true,  true,  "ended its stream without finishing" },
	[CAUSE_EMPTY]           = { "empty",           502, true,  true,  false, "gave an empty completion" },
	[CAUSE_OVERLOADED]      = { "overloaded",      503, true,  true,  true,  "ran out of resources" },
	[CAUSE_TOO_BIG]         = { "too-big",         502, false, true,  false, "answered with more bytes than allowed" },
	[CAUSE_QUALITY]         = { "quality",         502, false, true,  false, "gave an answer that a validator refused" },
	[CAUSE_BREAKER]         = { "breaker",         503, false, true,  false, "is held off after failures" },
	[CAUSE_DOWN]            = { "down",            503, false, true,  false, "does not answer its health check" },
	[CAUSE_INVALID]         = { "invalid",         400, false, false, false, "was not asked" },
	[CAUSE_CLIENT_GONE]     = { "client-gone",     499, false, false, false, "lost its client" },
};
/* clang-format on */

const struct cause_facts *
cause_facts(enum cause c)
{
	return &facts[c];
}

/* A client's own mistake says nothing about the target's health. */
bool
cause_counts_against(enum cause c, int status)
{
	if (c == CAUSE_STATUS)
		return status == 429 || status >= 500;
	return facts[c].counts;
}

bool
cause_may_be_askers(enum cause c)
{
	return c == CAUSE_EMPTY || c == CAUSE_TOO_BIG ||
	    c == CAUSE_UNTRANSLATABLE;
}

bool
cause_is_unasked(enum cause c)
{
	return c == CAUSE_BREAKER || c == CAUSE_DOWN;
}

static const enum cause causes[FETCH_NFAILS] = {
	[FETCH_FAIL_RESOLVE] = CAUSE_RESOLVE,
	[FETCH_FAIL_REFUSED] = CAUSE_REFUSED,
	[FETCH_FAIL_CONNECT_TIMEOUT] = CAUSE_CONNECT_TIMEOUT,
	[FETCH_FAIL_TLS] = CAUSE_TLS,
	[FETCH_FAIL_RESET] = CAUSE_RESET,
	[FETCH_FAIL_EMPTY] = CAUSE_NO_ANSWER,
	[FETCH_FAIL_CUT] = CAUSE_CUT,
	[FETCH_FAIL_PROTOCOL] = CAUSE_PROTOCOL,
	[FETCH_FAIL_INWARD] = CAUSE_REFUSED,
};

enum cause
cause_of_fetch(enum fetch_fail f)
{
	return causes[f];
}
