/*
 * What went wrong on the way without ending a run, by its type: one list for
 * trace, ledger and final answer, so that what is told can be counted.
 *
 * The names are ours; a name that is read back from a file and is not in the
 * list is no degradation, so no foreign word gets into a sentence by this way.
 */
#ifndef AGENT_DEGRADATION_NAMES_H
#define AGENT_DEGRADATION_NAMES_H

enum degradation {
	DEGRADATION_NONE,
	/* on the way to a model */
	DEGRADATION_UNREACHABLE,
	DEGRADATION_NETWORK,
	DEGRADATION_TIMEOUT,
	DEGRADATION_RATE_LIMIT,
	DEGRADATION_SERVER_ERROR,
	DEGRADATION_REFUSED,
	/* in an answer */
	DEGRADATION_TRUNCATED,
	DEGRADATION_EMPTY,
	DEGRADATION_MALFORMED,
	DEGRADATION_STALE,   /* said before in this conversation */
	DEGRADATION_SWAPPED, /* another model's, or to another question */
	/* in what was done about it */
	DEGRADATION_FALLBACK, /* another model than was routed to */
	DEGRADATION_BREAKER,  /* a dependency was left alone for a while */
	DEGRADATION_LAB,      /* the lab was opened again */
	DEGRADATION_NKINDS
};

const char *degradation_name(enum degradation d);
/* DEGRADATION_NONE for a name that is none. */
enum degradation degradation_find(const char *name);

/* Of an attempt's outcome ("stream_cut", "http_503", ...). */
enum degradation degradation_of_failure(const char *class);
/* Of a route ("PROVIDER/MODEL reason=REASON"): NONE where the model answered
 * that was to. */
enum degradation degradation_of_route(const char *route);

#endif
