/*
 * Counting.  Every foreign text in here comes cleaned out of the standings
 * or is cleaned on its way in.
 */
#include "agent/telling/scorecard.h"

#include "agent/telling/other_labs.h"
#include "agent/text/claim_filter.h"
#include "base/buf.h"
#include "base/mem.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROUTES_BYTES 4096

static json_t *
clean_json(const char *text)
{
	char *clean = claim_field(text, OP_STANDING_TEXT_MAX);
	json_t *value = json_string(clean);

	free(clean);
	return value;
}

/* "PROVIDER/MODEL reason=REASON" counts for PROVIDER/MODEL. */
static void
count_route(json_t *routes, const char *route)
{
	char model[256];
	json_t *n;

	/* It was asked for and nobody answered, so no model did. */
	if (!*route || strncmp(route, "requested=", 10) == 0)
		return;
	(void)snprintf(model, sizeof model, "%.*s", (int)strcspn(route, " "),
	    route);
	n = json_object_get(routes, model);
	json_object_set_new(routes, model,
	    json_integer(json_integer_value(n) + 1));
}

static json_t *
naive_line(json_t *lines, const char *op)
{
	size_t i;
	json_t *line;

	json_array_foreach(lines, i, line) {
		const char *name =
		    json_string_value(json_object_get(line, "op"));

		if (name && strcmp(name, op) == 0)
			return line;
	}
	return NULL;
}

/* A baseline's line: its own word, or what the older form says. */
static enum truth
truth_of_line(json_t *line)
{
	if (json_is_true(json_object_get(line, "correct")))
		return TRUTH_RIGHT;
	if (json_is_true(json_object_get(line, "silent_wrong")))
		return TRUTH_WRONG;
	return truth_find(json_string_value(json_object_get(line, "truth")));
}

static void
count_claim(struct scorecard_side *s, bool claimed, enum truth t)
{
	s->total++;
	if (!claimed)
		return;
	s->claimed++;
	s->truths[t]++;
}

static json_t *
route_json(const char *route, const struct model_asked *asked)
{
	char *clean = claim_field(route, OP_STANDING_TEXT_MAX);
	char *shown = model_name_of_route(clean, asked);
	json_t *value = json_string(shown);

	free(clean);
	free(shown);
	return value;
}

static void
add_naive(struct scorecard_side *s, json_t *line,
    const struct model_asked *asked, json_t *row)
{
	bool claimed = json_is_true(json_object_get(line, "claimed"));
	enum truth t = truth_of_line(line);
	json_t *route =
	    route_json(json_string_value(json_object_get(line, "route")),
	        asked);
	json_t *class =
	    clean_json(json_string_value(json_object_get(line, "class")));

	count_claim(s, claimed, t);
	count_route(s->routes, json_string_value(route));
	json_object_set_new(row, "naive_claimed", json_boolean(claimed));
	json_object_set_new(row, "naive_correct",
	    json_boolean(claimed && t == TRUTH_RIGHT));
	json_object_set_new(row, "naive_truth",
	    json_string(claimed ? truth_name(t) : ""));
	json_object_set_new(row, "naive_class", class);
	json_object_set_new(row, "naive_route", route);
}

/* The cases that any iteration failed, each once. */
static void
add_failing(json_t *all, json_t *names)
{
	size_t i, k;
	json_t *name, *old;

	json_array_foreach(names, i, name) {
		bool known = false;

		json_array_foreach(all, k, old)
			known = known || json_equal(old, name);
		if (!known)
			json_array_append(all, name);
	}
}

static void
add_speedups(const struct op_standing_try *last, json_t *row)
{
	json_object_set_new(row, "speedups",
	    last ? json_incref(last->speedups) : json_array());
	if (last && last->speedup > 0)
		json_object_set_new(row, "speedup", json_real(last->speedup));
}

/* What another lab said of the try that decides, where one did. */
static void
add_other_lab(const struct op_standing_try *last, json_t *row)
{
	json_t *word = last ? other_labs_word(&last->other) : NULL;

	if (!word)
		return;
	json_object_set_new(word, "vetoed",
	    json_boolean(opinion_ended(last->state, last->class)));
	json_object_set_new(row, OPINION_KEY, word);
}

