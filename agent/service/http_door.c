/* Host, Origin, token, and the headers that mirror the body. */
#include "agent/service/http_door.h"

#include "base/base64.h"
#include "base/digest.h"
#include "base/mem.h"
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum {
	STATUS_BAD = 400,
	STATUS_UNAUTHORIZED = 401,
	STATUS_FORBIDDEN = 403,
	STATUS_NOT_FOUND = 404,
	STATUS_NO_METHOD = 405,
	STATUS_NOT_ACCEPTABLE = 406,
	STATUS_NO_LENGTH = 411,
	STATUS_BAD_TYPE = 415,
};

#define PATH         "/mcp"
#define BEARER       "Bearer "
#define BASE64_OPEN  "=?base64?"
#define BASE64_CLOSE "?="

char *
http_door_header(const struct http1_head *h, const char *name)
{
	const struct slice *v = http1_get(h, name);

	return v ? xstrndup(v->p, v->n) : NULL;
}

static bool
is_ours(const struct mcp_http_conf *conf, const char *text)
{
	struct addr a;

	if (!addr_of_host(slice_of(text), &a))
		return false;
	if (addr_is_loopback(&a) || strcasecmp(a.host, "localhost") == 0)
		return true;
	for (size_t i = 0; i < conf->hosts->n; i++)
		if (strcasecmp(conf->hosts->items[i], a.host) == 0)
			return true;
	return strcasecmp(conf->listen.host, a.host) == 0;
}

static bool
is_our_origin(const struct mcp_http_conf *conf, const char *origin)
{
	struct slice host = slice_of(origin);

	return url_skip_scheme(&host, NULL) && is_ours(conf, host.p);
}

static unsigned
count_of(const struct http1_head *h, const char *name)
{
	unsigned n = 0;

	for (size_t i = 0; i < h->nheaders; i++)
		n += slice_is_nocase(h->headers[i].name, name);
	return n;
}

static bool
bears(const char *header, const char *token)
{
	if (!header || strncasecmp(header, BEARER, strlen(BEARER)) != 0)
		return false;
	header += strlen(BEARER);
	return digest_is_secret(token, header, strlen(header));
}

static int
refuse(int status, struct why *why, const char *text)
{
	(void)why_set(why, ERR_DENIED, "%s", text);
	return status;
}

/* A list of media types that has none of these is a client's mistake. */
static bool
accepts(const char *accept)
{
	return !accept || strstr(accept, "application/json") ||
	    strstr(accept, "*/*") || strstr(accept, "application/*");
}

static bool
is_json(const char *type)
{
	static const char json[] = "application/json";
	size_t n = strlen(json);

	return type && strncasecmp(type, json, n) == 0 &&
	    (type[n] == '\0' || type[n] == ';' || type[n] == ' ');
}

static int
check_form(const struct http1_head *h, const char *type, const char *accept,
    struct why *why)
{
	struct slice path = h->target;
	const char *query = memchr(path.p, '?', path.n);

	if (query)
		path.n = (size_t)(query - path.p);
	if (!slice_is(path, PATH) && !slice_is(path, PATH "/"))
		return refuse(STATUS_NOT_FOUND, why, "the endpoint is " PATH);
	if (!slice_is(h->method, "POST"))
		return refuse(STATUS_NO_METHOD, why,
		    "expected POST; there is no stream to listen to and no "
		    "session to end");
	if (!is_json(type))
		return refuse(STATUS_BAD_TYPE, why,
		    "Content-Type: expected application/json");
	if (!accepts(accept))
		return refuse(STATUS_NOT_ACCEPTABLE, why,
		    "Accept: expected application/json and text/event-stream");
	if (h->framing == HTTP1_NO_BODY && !http1_get(h, "content-length"))
		return refuse(STATUS_NO_LENGTH, why,
		    "expected Content-Length, or Transfer-Encoding: chunked");
	return 0;
}

int
http_door_check(const struct mcp_http_conf *conf, const struct http1_head *h,
    struct why *why)
{
	char *host = http_door_header(h, "host");
	char *origin = http_door_header(h, "origin");
	char *bearer = http_door_header(h, "authorization");
	char *type = http_door_header(h, "content-type");
	char *accept = http_door_header(h, "accept");
	int status = 0;

