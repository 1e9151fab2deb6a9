/*
 * What became of one run, against what is normal: the attempts as the client
 * lived through them, what it handed over, what it did to the world, and which
 * rules that breaks.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/units.h"
#include "chaos/trials/audit.h"
#include "chaos/trials/client_trial.h"
#include "chaos/trials/effects.h"

#define WAITS_MAX 256

size_t
audit_tool_calls_max(const struct audit *a)
{
	return a->norm.tool_calls + a->conf->turns_max;
}

static struct conduct_run
conduct_of(const struct audit *a, const struct audit_row *row,
    const struct client_trial_result *t)
{
	struct effects_change change;
	struct conduct_run run;

	effects_compare(a->norm.effects, t->effects, &change);
	/* What nobody can see, and what the model itself asks for, is not the
	 * client's doing. */
	if (row->of && row->of->sign == AUDIT_UNSEEN)
		change = (struct effects_change){ NULL, NULL, NULL };
	run = (struct conduct_run){ .attempts = t->attempts,
		.n = t->n,
		.clean_requests = a->norm.requests,
		.tool_calls_max = audit_tool_calls_max(a),
		.effect_twice = change.twice,
		.effect_lost = change.lost,
		.effect_other = change.other,
		.is_wrong_state = t->is_wrong_state,
		.is_pipe = a->conf->mcp == AUDIT_MCP_STDIO,
		.has_crashed = t->has_crashed,
		.exit_code = t->exit_code,
		.signal = t->signal,
		.was_killed = t->was_killed,
		.deadline_ms = a->norm.deadline_ms,
		.is_harmless = row->of && row->of->is_harmless,
		.is_retrying = t->is_retrying,
		.has_outcome = t->outcome != NULL,
		.is_exposed = row->handling == AUDIT_EXPOSED,
		.is_recovered = row->handling == AUDIT_RECOVERED,
		.timeout_ms = row->timeout_ms };
	memcpy(run.clean_good, a->norm.good, sizeof run.clean_good);
	return run;
}

static json_t *
requests_of(const struct client_trial_result *t)
{
	json_t *list = json_array();

	for (size_t i = 0; i < t->n; i++) {
		const struct conduct_attempt *a = &t->attempts[i];
		uint64_t start_us = t->attempts[0].arrived_us;

		json_array_append_new(list,
		    json_pack("{ss ss sI sI si ss sb sb sI sI sI sI}", "method",
		        t->calls[i].method, "path", t->calls[i].path, "attempt",
		        (json_int_t)t->calls[i].attempt, "turn",
		        (json_int_t)t->calls[i].turn, "status", a->head.status,
		        "answer", worth_name(a->worth), "struck", a->is_struck,
		        "client_left", a->has_left, "arrived_us",
		        (json_int_t)(a->arrived_us - start_us), "over_us",
		        (json_int_t)(a->over_us - start_us), "bytes",
		        (json_int_t)t->calls[i].bytes, "events",
		        (json_int_t)t->calls[i].events));
	}
	return list;
}

/*
 * The attempts as the client lived through them: what a case knows about
 * itself goes before what could be read on our side of it.  Owned.
 */
static struct conduct_attempt *
tell(const struct audit_case *k, const struct client_trial_result *t)
{
	struct conduct_attempt *told =
	    xmemdup(t->attempts, t->n * sizeof *told);

	for (size_t i = 0; i < t->n; i++) {
		struct conduct_attempt *a = &told[i];

		a->is_struck = a->is_struck || (k && k->aim == AUDIT_TOXIC);
		if (!k || k->harm == AUDIT_READ || !a->is_struck)
			continue;
		a->worth = k->harm;
		if (k->aim == AUDIT_TOXIC)
			a->has_left = false; /* it was made to leave */
		if (k->harm == WORTH_NOTHING)
			a->head.status = 0;
	}
	return told;
}

static const char *
said(json_t *outcome, const char *key)
{
	const char *text = json_string_value(json_object_get(outcome, key));

	return text ? text : "";
}

/* Does it say the same as after the clean run? */
static bool
is_alike(const struct audit *a, const struct client_trial_result *t,
    const char *key)
{
	return strcmp(said(t->outcome, key), said(a->norm.outcome, key)) == 0;
}

/* Only answers that are not whole are asked about; who was killed on the way
 * had not made up its mind. */
