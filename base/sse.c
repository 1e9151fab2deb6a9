/*
 * Server-sent events, cut into blocks as they arrive.
 *
 * A block is everything up to and including its blank line.  Blocks that lie
 * whole in the bytes just fed are read where they are; only an unfinished
 * tail is kept.  Each byte passes the cutter once.
 *
 * A line may end with LF, CRLF or CR.  After the CR of a blank line the
 * cutter waits for the next byte, because an LF there belongs to the same
 * block; a block whose other lines ended with a lone CR is given at once
 * (an LF after it then starts the raw bytes of the next block and means
 * nothing).  So what comes out never depends on how the bytes were cut.
 */
#include "base/sse.h"

#include "base/mem.h"
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define SCRATCH_MAX(max) ((max) + 1)
#define ONES             UINT64_C(0x0101010101010101)
#define HIGHS            UINT64_C(0x8080808080808080)

struct cutter {
	bool in_line;  /* the current line has bytes */
	bool after_cr; /* the last byte was a CR */
	bool blank_cr; /* and it ended a blank line: LF or not? */
	bool lone_cr;  /* this block has lines that end with CR alone */
	bool skip_lf;  /* an LF here belongs to the block before */
};

struct sse_parser {
	struct buf pending; /* the unfinished block */
	struct buf joined;  /* data lines of one event */
	struct cutter cut;
	bool started; /* past the place of a byte order mark */
	bool failed;
};

static const char *find_line_end(const char *p, const char *end);
static bool cut_byte(struct cutter *c, char byte, bool *ret_before);
static enum err take_block(struct sse_parser *p, const char *bytes, size_t n,
    struct sse_item *item);
static void read_block(struct sse_parser *p, struct slice raw,
    struct sse_item *item);
static void read_line(struct sse_parser *p, struct slice line,
    struct sse_item *item);

struct sse_parser *
sse_parser_new(size_t max_bytes)
{
	struct sse_parser *p = xcalloc(1, sizeof *p);

	buf_init(&p->pending, max_bytes);
	buf_init(&p->joined, SCRATCH_MAX(max_bytes));
	return p;
}

void
sse_parser_free(struct sse_parser *p)
{
	if (!p)
		return;
	buf_done(&p->pending);
	buf_done(&p->joined);
	free(p);
}

enum err
sse_feed(struct sse_parser *p, const char *bytes, size_t n,
    bool (*on_item)(const struct sse_item *item, void *arg), void *arg)
{
	struct sse_item item;
	size_t start = 0, i = 0;
	bool before, go_on;
	enum err e = p->failed ? ERR_TOOBIG : ERR_OK;

	while (i < n && e == ERR_OK) {
		/* Inside a line nothing but its end matters. */
		if (p->cut.in_line)
			i = (size_t)(find_line_end(bytes + i, bytes + n) -
			    bytes);
		if (i == n)
			break;
		if (!cut_byte(&p->cut, bytes[i], &before)) {
			i++;
			continue;
		}
		/* The byte that shows a block's end may belong to the next
		 * block; it is then looked at again, as its first. */
		i += !before;
		e = take_block(p, bytes + start, i - start, &item);
		start = i;
		if (e != ERR_OK)
			break;
		go_on = on_item(&item, arg);
		buf_clear(&p->pending);
		if (!go_on)
			return ERR_OK;
	}
	if (e == ERR_OK && n > start)
		e = buf_add(&p->pending, bytes + start, n - start);
	p->failed = e != ERR_OK;
	return e;
}

/* The first LF or CR from p, else end; eight bytes at a time. */
static const char *
find_line_end(const char *p, const char *end)
{
	uint64_t w, lf, cr;

	for (; end - p >= 8; p += 8) {
		memcpy(&w, p, sizeof w);
		lf = w ^ (ONES * '\n');
		cr = w ^ (ONES * '\r');
		if ((((lf - ONES) & ~lf) | ((cr - ONES) & ~cr)) & HIGHS)
			break;
	}
	while (p < end && *p != '\n' && *p != '\r')
		p++;
	return p;
}

/*
 * Takes one byte; true when a block ends, *ret_before telling whether it
 * ended before this byte or with it.
 */
static bool
cut_byte(struct cutter *c, char byte, bool *ret_before)
{
	bool ended = false;

	*ret_before = false;
	if (c->blank_cr) {
		*ret_before = byte != '\n';
		*c = (struct cutter){ 0 };
		return true;
	}
	if (byte == '\n') {
		ended = !c->in_line && !c->after_cr && !c->skip_lf;
		c->in_line = c->after_cr = c->skip_lf = false;
	} else if (byte == '\r') {
		c->lone_cr |= c->after_cr;
		c->skip_lf = false;
		if (!c->in_line && c->lone_cr)
			ended = true;
		else if (!c->in_line)
			c->blank_cr = true;
		c->in_line = false;
		c->after_cr = true;
	} else {
		c->lone_cr |= c->after_cr;
		c->after_cr = c->skip_lf = false;
		c->in_line = true;
	}
	if (ended)
		*c = (struct cutter){ .skip_lf = byte == '\r' };
	return ended;
}

