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
#include "chaos/rules/fault.h"
#include "chaos/trials/audit_live.h"
#include "chaos/trials/client_trial.h"

#define JOBS_MAX  64
#define WORDS_MAX 120
#define SLOWER    4 /* times a clean run, on top of the deadline */

#define START_MS   60000u  /* that the first run may take to ask */
#define WARM_UP_MS 600000u /* for --warm-up */

const char *const audit_mcp_names[AUDIT_NMCPS + 1] = {
	[AUDIT_NO_MCP] = "",
	[AUDIT_MCP_HTTP] = "http",
	[AUDIT_MCP_STDIO] = "stdio",
};

const char *const audit_check_names[] = { "bare", "text", "strict", NULL };

struct job {
	struct running *run;
	struct client_trial *trial; /* owned; NULL: free */
	struct audit_row *row;      /* NULL: it warms up */
	bool is_over;
};

struct running {
	const struct audit_conf *conf;
	struct audit *audit;
	struct loop *loop;
	struct event *next; /* starts what comes next */
	struct job jobs[JOBS_MAX];
	size_t active, at;       /* rows begun */
	struct audit_live *live; /* NULL: nobody looks */
	bool is_warm;            /* or need not be */
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
	return json_pack("{ss ss sI}", "listen", "127.0.0.1:0", "mode",
	    "standin", "tool_calls",
	    (json_int_t)(c->tool_calls ? c->tool_calls : 1));
}

static json_t *
rules_of(const struct audit_conf *c, const struct audit_case *k)
{
	json_t *fault, *rule, *match, *rules = json_array();

	if (!k || k->aim == AUDIT_TOXIC)
		return rules;
	fault = json_loads(k->attributes, 0, NULL);
	json_object_set_new(fault, "type", json_string(k->fault));
	rule = json_pack("{ss s{sb} so}", "id", "audit", "when", "always", 1,
	    "fault", fault);
	match = json_object();
	if (k->aim == AUDIT_FIRST)
		json_object_set_new(match, "attempt", json_integer(1));
	if (c->turn)
		json_object_set_new(match, "turn", json_integer(c->turn));
	if (c->mcp != AUDIT_NO_MCP)
		json_object_set_new(match, "body",
		    json_string("*\"tools/call\"*"));
	json_object_set_new(rule, "match", match);
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
	    rules_of(c, k));
}

/* Named by its id, held by a word, or nothing was asked for. */
static bool
is_crash_wanted(const struct audit_conf *c, uint64_t request)
{
	for (size_t i = 0; i < c->only->n && c->cases->n == 0; i++)
		if (audit_crash_holds(request, c->only->items[i]))
			return true;
	for (size_t i = 0; i < c->cases->n; i++)
		if (audit_crash_of(c->cases->items[i]) == request)
			return true;
	return c->cases->n == 0 && c->only->n == 0;
}

/* A pipe has no status and no event stream; a tool server is no model. */
static bool
means_something(const struct audit_conf *c, const struct audit_case *k)
{
	bool is_models = strncmp(k->fault, "llm_", 4) == 0 ||
	    strcmp(k->fault, "kernel_corrupt") == 0;

	/* A connection has no turn. */
	if (c->turn && k->aim == AUDIT_TOXIC)
		return false;
	if (c->mcp == AUDIT_MCP_STDIO)
		return fault_type_find(k->fault)->is_piped;
	return c->mcp == AUDIT_NO_MCP || !is_models;
}