static void
add_forge(struct scorecard_side *s, const struct op_standing *st,
    const char *audit, json_t *row)
{
	bool claimed = st && ledger_is_verified(st->state);
	enum truth t = truth_of_verdict(audit);
	json_t *routes = json_array(), *failing = json_array();

	count_claim(s, claimed, t);
	for (unsigned i = 0; st && i < st->iterations; i++) {
		count_route(s->routes, st->tries[i].route);
		json_array_append_new(routes, json_string(st->tries[i].route));
		add_failing(failing, st->tries[i].failing);
	}
	json_object_set_new(row, "state",
	    json_string(ledger_state_name(st ? st->state : LEDGER_NONE)));
	json_object_set_new(row, "iterations",
	    json_integer(st ? (json_int_t)st->iterations : 0));
	json_object_set_new(row, "correct",
	    json_boolean(claimed && t == TRUTH_RIGHT));
	json_object_set_new(row, "truth",
	    json_string(claimed ? truth_name(t) : ""));
	json_object_set_new(row, "routes", routes);
	json_object_set_new(row, "failing_cases", failing);
	add_speedups(st ? op_standing_last(st) : NULL, row);
	add_other_lab(st ? op_standing_last(st) : NULL, row);
}

void
scorecard_make(const struct scorecard_input *in, struct scorecard *ret)
{
	struct scorecard s = {
		.naive.routes = json_object(),
		.forge.routes = json_object(),
		.ops = json_array(),
	};
	size_t i;
	json_t *name;

	/* Over the operators that were asked for: one without a line in any
	 * file counts as not claimed. */
	json_array_foreach(in->ops, i, name) {
		const char *op = json_string_value(name);
		json_t *row = json_object(), *line;

		json_object_set_new(row, "op", clean_json(op));
		line = naive_line(in->naive, op ? op : "");
		if (line)
			add_naive(&s.naive, line, &in->asked, row);
		else {
			json_object_set_new(row, "naive_claimed", json_false());
			json_object_set_new(row, "naive_correct", json_false());
		}
		add_forge(&s.forge, standings_find(in->standings, op ? op : ""),
		    json_string_value(
		        json_object_get(in->audits, op ? op : "")),
		    row);
		json_array_append_new(s.ops, row);
	}
	s.other_labs = other_labs_of(in->standings);
	speed_make(s.ops, &s.speed);
	*ret = s;
}

void
scorecard_done(struct scorecard *s)
{
	json_decref(s->naive.routes);
	json_decref(s->forge.routes);
	json_decref(s->ops);
	json_decref(s->other_labs);
	*s = (struct scorecard){ 0 };
}

void
scorecard_init(struct scorecard *s)
{
	*s = (struct scorecard){
		.naive.routes = json_object(),
		.forge.routes = json_object(),
		.ops = json_array(),
		.other_labs = json_array(),
	};
	speed_make(s->ops, &s->speed);
}

static void
add_side(struct scorecard_side *to, const struct scorecard_side *from)
{
	const char *model;
	json_t *n;

	to->claimed += from->claimed;
	to->total += from->total;
	for (size_t i = 0; i < TRUTH_NTRUTHS; i++)
		to->truths[i] += from->truths[i];
	json_object_foreach(from->routes, model, n)
		json_object_set_new(to->routes, model,
		    json_integer(json_integer_value(n) +
		        json_integer_value(
		            json_object_get(to->routes, model))));
}

void
scorecard_add(struct scorecard *to, const struct scorecard *from)
{
	/* Shards are parts of one run, and played alike. */
	to->routing = from->routing;
	add_side(&to->naive, &from->naive);
	add_side(&to->forge, &from->forge);
	json_array_extend(to->ops, from->ops);
	other_labs_add(to->other_labs, from->other_labs);
	speed_make(to->ops, &to->speed);
}

/* correct of total; 0 of 0 is 0. */
static double
pass_rate(const struct scorecard_side *s)
{
	return s->total ? (double)s->truths[TRUTH_RIGHT] / (double)s->total : 0;
}

static json_t *
side_json(const struct scorecard_side *s)
{
	return json_pack("{s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:f, s:O}",
	    "claimed", (json_int_t)s->claimed, "correct",
	    (json_int_t)s->truths[TRUTH_RIGHT], "silent_wrong",
	    (json_int_t)s->truths[TRUTH_WRONG], "loud",
	    (json_int_t)s->truths[TRUTH_LOUD], "unproven",
	    (json_int_t)s->truths[TRUTH_UNPROVEN], "unknown",
	    (json_int_t)s->truths[TRUTH_UNKNOWN], "total", (json_int_t)s->total,
	    "pass_rate", pass_rate(s), "routes", s->routes);
}

