/*
 * Writing heads and chunk frames.
 *
 * Whatever a caller passes on (a header of an upstream, a word of a
 * configuration) is checked here, the one place through which every head
 * leaves, so that no value can start a line of its own.  The fields that
 * frame a message are written from the framing argument alone; a caller's
 * Content-Length or Transfer-Encoding is refused.
 */
#include "base/http1.h"

#include "base/decimal.h"
#include "base/http1_priv.h"
#include <stdio.h>
#include <string.h>
#include <strings.h>

#define LITERAL(b, text) buf_add((b), (text), sizeof(text) - 1)

static enum err put_end(struct buf *b, const struct http1_field *fields,
    size_t n, enum http1_framing framing, uint64_t content_bytes);
static enum err undo(struct buf *b, size_t len, enum err e);

static const struct {
	int status;
	const char *text;
} reasons[] = {
	{ 100, "Continue" },
	{ 101, "Switching Protocols" },
	{ 200, "OK" },
	{ 201, "Created" },
	{ 202, "Accepted" },
	{ 204, "No Content" },
	{ 206, "Partial Content" },
	{ 301, "Moved Permanently" },
	{ 302, "Found" },
	{ 303, "See Other" },
	{ 304, "Not Modified" },
	{ 307, "Temporary Redirect" },
	{ 308, "Permanent Redirect" },
	{ 400, "Bad Request" },
	{ 401, "Unauthorized" },
	{ 402, "Payment Required" },
	{ 403, "Forbidden" },
	{ 404, "Not Found" },
	{ 405, "Method Not Allowed" },
	{ 406, "Not Acceptable" },
	{ 408, "Request Timeout" },
	{ 409, "Conflict" },
	{ 410, "Gone" },
	{ 411, "Length Required" },
	{ 413, "Content Too Large" },
	{ 414, "URI Too Long" },
	{ 415, "Unsupported Media Type" },
	{ 417, "Expectation Failed" },
	{ 422, "Unprocessable Content" },
	{ 425, "Too Early" },
	{ 429, "Too Many Requests" },
	{ 431, "Request Header Fields Too Large" },
	{ 499, "Client Closed Request" },
	{ 500, "Internal Server Error" },
	{ 501, "Not Implemented" },
	{ 502, "Bad Gateway" },
	{ 503, "Service Unavailable" },
	{ 504, "Gateway Timeout" },
	{ 505, "HTTP Version Not Supported" },
	{ 508, "Loop Detected" },
	{ 529, "Site is overloaded" },
};

const char *
http1_reason(int status)
{
	for (size_t i = 0; i < COUNT(reasons); i++)
		if (reasons[i].status == status)
			return reasons[i].text;
	return "Status";
}

enum err
http1_write_response(struct buf *b, int status,
    const struct http1_field *fields, size_t n, enum http1_framing framing,
    uint64_t content_bytes)
{
	size_t len = b->len;
	enum err e = http1_put_status(b, status);

	if (e == ERR_OK)
		e = put_end(b, fields, n, framing, content_bytes);
	return undo(b, len, e);
}

/* Those that belong to the codec and not to callers. */
static bool
is_framing_name(const char *name)
{
	return strcasecmp(name, "Content-Length") == 0 ||
	    strcasecmp(name, "Transfer-Encoding") == 0;
}

/* All that follows the first line. */
static enum err
put_end(struct buf *b, const struct http1_field *fields, size_t n,
    enum http1_framing framing, uint64_t content_bytes)
{
	enum err e = ERR_OK;

	for (size_t i = 0; i < n && e == ERR_OK; i++)
		e = is_framing_name(fields[i].name)
		    ? ERR_SYNTAX
		    : http1_put_field(b, &fields[i]);
	if (e == ERR_OK)
		e = http1_put_framing(b, framing, content_bytes);
	return e == ERR_OK ? LITERAL(b, "\r\n") : e;
}

static enum err
undo(struct buf *b, size_t len, enum err e)
{
	if (e == ERR_OK || b->len == len)
		return e;
	b->len = len;
	b->data[len] = '\0';
	return e;
}

enum err
http1_put_request(struct buf *b, const char *method, const char *target)
{
	struct slice verb = slice_of(method), to = slice_of(target);
	enum err e;

	if (!http1_is_token(verb) || to.n == 0 || !http1_is_target(to))
		return ERR_SYNTAX;
	if ((e = buf_add(b, verb.p, verb.n)) == ERR_OK &&
	    (e = buf_addc(b, ' ')) == ERR_OK &&
	    (e = buf_add(b, to.p, to.n)) == ERR_OK)
		e = LITERAL(b, " HTTP/1.1\r\n");
	return e;
}

enum err
http1_put_status(struct buf *b, int status)
{
	char line[16] = "HTTP/1.1 000 ";
	enum err e;

	if (status < 100 || status > 999)
		return ERR_SYNTAX;
	if (status == 200)
		return LITERAL(b, "HTTP/1.1 200 OK\r\n");
	line[9] = (char)('0' + status / 100);
	line[10] = (char)('0' + status / 10 % 10);
	line[11] = (char)('0' + status % 10);
	if ((e = buf_add(b, line, 13)) == ERR_OK &&
	    (e = buf_adds(b, http1_reason(status))) == ERR_OK)
		e = LITERAL(b, "\r\n");
	return e;
}

enum err
http1_put_field(struct buf *b, const struct http1_field *f)
{
	struct slice name = slice_of(f->name), value = slice_of(f->value);
	char *to;

	if (!http1_is_token(name) || !http1_is_value(value))
		return ERR_SYNTAX;
	/* A dozen of these are written for a proxied request. */
	if (!(to = buf_extend(b, name.n + value.n + 4)))
		return ERR_TOOBIG;
	memcpy(to, name.p, name.n);
	to += name.n;
	*to++ = ':';
	*to++ = ' ';
	memcpy(to, value.p, value.n);
	to += value.n;
	*to++ = '\r';
	*to = '\n';
	return ERR_OK;
}

enum err
http1_put_framing(struct buf *b, enum http1_framing framing,
    uint64_t content_bytes)
{
	static const char name[] = "Content-Length: ";
	size_t before = sizeof name - 1, digits;
	char *to;

	if (framing == HTTP1_CHUNKED)
		return LITERAL(b, "Transfer-Encoding: chunked\r\n");
	if (framing != HTTP1_LENGTH)
		return ERR_OK;
	digits = decimal_size(content_bytes, 0);
	if (!(to = buf_extend(b, before + digits + 2)))
		return ERR_TOOBIG;
	memcpy(to, name, before);
	decimal_put(to + before + digits, content_bytes, 0);
	to += before + digits;
	*to++ = '\r';
	*to = '\n';
	return ERR_OK;
}

size_t
http1_chunk_open(char out[20], uint64_t n)
{
	static const char digits[] = "0123456789abcdef";
	int shift = 60;
	size_t len = 0;

	while (shift > 0 && n >> shift == 0)
		shift -= 4;
	for (; shift >= 0; shift -= 4)
		out[len++] = digits[n >> shift & 15];
	out[len++] = '\r';
	out[len++] = '\n';
	out[len] = '\0';
	return len;
}
