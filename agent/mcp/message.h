/*
 * JSON-RPC 2.0 messages as the Model Context Protocol has them: one object a
 * message, ids that are strings or integers, no batches.
 *
 * A message is hostile until it is read: it meets a cap, jansson's strict
 * parser (one value, no key twice, valid UTF-8, a depth cap) and the rules
 * here, and what cannot be read becomes an error answer, never an end.  JSON
 * that the parser cannot hold (1e400) is answered with its id.
 */
#ifndef AGENT_MCP_MESSAGE_H
#define AGENT_MCP_MESSAGE_H

#include "base/err.h"
#include <jansson.h>
#include <stddef.h>

/* A kernel of 65,536 bytes, each of them escaped, and some room. */
#define MCP_MESSAGE_MAX ((size_t)1024 * 1024)

enum mcp_kind { MCP_REQUEST, MCP_NOTIFICATION, MCP_RESPONSE };

enum mcp_code {
	MCP_PARSE_ERROR = -32700,
	MCP_INVALID_REQUEST = -32600,
	MCP_NO_METHOD = -32601,
	MCP_INVALID_PARAMS = -32602,
	MCP_INTERNAL_ERROR = -32603,
	MCP_HEADER_MISMATCH = -32020,
	MCP_MISSING_CAPABILITY = -32021,
	MCP_UNSUPPORTED_VERSION = -32022,
};

struct mcp_message {
	enum mcp_kind kind;
	json_t *root;       /* owned */
	json_t *id;         /* borrowed from root; NULL: none */
	const char *method; /* NULL for a response */
	json_t *params;     /* an object, or NULL */
};

/* What a request is refused with. */
struct mcp_refusal {
	int code;     /* enum mcp_code */
	int status;   /* of HTTP */
	json_t *data; /* owned, or NULL */
	struct why why;
};

/*
 * Reads one message; mcp_message_done() frees it, also after a failure, when
 * the id is there as far as it could be read.
 */
enum err mcp_message_read(const char *text, size_t len, struct mcp_message *ret,
    struct mcp_refusal *no);
void mcp_message_done(struct mcp_message *m);

/* params._meta[key], or NULL. */
json_t *mcp_message_meta(const struct mcp_message *m, const char *key);

/* Sets *no and returns e, as why_set does. */
enum err mcp_refuse(struct mcp_refusal *no, enum err e, int code,
    const char *fmt, ...) __attribute__((format(printf, 4, 5)));

/* Whole messages, owned by the caller.  id is borrowed (NULL: left out) and
 * said back as it came; what is in them is taken over.  An error may quote what
 * came, so every secret of this process is masked in it. */
json_t *mcp_message_result(json_t *id, json_t *result);
json_t *mcp_message_error(json_t *id, struct mcp_refusal *no);
json_t *mcp_message_note(const char *method, json_t *params);

/* One line without its end.  Owned. */
char *mcp_message_text(json_t *message, size_t *ret_len);

#endif
