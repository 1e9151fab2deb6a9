/*
 * Heads: finding their end, then reading them in place.
 *
 * The scan jumps from LF to LF and remembers how far it came, so that a head
 * that arrives a byte at a time is still looked at once.  It refuses early
 * what can never become a head: a bare LF, a first line past the target cap,
 * an answer that does not begin with "HTTP/1.".  What it refuses depends on
 * the bytes alone, never on how they were cut.
 *
 * The reading trusts nothing about lengths until all lines were seen: which
 * framing a message has is decided once, in decide_framing(), from the facts
 * that the rows of `known` collected.  To watch another header, add a row.
 */
#include "base/http1.h"

#include "base/addr.h"
#include "base/http1_priv.h"
#include <string.h>
#include <strings.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#define METHOD_MAX        32
#define FIRST_LINE_EXTRA  (METHOD_MAX + 16) /* method, version, spaces */
#define LENGTH_DIGITS_MAX 18                /* fits 63 bits */

struct facts {
	enum http1_fault fault; /* the first one */
	unsigned hosts, lengths, codings;
	uint64_t content_bytes;
	bool close, keep_alive, expect;
};

typedef void header_fn(struct facts *f, struct slice value);

static header_fn on_connection, on_content_length, on_expect, on_host,
    on_transfer_encoding;
static enum http1_fault check_start(enum http1_kind kind, const char *bytes,
    size_t n);
static enum http1_fault check_line(struct http1_parser *p, const char *bytes,
    size_t i);
static enum http1_fault check_first_line(const struct http1_parser *p,
    size_t n);
static struct slice take_line(const char **at);
static enum http1_fault read_request_line(const struct http1_parser *p,
    char *bytes, struct slice line, struct http1_head *h);
static enum http1_fault read_target(char *bytes, struct http1_head *h);
static enum http1_fault split_absolute(char *bytes, struct http1_head *h,
    size_t scheme_bytes);
static enum http1_fault read_status_line(struct slice line,
    struct http1_head *h);
static enum http1_fault read_version(const char *v, int *ret_minor);
static enum http1_fault read_header(struct slice line, struct http1_head *h,
    struct facts *facts);
static enum http1_fault decide_framing(const struct http1_parser *p,
    const struct facts *f, struct http1_head *h);

/* Headers that decide about framing and connection. */
#define ROW(text, fn)                                                          \
	{                                                                      \
		text, sizeof text - 1, fn                                      \
	}
static const struct {
	const char *name;
	size_t n;
	header_fn *fn;
} known[] = {
	ROW("connection", on_connection),
	ROW("content-length", on_content_length),
	ROW("expect", on_expect),
	ROW("host", on_host),
	ROW("transfer-encoding", on_transfer_encoding),
};
#undef ROW

/* Bytes by HTTP1_TOKEN 1, HTTP1_TARGET 2, HTTP1_VALUE 4. */
/* clang-format off */
static const unsigned char classes[256] = {
	0, 0, 0, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	4, 7, 6, 7, 7, 7, 7, 7, 6, 6, 7, 7, 6, 7, 7, 6,
	7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 6, 6, 6, 6, 6, 6,
	6, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7,
	7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 6, 6, 6, 7, 7,
	7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7,
	7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 6, 7, 6, 7, 0,
	4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4,
	4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4,
	4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4,
	4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4,
	4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4,
	4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4,
	4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4,
	4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4,
};
/* clang-format on */

unsigned
http1_class(char c)
{
	return classes[(unsigned char)c];
}

#ifdef __SSE2__
/* None of sixteen bytes is a control, a tab included. */
static inline bool
are_plain(__m128i v)
{
	__m128i last = _mm_set1_epi8(0x1f);
	__m128i low = _mm_cmpeq_epi8(_mm_min_epu8(v, last), v);
	__m128i del = _mm_cmpeq_epi8(v, _mm_set1_epi8(0x7f));

	return _mm_movemask_epi8(_mm_or_si128(low, del)) == 0;
}

/* v >= first && v < first + n, unsigned: signed once both begin at -128. */
static inline __m128i
in_range(__m128i v, char first, char n)
{
	__m128i from = _mm_sub_epi8(v, _mm_set1_epi8((char)(first + 128)));

	return _mm_cmplt_epi8(from, _mm_set1_epi8((char)(n - 128)));
}

