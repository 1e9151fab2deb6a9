/*
 * asciinema v2: a header object, then [seconds, "o", bytes] a line.  The
 * bytes are those that a terminal would get from the live view.
 */
#include "demo/cast.h"

#include <jansson.h>
#include <stdlib.h>

#define PAINT_BYTES_MAX (4u << 20)

unsigned
cast_parts(const struct cast *c)
{
	return (c->explains ? LAYOUT_EXPLAINED : 0u) |
	    (c->only == 0 ? LAYOUT_COUNTED : 0u);
}

unsigned
cast_hold_ms(const struct cast *c, const struct beat *b)
{
	return (unsigned)((uint64_t)b->hold_ms * c->percent / 100);
}

static void
write_event(FILE *f, uint64_t at_ms, const struct buf *bytes)
{
	json_t *data = json_stringn_nocheck(bytes->data, bytes->len);
	char *text = json_dumps(data, JSON_ENCODE_ANY | JSON_ENSURE_ASCII);

	fprintf(f, "[%llu.%03llu, \"o\", %s]\n",
	    (unsigned long long)(at_ms / 1000),
	    (unsigned long long)(at_ms % 1000), text);
	free(text);
	json_decref(data);
}

enum err
cast_write(const struct cast *c, const struct story *s, FILE *f)
{
	struct screen pictures[2];
	struct buf bytes;
	size_t first = c->only > 0 ? c->only - 1 : 0;
	size_t last = c->only > 0 ? c->only : s->nbeats;
	uint64_t at_ms = 0;

	screen_init(&pictures[0], c->width, c->height);
	screen_init(&pictures[1], c->width, c->height);
	buf_init(&bytes, PAINT_BYTES_MAX);
	fprintf(f,
	    "{\"version\": 2, \"width\": %u, \"height\": %u, \"title\": "
	    "\"KernelForge\", \"env\": {\"TERM\": \"xterm-256color\"}}\n",
	    pictures[0].width, pictures[0].height);
	for (size_t i = first; i < last; i++) {
		struct screen *now = &pictures[i % 2];

		layout_draw(s, i + 1, cast_parts(c), now);
		buf_clear(&bytes);
		screen_paint(i > first ? &pictures[(i + 1) % 2] : NULL, now,
		    true, &bytes);
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

static json_t *
lines_json(const struct beat *b)
{
	json_t *lines = json_array();

	for (size_t l = 0; l < b->nlines; l++)
		json_array_append_new(lines,
		    json_sprintf("%s %s", b->lines[l].mark, b->lines[l].text));
	return lines;
}

enum err
cast_write_beats(const struct cast *c, const struct story *s, FILE *f)
{
	uint64_t at_ms = 0;

	for (size_t i = 0; i < s->nbeats; i++) {
		const struct beat *b = &s->beats[i];
		unsigned hold_ms = cast_hold_ms(c, b);
		json_t *line = json_pack("{sI sI sI ss ss ss si sb ss so}",
		    "beat", (json_int_t)i + 1, "at_ms", (json_int_t)at_ms,
		    "hold_ms", (json_int_t)hold_ms, "pane",
		    story_pane_name(b->pane), "kind", story_kind_name(b->kind),
		    "op", b->op, "try", b->number, "update", b->is_update,
		    "explain", b->explain, "lines", lines_json(b));
		char *text = json_dumps(line, JSON_COMPACT);

		fprintf(f, "%s\n", text);
		free(text);
		json_decref(line);
		at_ms += hold_ms;
	}
	return ferror(f) ? ERR_IO : ERR_OK;
}

enum err
cast_write_text(const struct cast *c, const struct story *s, FILE *f)
{
	char row[SCREEN_WIDTH_MAX * 4 + 1];
	struct screen picture;

	screen_init(&picture, c->width, c->height);
	layout_draw(s, c->only, cast_parts(c), &picture);
	for (unsigned y = 0; y < picture.height; y++) {
		screen_row(&picture, y, row);
		fprintf(f, "%s\n", row);
	}
	screen_done(&picture);
	return ferror(f) ? ERR_IO : ERR_OK;
}
