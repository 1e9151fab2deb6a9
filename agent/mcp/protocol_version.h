/*
 * The two eras of the protocol, and what sets them apart.
 *
 *	legacy	2025-11-25 (and 2025-06-18): a client says initialize first
 *	modern	2026-07-28: no handshake; every request says its version and
 *		the client's capabilities in _meta, every result its type
 *
 * One server speaks both at once: a message is of the modern era when it
 * carries modern metadata, has a modern version in its header, or names a
 * method that only that era has.  Nothing is remembered between messages, in
 * the legacy era neither.
 */
#ifndef AGENT_MCP_PROTOCOL_VERSION_H
#define AGENT_MCP_PROTOCOL_VERSION_H

#include "agent/mcp/message.h"
#include <stdbool.h>

#define MCP_MODERN_VERSION "2026-07-28"
#define MCP_LEGACY_VERSION "2025-11-25"

#define MCP_META_VERSION      "io.modelcontextprotocol/protocolVersion"
#define MCP_META_CAPABILITIES "io.modelcontextprotocol/clientCapabilities"
#define MCP_META_SERVER       "io.modelcontextprotocol/serverInfo"
#define MCP_EXTENSION_TASKS   "io.modelcontextprotocol/tasks"

enum mcp_era { MCP_LEGACY, MCP_MODERN };

/* header: the version that an HTTP header gives, or NULL. */
enum mcp_era mcp_era_of(const struct mcp_message *m, const char *header);

/* Is everything there that the era asks of a request?  ERR_SYNTAX. */
enum err mcp_era_check(enum mcp_era era, const struct mcp_message *m,
    struct mcp_refusal *no);

/* Is this a legacy version that may stand in a header? */
bool mcp_era_is_legacy_version(const char *version);

/* What we answer to the version that a legacy client proposes. */
const char *mcp_era_agree(const char *proposed);

/* Does the client of this request take a task for an answer, unasked? */
bool mcp_era_takes_tasks(enum mcp_era era, const struct mcp_message *m);

/* Adds what every result of that era carries. */
void mcp_era_finish(enum mcp_era era, json_t *result);

/* name and version of this server; owned. */
json_t *mcp_era_server_info(void);

/* A version that is spoken in neither era. */
enum err mcp_era_refuse_version(const char *version, struct mcp_refusal *no);

#endif
