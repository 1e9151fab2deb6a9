/*
 * JSON-RPC 2.0 in requests, as MCP carries tool calls over HTTP; what the
 * four mcp_ faults share.
 */
#ifndef CHAOS_RPC_H
#define CHAOS_RPC_H

#include "base/buf.h"
#include "base/jfield.h"
#include "chaos/rules/request_facts.h"

/* Embedded first in a fault's configuration: which calls it is about. */
struct exchange;
struct shot;

struct rpc_match {
	const char *method; /* glob; NULL: "tools/call" */
	const char *tool;   /* glob of params.name; NULL: any */
};

/* Rows for a table of fields over a struct that begins with rpc_match. */
#define RPC_METHOD_FIELD                                                       \
	{                                                                      \
		"method", JF_STRING, 0, 1, 128,                                \
		    offsetof(struct rpc_match, method), NULL                   \
	}
#define RPC_TOOL_FIELD                                                         \
	{                                                                      \
		"tool", JF_STRING, 0, 1, 128,                                  \
		    offsetof(struct rpc_match, tool), NULL                     \
	}

/* Is the request one call, with an id, of the kind that the fault's conf (it
 * begins with struct rpc_match) names?  If not, the fault is bypassed. */
bool rpc_is_call(struct shot *s, struct exchange *x);

/* Appends {"jsonrpc":"2.0","id":ID,MEMBER:VALUE}, the id of the call; value
 * is taken. */
void rpc_answer(struct buf *out, struct facts *f, const char *member,
    json_t *value);

/* Is this JSON text an answer to the call (and no notification)? */
bool rpc_is_answer(struct slice json);

#endif
