/* Counting, and one row a budget. */
#include "agent/run/budget.h"

#include "agent/run/degrade.h"
#include "base/clock.h"
#include "base/units.h"
#include <stdio.h>

#define MICRO      1e6
#define TOKENS_MAX 1000000000
#define USD_MAX    1e6

/* Indexes of what is counted; a row of budgets each. */
enum { TOKENS, USD, MINUTES, ITERATIONS, NBUDGETS };

static const struct {
	const char *ending, *unit;
	size_t offset; /* of the limit */
} budgets[NBUDGETS] = {
	[TOKENS] = { "budget_tokens", "tokens",
	    offsetof(struct run_scenario_limits, max_tokens) },
	[USD] = { "budget_usd", "millionths of a dollar",
	    offsetof(struct run_scenario_limits, max_micro_usd) },
	[MINUTES] = { "budget_minutes", "minutes",
	    offsetof(struct run_scenario_limits, max_minutes) },
	[ITERATIONS] = { "budget_iterations", "iterations",
	    offsetof(struct run_scenario_limits, max_iterations) },
};

static int64_t
limit_of(const struct run *run, size_t i)
{
	return *(const int64_t *)(const void
	        *)((const char *)&run->scenario->limits + budgets[i].offset);
}

static uint64_t
gone_ms(const struct run *run)
{
	return (clock_mono_us() - run->start_us) / 1000;
}

/*
 * What a try needs and what a question needs are looked at in one breath with
 * the counting: of two workers at the last iteration one may begin it.
 */
static enum err
look(struct run *run, bool begins_iteration, struct why *why)
{
	int64_t used[NBUDGETS];
	struct run_tally *t = run->tally;
	enum err e = ERR_OK;

	(void)pthread_mutex_lock(&t->lock);
	used[TOKENS] = t->tokens;
	used[USD] = (int64_t)(t->usd * MICRO);
	used[MINUTES] = (int64_t)(gone_ms(run) / 60000);
	used[ITERATIONS] = begins_iteration ? t->iterations : 0;
	for (size_t i = 0; i < NBUDGETS && e == ERR_OK; i++)
		if (limit_of(run, i) > 0 && used[i] >= limit_of(run, i)) {
			t->ended = budgets[i].ending;
			e = why_set(why, ERR_CLOSED,
			    "the budget of %lld %s is used up (%lld so far)",
			    (long long)limit_of(run, i), budgets[i].unit,
			    (long long)used[i]);
		}
	if (e == ERR_OK && begins_iteration)
		t->iterations++;
	(void)pthread_mutex_unlock(&t->lock);
	if (e != ERR_OK)
		degrade_trace(run, "budget",
		    json_pack("{s:s, s:s}", "budget", t->ended, "op", run->op));
	return e;
}

enum err
budget_begin_iteration(struct run *run, struct why *why)
{
	return look(run, true, why);
}

enum err
budget_check(struct run *run, uint32_t *ret_left_ms, struct why *why)
{
	enum err e = look(run, false, why);
	int64_t left_ms =
	    limit_of(run, MINUTES) * 60000 - (int64_t)gone_ms(run);

	*ret_left_ms = limit_of(run, MINUTES) == 0 ? 0
	    : left_ms < 1                          ? 1
	                                           : (uint32_t)left_ms;
	return e;
}

/* By the run's prices; -1: it has none, or nobody told the tokens. */
static double
priced(const struct run *run, double in, double out)
{
	const struct run_scenario_limits *l = &run->scenario->limits;

	if (l->input_micro_usd + l->output_micro_usd == 0)
		return -1;
	return (in * (double)l->input_micro_usd +
	           out * (double)l->output_micro_usd) /
	    MICRO / MICRO;
}

json_t *
budget_add(struct run *run, const struct model_cost *cost, long prompt_tokens,
    long completion_tokens)
{
	long in = prompt_tokens > 0 ? prompt_tokens : 0;
	long out = completion_tokens > 0 ? completion_tokens : 0;
	double usd =
	    cost->usd >= 0 ? cost->usd : priced(run, (double)in, (double)out);

	(void)pthread_mutex_lock(&run->tally->lock);
	run->tally->tokens += in + out;
	run->tally->usd += usd > 0 ? usd : 0;
	(void)pthread_mutex_unlock(&run->tally->lock);
	return json_pack("{s:I, s:I, s:i, s:o}", "prompt_tokens",
	    (json_int_t)in, "completion_tokens", (json_int_t)out, "calls",
	    (int)cost->calls, "usd", usd >= 0 ? json_real(usd) : json_null());
}

/* A record may have been edited: what is no number of tokens counts nothing. */
static int64_t
recalled(json_t *spent, const char *key)
{
	json_int_t n = json_integer_value(json_object_get(spent, key));

	return n > 0 && n <= TOKENS_MAX ? (int64_t)n : 0;
}

static void
recall(struct run *run, const char *op, const char *try)
{
	json_t *record = rundir_read_record(rundir_path(run->dir), op, try);
	json_t *spent = json_object_get(record, "spent");
	double usd = json_number_value(json_object_get(spent, "usd"));

	run->tally->tokens += recalled(spent, "prompt_tokens") +
	    recalled(spent, "completion_tokens");
	run->tally->usd += usd > 0 && usd <= USD_MAX ? usd : 0;
	json_decref(record);
}

void
budget_recall(struct run *run)
{
	const struct run_scenario *s = run->scenario;
	char try[16];

	for (size_t i = 0; i < s->nops; i++) {
		unsigned last = ledger_iteration(run->ledger, s->ops[i]);

		recall(run, s->ops[i], "naive");
		for (unsigned k = 1; k <= last; k++) {
			(void)snprintf(try, sizeof try, "%u", k);
			recall(run, s->ops[i], try);
		}
		run->tally->iterations += last;
	}
}

double
budget_usd(const struct run *run, unsigned tokens_coming)
{
	double coming = priced(run, 0, tokens_coming), usd;

	(void)pthread_mutex_lock(&run->tally->lock);
	usd = run->tally->usd;
	(void)pthread_mutex_unlock(&run->tally->lock);
	if (usd == 0 && coming < 0)
		return -1;
	return usd + (coming > 0 ? coming : 0);
}
