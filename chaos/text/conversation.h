/*
 * How far a conversation has come, read from one request to a model: the
 * request holds all that was said before, in every API of dialect.h.  So the
 * turn that it asks for, and what the tools have answered, are decided by its
 * bytes alone, and never by when or how often it came.
 *
 * Where the server keeps the history (previous_response_id), only what the
 * request itself holds can be counted, and one turn before it.
 */
#ifndef CHAOS_CONVERSATION_H
#define CHAOS_CONVERSATION_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

struct conversation {
	size_t turn;      /* that is asked for, from 1; 0: it holds none */
	size_t calls;     /* tool results in all */
	bool is_hidden;   /* what was said before is not in the request */
	bool has_result;  /* a tool's result was said last */
	size_t done;      /* results since the user spoke that did not fail */
	size_t failures;  /* failed ones at the very end */
	bool is_refused;  /* the last one says that it may not be done */
	const char *last; /* its text, borrowed from the request, or NULL */
};

/* request: the body; what is no conversation has turn 0. */
void conversation_read(json_t *request, struct conversation *ret);

#endif
