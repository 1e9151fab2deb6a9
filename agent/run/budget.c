/* Counting, and one row a budget. */
#include "agent/run/budget.h"

#include "agent/run/note_degradation.h"
#include "base/clock.h"
#include "base/jlenient.h"
#include "base/log.h"
#include "base/units.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MICRO     1e6
#define USD_MAX   1e6
#define USED_FILE "used.json"
#define USED_MAX  1000000000000
#define TRACE_MAX ((size_t)256 * 1024 * 1024)

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
	return run->tally->before_ms + (clock_mono_us() - run->start_us) / 1000;
}

static enum err
is_kept(const struct run_tally *t, struct why *why)
{
	return t->is_unkept
	    ? why_set(why, ERR_IO, "what was used cannot be kept: %s",
	          t->unkept.text)
	    : ERR_OK;
}

/* Under the tally's lock, or an older tally would come last. */
static enum err
write_used(struct run *run, struct why *why)
{
	struct run_tally *t = run->tally;
	int64_t tokens = t->tokens + t->pending.tokens;
	json_t *used =
	    json_pack("{s:I, s:f, s:I}", "tokens", (json_int_t)tokens, "usd",
	        t->usd + t->pending.usd, "ms", (json_int_t)gone_ms(run));

	t->is_unkept = rundir_write_json(rundir_path(run->dir), USED_FILE, used,
	                   &t->unkept) != ERR_OK;
	json_decref(used);
	return is_kept(t, why);
}

/* Of a question that is on its way already: the next one is not asked, and says
 * why.  Until then it is told once. */
static void
keep_used(struct run *run)
{
	bool was_unkept = run->tally->is_unkept;
	struct why why;

	if (write_used(run, &why) != ERR_OK && !was_unkept)
		log_warn("budget", "%s", why.text);
}

