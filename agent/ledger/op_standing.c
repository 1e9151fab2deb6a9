/*
 * Reading the ledger into standings.  The ledger's rules guarantee that an
 * operator's iterations come in order, so the last entry of an operator is
 * always its newest try.
 */
#include "agent/ledger/op_standing.h"

#include "agent/text/claim_filter.h"
#include "base/mem.h"
#include <stdlib.h>
#include <string.h>

#define FAILING_MAX  64
#define SPEEDUPS_MAX 16
#define DEGRADED_MAX 1000

static struct op_standing *
op_standing_of(struct standings *s, const char *op)
{
	struct op_standing *st;

	for (size_t i = 0; i < s->n; i++)
		if (strcmp(s->items[i].key, op) == 0)
			return &s->items[i];
	s->items = xreallocarray(s->items, s->n + 1, sizeof *s->items);
	st = &s->items[s->n++];
	*st = (struct op_standing){
		.op = claim_field(op, LEDGER_OP_MAX),
		.key = xstrdup(op),
	};
	return st;
}

static struct op_standing_try *
try_of(struct op_standing *st, unsigned iteration)
{
	struct op_standing_try *t;

	if (st->iterations > 0 &&
	    st->tries[st->iterations - 1].iteration == iteration)
		return &st->tries[st->iterations - 1];
	st->tries =
	    xreallocarray(st->tries, st->iterations + 1, sizeof *st->tries);
	t = &st->tries[st->iterations++];
	*t = (struct op_standing_try){
		.iteration = iteration,
		.route = xstrdup(""),
		.class = xstrdup(""),
		.suspect = xstrdup(""),
		.message = xstrdup(""),
		.failing = json_array(),
		.holdouts = -1,
		.worst = -1,
		.speedups = json_array(),
	};
	return t;
}

typedef char *filter_fn(const char *text, size_t max_chars);

static void
take_text(char **dst, const char *text, filter_fn *filter)
{
	if (!text || !*text)
		return;
	free(*dst);
	*dst = filter(text, OP_STANDING_TEXT_MAX);
}

static void
take_failing(struct op_standing_try *t, json_t *names)
{
	size_t i;
	json_t *name;

	json_array_clear(t->failing);
	json_array_foreach(names, i, name) {
		char *clean;

		if (i == FAILING_MAX)
			break;
		clean =
		    claim_clean(json_string_value(name), OP_STANDING_TEXT_MAX);
		json_array_append_new(t->failing, json_string(clean));
		free(clean);
	}
}

/* One size: its words through the filter, its numbers as they are. */
static json_t *
clean_speedup(json_t *from)
{
	static const char *const words[] = { "size", "status" };
	static const char *const numbers[] = { "speedup", "roofline", "sol" };
	json_t *to = json_object(), *v;

	for (size_t i = 0; i < COUNT(words); i++) {
		char *clean = claim_clean(json_string_value(
		                              json_object_get(from, words[i])),
		    OP_STANDING_TEXT_MAX);

		json_object_set_new(to, words[i], json_string(clean));
		free(clean);
	}
	for (size_t i = 0; i < COUNT(numbers); i++) {
		v = json_object_get(from, numbers[i]);
		json_object_set(to, numbers[i],
		    json_is_number(v) ? v : json_null());
	}
	json_object_set_new(to, "held_out",
	    json_boolean(json_is_true(json_object_get(from, "held_out"))));
	return to;
}

static void
take_speedups(struct op_standing_try *t, json_t *sizes)
{
	size_t i;
	json_t *size;

	json_array_clear(t->speedups);
	json_array_foreach(sizes, i, size)
		if (i < SPEEDUPS_MAX)
			json_array_append_new(t->speedups, clean_speedup(size));
}

static void
take_degraded(struct op_standing *st, json_t *counts)
{
	const char *name;
	json_t *n;

	json_object_foreach(counts, name, n) {
		enum degradation d = degradation_find(name);
		json_int_t times = json_integer_value(n);

		/* The file may be anybody's: a count that no run reaches is
		 * none. */
		if (d != DEGRADATION_NONE && times > 0 && times <= DEGRADED_MAX)
			st->degraded[d] += (unsigned)times;
	}
}

static void
take_entry(struct op_standing *st, const struct ledger_entry *e)
{
	struct op_standing_try *t = try_of(st, e->iteration);
	json_t *line = e->line, *v;

	take_degraded(st, json_object_get(line, "degraded"));
	if (json_object_get(line, OPINION_KEY))
		opinion_read(line, &t->other);
	st->state = t->state = e->state;
	/* Of a try that was given up it is told how far it had come. */
	if (e->state != LEDGER_ABANDONED)
		t->reached = e->state;
	take_text(&t->route, e->route, claim_field);
	take_text(&t->class, json_string_value(json_object_get(line, "class")),
	    claim_field);
	take_text(&t->suspect,
	    json_string_value(json_object_get(line, "suspect")), claim_clean);
	take_text(&t->message,
	    json_string_value(json_object_get(line, "message")), claim_clean);
	if (json_is_array(v = json_object_get(line, "failing_cases")))
		take_failing(t, v);
	if (json_is_integer(v = json_object_get(line, "holdouts")))
		t->holdouts = (long)json_integer_value(v);
	if (json_is_number(v = json_object_get(line, "worst_bound_ratio")))
		t->worst = json_number_value(v);
	if (json_is_array(v = json_object_get(line, "speedups")))
		take_speedups(t, v);
	if (json_is_number(v = json_object_get(line, "speedup")))
		t->speedup = json_number_value(v);
}

void
standings_read(const struct ledger *l, struct standings *ret)
{
	*ret = (struct standings){ 0 };
	for (size_t i = 0; i < ledger_count(l); i++) {
		const struct ledger_entry *e = ledger_at(l, i);

		take_entry(op_standing_of(ret, e->op), e);
	}
}

void
standings_name_models(struct standings *s, const struct model_asked *asked)
{
	for (size_t i = 0; i < s->n; i++)
		for (unsigned k = 0; k < s->items[i].iterations; k++) {
			struct op_standing_try *t = &s->items[i].tries[k];
			char *shown = model_name_of_route(t->route, asked);

			free(t->route);
			t->route = shown;
		}
}

static void
try_done(struct op_standing_try *t)
{
	free(t->route);
	free(t->class);
	free(t->suspect);
	free(t->message);
	json_decref(t->failing);
	json_decref(t->speedups);
}

void
standings_done(struct standings *s)
{
	for (size_t i = 0; i < s->n; i++) {
		for (unsigned k = 0; k < s->items[i].iterations; k++)
			try_done(&s->items[i].tries[k]);
		free(s->items[i].tries);
		free(s->items[i].op);
		free(s->items[i].key);
	}
	free(s->items);
	*s = (struct standings){ 0 };
}

const struct op_standing *
standings_find(const struct standings *s, const char *op)
{
	for (size_t i = 0; i < s->n; i++)
		if (strcmp(s->items[i].key, op) == 0)
			return &s->items[i];
	return NULL;
}

const struct op_standing_try *
op_standing_last(const struct op_standing *s)
{
	return s->iterations ? &s->tries[s->iterations - 1] : NULL;
}
