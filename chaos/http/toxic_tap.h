/*
 * A toxic at work on one direction of one TCP connection.
 *
 * Data moves in chunks as read, at most 32 KiB.  The taps of a direction form
 * a chain in the order in which their toxics were made; what leaves the last
 * one is written to the other side (link.h).
 *
 * A tap is a queue: each chunk, and the end of the stream behind the last
 * one, leaves when it is due and everything before it has left.  A kind of
 * toxic only says when chunks are due, cuts them up or drops them; a toxic
 * that is removed or switched off lets go of what waits, at once and in
 * order, so no byte is lost.
 */
#ifndef CHAOS_TOXIC_TAP_H
#define CHAOS_TOXIC_TAP_H

#include "chaos/rules/fire_draw.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/queue.h>

#define CHUNK_MAX 32768

struct delay_error;
struct link;
struct tap;
struct tap_chain;
struct toxic;

struct chunk {
	STAILQ_ENTRY(chunk) entry;
	uint64_t due_us;
	size_t n;
	char data[];
};

struct chunk *chunk_new(const char *p, size_t n);

STAILQ_HEAD(chunk_queue, chunk);

/* What makes a fault usable as a toxic; a field of struct fault_type. */
struct toxic_ops {
	/* It says itself when it acts, by tap_strike(); else from the start. */
	bool strikes_late;
	/* An answer that it acts on is the last of its connection. */
	bool ends_connection;
	/* Nothing that it takes ever leaves, not even the end. */
	bool swallows;
	void (*on_start)(struct tap *t); /* NULL: nothing */
	/* Takes the chunk: tap_queue(), or frees it.  NULL: due now. */
	void (*on_chunk)(struct tap *t, struct chunk *c);
	/* NULL: due now. */
	void (*on_end)(struct tap *t);
	/* The deadline set with tap_set_deadline has passed. */
	void (*on_deadline)(struct tap *t);
	void (*on_change)(struct tap *t); /* attributes changed; or NULL */
	void (*on_stop)(struct tap *t);   /* removed; or NULL */
};

/* ---- for toxics */
const void *tap_conf(const struct tap *t);
uint64_t tap_now_us(const struct tap *t);
uint64_t tap_started_us(const struct tap *t);
/* It acts now: reports it, once, when it is a rule's.  False: it must not. */
bool tap_strike(struct tap *t);
/* The same, at a byte of its direction: not before that has left. */
bool tap_strike_at(struct tap *t, uint64_t bytes);
/* A fresh draw between lo and hi, repeatable from seed and connection. */
uint64_t tap_between(struct tap *t, uint64_t lo, uint64_t hi);
void tap_queue(struct tap *t, struct chunk *c, uint64_t due_us);
void tap_queue_end(struct tap *t, uint64_t due_us);
void tap_hold(struct tap *t, struct chunk *c);        /* until it is removed */
void tap_hold_end(struct tap *t);                     /* the same */
void tap_set_deadline(struct tap *t, uint64_t at_us); /* 0: none */
/* Two numbers of the toxic's own for this direction, zero at the start. */
uint64_t *tap_counter(struct tap *t, size_t i);
/* Did the toxic exist before the connection? */
bool tap_is_original(const struct tap *t);
/* Must it behave as the original Toxiproxy does, defects included? */
bool tap_is_strict(const struct tap *t);
void tap_close(struct tap *t);           /* the connection, at once */
void tap_reset(struct tap *t);           /* the same with a reset */
void tap_close_when_sent(struct tap *t); /* after all that left the chain */

/* ---- for links: the chain of one direction */

struct tap_chain_ops {
	void (*on_chunk)(struct chunk *c, void *arg); /* taken */
	void (*on_end)(void *arg);
	void (*on_close)(bool is_reset, void *arg);
	void (*on_close_when_sent)(void *arg);
	void (*on_held)(void *arg); /* fewer bytes wait than before */
	/* The end came to a toxic that does something to it; NULL: nobody asks */
	void (*on_end_met)(void *arg);
};

struct event_base;

struct tap_chain_conf { /* all borrowed; draws are made from decide */
	struct event_base *base;
	struct fire_draw decide;
	bool is_strict;
	struct delay_error *late; /* counts delayed chunks; NULL: nobody asks */
	const struct tap_chain_ops *ops;
	void *arg;
};

struct tap_chain *tap_chain_new(const struct tap_chain_conf *conf);
void tap_chain_free(struct tap_chain *c);
/* From now on, toxics that are added are not original. */
void tap_chain_open(struct tap_chain *c);
void tap_chain_add(struct tap_chain *c, const struct toxic *toxic);
void tap_chain_remove(struct tap_chain *c, const struct toxic *toxic);
void tap_chain_change(struct tap_chain *c, const struct toxic *toxic);
void tap_chain_feed(struct tap_chain *c, struct chunk *chunk); /* taken */
void tap_chain_end(struct tap_chain *c);
/* Does a toxic swallow whatever comes, for as long as it is there? */
bool tap_chain_swallows(const struct tap_chain *c);
bool tap_chain_is_empty(const struct tap_chain *c); /* no taps at all */
size_t tap_chain_held(const struct tap_chain *c);   /* bytes that wait */

#endif
