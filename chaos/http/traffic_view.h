/*
 * What goes through the proxies, for those who watch: the audit, explore,
 * the control room.  A view is one exchange as it is seen from outside: the
 * request, what the client was given (after all faults), and whether it
 * stayed to the end.
 *
 * Nothing is made while nobody watches.
 */
#ifndef CHAOS_TRAFFIC_VIEW_H
#define CHAOS_TRAFFIC_VIEW_H

#include "base/digest.h"
#include "chaos/http/answer_worth.h"
#include "chaos/http/stage.h"
#include "chaos/rules/request_facts.h"

#define TRAFFIC_VIEW_TEXT_MAX 96

struct traffic;

struct traffic_view {
	uint64_t id; /* of the exchange in its traffic, from 1 */
	const char *proxy;
	char key[FACTS_KEY_MAX + 1];
	uint64_t attempt, ordinal;
	int64_t turn;       /* of a conversation with a model; 0: it is none */
	bool tells_failure; /* the model hears last that its tool failed */
	char method[16], path[TRAFFIC_VIEW_TEXT_MAX];
	char client[TRAFFIC_VIEW_TEXT_MAX]; /* what it calls itself, or "" */
	char model[TRAFFIC_VIEW_TEXT_MAX],
	    op[TRAFFIC_VIEW_TEXT_MAX];    /* "" for none */
	char call[TRAFFIC_VIEW_TEXT_MAX]; /* the method of a JSON-RPC request */
	char idempotency[DIGEST_HEX]; /* of the key that it names; "": none */
	char credential
	    [DIGEST_HEX]; /* of what it names itself by; "": nothing */
	char *effect;     /* what a tool is told to do; owned, NULL: nothing */
	bool asks_stream, has_side_effect, has_idempotency;
	uint64_t arrived_us, head_us, over_us; /* 0: not yet */
	bool reached_upstream, has_left;
	bool is_torn; /* its connection broke under the answer, or before it */
	unsigned fires;               /* faults that acted on it */
	struct answer_worth *reading; /* of what the client was given; owned */
	struct traffic *traffic;      /* private */
};

enum traffic_view_step {
	TRAFFIC_VIEW_ARRIVED,
	TRAFFIC_VIEW_HEAD,
	TRAFFIC_VIEW_OVER,
	TRAFFIC_VIEW_NSTEPS
};

typedef void traffic_watcher(const struct traffic_view *s,
    enum traffic_view_step step, void *arg);

struct traffic *traffic_new(void);
void traffic_free(struct traffic *t); /* NULL-safe */

/* Calls on_step for every step of every exchange from now on, until
 * traffic_unwatch with the same arguments. */
void traffic_watch(struct traffic *t, traffic_watcher *on_step, void *arg);
void traffic_unwatch(struct traffic *t, traffic_watcher *on_step, void *arg);

/* Who watches judges answers by their text: it must come as it is read. */
void traffic_want_text(struct traffic *t);
bool traffic_wants_text(const struct traffic *t); /* NULL-safe */
/* Is it worth while to make views?  NULL: no. */
bool traffic_is_watched(const struct traffic *t);

/* ---- for exchanges.  Every function takes NULL for an unseen one. */
struct traffic_view *traffic_view_new(struct traffic *t, struct facts *f,
    uint64_t now_us);
void traffic_view_free(struct traffic_view *s);
/* The last stage before the sink; it reads what passes.  The stage is the
 * caller's, the view stays borrowed by it. */
struct stage *traffic_view_stage(struct traffic_view *s);
void traffic_view_reached_upstream(struct traffic_view *s);
void traffic_view_over(struct traffic_view *s, const struct facts *f,
    bool has_left, uint64_t now_us);

#endif
