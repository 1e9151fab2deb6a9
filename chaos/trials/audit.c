/*
 * Runs trials, a few at a time, and judges each when it ends:
 *
 *	clean run --it succeeds--> the cases, jobs at once --> jitter
 *
 * A trial's scenario has one proxy, which answers by itself, from a folder
 * or from an upstream, and one rule: the case.
 */
#include "chaos/trials/audit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/files.h"
#include "base/mem.h"
#include "chaos/trials/client_trial.h"

#define JOBS_MAX  64
#define WAITS_MAX 256
#define WORDS_MAX 120
#define SLOWER    4 /* times a clean run, on top of the deadline */

struct job {
	struct running *run;
	struct client_trial *trial; /* owned; NULL: free */
	struct audit_row *row;
};

struct running {
	const struct audit_conf *conf;
	struct audit *audit;
	struct loop *loop;
	struct event *next; /* starts what comes next */
	struct job jobs[JOBS_MAX];
	size_t active, at; /* rows begun */
	size_t clean_requests;
	json_t *clean_outcome; /* owned; NULL: it says nothing */
	uint32_t deadline_ms;  /* more for a program that is slow by itself */
	enum err err;
	struct why why;
	bool is_stopping;
};

/* ---- what is run */

static json_t *
proxy_of(const struct audit_conf *c)
{
	if (c->upstream)
		return json_pack("{ss ss}", "listen", "127.0.0.1:0", "upstream",
		    c->upstream);
	if (c->answers)
		return json_pack("{ss ss ss}", "listen", "127.0.0.1:0", "mode",
		    "script", "answers", c->answers);
	return json_pack("{ss ss}", "listen", "127.0.0.1:0", "mode", "standin");
}

static json_t *
rules_of(const struct audit_case *k)
{
	json_t *fault, *rule, *rules = json_array();

	if (!k || k->aim == AUDIT_TOXIC)
		return rules;
	fault = json_loads(k->attributes, 0, NULL);
	json_object_set_new(fault, "type", json_string(k->fault));
	rule = json_pack("{ss s{sb} so}", "id", "audit", "when", "always", 1,
	    "fault", fault);
	if (k->aim == AUDIT_FIRST)
		json_object_set_new(rule, "match",
		    json_pack("{si}", "attempt", 1));
	json_array_append_new(rules, rule);
	return rules;
}

/* The same as a toxic, towards the client; NULL for the other aims. */
static json_t *
toxic_of(const struct audit_case *k)
{
	return k && k->aim == AUDIT_TOXIC
	    ? json_pack("{ss ss so}", "type", k->fault, "stream", "downstream",
	          "attributes", json_loads(k->attributes, 0, NULL))
	    : NULL;
}

/* A retry of a tool call may carry a new id: it is not part of who it is. */
static json_t *
scenario_for(const struct audit_conf *c, const struct audit_case *k)
{
	return json_pack("{si ss ss s{s[sss]} s{so} so}", "chaos", 1, "name",
	    "audit", "seed", c->seed, "identity", "ignore", "/metadata",
	    "/user", "/id", "proxies", "audit", proxy_of(c), "rules",
	    rules_of(k));
}

static bool
is_wanted(const struct audit_conf *c, const struct audit_case *k)
{
	char id[AUDIT_ID_MAX];

	audit_case_id(k, id);
	for (size_t i = 0; c->cases && i < c->cases->n; i++)
		if (strcmp(id, c->cases->items[i]) == 0)
			return true;
	if (c->cases && c->cases->n)
		return false;
	if (!c->only || c->only->n == 0)
		return true;
	for (size_t i = 0; i < c->only->n; i++)
		if (audit_case_holds(k, c->only->items[i]))
			return true;
	return false;
}

/* ---- judging */

