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

static void
set_finish(struct splices *s, struct slice json)
{
	struct slice was = edit_raw(json, "/choices/0/finish_reason");

	if (was.n && was.p[0] == '"')
		edit_set_string(s, json, "/choices/0/finish_reason",
		    slice_of("length"));
}

/* Cuts the text at pointer where the limit falls into it. */
static enum edit_result
shorten(struct length *l, struct slice json, const char *pointer,
    struct buf *out)
{
	const struct conf *c = shot_conf(l->edit.shot);
	struct splices s = { .n = 0 };
	struct jtext text;
	size_t room = (size_t)c->bytes - l->passed, keep;

	if (!edit_text(json, pointer, &text))
		return EDIT_KEEP;
	if (text.n > room) {
		l->is_cut = true;
		keep = whole_characters(&text, room);
		l->passed += keep;
		l->edit.detail =
		    json_pack("{sI}", "bytes", (json_int_t)l->passed);
		edit_set_string(&s, json, pointer,
		    (struct slice){ text.p, keep });
		set_finish(&s, json);
	} else {
		l->passed += text.n;
	}
	jtext_done(&text);
	return edit_apply(&s, json, out);
}

static enum edit_result
on_whole(struct edit *e, struct slice json, struct buf *out)
{
	return shorten((struct length *)e, json, "/choices/0/message/content",
	    out);
}

static enum edit_result
on_event(struct edit *e, struct slice json, struct buf *out)
{
	static const char content[] = "/choices/0/delta/content";
	struct length *l = (struct length *)e;
	struct splices s = { .n = 0 };

	if (!l->is_cut)
		return shorten(l, json, content, out);
	if (edit_raw(json, content).n > 2 &&
	    edit_raw(json, content).p[0] == '"')
		return EDIT_DROP;
	set_finish(&s, json);
	return edit_apply(&s, json, out);
}

static const struct editor editor = {
	.edit_bytes = sizeof(struct length),
	.missing = "the text is not longer",
	.on_whole = on_whole,
	.on_event = on_event,
};

static struct stage *
on_answer(struct shot *s, struct exchange *x)
{
	return editstage_new(s, x, &editor);
}

const struct fault_type fault_llm_length = {
	.name = "llm_length",
	.about = "the model ran out of tokens",
	.fields = fields,
	.nfields = sizeof fields / sizeof fields[0],
	.conf_bytes = sizeof(struct conf),
	.defaults = defaults,
	.on_answer = on_answer,
};
