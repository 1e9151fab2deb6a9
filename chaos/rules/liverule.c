/*
 * A struct rule put together from its parts instead of read from a file, so
 * that the engine knows one kind of rule alone; the chance goes through the
 * reader of `when` for the same reason.
 */
#include "chaos/rules/liverule.h"

#include <stdlib.h>

#include "base/mem.h"
#include "chaos/rules/rule.h"

enum err
live_rule_new(const struct live_rule_conf *conf, struct live_rule **ret,
    struct why *why)
{
	struct live_rule *r = xcalloc(1, sizeof *r);
	double p = conf->p < 0 ? 0 : conf->p > 1 ? 1 : conf->p;
	json_t *when = json_pack("{sf}", "p", p);
	enum err e;

	r->holders = 1;
	r->id = xstrdup(conf->id);
	r->proxy = xstrdup(conf->proxy);
	/* The fault's texts are borrowed from it, and the request's own JSON
	 * goes. */
	r->attributes = json_deep_copy(conf->attributes);
	r->rule = (struct rule){ .id = r->id,
		.proxy = r->proxy,
		.phase = -1,
		.is_also = true,
		.acts_on_request = conf->type->on_request != NULL };
	e = match_read(NULL, "", &r->rule.match, why);
	if (e == ERR_OK)
		e = when_read(when, "/toxicity", &r->rule.when, why);
	if (e == ERR_OK)
		e = fault_read_attributes(conf->type, r->attributes,
		    "/attributes", &r->rule.faults[0], why);
	if (e == ERR_OK) {
		r->rule.nfaults = 1;
		*ret = r;
	} else {
		live_rule_drop(r);
	}
	json_decref(when);
	return e;
}

enum err
live_rule_read(json_t *v, const struct scenario *s, struct live_rule **ret,
    struct why *why)
{
	struct live_rule *r = xcalloc(1, sizeof *r);
	enum err e;

	r->holders = 1;
	r->attributes = json_deep_copy(v);
	e = rule_read(r->attributes, "", s, &r->rule, why);
	if (e == ERR_OK)
		*ret = r;
	else
		live_rule_drop(r);
	return e;
}

void
live_rule_hold(struct live_rule *r)
{
	r->holders++;
}

void
live_rule_drop(struct live_rule *r)
{
	if (!r || --r->holders > 0)
		return;
	rule_done(&r->rule);
	json_decref(r->attributes);
	free(r->id);
	free(r->proxy);
	free(r);
}
