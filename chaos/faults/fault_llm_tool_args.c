/*
 * llm_tool_args{kind,keep}: a tool call that cannot be trusted, under a
 * finish reason that says "tool_calls".
 *
 *	cut         the arguments end after `keep` bytes
 *	invalid     they are not JSON
 *	repaired    cut inside a text and closed again: valid JSON that lost
 *	            its tail, as a helpful gateway makes it
 *	wrong_tool  another of the tools that were offered is called
 *	dup_id      the second call has the id of the first
 *
 * The first tool call is meant, in the message and in the deltas alike.
 */
#include <string.h>

#include "chaos/faults/editstage.h"
#include "chaos/http/exchange.h"
#include "chaos/rules/fault.h"
#include "chaos/text/argscut.h"

#define KEEP_MAX    1000000
#define ARGS_MAX    ((size_t)2 << 20)
#define POINTER_MAX 96
#define ID_MAX      128

enum kind { CUT, DUP_ID, INVALID, REPAIRED, WRONG_TOOL, NKINDS };

static const char *const kind_names[] = {
	[CUT] = "cut",
	[DUP_ID] = "dup_id",
	[INVALID] = "invalid",
	[REPAIRED] = "repaired",
	[WRONG_TOOL] = "wrong_tool",
	[NKINDS] = NULL,
};

struct conf {
	int kind;
	int64_t keep;
};

/* clang-format off */
static const struct jfield fields[] = {		/* sorted by key */
	{ "keep", JF_INT,  0,           0, KEEP_MAX, offsetof(struct conf, keep), NULL },
	{ "kind", JF_ENUM, JF_REQUIRED, 0, 0,        offsetof(struct conf, kind), kind_names },
};
/* clang-format on */

struct calls {
	struct edit edit; /* first: it is an editor's memory */
	struct argscut args;
	char first_id[ID_MAX]; /* raw JSON */
};

typedef void changer(struct calls *k, struct slice json, const char *message,
    struct splices *s);
static changer change_args, change_id, change_name;

static const struct {
	changer *change;
	enum args_kind args;
} kinds[NKINDS] = {
	[CUT] = { change_args, ARGS_CUT },
	[DUP_ID] = { change_id, ARGS_CUT },
	[INVALID] = { change_args, ARGS_INVALID },
	[REPAIRED] = { change_args, ARGS_REPAIRED },
	[WRONG_TOOL] = { change_name, ARGS_CUT },
};

static void
defaults(void *conf)
{
	((struct conf *)conf)->keep = 12;
}

/* "/choices/0/delta" and "/tool_calls/0/id" make a pointer. */
static const char *
under(const char *message, const char *rest, char out[POINTER_MAX])
{
	snprintf(out, POINTER_MAX, "%s%s", message, rest);
	return out;
}

/* In a delta the first element may speak of a later call. */
static bool
is_first_call(struct slice json, const char *message)
{
	char at[POINTER_MAX];
	struct slice index =
	    edit_raw(json, under(message, "/tool_calls/0/index", at));

	return index.n == 0 || slice_is(index, "0");
}

static void
change_args(struct calls *k, struct slice json, const char *message,
    struct splices *s)
{
	const struct conf *c = shot_conf(k->edit.shot);
	char at[POINTER_MAX];
	struct jtext text;
	struct buf left;

	under(message, "/tool_calls/0/function/arguments", at);
	if (!is_first_call(json, message) || !edit_text(json, at, &text))
		return;
	buf_init(&left, ARGS_MAX);
	if (argscut_feed(&k->args, kinds[c->kind].args, (uint64_t)c->keep,
	        (struct slice){ text.p, text.n }, &left))
		edit_set_string(s, json, at,
		    (struct slice){ left.data, left.len });
	buf_done(&left);
	jtext_done(&text);
}

/* A tool the request offers that is not this one; NULL when there is none. */
static const char *
other_tool(struct exchange *x, const char *name)
{
	json_t *tools = json_object_get(facts_json(exchange_facts(x)), "tools");
	json_t *tool;
	size_t i;

	json_array_foreach(tools, i, tool) {
		const char *n = json_string_value(
		    json_object_get(json_object_get(tool, "function"), "name"));

		if (n && strcmp(n, name) != 0)
			return n;
	}
	return NULL;
}

static void
change_name(struct calls *k, struct slice json, const char *message,
    struct splices *s)
{
	char at[POINTER_MAX];
	struct jtext name;
	const char *other;

	under(message, "/tool_calls/0/function/name", at);
	if (!is_first_call(json, message) || !edit_text(json, at, &name))
		return;
	other = other_tool(k->edit.exchange, name.p);
	edit_set_string(s, json, at, slice_of(other ? other : "run_shell"));
	jtext_done(&name);
}

/* The id of the first call is remembered; every other call gets it. */
static void
change_id(struct calls *k, struct slice json, const char *message,
    struct splices *s)
{
	for (int i = 0; i < 8; i++) {
		char rest[32], at[POINTER_MAX];
		struct slice id;

		snprintf(rest, sizeof rest, "/tool_calls/%d/id", i);
		id = edit_raw(json, under(message, rest, at));
		if (id.n < 3 || id.n >= ID_MAX)
			continue;
		if (k->first_id[0])
			edit_set(s, json, at, slice_of(k->first_id));
		else
			memcpy(k->first_id, id.p, id.n);
	}
}

static enum edit_result
change(struct calls *k, struct slice json, const char *message, struct buf *out)
{
	const struct conf *c = shot_conf(k->edit.shot);
	struct splices s = { .n = 0 };

	kinds[c->kind].change(k, json, message, &s);
	if (s.n && !k->edit.detail)
		k->edit.detail = json_pack("{ss}", "kind", kind_names[c->kind]);
	return edit_apply(&s, json, out);
}

static enum edit_result
on_whole(struct edit *e, struct slice json, struct buf *out)
{
	return change((struct calls *)e, json, "/choices/0/message", out);
}

static enum edit_result
on_event(struct edit *e, struct slice json, struct buf *out)
{
	return change((struct calls *)e, json, "/choices/0/delta", out);
}

static const struct editor editor = {
	.edit_bytes = sizeof(struct calls),
	.missing = "no tool call that fits",
	.on_whole = on_whole,
	.on_event = on_event,
};

static struct stage *
on_answer(struct shot *s, struct exchange *x)
{
	return editstage_new(s, x, &editor);
}

const struct fault_type fault_llm_tool_args = {
	.name = "llm_tool_args",
	.about = "a tool call that cannot be trusted",
	.fields = fields,
	.nfields = sizeof fields / sizeof fields[0],
	.conf_bytes = sizeof(struct conf),
	.defaults = defaults,
	.on_answer = on_answer,
};
