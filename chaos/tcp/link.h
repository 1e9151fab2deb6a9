/*
 * One TCP connection through a proxy: a client's side, an upstream's side,
 * and in each direction a chain of taps between reading and writing.
 *
 * A half-close passes as a half-close, a reset as a reset.  What one side
 * does not take stops us reading from the other, so a connection holds at
 * most a bounded number of bytes.  A link frees itself from the loop, after
 * on_over.
 */
#ifndef CHAOS_LINK_H
#define CHAOS_LINK_H

#include "base/loop.h"
#include "base/resolve.h"
#include "chaos/http/toxic.h"
#include "chaos/rules/fire_draw.h"

struct link;

struct link_conf { /* borrowed for the call, texts for the link's life */
	struct loop *loop;
	int client_fd; /* taken over, non-blocking, without Nagle */
	const struct resolve_answer *upstream; /* tried in order */
	struct fire_draw decide;
	/* As the original Toxiproxy: a half-close closes that side whole, and
	 * the counters move when the connection ends. */
	bool is_strict;
	const struct toxic_list *toxics; /* one list a stream */
	const struct toxic_list *own;    /* towards the client; NULL: none */
	uint64_t *received, *sent;       /* counters, one a stream */
	struct delay_error *late;        /* of what toxics delayed */
	void (*on_over)(struct link *l, void *arg);
	void *arg;
};

struct link *link_new(const struct link_conf *conf);
void link_free(struct link *l); /* at once, no on_over; NULL-safe */
void link_add(struct link *l, const struct toxic *t);
void link_remove(struct link *l, const struct toxic *t);
void link_change(struct link *l, const struct toxic *t);

/*
 * From the client's next HTTP request on, the upstream is another one: what
 * was asked before is answered by the old one, and no byte is lost.  A turn
 * begins with bytes of the client after bytes of the upstream; bytes that do
 * not look like a request leave everything as it is.
 */
void link_redial(struct link *l, const struct resolve_answer *to);

#endif