static bool
is_wanted(const struct audit_conf *c, const struct audit_case *k)
{
	char id[AUDIT_ID_MAX];

	if (!means_something(c, k))
		return false;
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

/* A turn that never comes would make a green run of nothing. */
static void
check_turn(struct running *r, const struct client_trial_result *res)
{
	int64_t last = 0;

	for (size_t i = 0; i < res->n; i++)
		if (res->calls[i].turn > last)
			last = res->calls[i].turn;
	if (r->conf->turn > last && r->err == ERR_OK)
		fail(r,
		    why_set(&r->why, ERR_ENV,
		        "without a fault COMMAND's longest conversation has "
		        "%lld turns: there is no turn %lld to strike",
		        (long long)last, (long long)r->conf->turn));
}

static void
take_norm(struct running *r, const struct client_trial_result *res)
{
	struct audit_norm *norm = &r->audit->norm;

	norm->requests = res->n;
	conduct_count_good(res->attempts, res->n, norm->good);
	for (size_t i = 0; i < res->n; i++)
		norm->tool_calls += res->attempts[i].head.calls_tool;
	norm->outcome = json_incref(res->outcome);
	norm->effects = json_incref(res->effects);
	norm->deadline_ms += SLOWER * (uint32_t)(res->took_ms - res->start_ms);
	norm->start_max_ms = SLOWER * (uint32_t)res->start_ms;
	for (size_t i = 1;
	     r->conf->resumes && i <= res->n && i <= AUDIT_CRASHES_MAX; i++)
		if (is_crash_wanted(r->conf, i))
			r->audit->rows[r->audit->nrows++].crash_at = i;
	if (r->audit->nrows == 1 && r->err == ERR_OK)
		fail(r,
		    why_set(&r->why, ERR_SYNTAX,
		        "no case is left: a clean run has %zu requests",
		        res->n));
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
	if (res->is_wrong_state && r->err == ERR_OK)
		fail(r,
		    why_set(&r->why, ERR_ENV,
		        "without a fault the look at the final state must "
		        "succeed"));
	check_turn(r, res);
	take_norm(r, res);
}

/* Only its end counts. */
static void
check_warm(struct running *r, const struct client_trial *t)
{
	const struct client_trial_result *res = client_trial_result(t);
	char words[WORDS_MAX];

	client_trial_last_words(t, words, sizeof words);
	r->is_warm = true;
	if (client_trial_failed(res))
		fail(r,
		    why_set(&r->why, ERR_ENV,
		        "--warm-up must succeed, it ended with %s %d: %s",
		        res->signal ? "signal" : "exit",
		        res->signal ? res->signal : res->exit_code, words));
}

static void
on_done(struct client_trial *t, void *arg)
{
	struct job *j = arg;
	struct running *r = j->run;

	j->is_over = true;
	if (!j->row) {
		check_warm(r, t);
		wake(r);
		return;
	}
	client_trial_last_words(t, j->row->words, sizeof j->row->words);
	if (j->row == r->audit->rows)
		check_clean(r, t);
	audit_judge(r->audit, j->row, client_trial_result(t));
	audit_live_tell(r->live, r->audit, j->row, true);
	r->audit->counts[j->row->verdict]++;
	wake(r); /* the trial is freed there, outside its own callback */
}

/* The row's scenario, or the warm-up's, which has no fault. */
static void
begin(struct running *r, struct job *j, struct audit_row *row)
{
	char *warm_up[] = { (char[]){ "sh" }, (char[]){ "-c" },
		row ? NULL : xstrdup(r->conf->warm_up), NULL };
	char name[32] = "warm-up";
	char *folder;
	json_t *scenario = scenario_for(r->conf, row ? row->of : NULL);
	json_t *toxic = row ? toxic_of(row->of) : NULL;
	enum err e;

	if (row)
		snprintf(name, sizeof name, "run-%02zu",
		    (size_t)(row - r->audit->rows));
	folder = files_join(r->conf->folder, name);
	j->row = row;
	j->is_over = false;
	e = client_trial_start(r->loop,
	    &(struct client_trial_conf){ .name = name,
	        .folder = folder,
	        .scenario = scenario,
	        .dir = ".",
	        .toxic = toxic,
	        .command = row ? r->conf->command : warm_up,
	        .deadline_ms = row ? r->audit->norm.deadline_ms : WARM_UP_MS,
	        .start_max_ms = r->audit->norm.start_max_ms,
	        .check = row ? row->check : NULL,
	        .timeout_ms = row ? row->timeout_ms : 0,
	        .state = row ? r->conf->state : NULL,
	        .crash_at = row ? row->crash_at : 0,
	        .tool_calls_max = row ? audit_tool_calls_max(r->audit) : 0 },
	    on_done, j, &j->trial, &r->why);
	if (e == ERR_OK)
		r->active++;
	else
		fail(r, e);
	if (row)
		audit_live_tell(r->live, r->audit, row, false);
	json_decref(toxic);
	json_decref(scenario);
	free(folder);
	free(warm_up[2]);
}

/* Nothing is beside what goes before everything. */
static void
begin_next(struct running *r, struct job *j)
{
	if (!r->is_warm && r->active == 0)
		begin(r, j, NULL);
	else if (r->is_warm)
		begin(r, j, &r->audit->rows[r->at++]);
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

		if (j->trial && j->is_over) {
			client_trial_free(j->trial);
			j->trial = NULL;
			r->active--;
		}
		if (!j->trial && may_begin(r))
			begin_next(r, j);
	}
	if (r->active == 0 || r->is_stopping)
		loop_quit(r->loop);
}

