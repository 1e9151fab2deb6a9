/*
 * Server-sent events: each row's stream, cut at every byte, gives the same
 * items, whose raw bytes joined with the pending ones are the stream again.
 */
#include "base/sse.h"

#include "base/mem.h"
#include "tests/unit.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX 4096

struct row {
	const char *what;
	const char *in;
	const char *want; /* E event|data, C comment, B blank; then pending */
};

/* clang-format off */
static const struct row rows[] = {
	{ "one event",                  "data: a\n\n",                      "E|a;" },
	{ "no space after the colon",   "data:a\n\n",                       "E|a;" },
	{ "only one space goes",        "data:  a\n\n",                     "E| a;" },
	{ "a name",                     "event: ping\ndata: a\n\n",         "Eping|a;" },
	{ "lines are joined",           "data: a\ndata: b\ndata:\ndata: c\n\n", "E|a\nb\n\nc;" },
	{ "an empty line first",        "data\ndata: b\n\n",                "E|\nb;" },
	{ "empty data is data",         "data:\n\n",                        "E|;" },
	{ "a field without a colon",    "data\n\n",                         "E|;" },
	{ "unknown fields are nothing", "id: 1\nretry: 5\nfoo: x\ndata: a\n\n", "E|a;" },
	{ "a prefix of a name is not it", "dat: a\ndatas: b\n\n",           "C|;" },
	{ "a comment",                  ": keep-alive\n\n",                 "C|;" },
	{ "a comment inside an event",  ": c\ndata: a\n\n",                 "E|a;" },
	{ "blank lines",                "\n\n",                             "B|;B|;" },
	{ "two events",                 "data: a\n\ndata: b\n\n",           "E|a;E|b;" },
	{ "CRLF",                       "data: a\r\n\r\ndata: b\r\n\r\n",   "E|a;E|b;" },
	{ "blank CRLF",                 "\r\n\r\n",                         "B|;B|;" },
	{ "CR alone",                   "data: a\r\rdata: b\r\r",           "E|a;E|b;" },
	{ "CR alone in an event",       "data: a\rdata: b\r\r",             "E|a\nb;" },
	{ "LF then blank CRLF",         "data: a\n\r\n",                    "E|a;" },
	{ "LF then blank CR",           "data: a\n\rdata: b\n\n",           "E|a;E|b;" },
	{ "a byte order mark",          "\xef\xbb\xbf" "data: a\n\n",       "E|a;" },
	{ "not in a later event",       "data: a\n\n\xef\xbb\xbf" "data: b\n\n", "E|a;C|;" },
	{ "UTF-8 is left alone",        "data: \xe2\x82\xac\n\n",           "E|\xe2\x82\xac;" },
	{ "the end is missing",         "data: a\n",                        "p:data: a\n" },
	{ "cut in the next event",      "data: a\n\ndata: [DO",             "E|a;p:data: [DO" },
	{ "done",                       "data: [DONE]\n\n",                 "E|[DONE];" },
	{ "a colon in the data",        "data: {\"a\":1}\n\n",              "E|{\"a\":1};" },
};
/* clang-format on */

struct seen {
	struct buf text, raw;
	int items, stop_after;
};

static bool
on_item(const struct sse_item *item, void *arg)
{
	static const char kinds
	    [] = { [SSE_EVENT] = 'E', [SSE_COMMENT] = 'C', [SSE_BLANK] = 'B' };
	struct seen *s = arg;

	buf_addf(&s->text, "%c" SLICE_FMT "|" SLICE_FMT ";", kinds[item->kind],
	    SLICE_ARG(item->event), SLICE_ARG(item->data));
	buf_add(&s->raw, item->raw.p, item->raw.n);
	return ++s->items != s->stop_after;
}

static void
seen_init(struct seen *s)
{
	*s = (struct seen){ 0 };
	buf_init(&s->text, MAX);
	buf_init(&s->raw, MAX);
}

static void
seen_done(struct seen *s)
{
	buf_done(&s->text);
	buf_done(&s->raw);
}

/* Feeds a copy of exactly n bytes. */
static enum err
feed_exact(struct sse_parser *p, const char *in, size_t n, struct seen *s)
{
	char *exact = xmemdup(in, n);
	enum err e = sse_feed(p, exact, n, on_item, s);

	free(exact);
	return e;
}

static void
check_row(const struct row *r, size_t cut, size_t step)
{
	struct sse_parser *p = sse_parser_new(MAX);
	struct seen s;
	struct slice rest;
	size_t n = strlen(r->in), m;

	seen_init(&s);
	CHECK_INT(feed_exact(p, r->in, cut, &s), ERR_OK, r->what);
	for (size_t at = cut; at < n; at += m) {
		m = n - at < step ? n - at : step;
		CHECK_INT(feed_exact(p, r->in + at, m, &s), ERR_OK, r->what);
	}
	rest = sse_pending(p);
	if (rest.n > 0)
		buf_addf(&s.text, "p:" SLICE_FMT, SLICE_ARG(rest));
	CHECK_STR(s.text.data, r->want, r->what);
	buf_add(&s.raw, rest.p, rest.n);
	CHECK_STR(s.raw.data, r->in, r->what);
	seen_done(&s);
	sse_parser_free(p);
}

