/* Which era a message is of, and what the era asks for. */
#include "agent/mcp/protocol_version.h"

#include "base/opts.h"
#include <string.h>

#define META_CLIENT "io.modelcontextprotocol/clientInfo"

/* The newest first: that is what we propose. */
static const char *const legacy_versions[] = {
	MCP_LEGACY_VERSION,
	"2025-06-18",
};

/* A client that says one of these has read the modern specification. */
static const char *const modern_keys[] = {
	MCP_META_VERSION,
	MCP_META_CAPABILITIES,
	META_CLIENT,
};

/* The version of before there was a header for it. */
#define HEADERLESS_VERSION "2025-03-26"

bool
mcp_era_is_legacy_version(const char *version)
{
	for (size_t i = 0; i < COUNT(legacy_versions); i++)
		if (strcmp(version, legacy_versions[i]) == 0)
			return true;
	return strcmp(version, HEADERLESS_VERSION) == 0;
}

const char *
mcp_era_agree(const char *proposed)
{
	for (size_t i = 0; i < COUNT(legacy_versions); i++)
		if (proposed && strcmp(proposed, legacy_versions[i]) == 0)
			return legacy_versions[i];
	return legacy_versions[0];
}

enum mcp_era
mcp_era_of(const struct mcp_message *m, const char *header)
{
	for (size_t i = 0; i < COUNT(modern_keys); i++)
		if (mcp_message_meta(m, modern_keys[i]))
			return MCP_MODERN;
	if (header && !mcp_era_is_legacy_version(header))
		return MCP_MODERN;
	return m->method && strcmp(m->method, "server/discover") == 0
	    ? MCP_MODERN
	    : MCP_LEGACY;
}

enum err
mcp_era_refuse_version(const char *version, struct mcp_refusal *no)
{
	enum err e = mcp_refuse(no, ERR_RANGE, MCP_UNSUPPORTED_VERSION,
	    "Unsupported protocol version; %s is spoken after initialize",
	    MCP_LEGACY_VERSION);

	no->data = json_pack("{s:[s], s:s}", "supported", MCP_MODERN_VERSION,
	    "requested", version);
	return e;
}

enum err
mcp_era_check(enum mcp_era era, const struct mcp_message *m,
    struct mcp_refusal *no)
{
	json_t *meta = json_object_get(m->params, "_meta");
	json_t *version = mcp_message_meta(m, MCP_META_VERSION);
	json_t *can = mcp_message_meta(m, MCP_META_CAPABILITIES);

	if (m->kind != MCP_REQUEST)
		return ERR_OK;
	if (meta && !json_is_object(meta))
		return mcp_refuse(no, ERR_SYNTAX, MCP_INVALID_PARAMS,
		    "params._meta: expected an object");
	if (era == MCP_LEGACY)
		return ERR_OK;
	if (!json_is_string(version))
		return mcp_refuse(no, ERR_SYNTAX, MCP_INVALID_PARAMS,
		    "params._meta: expected " MCP_META_VERSION ", a string");
	if (strcmp(json_string_value(version), MCP_MODERN_VERSION) != 0)
		return mcp_era_refuse_version(json_string_value(version), no);
	if (!json_is_object(can))
		return mcp_refuse(no, ERR_SYNTAX, MCP_INVALID_PARAMS,
		    "params._meta: expected " MCP_META_CAPABILITIES
		    ", an object");
	return ERR_OK;
}

bool
mcp_era_takes_tasks(enum mcp_era era, const struct mcp_message *m)
{
	json_t *can = mcp_message_meta(m, MCP_META_CAPABILITIES);

	return era == MCP_MODERN &&
	    json_object_get(json_object_get(can, "extensions"),
	        MCP_EXTENSION_TASKS);
}

json_t *
mcp_era_server_info(void)
{
	return json_pack("{s:s, s:s, s:s}", "name", "kernelforge", "title",
	    "KernelForge kernel lab", "version", opts_version());
}

void
mcp_era_finish(enum mcp_era era, json_t *result)
{
	json_t *meta;

	if (era == MCP_LEGACY)
		return;
	if (!json_object_get(result, "resultType"))
		json_object_set_new(result, "resultType",
		    json_string("complete"));
	meta = json_object_get(result, "_meta");
	if (!meta) {
		meta = json_object();
		json_object_set_new(result, "_meta", meta);
	}
	json_object_set_new(meta, MCP_META_SERVER, mcp_era_server_info());
}
