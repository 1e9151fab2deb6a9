/*
 * What the speeches share: pieces, token counts, and a value on the wire.
 */
#include "chaos/text/speech.h"

#include <stdlib.h>
#include <string.h>

#include "base/sse.h"

#define PIECE_BYTES     24
#define BYTES_PER_TOKEN 4
#define EVENT_MAX       (1u << 20)

enum err
speech_whole(const struct speech *s, const struct completion *c,
    struct buf *out)
{
	json_t *v = s->whole(c);
	char *text = v ? json_dumps(v, JSON_COMPACT) : NULL;
	enum err e = text ? buf_adds(out, text) : ERR_SYNTAX;

	free(text);
	json_decref(v);
	return e;
}

static void
send_out(const struct speech_out *out, json_t *v, bool is_line)
{
	const char *type = json_string_value(json_object_get(v, "type"));
	char *text = v ? json_dumps(v, JSON_COMPACT) : NULL;
	struct buf b;

	buf_init(&b, EVENT_MAX);
	if (text && is_line)
		buf_addf(&b, "%s\n", text);
	else if (text && type)
		buf_addf(&b, "event: %s\n", type);
	if (text && !is_line)
		(void)sse_write(&b, text, strlen(text));
	if (b.len)
		out->on_event(b.data, b.len, out->arg);
	buf_done(&b);
	free(text);
	json_decref(v);
}

void
speech_event(const struct speech_out *out, json_t *v)
{
	send_out(out, v, false);
}

void
speech_line(const struct speech_out *out, json_t *v)
{
	send_out(out, v, true);
}

/* No more than a piece, and no torn UTF-8. */
bool
speech_piece(struct slice *left, struct slice *ret)
{
	size_t n = left->n < PIECE_BYTES ? left->n : PIECE_BYTES;

	while (n < left->n && ((unsigned char)left->p[n] & 0xc0) == 0x80)
		n++;
	*ret = (struct slice){ left->p, n };
	left->p += n;
	left->n -= n;
	return n > 0;
}

json_int_t
speech_tokens(uint64_t bytes)
{
	return (json_int_t)((bytes + BYTES_PER_TOKEN - 1) / BYTES_PER_TOKEN);
}

json_int_t
speech_tokens_out(const struct completion *c)
{
	return speech_tokens(c->tool ? strlen(c->arguments) : c->content.n);
}
