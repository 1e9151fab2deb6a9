/*
 * llm_length{bytes}: the model ran out of tokens: its text ends after
 * so many bytes (at the end of a character), and the finish reason says
 * "length".
 */
#include "chaos/faults/editstage.h"
#include "chaos/rules/fault.h"

#define BYTES_MAX 10000000

struct conf {
	int64_t bytes;
};

static const struct jfield fields[] = {
	{ "bytes", JF_INT, 0, 0, BYTES_MAX, offsetof(struct conf, bytes),
	    NULL },
};

struct length {
	struct edit edit; /* first: it is an editor's memory */
	size_t passed;
	bool is_cut;
};

static void
defaults(void *conf)
{
	((struct conf *)conf)->bytes = 64;
}

/* No character is torn. */
static size_t
whole_characters(const struct jtext *t, size_t n)
{
	while (n > 0 && n < t->n && ((unsigned char)t->p[n] & 0xc0) == 0x80)
		n--;
	return n;
}

static bool
is_text_alone(const struct length *l, struct slice json)
{
	const struct dialect *d = l->edit.dialect;
	struct jspan calls;

	return !dialect_says_more(d, json) &&
	    !(dialect_hit(d, json, DIALECT_CALLS, &calls) && calls.n > 2);
}

/* Cuts the piece of text where the limit falls into it; from there on there is
 * none.  EDIT_DROP: the event says nothing else. */
static enum edit_result
shorten(struct length *l, struct splices *s, struct slice json, struct jspan at)
{
	const struct conf *c = shot_conf(l->edit.shot);
	struct jtext text;
	size_t room = (size_t)c->bytes - l->passed, keep;

	if (!edit_span_text(json, at, &text))
		return EDIT_KEEP;
	if (l->is_cut) {
		jtext_done(&text);
		if (is_text_alone(l, json))
			return EDIT_DROP;
		edit_span_string(s, at, slice_of(""));
		return EDIT_CHANGE;
	}
	keep = text.n > room ? whole_characters(&text, room) : text.n;
	l->passed += keep;
	if (text.n > room) {
		l->is_cut = true;
		l->edit.detail =
		    json_pack("{sI}", "bytes", (json_int_t)l->passed);
		edit_span_string(s, at, (struct slice){ text.p, keep });
	}
	jtext_done(&text);
	return EDIT_CHANGE;
}

/* What is said again loses what its pieces have lost. */
static void
shorten_again(const struct length *l, struct splices *s, struct slice json,
    struct jspan at)
{
	struct jtext text;

	if (!l->is_cut || !edit_span_text(json, at, &text))
		return;
	if (text.n > l->passed)
		edit_span_string(s, at, (struct slice){ text.p, l->passed });
	jtext_done(&text);
}

static enum edit_result
on_text(struct edit *e, struct slice json, struct buf *out)
{
	struct length *l = (struct length *)e;
	struct dialect_hit hits[DIALECT_HITS];
	struct splices s = { .n = 0 };
	size_t n = dialect_hits(e->dialect, json, DIALECT_TEXT, hits);

	for (size_t i = 0; i < n; i++) {
		if (hits[i].place->is_again) {
			shorten_again(l, &s, json, hits[i].span);
		} else if (shorten(l, &s, json, hits[i].span) == EDIT_DROP) {
			splices_done(&s);
			return EDIT_DROP;
		}
	}
	if (l->is_cut)
		edit_finish(e, &s, json, DIALECT_LENGTH);
	return edit_apply(&s, json, out);
}

static const struct editor editor = {
	.edit_bytes = sizeof(struct length),
	.missing =
	    "no text that is longer (one with " EDIT_ODD_TEXT " is not cut)",
	.on_whole = on_text,
	.on_event = on_text,
};

static struct stage *
on_answer(struct shot *s, struct exchange *x)
{
	return editstage_new(s, x, &editor);
}

const struct fault_type fault_llm_length = {
	.name = "llm_length",
	.about = "the model ran out of tokens",
	FAULT_CONF,
	.defaults = defaults,
	.on_answer = on_answer,
};
