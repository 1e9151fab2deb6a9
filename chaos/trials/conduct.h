/*
 * Judging a client by what the proxy saw of it: the requests of one run, in
 * the order of their arrival, with what each was answered, and how the
 * client ended.  Pure: a table of rules over that sequence.
 *
 * A call is a request and its retries: attempts with one key, up to and
 * including the first that was answered well.  Times are microseconds on
 * one monotonic clock.
 */
#ifndef CHAOS_CONDUCT_H
#define CHAOS_CONDUCT_H

#include "base/digest.h"
#include "chaos/http/answer_worth.h"
#include "chaos/rules/request_key.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CONDUCT_EVIDENCE_MAX 160

struct conduct_attempt {
	uint64_t arrived_us;
	uint64_t over_us; /* answered, or given up by the client */
	struct answer_worth_head head;
	enum worth worth;      /* of the answer it was given */
	bool is_struck;        /* a fault acted on it */
	bool has_left;         /* the client went away before the end */
	bool has_side_effect;  /* asking twice may do it twice */
	bool has_idempotency;  /* ... but it names an idempotency key */
	bool reached_upstream; /* the fault did not stand in its way */
	bool is_model;         /* a model was asked */
	bool tells_failure;    /* ... and told that its tool failed */
	char key[FACTS_KEY_MAX + 1];
	char credential[DIGEST_HEX]; /* who asked; "": it did not say */
};

/* What was asked for: one of another kind cannot stand in for it. */
enum conduct_kind {
	CONDUCT_MODEL, /* a model's answer */
	CONDUCT_DEED,  /* a tool's */
	CONDUCT_OTHER,
	CONDUCT_NKINDS
};

struct conduct_run {
	const struct conduct_attempt *attempts; /* by arrival */
	size_t n;
	size_t clean_requests; /* of the run without a fault; 0: unknown */
	size_t clean_good[CONDUCT_NKINDS]; /* whole answers that it had */
	size_t tool_calls_max;             /* more are too many; 0: no bound */
	int exit_code;   /* of the client; meaningless when killed */
	int signal;      /* it died of; 0: it did not */
	bool was_killed; /* its deadline passed */
	uint64_t deadline_ms;
	bool is_harmless;    /* the fault left every answer whole and in time */
	bool is_retrying;    /* when it was killed, it waited to ask again */
	bool has_outcome;    /* the client handed something over as an answer */
	bool is_exposed;     /* ... that says itself that it is not whole */
	bool is_recovered;   /* ... that is whole: it has put it together */
	uint32_t timeout_ms; /* the time-out that it was given; 0: its own */
	bool is_pipe;        /* it lost a pipe, which nobody can ask again */
	bool has_crashed;    /* it was killed on the way, and begun again */
	bool is_wrong_state; /* who looked at what it left says so */
	/* Effects against those of a clean run; NULL: there is none such. */
	const char *effect_twice, *effect_lost, *effect_other;
};

struct conduct_rule {
	const char *name;  /* "too_early": for machines */
	const char *title; /* "retried before Retry-After": for people */
	/* 3: a wrong answer or a second deed; 2: no answer where there could
	 * be one; 1: manners towards the server. */
	int severity;
	const char *norm; /* a URL: who says so; NULL: nobody but sense */
	/* True if the run breaks it; evidence says where and by how much. */
	bool (*is_broken)(const struct conduct_run *run,
	    char evidence[CONDUCT_EVIDENCE_MAX]);
};

/* How many answers of each kind were whole. */
void conduct_count_good(const struct conduct_attempt *attempts, size_t n,
    size_t ret[CONDUCT_NKINDS]);

extern const struct conduct_rule conduct_jitter;
size_t conduct_rule_count(void);
const struct conduct_rule *conduct_rule_at(size_t i);

/* "3 attempts, waited 0.5 and 1.0 s, exit 0": what happened, in short. */
void conduct_describe(const struct conduct_run *run,
    char out[CONDUCT_EVIDENCE_MAX]);

/*
 * Across runs: a client whose first waits after an error are all alike has
 * no jitter, and a fleet of it comes back as one.  Fewer than
 * CONDUCT_WAITS_MIN waits say nothing.
 */
#define CONDUCT_WAITS_MIN 4

/* The waits before first retries that no Retry-After named; how many. */
size_t conduct_waits(const struct conduct_run *run, uint64_t *ret_us,
    size_t max);
bool conduct_lacks_jitter(const uint64_t *waits_us, size_t n,
    char evidence[CONDUCT_EVIDENCE_MAX]);

#endif
