/* Tries that got no answer are given again where a run was gone on with. */
#include "agent/run/lost_tries.h"
#include "tests/unit.h"
#include <string.h>

/*
 * A story of one operator, a letter a try, and of the run:
 *	d  the provider was down	w  answered, and wrong
 *	e  an empty answer		o  asked, and left open
 *	M  ended: model_down		U  ended: unanswered
 *	S  ended: stopped		.  ended in order
 */
static const struct {
	const char *what, *story;
	unsigned forgiven;
	bool is_lost; /* in the end */
} rows[] = {
	{ "nothing happened", "", 0, false },
	{ "all was lost", "ddd", 0, true },
	{ "and the run ended so", "dddU", 3, true },
	{ "lost twice", "dddUdddU", 6, true },
	{ "lost, then wrong", "dddUw", 3, false },
	{ "lost, wrong, lost", "dddUwddU", 5, true },
	{ "an answer between counts", "dwdU", 1, true },
	{ "an empty answer is the model's", "ddeU", 2, false },
	{ "no model could be asked", "ddoM", 2, false },
	{ "stopped by somebody", "dddS", 0, true },
	{ "ended in order", "ddd.", 0, true },
	{ "stopped, and down later", "ddSdU", 3, true },
};

static void
append(struct ledger *l, unsigned n, enum ledger_state s, const char *class)
{
	json_t *extra = class ? json_pack("{s:s}", "class", class) : NULL;
	const struct ledger_step step = { "relu", n, s, "m", extra };
	struct why why = { "" };

	CHECK_INT(ledger_append(l, &step, &why), ERR_OK, why.text);
	json_decref(extra);
}

static void
end(struct ledger *l, char how)
{
	const char *word = how == 'M' ? "model_down"
	    : how == 'U'              ? LOST_TRIES_ENDED
	    : how == 'S'              ? "stopped"
	                              : NULL;
	struct why why;

	CHECK_INT(ledger_end(l, word, &why), ERR_OK, "ends");
}

static void
tell(struct ledger *l, const char *story)
{
	unsigned n = 0;

	for (; *story; story++) {
		if (strchr("MUS.", *story)) {
			end(l, *story);
			continue;
		}
		append(l, ++n, LEDGER_ATTEMPTED, NULL);
		if (*story == 'w')
			append(l, n, LEDGER_GENERATED, NULL);
		if (*story != 'o')
			append(l, n, LEDGER_ABANDONED,
			    *story == 'd'       ? "http_503"
			        : *story == 'e' ? "empty_answer"
			                        : "parse");
	}
}

void
t_lost_tries(void)
{
	struct run_scenario scenario = { .ops = { "relu" }, .nops = 1 };

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct run_tally tally = { 0 };
		struct run run = { .scenario = &scenario,
			.ledger = ledger_new(),
			.tally = &tally };
		struct why why;
		json_t *forgiven;

		tell(run.ledger, rows[i].story);
		forgiven = lost_tries_forgiven(run.ledger);
		CHECK_INT(json_integer_value(json_object_get(forgiven, "relu")),
		    rows[i].forgiven, rows[i].what);
		CHECK_INT(lost_tries_look(&run, &why) == ERR_ENV,
		    rows[i].is_lost, rows[i].what);
		CHECK_STR(tally.ended ? tally.ended : "",
		    rows[i].is_lost ? LOST_TRIES_ENDED : "", rows[i].what);
		json_decref(forgiven);
		ledger_free(run.ledger);
	}
}