static struct retry_conduct_run
conduct_of(const struct running *r, const struct audit_row *row,
    const struct client_trial_result *t)
{
	return (struct retry_conduct_run){ .attempts = t->attempts,
		.n = t->n,
		.clean_requests = r->clean_requests,
		.exit_code = t->exit_code,
		.signal = t->signal,
		.was_killed = t->was_killed,
		.deadline_ms = r->deadline_ms,
		.is_harmless = row->of && row->of->is_harmless,
		.is_retrying = t->is_retrying,
		.has_outcome = t->outcome != NULL,
		.is_exposed = row->handling == AUDIT_EXPOSED,
		.timeout_ms = row->timeout_ms };
}

static json_t *
requests_of(const struct client_trial_result *t)
{
	json_t *list = json_array();

	for (size_t i = 0; i < t->n; i++) {
		const struct retry_conduct_attempt *a = &t->attempts[i];
		uint64_t start_us = t->attempts[0].arrived_us;

		json_array_append_new(list,
		    json_pack("{ss ss sI si ss sb sb sI sI sI sI}", "method",
		        t->calls[i].method, "path", t->calls[i].path, "attempt",
		        (json_int_t)t->calls[i].attempt, "status",
		        a->head.status, "answer", worth_name(a->worth),
		        "struck", a->is_struck, "client_left", a->has_left,
		        "arrived_us", (json_int_t)(a->arrived_us - start_us),
		        "over_us", (json_int_t)(a->over_us - start_us), "bytes",
		        (json_int_t)t->calls[i].bytes, "events",
		        (json_int_t)t->calls[i].events));
	}
	return list;
}

/*
 * The attempts as the client lived through them: what a case knows about
 * itself goes before what could be read on our side of it.  Owned.
 */
