/*
 * Counting.  Every foreign text in here comes cleaned out of the standings
 * or is cleaned on its way in.
 */
#include "agent/scorecard.h"

#include "agent/claim.h"
#include "base/buf.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROUTES_BYTES 4096

static json_t *
clean_json(const char *text)
{
	char *clean = claim_field(text, STANDING_TEXT_MAX);
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

static void
add_naive(struct scorecard_side *s, json_t *line, json_t *row)
{
	bool claimed = json_is_true(json_object_get(line, "claimed"));
	bool correct = json_is_true(json_object_get(line, "correct"));
	json_t *route =
	    clean_json(json_string_value(json_object_get(line, "route")));
	json_t *class =
	    clean_json(json_string_value(json_object_get(line, "class")));

	s->total++;
	s->claimed += claimed;
	s->correct += claimed && correct;
	s->silent_wrong += claimed && !correct;
	count_route(s->routes, json_string_value(route));
	json_object_set_new(row, "naive_claimed", json_boolean(claimed));
	json_object_set_new(row, "naive_correct",
	    json_boolean(claimed && correct));
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
add_speedups(const struct standing_try *last, json_t *row)
{
	json_object_set_new(row, "speedups",
	    last ? json_incref(last->speedups) : json_array());
	if (last && last->speedup > 0)
		json_object_set_new(row, "speedup", json_real(last->speedup));
}

static void
add_forge(struct scorecard_side *s, const struct standing *st,
    const char *audit, json_t *row)
{
	bool claimed = st && ledger_is_verified(st->state);
	bool correct = audit && strcmp(audit, "verified_correct") == 0;
	json_t *routes = json_array(), *failing = json_array();

	s->total++;
	s->claimed += claimed;
	s->correct += claimed && correct;
	s->silent_wrong += claimed && !correct;
	for (unsigned i = 0; st && i < st->iterations; i++) {
		count_route(s->routes, st->tries[i].route);
		json_array_append_new(routes, json_string(st->tries[i].route));
		add_failing(failing, st->tries[i].failing);
	}
	json_object_set_new(row, "state",
	    json_string(ledger_state_name(st ? st->state : LEDGER_NONE)));
	json_object_set_new(row, "iterations",
	    json_integer(st ? (json_int_t)st->iterations : 0));
	json_object_set_new(row, "correct", json_boolean(claimed && correct));
	json_object_set_new(row, "routes", routes);
	json_object_set_new(row, "failing_cases", failing);
	add_speedups(st ? standing_last(st) : NULL, row);
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

	json_array_foreach(in->ops, i, name) {
		const char *op = json_string_value(name);
		json_t *row = json_object(), *line;

		json_object_set_new(row, "op", clean_json(op));
		line = naive_line(in->naive, op ? op : "");
		if (line)
			add_naive(&s.naive, line, row);
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
	speed_make(s.ops, &s.speed);
	*ret = s;
}

void
scorecard_done(struct scorecard *s)
{
	json_decref(s->naive.routes);
	json_decref(s->forge.routes);
	json_decref(s->ops);
	*s = (struct scorecard){ 0 };
}

/* correct of total; 0 of 0 is 0. */
static double
pass_rate(const struct scorecard_side *s)
{
	return s->total ? (double)s->correct / (double)s->total : 0;
}

static json_t *
side_json(const struct scorecard_side *s)
{
	return json_pack("{s:I, s:I, s:I, s:I, s:f, s:O}", "claimed",
	    (json_int_t)s->claimed, "correct", (json_int_t)s->correct,
	    "silent_wrong", (json_int_t)s->silent_wrong, "total",
	    (json_int_t)s->total, "pass_rate", pass_rate(s), "routes",
	    s->routes);
}

json_t *
scorecard_json(const struct scorecard *s)
{
	return json_pack("{s:o, s:o, s:O, s:o}", "naive", side_json(&s->naive),
	    "kernelforge", side_json(&s->forge), "ops", s->ops, "speed",
	    speed_json(&s->speed));
}

static void
add_rate(struct term_table *t, const struct scorecard_side *s, long n,
    enum term_colour c)
{
	if (s->total == 0)
		term_table_add(t, TERM_DIM, "not run");
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
colour_of(bool good)
{
	return good ? TERM_GOOD : TERM_BAD;
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
		add_rate(ret, sides[i], sides[i]->correct,
		    colour_of(sides[i]->correct == sides[i]->total));
	term_table_add(ret, TERM_PLAIN, "Silent-wrong-output rate");
	for (size_t i = 0; i < 2; i++)
		add_rate(ret, sides[i], sides[i]->silent_wrong,
		    colour_of(sides[i]->silent_wrong == 0));
	term_table_add(ret, TERM_PLAIN, "Model routing");
	for (size_t i = 0; i < 2; i++)
		add_routes(ret, sides[i]);
}

static const char *
naive_word(json_t *row)
{
	if (!json_object_get(row, "naive_route"))
		return "not run";
	if (!json_is_true(json_object_get(row, "naive_claimed")))
		return "no claim";
	return json_is_true(json_object_get(row, "naive_correct"))
	    ? "claimed, right"
	    : "claimed, SILENTLY WRONG";
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

void
scorecard_detail(const struct scorecard *s, struct term_table *ret)
{
	static const char *const head[] = { "Operator", "Naive", "KernelForge",
		"Tries", "Models", "Holdouts failed on the way" };
	size_t i;
	json_t *row;

	term_table_init(ret, sizeof head / sizeof *head);
	for (i = 0; i < sizeof head / sizeof *head; i++)
		term_table_add(ret, TERM_BOLD, head[i]);
	json_array_foreach(s->ops, i, row) {
		const char *naive = naive_word(row);
		const char *state =
		    json_string_value(json_object_get(row, "state"));

		term_table_add(ret, TERM_PLAIN,
		    json_string_value(json_object_get(row, "op")));
		term_table_add(ret,
		    strstr(naive, "WRONG") ? TERM_BAD : TERM_PLAIN, naive);
		term_table_add(ret,
		    colour_of(ledger_is_verified(ledger_state_find(state))),
		    ledger_state_label(ledger_state_find(state)));
		term_table_addf(ret, TERM_PLAIN, "%lld",
		    (long long)json_integer_value(
		        json_object_get(row, "iterations")));
		add_models(ret, json_object_get(row, "routes"));
		add_first(ret, json_object_get(row, "failing_cases"));
	}
}
