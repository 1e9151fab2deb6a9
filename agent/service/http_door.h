/* Who may come in, and which headers must say what the body says: decided
 * from a head alone, without a server. */
#ifndef AGENT_SERVICE_HTTP_DOOR_H
#define AGENT_SERVICE_HTTP_DOOR_H

#include "agent/mcp/protocol_version.h"
#include "agent/service/http.h"
#include "base/http1.h"

/* 0: come in; else the status that refuses, and *why. */
int http_door_check(const struct mcp_http_conf *conf,
    const struct http1_head *h, struct why *why);

/*
 * In the modern era MCP-Protocol-Version, Mcp-Method and Mcp-Name must be there
 * and say what the body says.  ERR_SYNTAX with MCP_HEADER_MISMATCH.
 */
enum err http_door_check_headers(const struct http1_head *h, enum mcp_era era,
    const struct mcp_message *m, struct mcp_refusal *no);

/* A header as text; NULL: not there.  Owned. */
char *http_door_header(const struct http1_head *h, const char *name);

#endif