/* The block's last bytes are here: in place, or behind what was pending. */
static enum err
take_block(struct sse_parser *p, const char *bytes, size_t n,
    struct sse_item *item)
{
	enum err e;

	if (p->pending.len == 0 && n <= p->pending.max_bytes) {
		read_block(p, (struct slice){ bytes, n }, item);
		return ERR_OK;
	}
	e = buf_add(&p->pending, bytes, n);
	if (e == ERR_OK)
		read_block(p, (struct slice){ p->pending.data, p->pending.len },
		    item);
	return e;
}

static void
read_block(struct sse_parser *p, struct slice raw, struct sse_item *item)
{
	const char *at = raw.p, *end = raw.p + raw.n, *line;
	bool is_blank = true;

	*item = (struct sse_item){ .kind = SSE_COMMENT, .raw = raw };
	buf_clear(&p->joined);
	if (!p->started && raw.n >= 3 && memcmp(at, "\xef\xbb\xbf", 3) == 0)
		at += 3;
	p->started = true;
	while (at < end) {
		line = at;
		at = find_line_end(at, end);
		if (at > line) {
			is_blank = false;
			read_line(p,
			    (struct slice){ line, (size_t)(at - line) }, item);
		}
		at++;
	}
	if (is_blank)
		item->kind = SSE_BLANK;
}

static void
read_line(struct sse_parser *p, struct slice line, struct sse_item *item)
{
	const char *colon = memchr(line.p, ':', line.n);
	struct slice name = { line.p, line.n }, value = { line.p + line.n, 0 };

	if (colon) {
		name.n = (size_t)(colon - line.p);
		value = (struct slice){ colon + 1, line.n - name.n - 1 };
	}
	if (value.n > 0 && value.p[0] == ' ') {
		value.p++;
		value.n--;
	}
	if (slice_is(name, "event"))
		item->event = value;
	if (!slice_is(name, "data"))
		return;
	if (item->kind != SSE_EVENT) {
		item->kind = SSE_EVENT;
		item->data = value;
		return;
	}
	/* A second data line: from now on the lines are joined in a buffer
	 * that cannot overflow, since it holds less than the block does. */
	if (p->joined.len == 0)
		(void)buf_add(&p->joined, item->data.p, item->data.n);
	(void)buf_addc(&p->joined, '\n');
	(void)buf_add(&p->joined, value.p, value.n);
	item->data = (struct slice){ p->joined.data, p->joined.len };
}

struct slice
sse_pending(const struct sse_parser *p)
{
	return (struct slice){ p->pending.data, p->pending.len };
}

/* The first line of s without its end, and how long that is. */
static struct slice
line_of(struct slice s, size_t *ret_end)
{
	size_t n = (size_t)(find_line_end(s.p, s.p + s.n) - s.p);

	*ret_end = n == s.n                                  ? 0
	    : s.n - n > 1 && memcmp(s.p + n, "\r\n", 2) == 0 ? 2
	                                                     : 1;
	return (struct slice){ s.p, n };
}

/* Each line of a text behind `prefix`, with `end` behind it. */
static enum err
put_data(struct buf *b, const char *prefix, struct slice end, struct slice text)
{
	size_t n;
	enum err e;

	for (;;) {
		struct slice line = line_of(text, &n);

		if ((e = buf_adds(b, prefix)) != ERR_OK ||
		    (e = buf_add(b, line.p, line.n)) != ERR_OK ||
		    (e = buf_add(b, end.p, end.n)) != ERR_OK || n == 0)
			return e;
		text.p += line.n + n;
		text.n -= line.n + n;
	}
}

static void
cut_back(struct buf *b, size_t len)
{
	if (b->len <= len)
		return;
	b->len = len;
	b->data[len] = '\0';
}

enum err
sse_write(struct buf *b, const char *text, size_t n)
{
	size_t len = b->len;
	enum err e = put_data(b, "data: ", (struct slice){ "\n", 1 },
	    (struct slice){ text, n });

	if (e == ERR_OK)
		e = buf_addc(b, '\n');
	if (e != ERR_OK)
		cut_back(b, len);
	return e;
}

enum err
sse_retell(struct buf *b, struct slice raw, struct slice text)
{
	size_t len = b->len, n;
	bool is_told = false;
	enum err e = ERR_OK;

	while (e == ERR_OK && raw.n > 0) {
		struct slice line = line_of(raw, &n);
		bool is_data = line.n >= 4 && memcmp(line.p, "data", 4) == 0 &&
		    (line.n == 4 || line.p[4] == ':');

		/* The first data line shows how they are written. */
		if (!is_data)
			e = buf_add(b, line.p, line.n + n);
		else if (!is_told)
			e = put_data(b,
			    line.n > 5 && line.p[5] == ' ' ? "data: " : "data:",
			    (struct slice){ line.p + line.n, n }, text);
		is_told |= is_data;
		raw.p += line.n + n;
		raw.n -= line.n + n;
	}
	if (e != ERR_OK)
		cut_back(b, len);
	return e;
}
