/*
 * kf-chaos explain SCENARIO RULE: why does a rule fire for a request, or
 * why not?  The conditions of the rule one after the other, as the engine
 * asks them, and what an event log says in the end.
 */
#include "chaos/commands.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/chained_journal.h"
#include "base/columns.h"
#include "base/mem.h"
#include "base/opts.h"
#include "chaos/rules/engine.h"
#include "chaos/rules/request_key.h"
#include "chaos/trials/supposed_requests.h"

#define UNIT 18446744073709551616.0 /* 2^64 */

struct options {
	const char *key, *request, *log, *seed;
	int64_t attempt;
};

/* clang-format off */
static const struct opt rows[] = {
	COMMAND_ROW("request", OPT_STRING, request, 0, 0,          "FILE", "requests, one JSON object a line, as plan takes them"),
	COMMAND_ROW("key",     OPT_STRING, key,     0, 0,          "KEY",  "instead: the key of a request, as the log names it"),
	COMMAND_ROW("attempt", OPT_INT,    attempt, 1, 1000000000, "N",    "with --key: which attempt of it; default 1"),
	COMMAND_ROW("log",     OPT_STRING, log,     0, 0,          "LOG",  "also what this event log says of them"),
	COMMAND_ROW("seed",    OPT_STRING, seed,    0, 0,          "S",    "replaces the scenario's seed"),
};
/* clang-format on */

static const struct opt_command command = {
	.name = "kf-chaos explain",
	.usage = "SCENARIO RULE (--request FILE | --key KEY)",
	.about = "Says why a rule fires for a request or does not: proxy, "
	         "phase, each term of match, the draw behind when, the rules "
	         "before it.",
	.rows = rows,
	.nrows = COUNT(rows),
	.args_min = 2,
	.args_max = 2,
	.examples =
	    "kf-chaos explain storm.json brownout --request requests.jsonl\t"
	    "why it fires for the first of them, or does not\n",
};

struct explain {
	const struct options *o;
	const struct scenario *s;
	const struct rule *rule;
	json_t *rule_doc; /* borrowed */
	struct engine *engine;
	const char *key; /* of the request at hand */
	uint64_t attempt;
	bool holds; /* so far */
};

static void
say(struct explain *x, const char *what, bool holds, const char *detail)
{
	x->holds = x->holds && holds;
	columns_put_last(detail,
	    printf("  %-24s %-3s  ", what, holds ? "yes" : "no"), stdout);
}

/* ---- the conditions, in the engine's order */

static void
say_proxy(struct explain *x, const struct facts *f)
{
	const char *wanted = x->rule->proxy;

	say(x, "proxy", !wanted || strcmp(wanted, f->proxy) == 0,
	    wanted ? wanted : "any");
}

static void
say_phase(struct explain *x, const struct facts *f)
{
	/* No time passes in a file of requests: phases that end by the clock
	 * are as they were at the start. */
	int now = engine_phase(x->engine, f, 0);
	char text[160];

	if (x->rule->phase < 0)
		return;
	snprintf(text, sizeof text, "%s; request %llu of the proxy is in %s",
	    x->s->phases[x->rule->phase].name, (unsigned long long)f->ordinal,
	    now < 0 ? "none" : x->s->phases[now].name);
	say(x, "phase", now == x->rule->phase, text);
}

/* Each member alone is a match of its own. */
static void
say_match(struct explain *x, struct facts *f)
{
	const char *name;
	json_t *v;

	json_object_foreach(json_object_get(x->rule_doc, "match"), name, v) {
		json_t *one = json_pack("{sO}", name, v);
		char *text = json_dumps(v, JSON_COMPACT | JSON_ENCODE_ANY);
		char what[64];
		struct match m;

		snprintf(what, sizeof what, "match %s", name);
		if (match_read(one, "", &m, NULL) == ERR_OK)
			say(x, what, match_holds(&m, f), text);
		free(text);
		json_decref(one);
	}
}

struct past {
	const struct explain *x;
	const struct facts *f; /* NULL: of a key alone, which is not asked */
};

static bool
was_decided(const char *rule, void *arg)
{
	const struct past *p = arg;

	return p->f && engine_was_decided(p->x->engine, p->f, rule);
}

static bool
would_fire(const struct explain *x, const struct rule *r, const struct facts *f)
{
	struct fire_draw d = { x->o->seed ? x->o->seed : x->s->seed, x->s->hash,
		r->id, x->key, x->attempt };
	struct past past = { x, f };

	return when_fires(&r->when, &d,
	    &(struct when_past){ was_decided, &past });
}

static void
say_when(struct explain *x, const struct facts *f)
{
	struct fire_draw d = { x->o->seed ? x->o->seed : x->s->seed, x->s->hash,
		x->rule->id, x->key, x->attempt };
	json_t *when = json_object_get(x->rule_doc, "when");
	char *text = json_dumps(when, JSON_COMPACT | JSON_REAL_PRECISION(6));
	uint64_t u = fire_draw(&d, "when");
	char *detail = json_object_get(when, "p")
	    ? xasprintf("%s; the draw is %016" PRIx64 ", %.6f of 1", text, u,
	          (double)u / UNIT)
	    : xstrdup(text);

	say(x, "when", would_fire(x, x->rule, f), detail);
	free(detail);
	free(text);
}

/* Decided before x->rule: at an earlier point, or before it in the file. */
static bool
is_before(const struct explain *x, const struct rule *r)
{
	return r->acts_on_request == x->rule->acts_on_request
	    ? r < x->rule
	    : r->acts_on_request;
}

