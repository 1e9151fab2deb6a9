/*
 * kf-chaos explore -- COMMAND: where does this program break?
 *
 * One clean run shows every call that it makes and the phases of each; then
 * it runs once for each point, with a single fault at that call in that
 * phase.  A call is known again by its key and attempt, so a program that
 * asks in another order is still struck at the right place.
 */
#include "chaos/commands.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/columns.h"
#include "base/mem.h"
#include "base/opts.h"
#include "chaos/trials/client_command.h"

#define POINTS_MAX     2000
#define WORDS_MAX      120
#define OUTCOME_COLUMN 46

struct options {
	const char *upstream, *answers, *out, *seed;
	int64_t deadline_s;
};

/* clang-format off */
static const struct opt rows[] = {
	COMMAND_ROW("upstream", OPT_STRING, upstream,   0, 0,    "URL", "where good answers come from; default a stand-in that needs no key"),
	COMMAND_ROW("answers",  OPT_STRING, answers,    0, 0,    "DIR", "a folder of scripted answers instead"),
	COMMAND_ROW("deadline", OPT_INT,    deadline_s, 1, 3600, "S",   "seconds after which a run hangs; default 20"),
	COMMAND_ROW("seed",     OPT_STRING, seed,       0, 0,    "S",   "of the decisions; default 1"),
	COMMAND_ROW("out",      OPT_STRING, out,        0, 0,    "DIR", "keeps log and output of every run there"),
};
/* clang-format on */

static const struct opt_command command = {
	.name = "kf-chaos explore",
	.usage = "-- COMMAND [ARGS]",
	.about = "Runs COMMAND once clean, lists its calls and their phases, "
	         "then once for each point with a single fault there.  Exit 1 "
	         "when a fault breaks it: it fails, crashes, hangs, or takes a "
	         "broken answer for a good one.",
	.rows = rows,
	.nrows = COUNT(rows),
	.args_max = CLIENT_COMMAND_WORDS_MAX,
	.examples = "kf-chaos explore -- python3 agent.py\t"
	            "one fault at each point of its work\n",
};

/* ---- the phases of a call, and the fault of each */

enum asks { ASKS_ANY, ASKS_CHAT, ASKS_STREAM, ASKS_N };

static const struct phase {
	const char *name;
	const char *what;  /* happens */
	const char *fault; /* %llu: the event before which it happens */
	enum asks asks;
	unsigned percent; /* of the way through the events */
} phases[] = {
	{ "request", "503, once", "{\"type\":\"http_error\",\"status\":503}",
	    ASKS_ANY, 0 },
	{ "request", "closed without an answer", "{\"type\":\"empty_reply\"}",
	    ASKS_ANY, 0 },
	{ "head", "reset before the first event",
	    "{\"type\":\"sse_cut\",\"after_events\":0,\"how\":\"rst\"}",
	    ASKS_STREAM, 0 },
	{ "stream", "closed half way",
	    "{\"type\":\"sse_cut\",\"after_events\":%llu,\"how\":\"fin\"}",
	    ASKS_STREAM, 50 },
	{ "stream", "an error event half way",
	    "{\"type\":\"sse_cut\",\"after_events\":%llu,"
	    "\"how\":\"error_event\"}",
	    ASKS_STREAM, 50 },
	{ "content", "nothing is said", "{\"type\":\"llm_empty\"}", ASKS_CHAT,
	    0 },
	{ "content", "cut by max_tokens",
	    "{\"type\":\"llm_length\",\"bytes\":20}", ASKS_CHAT, 0 },
	{ "end", "ends before it is finished",
	    "{\"type\":\"sse_cut\",\"after_events\":%llu,\"how\":\"clean\"}",
	    ASKS_STREAM, 75 },
};

#define NPHASES COUNT(phases)

struct explore {
	const struct options *o;
	struct client_command *subject;
	struct client_trial *clean;          /* owned */
	const struct conduct_attempt *aimed; /* the call to strike */
	const struct client_trial_call *aimed_call;
	size_t points, broken, unreached;
	struct why *why;
};

/* ---- runs */

static json_t *
proxy_of(const struct options *o)
{
	if (o->upstream)
		return json_pack("{ss ss}", "listen", "127.0.0.1:0", "upstream",
		    o->upstream);
	if (o->answers)
		return json_pack("{ss ss ss}", "listen", "127.0.0.1:0", "mode",
		    "script", "answers", o->answers);
	return json_pack("{ss ss}", "listen", "127.0.0.1:0", "mode", "standin");
}

