/* Reading and making messages. */
#include "agent/mcp/message.h"

#include "agent/text/utf8.h"
#include "base/jscan.h"
#include "base/mask.h"
#include "base/mem.h"
#include <stdio.h>
#include <string.h>

#define STATUS_BAD 400

enum err
mcp_refuse(struct mcp_refusal *no, enum err e, int code, const char *fmt, ...)
{
	char text[WHY_MAX];
	va_list ap;

	va_start(ap, fmt);
	mask_vformat(text, sizeof text, fmt, ap);
	va_end(ap);
	*no = (struct mcp_refusal){ .code = code, .status = STATUS_BAD };
	return why_set(&no->why, e, "%s", text);
}

static enum err
check_id(struct mcp_message *m, json_t *id, struct mcp_refusal *no)
{
	if (!id)
		return ERR_OK;
	if (!json_is_string(id) && !json_is_integer(id))
		return mcp_refuse(no, ERR_SYNTAX, MCP_INVALID_REQUEST,
		    "id: expected a string or an integer");
	m->id = id;
	return ERR_OK;
}

/* Is there a NUL in a string of v, other than within except? */
static bool
holds_nul(json_t *v, const json_t *except)
{
	const char *key;
	json_t *child;
	size_t i;

	if (v == except)
		return false;
	if (json_is_string(v))
		return strlen(json_string_value(v)) != json_string_length(v);
	json_array_foreach(v, i, child) {
		if (holds_nul(child, except))
			return true;
	}
	json_object_foreach(v, key, child) {
		if (holds_nul(child, except))
			return true;
	}
	return false;
}

static enum err
check_shape(struct mcp_message *m, struct mcp_refusal *no)
{
	const char *version =
	    json_string_value(json_object_get(m->root, "jsonrpc"));
	json_t *method = json_object_get(m->root, "method");

	m->params = json_object_get(m->root, "params");
	if (!version || strcmp(version, "2.0") != 0)
		return mcp_refuse(no, ERR_SYNTAX, MCP_INVALID_REQUEST,
		    "jsonrpc: expected \"2.0\"");
	if (m->params && !json_is_object(m->params)) {
		m->params = NULL;
		return mcp_refuse(no, ERR_SYNTAX, MCP_INVALID_REQUEST,
		    "params: expected an object");
	}
	/* Of a tool's arguments the tool says so. */
	if (holds_nul(m->root, json_object_get(m->params, "arguments")))
		return mcp_refuse(no, ERR_SYNTAX, MCP_INVALID_REQUEST,
		    "a string holds a NUL");
	m->method = json_string_value(method);
	if (m->method) {
		m->kind = m->id ? MCP_REQUEST : MCP_NOTIFICATION;
		return ERR_OK;
	}
	m->kind = MCP_RESPONSE;
	if (method ||
	    (!json_object_get(m->root, "result") &&
	        !json_object_get(m->root, "error")))
		return mcp_refuse(no, ERR_SYNTAX, MCP_INVALID_REQUEST,
		    "method: expected a string");
	return ERR_OK;
}

/*
 * JSON all the same, if not to be held in a tree (a number of more than 64
 * bits, half a surrogate, a key twice)?  *ret_id is its id then, if there is
 * one, or NULL: who waits for an answer knows it by that.
 */
static bool
is_json(const char *text, size_t len, json_t **ret_id)
{
	enum jscan_token t;
	unsigned ids = 0;
	struct jscan s;

	*ret_id = NULL;
	jscan_init(&s, (struct slice){ text, len });
	do {
		t = jscan_next(&s);
		if (t != JSCAN_KEY || s.depth != 1 || !slice_is(s.text, "id"))
			continue;
		t = jscan_next(&s);
		if (ids++ == 0 && (t == JSCAN_STRING || t == JSCAN_NUMBER))
			*ret_id = json_loadb(s.start, (size_t)(s.p - s.start),
			    JSON_DECODE_ANY, NULL);
	} while (t != JSCAN_END && t != JSCAN_ERROR);
	if (t == JSCAN_END && ids == 1)
		return true;
	json_decref(*ret_id);
	*ret_id = NULL;
	return t == JSCAN_END;
}

/* The parser's text may quote bytes of the message: only the place. */
static enum err
refuse_unread(const char *text, size_t len, int at, struct mcp_message *m,
    struct mcp_refusal *no)
{
	json_t *id;

	if (!is_json(text, len, &id))
		return mcp_refuse(no, ERR_SYNTAX, MCP_PARSE_ERROR,
		    "not JSON, or nested too deeply, at byte %d", at);
	m->root = json_pack("{s:o*}", "id", id);
	(void)check_id(m, json_object_get(m->root, "id"), no);
	return mcp_refuse(no, ERR_SYNTAX, MCP_INVALID_REQUEST,
	    "JSON that is not taken here: a number beyond 64 bits, half a "
	    "surrogate, or a key that stands twice, at byte %d",
	    at);
}

enum err
mcp_message_read(const char *text, size_t len, struct mcp_message *ret,
    struct mcp_refusal *no)
{
	json_error_t je;
	enum err e;

	*ret = (struct mcp_message){ .kind = MCP_REQUEST };
	if (len > MCP_MESSAGE_MAX)
		return mcp_refuse(no, ERR_TOOBIG, MCP_INVALID_REQUEST,
		    "the message is longer than %zu bytes", MCP_MESSAGE_MAX);
	ret->root = json_loadb(text, len,
	    JSON_REJECT_DUPLICATES | JSON_DECODE_ANY | JSON_ALLOW_NUL, &je);
	if (!ret->root)
		return refuse_unread(text, len, je.position, ret, no);
	if (!json_is_object(ret->root))
		return mcp_refuse(no, ERR_SYNTAX, MCP_INVALID_REQUEST,
		    "expected one JSON-RPC object; there are no batches");
	e = check_id(ret, json_object_get(ret->root, "id"), no);
	return e == ERR_OK ? check_shape(ret, no) : e;
}

void
mcp_message_done(struct mcp_message *m)
{
	json_decref(m->root);
	*m = (struct mcp_message){ .kind = MCP_REQUEST };
}

json_t *
mcp_message_meta(const struct mcp_message *m, const char *key)
{
	return json_object_get(json_object_get(m->params, "_meta"), key);
}

static json_t *
message_new(json_t *id)
{
	json_t *o = json_pack("{s:s}", "jsonrpc", "2.0");

	if (id)
		json_object_set(o, "id", id);
	return o;
}

json_t *
mcp_message_result(json_t *id, json_t *result)
{
	json_t *o = message_new(id);

	json_object_set_new(o, "result", result);
	return o;
}

json_t *
mcp_message_error(json_t *id, struct mcp_refusal *no)
{
	json_t *o = message_new(id), *error;

	/* The reason may quote what came, cut in the middle of a character. */
	error = json_pack("{s:i, s:o}", "code", no->code, "message",
	    utf8_json(no->why.text));
	if (no->data)
		json_object_set_new(error, "data", no->data);
	no->data = NULL;
	mask_json(error);
	json_object_set_new(o, "error", error);
	return o;
}

json_t *
mcp_message_note(const char *method, json_t *params)
{
	json_t *o = message_new(NULL);

	json_object_set_new(o, "method", json_string(method));
	json_object_set_new(o, "params", params);
	return o;
}

char *
mcp_message_text(json_t *message, size_t *ret_len)
{
	char *text = json_dumps(message, JSON_COMPACT);

	if (!text)
		text =
		    xstrdup("{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32603,"
		            "\"message\":\"cannot be said in JSON\"}}");
	*ret_len = strlen(text);
	return text;
}