	if (!host || !is_ours(conf, host))
		status = refuse(STATUS_FORBIDDEN, why,
		    "Host: not a name of this server (--allow-host NAME)");
	else if (count_of(h, "origin") > 1)
		status = refuse(STATUS_BAD, why, "Origin: expected one");
	else if (origin && !is_our_origin(conf, origin))
		status = refuse(STATUS_FORBIDDEN, why,
		    "Origin: not allowed here (--allow-host NAME)");
	else if (conf->token && !bears(bearer, conf->token))
		status = refuse(STATUS_UNAUTHORIZED, why,
		    "Authorization: expected the bearer token");
	else
		status = check_form(h, type, accept, why);
	free(host);
	free(origin);
	free(bearer);
	free(type);
	free(accept);
	return status;
}

/* A name that no header can hold comes as "=?base64?...?="; NULL: broken.
 * Owned. */
static char *
decode(const char *text)
{
	size_t n = strlen(text), open = strlen(BASE64_OPEN),
	       close = strlen(BASE64_CLOSE);
	char *out;
	size_t len;

	if (n < open + close || strncmp(text, BASE64_OPEN, open) != 0 ||
	    strcmp(text + n - close, BASE64_CLOSE) != 0)
		return xstrdup(text);
	out = xmalloc(n);
	if (base64_decode(text + open, n - open - close, out, &len))
		return out;
	free(out);
	return NULL;
}

/* What Mcp-Name mirrors; NULL: the method has none. */
static const char *
name_of(const struct mcp_message *m)
{
	static const struct {
		const char *method, *key;
	} names[] = {
		{ "tools/call", "name" },
		{ "tasks/get", "taskId" },
		{ "tasks/update", "taskId" },
		{ "tasks/cancel", "taskId" },
	};

	for (size_t i = 0; i < COUNT(names); i++)
		if (strcmp(m->method, names[i].method) == 0)
			return json_string_value(
			    json_object_get(m->params, names[i].key));
	return NULL;
}

static enum err
check_one(const struct http1_head *h, const char *name, const char *want,
    struct mcp_refusal *no)
{
	char *text = http_door_header(h, name);
	char *got = text ? decode(text) : NULL;
	enum err e = ERR_OK;

	if (!text)
		e = mcp_refuse(no, ERR_SYNTAX, MCP_HEADER_MISMATCH,
		    "Header mismatch: %s is missing", name);
	else if (!got || strcmp(got, want) != 0)
		e = mcp_refuse(no, ERR_SYNTAX, MCP_HEADER_MISMATCH,
		    "Header mismatch: %s does not say what the body says",
		    name);
	free(text);
	free(got);
	return e;
}

/* The header alone, of a body that names no version. */
static enum err
check_version(const struct http1_head *h, struct mcp_refusal *no)
{
	char *version = http_door_header(h, "mcp-protocol-version");
	enum err e = ERR_OK;

	if (version && !mcp_era_is_legacy_version(version) &&
	    strcmp(version, MCP_MODERN_VERSION) != 0)
		e = mcp_era_refuse_version(version, no);
	free(version);
	return e;
}

enum err
http_door_check_headers(const struct http1_head *h, enum mcp_era era,
    const struct mcp_message *m, struct mcp_refusal *no)
{
	const char *version =
	    json_string_value(mcp_message_meta(m, MCP_META_VERSION));
	const char *name;
	enum err e;

	if (m->kind != MCP_REQUEST || era == MCP_LEGACY)
		return ERR_OK;
	/* What else is missing in the body is told by the era's own check. */
	if (!version)
		return check_version(h, no);
	e = check_one(h, "MCP-Protocol-Version", version, no);
	if (e == ERR_OK)
		e = check_one(h, "Mcp-Method", m->method, no);
	name = name_of(m);
	if (e == ERR_OK && name)
		e = check_one(h, "Mcp-Name", name, no);
	return e;
}
