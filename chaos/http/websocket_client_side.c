/*
 * The chain of a client's side.  Its last stage hands bytes to the source and
 * notes to the exchange, as the sink does on the way back.
 */
#include "chaos/http/websocket_client_side.h"

#include <stdlib.h>

#include "base/mem.h"
#include "chaos/http/exchange.h"

#define END_WAIT_US 2000000 /* for an upstream that has lost its client */

struct clientside {
	struct stage *stages[SHOTS_MAX]; /* owned */
	size_t n;
	struct stage last;
};

void
clientside_say(struct exchange *x, const char *p, size_t n)
{
	void *arg;
	const struct source_ops *source = exchange_source(x, &arg);

	if (source && source->send && source->send(arg, p, n) == ERR_AGAIN)
		exchange_hold_client(x, true);
}

static void
reset_source(struct exchange *x)
{
	void *arg;
	const struct source_ops *source = exchange_source(x, &arg);

	if (source && source->reset)
		source->reset(arg);
}

static void
on_end(struct exchange *x, enum item_end end)
{
	switch (end) {
	case ITEM_END_CLEAN:
		clientside_say(x, NULL, 0);
		return;
	case ITEM_END_FIN:
		clientside_say(x, NULL, 0);
		break;
	case ITEM_END_CLOSE:
		/* Who has said Close waits for the other's, and for the end of
		 * the connection (RFC 6455, 7.1.1). */
		break;
	case ITEM_END_RST:
		reset_source(x);
		exchange_end(x, ITEM_END_RST);
		return;
	}
	if (exchange_call(x))
		exchange_end_later(x, END_WAIT_US, ITEM_END_FIN);
}

static void
on_item(struct stage *st, const struct item *it)
{
	struct exchange *x = st->exchange;

	if (it->kind == ITEM_NOTE)
		exchange_left(x, it->shot);
	else if (it->kind == ITEM_END)
		on_end(x, it->end);
	else
		clientside_say(x, it->raw.p, it->raw.n);
}

static const struct stage_ops last_ops = { .on_item = on_item };

struct clientside *
clientside_new(struct exchange *x)
{
	struct clientside *c = xcalloc(1, sizeof *c);

	c->last.ops = &last_ops;
	c->last.exchange = x;
	return c;
}

void
clientside_free(struct clientside *c)
{
	if (!c)
		return;
	for (size_t i = 0; i < c->n; i++)
		c->stages[i]->ops->free(c->stages[i]);
	free(c);
}

void
clientside_add(struct clientside *c, struct stage *st)
{
	st->exchange = c->last.exchange;
	st->next = &c->last;
	if (c->n)
		c->stages[c->n - 1]->next = st;
	c->stages[c->n++] = st;
}

void
clientside_bytes(struct clientside *c, const char *p, size_t n)
{
	struct item it = { .kind = n ? ITEM_BYTES : ITEM_END, .raw = { p, n } };

	c->stages[0]->ops->on_item(c->stages[0], &it);
}
