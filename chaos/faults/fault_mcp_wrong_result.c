/*
 * mcp_wrong_result{method,tool}: a tool answers, in order, something that is
 * not so: one digit of its text is another one.  Which digit is drawn; the
 * log keeps the text before and after.  Nothing else changes, and structured
 * content, where a server repeats the result, is left as it was.
 */
#include <ctype.h>
#include <stdio.h>

#include "chaos/faults/editstage.h"
#include "chaos/faults/rpc.h"
#include "chaos/http/exchange.h"
#include "chaos/rules/fault.h"

#define PARTS_MAX   16
#define POINTER_MAX 48

struct conf {
	struct rpc_match match; /* first: rpc.h */
};

static const struct jfield fields[] = { /* sorted by key */
	RPC_METHOD_FIELD, RPC_TOOL_FIELD
};

/* The offset of the digit that is drawn; t->n when there is none. */
static size_t
pick_digit(const struct shot *s, const struct jtext *t)
{
	size_t n = 0, k;

	for (size_t i = 0; i < t->n; i++)
		n += isdigit((unsigned char)t->p[i]) != 0;
	if (n == 0)
		return t->n;
	k = (size_t)shot_between(s, "digit", 0, n - 1);
	for (size_t i = 0; i < t->n; i++)
		if (isdigit((unsigned char)t->p[i]) && k-- == 0)
			return i;
	return t->n;
}

static bool
change_part(struct edit *e, struct slice json, const char *pointer,
    struct splices *s)
{
	struct jtext t;
	size_t at;
	bool is_changed = false;

	if (!edit_text(json, pointer, &t))
		return false;
	at = pick_digit(e->shot, &t);
	if (at < t.n) {
		e->detail = json_pack("{ss%}", "before", t.p, t.n);
		/* Another digit; no number gets a leading zero by it. */
		t.p[at] = "1234567898"[t.p[at] - '0'];
		json_object_set_new(e->detail, "after", json_stringn(t.p, t.n));
		is_changed = edit_set_string(s, json, pointer,
		    (struct slice){ t.p, t.n });
	}
	jtext_done(&t);
	return is_changed;
}

static enum edit_result
on_text(struct edit *e, struct slice json, struct buf *out)
{
	struct splices s = { .n = 0 };
	char pointer[POINTER_MAX];

	/* One digit of one event: a second lie would be easier to notice than
	 * the first. */
	if (e->shot->is_reported)
		return EDIT_KEEP;
	for (int i = 0; i < PARTS_MAX; i++) {
		snprintf(pointer, sizeof pointer, "/result/content/%d/text", i);
		if (change_part(e, json, pointer, &s))
			break;
	}
	return edit_apply(&s, json, out);
}

static const struct editor editor = {
	.edit_bytes = sizeof(struct edit),
	.missing = "no number in the result",
	.on_whole = on_text,
	.on_event = on_text,
};

static struct stage *
on_answer(struct shot *s, struct exchange *x)
{
	return rpc_is_call(s, x) ? editstage_new(s, x, &editor) : NULL;
}

const struct fault_type fault_mcp_wrong_result = {
	.name = "mcp_wrong_result",
	.about = "a tool's result is silently wrong",
	.is_piped = true,
	FAULT_CONF,
	.on_answer = on_answer,
};