/* Each of sixteen bytes is a letter, a digit or '-'. */
static inline bool
are_of_names(__m128i v)
{
	__m128i letter =
	    in_range(_mm_or_si128(v, _mm_set1_epi8(0x20)), 'a', 26);
	__m128i digit = in_range(v, '0', 10);
	__m128i dash = _mm_cmpeq_epi8(v, _mm_set1_epi8('-'));

	return _mm_movemask_epi8(
	           _mm_or_si128(letter, _mm_or_si128(digit, dash))) == 0xffff;
}

static inline bool
are_of_targets(__m128i v)
{
	return _mm_movemask_epi8(in_range(v, '!', '~' - '!' + 1)) == 0xffff;
}

static inline __m128i
eight_and_eight(const char *p, const char *q)
{
	return _mm_unpacklo_epi64(_mm_loadl_epi64((const void *)p),
	    _mm_loadl_epi64((const void *)q));
}

/* At least eight bytes, nearly always all good; false: look at each.  The last
 * sixteen overlap those before them. */
static inline bool
are_good(const char *p, size_t n, bool (*is_good)(__m128i v))
{
	const char *last = p + n - 16;

	if (n <= 16)
		return is_good(eight_and_eight(p, p + n - 8));
	for (; p < last; p += 16)
		if (!is_good(_mm_loadu_si128((const void *)p)))
			return false;
	return is_good(_mm_loadu_si128((const void *)last));
}

static inline bool
look_fast(const char *p, size_t n, unsigned class)
{
	return n >= 8 &&
	    ((class == HTTP1_VALUE && are_good(p, n, are_plain)) ||
	        (class == HTTP1_TARGET && are_good(p, n, are_of_targets)) ||
	        (class == HTTP1_TOKEN && are_good(p, n, are_of_names)));
}
#else
static bool
look_fast(const char *p, size_t n, unsigned class)
{
	(void)p;
	(void)n;
	(void)class;
	return false;
}
#endif

/* How many bytes from p are of that class. */
static inline size_t
run_of(const char *p, size_t n, unsigned class)
{
	size_t i = 0;

	while (n - i >= 4 &&
	    (classes[(unsigned char)p[i]] & classes[(unsigned char)p[i + 1]] &
	        classes[(unsigned char)p[i + 2]] &
	        classes[(unsigned char)p[i + 3]] & class))
		i += 4;
	while (i < n && (classes[(unsigned char)p[i]] & class))
		i++;
	return i;
}

/* The class is known where these are written, so that each is made for its
 * own. */
static inline bool
are_all(const char *p, size_t n, unsigned class)
{
	return look_fast(p, n, class) || run_of(p, n, class) == n;
}

bool
http1_is_token(struct slice s)
{
	return s.n > 0 && are_all(s.p, s.n, HTTP1_TOKEN);
}

bool
http1_is_target(struct slice s)
{
	return are_all(s.p, s.n, HTTP1_TARGET);
}

bool
http1_is_value(struct slice s)
{
	return are_all(s.p, s.n, HTTP1_VALUE);
}

enum http1_fault
http1_head_scan(struct http1_parser *p, const char *bytes, size_t n,
    size_t *ret)
{
	size_t max = p->limits.head_bytes, i = p->scanned;
	size_t end = n < max ? n : max;
	enum http1_fault fault = check_start(p->kind, bytes, end);
	const char *lf;

	*ret = 0;
	while (!fault && i < end && (lf = memchr(bytes + i, '\n', end - i))) {
		i = (size_t)(lf - bytes);
		fault = check_line(p, bytes, i++);
		if (!fault && p->digits > 1) {
			*ret = i;
			return HTTP1_FAULT_NONE;
		}
	}
	if (!fault && p->digits == 0)
		fault = check_first_line(p, end);
	if (fault)
		return fault;
	p->scanned = end;
	return n > max ? HTTP1_FAULT_HEAD_TOO_BIG : HTTP1_FAULT_NONE;
}

