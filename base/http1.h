/*
 * Our own strict, incremental HTTP/1.1 codec: bytes in, events out, no I/O.
 *
 * It is strict because two public-facing proxies stand on it: it refuses
 * what request smuggling lives on (Content-Length with Transfer-Encoding,
 * differing lengths, obs-fold, bare LF in heads, spaces before the colon,
 * NUL and control bytes, bad chunk sizes, chunk extensions past a cap) and
 * has hard caps on everything.  No recursion on input, no quadratic
 * behaviour: bytes that were looked at are not looked at again.
 *
 * A head is parsed in place: its slices point into the caller's bytes and
 * live as long as those do.
 */
#ifndef BASE_HTTP1_H
#define BASE_HTTP1_H

#include "base/buf.h"
#include "base/err.h"
#include "base/slice.h"
#include <stdbool.h>
#include <stdint.h>

#define HTTP1_HEADERS_MAX 128

enum http1_kind { HTTP1_REQUEST, HTTP1_RESPONSE };

enum http1_framing {
	HTTP1_NO_BODY,
	HTTP1_LENGTH, /* content_bytes says how long */
	HTTP1_CHUNKED,
	HTTP1_TO_EOF, /* responses only: ends when the peer closes */
};

struct http1_header {
	struct slice name, value;
};

struct http1_head {
	enum http1_kind kind;
	struct slice method, target; /* requests */
	/* Of a target in absolute form ("http://host:1/x") what is before the
	 * path, which is the target then; no bytes: it was in another form. */
	struct slice authority;
	bool is_https; /* its scheme */
	int status;    /* responses */
	struct slice reason;
	int minor; /* HTTP/1.minor, 0 or 1 */
	enum http1_framing framing;
	uint64_t content_bytes; /* HTTP1_LENGTH */
	bool keep_alive;        /* what the head and version say */
	bool expect_continue;
	/* A bit for each letter that a name begins with, by http1_initial();
	 * 0: nobody looked. */
	uint32_t initials;
	size_t nheaders;
	/* The last member: who keeps a head keeps http1_head_bytes() of it. */
	struct http1_header headers[HTTP1_HEADERS_MAX];
};

/* Why a message was refused; each has one HTTP status that answers it. */
enum http1_fault {
	HTTP1_FAULT_NONE,
	HTTP1_FAULT_SYNTAX,         /* 400 */
	HTTP1_FAULT_SMUGGLING,      /* 400: lengths that disagree */
	HTTP1_FAULT_HEAD_TOO_BIG,   /* 431 */
	HTTP1_FAULT_MANY_FIELDS,    /* 431: more than HTTP1_HEADERS_MAX */
	HTTP1_FAULT_TARGET_TOO_BIG, /* 414 */
	HTTP1_FAULT_BODY_TOO_BIG,   /* 413 */
	HTTP1_FAULT_VERSION,        /* 505 */
	HTTP1_FAULT_CODING,         /* 501: a transfer coding but chunked */
	HTTP1_NFAULTS
};

int http1_fault_status(enum http1_fault f);
const char *http1_fault_text(enum http1_fault f);

struct http1_limits {
	size_t head_bytes;   /* default 65536 */
	size_t target_bytes; /* default 8192 */
	uint64_t body_bytes; /* 0: no limit */
};

enum http1_event {
	HTTP1_MORE,  /* all used up; feed more bytes */
	HTTP1_HEAD,  /* head is filled in */
	HTTP1_DATA,  /* a piece of decoded body: data */
	HTTP1_END,   /* the message is complete; bytes after it stay unused */
	HTTP1_ERROR, /* fault says why; the parser stays in error */
};

struct http1_parser {
	enum http1_kind kind;
	struct http1_limits limits;
	int state;            /* private */
	size_t scanned;       /* private: head bytes already searched */
	uint64_t left, total; /* private */
	unsigned digits;      /* private */
	bool to_head_request; /* responses: the request was HEAD */
	bool has_trailers;    /* the message had some, which are dropped */
	enum http1_fault fault;
	struct slice data; /* HTTP1_DATA: points into the caller's bytes */
};

/* limits NULL: the defaults. */
void http1_parser_init(struct http1_parser *p, enum http1_kind kind,
    const struct http1_limits *limits);

/*
 * Takes the next event from bytes[0..n).  *used says how many were consumed;
 * call again with the rest, joined with new bytes.  Until HTTP1_HEAD nothing
 * is consumed (the head stays whole in the caller's buffer); the call that
 * returns HTTP1_HEAD consumes the head, and *head points into bytes (which are
 * not const because a path that is missing is written there).
 * Interim 1xx responses come out as HTTP1_HEAD followed by HTTP1_END.  After
 * HTTP1_END the parser is ready for the next message.
 */
enum http1_event http1_parse(struct http1_parser *p, char *bytes, size_t n,
    size_t *used, struct http1_head *head);

/* The peer closed.  HTTP1_END for HTTP1_TO_EOF bodies (or before a head:
 * HTTP1_MORE), else HTTP1_ERROR: the message is cut. */
enum http1_event http1_parse_eof(struct http1_parser *p);

/* The bytes of *h that say something: up to its last header. */
size_t http1_head_bytes(const struct http1_head *h);

/* The first header of that name (ASCII case folded), or NULL. */
const struct slice *http1_find(const struct http1_head *h, const char *name,
    size_t n);

/* Letters by their place in the alphabet, whatever their case. */
static inline uint32_t
http1_initial(char c)
{
	return UINT32_C(1) << ((unsigned char)c & 31);
}

/* Inline, because nearly all names are literals, and most that are asked for
 * are missing: nothing then begins as they do. */
static inline const struct slice *
http1_get(const struct http1_head *h, const char *name)
{
	if (h->initials && !(h->initials & http1_initial(name[0])))
		return NULL;
	return http1_find(h, name, strlen(name));
}

/* ---- writing: heads and chunks into a buffer */

struct http1_field { /* an outgoing header; both borrowed */
	const char *name;
	const char *value;
};

/* A header's name, or a method (RFC 9110, 5.6.2)? */
bool http1_is_token(struct slice s);

/*
 * A head with our fields: framing HTTP1_LENGTH writes Content-Length,
 * HTTP1_CHUNKED Transfer-Encoding.  ERR_SYNTAX if a name or value holds
 * bytes that may not be in a head (so nothing can be injected), or if a field
 * is one of these two; b unchanged.
 */
enum err http1_write_response(struct buf *b, int status,
    const struct http1_field *fields, size_t n, enum http1_framing framing,
    uint64_t content_bytes);
const char *http1_reason(int status); /* "OK", "Not Found", ... or "Status" */

/* "1a\r\n" before and "\r\n" after a chunk; the last one is "0\r\n\r\n". */
size_t http1_chunk_open(char out[20], uint64_t n);
#define HTTP1_CHUNK_CLOSE "\r\n"
#define HTTP1_CHUNK_LAST  "0\r\n\r\n"

#endif
