/*
 * A connection is a request without a head: the engine counts it and chooses
 * as ever, and each shot becomes a toxic.
 */
#include "chaos/connrules.h"

#include <stdlib.h>

#include "base/mem.h"
#include "chaos/engine.h"

#define REASON_HTTP "it acts on HTTP, and this proxy passes bytes"
#define REASON_OVER "the connection ended first"

struct connrules {
	struct facts facts;
	struct shot shots[SHOTS_MAX];
	size_t nshots;
	struct toxic toxics[SHOTS_MAX]; /* borrow from the shots */
	struct toxic_list list;
};

static void
add(struct connrules *c, size_t i)
{
	if (!shot_type(&c->shots[i])->toxic) {
		shot_bypass(&c->shots[i], REASON_HTTP);
		return;
	}
	toxic_of_shot(&c->toxics[i], &c->shots[i]);
	TAILQ_INSERT_TAIL(&c->list, &c->toxics[i], entry);
}

struct connrules *
connrules_new(struct engine *e, const char *proxy, uint64_t now_ms)
{
	struct connrules *c;
	bool settled = false;

	if (!engine_watches(e, proxy) && !engine_has_live(e, proxy))
		return NULL;
	c = xcalloc(1, sizeof *c);
	TAILQ_INIT(&c->list);
	facts_init(&c->facts, proxy, NULL, slice_of(NULL));
	engine_see(e, &c->facts);
	c->nshots = engine_choose(e, &c->facts, ENGINE_CONNECTION, now_ms,
	    c->shots, SHOTS_MAX, &settled);
	for (size_t i = 0; i < c->nshots; i++)
		add(c, i);
	if (c->nshots > 0)
		return c;
	connrules_free(c);
	return NULL;
}

void
connrules_free(struct connrules *c)
{
	if (!c)
		return;
	for (size_t i = 0; i < c->nshots; i++) {
		shot_done(&c->shots[i], REASON_OVER);
		shot_release(&c->shots[i]);
	}
	facts_done(&c->facts);
	free(c);
}

struct toxic_list *
connrules_toxics(struct connrules *c)
{
	return &c->list;
}
