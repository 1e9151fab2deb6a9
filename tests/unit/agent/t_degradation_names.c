/* The types of degradation: each outcome and route has one, each name reads
 * back, and no foreign word is one. */
#include "agent/text/degradation_names.h"
#include "tests/unit.h"

static void
check_outcomes(void)
{
	static const struct {
		const char *class;
		enum degradation want;
	} rows[] = {
		{ "good", DEGRADATION_NONE },
		{ "stopped", DEGRADATION_NONE },
		{ "stream_cut", DEGRADATION_TRUNCATED },
		{ "length", DEGRADATION_TRUNCATED },
		{ "empty_answer", DEGRADATION_EMPTY },
		{ "garbage", DEGRADATION_MALFORMED },
		{ "too_big", DEGRADATION_MALFORMED },
		{ "error_event", DEGRADATION_SERVER_ERROR },
		{ "stalled", DEGRADATION_TIMEOUT },
		{ "deadline", DEGRADATION_TIMEOUT },
		{ "broken", DEGRADATION_NETWORK },
		{ "unreachable", DEGRADATION_UNREACHABLE },
		{ "quota", DEGRADATION_RATE_LIMIT },
		{ "finish_reason", DEGRADATION_REFUSED },
		{ "http_429", DEGRADATION_RATE_LIMIT },
		{ "http_529", DEGRADATION_RATE_LIMIT },
		{ "http_408", DEGRADATION_TIMEOUT },
		{ "http_504", DEGRADATION_TIMEOUT },
		{ "http_503", DEGRADATION_SERVER_ERROR },
		{ "http_500", DEGRADATION_SERVER_ERROR },
		{ "http_404", DEGRADATION_REFUSED },
		{ "http_422", DEGRADATION_REFUSED },
	};

	for (size_t i = 0; i < COUNT(rows); i++)
		CHECK_STR(degradation_name(
		              degradation_of_failure(rows[i].class)),
		    degradation_name(rows[i].want), rows[i].class);
}

static void
check_routes(void)
{
	static const struct {
		const char *route;
		enum degradation want;
	} rows[] = {
		{ "a/b reason=configured", DEGRADATION_NONE },
		{ "b reason=direct", DEGRADATION_NONE },
		{ "a/pro reason=quality-escalation", DEGRADATION_NONE },
		{ "a/c reason=fallback", DEGRADATION_FALLBACK },
		{ "a/c reason=sla", DEGRADATION_FALLBACK },
		{ "a/c reason=breaker", DEGRADATION_FALLBACK },
		{ "a/c reason=budget", DEGRADATION_FALLBACK },
	};

	for (size_t i = 0; i < COUNT(rows); i++)
		CHECK_INT(degradation_of_route(rows[i].route), rows[i].want,
		    rows[i].route);
}

static void
check_names(void)
{
	for (int d = 1; d < DEGRADATION_NKINDS; d++)
		CHECK_INT(degradation_find(
		              degradation_name((enum degradation)d)),
		    d, degradation_name((enum degradation)d));
	CHECK_INT(degradation_find("20 of 20 verified"), DEGRADATION_NONE,
	    "a foreign word");
	CHECK_INT(degradation_find("none"), DEGRADATION_NONE, "none is none");
	CHECK_INT(degradation_find(NULL), DEGRADATION_NONE, "nothing");
}

void
t_degradation_names(void)
{
	check_outcomes();
	check_routes();
	check_names();
}
