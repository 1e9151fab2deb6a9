/*
 * What a run leans on: the models that it asks for, each with a breaker that
 * all workers share.
 *
 * The breaker counts questions that failed on their way, after their retries;
 * answers that are whole but useless are the model's own.  While it is open
 * nobody asks; then one worker does, and when that fails too the run ends: what
 * was down for as long as that is not coming back by being asked.  So a breaker
 * changes when something is asked and whether the run goes on, but no decision
 * in the ledger: a fingerprint does not depend on who was faster.
 */
#ifndef AGENT_SHARED_BREAKER_H
#define AGENT_SHARED_BREAKER_H

#include "base/circuit_breaker.h"
#include "base/err.h"
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#define DEPENDENCY_MAX      16
#define DEPENDENCY_NAME_MAX 256

/* A profile: when a breaker opens, and how long a kernel may run. */
struct dependency_profile {
	const char *name;
	struct breaker_conf breaker;
	uint32_t launch_ms; /* 0: the lab's default */
};

/* NULL: no such profile. */
const struct dependency_profile *dependency_profile_find(const char *name);
const char *dependency_profile_names(void); /* for messages */

/* What all workers of a run count together, under its lock. */
struct run_tally {
	pthread_mutex_t lock;
	struct dependency {
		char name[DEPENDENCY_NAME_MAX];
		struct breaker breaker;
	} models[DEPENDENCY_MAX];
	size_t nmodels;
	struct dependency_said {
		char route[DEPENDENCY_NAME_MAX], model[DEPENDENCY_NAME_MAX];
	} said[DEPENDENCY_MAX];
	size_t nsaid;
	bool is_down;      /* nobody asks any more */
	const char *ended; /* why the run ends early, for the ledger, or NULL */
	int64_t tokens, iterations;
	double usd;
	struct tally_pending { /* budget.h's: of attempts that go on */
		int64_t tokens;
		double usd;
	} pending;
	uint64_t before_ms; /* how long the run went on before a resume */
	bool is_unkept;     /* it could not be written when it last was */
	struct why unkept;  /* why not */
	bool is_doubted;    /* it was said that a provider tells too much */
};

struct run;

/*
 * Waits until that model may be asked.  ERR_ENV: the run gave up meanwhile;
 * ERR_CLOSED: the run was asked to stop.
 */
enum err dependency_enter(struct run *run, const char *model,
    struct breaker_pass *ret, struct why *why);
void dependency_ok(struct run *run, const char *model,
    const struct breaker_pass *pass);
/* ERR_ENV: it was the probe. */
enum err dependency_fail(struct run *run, const char *model,
    const struct breaker_pass *pass, const char *class, struct why *why);

/* No model is asked any more: who waits for a breaker waits in vain. */
void dependency_give_up(struct run_tally *t);

/* Did the answers of this route name another model before?  "" says nothing. */
bool dependency_says_another(struct run_tally *t, const char *route,
    const char *model);

#endif
