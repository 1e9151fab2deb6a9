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
#include "chaos/text/tool_args_cut.h"

#define KEEP_MAX 1000000
#define ARGS_MAX ((size_t)2 << 20)
#define ID_MAX   128

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
	unsigned begun;        /* calls of a stream so far */
	char first_id[ID_MAX]; /* raw JSON */
};

typedef void changer(struct calls *k, struct slice json,
    const struct dialect_hit *hit, struct splices *s);
static changer change_args, change_id, change_name;

static const struct {
	enum dialect_role role;
	changer *change;
	enum args_kind args;
} kinds[NKINDS] = {
	[CUT] = { DIALECT_ARGS, change_args, ARGS_CUT },
	[DUP_ID] = { DIALECT_TOOL_ID, change_id, ARGS_CUT },
	[INVALID] = { DIALECT_ARGS, change_args, ARGS_INVALID },
	[REPAIRED] = { DIALECT_ARGS, change_args, ARGS_REPAIRED },
	[WRONG_TOOL] = { DIALECT_TOOL_NAME, change_name, ARGS_CUT },
};

static void
defaults(void *conf)
{
	((struct conf *)conf)->keep = 12;
}

/* Arguments that are JSON themselves can lose their tail, and stay JSON. */
static void
change_object(const struct conf *c, struct slice json, struct jspan at,
    struct splices *s)
{
	struct argscut args = { .seen = 0 };
	struct buf left;

	/* Cut or invalid, they would break the answer they stand in, which is
	 * body{truncate}'s to do. */
	if (c->kind != REPAIRED)
		return;
	buf_init(&left, ARGS_MAX);
	if (argscut_feed(&args, ARGS_REPAIRED, (uint64_t)c->keep,
	        (struct slice){ json.p + at.at, at.n }, &left))
		edit_span(s, at, (struct slice){ left.data, left.len });
	buf_done(&left);
}

/* Pieces go on where the last one ended; what is said again begins anew. */
static void
change_args(struct calls *k, struct slice json, const struct dialect_hit *hit,
    struct splices *s)
{
	const struct conf *c = shot_conf(k->edit.shot);
	struct argscut anew = { .seen = 0 };
	struct jtext text;
	struct buf left;

	if (json.p[hit->span.at] != '"') {
		change_object(c, json, hit->span, s);
		return;
	}
	if (!edit_span_text(json, hit->span, &text))
		return;
	buf_init(&left, ARGS_MAX);
	if (argscut_feed(hit->place->is_again ? &anew : &k->args,
	        kinds[c->kind].args, (uint64_t)c->keep,
	        (struct slice){ text.p, text.n }, &left))
		edit_span_string(s, hit->span,
		    (struct slice){ left.data, left.len });
	buf_done(&left);
	jtext_done(&text);
}

/* The name of a tool as a request offers it, in any dialect. */
static const char *
name_of(json_t *tool)
{
	json_t *inner = json_object_get(tool, "function"), *name;

	if (!inner)
		inner = json_array_get(json_object_get(tool,
		                           "functionDeclarations"),
		    0);
	name = json_object_get(inner ? inner : tool, "name");
	return json_string_value(name);
}

/* A tool the request offers that is not this one; NULL when there is none. */
static const char *
other_tool(struct exchange *x, const char *name)
{
	json_t *tools = json_object_get(facts_json(exchange_facts(x)), "tools");
	json_t *declared =
	    json_object_get(json_array_get(tools, 0), "functionDeclarations");
	json_t *tool;
	size_t i;

	json_array_foreach(declared ? declared : tools, i, tool) {
		const char *n = name_of(tool);

		if (n && strcmp(n, name) != 0)
			return n;
	}
	return NULL;
}

static void
change_name(struct calls *k, struct slice json, const struct dialect_hit *hit,
    struct splices *s)
{
	struct jtext name;
	const char *other;

	if (!edit_span_text(json, hit->span, &name))
		return;
	other = other_tool(k->edit.exchange, name.p);
	/* Where one tool is offered, the other is one that nobody offered. */
	edit_span_string(s, hit->span, slice_of(other ? other : "run_shell"));
	jtext_done(&name);
}

/* The id of the first call is remembered; every other call gets it. */
static void
change_id(struct calls *k, struct slice json, const struct dialect_hit *hit,
    struct splices *s)
{
	struct slice id = { json.p + hit->span.at, hit->span.n };

	if (id.n < 3 || id.n >= ID_MAX)
		return;
	if (k->first_id[0])
		edit_span(s, hit->span, slice_of(k->first_id));
	else
		memcpy(k->first_id, id.p, id.n);
}

/* All but ids: of the first call alone. */
static enum edit_result
on_text(struct edit *e, struct slice json, struct buf *out)
{
	struct calls *k = (struct calls *)e;
	const struct conf *c = shot_conf(e->shot);
	struct dialect_hit hits[DIALECT_HITS];
	struct splices s = { .n = 0 };
	struct jspan begins;
	size_t n;

	/* A call of a stream begins with the event that has its name; the
	 * pieces of its arguments have none. */
	k->begun += dialect_hit(e->dialect, json, DIALECT_TOOL_NAME, &begins);
	n = dialect_hits(e->dialect, json, kinds[c->kind].role, hits);
	if (c->kind != DUP_ID && (k->begun > 1 || n > 1))
		n = k->begun <= 1;
	for (size_t i = 0; i < n; i++)
		kinds[c->kind].change(k, json, &hits[i], &s);
	if (s.n && !e->detail)
		e->detail = json_pack("{ss}", "kind", kind_names[c->kind]);
	return edit_apply(&s, json, out);
}

static const struct editor editor = {
	.edit_bytes = sizeof(struct calls),
	.missing = "no tool call that fits",
	.on_whole = on_text,
	.on_event = on_text,
};

static struct stage *
on_answer(struct shot *s, struct exchange *x)
{
	return editstage_new(s, x, &editor);
}

const struct fault_type fault_llm_tool_args = {
	.name = "llm_tool_args",
	.about = "a tool call that cannot be trusted",
	FAULT_CONF,
	.defaults = defaults,
	.on_answer = on_answer,
};
