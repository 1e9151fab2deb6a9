/*
 * A connection is a request without a head: the engine counts it and chooses
 * as ever, and each shot becomes a toxic.
 */
#include "chaos/tcp/connection_rules.h"

#include <stdlib.h>

#include "base/mem.h"
#include "chaos/rules/engine.h"

#define REASON_HTTP "it acts on HTTP, and this proxy passes bytes"
#define REASON_OVER "the connection ended first"

struct act {
	struct shot shot;
	struct toxic toxic; /* borrows from the shot */
};

struct connrules {
	struct facts facts;
	struct act *acts; /* owned */
	size_t nacts;
	struct toxic_list list;
};

static void
act_begin(struct connrules *c, struct act *a, const struct shot *chosen)
{
	a->shot = *chosen;
	if (!shot_type(&a->shot)->toxic) {
		shot_bypass(&a->shot, REASON_HTTP);
		return;
	}
	toxic_of_shot(&a->toxic, &a->shot);
	TAILQ_INSERT_TAIL(&c->list, &a->toxic, entry);
}

/* Most connections are left alone: room is made for what was chosen. */
struct connrules *
connrules_new(struct engine *e, const char *proxy, uint64_t now_ms)
{
	struct shot chosen[SHOTS_MAX];
	struct connrules *c;
	bool settled = false;

	if (!engine_watches(e, proxy) && !engine_has_live(e, proxy))
		return NULL;
	c = xcalloc(1, sizeof *c);
	TAILQ_INIT(&c->list);
	facts_init(&c->facts, proxy, NULL, slice_of(NULL));
	engine_see(e, &c->facts);
	c->nacts = engine_choose(e, &c->facts, ENGINE_CONNECTION, now_ms,
	    chosen, SHOTS_MAX, &settled);
	if (c->nacts == 0) {
		connrules_free(c);
		return NULL;
	}
	c->acts = xcalloc(c->nacts, sizeof *c->acts);
	for (size_t i = 0; i < c->nacts; i++)
		act_begin(c, &c->acts[i], &chosen[i]);
	return c;
}

void
connrules_free(struct connrules *c)
{
	if (!c)
		return;
	for (size_t i = 0; i < c->nacts; i++) {
		shot_done(&c->acts[i].shot, REASON_OVER);
		shot_release(&c->acts[i].shot);
	}
	facts_done(&c->facts);
	free(c->acts);
	free(c);
}

struct toxic_list *
connrules_toxics(struct connrules *c)
{
	return &c->list;
}
