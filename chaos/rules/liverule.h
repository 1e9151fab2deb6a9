/*
 * A rule that came while the proxy runs, over the API: one fault, on one
 * proxy, with a probability.  It lives until it was let go by everybody who
 * holds it: the API, and each exchange that its fault was aimed at.
 */
#ifndef CHAOS_LIVERULE_H
#define CHAOS_LIVERULE_H

#include "chaos/rules/scenario.h"
#include <sys/queue.h>

struct live_rule {
	TAILQ_ENTRY(live_rule) entry; /* of an engine */
	struct rule rule;
	uint64_t counts[GOAL_NCOUNTS];

	/* private */
	char *id, *proxy;   /* owned */
	json_t *attributes; /* owned: the texts are in it */
	size_t holders;
};

TAILQ_HEAD(live_rules, live_rule);

struct live_rule_conf { /* copied */
	const char *id, *proxy;
	double p;
	const struct fault_type *type;
	json_t *attributes;
};

/* Held once.  ERR_SYNTAX when the attributes are not the type's. */
enum err live_rule_new(const struct live_rule_conf *conf,
    struct live_rule **ret, struct why *why);
/* One as a scenario has them, of s's proxies and phases; v is JSON like those
 * of a file.  Held once.  ERR_SYNTAX, ERR_RANGE. */
enum err live_rule_read(json_t *v, const struct scenario *s,
    struct live_rule **ret, struct why *why);
void live_rule_hold(struct live_rule *r);
void live_rule_drop(struct live_rule *r); /* NULL-safe */

#endif
