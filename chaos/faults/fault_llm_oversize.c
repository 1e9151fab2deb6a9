/*
 * llm_oversize{bytes}: the model talks far too much: so many bytes more, in
 * front of what it would have said.  In front, because the first piece of a
 * stream is known when it comes and the last is not; places that say the text
 * again say the same.
 */
#include <string.h>

#include "base/buf.h"
#include "chaos/faults/editstage.h"
#include "chaos/rules/fault.h"

#define BYTES_MAX 8000000
#define FILLER    "Let me think about this in some more detail. "

struct conf {
	int64_t bytes;
};

static const struct jfield fields[] = {
	{ "bytes", JF_INT, 0, 1, BYTES_MAX, offsetof(struct conf, bytes),
	    NULL },
};

struct oversize {
	struct edit edit; /* first: it is an editor's memory */
	bool is_said;
};

static void
defaults(void *conf)
{
	((struct conf *)conf)->bytes = 1000000;
}

static void
grow(const struct conf *c, struct slice json, struct jspan at,
    struct splices *s)
{
	struct buf longer;
	struct jtext text;

	if (!edit_span_text(json, at, &text))
		return;
	buf_init(&longer, (size_t)c->bytes + text.n + sizeof FILLER);
	while (longer.len + strlen(FILLER) <= (size_t)c->bytes)
		buf_adds(&longer, FILLER);
	while (longer.len < (size_t)c->bytes)
		buf_addc(&longer, '.');
	buf_add(&longer, text.p, text.n);
	edit_span_string(s, at, (struct slice){ longer.data, longer.len });
	buf_done(&longer);
	jtext_done(&text);
}

static enum edit_result
on_text(struct edit *e, struct slice json, struct buf *out)
{
	struct oversize *o = (struct oversize *)e;
	const struct conf *c = shot_conf(e->shot);
	struct dialect_hit hits[DIALECT_HITS];
	struct splices s = { .n = 0 };
	size_t n = dialect_hits(e->dialect, json, DIALECT_TEXT, hits);

	for (size_t i = 0; i < n; i++) {
		if (hits[i].place->is_again ? !o->is_said : o->is_said)
			continue;
		grow(c, json, hits[i].span, &s);
		o->is_said |= s.n > 0;
	}
	if (s.n && !e->detail)
		e->detail = json_pack("{sI}", "bytes", (json_int_t)c->bytes);
	return edit_apply(&s, json, out);
}

static const struct editor editor = {
	.edit_bytes = sizeof(struct oversize),
	.missing =
	    "no text in the answer (one with " EDIT_ODD_TEXT " is not edited)",
	.on_whole = on_text,
	.on_event = on_text,
};

static struct stage *
on_answer(struct shot *s, struct exchange *x)
{
	return editstage_new(s, x, &editor);
}

const struct fault_type fault_llm_oversize = {
	.name = "llm_oversize",
	.about = "the model talks far too much",
	FAULT_CONF,
	.defaults = defaults,
	.on_answer = on_answer,
};