static struct retry_conduct_attempt *
tell(const struct audit_case *k, const struct client_trial_result *t)
{
	struct retry_conduct_attempt *told =
	    xmemdup(t->attempts, t->n * sizeof *told);

	for (size_t i = 0; i < t->n; i++) {
		struct retry_conduct_attempt *a = &told[i];

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

/* Only answers that are not whole are asked about. */
static enum audit_handling
handling_of(const struct running *r, const struct audit_row *row,
    const struct client_trial_result *t,
    const struct retry_conduct_attempt *told)
{
	bool is_cut = false;

	for (size_t i = 0; i < t->n; i++)
		is_cut |= told[i].is_struck && told[i].worth == WORTH_TRUNCATED;
	if (!row->of || !is_cut || !r->clean_outcome)
		return AUDIT_UNTOLD;
	if (!t->outcome)
		return client_trial_failed(t) ? AUDIT_RAISED : AUDIT_UNTOLD;
	if (strcmp(said(t->outcome, "text"), said(r->clean_outcome, "text")) ==
	    0)
		return AUDIT_RECOVERED;
	return strcmp(said(t->outcome, "finish"),
	           said(r->clean_outcome, "finish")) == 0
	    ? AUDIT_HIDDEN
	    : AUDIT_EXPOSED;
}

static void
judge(struct running *r, struct audit_row *row,
    const struct client_trial_result *t)
{
	struct retry_conduct_attempt *told = tell(row->of, t);
	struct retry_conduct_run run;
	const char *reason = client_trial_bypass(t);

	row->handling = handling_of(r, row, t, told);
	run = conduct_of(r, row, t);
	run.attempts = told;
	row->outcome = json_incref(t->outcome);
	row->exit_code = t->exit_code;
	row->signal = t->signal;
	row->was_killed = t->was_killed;
	row->took_ms = t->took_ms;
	row->requests = requests_of(t);
	/* A toxic leaves no line in the log; it acted on every connection there
	 * was. */
	if (row->of && t->fired == 0 && row->of->aim != AUDIT_TOXIC) {
		row->verdict = AUDIT_NOT_REACHED;
		snprintf(row->summary, sizeof row->summary, "%s",
		    reason ? reason : "no request that it acts on");
		free(told);
		return;
	}
	retry_conduct_describe(&run, row->summary);
	if (!row->of ||
	    row->of->aim != AUDIT_TOXIC) /* its own time is in those */
		row->nwaits = retry_conduct_waits(&run, row->waits_us,
		    COUNT(row->waits_us));
	for (size_t i = 0;
	     i < retry_conduct_rule_count() && row->nbroken < AUDIT_BROKEN_MAX;
	     i++) {
		struct audit_finding *f = &row->broken[row->nbroken];

		f->rule = retry_conduct_rule_at(i);
		if (f->rule->is_broken(&run, f->evidence))
			row->nbroken++;
	}
	row->verdict = row->nbroken ? AUDIT_BROKEN : AUDIT_OK;
	free(told);
}

static void
judge_jitter(struct audit *a)
{
	static const struct retry_conduct_rule rule = { "no_jitter",
		"no jitter", 1, NULL };
	uint64_t waits[WAITS_MAX];
	size_t n = 0;
	struct audit_row *j = &a->jitter;

	for (size_t i = 0; i < a->nrows; i++)
		for (size_t k = 0; k < a->rows[i].nwaits && n < WAITS_MAX; k++)
			waits[n++] = a->rows[i].waits_us[k];
	if (retry_conduct_lacks_jitter(waits, n, j->summary)) {
		j->verdict = AUDIT_BROKEN;
		j->nbroken = 1;
		j->broken[0].rule = &rule;
		memcpy(j->broken[0].evidence, j->summary, sizeof j->summary);
	} else
		j->verdict =
		    n < RETRY_CONDUCT_WAITS_MIN ? AUDIT_NOT_REACHED : AUDIT_OK;
	a->counts[j->verdict]++;
}

/* ---- running */

static void
wake(struct running *r)
{
	loop_arm(r->next, 0);
}

static void
fail(struct running *r, enum err e)
{
	if (r->err == ERR_OK)
		r->err = e;
	r->is_stopping = true;
}

/* Without a fault it must succeed, and must have asked for something. */
static void
check_clean(struct running *r, const struct client_trial *t)
{
	const struct client_trial_result *res = client_trial_result(t);
	char words[WORDS_MAX];

	client_trial_last_words(t, words, sizeof words);
	if (res->was_killed)
		fail(r,
		    why_set(&r->why, ERR_ENV,
		        "without a fault COMMAND did not end within %u ms",
		        r->conf->deadline_ms));
	else if (res->signal || res->exit_code)
		fail(r,
		    why_set(&r->why, ERR_ENV,
		        "without a fault COMMAND must succeed, it ended with "
		        "%s %d: %s",
		        res->signal ? "signal" : "exit",
		        res->signal ? res->signal : res->exit_code, words));
	else if (res->n == 0)
		fail(r,
		    why_set(&r->why, ERR_ENV,
		        "COMMAND sent no request to OPENAI_BASE_URL or "
		        "KF_CHAOS_URL"));
	for (size_t i = 0; i < res->n; i++)
		if (res->calls[i].attempt > 1 && r->err == ERR_OK)
			fail(r,
			    why_set(&r->why, ERR_ENV,
			        "without a fault COMMAND asked request %zu for "
			        "the second time: nothing can be learned from "
			        "a client that repeats itself",
			        i + 1));
	r->clean_requests = res->n;
	r->clean_outcome = json_incref(res->outcome);
	r->deadline_ms += SLOWER * (uint32_t)res->took_ms;
}

static void
on_done(struct client_trial *t, void *arg)
{
	struct job *j = arg;
	struct running *r = j->run;

	client_trial_last_words(t, j->row->words, sizeof j->row->words);
	judge(r, j->row, client_trial_result(t));
	r->audit->counts[j->row->verdict]++;
	if (!j->row->of)
		check_clean(r, t);
	wake(r); /* the trial is freed there, outside its own callback */
}

static void
begin(struct running *r, struct job *j)
{
	size_t i = r->at++;
	struct audit_row *row = &r->audit->rows[i];
	char name[32];
	char *folder;
	json_t *scenario = scenario_for(r->conf, row->of);
	json_t *toxic = toxic_of(row->of);
	enum err e;

	snprintf(name, sizeof name, "run-%02zu", i);
	folder = files_join(r->conf->folder, name);
	j->row = row;
	e = client_trial_start(r->loop,
	    &(struct client_trial_conf){ .name = name,
	        .folder = folder,
	        .scenario = scenario,
	        .dir = ".",
	        .toxic = toxic,
	        .command = r->conf->command,
	        .deadline_ms = r->deadline_ms,
	        .timeout_ms = row->timeout_ms },
	    on_done, j, &j->trial, &r->why);
	if (e == ERR_OK)
		r->active++;
	else
		fail(r, e);
	json_decref(toxic);
	json_decref(scenario);
	free(folder);
}

/* Nothing else runs beside the clean run: it says what is normal. */
static bool
may_begin(const struct running *r)
{
	return !r->is_stopping && r->at < r->audit->nrows &&
	    r->active < r->conf->jobs && (r->at != 1 || r->active == 0);
}

static void
on_next(evutil_socket_t fd, short what, void *arg)
{
	struct running *r = arg;

	(void)fd;
	(void)what;
	for (size_t i = 0; i < r->conf->jobs; i++) {
		struct job *j = &r->jobs[i];

		/* The list of requests is made when a trial is judged, and at
		 * no other time. */
		if (j->trial && j->row->requests) {
			client_trial_free(j->trial);
			j->trial = NULL;
			r->active--;
		}
		if (!j->trial && may_begin(r))
			begin(r, j);
	}
	if (r->active == 0 || r->is_stopping)
		loop_quit(r->loop);
}

static void
on_stop(void *arg)
{
	struct running *r = arg;

	fail(r, why_set(&r->why, ERR_STATE, "interrupted"));
	loop_quit(r->loop);
}

static const struct loop_ops loop_ops = { .on_stop = on_stop };

static void
list_rows(const struct audit_conf *conf, struct audit *a)
{
	a->conf = conf;
	a->rows = xcalloc(2 * audit_case_count() + 1, sizeof *a->rows);
	a->nrows = 1;
	for (size_t i = 0; i < audit_case_count(); i++) {
		const struct audit_case *k = audit_case_at(i);

		if (!is_wanted(conf, k))
			continue;
		a->rows[a->nrows++].of = k;
		if (!k->is_silent || !conf->timeout_ms)
			continue;
		a->rows[a->nrows].of = k;
		a->rows[a->nrows++].timeout_ms = conf->timeout_ms;
	}
}

enum err
audit_run(const struct audit_conf *conf, struct audit *ret, struct why *why)
{
	struct running *r = xcalloc(1, sizeof *r);
	struct audit a = { 0 };
	enum err e;

	list_rows(conf, &a);
	r->conf = conf;
	r->deadline_ms = conf->deadline_ms;
	r->audit = &a;
	r->loop = loop_new(&loop_ops, r);
	r->next = evtimer_new(loop_base(r->loop), on_next, r);
	for (size_t i = 0; i < JOBS_MAX; i++)
		r->jobs[i].run = r;
	wake(r);
	loop_run(r->loop);
	for (size_t i = 0; i < JOBS_MAX; i++)
		client_trial_free(r->jobs[i].trial);
	event_free(r->next);
	loop_free(r->loop);
	json_decref(r->clean_outcome);
	e = r->err;
	if (e == ERR_OK) {
		judge_jitter(&a);
		*ret = a;
	} else {
		why_set(why, e, "%s", r->why.text);
		audit_done(&a);
	}
	free(r);
	return e;
}

void
audit_done(struct audit *a)
{
	if (!a)
		return;
	for (size_t i = 0; i < a->nrows; i++) {
		json_decref(a->rows[i].requests);
		json_decref(a->rows[i].outcome);
	}
	free(a->rows);
	a->rows = NULL;
	a->nrows = 0;
}

int
audit_severity(const struct audit_row *row)
{
	int worst = 0;

	for (size_t i = 0; i < row->nbroken; i++)
		if (row->broken[i].rule->severity > worst)
			worst = row->broken[i].rule->severity;
	return worst;
}
