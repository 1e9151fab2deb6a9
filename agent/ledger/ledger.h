/*
 * The ledger: what happened to every attempt, in lines that only move
 * forward.
 *
 *	attempted -> generated -> compiled -> smoke_passed
 *	smoke_passed -> verified_correct | verified_incorrect
 *	verified_correct -> perf_measured
 *	attempted, generated, compiled, smoke_passed -> abandoned
 *
 * No other transition exists.  An iteration starts (attempted) only when it
 * is the operator's first, or when the one before it failed; iterations count
 * from 1.  Lines are hash-chained and on the disk before the next step.
 *
 * `attempted` may carry seed_commit; whatever reveals a seed later in that
 * iteration must reveal that one, and a verdict must reveal it.
 *
 * Several workers may append to one ledger and ask it, each for operators of
 * its own; ledger_count and ledger_at are for when they are done.
 *
 * A ledger is a file (ledger_open), a file read by somebody else
 * (ledger_read) or only in memory (ledger_new); the rules are the same.
 */
#ifndef AGENT_LEDGER_H
#define AGENT_LEDGER_H

#include "base/err.h"
#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#define LEDGER_ITERATION_MAX 1000
#define LEDGER_LINES_MAX     20000
#define LEDGER_OP_MAX        64  /* bytes of an operator's name */
#define LEDGER_REVEAL_HEX    128 /* digits of seed and nonce */

enum ledger_state {
	LEDGER_NONE, /* before the first line */
	LEDGER_ATTEMPTED,
	LEDGER_GENERATED,
	LEDGER_COMPILED,
	LEDGER_SMOKE_PASSED,
	LEDGER_VERIFIED_CORRECT,
	LEDGER_VERIFIED_INCORRECT,
	LEDGER_PERF_MEASURED,
	LEDGER_ABANDONED,
	LEDGER_NSTATES
};

const char *ledger_state_name(enum ledger_state s);
/* For people: "verified_incorrect" is told as "proved wrong", so that no
 * rendering of a failure holds the words of a claim. */
const char *ledger_state_label(enum ledger_state s);
/* LEDGER_NSTATES for a name that is none. */
enum ledger_state ledger_state_find(const char *name);
bool ledger_may(enum ledger_state from, enum ledger_state to);
/* Did an iteration in this state end without success? */
bool ledger_has_failed(enum ledger_state s);
/* verified_correct or what can only follow it. */
bool ledger_is_verified(enum ledger_state s);

/* One transition to record. */
struct ledger_step {
	const char *op;
	unsigned iteration;
	enum ledger_state state;
	const char *route;
	json_t *extra; /* what the state adds; borrowed, may be NULL */
};

struct ledger_entry {
	const char *op; /* borrowed from line, as route */
	const char *route;
	unsigned iteration;
	enum ledger_state state;
	json_t *line; /* owned by the ledger */
};

struct ledger;

struct ledger *ledger_new(void);

/*
 * Opens for appending, made when missing.  A torn last line is cut,
 * *ret_cut_bytes says how much of it there was.  ERR_SYNTAX: the chain is
 * broken or holds an illegal transition.
 */
enum err ledger_open(const char *path, struct ledger **ret,
    size_t *ret_cut_bytes, struct why *why);

/* Reads and proves a whole ledger; the file stays as it is. */
enum err ledger_read(const char *path, struct ledger **ret, struct why *why);
void ledger_free(struct ledger *l); /* NULL-safe */

/*
 * Records a transition.  ERR_STATE when it is illegal: refused, logged, and
 * nothing has changed.  ERR_SYNTAX when extra holds a key of the ledger's
 * own.  ERR_IO when it could not be made durable.
 */
enum err ledger_append(struct ledger *l, const struct ledger_step *step,
    struct why *why);

/*
 * Closes the file's journal: nothing follows.  word: why the run ends before
 * its time, as ledger_ended gives it; NULL: it does not.  ERR_IO.
 */
enum err ledger_end(struct ledger *l, const char *word, struct why *why);
/* The word of the last line, or "". */
const char *ledger_ended(const struct ledger *l);
/* Of the line that closed the ledger behind its first n lines, whether it was
 * gone on with or not; "": none did, or it says no word. */
const char *ledger_ended_behind(const struct ledger *l, size_t n);

/* Does the file end with the line that closes it? */
bool ledger_is_closed(const struct ledger *l);

/*
 * The hash of a record that changed behind its last line (its audit came): the
 * next line of any operator tells it, or the closing one.  ledger_bound gives
 * the last that was told of an attempt; NULL: none.  Borrowed, until another
 * one is bound.
 */
void ledger_bind(struct ledger *l, const char *op, unsigned iteration,
    const char *record_sha256);
const char *ledger_bound(const struct ledger *l, const char *op,
    unsigned iteration);

size_t ledger_count(const struct ledger *l);
const struct ledger_entry *ledger_at(const struct ledger *l, size_t i);

/* The line of that attempt that reached s; NULL: none. */
const struct ledger_entry *ledger_find(const struct ledger *l, const char *op,
    unsigned iteration, enum ledger_state s);
/* What that attempt committed to; NULL: nothing.  Borrowed. */
const char *ledger_commit(const struct ledger *l, const char *op,
    unsigned iteration);

/* The last iteration of op (0: none) and its state (LEDGER_NONE: none). */
unsigned ledger_iteration(const struct ledger *l, const char *op);
enum ledger_state ledger_state(const struct ledger *l, const char *op);

#endif
