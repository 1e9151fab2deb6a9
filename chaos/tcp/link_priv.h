/*
 * What the parts of link.h share: how a link begins and ends (link.c), and
 * how bytes pass through it (link_flow.c).
 */
#ifndef CHAOS_LINK_PRIV_H
#define CHAOS_LINK_PRIV_H

#include "chaos/http/toxic_tap.h"
#include "chaos/tcp/conduit.h"
#include "chaos/tcp/link.h"
#include <event2/event.h>
#include <event2/event_struct.h>

struct side {
	int fd;        /* owned; -1: closed */
	bool has_said; /* the end of its stream was read */
	bool is_full;  /* `writable` is armed */
	struct event readable, writable;
};

struct direction {
	struct link *link;
	enum toxic_stream stream;
	struct side *from, *to;
	struct tap_chain *chain;  /* owned */
	struct conduit *conduit;  /* owned; NULL: not bulk */
	bool is_never_bulk;       /* there was no conduit to be had */
	struct chunk_queue out;   /* leaves after what the conduit holds */
	size_t out_bytes, out_at; /* of both; out_at: sent of the first chunk */
	bool is_read_over, end_wanted, close_wanted, is_over;
	uint64_t *received, *sent; /* the proxy's, or these: */
	uint64_t late_received, late_sent;
};

struct link {
	struct loop *loop;
	struct side client, upstream;
	struct direction dirs[TOXIC_NSTREAMS];
	struct resolve_answer *dialling; /* owned; NULL: no more to try */
	struct resolve_answer *redial;   /* owned; NULL: none wanted */
	size_t dialled;
	bool is_connected, is_dead, is_strict;
	bool has_begun;    /* somebody has said something */
	bool is_leaving;   /* dead, but for a client that may still talk */
	size_t left_bytes; /* what it said then */
	bool is_answered;  /* the last bytes came from the upstream */
	uint64_t *received, *sent;
	struct event reaper;
	struct event
	    hush; /* armed: the client has said its last, into a hole */
	void (*on_over)(struct link *l, void *arg);
	void *arg;
};

/* link.c */
void link_close(struct link *l, bool is_reset);
void link_leave(struct link *l);
void link_leave_on(struct link *l, short what); /* while it is leaving */
void link_dial(struct link *l);
void side_close(struct side *s, bool is_reset);

/* link_flow.c */
extern const struct tap_chain_ops link_chain_ops;
void link_on_readable(evutil_socket_t fd, short what, void *arg);
void link_on_writable(evutil_socket_t fd, short what, void *arg);
/* Nothing can come out of it any more, but for toxics that are removed. */
void link_close_if_spent(struct link *l);
void link_on_hush(evutil_socket_t fd, short what, void *arg);
/* The upstream's socket has just been connected. */
void link_begin_flow(struct link *l);

#endif