/* What the very first bytes already tell. */
static enum http1_fault
check_start(enum http1_kind kind, const char *bytes, size_t n)
{
	static const char magic[] = "HTTP/1.";

	if (n == 0)
		return HTTP1_FAULT_NONE;
	if (kind == HTTP1_REQUEST)
		return bytes[0] == '\r' || http1_class(bytes[0]) & HTTP1_TOKEN
		    ? HTTP1_FAULT_NONE
		    : HTTP1_FAULT_SYNTAX;
	for (size_t i = 0; i < n && magic[i]; i++)
		if (bytes[i] != magic[i])
			return i == 5 && bytes[i] >= '0' && bytes[i] <= '9'
			    ? HTTP1_FAULT_VERSION
			    : HTTP1_FAULT_SYNTAX;
	return HTTP1_FAULT_NONE;
}

/*
 * The LF at i ends a line.  p->digits counts what was seen: 0 nothing, 1 the
 * first line, 2 the empty line that ends the head.
 */
static enum http1_fault
check_line(struct http1_parser *p, const char *bytes, size_t i)
{
	enum http1_fault fault = HTTP1_FAULT_NONE;

	if (p->digits == 0)
		fault = check_first_line(p, i);
	if (fault)
		return fault;
	if (i == 0 || bytes[i - 1] != '\r')
		return HTTP1_FAULT_SYNTAX;
	if (i > 1 && bytes[i - 2] != '\n')
		p->digits = 1;
	else if (p->digits == 1)
		p->digits = 2;
	else if (p->kind == HTTP1_RESPONSE || i > 1)
		return HTTP1_FAULT_SYNTAX;
	return HTTP1_FAULT_NONE;
}

/* n bytes, and the first line has not ended before them. */
static enum http1_fault
check_first_line(const struct http1_parser *p, size_t n)
{
	if (p->kind == HTTP1_REQUEST &&
	    n > p->limits.target_bytes + FIRST_LINE_EXTRA)
		return HTTP1_FAULT_TARGET_TOO_BIG;
	return HTTP1_FAULT_NONE;
}

enum http1_fault
http1_head_read(const struct http1_parser *p, char *bytes, size_t n,
    struct http1_head *h)
{
	struct facts facts = { .fault = HTTP1_FAULT_NONE };
	const char *at = bytes, *end = bytes + n - 2; /* the empty line */
	enum http1_fault fault;
	struct slice line;

	if (at[0] == '\r' && at[1] == '\n')
		at += 2;
	line = take_line(&at);
	h->kind = p->kind;
	h->nheaders = 0;
	h->initials = 0;
	fault = p->kind == HTTP1_REQUEST ? read_request_line(p, bytes, line, h)
	                                 : read_status_line(line, h);
	while (!fault && at < end) {
		line = take_line(&at);
		fault = read_header(line, h, &facts);
	}
	return fault ? fault : decide_framing(p, &facts, h);
}

/* The line at *at without its CRLF (the scan saw that it has one). */
static struct slice
take_line(const char **at)
{
	const char *p = *at;
	const char *lf = rawmemchr(p, '\n');

	*at = lf + 1;
	return (struct slice){ p, (size_t)(lf - p) - 1 };
}

static enum http1_fault
read_request_line(const struct http1_parser *p, char *bytes, struct slice line,
    struct http1_head *h)
{
	const char *end = line.p + line.n, *sp;
	const char *version = end - 8; /* HTTP/1.1 */
	enum http1_fault fault;

	h->status = 0;
	h->reason = (struct slice){ NULL, 0 };
	sp = memchr(line.p, ' ', line.n);
	if (!sp || version - sp < 3 || version[-1] != ' ')
		return HTTP1_FAULT_SYNTAX;
	h->method = (struct slice){ line.p, (size_t)(sp - line.p) };
	h->target = (struct slice){ sp + 1, (size_t)(version - sp) - 2 };
	if (h->method.n > METHOD_MAX || !http1_is_token(h->method) ||
	    !http1_is_target(h->target))
		return HTTP1_FAULT_SYNTAX;
	fault = read_version(version, &h->minor);
	if (!fault && h->target.n > p->limits.target_bytes)
		fault = HTTP1_FAULT_TARGET_TOO_BIG;
	return fault ? fault : read_target(bytes, h);
}

/* The four forms of RFC 9112, 3.2; servers have to take the absolute one too.
 */