long
scorecard_unknown(const struct scorecard *s)
{
	return s->naive.truths[TRUTH_UNKNOWN] + s->forge.truths[TRUTH_UNKNOWN];
}

json_t *
scorecard_json(const struct scorecard *s)
{
	json_t *card = json_pack("{s:o, s:o, s:O, s:o}", "naive",
	    side_json(&s->naive), "kernelforge", side_json(&s->forge), "ops",
	    s->ops, "speed", speed_json(&s->speed));

	if (json_array_size(s->other_labs) > 0)
		json_object_set(card, "other_labs", s->other_labs);
	return card;
}

const char *
scorecard_absent(const struct scorecard_side *s)
{
	return s->absent ? s->absent : "not run";
}

static void
add_rate(struct term_table *t, const struct scorecard_side *s, long n,
    enum term_colour c)
{
	if (s->total == 0)
		term_table_add(t, s->absent ? TERM_BAD : TERM_DIM,
		    scorecard_absent(s));
	else
		term_table_addf(t, c, "%ld of %ld  (%.1f %%)", n, s->total,
		    100.0 * (double)n / (double)s->total);
}

static void
add_routes(struct term_table *t, const struct scorecard_side *s)
{
	struct buf b;
	const char *model;
	json_t *n;

	buf_init(&b, ROUTES_BYTES);
	json_object_foreach(s->routes, model, n)
		buf_addf(&b, "%s%s x%lld", b.len ? ", " : "", model,
		    (long long)json_integer_value(n));
	term_table_add(t, TERM_PLAIN, b.len ? b.data : "none");
	buf_done(&b);
}

static enum term_colour
colour_of(const struct scorecard *s, bool good)
{
	if (!good)
		return TERM_BAD;
	return s->is_unsound ? TERM_PLAIN : TERM_GOOD;
}

/* Rows that stand only where there is something to say. */
static const struct {
	enum truth truth;
	const char *label;
} more_truths[] = {
	{ TRUTH_LOUD, "Claimed, but hangs or crashes" },
	{ TRUTH_UNPROVEN, "Claimed, but part of it never ran" },
	{ TRUTH_UNKNOWN, "Claimed, but the truth is not known" },
};

static void
add_more_truths(const struct scorecard *s, struct term_table *t)
{
	for (size_t i = 0; i < COUNT(more_truths); i++) {
		long n = s->naive.truths[more_truths[i].truth];
		long f = s->forge.truths[more_truths[i].truth];

		if (n == 0 && f == 0)
			continue;
		term_table_add(t, TERM_PLAIN, more_truths[i].label);
		add_rate(t, &s->naive, n, colour_of(s, n == 0));
		add_rate(t, &s->forge, f, colour_of(s, f == 0));
	}
}

void
scorecard_set_players(struct scorecard *s, const char *answers)
{
	static const struct {
		const char *answers, *routing;
	} rows[] = {
		{ "replay", "Model routing (recordings)" },
		{ "script", "Model routing (scripts)" },
		{ "standin", "Model routing (stand-ins)" },
	};

	for (size_t i = 0; answers && i < COUNT(rows); i++)
		if (strcmp(rows[i].answers, answers) == 0)
			s->routing = rows[i].routing;
}

const char *
scorecard_routing_label(const struct scorecard *s)
{
	return s->routing ? s->routing : "Model routing";
}

void
scorecard_table(const struct scorecard *s, struct term_table *ret)
{
	const struct scorecard_side *sides[] = { &s->naive, &s->forge };

	term_table_init(ret, 3);
	term_table_add(ret, TERM_BOLD, "");
	term_table_add(ret, TERM_BOLD, "Naive");
	term_table_add(ret, TERM_BOLD, "KernelForge");
	term_table_add(ret, TERM_PLAIN, "Kernels claimed correct");
	for (size_t i = 0; i < 2; i++)
		add_rate(ret, sides[i], sides[i]->claimed, TERM_PLAIN);
	term_table_add(ret, TERM_PLAIN, "Hidden holdout pass rate");
	for (size_t i = 0; i < 2; i++)
		add_rate(ret, sides[i], sides[i]->truths[TRUTH_RIGHT],
		    colour_of(s,
		        sides[i]->truths[TRUTH_RIGHT] == sides[i]->total));
	term_table_add(ret, TERM_PLAIN, "Silent-wrong-output rate");
	for (size_t i = 0; i < 2; i++)
		add_rate(ret, sides[i], sides[i]->truths[TRUTH_WRONG],
		    colour_of(s, sides[i]->truths[TRUTH_WRONG] == 0));
	add_more_truths(s, ret);
	term_table_add(ret, TERM_PLAIN, scorecard_routing_label(s));
	for (size_t i = 0; i < 2; i++)
		add_routes(ret, sides[i]);
}

