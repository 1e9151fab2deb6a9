/*
 * llm_wrong_args: the model calls the right tool with arguments that are
 * whole, of the right types, and not what was meant: the first text or number
 * is another one of the same length ("Paris" becomes "Qbsjt").  No parser and
 * no schema without an enumeration notices.
 */
#include <stdlib.h>

#include "base/mem.h"
#include "chaos/faults/editstage.h"
#include "chaos/rules/fault.h"
#include "chaos/text/tool_args_wrong.h"

struct wrong {
	struct edit edit; /* first: it is an editor's memory */
	struct argswrong args;
};

/* Arguments that are JSON themselves. */
static bool
change_json(struct slice json, struct jspan at, struct splices *s)
{
	struct argswrong anew = { .depth = 0 };
	char *text = slice_dup((struct slice){ json.p + at.at, at.n });
	bool is_changed = argswrong_feed(&anew, text, at.n);

	if (is_changed)
		edit_span(s, at, (struct slice){ text, at.n });
	free(text);
	return is_changed;
}

/* Pieces go on where the last one ended; what is said again begins anew. */
static bool
change(struct wrong *w, struct slice json, const struct dialect_hit *hit,
    struct splices *s)
{
	struct argswrong anew = { .depth = 0 };
	struct jtext text;
	bool is_changed;

	if (json.p[hit->span.at] != '"')
		return change_json(json, hit->span, s);
	if (!edit_span_text(json, hit->span, &text))
		return false;
	is_changed = argswrong_feed(hit->place->is_again ? &anew : &w->args,
	    text.p, text.n);
	if (is_changed)
		edit_span_string(s, hit->span,
		    (struct slice){ text.p, text.n });
	jtext_done(&text);
	return is_changed;
}

static enum edit_result
on_text(struct edit *e, struct slice json, struct buf *out)
{
	struct wrong *w = (struct wrong *)e;
	struct dialect_hit hits[DIALECT_HITS];
	struct splices s = { .n = 0 };
	size_t n = dialect_hits(e->dialect, json, DIALECT_ARGS, hits);

	for (size_t i = 0; i < n; i++)
		if (change(w, json, &hits[i], &s) && !e->detail)
			e->detail = json_object();
	return edit_apply(&s, json, out);
}

static const struct editor editor = {
	.edit_bytes = sizeof(struct wrong),
	.missing = "no text or number in a tool's arguments",
	.on_whole = on_text,
	.on_event = on_text,
};

static struct stage *
on_answer(struct shot *s, struct exchange *x)
{
	return editstage_new(s, x, &editor);
}

const struct fault_type fault_llm_wrong_args = {
	.name = "llm_wrong_args",
	.about = "tool arguments that are whole and wrong",
	.conf_bytes = 1,
	.on_answer = on_answer,
};
