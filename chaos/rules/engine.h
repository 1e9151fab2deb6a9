/*
 * The rules at work: which faults meet a request, within which limits, and
 * whether the goals were reached.  No I/O but the event log; time is an
 * argument.
 *
 * A rule with a fault that acts on the request is decided when the request
 * is there; a rule whose faults all act on the answer is decided when the
 * answer's head is there, because only then it is known which model
 * answered.  The first rule that matches and fires wins, unless it says
 * "also".
 *
 * A connection of a TCP proxy meets rules as a request does: those with a
 * fault that acts on bytes and no condition that only HTTP can meet.  Its key
 * is the proxy's one key of "ordinal", so attempts count connections.
 */
#ifndef CHAOS_ENGINE_H
#define CHAOS_ENGINE_H

#include "chaos/rules/event_log.h"
#include "chaos/rules/liverule.h"
#include "chaos/rules/request_facts.h"
#include "chaos/rules/scenario.h"

#define SHOTS_MAX 32 /* faults on one exchange */

struct engine;

enum engine_point { ENGINE_REQUEST, ENGINE_ANSWER, ENGINE_CONNECTION };

/*
 * One fault of one rule aimed at one exchange.
 *
 *	OPEN --fire, bypass--> SPOKEN --its bytes have left--> LOGGED
 *	  +-------------------- it is over ---------------------^
 *
 * Where faults meet in one answer, what one of them did may be taken away by
 * the next, and how far the first had come by then hangs on when the bytes
 * came.  So what it says is deferred until what it speaks of has left, and is
 * void when that never does.  Alone on an answer it is logged at once.
 */
struct shot {
	struct engine *engine;
	const struct rule *rule;
	struct live_rule *live; /* held; NULL: a rule of the scenario */
	uint64_t *counts;       /* the rule's, borrowed */
	size_t index;           /* of the fault in the rule */
	struct facts *facts;    /* borrowed, lives as long as the exchange */
	struct fire_draw decide;
	bool is_reported, is_active;
	bool is_deferred; /* spoken is not yet logged */
	bool is_noted;    /* a note of it is on its way (stage.h) */
	bool is_logged;
	enum event_result result; /* spoken, with its detail */
	json_t *detail;           /* owned */
	const char *missing;      /* why, if it never speaks; NULL: no words */
	uint64_t due_bytes;       /* of a tap: where on the wire it acted */
};

/* All borrowed.  seed NULL: the scenario's. */
struct engine *engine_new(const struct scenario *s, const char *seed,
    struct events *ev, uint64_t now_ms);
void engine_free(struct engine *e); /* NULL-safe */

/* False if no rule can ever touch this proxy: skip everything below. */
bool engine_watches(const struct engine *e, const char *proxy);

/* What holds for all faults, and where it stands; 0: no limit. */
struct engine_limits {
	int64_t active_max, fires_max, ttl_s;
	uint64_t active, fires; /* faults that act now; that ever acted */
	uint64_t left_ms;       /* until the ttl is over */
	bool is_expired;
};
void engine_limits(const struct engine *e, uint64_t now_ms,
    struct engine_limits *ret);
/* Takes the first three, and renews. */
void engine_set_limits(struct engine *e, const struct engine_limits *l,
    uint64_t now_ms);
void engine_renew(struct engine *e, uint64_t now_ms); /* the ttl begins anew */

/* Rules over the API, asked before the scenario's, each on its own.  The
 * engine holds r until it is removed. */
void engine_add(struct engine *e, struct live_rule *r);
void engine_remove(struct engine *e, struct live_rule *r);
/* The same for a rule of a preset: asked behind the scenario's, like them. */
void engine_add_last(struct engine *e, struct live_rule *r);
void engine_remove_last(struct engine *e, struct live_rule *r);
/* Is there one of either kind for this proxy now? */
bool engine_has_live(const struct engine *e, const char *proxy);

/* Counts the request, or (without a head) the connection: fills attempt and
 * ordinal of f, and knows its key from then on. */
void engine_see(struct engine *e, struct facts *f);

/* The index of the phase that f is in, -1: none. */
int engine_phase(const struct engine *e, const struct facts *f,
    uint64_t now_ms);

/* Was that rule decided for an earlier attempt of the key of f, whatever then
 * became of its faults? */
bool engine_was_decided(const struct engine *e, const struct facts *f,
    const char *rule);

/*
 * Fills shots with the faults decided for this point, in order; *settled
 * becomes true when a rule without "also" fired (and then stays decided).
 */
size_t engine_choose(struct engine *e, struct facts *f, enum engine_point point,
    uint64_t now_ms, struct shot *shots, size_t max, bool *settled);

/*
 * Lets only those faults act that allows() names; the others are bypassed
 * with the reason "left out".  For shrink and explore, which play a part of
 * recorded decisions again.
 */
typedef bool engine_allows(const struct event *e, void *arg);
void engine_only(struct engine *e, engine_allows *allows, void *arg);

/*
 * All ends with that request, by its ordinal: of others no rule is asked any
 * more, and nothing that has not been logged is.  How far they had come is an
 * accident.
 */
void engine_end_with(struct engine *e, uint64_t ordinal);

/* A rule by its index: switched off it does not exist; its counts so far. */
void engine_enable(struct engine *e, size_t rule, bool is_enabled);
bool engine_is_enabled(const struct engine *e, size_t rule);
void engine_counts(const struct engine *e, size_t rule,
    uint64_t ret[GOAL_NCOUNTS]);

/*
 * The faults of one rule that fires whatever it says, for a rule that is not
 * the scenario's; it must live as long as the shots, SHOTS_MAX of them.
 */
size_t engine_aim(struct engine *e, const struct rule *r, struct facts *f,
    uint64_t now_ms, struct shot *shots);

/* Calls fn with each rule that can be asked now, those over the API first. */
void engine_each_rule(const struct engine *e,
    void (*fn)(const struct rule *r, const uint64_t counts[GOAL_NCOUNTS],
        void *arg),
    void *arg);

/* ---- a fault and its shot */

const void *shot_conf(const struct shot *s);
void *shot_state(const struct shot *s); /* fault_type.state_bytes of it */
const struct fault_type *shot_type(const struct shot *s);

/* A parameter, drawn by name. */
uint64_t shot_between(const struct shot *s, const char *draw, uint64_t lo,
    uint64_t hi);

/* Reports that the fault acts now; detail is taken.  False: it must not (a
 * limit is met or the log is broken); the shot is then over. */
bool shot_fire(struct shot *s, json_t *detail);
void shot_bypass(struct shot *s, const char *reason);
/* Why it is bypassed if what it waits for never comes; borrowed. */
void shot_expect(struct shot *s, const char *missing);

/* It has spoken, and is not logged. */
bool shot_is_due(const struct shot *s);
/* What it speaks of has left: it is logged.  False: the log is broken. */
bool shot_left(struct shot *s);

/* The exchange is over: a shot that is not logged is bypassed, with reason if
 * it has none of its own. */
void shot_done(struct shot *s, const char *reason);
/* Nobody will look at the fault's attributes again. */
void shot_release(struct shot *s);

/* ---- at the end */

uint64_t engine_requests(const struct engine *e, size_t proxy); /* it met */

#endif
