/*
 * When to stop asking.
 *
 * A question that fails costs an iteration, and up to its whole deadline.
 * Where the same would happen to every question that follows, going on only
 * burns the budget of all operators: so a refused key, a used-up quota, a model
 * that is not there and an address where nobody answers end the run at once,
 * and failures of the way open the model's breaker (shared_breaker.h).  Answers
 * that are whole but useless are the model's, and count for nothing here.
 */
#include "agent/run/stop_asking.h"

#include "agent/run/budget.h"
#include "base/stop.h"
#include <string.h>

/* Failures that say something about this answer, not about the way to it. */
static const char *const ask_models_own[] = { "empty_answer", "finish_reason",
	"length", "too_big" };

/* Failures that every other question would meet. */
static const struct {
	const char *class, *what;
} ask_final[] = {
	{ MODEL_LACKS_DESCRIPTORS, "this process may open no more files" },
	{ "unreachable", "the gateway is unreachable" },
	{ "http_401", "the key is refused" },
	{ "http_402", "the account cannot pay" },
	{ "http_403", "the key may not use this model" },
	{ "http_404", "the model or the address is not there" },
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

bool
failure_is_models_own(const char *class)
{
	for (size_t i = 0; i < COUNT(ask_models_own); i++)
		if (strcmp(ask_models_own[i], class) == 0)
			return true;
	return false;
}

/* A failure of the way: the breaker's, unless every question would meet it. */
static enum err
count_failure(struct run *run, const char *model,
    const struct breaker_pass *pass, const struct model_failure *f,
    struct why *why)
{
	const char *word = final_word(f->class);

	if (word)
		return why_set(why, ERR_ENV, "%s: %s", word, f->text);
	return dependency_fail(run, model, pass, f->class, why);
}

enum err
ask_model(struct run *run, struct model_question *q, struct model_answer *ret,
    struct model_failure *failure, json_t **ret_spent, bool *ret_failed,
    struct why *why)
{
	const char *model = q->model ? q->model
	    : q->escalate            ? "escalation"
	                             : run->scenario->model;
	struct breaker_pass pass;
	enum err e = budget_check(run, &q->deadline_ms, why);

	if (e == ERR_OK)
		e = dependency_enter(run, model, &pass, why);
	/* Nothing is paid that could not be counted. */
	if (e == ERR_OK)
		e = budget_open(run, q->messages, why);
	if (e != ERR_OK)
		return e;
	*ret_failed = model_ask(run->model, q, ret, failure) != ERR_OK;
	/* An answer that came whole in spite of the signal is kept: it is paid
	 * for. */
	if (stop_asked() && *ret_failed)
		return why_set(why, ERR_CLOSED, "stopped by %s", stop_asked());
	/* Then the attempt was the last, and says nothing about the model. */
	e = *ret_failed ? budget_check_kept(run, why) : ERR_OK;
	if (e != ERR_OK)
		return e;
	*ret_spent = budget_spent(run);
	if (!*ret_failed || failure_is_models_own(failure->class)) {
		dependency_ok(run, model, &pass);
		return ERR_OK;
	}
	e = count_failure(run, model, &pass, failure, why);
	if (e == ERR_OK)
		return ERR_OK;
	/* The machine's lack is nobody's but its own. */
	if (strcmp(failure->class, MODEL_LACKS_DESCRIPTORS) != 0)
		dependency_give_up(run->tally);
	json_decref(*ret_spent);
	return e;
}
