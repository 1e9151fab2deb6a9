/*
 * The codec.  Every file NAME.http of tests/data/http1/good and hostile is
 * parsed whole, a byte at a time, and cut in two at every place; what comes
 * out must be NAME.want each time.  The bytes are handed over in blocks of
 * their exact size, so that sanitizers see a step too far.  To add a case:
 * write NAME.http ("req-..." or "res-...") and its NAME.want.
 */
#include "base/http1_priv.h"

#include "base/files.h"
#include "base/mem.h"
#include "tests/unit.h"
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DATA     "tests/data/http1/"
#define DUMP_MAX (4u << 20)

/* ---- events as text */

struct dump {
	struct buf text;
	struct buf body;
};

static const char *const framing_names[] = {
	[HTTP1_NO_BODY] = "no body",
	[HTTP1_LENGTH] = "length",
	[HTTP1_CHUNKED] = "chunked",
	[HTTP1_TO_EOF] = "to eof",
};

static void
dump_bytes(struct buf *b, const char *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (p[i] >= ' ' && p[i] <= '~' && p[i] != '\\')
			buf_addc(b, p[i]);
		else
			buf_addf(b, "\\x%02x", (unsigned char)p[i]);
}

static void
dump_head(struct buf *b, const struct http1_head *h)
{
	if (h->kind == HTTP1_REQUEST)
		buf_addf(b, "request " SLICE_FMT " " SLICE_FMT,
		    SLICE_ARG(h->method), SLICE_ARG(h->target));
	else
		buf_addf(b, "response %d [" SLICE_FMT "]", h->status,
		    SLICE_ARG(h->reason));
	if (h->authority.n)
		buf_addf(b, " at " SLICE_FMT "%s", SLICE_ARG(h->authority),
		    h->is_https ? " by https" : "");
	buf_addf(b, " HTTP/1.%d, %s", h->minor, framing_names[h->framing]);
	if (h->framing == HTTP1_LENGTH)
		buf_addf(b, " %llu", (unsigned long long)h->content_bytes);
	buf_addf(b, "%s%s\n", h->keep_alive ? ", keep-alive" : "",
	    h->expect_continue ? ", expects 100" : "");
	for (size_t i = 0; i < h->nheaders; i++) {
		buf_adds(b, "  ");
		dump_bytes(b, h->headers[i].name.p, h->headers[i].name.n);
		buf_adds(b, ": [");
		dump_bytes(b, h->headers[i].value.p, h->headers[i].value.n);
		buf_adds(b, "]\n");
	}
}

static void
dump_end(struct dump *d, const char *how)
{
	if (d->body.len > 0) {
		buf_adds(&d->text, "body ");
		dump_bytes(&d->text, d->body.data, d->body.len);
		buf_adds(&d->text, "\n");
	}
	buf_clear(&d->body);
	buf_addf(&d->text, "%s\n", how);
}

static void
dump_event(struct dump *d, enum http1_event ev, const struct http1_parser *p,
    const struct http1_head *h)
{
	char text[128];

	if (ev == HTTP1_HEAD)
		dump_head(&d->text, h);
	else if (ev == HTTP1_DATA)
		buf_add(&d->body, p->data.p, p->data.n);
	else if (ev == HTTP1_END)
		dump_end(d, "end");
	else if (ev == HTTP1_ERROR) {
		(void)snprintf(text, sizeof text, "refused %d: %s",
		    http1_fault_status(p->fault), http1_fault_text(p->fault));
		dump_end(d, text);
	}
}

/* Parses in[0..n) as far as it goes; returns how much was used. */
static size_t
parse_some(struct http1_parser *p, struct dump *d, const char *in, size_t n,
    enum http1_event *ret_last)
{
	char *exact = xmemdup(in, n);
	struct http1_head head = { .nheaders = 0 };
	size_t at = 0, used;

	do {
		*ret_last = http1_parse(p, exact + at, n - at, &used, &head);
		at += used;
		dump_event(d, *ret_last, p, &head);
	} while (*ret_last != HTTP1_MORE && *ret_last != HTTP1_ERROR);
	free(exact);
	return at;
}

/*
 * The dump of in[0..n), handed over in steps that end at `first` and then
 * every `step` bytes.  Owned.
 */