/* fault: taken; NULL for the clean run. */
static json_t *
scenario_of_fault(const struct options *o, json_t *fault)
{
	json_t *rules = json_array();

	if (fault)
		json_array_append_new(rules,
		    json_pack("{ss s{sb} so}", "id", "explore", "when",
		        "always", 1, "fault", fault));
	return json_pack("{si ss ss s{so} so}", "chaos", 1, "name", "explore",
	    "seed", o->seed, "proxies", "explore", proxy_of(o), "rules", rules);
}

static bool
is_aimed(const struct event *e, void *arg)
{
	const struct explore *x = arg;

	return e->attempt == x->aimed_call->attempt &&
	    strcmp(e->key, x->aimed->key) == 0;
}

static enum err
run(struct explore *x, json_t *fault, struct client_trial **ret)
{
	json_t *scenario = scenario_of_fault(x->o, fault);
	enum err e = client_command_run(x->subject, x->points,
	    &(struct client_trial_conf){ .scenario = scenario,
	        .dir = ".",
	        .deadline_ms = (uint32_t)x->o->deadline_s * 1000,
	        .allows = is_aimed,
	        .allows_arg = x },
	    ret, x->why);

	json_decref(scenario);
	return e;
}

/* ---- the clean run */

static bool
has_phase(const struct client_trial_call *c, const struct phase *p)
{
	const bool holds[ASKS_N] = {
		[ASKS_ANY] = true,
		[ASKS_CHAT] = strstr(c->path, "/chat/completions") != NULL,
		[ASKS_STREAM] = c->is_stream,
	};

	return holds[p->asks];
}

static void
print_call(size_t i, const struct client_trial_call *c)
{
	const char *last = "";

	printf("%3zu  %s %s", i + 1, c->method, c->path);
	if (c->call[0])
		printf("  %s", c->call);
	if (c->model[0])
		printf("  model %s", c->model);
	if (c->op[0])
		printf("  op %s", c->op);
	if (c->is_stream)
		printf("  %llu events", (unsigned long long)c->events);
	printf("  %llu bytes; phases:", (unsigned long long)c->bytes);
	for (size_t k = 0; k < NPHASES; k++)
		if (has_phase(c, &phases[k]) &&
		    strcmp(last, phases[k].name) != 0) {
			last = phases[k].name;
			printf(" %s", last);
		}
	printf("\n");
}

static enum err
run_clean(struct explore *x)
{
	const struct client_trial_result *r;
	char words[WORDS_MAX], head[64];
	enum err e = run(x, NULL, &x->clean);

	if (e != ERR_OK)
		return e;
	r = client_trial_result(x->clean);
	client_trial_last_words(x->clean, words, sizeof words);
	if (client_trial_failed(r))
		return why_set(x->why, ERR_ENV,
		    "without a fault COMMAND must succeed, it did not: %s",
		    words);
	if (r->n == 0)
		return why_set(x->why, ERR_ENV,
		    "COMMAND sent no request to OPENAI_BASE_URL or "
		    "KF_CHAOS_URL");
	printf("calls of a clean run, %.2f s:\n", (double)r->took_ms / 1e3);
	for (size_t i = 0; i < r->n; i++)
		print_call(i, &r->calls[i]);
	printf("\n");
	snprintf(head, sizeof head, "%-5s %-8s %-30s", "call", "phase",
	    "fault");
	columns_put_row(head, OUTCOME_COLUMN, "outcome", stdout);
	return ERR_OK;
}

/* ---- the points */

static json_t *
fault_at(const struct phase *p, const struct client_trial_call *c)
{
	char text[160];

	/* The format is of the table above, with at most one number. */
	unsigned long long at = c->events * p->percent / 100;
	const char *hole = strstr(p->fault, "%llu");

	if (!hole)
		return json_loads(p->fault, 0, NULL);
	snprintf(text, sizeof text, "%.*s%llu%s", (int)(hole - p->fault),
	    p->fault, at, hole + strlen("%llu"));
	return json_loads(text, 0, NULL);
}

/* It ended well, and yet: did it take what it must not take? */
static const char *
misled(const struct conduct_run *run)
{
	static const char *const rules[] = { "accepted_truncated",
		"accepted_empty", "accepted_garbled", "accepted_nothing" };
	char evidence[CONDUCT_EVIDENCE_MAX];

	for (size_t i = 0; i < conduct_rule_count(); i++)
		for (size_t k = 0; k < COUNT(rules); k++) {
			const struct conduct_rule *r = conduct_rule_at(i);

			if (strcmp(r->name, rules[k]) == 0 &&
			    r->is_broken(run, evidence))
				return r->title;
		}
	return NULL;
}

