/*
 * Only values are replaced; the one member that may have to be made is
 * "refusal", which is put behind the content.
 */
#include "chaos/faults/retell.h"

#define TEXT_MAX ((size_t)4 << 20)

static void
add_string(struct buf *out, struct slice text)
{
	buf_addc(out, '"');
	jspan_escape(out, text);
	buf_addc(out, '"');
}

/* The value of content, and what may follow it. */
static void
content_value(const struct telling *t, bool has_refusal, struct buf *out)
{
	if (t->is_null || t->is_refusal)
		buf_adds(out, "null");
	else
		add_string(out, t->text);
	if (t->is_refusal && !has_refusal) {
		buf_adds(out, ",\"refusal\":");
		add_string(out, t->text);
	}
}

static void
set_finish(struct splices *s, struct slice json, const char *finish)
{
	struct slice was = edit_raw(json, "/choices/0/finish_reason");

	if (!finish && slice_is(was, "\"tool_calls\""))
		finish = "stop";
	if (finish && was.n && was.p[0] == '"')
		edit_set_string(s, json, "/choices/0/finish_reason",
		    slice_of(finish));
}

enum edit_result
retell_whole(struct retell *r, const struct telling *t, struct slice json,
    struct buf *out)
{
	struct splices s = { .n = 0 };
	bool has_refusal = edit_raw(json, "/choices/0/message/refusal").n > 0;
	struct buf value;

	(void)r;
	buf_init(&value, TEXT_MAX);
	content_value(t, has_refusal, &value);
	if (edit_set(&s, json, "/choices/0/message/content",
	        (struct slice){ value.data, value.len })) {
		if (t->is_refusal && has_refusal)
			edit_set_string(&s, json, "/choices/0/message/refusal",
			    t->text);
		edit_set(&s, json, "/choices/0/message/tool_calls",
		    slice_of("null"));
		set_finish(&s, json, t->finish);
	}
	buf_done(&value);
	return edit_apply(&s, json, out);
}

static const char content_pointer[] = "/choices/0/delta/content";
static const char calls_pointer[] = "/choices/0/delta/tool_calls";
static const char delta_pointer[] = "/choices/0/delta";

/* The first piece of what the model says becomes all of it: a piece of text
 * at its content, a piece of a tool call as a whole. */
static enum edit_result
tell(struct retell *r, const struct telling *t, struct slice json,
    const char *pointer, struct buf *out)
{
	struct splices s = { .n = 0 };
	bool is_whole_delta = pointer == delta_pointer;
	struct buf value;

	if (r->is_told || (t->text.n == 0 && !t->is_null))
		return EDIT_DROP;
	r->is_told = true;
	buf_init(&value, TEXT_MAX);
	if (is_whole_delta)
		buf_adds(&value, "{\"content\":");
	content_value(t, false, &value);
	if (is_whole_delta)
		buf_addc(&value, '}');
	edit_set(&s, json, pointer, (struct slice){ value.data, value.len });
	buf_done(&value);
	return edit_apply(&s, json, out);
}

enum edit_result
retell_event(struct retell *r, const struct telling *t, struct slice json,
    struct buf *out)
{
	struct slice content = edit_raw(json, content_pointer);
	struct splices s = { .n = 0 };

	if (content.n > 2 && content.p[0] == '"')
		return tell(r, t, json, content_pointer, out);
	if (edit_raw(json, calls_pointer).n > 2)
		return tell(r, t, json, delta_pointer, out);
	set_finish(&s, json, t->finish);
	return edit_apply(&s, json, out);
}