static enum http1_fault
read_target(char *bytes, struct http1_head *h)
{
	struct slice behind = h->target;

	h->authority = (struct slice){ NULL, 0 };
	h->is_https = false;
	if (h->target.p[0] == '/' || slice_is(h->method, "CONNECT") ||
	    (slice_is(h->target, "*") && slice_is(h->method, "OPTIONS")))
		return HTTP1_FAULT_NONE;
	return url_skip_scheme(&behind, &h->is_https)
	    ? split_absolute(bytes, h, h->target.n - behind.n)
	    : HTTP1_FAULT_SYNTAX;
}

/*
 * Without a path it is "/", and with OPTIONS, without a query too, "*" (3.2.4).
 * That byte is written before what follows the authority, which moves over the
 * last slash of its scheme.
 */
static enum http1_fault
split_absolute(char *bytes, struct http1_head *h, size_t scheme_bytes)
{
	char *at = bytes + (h->target.p - bytes) + scheme_bytes;
	size_t left = h->target.n - scheme_bytes, n = 0;

	while (n < left && at[n] != '/' && at[n] != '?' && at[n] != '#' &&
	    at[n] != '@')
		n++;
	if (n == 0 || (n < left && at[n] != '/' && at[n] != '?'))
		return HTTP1_FAULT_SYNTAX;
	if (n == left || at[n] == '?') {
		memmove(at - 1, at, n);
		at--;
		left++;
		at[n] =
		    left == n + 1 && slice_is(h->method, "OPTIONS") ? '*' : '/';
	}
	h->authority = (struct slice){ at, n };
	h->target = (struct slice){ at + n, left - n };
	return HTTP1_FAULT_NONE;
}

static enum http1_fault
read_status_line(struct slice line, struct http1_head *h)
{
	const char *d = line.p + 9; /* the digits */
	enum http1_fault fault;

	h->method = h->target = h->authority = (struct slice){ NULL, 0 };
	if (line.n < 12 || line.p[8] != ' ')
		return HTTP1_FAULT_SYNTAX;
	fault = read_version(line.p, &h->minor);
	if (fault)
		return fault;
	h->status = 0;
	for (int i = 0; i < 3; i++) {
		if (d[i] < (i == 0 ? '1' : '0') || d[i] > '9')
			return HTTP1_FAULT_SYNTAX;
		h->status = h->status * 10 + (d[i] - '0');
	}
	h->reason = (struct slice){ d + 3, line.n - 12 };
	if (h->reason.n == 0)
		return HTTP1_FAULT_NONE;
	if (d[3] != ' ' || !http1_is_value(h->reason))
		return HTTP1_FAULT_SYNTAX;
	h->reason.p++;
	h->reason.n--;
	return HTTP1_FAULT_NONE;
}

/* v holds at least eight bytes. */
static enum http1_fault
read_version(const char *v, int *ret_minor)
{
	bool is_http = memcmp(v, "HTTP/", 5) == 0 && v[6] == '.';

	if (!is_http || v[5] < '0' || v[5] > '9' || v[7] < '0' || v[7] > '9')
		return HTTP1_FAULT_SYNTAX;
	if (v[5] != '1' || v[7] > '1')
		return HTTP1_FAULT_VERSION;
	*ret_minor = v[7] - '0';
	return HTTP1_FAULT_NONE;
}

/* A name must start at once (no obs-fold) and end with the colon (no space
 * before it). */
static enum http1_fault
read_header(struct slice line, struct http1_head *h, struct facts *facts)
{
	const char *colon = memchr(line.p, ':', line.n);
	struct slice name = { line.p, colon ? (size_t)(colon - line.p) : 0 };
	struct slice value;

	if (!http1_is_token(name))
		return HTTP1_FAULT_SYNTAX;
	value = (struct slice){ line.p + name.n + 1, line.n - name.n - 1 };
	if (!http1_is_value(value))
		return HTTP1_FAULT_SYNTAX;
	if (h->nheaders == HTTP1_HEADERS_MAX)
		return HTTP1_FAULT_MANY_FIELDS;
	value = slice_trim(value);
	h->headers[h->nheaders++] = (struct http1_header){ name, value };
	h->initials |= http1_initial(name.p[0]);
	for (size_t i = 0; i < COUNT(known); i++)
		if (known[i].n == name.n &&
		    known[i].name[0] == (name.p[0] | 0x20) &&
		    strncasecmp(known[i].name, name.p, name.n) == 0)
			known[i].fn(facts, value);
	return facts->fault;
}

