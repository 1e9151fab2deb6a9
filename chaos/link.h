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
#include "chaos/decide.h"
#include "chaos/toxic.h"
#include <sys/socket.h>

struct link;

struct link_conf { /* borrowed for the call, texts for the link's life */
	struct loop *loop;
	int client_fd; /* taken over, non-blocking */
	const struct sockaddr *upstream;
	socklen_t upstream_len;
	struct decide decide;
	const struct toxic_list *toxics; /* one list a stream */
	uint64_t *received, *sent;       /* counters, one a stream */
	void (*on_over)(struct link *l, void *arg);
	void *arg;
};

struct link *link_new(const struct link_conf *conf);
void link_free(struct link *l); /* at once, no on_over; NULL-safe */
void link_add(struct link *l, const struct toxic *t);
void link_remove(struct link *l, const struct toxic *t);
void link_change(struct link *l, const struct toxic *t);

#endif