const char *
scorecard_naive_word(const struct scorecard *s, json_t *row)
{
	static const char *const words[TRUTH_NTRUTHS] = {
		[TRUTH_UNKNOWN] = "claimed, truth not known",
		[TRUTH_RIGHT] = "claimed, right",
		[TRUTH_WRONG] = "claimed, SILENTLY WRONG",
		[TRUTH_LOUD] = "claimed, hangs or crashes",
		[TRUTH_UNPROVEN] = "claimed, part never ran",
	};

	if (!json_object_get(row, "naive_route"))
		return scorecard_absent(&s->naive);
	if (!json_is_true(json_object_get(row, "naive_claimed")))
		return "no claim";
	return words[truth_find(
	    json_string_value(json_object_get(row, "naive_truth")))];
}

/* "deepseek-v4-flash, deepseek-coder x2": models in the order asked. */
static void
add_models(struct term_table *t, json_t *routes)
{
	size_t n = json_array_size(routes), same;
	struct buf b;

	buf_init(&b, ROUTES_BYTES);
	for (size_t i = 0; i < n; i += same) {
		const char *s = json_string_value(json_array_get(routes, i));
		size_t len = strcspn(s, " ");
		const char *slash = memrchr(s, '/', len);

		for (same = 1; i + same < n; same++)
			if (!json_equal(json_array_get(routes, i),
			        json_array_get(routes, i + same)))
				break;
		len -= slash ? (size_t)(slash + 1 - s) : 0;
		buf_addf(&b, "%s%.*s", i ? ", " : "", (int)len,
		    slash ? slash + 1 : s);
		if (same > 1)
			buf_addf(&b, " x%zu", same);
	}
	term_table_add(t, TERM_PLAIN, b.len ? b.data : "-");
	buf_done(&b);
}

/* The first of the names, and how many more there are. */
static void
add_first(struct term_table *t, json_t *names)
{
	size_t n = json_array_size(names);
	const char *first = json_string_value(json_array_get(names, 0));

	if (n == 0)
		term_table_add(t, TERM_PLAIN, "-");
	else if (n == 1)
		term_table_add(t, TERM_PLAIN, first);
	else
		term_table_addf(t, TERM_PLAIN, "%s, and %zu more", first,
		    n - 1);
}

/* "verified correct": two words, so that a narrow table wraps between. */
static void
add_state(const struct scorecard *s, struct term_table *t,
    enum ledger_state state)
{
	char *label = xstrdup(ledger_state_label(state)), *p;

	while ((p = strchr(label, '_')))
		*p = ' ';
	term_table_add(t, colour_of(s, ledger_is_verified(state)), label);
	free(label);
}

void
scorecard_detail(const struct scorecard *s, struct term_table *ret)
{
	static const char *const head[] = { "Operator", "Naive", "KernelForge",
		"Tries", "Models", "Holdouts failed on the way" };
	size_t i;
	json_t *row;

	term_table_init(ret, COUNT(head));
	for (i = 0; i < COUNT(head); i++)
		term_table_add(ret, TERM_BOLD, head[i]);
	json_array_foreach(s->ops, i, row) {
		const char *naive = scorecard_naive_word(s, row);
		const char *state =
		    json_string_value(json_object_get(row, "state"));

		term_table_add(ret, TERM_PLAIN,
		    json_string_value(json_object_get(row, "op")));
		term_table_add(ret,
		    strstr(naive, "WRONG") ? TERM_BAD : TERM_PLAIN, naive);
		if (json_is_true(
		        json_object_get(json_object_get(row, OPINION_KEY),
		            "vetoed")))
			term_table_add(ret, TERM_BAD, "refused by another lab");
		else
			add_state(s, ret, ledger_state_find(state));
		term_table_addf(ret, TERM_PLAIN, "%lld",
		    (long long)json_integer_value(
		        json_object_get(row, "iterations")));
		add_models(ret, json_object_get(row, "routes"));
		add_first(ret, json_object_get(row, "failing_cases"));
	}
}