static void
check_caps(void)
{
	struct sse_parser *p = sse_parser_new(16);
	struct seen s;

	seen_init(&s);
	CHECK_INT(feed_exact(p, "data: 12345678\n\n", 16, &s), ERR_OK,
	    "a block at the cap");
	CHECK_INT(feed_exact(p, "data: 1234", 10, &s), ERR_OK, "half a block");
	CHECK_INT(feed_exact(p, "56789\n\n", 7, &s), ERR_TOOBIG,
	    "that grows past the cap");
	CHECK_INT(feed_exact(p, "data: 1\n\n", 9, &s), ERR_TOOBIG,
	    "stays an error");
	CHECK_INT(s.items, 1, "one item came");
	sse_parser_free(p);
	p = sse_parser_new(16);
	CHECK_INT(feed_exact(p, "data: 123456789\n\n", 17, &s), ERR_TOOBIG,
	    "past the cap in one piece");
	sse_parser_free(p);
	seen_done(&s);
}

static void
check_stopping(void)
{
	struct sse_parser *p = sse_parser_new(MAX);
	struct seen s;

	seen_init(&s);
	s.stop_after = 1;
	CHECK_INT(feed_exact(p, "data: a\n\ndata: b\n\n", 18, &s), ERR_OK,
	    "stopping is no error");
	CHECK_STR(s.text.data, "E|a;", "nothing comes after the stop");
	seen_done(&s);
	sse_parser_free(p);
}

static void
check_writing(void)
{
	static const struct {
		const char *text, *want;
	} out[] = {
		{ "a", "data: a\n\n" },
		{ "", "data: \n\n" },
		{ "a\nb", "data: a\ndata: b\n\n" },
		{ "a\r\nb\rc", "data: a\ndata: b\ndata: c\n\n" },
		{ "a\n", "data: a\ndata: \n\n" },
	};
	struct buf b;

	for (size_t i = 0; i < COUNT(out); i++) {
		buf_init(&b, MAX);
		CHECK_INT(sse_write(&b, out[i].text, strlen(out[i].text)),
		    ERR_OK, out[i].text);
		CHECK_STR(b.data, out[i].want, out[i].text);
		buf_done(&b);
	}
	buf_init(&b, 16);
	buf_adds(&b, "keep");
	CHECK_INT(sse_write(&b, "0123456789", 10), ERR_TOOBIG, "the cap");
	CHECK_STR(b.data, "keep", "leaves the buffer alone");
	buf_done(&b);
}

/* Another text in a block's data: all else stays. */
static void
check_retelling(void)
{
	static const struct {
		const char *raw, *text, *want;
	} told[] = {
		{ "data: a\n\n", "b", "data: b\n\n" },
		{ "data:a\n\n", "b", "data:b\n\n" },
		{ "data: 7\nid: 7\n\n", "8", "data: 8\nid: 7\n\n" },
		{ "id: 7\ndata: 7\n\n", "8", "id: 7\ndata: 8\n\n" },
		{ ": x\r\nevent: e\r\ndata: a\r\ndata: b\r\nretry: 1\r\n\r\n",
		    "c\nd",
		    ": x\r\nevent: e\r\ndata: c\r\ndata: d\r\nretry: 1\r\n"
		    "\r\n" },
		{ "data\rdatas: 1\r\r", "b", "data:b\rdatas: 1\r\r" },
		{ "data: a\n\n", "", "data: \n\n" },
	};
	struct buf b;

	for (size_t i = 0; i < COUNT(told); i++) {
		buf_init(&b, MAX);
		CHECK_INT(sse_retell(&b, slice_of(told[i].raw),
		              slice_of(told[i].text)),
		    ERR_OK, told[i].raw);
		CHECK_STR(b.data, told[i].want, told[i].raw);
		buf_done(&b);
	}
	buf_init(&b, 16);
	buf_adds(&b, "keep");
	CHECK_INT(sse_retell(&b, slice_of("data: a\n\n"),
	              slice_of("0123456789")),
	    ERR_TOOBIG, "the cap");
	CHECK_STR(b.data, "keep", "leaves the buffer alone");
	buf_done(&b);
}

void t_sse(void);

void
t_sse(void)
{
	for (size_t i = 0; i < COUNT(rows); i++) {
		for (size_t cut = 0; cut <= strlen(rows[i].in); cut++)
			check_row(&rows[i], cut, MAX);
		check_row(&rows[i], 0, 1);
	}
	check_caps();
	check_stopping();
	check_writing();
	check_retelling();
}