static void
on_stop(void *arg)
{
	struct running *r = arg;

	r->audit->interrupted_by = loop_stopped_by(r->loop);
	r->is_stopping = true;
	loop_quit(r->loop);
}

static const struct loop_ops loop_ops = { .on_stop = on_stop };

/* Silent servers are tried with a time-out, too. */
static void
add_rows(struct audit *a, const struct audit_case *k, const char *check)
{
	const struct audit_conf *c = a->conf;

	a->rows[a->nrows++] = (struct audit_row){ .of = k, .check = check };
	if (k->sign == AUDIT_SILENT && c->timeout_ms)
		a->rows[a->nrows++] = (struct audit_row){ .of = k,
			.check = check,
			.timeout_ms = c->timeout_ms };
}

/* Rows of crashes are added when the clean run has said how many requests there
 * are; there is room for them. */
static void
list_rows(const struct audit_conf *conf, struct audit *a)
{
	size_t n = conf->checks->n ? conf->checks->n : 1;

	a->conf = conf;
	a->rows = xcalloc(2 * n * audit_case_count() + 1 + AUDIT_CRASHES_MAX,
	    sizeof *a->rows);
	a->nrows = 1;
	a->rows[0].check = conf->checks->items[0];
	for (size_t i = 0; i < audit_case_count(); i++)
		for (size_t k = 0; k < n && is_wanted(conf, audit_case_at(i));
		     k++)
			add_rows(a, audit_case_at(i), conf->checks->items[k]);
}

/* A row that was judged has its requests, be there none. */
static void
mark_not_run(struct audit *a)
{
	for (size_t i = 0; i < a->nrows; i++) {
		struct audit_row *row = &a->rows[i];

		if (row->requests)
			continue;
		row->verdict = AUDIT_NOT_RUN;
		snprintf(row->summary, sizeof row->summary,
		    "interrupted by signal %d", a->interrupted_by);
		a->counts[AUDIT_NOT_RUN]++;
	}
}

enum err
audit_run(const struct audit_conf *conf, struct audit *ret, struct why *why)
{
	struct running *r = xcalloc(1, sizeof *r);
	struct audit a = { 0 };
	enum err e;

	list_rows(conf, &a);
	if (a.nrows == 1 && !conf->resumes) {
		free(r);
		audit_done(&a);
		return why_set(why, ERR_SYNTAX,
		    "no case is left: what is asked for means nothing with %s",
		    conf->turn ? "--turn" : "--mcp");
	}
	r->conf = conf;
	r->audit = &a;
	a.norm.deadline_ms = conf->deadline_ms;
	a.norm.start_max_ms = START_MS;
	r->is_warm = !conf->warm_up;
	r->loop = loop_new(&loop_ops, r);
	r->next = evtimer_new(loop_base(r->loop), on_next, r);
	for (size_t i = 0; i < JOBS_MAX; i++)
		r->jobs[i].run = r;
	if (conf->room)
		r->live = audit_live_new(r->loop, conf->room, conf->token);
	wake(r);
	loop_run(r->loop);
	for (size_t i = 0; i < JOBS_MAX; i++)
		client_trial_free(r->jobs[i].trial);
	event_free(r->next);
	e = r->err;
	if (e == ERR_OK) {
		mark_not_run(&a);
		audit_judge_jitter(&a);
		audit_live_tell(r->live, &a, &a.jitter, true);
	}
	audit_live_free(r->live);
	loop_free(r->loop);
	if (e == ERR_OK)
		*ret = a;
	else {
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
		json_decref(a->rows[i].effects);
	}
	json_decref(a->norm.outcome);
	json_decref(a->norm.effects);
	free(a->rows);
	a->rows = NULL;
	a->nrows = 0;
}
