/*
 * What a stand-in for a model and for a tool server says, so that a client
 * can be tried without a key, a network or a scenario.  Pure and
 * deterministic: equal requests get equal answers.
 *
 * As a model it talks, calls the tools it is offered (as many calls as it is
 * told to make, with arguments made from the tool's schema), fills in a
 * response format, and embeds.  It reacts to what a tool answered: a failure
 * is tried once more, a refusal is taken, and what was said last is quoted.  As
 * a tool server (JSON-RPC, MCP over HTTP) it has one tool, which takes a note.
 */
#ifndef CHAOS_STANDIN_H
#define CHAOS_STANDIN_H

#include <jansson.h>

/* A model's reply to a request of any API (dialect.h). */
struct standin_reply {
	char *content;   /* owned; NULL when it calls a tool */
	char *tool;      /* owned: the name of the tool it calls, or NULL */
	char *arguments; /* owned: JSON */
	size_t call;     /* the number of that call in the conversation */
};

/* calls_max: how many calls it makes before it answers in words; where the
 * request does not hold what was said before, one. */
void standin_chat(json_t *request, size_t calls_max, struct standin_reply *ret);
void standin_reply_done(struct standin_reply *r); /* NULL-safe */

/* An embeddings answer; owned. */
json_t *standin_embeddings(json_t *request);

/* The answer to a JSON-RPC request; owned; NULL: it was a notification. */
json_t *standin_rpc(json_t *request);

#endif
