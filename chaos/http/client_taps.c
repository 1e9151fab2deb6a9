/*
 * A chain of taps whose way out is the client's connection.
 */
#include "chaos/http/client_taps.h"

#include <stdlib.h>

#include "base/mem.h"
#include "chaos/http/exchange.h"
#include "chaos/http/toxic.h"
#include "chaos/http/toxic_tap.h"

#define HELD_MAX ((size_t)1 << 20) /* past it the source is paused */

struct wire {
	struct exchange *x; /* borrowed */
	struct tap_chain *chain;
	struct toxic toxics[SHOTS_MAX]; /* of rules */
	size_t n;
	struct note {
		struct shot *shot;
		uint64_t at;
	} notes[SHOTS_MAX]; /* of stages; those of taps know their own place */
	size_t nnotes;
	uint64_t in, out;        /* bytes */
	bool is_whole, is_ended; /* all bytes are in; their end, too */
	enum item_end end;
};

/* ---- notes */

static void
look_at(struct wire *w, struct shot *s, uint64_t at)
{
	if (shot_is_due(s) && w->out >= at)
		exchange_left(w->x, s);
}

static void
look_at_notes(struct wire *w)
{
	for (size_t i = 0; i < w->nnotes; i++)
		look_at(w, w->notes[i].shot, w->notes[i].at);
	for (size_t i = 0; i < w->n; i++)
		look_at(w, w->toxics[i].shot, w->toxics[i].shot->due_bytes);
}

void
wire_note(struct wire *w, struct shot *s, size_t more)
{
	w->notes[w->nnotes++] = (struct note){ s, w->in + more };
	look_at_notes(w);
}

/* ---- the way out */

/* The exchange is over then. */
static void
finish(struct wire *w, enum item_end end)
{
	struct serve_call *call;

	look_at_notes(w);
	call = exchange_call(w->x);
	if (!call)
		return;
	if (end == ITEM_END_CLEAN)
		serve_raw_done(call);
	else
		serve_abort(call,
		    end == ITEM_END_RST ? SERVE_END_RST : SERVE_END_FIN);
	exchange_finished(w->x);
}

static void
on_chunk(struct chunk *c, void *arg)
{
	struct wire *w = arg;
	struct serve_call *call = exchange_call(w->x);

	if (call && serve_raw(call, c->data, c->n) == ERR_AGAIN)
		exchange_pause(w->x);
	w->out += c->n;
	free(c);
	look_at_notes(w);
}

static bool
ends_connection(const struct wire *w)
{
	for (size_t i = 0; i < w->n; i++)
		if (w->toxics[i].fault.type->toxic->ends_connection &&
		    w->toxics[i].shot->is_active)
			return true;
	return false;
}

static void
on_end(void *arg)
{
	struct wire *w = arg;

	/* The fault promised an end of the connection: without this the client
	 * would keep it open for its next request. */
	if (w->end == ITEM_END_CLEAN && ends_connection(w))
		w->end = ITEM_END_FIN;
	finish(w, w->end);
}

/* A fault closed it: the client did not get all. */
static void
cut(struct wire *w, enum item_end end)
{
	exchange_was_cut(w->x);
	finish(w, end);
}

static void
on_close(bool is_reset, void *arg)
{
	cut(arg, is_reset ? ITEM_END_RST : ITEM_END_FIN);
}

static void
on_close_when_sent(void *arg)
{
	cut(arg, ITEM_END_FIN);
}

static void
on_held(void *arg)
{
	struct wire *w = arg;

	/* Half of the bound at which the source is paused, so that it does not
	 * stop and go with every chunk. */
	if (tap_chain_held(w->chain) < HELD_MAX / 2)
		exchange_drain(w->x);
}

/* Now and not when the end leaves: a client that has the whole answer may be
 * gone by then, and what it was given is the same. */
static void
on_end_met(void *arg)
{
	look_at_notes(arg);
}

static const struct tap_chain_ops ops = { on_chunk, on_end, on_close,
	on_close_when_sent, on_held, on_end_met };

struct wire *
wire_new(struct exchange *x)
{
	struct wire *w = xcalloc(1, sizeof *w);

	w->x = x;
	w->chain = tap_chain_new(
	    &(struct tap_chain_conf){ .base = loop_base(exchange_loop(x)),
	        .ops = &ops,
	        .arg = w });
	return w;
}

void
wire_free(struct wire *w)
{
	if (!w)
		return;
	tap_chain_free(w->chain);
	free(w);
}

void
wire_add(struct wire *w, struct shot *s)
{
	struct toxic *t = &w->toxics[w->n++];

	toxic_of_shot(t, s);
	tap_chain_add(w->chain, t);
}

enum err
wire_bytes(struct wire *w, const void *p, size_t n)
{
	const char *bytes = p;

	while (n) {
		size_t piece = n < CHUNK_MAX ? n : CHUNK_MAX;

		w->in += piece;
		tap_chain_feed(w->chain, chunk_new(bytes, piece));
		bytes += piece;
		n -= piece;
	}
	return tap_chain_held(w->chain) > HELD_MAX ? ERR_AGAIN : ERR_OK;
}

void
wire_is_whole(struct wire *w)
{
	w->is_whole = true;
}

void
wire_end(struct wire *w, enum item_end end)
{
	w->is_ended = true;
	w->end = end;
	tap_chain_end(w->chain);
}

void
wire_over(struct wire *w)
{
	if (w && w->is_whole && !w->is_ended)
		wire_end(w, ITEM_END_CLEAN);
}
