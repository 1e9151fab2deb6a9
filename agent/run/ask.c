/*
 * When to stop asking.
 *
 * A question that fails costs an iteration, and up to its whole deadline.
 * Where the same would happen to every question that follows, going on only
 * burns the budget of all operators: so a refused key, a used-up quota and an
 * address where nobody answers end the run at once, and so does a failure of
 * the wire that came ASK_SAME_MAX times running (the breaker).  Answers that
 * are whole but useless are the model's, and count for nothing here.
 */
#include "agent/run/ask.h"

#include "base/clock.h"
#include "base/stop.h"
#include <stdio.h>
#include <string.h>

/* Failures that say something about this answer, not about the way to it. */
static const char *const ask_models_own[] = { "empty_answer", "finish_reason",
	"length", "too_big" };

/* Failures that every other question would meet. */
static const struct {
	const char *class, *what;
} ask_final[] = {
	{ "unreachable", "the gateway is unreachable" },
	{ "http_401", "the key is refused" },
	{ "http_402", "the account cannot pay" },
	{ "http_403", "the key may not use this model" },
	{ "quota", "the quota is used up" },
};

static const char *
final_word(const char *class)
{
	for (size_t i = 0; i < COUNT(ask_final); i++)
		if (strcmp(ask_final[i].class, class) == 0)
			return ask_final[i].what;
	return NULL;
}

static bool
is_models_own(const char *class)
{
	for (size_t i = 0; i < COUNT(ask_models_own); i++)
		if (strcmp(ask_models_own[i], class) == 0)
			return true;
	return false;
}

/* How many questions running failed like this one, whoever asked them. */
static unsigned
count_same(struct run_tally *t, const char *class)
{
	unsigned n;

	(void)pthread_mutex_lock(&t->lock);
	if (strcmp(t->failing_class, class) != 0)
		t->failing = 0;
	n = ++t->failing;
	(void)snprintf(t->failing_class, sizeof t->failing_class, "%s", class);
	(void)pthread_mutex_unlock(&t->lock);
	return n;
}

static void
count_good(struct run_tally *t)
{
	(void)pthread_mutex_lock(&t->lock);
	t->failing = 0;
	(void)pthread_mutex_unlock(&t->lock);
}

static int64_t
tokens_so_far(struct run_tally *t)
{
	int64_t n;

	(void)pthread_mutex_lock(&t->lock);
	n = t->tokens;
	(void)pthread_mutex_unlock(&t->lock);
	return n;
}

static void
trace_budget(struct run *run, const char *which)
{
	uint64_t now = clock_mono_us();

	rundir_trace(run->dir, 0,
	    &(struct rundir_span){
	        .name = "degradation",
	        .parent = run->span,
	        .start_us = now,
	        .end_us = now,
	        .status = "budget",
	        .attributes =
	            json_pack("{s:s, s:s}", "budget", which, "op", run->op),
	    });
}

/* A budget is looked at before a question, so none is cut off in its middle:
 * what it costs at most is one answer more. */
static enum err
check_budgets(struct run *run, struct why *why)
{
	const struct run_scenario_limits *l = &run->scenario->limits;
	uint64_t minutes = (clock_mono_us() - run->start_us) / 60000000;
	int64_t tokens = tokens_so_far(run->tally);

	if (l->max_tokens && tokens >= l->max_tokens) {
		trace_budget(run, "tokens");
		return why_set(why, ERR_CLOSED,
		    "the budget of %lld tokens is used up (%lld so far)",
		    (long long)l->max_tokens, (long long)tokens);
	}
	if (l->max_minutes && minutes >= (uint64_t)l->max_minutes) {
		trace_budget(run, "minutes");
		return why_set(why, ERR_CLOSED,
		    "the budget of %lld minutes is used up",
		    (long long)l->max_minutes);
	}
	return ERR_OK;
}

/* As the provider told; where it told nothing, four bytes a token. */
static void
count_tokens(struct run *run, const struct model_answer *a)
{
	int64_t n = a->prompt_tokens > 0 ? a->prompt_tokens : 0;

	n += a->completion_tokens >= 0 ? a->completion_tokens
	                               : (int64_t)strlen(a->content) / 4 + 1;
	(void)pthread_mutex_lock(&run->tally->lock);
	run->tally->tokens += n;
	(void)pthread_mutex_unlock(&run->tally->lock);
}

enum err
ask_model(struct run *run, const struct model_question *q,
    struct model_answer *ret, struct model_failure *failure, bool *ret_failed,
    struct why *why)
{
	const char *word;
	unsigned same;
	enum err e = check_budgets(run, why);

	if (e != ERR_OK)
		return e;
	*ret_failed = model_ask(run->model, q, ret, failure) != ERR_OK;
	/* An answer that came whole in spite of the signal is kept: it is paid
	 * for. */
	if (stop_asked() && *ret_failed)
		return why_set(why, ERR_CLOSED, "stopped by %s", stop_asked());
	if (!*ret_failed)
		count_tokens(run, ret);
	if (!*ret_failed || is_models_own(failure->class)) {
		count_good(run->tally);
		return ERR_OK;
	}
	word = final_word(failure->class);
	if (word)
		return why_set(why, ERR_ENV, "%s: %s", word, failure->text);
	same = count_same(run->tally, failure->class);
	if (same < ASK_SAME_MAX || run->without & 1u << RUN_BREAKER)
		return ERR_OK;
	return why_set(why, ERR_ENV,
	    "%u questions running failed alike (%s), so no more are asked: %s",
	    same, failure->class, failure->text);
}
