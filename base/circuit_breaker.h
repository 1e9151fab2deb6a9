/*
 * Circuit breaker for one thing that others depend on.
 *
 *	CLOSED --fails_max failures within window_ms--> OPEN
 *	OPEN   --hold_ms--> HALF: one probe may pass
 *	HALF   --success--> CLOSED,  HALF --failure--> OPEN
 *
 * The breaker owns no timer: the caller passes the time, so the tests need
 * no clock and replays are exact.
 */
#ifndef BASE_CIRCUIT_BREAKER_H
#define BASE_CIRCUIT_BREAKER_H

#include <stdbool.h>
#include <stdint.h>

enum breaker_state {
	BREAKER_CLOSED,
	BREAKER_OPEN,
	BREAKER_HALF,
	BREAKER_NSTATES
};

struct breaker_conf {
	int64_t fails_max; /* 0: never opens */
	int64_t window_ms; /* failures older than this are forgotten */
	int64_t hold_ms;
	bool demotes; /* open means last in the list, not refused */
};

#define BREAKER_FAILS_MAX 32

/*
 * What an attempt was let in as.  An answer to a question that was asked
 * before the state changed says nothing about the state: only the probe
 * closes a half-open breaker, or opens it again.
 */
struct breaker_pass {
	unsigned epoch;
	bool is_probe;
};

struct breaker {
	struct breaker_conf conf;
	enum breaker_state state;
	uint64_t open_until_ms;
	bool is_probing; /* HALF: the probe is out */
	unsigned n;      /* failures remembered, CLOSED */
	uint64_t fails_ms[BREAKER_FAILS_MAX];
	unsigned opened; /* how often, for the metrics */
	unsigned epoch;  /* changes of state so far */
};

/* "production": 3 in 30 s, open 30 s; "demo": 2, 8 s; "truefoundry": 2 in
 * 2 minutes, then last in the list.  False: no such preset. */
bool breaker_preset(const char *name, struct breaker_conf *ret);

void breaker_init(struct breaker *b, const struct breaker_conf *conf);

/* Whether a request may pass now; passing as the probe takes the probe.  *pass
 * belongs to the attempt, also when it is made all the same. */
bool breaker_enter(struct breaker *b, uint64_t now_ms,
    struct breaker_pass *pass);
/* The same without taking anything. */
bool breaker_is_open(const struct breaker *b, uint64_t now_ms);
void breaker_ok(struct breaker *b, const struct breaker_pass *pass,
    uint64_t now_ms);
/* retry_after_ms lengthens the hold when it is longer; -1 for none. */
void breaker_fail(struct breaker *b, const struct breaker_pass *pass,
    uint64_t now_ms, int64_t retry_after_ms);
/* The request ended without a verdict (its client went): give the probe
 * back. */
void breaker_leave(struct breaker *b, const struct breaker_pass *pass);

const char *breaker_state_name(enum breaker_state s);

#endif