static char *
dump_of(enum http1_kind kind, const char *in, size_t n, size_t first,
    size_t step)
{
	struct http1_parser p;
	struct dump d;
	struct http1_head none = { .nheaders = 0 };
	enum http1_event ev = HTTP1_MORE;
	size_t at = 0, have = first;

	buf_init(&d.text, DUMP_MAX);
	buf_init(&d.body, DUMP_MAX);
	http1_parser_init(&p, kind, NULL);
	for (;;) {
		at += parse_some(&p, &d, in + at, have - at, &ev);
		if (ev == HTTP1_ERROR || have == n)
			break;
		have = n - have < step ? n : have + step;
	}
	if (ev == HTTP1_MORE) {
		ev = http1_parse_eof(&p);
		dump_event(&d, ev, &p, &none);
		buf_adds(&d.text,
		    ev == HTTP1_MORE ? "eof between messages\n" : "eof\n");
	}
	buf_done(&d.body);
	return buf_take(&d.text);
}

/* ---- the data folders */

static void
check_splits(const char *name, enum http1_kind kind, const char *in, size_t n,
    const char *want)
{
	char *got, what[256];

	got = dump_of(kind, in, n, n, n);
	CHECK_STR(got, want, name);
	free(got);
	got = dump_of(kind, in, n, n > 0, 1);
	(void)snprintf(what, sizeof what, "%s, byte by byte", name);
	CHECK_STR(got, want, what);
	free(got);
	for (size_t cut = 1; cut < n; cut++) {
		got = dump_of(kind, in, n, cut, n);
		(void)snprintf(what, sizeof what, "%s, cut at %zu", name, cut);
		CHECK_STR(got, want, what);
		free(got);
	}
}

static void
check_case(const char *dir, const char *file, bool is_hostile)
{
	char *base = xstrndup(file, strlen(file) - strlen(".http"));
	char *in_path = xasprintf("%s/%s.http", dir, base);
	char *want_path = xasprintf("%s/%s.want", dir, base);
	char *in = NULL, *want = NULL;
	size_t n = 0;

	CHECK_INT(files_read(in_path, DUMP_MAX, &in, &n, NULL), ERR_OK, file);
	CHECK_INT(files_read(want_path, DUMP_MAX, &want, NULL, NULL), ERR_OK,
	    want_path);
	if (in && want) {
		check_splits(base,
		    strncmp(base, "res-", 4) == 0 ? HTTP1_RESPONSE
		                                  : HTTP1_REQUEST,
		    in, n, want);
		CHECK(is_hostile == (strstr(want, "refused") != NULL), base);
	}
	free(in);
	free(want);
	free(in_path);
	free(want_path);
	free(base);
}

static void
check_folder(const char *dir, bool is_hostile)
{
	DIR *d = opendir(dir);
	struct dirent *e;
	int cases = 0;

	CHECK(d != NULL, dir);
	if (!d)
		return;
	while ((e = readdir(d))) {
		if (!strstr(e->d_name, ".http"))
			continue;
		check_case(dir, e->d_name, is_hostile);
		cases++;
	}
	closedir(d);
	CHECK(cases >= 20, dir);
}

/* ---- caps: heads too long for files, made by repetition */

struct cap_row {
	const char *what;
	struct http1_limits limits;
	const char *before, *repeated;
	size_t times;
	const char *after;
	enum http1_kind kind;
	enum http1_fault fault;
};

#define REQ  HTTP1_REQUEST
#define RES  HTTP1_RESPONSE
#define GET  "GET / HTTP/1.1\r\nHost: h\r\n"
#define POST "POST / HTTP/1.1\r\nHost: h\r\n"
#define CHKD POST "Transfer-Encoding: chunked\r\n\r\n"