static void
say_before(struct explain *x, struct facts *f)
{
	int phase = engine_phase(x->engine, f, 0);

	for (size_t i = 0; i < x->s->nrules; i++) {
		const struct rule *r = &x->s->rules[i];

		if (r->is_also || !is_before(x, r) ||
		    (r->proxy && strcmp(r->proxy, f->proxy) != 0) ||
		    (r->phase >= 0 && r->phase != phase) ||
		    !match_holds(&r->match, f) || !would_fire(x, r, f))
			continue;
		say(x, "no other rule won", false, r->id);
	}
}

/* Lets the request happen, for those that come after it. */
static void
let_happen(struct explain *x, struct facts *f)
{
	static const enum engine_point points[] = { ENGINE_REQUEST,
		ENGINE_ANSWER };
	struct shot shots[SHOTS_MAX];
	bool settled = false;

	for (size_t k = 0; k < 2; k++) {
		size_t n = engine_choose(x->engine, f, points[k], 0, shots,
		    SHOTS_MAX, &settled);

		for (size_t i = 0; i < n; i++) {
			/* Fired, because of what max_fires leaves. */
			shot_fire(&shots[i], NULL);
			shot_done(&shots[i], "not reached");
		}
	}
}

/* ---- what really happened */

static void
say_line(json_t *line, void *arg)
{
	const struct explain *x = arg;
	const char *rule = json_string_value(json_object_get(line, "rule"));
	const char *key = json_string_value(json_object_get(line, "key"));
	const char *reason = json_string_value(json_object_get(line, "reason"));

	if (!rule || !key || strcmp(rule, x->rule->id) != 0 ||
	    strcmp(key, x->key) != 0 ||
	    (uint64_t)json_integer_value(json_object_get(line, "attempt")) !=
	        x->attempt)
		return;
	columns_say(stdout, "  the log says             %s %s%s%s",
	    json_string_value(json_object_get(line, "fault")),
	    json_string_value(json_object_get(line, "result")),
	    reason ? ": " : "", reason ? reason : "");
}

static enum err
conclude(struct explain *x, bool knows_all, struct why *why)
{
	if (!x->holds)
		printf("  so it does not fire\n");
	else if (knows_all)
		printf("  so it fires\n");
	else
		printf("  so it fires if the request matches\n");
	return x->o->log ? journal_check(x->o->log, say_line, x, NULL, why)
	                 : ERR_OK;
}

/* ---- the two ways to ask */

static enum err
explain_key(struct explain *x, struct why *why)
{
	if (x->rule->when.rule)
		return why_set(why, ERR_SYNTAX,
		    "--key: rule %s fires after another one: what came before "
		    "is asked of --request",
		    x->rule->id);
	x->key = x->o->key;
	x->attempt = (uint64_t)x->o->attempt;
	x->holds = true;
	columns_say(stdout, "rule %s, key %s, attempt %llu", x->rule->id,
	    x->key, (unsigned long long)x->attempt);
	say_when(x, NULL);
	return conclude(x, false, why);
}

static enum err
explain_requests(struct explain *x, struct why *why)
{
	struct supposed_request *asked = NULL;
	size_t n = 0;
	enum err e =
	    supposed_requests_read(x->o->request, x->s, &asked, &n, why);

	for (size_t i = 0; i < n && e == ERR_OK; i++) {
		struct facts *f = &asked[i].facts;

		engine_see(x->engine, f);
		x->key = identity_key(f);
		x->attempt = f->attempt;
		x->holds = true;
		columns_say(stdout,
		    "rule %s, request %zu, key %s, attempt %llu", x->rule->id,
		    i + 1, x->key, (unsigned long long)x->attempt);
		say_proxy(x, f);
		say_phase(x, f);
		say_match(x, f);
		say_when(x, f);
		say_before(x, f);
		let_happen(x, f);
		e = conclude(x, true, why);
	}
	supposed_requests_free(asked, n);
	return e;
}

static enum err
explain(struct explain *x, const char *id, struct why *why)
{
	struct events *ev = NULL;
	enum err e;

	for (size_t i = 0; i < x->s->nrules; i++)
		if (strcmp(x->s->rules[i].id, id) == 0)
			x->rule = &x->s->rules[i];
	if (!x->rule)
		return why_set(why, ERR_NOTFOUND,
		    "found rule \"%s\", expected the id of one of the "
		    "scenario's rules",
		    id);
	x->rule_doc = json_array_get(json_object_get(x->s->doc, "rules"),
	    (size_t)(x->rule - x->s->rules));
	e = events_open(NULL, &ev, why);
	if (e != ERR_OK)
		return e;
	x->engine = engine_new(x->s, x->o->seed, ev, 0);
	e = x->o->request ? explain_requests(x, why) : explain_key(x, why);
	engine_free(x->engine);
	events_close(ev);
	return e;
}

static int
run_explain(int argc, char **argv)
{
	struct options o = { .attempt = 1 };
	struct scenario *s = NULL;
	const char *args[2];
	size_t nargs = 0;
	struct why why = { "" };
	enum err e = ERR_OK;
	int code;

	if (!command_parse(&cmd_explain, argc, argv, &o, args, &nargs, &code))
		return code;
	if (!o.key == !o.request)
		e = why_set(&why, ERR_SYNTAX,
		    "expected exactly one of --request and --key");
	if (e == ERR_OK)
		e = scenario_read(args[0], &s, &why);
	if (e == ERR_OK)
		e = explain(&(struct explain){ .o = &o, .s = s }, args[1],
		    &why);
	scenario_free(s);
	return command_end(&cmd_explain, e, &why);
}

const struct command cmd_explain = { "explain", &command, run_explain };
