/*
 * asciinema v2: a header object, then [seconds, "o", bytes] a line.  The
 * bytes are those that a terminal would get from the live view.
 */
#include "demo/cast.h"

#include <jansson.h>

#define PAINT_BYTES_MAX (4u << 20)

unsigned
cast_hold_ms(const struct cast *c, const struct beat *b)
{
	return (unsigned)((uint64_t)b->hold_ms * c->percent / 100);
}

static void
write_event(FILE *f, uint64_t at_ms, const struct buf *bytes)
{
	char *text = json_dumps(json_stringn_nocheck(bytes->data, bytes->len),
	    JSON_ENCODE_ANY | JSON_ENSURE_ASCII);

	fprintf(f, "[%llu.%03llu, \"o\", %s]\n",
	    (unsigned long long)(at_ms / 1000),
	    (unsigned long long)(at_ms % 1000), text);
	free(text);
}

enum err
cast_write(const struct cast *c, const struct story *s, FILE *f)
{
	struct screen pictures[2];
	struct buf bytes;
	uint64_t at_ms = 0;

	screen_init(&pictures[0], c->width, c->height);
	screen_init(&pictures[1], c->width, c->height);
	buf_init(&bytes, PAINT_BYTES_MAX);
	fprintf(f,
	    "{\"version\": 2, \"width\": %u, \"height\": %u, \"title\": "
	    "\"KernelForge\", \"env\": {\"TERM\": \"xterm-256color\"}}\n",
	    pictures[0].width, pictures[0].height);
	for (size_t i = 0; i < s->nbeats; i++) {
		struct screen *now = &pictures[i % 2];

		layout_draw(s, i + 1, c->explains, now);
		buf_clear(&bytes);
		screen_paint(i > 0 ? &pictures[(i + 1) % 2] : NULL, now, true,
		    &bytes);
		write_event(f, at_ms, &bytes);
		at_ms += cast_hold_ms(c, &s->beats[i]);
	}
	/* The last picture stands as long as the others of its kind. */
	buf_clear(&bytes);
	buf_adds(&bytes, "\r\n");
	write_event(f, at_ms, &bytes);
	buf_done(&bytes);
	screen_done(&pictures[0]);
	screen_done(&pictures[1]);
	return ferror(f) ? ERR_IO : ERR_OK;
}