static void
judge(struct explore *x, size_t i, const struct phase *p,
    const struct client_trial *t)
{
	const struct client_trial_result *r = client_trial_result(t);
	const struct client_trial_result *clean = client_trial_result(x->clean);
	struct conduct_run run = { .attempts = r->attempts,
		.n = r->n,
		.clean_requests = clean->n,
		.exit_code = r->exit_code,
		.signal = r->signal,
		.was_killed = r->was_killed };
	char words[CONDUCT_EVIDENCE_MAX], last[WORDS_MAX] = "";
	const char *verdict = "survives", *more;
	char *head, *text;

	conduct_count_good(clean->attempts, clean->n, run.clean_good);
	more = misled(&run);
	conduct_describe(&run, words);
	if (client_trial_failed(r)) {
		verdict = r->was_killed ? "HANGS"
		    : r->signal         ? "CRASHES"
		                        : "BREAKS";
		client_trial_last_words(t, last, sizeof last);
		more = last[0] ? last : NULL;
	} else if (more)
		verdict = "MISLED";
	else if (r->fired == 0)
		verdict = "not reached";
	x->broken += client_trial_failed(r) || more;
	x->unreached += r->fired == 0 && !client_trial_failed(r);
	head = xasprintf("%-5zu %-8s %-30s", i + 1, p->name, p->what);
	text = xasprintf("%s: %s%s%s", verdict, words, more ? ": " : "",
	    more ? more : "");
	columns_put_row(head, OUTCOME_COLUMN, text, stdout);
	fflush(stdout);
	free(head);
	free(text);
}

static enum err
strike(struct explore *x, size_t i)
{
	const struct client_trial_result *clean = client_trial_result(x->clean);
	enum err e = ERR_OK;

	x->aimed = &clean->attempts[i];
	x->aimed_call = &clean->calls[i];
	for (size_t k = 0; k < NPHASES && e == ERR_OK; k++) {
		struct client_trial *t = NULL;

		if (!has_phase(x->aimed_call, &phases[k]))
			continue;
		if (++x->points > POINTS_MAX)
			return why_set(x->why, ERR_TOOBIG,
			    "more than %d points", POINTS_MAX);
		e = run(x, fault_at(&phases[k], x->aimed_call), &t);
		if (e == ERR_OK)
			judge(x, i, &phases[k], t);
		client_trial_free(t);
	}
	return e;
}

static enum err
explore(struct explore *x)
{
	enum err e = run_clean(x);

	for (size_t i = 0; e == ERR_OK && i < client_trial_result(x->clean)->n;
	     i++)
		e = strike(x, i);
	/* What was judged stands there: its counts belong to it. */
	if (e != ERR_OK && x->subject->interrupted_by && x->points > 0)
		x->points--;
	if (e == ERR_OK || x->subject->interrupted_by)
		printf("\n%zu points%s: %zu survived, %zu broken, %zu not "
		       "reached\n",
		    x->points, e == ERR_OK ? "" : " before it was interrupted",
		    x->points - x->broken - x->unreached, x->broken,
		    x->unreached);
	client_trial_free(x->clean);
	return e;
}

static int
run_explore(int argc, char **argv)
{
	struct options o = { .seed = "1", .deadline_s = 20 };
	const char *words[CLIENT_COMMAND_WORDS_MAX];
	struct client_command s = { NULL, NULL, false, 0 };
	size_t n = 0;
	struct why why = { "" };
	struct explore x = { .o = &o, .subject = &s, .why = &why };
	enum err e = ERR_OK;
	int code;

	if (!command_parse(&cmd_explore, argc, argv, &o, words, &n, &code))
		return code;
	if (o.upstream && o.answers)
		e = why_set(&why, ERR_SYNTAX,
		    "--upstream and --answers exclude each other");
	if (e == ERR_OK)
		e = client_command_open(&s, argc, argv, o.out, &why);
	if (e == ERR_OK) {
		e = explore(&x);
		client_command_close(&s);
	}
	if (e == ERR_OK && x.broken)
		return EXIT_JUDGED;
	code = command_end(&cmd_explore, e, &why);
	return s.interrupted_by ? CLIENT_TRIAL_INTERRUPTED + s.interrupted_by
	                        : code;
}

const struct command cmd_explore = { "explore", &command, run_explore };