/* clang-format off */
static const struct cap_row cap_rows[] = {
	{ "a target at its cap",           { 0 },           "GET /", "a",      8191, " HTTP/1.1\r\nHost: h\r\n\r\n", REQ, HTTP1_FAULT_NONE },
	{ "a target one past it",          { 0 },           "GET /", "a",      8192, " HTTP/1.1\r\nHost: h\r\n\r\n", REQ, HTTP1_FAULT_TARGET_TOO_BIG },
	{ "a first line without end",      { 0 },           "GET /", "a",     99999, "", REQ, HTTP1_FAULT_TARGET_TOO_BIG },
	{ "a small cap on targets",        { 0, 4, 0 },     "GET /", "a",         4, " HTTP/1.1\r\nHost: h\r\n\r\n", REQ, HTTP1_FAULT_TARGET_TOO_BIG },
	{ "a head without end",            { 0 },           GET,     "a: b\r\n", 12000, "", REQ, HTTP1_FAULT_HEAD_TOO_BIG },
	{ "a header without end",          { 0 },           GET "a: ", "b",  70000, "", REQ, HTTP1_FAULT_HEAD_TOO_BIG },
	{ "an ended head past its cap",    { 64, 0, 0 },    GET "a: ", "b",     64, "\r\n\r\n", REQ, HTTP1_FAULT_HEAD_TOO_BIG },
	{ "a status line without end",     { 0 },           "HTTP/1.1 200 ", "a", 70000, "", RES, HTTP1_FAULT_HEAD_TOO_BIG },
	{ "as many headers as there may be", { 0 },         GET,     "a:b\r\n",  127, "\r\n", REQ, HTTP1_FAULT_NONE },
	{ "one header more",               { 0 },           GET,     "a:b\r\n",  128, "\r\n", REQ, HTTP1_FAULT_MANY_FIELDS },
	{ "a body at its cap",             { 0, 0, 5 },     POST "Content-Length: 5\r\n\r\n", "x", 5, "", REQ, HTTP1_FAULT_NONE },
	{ "a length past the cap",         { 0, 0, 5 },     POST "Content-Length: 6\r\n\r\n", "x", 6, "", REQ, HTTP1_FAULT_BODY_TOO_BIG },
	{ "chunks at the cap",             { 0, 0, 5 },     CHKD, "1\r\nx\r\n",    5, "0\r\n\r\n", REQ, HTTP1_FAULT_NONE },
	{ "chunks past the cap",           { 0, 0, 5 },     CHKD, "1\r\nx\r\n",    6, "0\r\n\r\n", REQ, HTTP1_FAULT_BODY_TOO_BIG },
	{ "one chunk past the cap",        { 0, 0, 5 },     CHKD, "",              1, "fffffffffffffff\r\n", REQ, HTTP1_FAULT_BODY_TOO_BIG },
	{ "an answer to eof past the cap", { 0, 0, 5 },     "HTTP/1.1 200 OK\r\n\r\n", "x", 6, "", RES, HTTP1_FAULT_BODY_TOO_BIG },
	{ "extensions past their cap",     { 0 },           CHKD "1;", "e",     2000, "\r\nx\r\n0\r\n\r\n", REQ, HTTP1_FAULT_HEAD_TOO_BIG },
	{ "white space past their cap",    { 0 },           CHKD "1", " ",    2000, ";e\r\nx\r\n0\r\n\r\n", REQ, HTTP1_FAULT_HEAD_TOO_BIG },
	{ "extensions that add up",        { 0 },           CHKD, "1;ee\r\nx\r\n", 500, "0\r\n\r\n", REQ, HTTP1_FAULT_HEAD_TOO_BIG },
	{ "trailers without end",          { 0 },           CHKD "0\r\n", "a:b\r\n", 30000, "", REQ, HTTP1_FAULT_HEAD_TOO_BIG },
};
/* clang-format on */

static enum http1_fault
fault_of(const struct cap_row *r, char *in, size_t n, size_t step)
{
	struct http1_parser p;
	struct http1_head head = { .nheaders = 0 };
	size_t at = 0, used, have = 0;
	enum http1_event ev;

	http1_parser_init(&p, r->kind, &r->limits);
	do {
		have = n - have < step ? n : have + step;
		do {
			ev = http1_parse(&p, in + at, have - at, &used, &head);
			at += used;
		} while (ev != HTTP1_MORE && ev != HTTP1_ERROR);
	} while (ev == HTTP1_MORE && have < n);
	return p.fault;
}

static void
check_caps(void)
{
	const struct cap_row *r;
	struct buf in;

	for (size_t i = 0; i < COUNT(cap_rows); i++) {
		r = &cap_rows[i];
		buf_init(&in, DUMP_MAX);
		buf_adds(&in, r->before);
		for (size_t k = 0; k < r->times; k++)
			buf_adds(&in, r->repeated);
		buf_adds(&in, r->after);
		CHECK_INT(fault_of(r, in.data, in.len, in.len), r->fault,
		    r->what);
		CHECK_INT(fault_of(r, in.data, in.len, 1), r->fault, r->what);
		CHECK_INT(fault_of(r, in.data, in.len, 4093), r->fault,
		    r->what);
		buf_done(&in);
	}
}

/* ---- single promises */

static void
check_head_requests(void)
{
	char in[] = "HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n";
	struct http1_parser p;
	struct http1_head h = { .nheaders = 0 };
	size_t used;

	http1_parser_init(&p, HTTP1_RESPONSE, NULL);
	p.to_head_request = true;
	CHECK_INT(http1_parse(&p, in, sizeof in - 1, &used, &h), HTTP1_HEAD,
	    "the answer to HEAD has a head");
	CHECK_INT(h.framing, HTTP1_NO_BODY, "and no body");
	CHECK_INT(h.content_bytes, 99, "whatever its length says");
	CHECK(h.keep_alive, "and the connection stays");
	CHECK_INT(http1_parse(&p, in + used, 0, &used, &h), HTTP1_END,
	    "it ends at once");
	CHECK(http1_get(&h, "CONTENT-LENGTH") != NULL, "names fold case");
	CHECK(http1_get(&h, "content") == NULL, "but match whole");
}