static enum audit_handling
handling_of(const struct audit *a, const struct audit_row *row,
    const struct client_trial_result *t, const struct conduct_attempt *told)
{
	bool is_cut = false;

	for (size_t i = 0; i < t->n; i++)
		is_cut |= told[i].is_struck && told[i].worth == WORTH_TRUNCATED;
	if (!row->of || !is_cut || !a->norm.outcome || t->was_killed)
		return AUDIT_UNTOLD;
	if (!t->outcome)
		return client_trial_failed(t) ? AUDIT_RAISED : AUDIT_UNTOLD;
	/* Who asked for more did not take it for whole: what came then may say
	 * something else, and be whole. */
	if (t->n > a->norm.requests && is_alike(a, t, "text"))
		return AUDIT_RECOVERED;
	if (!is_alike(a, t, "finish"))
		return AUDIT_EXPOSED;
	return t->n > a->norm.requests ? AUDIT_UNTOLD : AUDIT_HIDDEN;
}

/* A toxic leaves no line in the log; it acted on every connection there was.
 */
static bool
is_reached(const struct audit_row *row, const struct client_trial_result *t)
{
	if (row->crash_at)
		return t->has_crashed;
	return !row->of || t->fired > 0 || row->of->aim == AUDIT_TOXIC;
}

void
audit_judge(const struct audit *a, struct audit_row *row,
    const struct client_trial_result *t)
{
	struct conduct_attempt *told = tell(row->of, t);
	struct conduct_run run;
	const char *reason = client_trial_bypass(t);

	row->handling = handling_of(a, row, t, told);
	run = conduct_of(a, row, t);
	run.attempts = told;
	row->outcome = json_incref(t->outcome);
	row->effects = json_incref(t->effects);
	row->exit_code = t->exit_code;
	row->signal = t->signal;
	row->was_killed = t->was_killed;
	row->took_ms = t->took_ms;
	row->start_ms = t->start_ms;
	row->requests = requests_of(t);
	if (!is_reached(row, t)) {
		row->verdict = AUDIT_NOT_REACHED;
		snprintf(row->summary, sizeof row->summary, "%s",
		    reason              ? reason
		        : row->crash_at ? "it had ended before"
		                        : "no request that it acts on");
		free(told);
		return;
	}
	conduct_describe(&run, row->summary);
	if (!row->of ||
	    row->of->aim != AUDIT_TOXIC) /* its own time is in those */
		row->nwaits =
		    conduct_waits(&run, row->waits_us, COUNT(row->waits_us));
	for (size_t i = 0;
	     i < conduct_rule_count() && row->nbroken < AUDIT_BROKEN_MAX; i++) {
		struct audit_finding *f = &row->broken[row->nbroken];

		f->rule = conduct_rule_at(i);
		if (f->rule->is_broken(&run, f->evidence))
			row->nbroken++;
	}
	row->verdict = row->nbroken ? AUDIT_BROKEN : AUDIT_OK;
	free(told);
}

void
audit_judge_jitter(struct audit *a)
{
	uint64_t waits[WAITS_MAX];
	size_t n = 0;
	struct audit_row *j = &a->jitter;

	for (size_t i = 0; i < a->nrows; i++)
		for (size_t k = 0; k < a->rows[i].nwaits && n < WAITS_MAX; k++)
			waits[n++] = a->rows[i].waits_us[k];
	if (conduct_lacks_jitter(waits, n, j->summary)) {
		j->verdict = AUDIT_BROKEN;
		j->nbroken = 1;
		j->broken[0].rule = &conduct_jitter;
		memcpy(j->broken[0].evidence, j->summary, sizeof j->summary);
	} else
		j->verdict =
		    n < CONDUCT_WAITS_MIN ? AUDIT_NOT_REACHED : AUDIT_OK;
	a->counts[j->verdict]++;
}

const struct audit_finding *
audit_worst(const struct audit_row *row)
{
	const struct audit_finding *worst = NULL;

	for (size_t i = 0; i < row->nbroken; i++)
		if (!worst ||
		    row->broken[i].rule->severity > worst->rule->severity)
			worst = &row->broken[i];
	return worst;
}

int
audit_severity(const struct audit_row *row)
{
	const struct audit_finding *worst = audit_worst(row);

	return worst ? worst->rule->severity : 0;
}
