/* Three tables and their look-ups. */
#include "agent/text/degradation_names.h"

#include "base/units.h"
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static const char *const degradation_names[DEGRADATION_NKINDS] = {
	[DEGRADATION_NONE] = "none",
	[DEGRADATION_UNREACHABLE] = "unreachable",
	[DEGRADATION_NETWORK] = "network",
	[DEGRADATION_TIMEOUT] = "timeout",
	[DEGRADATION_RATE_LIMIT] = "rate_limit",
	[DEGRADATION_SERVER_ERROR] = "server_error",
	[DEGRADATION_REFUSED] = "refused",
	[DEGRADATION_TRUNCATED] = "truncated",
	[DEGRADATION_EMPTY] = "empty",
	[DEGRADATION_MALFORMED] = "malformed",
	[DEGRADATION_STALE] = "stale",
	[DEGRADATION_SWAPPED] = "swapped",
	[DEGRADATION_FALLBACK] = "fallback",
	[DEGRADATION_BREAKER] = "breaker_open",
	[DEGRADATION_LAB] = "lab_reopened",
};

/* Sorted. */
static const struct {
	const char *class;
	enum degradation kind;
} degradation_classes[] = {
	{ "broken", DEGRADATION_NETWORK },
	{ "deadline", DEGRADATION_TIMEOUT },
	{ "empty_answer", DEGRADATION_EMPTY },
	{ "error_event", DEGRADATION_SERVER_ERROR },
	{ "finish_reason", DEGRADATION_REFUSED },
	{ "garbage", DEGRADATION_MALFORMED },
	{ "length", DEGRADATION_TRUNCATED },
	{ "quota", DEGRADATION_RATE_LIMIT },
	{ "stalled", DEGRADATION_TIMEOUT },
	{ "stream_cut", DEGRADATION_TRUNCATED },
	{ "too_big", DEGRADATION_MALFORMED },
	{ "unreachable", DEGRADATION_UNREACHABLE },
};

/* Statuses that say more than their class does. */
static const struct {
	int status;
	enum degradation kind;
} degradation_statuses[] = {
	{ 408, DEGRADATION_TIMEOUT },
	{ 429, DEGRADATION_RATE_LIMIT },
	{ 504, DEGRADATION_TIMEOUT },
	{ 529, DEGRADATION_RATE_LIMIT },
};

/* Reasons of a route that are as they should be. */
static const char *const degradation_routes[] = { "reason=configured",
	"reason=direct", "reason=quality-escalation" };

const char *
degradation_name(enum degradation d)
{
	return degradation_names[d];
}

enum degradation
degradation_find(const char *name)
{
	for (int d = 1; name && d < DEGRADATION_NKINDS; d++)
		if (strcmp(degradation_names[d], name) == 0)
			return (enum degradation)d;
	return DEGRADATION_NONE;
}

static enum degradation
of_status(int status)
{
	for (size_t i = 0; i < COUNT(degradation_statuses); i++)
		if (degradation_statuses[i].status == status)
			return degradation_statuses[i].kind;
	return status >= 500 ? DEGRADATION_SERVER_ERROR : DEGRADATION_REFUSED;
}

enum degradation
degradation_of_failure(const char *class)
{
	static const char http[] = "http_";

	if (strncmp(class, http, sizeof http - 1) == 0)
		return of_status(atoi(class + sizeof http - 1));
	for (size_t i = 0; i < COUNT(degradation_classes); i++)
		if (strcmp(degradation_classes[i].class, class) == 0)
			return degradation_classes[i].kind;
	return DEGRADATION_NONE;
}

enum degradation
degradation_of_route(const char *route)
{
	for (size_t i = 0; i < COUNT(degradation_routes); i++)
		if (strstr(route, degradation_routes[i]))
			return DEGRADATION_NONE;
	return DEGRADATION_FALLBACK;
}
