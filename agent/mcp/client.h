/*
 * A client of a kernel lab that speaks MCP, of the modern era over HTTP: one
 * POST a call, nothing to open and nothing to remember.
 *
 * What comes back is believed as far as it can be checked: it is JSON-RPC, it
 * answers this very question (its id is made of the question), and the text of
 * the result says what the structured content says.  A proxy that changes one
 * of them, or mixes up two answers, is found by that; a server that lies in
 * both is not, so nobody may claim anything on its word alone.
 */
#ifndef AGENT_MCP_CLIENT_H
#define AGENT_MCP_CLIENT_H

#include "base/err.h"
#include <jansson.h>
#include <stdint.h>

struct mcp_client;

/* url: http:// or https://, with its path; token: borrowed, or NULL.  A server
 * may take its time as long as it says something every silence_ms. */
struct mcp_client *mcp_client_new(const char *url, const char *token,
    uint32_t silence_ms);
void mcp_client_free(struct mcp_client *c); /* NULL-safe */

struct mcp_question {
	const char *tool;
	json_t *arguments;   /* borrowed */
	const char *session; /* x-session-id: what the question belongs to */
};

/*
 * ERR_OK: *ret is the structured content, owned.  ERR_TIMEOUT: no answer in
 * time; ERR_IO: no connection, or another status; ERR_SYNTAX: not an answer to
 * this question, or changed on its way; ERR_DENIED: the tool or the server says
 * that it failed; ERR_CLOSED: we were asked to stop.
 */
enum err mcp_client_call(struct mcp_client *c, const struct mcp_question *q,
    json_t **ret, struct why *why);

/* What the last result said of the server it came from, as it said it: name,
 * version; borrowed until the next call, NULL: nothing. */
json_t *mcp_client_server(const struct mcp_client *c);

#endif
