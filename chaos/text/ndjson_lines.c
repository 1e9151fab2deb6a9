/*
 * Lines that lie whole in the bytes just fed are given where they are; only an
 * unfinished tail is kept.
 */
#include "chaos/text/ndjson_lines.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

struct ndjson_lines {
	struct buf pending;
};

struct ndjson_lines *
ndjson_lines_new(size_t max_bytes)
{
	struct ndjson_lines *l = xcalloc(1, sizeof *l);

	buf_init(&l->pending, max_bytes);
	return l;
}

void
ndjson_lines_free(struct ndjson_lines *l)
{
	if (!l)
		return;
	buf_done(&l->pending);
	free(l);
}

enum err
ndjson_lines_feed(struct ndjson_lines *l, const char *p, size_t n,
    bool (*on_item)(const struct sse_item *item, void *arg), void *arg)
{
	const char *end;

	while (n && (end = memchr(p, '\n', n))) {
		size_t len = (size_t)(end - p) + 1;
		struct slice raw = { p, len };
		struct sse_item item = { .kind = SSE_EVENT };
		bool go_on;

		if (l->pending.len + len > l->pending.max_bytes)
			return ERR_TOOBIG;
		if (l->pending.len) {
			(void)buf_add(&l->pending, p, len);
			raw = (struct slice){ l->pending.data, l->pending.len };
		}
		item.raw = raw;
		item.data = slice_trim(raw);
		go_on = on_item(&item, arg);
		buf_clear(&l->pending);
		if (!go_on)
			return ERR_OK;
		p += len;
		n -= len;
	}
	return n ? buf_add(&l->pending, p, n) : ERR_OK;
}

struct slice
ndjson_lines_pending(const struct ndjson_lines *l)
{
	return (struct slice){ l->pending.data, l->pending.len };
}