static void
on_connection(struct facts *f, struct slice value)
{
	struct slice word;
	const char *comma;

	while (value.n > 0) {
		comma = memchr(value.p, ',', value.n);
		word.p = value.p;
		word.n = comma ? (size_t)(comma - value.p) : value.n;
		value.p += word.n + (comma != NULL);
		value.n -= word.n + (comma != NULL);
		word = slice_trim(word);
		f->close |= slice_is_nocase(word, "close");
		f->keep_alive |= slice_is_nocase(word, "keep-alive");
	}
}

static void
on_content_length(struct facts *f, struct slice value)
{
	uint64_t n = 0;

	f->lengths++;
	if (value.n == 0)
		f->fault = HTTP1_FAULT_SYNTAX;
	for (size_t i = 0; i < value.n && !f->fault; i++) {
		if (value.p[i] < '0' || value.p[i] > '9')
			f->fault = HTTP1_FAULT_SYNTAX;
		else
			n = n * 10 + (unsigned)(value.p[i] - '0');
		if (i >= LENGTH_DIGITS_MAX)
			f->fault = HTTP1_FAULT_BODY_TOO_BIG;
	}
	if (f->lengths > 1)
		f->fault = HTTP1_FAULT_SMUGGLING;
	f->content_bytes = n;
}

static void
on_expect(struct facts *f, struct slice value)
{
	f->expect |= slice_is_nocase(value, "100-continue");
}

static void
on_host(struct facts *f, struct slice value)
{
	if (f->hosts++ > 0 || !http1_is_target(value))
		f->fault = HTTP1_FAULT_SYNTAX;
}

static void
on_transfer_encoding(struct facts *f, struct slice value)
{
	if (f->codings++ > 0)
		f->fault = HTTP1_FAULT_SMUGGLING;
	else if (!slice_is_nocase(value, "chunked"))
		f->fault = HTTP1_FAULT_CODING;
}

/*
 * RFC 9112, section 6.3, without its leniencies: a length beside a coding, a
 * coding in HTTP/1.0 and an HTTP/1.1 request without a Host are refused.
 */
static enum http1_fault
decide_framing(const struct http1_parser *p, const struct facts *f,
    struct http1_head *h)
{
	bool is_request = p->kind == HTTP1_REQUEST;
	bool is_bare = p->to_head_request || h->status / 100 == 1 ||
	    h->status == 204 || h->status == 304;

	if (f->codings && (f->lengths || h->minor == 0))
		return HTTP1_FAULT_SMUGGLING;
	if (is_request && h->minor == 1 && f->hosts == 0)
		return HTTP1_FAULT_SYNTAX;
	h->content_bytes = f->content_bytes;
	if (!is_request && is_bare)
		h->framing = HTTP1_NO_BODY;
	else if (f->codings)
		h->framing = HTTP1_CHUNKED;
	else if (f->lengths)
		h->framing = HTTP1_LENGTH;
	else
		h->framing = is_request ? HTTP1_NO_BODY : HTTP1_TO_EOF;
	h->keep_alive = !f->close && (h->minor == 1 || f->keep_alive) &&
	    h->framing != HTTP1_TO_EOF;
	h->expect_continue = is_request && f->expect && h->minor == 1 &&
	    (h->framing == HTTP1_LENGTH || h->framing == HTTP1_CHUNKED);
	return HTTP1_FAULT_NONE;
}

size_t
http1_head_bytes(const struct http1_head *h)
{
	return offsetof(struct http1_head, headers) +
	    h->nheaders * sizeof h->headers[0];
}

const struct slice *
http1_find(const struct http1_head *h, const char *name, size_t n)
{
	/* Most that are asked for are missing: the first letter, case folded,
	 * tells nearly all others. */
	for (size_t i = 0; i < h->nheaders; i++)
		if (h->headers[i].name.n == n &&
		    (h->headers[i].name.p[0] | 0x20) == (name[0] | 0x20) &&
		    strncasecmp(h->headers[i].name.p, name, n) == 0)
			return &h->headers[i].value;
	return NULL;
}
