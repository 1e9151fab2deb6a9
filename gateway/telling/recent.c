/* A ring of texts whose memory is kept: a request costs a copy of its line. */
#include "gateway/telling/recent.h"

#include "base/mem.h"
#include <stdlib.h>

#define LINES_MAX      64
#define LINE_BYTES_MAX 16384

struct recent {
	struct buf lines[LINES_MAX];
	size_t next, n;
};

struct recent *
recent_new(void)
{
	struct recent *r = xcalloc(1, sizeof *r);

	for (size_t i = 0; i < LINES_MAX; i++)
		buf_init(&r->lines[i], LINE_BYTES_MAX);
	return r;
}

void
recent_free(struct recent *r)
{
	if (!r)
		return;
	for (size_t i = 0; i < LINES_MAX; i++)
		buf_done(&r->lines[i]);
	free(r);
}

void
recent_add(struct recent *r, const struct buf *open)
{
	struct buf *line = &r->lines[r->next];

	buf_clear(line);
	if (buf_add(line, open->data, open->len) != ERR_OK ||
	    buf_addc(line, '}') != ERR_OK)
		return;
	r->next = (r->next + 1) % LINES_MAX;
	r->n += r->n < LINES_MAX;
}

void
recent_print(const struct recent *r, struct buf *out)
{
	buf_adds(out, "{\"requests\":[");
	for (size_t i = 0; i < r->n; i++) {
		const struct buf *line =
		    &r->lines[(r->next + LINES_MAX - 1 - i) % LINES_MAX];

		if (i > 0)
			buf_addc(out, ',');
		buf_add(out, line->data, line->len);
	}
	buf_adds(out, "]}\n");
}
