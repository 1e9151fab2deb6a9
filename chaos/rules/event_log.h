/*
 * The event log: one hash-chained line (base/chained_journal.h) for each fault
 * that fired or was bypassed, on file before the bytes it speaks of leave.
 *
 * When the log cannot be written the proxy stops injecting, says so once,
 * and goes on proxying: an unrecorded fault would be a lie.
 */
#ifndef CHAOS_EVENT_LOG_H
#define CHAOS_EVENT_LOG_H

#include "base/digest.h"
#include "base/err.h"
#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

struct events;

enum event_result { EVENT_FIRED, EVENT_BYPASSED, EVENT_NRESULTS };

struct event { /* borrowed */
	const char *rule, *fault, *proxy, *key;
	uint64_t attempt;
	enum event_result result;
	bool follows_clock; /* it is outside the run hash */
};

/* path NULL: nothing is kept but the run hash. */
enum err events_open(const char *path, struct events **ret, struct why *why);
/* The log is complete: its closing line, unless it is broken. */
void events_end(struct events *ev);
void events_close(struct events *ev); /* NULL-safe */

/*
 * Adds a line with the event and the members of detail (taken; may be NULL).
 * False when the log is broken: then the fault must not act.
 */
bool events_add(struct events *ev, const struct event *e, json_t *detail);

/* Calls on_line with each line that is added, from now on; NULL: nobody. */
void events_watch(struct events *ev, void (*on_line)(json_t *line, void *arg),
    void *arg);

bool events_are_broken(const struct events *ev);
uint64_t events_count(const struct events *ev);
void events_run_hash(const struct events *ev, char out[DIGEST_HEX]);

#endif
