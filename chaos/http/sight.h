/*
 * What goes through the proxies, for those who watch: the audit, explore,
 * the control room.  A sight is one exchange as it is seen from outside: the
 * request, what the client was given (after all faults), and whether it
 * stayed to the end.
 *
 * Nothing is made while nobody watches.
 */
#ifndef CHAOS_SIGHT_H
#define CHAOS_SIGHT_H

#include "chaos/http/reading.h"
#include "chaos/http/stage.h"
#include "chaos/rules/facts.h"

#define SIGHT_TEXT_MAX 96

struct traffic;

struct sight {
	uint64_t id; /* of the exchange in its traffic, from 1 */
	const char *proxy;
	char key[FACTS_KEY_MAX + 1];
	uint64_t attempt, ordinal;
	char method[16], path[SIGHT_TEXT_MAX];
	char model[SIGHT_TEXT_MAX], op[SIGHT_TEXT_MAX]; /* "" for none */
	char call[SIGHT_TEXT_MAX]; /* the method of a JSON-RPC request */
	bool asks_stream, has_side_effect, has_idempotency;
	uint64_t arrived_us, head_us, over_us; /* 0: not yet */
	bool reached_upstream, has_left;
	unsigned fires;          /* faults that acted on it */
	struct reading *reading; /* of what the client was given; owned */
	struct traffic *traffic; /* private */
};

enum sight_step { SIGHT_ARRIVED, SIGHT_HEAD, SIGHT_OVER, SIGHT_NSTEPS };

typedef void traffic_watcher(const struct sight *s, enum sight_step step,
    void *arg);

struct traffic *traffic_new(void);
void traffic_free(struct traffic *t); /* NULL-safe */

/* Calls on_step for every step of every exchange from now on, until
 * traffic_unwatch with the same arguments. */
void traffic_watch(struct traffic *t, traffic_watcher *on_step, void *arg);
void traffic_unwatch(struct traffic *t, traffic_watcher *on_step, void *arg);

/* Is it worth while to make sights?  NULL: no. */
bool traffic_is_watched(const struct traffic *t);

/* ---- for exchanges.  Every function takes NULL for an unseen one. */
struct sight *sight_new(struct traffic *t, struct facts *f, uint64_t now_us);
void sight_free(struct sight *s);
/* The last stage before the sink; it reads what passes.  The stage is the
 * caller's, the sight stays borrowed by it. */
struct stage *sight_stage(struct sight *s);
void sight_reached_upstream(struct sight *s);
void sight_over(struct sight *s, const struct facts *f, bool has_left,
    uint64_t now_us);

#endif