struct write_row {
	const char *what;
	struct http1_field field;
	enum http1_framing framing;
	const char *want; /* NULL: refused */
};

/* clang-format off */
static const struct write_row write_rows[] = {
	{ "a length",               { "A", "b" },         HTTP1_LENGTH,  "HTTP/1.1 200 OK\r\nA: b\r\nContent-Length: 12\r\n\r\n" },
	{ "chunks",                 { "A", "b" },         HTTP1_CHUNKED, "HTTP/1.1 200 OK\r\nA: b\r\nTransfer-Encoding: chunked\r\n\r\n" },
	{ "no framing",             { "A", "" },          HTTP1_TO_EOF,  "HTTP/1.1 200 OK\r\nA: \r\n\r\n" },
	{ "CRLF in a value",        { "A", "b\r\nC: d" }, HTTP1_LENGTH,  NULL },
	{ "LF in a value",          { "A", "b\nC: d" },   HTTP1_LENGTH,  NULL },
	{ "a control byte",         { "A", "b\x01" },     HTTP1_LENGTH,  NULL },
	{ "a colon in a name",      { "A:", "b" },        HTTP1_LENGTH,  NULL },
	{ "an empty name",          { "", "b" },          HTTP1_LENGTH,  NULL },
	{ "a caller's length",      { "content-length", "1" }, HTTP1_LENGTH, NULL },
	{ "a caller's coding",      { "Transfer-Encoding", "chunked" }, HTTP1_LENGTH, NULL },
};
/* clang-format on */

static void
check_writing(void)
{
	const struct write_row *r;
	struct buf b;
	enum err e;

	for (size_t i = 0; i < COUNT(write_rows); i++) {
		r = &write_rows[i];
		buf_init(&b, 1024);
		buf_adds(&b, "before ");
		e = http1_write_response(&b, 200, &r->field, 1, r->framing, 12);
		CHECK_INT(e, r->want ? ERR_OK : ERR_SYNTAX, r->what);
		CHECK_STR(b.data + 7, r->want ? r->want : "", r->what);
		buf_done(&b);
	}
	buf_init(&b, 1024);
	CHECK_INT(http1_put_request(&b, "POST", "/v1"), ERR_OK, "a request");
	CHECK_STR(b.data, "POST /v1 HTTP/1.1\r\n", "a request");
	CHECK_INT(http1_put_request(&b, "GET", "/ HTTP/1.1\r\nA: b"),
	    ERR_SYNTAX, "a target with a line end");
	CHECK_INT(http1_write_response(&b, 99, NULL, 0, HTTP1_LENGTH, 0),
	    ERR_SYNTAX, "a status of two digits");
	buf_done(&b);
}

static void
check_chunk_sizes(void)
{
	static const struct {
		uint64_t n;
		const char *want;
	} rows[] = {
		{ 0, "0\r\n" },
		{ 9, "9\r\n" },
		{ 16, "10\r\n" },
		{ 255, "ff\r\n" },
		{ 0xabcdef0123, "abcdef0123\r\n" },
		{ UINT64_MAX, "ffffffffffffffff\r\n" },
	};
	char out[20];

	for (size_t i = 0; i < COUNT(rows); i++) {
		CHECK_INT(http1_chunk_open(out, rows[i].n),
		    strlen(rows[i].want), rows[i].want);
		CHECK_STR(out, rows[i].want, "a chunk size");
	}
}

/* Looked at many at once or one by one, bytes are of the same class: every byte
 * at every place of every length. */
static void
check_classes(void)
{
	static const struct {
		unsigned class;
		bool (*is_of)(struct slice s);
	} classes[] = {
		{ HTTP1_TOKEN, http1_is_token },
		{ HTTP1_TARGET, http1_is_target },
		{ HTTP1_VALUE, http1_is_value },
	};
	char text[40];
	struct slice s = { text, 0 };

	for (size_t k = 0; k < COUNT(classes); k++)
		for (size_t n = 1; n <= sizeof text; n++)
			for (size_t at = 0; at < n; at++)
				for (int c = 0; c < 256; c++) {
					memset(text, 'Q', n);
					text[at] = (char)c;
					s.n = n;
					CHECK_INT(classes[k].is_of(s),
					    (http1_class((char)c) &
					        classes[k].class) != 0,
					    "a byte's class");
				}
}

void t_http1(void);

void
t_http1(void)
{
	check_folder(DATA "good", false);
	check_folder(DATA "hostile", true);
	check_caps();
	check_head_requests();
	check_writing();
	check_chunk_sizes();
	check_classes();
	for (int f = 0; f < HTTP1_NFAULTS; f++)
		CHECK(http1_fault_text((enum http1_fault)f) != NULL,
		    "every fault has a text");
}