void
budget_keep(struct run *run)
{
	(void)pthread_mutex_lock(&run->tally->lock);
	keep_used(run);
	(void)pthread_mutex_unlock(&run->tally->lock);
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

/* By the run's prices; -1: it has none. */
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

/* Under the tally's lock. */
static void
set_pending(struct run *run, int64_t prompt, int64_t completion)
{
	double usd = priced(run, (double)prompt, (double)completion);
	struct tally_pending now = { prompt + completion, usd > 0 ? usd : 0 };

	run->tally->pending.tokens += now.tokens - run->pending.tokens;
	run->tally->pending.usd += now.usd - run->pending.usd;
	run->pending = now;
}

enum err
budget_open(struct run *run, json_t *messages, struct why *why)
{
	char *text = json_dumps(messages, JSON_COMPACT);
	enum err e;

	run->spent = (struct attempt_cost){ .usd = -1 };
	run->asked_tokens =
	    text ? (int64_t)strlen(text) / ATTEMPT_COST_BYTES_A_TOKEN : 0;
	free(text);
	(void)pthread_mutex_lock(&run->tally->lock);
	set_pending(run, run->asked_tokens, 0);
	e = write_used(run, why);
	if (e != ERR_OK)
		set_pending(run, 0, 0);
	(void)pthread_mutex_unlock(&run->tally->lock);
	return e;
}

void
budget_wait(struct run *run, const struct model_wait *w)
{
	(void)pthread_mutex_lock(&run->tally->lock);
	set_pending(run, run->asked_tokens,
	    (int64_t)w->bytes / ATTEMPT_COST_BYTES_A_TOKEN);
	keep_used(run);
	(void)pthread_mutex_unlock(&run->tally->lock);
}

void
budget_add(const struct attempt_cost *cost, void *arg)
{
	struct run *run = arg;
	double usd = cost->usd >= 0 ? cost->usd
	                            : priced(run, (double)cost->prompt_tokens,
	                                  (double)cost->completion_tokens);

	run->spent.calls += cost->calls;
	run->spent.prompt_tokens += cost->prompt_tokens;
	run->spent.completion_tokens += cost->completion_tokens;
	if (usd >= 0)
		run->spent.usd =
		    (run->spent.usd > 0 ? run->spent.usd : 0) + usd;
	(void)pthread_mutex_lock(&run->tally->lock);
	if (cost->is_absurd && !run->tally->is_doubted)
		log_warn("budget",
		    "the provider tells more tokens of an answer than there "
		    "can be: they count as %.0f",
		    COMPLETION_TOKENS_MAX);
	run->tally->is_doubted = run->tally->is_doubted || cost->is_absurd;
	run->tally->tokens += cost->prompt_tokens + cost->completion_tokens;
	run->tally->usd += usd > 0 ? usd : 0;
	set_pending(run, 0, 0);
	keep_used(run);
	(void)pthread_mutex_unlock(&run->tally->lock);
}

enum err
budget_check_kept(struct run *run, struct why *why)
{
	enum err e;

	(void)pthread_mutex_lock(&run->tally->lock);
	e = is_kept(run->tally, why);
	(void)pthread_mutex_unlock(&run->tally->lock);
	return e;
}

bool
budget_allows(void *arg)
{
	return budget_check_kept(arg, NULL) == ERR_OK &&
	    look(arg, false, NULL) == ERR_OK;
}

json_t *
budget_spent(const struct run *run)
{
	const struct attempt_cost *c = &run->spent;

	return json_pack("{s:I, s:I, s:i, s:o}", "prompt_tokens",
	    (json_int_t)c->prompt_tokens, "completion_tokens",
	    (json_int_t)c->completion_tokens, "calls", (int)c->calls, "usd",
	    c->usd >= 0 ? json_real(c->usd) : json_null());
}

/* A file may have been edited: what is no such number counts nothing. */
static int64_t
recalled(json_t *spent, const char *key, int64_t max)
{
	json_int_t n = json_integer_value(json_object_get(spent, key));

	return n > 0 && n <= max ? (int64_t)n : 0;
}

static double
recalled_usd(json_t *spent)
{
	double usd = json_number_value(json_object_get(spent, "usd"));

	return usd > 0 && usd <= USD_MAX ? usd : 0;
}

static void
recall(struct run *run, const char *op, const char *try)
{
	json_t *record = rundir_read_record(rundir_path(run->dir), op, try);
	json_t *spent = json_object_get(record, "spent");

	run->tally->tokens += recalled(spent, "prompt_tokens", USED_MAX) +
	    recalled(spent, "completion_tokens", USED_MAX);
	run->tally->usd += recalled_usd(spent);
	json_decref(record);
}

/* Who asked and who judged, one at a time: more than the clock saw where several
 * worked, less by what was cut and by pauses. */
static const char *const timed_spans[] = { "model.attempt", "lab.stage",
	"lab.timing" };

static double
span_ms(json_t *span)
{
	const char *name = jlenient_text(span, "name");
	double ms = json_number_value(json_object_get(span, "ms"));

	for (size_t i = 0; i < COUNT(timed_spans); i++)
		if (strcmp(name, timed_spans[i]) == 0)
			return ms > 0 ? ms : 0;
	return 0;
}

static uint64_t
traced_ms(const struct run *run)
{
	char *path = rundir_file(run->dir, "trace.jsonl");
	json_t *spans = jlenient_lines(path, TRACE_MAX, NULL), *span;
	double ms = 0;
	size_t i;

	json_array_foreach(spans, i, span)
		ms += span_ms(span);
	json_decref(spans);
	free(path);
	return ms < (double)USED_MAX ? (uint64_t)ms : 0;
}

static bool
is_used(json_t *used)
{
	json_t *tokens = json_object_get(used, "tokens");
	json_t *usd = json_object_get(used, "usd");
	json_t *ms = json_object_get(used, "ms");

	return json_is_integer(tokens) && json_integer_value(tokens) >= 0 &&
	    json_integer_value(tokens) <= USED_MAX && json_is_number(usd) &&
	    json_number_value(usd) >= 0 && json_number_value(usd) <= USD_MAX &&
	    json_is_integer(ms) && json_integer_value(ms) >= 0 &&
	    json_integer_value(ms) <= USED_MAX;
}

static void
recall_used(struct run *run)
{
	struct run_tally *t = run->tally;
	struct why why;
	json_t *used = NULL;
	enum err e =
	    rundir_read_json(rundir_path(run->dir), USED_FILE, &used, &why);

	if (e == ERR_OK && !is_used(used))
		e = why_set(&why, ERR_SYNTAX,
		    "%s: expected tokens, usd and ms, none below 0", USED_FILE);
	if (e == ERR_OK) {
		if (recalled(used, "tokens", USED_MAX) > t->tokens)
			t->tokens = recalled(used, "tokens", USED_MAX);
		if (recalled_usd(used) > t->usd)
			t->usd = recalled_usd(used);
		t->before_ms = (uint64_t)recalled(used, "ms", USED_MAX);
	} else if (t->tokens > 0 || ledger_count(run->ledger) > 0) {
		t->before_ms = traced_ms(run);
		log_warn("budget",
		    "%s; counted again from the records (%lld tokens, %.6f "
		    "dollars) and the trace (%llu s): what a question used "
		    "that was cut is not known",
		    why.text, (long long)t->tokens, t->usd,
		    (unsigned long long)t->before_ms / 1000);
	}
	json_decref(used);
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
	recall_used(run);
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
