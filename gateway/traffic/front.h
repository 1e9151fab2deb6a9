/*
 * The door: which of a few paths a request asks for, and the answers that
 * need no upstream (models, refusals).  Chat completions become calls.
 */
#ifndef GATEWAY_FRONT_H
#define GATEWAY_FRONT_H

#include "gateway/exchange/answer_stamp.h"
#include "gateway/routing/auth.h"

struct gateway;

/*
 * Who hears of what happens to a request that is answered later.  What
 * serve_set_data gets begins with a pointer to one of these.
 */
struct front_work {
	void (*on_gone)(struct serve_call *c, enum serve_gone why, void *arg);
	void (*on_drain)(struct serve_call *c, void *arg);
};

/* For serve_new; arg is the struct gateway. */
extern const struct serve_ops front_ops;

/* Refuses and counts it. */
void front_refuse(struct gateway *g, struct serve_call *sc,
    const struct answer_stamp_error *e, const struct answer_stamp *extra);
/* A 405; allowed: the methods that there are, "GET, POST". */
void front_refuse_method(struct gateway *g, struct serve_call *sc,
    const char *allowed);

/* True: the request may not come in by that door and is answered; shared with
 * the admin. */
bool front_refuse_stranger(struct gateway *g, struct serve_call *sc,
    const struct auth_door *door);

/* The answer to a request that could not be read; shared with the admin. */
void front_on_refuse(struct serve_call *sc, int status, const char *reason,
    void *arg);

#endif
