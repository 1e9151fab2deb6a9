/*
 * Reading the ledger for them: abandoned, and never generated.
 */
#include "agent/run/lost_tries.h"

#include "agent/run/stop_asking.h"
#include "base/jlenient.h"
#include <string.h>

/* Ends of runs that are gone on with to ask again. */
static const char *const asking_again[] = { "model_down", LOST_TRIES_ENDED };

static bool
is_lost(const struct ledger *l, const struct ledger_entry *e)
{
	return e && e->state == LEDGER_ABANDONED &&
	    !ledger_find(l, e->op, e->iteration, LEDGER_GENERATED) &&
	    !failure_is_models_own(jlenient_text(e->line, "class"));
}

/* The line that ended the operator's last try; NULL: nothing did. */
static const struct ledger_entry *
end_of(const struct ledger *l, const char *op)
{
	return ledger_find(l, op, ledger_iteration(l, op), LEDGER_ABANDONED);
}

enum err
lost_tries_look(const struct run *run, struct why *why)
{
	const struct run_scenario *s = run->scenario;
	const struct ledger_entry *first = NULL;
	size_t n = 0;

	for (size_t i = 0; i < s->nops; i++) {
		const struct ledger_entry *e = end_of(run->ledger, s->ops[i]);

		if (!is_lost(run->ledger, e))
			continue;
		if (!first)
			first = e;
		n++;
	}
	if (!first)
		return ERR_OK;
	run->tally->ended = LOST_TRIES_ENDED;
	return why_set(why, ERR_ENV,
	    "%zu of %zu operators ended without an answer to their last "
	    "question; %s: %s",
	    n, s->nops, first->op, jlenient_text(first->line, "message"));
}

static bool
asks_again(const char *ended)
{
	for (size_t i = 0; i < COUNT(asking_again); i++)
		if (strcmp(ended, asking_again[i]) == 0)
			return true;
	return false;
}

static void
add(json_t *counts, const char *op, json_int_t n)
{
	json_int_t was = json_integer_value(json_object_get(counts, op));

	json_object_set_new(counts, op, json_integer(was + n));
}

json_t *
lost_tries_forgiven(const struct ledger *l)
{
	json_t *forgiven = json_object(), *lost = json_object(), *n;
	const char *op;

	for (size_t i = 0; i < ledger_count(l); i++) {
		const struct ledger_entry *e = ledger_at(l, i);

		/* One that was answered makes those before it what every try
		 * may be. */
		if (is_lost(l, e))
			add(lost, e->op, 1);
		else if (e->state == LEDGER_GENERATED)
			json_object_del(lost, e->op);
		if (!asks_again(ledger_ended_behind(l, i + 1)))
			continue;
		json_object_foreach(lost, op, n)
			add(forgiven, op, json_integer_value(n));
		json_object_clear(lost);
	}
	json_decref(lost);
	return forgiven;
}
