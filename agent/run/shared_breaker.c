/*
 * The breaker itself is base/circuit_breaker.h's; here is who shares one, and
 * how a worker waits for it.
 */
#include "agent/run/shared_breaker.h"

#include "agent/run/note_degradation.h"
#include "agent/run/run_progress.h"
#include "base/clock.h"
#include "base/stop.h"
#include "base/units.h"
#include <stdio.h>
#include <string.h>

#define WAIT_MS 250
/* A row of failures counts however long each of them took. */
#define WINDOW_MS (INT64_MAX / 2)

/* clang-format off */
static const struct dependency_profile profiles[] = {
	{ "demo",	{ 2, WINDOW_MS, 8000,  false }, 1200 },
	{ "production", { 3, WINDOW_MS, 30000, false }, 0    },
};
static const struct breaker_conf never = { 0, 1, 1, false };
/* clang-format on */

const struct dependency_profile *
dependency_profile_find(const char *name)
{
	for (size_t i = 0; i < COUNT(profiles); i++)
		if (strcmp(profiles[i].name, name) == 0)
			return &profiles[i];
	return NULL;
}

const char *
dependency_profile_names(void)
{
	return "demo or production";
}

/* More models than places share the last one. */
static struct breaker *
breaker_of(struct run *run, const char *model)
{
	struct run_tally *t = run->tally;
	const struct dependency_profile *p =
	    dependency_profile_find(run->scenario->breaker);
	struct dependency *d;

	for (size_t i = 0; i < t->nmodels; i++)
		if (strcmp(t->models[i].name, model) == 0)
			return &t->models[i].breaker;
	if (t->nmodels == DEPENDENCY_MAX)
		return &t->models[DEPENDENCY_MAX - 1].breaker;
	d = &t->models[t->nmodels++];
	(void)snprintf(d->name, sizeof d->name, "%s", model);
	breaker_init(&d->breaker,
	    run->without & 1u << RUN_BREAKER || !p ? &never : &p->breaker);
	return &d->breaker;
}

static uint64_t
now_ms(void)
{
	return clock_mono_us() / 1000;
}

/* 0: it may be asked; else how long the breaker is open at least. */
static uint64_t
try_enter(struct run *run, const char *model, struct breaker_pass *ret,
    bool *ret_is_down)
{
	struct run_tally *t = run->tally;
	uint64_t now = now_ms(), left = 0;
	struct breaker *b;

	(void)pthread_mutex_lock(&t->lock);
	*ret_is_down = t->is_down;
	b = breaker_of(run, model);
	if (!t->is_down && !breaker_enter(b, now, ret))
		left = b->state == BREAKER_OPEN && b->open_until_ms > now
		    ? b->open_until_ms - now
		    : 1;
	(void)pthread_mutex_unlock(&t->lock);
	return left;
}

enum err
dependency_enter(struct run *run, const char *model, struct breaker_pass *ret,
    struct why *why)
{
	bool is_down;
	uint64_t left;

	while ((left = try_enter(run, model, ret, &is_down)) > 0) {
		say_waits(run, left);
		stop_sleep(left < WAIT_MS ? (uint32_t)left : WAIT_MS);
		if (stop_asked())
			return why_set(why, ERR_CLOSED, "stopped by %s",
			    stop_asked());
	}
	if (is_down)
		return why_set(why, ERR_ENV,
		    "no model could be asked any more");
	return ERR_OK;
}

void
dependency_ok(struct run *run, const char *model,
    const struct breaker_pass *pass)
{
	(void)pthread_mutex_lock(&run->tally->lock);
	breaker_ok(breaker_of(run, model), pass, now_ms());
	(void)pthread_mutex_unlock(&run->tally->lock);
}

enum err
dependency_fail(struct run *run, const char *model,
    const struct breaker_pass *pass, const char *class, struct why *why)
{
	struct run_tally *t = run->tally;
	struct breaker *b;
	unsigned before;
	int64_t fails, hold_s;
	bool opens;

	(void)pthread_mutex_lock(&t->lock);
	b = breaker_of(run, model);
	before = b->opened;
	breaker_fail(b, pass, now_ms(), -1);
	opens = b->opened > before;
	fails = b->conf.fails_max;
	hold_s = b->conf.hold_ms / 1000;
	(void)pthread_mutex_unlock(&t->lock);
	if (!opens)
		return ERR_OK;
	if (pass->is_probe)
		return why_set(why, ERR_ENV,
		    "%lld questions running failed, and so did one after a "
		    "pause of %lld s (%s), so no more are asked",
		    (long long)fails, (long long)hold_s, class);
	degrade_note(run, DEGRADATION_BREAKER, class);
	say_step(run, "%lld questions running failed (%s): a pause of %lld s",
	    (long long)fails, class, (long long)hold_s);
	return ERR_OK;
}

void
dependency_give_up(struct run_tally *t)
{
	(void)pthread_mutex_lock(&t->lock);
	t->is_down = true;
	t->ended = "model_down";
	(void)pthread_mutex_unlock(&t->lock);
}

bool
dependency_says_another(struct run_tally *t, const char *route,
    const char *model)
{
	int n = (int)strcspn(route, " "); /* why it was taken is no matter */
	char by[DEPENDENCY_NAME_MAX];
	bool is_another = false;
	size_t i = 0;

	if (!*model)
		return false;
	(void)snprintf(by, sizeof by, "%.*s", n, route);
	(void)pthread_mutex_lock(&t->lock);
	while (i < t->nsaid && strcmp(t->said[i].route, by) != 0)
		i++;
	if (i < t->nsaid)
		is_another = strcmp(t->said[i].model, model) != 0;
	else if (i < DEPENDENCY_MAX) {
		(void)snprintf(t->said[i].route, DEPENDENCY_NAME_MAX, "%s", by);
		(void)snprintf(t->said[i].model, DEPENDENCY_NAME_MAX, "%s",
		    model);
		t->nsaid++;
	}
	(void)pthread_mutex_unlock(&t->lock);
	return is_another;
}
