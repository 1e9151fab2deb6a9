/*
 * A rule is held against what the request says already.  Which model answers
 * is not known yet, so what a rule asks of it counts as met.
 */
#include "chaos/http/content_wanted.h"

#include <string.h>

#include "chaos/rules/fault.h"

struct question {
	struct facts *facts;
	bool is_websocket, is_wanted;
};

static bool
reads(const struct fault_type *type, bool is_websocket)
{
	return type->on_answer && !type->on_head_alone &&
	    type->is_websocket == is_websocket;
}

static void
ask_rule(const struct rule *r, const uint64_t counts[GOAL_NCOUNTS], void *arg)
{
	struct question *q = arg;
	struct match m = r->match;
	bool does_read = false;

	(void)counts;
	for (size_t i = 0; i < r->nfaults; i++)
		does_read |= reads(r->faults[i].type, q->is_websocket);
	if (q->is_wanted || !does_read ||
	    (r->proxy && strcmp(r->proxy, q->facts->proxy) != 0))
		return;
	m.model = NULL;
	q->is_wanted = match_holds(&m, q->facts);
}

bool
content_is_wanted(struct exchange *x, bool is_websocket)
{
	struct question q = { exchange_facts(x), is_websocket, false };
	const struct exchange_env *env = exchange_env(x);
	size_t n;
	const struct shot *shots = exchange_shots(x, &n);

	if (!is_websocket && !env->is_untouched &&
	    traffic_wants_text(env->traffic))
		return true;
	for (size_t i = 0; i < n; i++)
		if (reads(shot_type(&shots[i]), is_websocket))
			return true;
	if (exchange_is_open(x))
		engine_each_rule(env->engine, ask_rule, &q);
	return q.is_wanted;
}
