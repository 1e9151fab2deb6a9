/*
 * Which rule a request falls under, and in what order its targets are asked.
 *
 * Pure: what is known of the targets (latency, health) and the random number
 * are arguments.
 */
#ifndef GATEWAY_ROUTE_H
#define GATEWAY_ROUTE_H

#include "base/http1.h"
#include "gateway/conf/conf.h"
#include <jansson.h>

struct route_ask {
	const char *subject; /* who calls, "" for nobody in particular */
	const char *model;
	json_t *metadata;              /* NULL for none */
	const struct http1_head *head; /* NULL: no headers */
	const struct ynode *groups;    /* the caller is in; NULL: none */
};

/* The first rule whose conditions all hold, NULL for none. */
const struct conf_rule *route_match(const struct conf *c,
    const struct route_ask *ask);

/* Whether the three conditions, each NULL for any, all hold. */
bool route_when(const struct ynode *subjects, const struct ynode *models,
    const struct ynode *metadata, const struct route_ask *ask);

struct route_order {
	const struct conf_target *targets[CONF_TARGETS_MAX];
	size_t n;
};

/*
 * The targets of a rule in the order they are asked: the first by the rule's
 * type, then the others that may be fallen back to.
 *	measures    of rule->targets[i], by the rule's type: microseconds to the
 *	            first token (0: not known yet), requests under way, or what
 *	            a request costs; NULL: nothing is known
 *	random      uniform; a sticky caller passes route_session instead
 */
void route_targets(const struct conf_rule *rule, const struct route_ask *ask,
    const uint32_t *measures, uint32_t random, struct route_order *ret);

/*
 * A number for the request's session by the rule's identifiers, false when
 * the rule is not sticky or the request has none of them.  epoch counts the
 * rule's ttl, so that a session may move when it is over.
 */
bool route_session(const struct conf_rule *rule, const struct route_ask *ask,
    uint64_t now_s, uint32_t *ret);

#endif
