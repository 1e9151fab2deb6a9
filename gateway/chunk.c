/*
 * The place of a value in the document is a small state (`where`), and a row
 * says: in this place, under this name, stands that.  A container's row
 * gives the place inside it, a scalar's row the function that takes it.
 * Adding a fact is adding a row.
 */
#include "gateway/chunk.h"

#include "base/jscan.h"
#include <stdlib.h>
#include <string.h>

enum where {
	W_ELSE, /* nothing in here matters */
	W_ROOT,
	W_ERROR,
	W_CHOICES,
	W_CHOICE,
	W_DELTA,
	W_PARTS, /* a list that is payload when it is not empty */
	W_USAGE,
	W_DETAILS,
};

typedef void take_fn(struct chunk *c, const struct jscan *s,
    enum jscan_token t);

static take_fn take_text, take_finish, take_error, take_in, take_out,
    take_cached;

/* clang-format off */
static const struct fact {
	enum where in;
	enum where inside; /* when the value is an object or an array */
	const char *name;
	take_fn *take; /* when it is anything else */
} facts[] = {
	{ W_ROOT,    W_CHOICES, "choices",                 NULL },
	{ W_ROOT,    W_ERROR,   "error",                   take_error },
	{ W_ROOT,    W_USAGE,   "usage",                   NULL },
	{ W_CHOICE,  W_DELTA,   "delta",                   NULL },
	{ W_CHOICE,  W_ELSE,    "finish_reason",           take_finish },
	{ W_CHOICE,  W_DELTA,   "message",                 NULL },
	{ W_CHOICE,  W_ELSE,    "text",                    take_text },
	{ W_DELTA,   W_PARTS,   "audio",                   NULL },
	{ W_DELTA,   W_PARTS,   "content",                 take_text },
	{ W_DELTA,   W_PARTS,   "function_call",           NULL },
	{ W_DELTA,   W_PARTS,   "reasoning",               take_text },
	{ W_DELTA,   W_PARTS,   "reasoning_content",       take_text },
	{ W_DELTA,   W_ELSE,    "refusal",                 take_text },
	{ W_DELTA,   W_PARTS,   "tool_calls",              NULL },
	{ W_DETAILS, W_ELSE,    "cached_tokens",           take_cached },
	{ W_USAGE,   W_ELSE,    "completion_tokens",       take_out },
	{ W_USAGE,   W_ELSE,    "prompt_cache_hit_tokens", take_cached },
	{ W_USAGE,   W_ELSE,    "prompt_tokens",           take_in },
	{ W_USAGE,   W_DETAILS, "prompt_tokens_details",   NULL },
};
/* clang-format on */

static void
take_text(struct chunk *c, const struct jscan *s, enum jscan_token t)
{
	if (t == JSCAN_STRING && s->text.n > 0)
		c->payload = true;
}

static void
take_finish(struct chunk *c, const struct jscan *s, enum jscan_token t)
{
	if (t == JSCAN_STRING &&
	    !jscan_unescape(s->text, c->finish, sizeof c->finish))
		memcpy(c->finish, "other", sizeof "other");
}

static void
take_error(struct chunk *c, const struct jscan *s, enum jscan_token t)
{
	(void)s;
	if (t != JSCAN_NULL)
		c->error = true;
}

/* Counts are digits; anything else, or beyond 15 of them, is no count. */
static uint64_t
count_of(const struct jscan *s, enum jscan_token t)
{
	uint64_t v = 0;

	if (t != JSCAN_NUMBER || s->text.n > 15)
		return 0;
	for (size_t i = 0; i < s->text.n; i++) {
		if (s->text.p[i] < '0' || s->text.p[i] > '9')
			return 0;
		v = v * 10 + (uint64_t)(s->text.p[i] - '0');
	}
	return v;
}

static void
take_in(struct chunk *c, const struct jscan *s, enum jscan_token t)
{
	c->tokens_in = count_of(s, t);
}

static void
take_out(struct chunk *c, const struct jscan *s, enum jscan_token t)
{
	c->tokens_out = count_of(s, t);
}

static void
take_cached(struct chunk *c, const struct jscan *s, enum jscan_token t)
{
	c->tokens_cached = count_of(s, t);
}

static const struct fact *
find_fact(enum where in, struct slice name)
{
	if (in == W_ELSE)
		return NULL;
	for (size_t i = 0; i < sizeof facts / sizeof facts[0]; i++)
		if (facts[i].in == in && slice_is(name, facts[i].name))
			return &facts[i];
	return NULL;
}

/* What opening a container inside `in` tells, and where its inside is. */
static enum where
enter(struct chunk *c, enum where in, const struct fact *f, bool array)
{
	if (in == W_PARTS)
		c->payload = true;
	if (in == W_CHOICES)
		return array ? W_ELSE : W_CHOICE;
	if (!f)
		return W_ELSE;
	if (f->inside == W_CHOICES)
		c->choices = array;
	if (f->inside == W_USAGE)
		c->has_usage = !array;
	if (f->inside == W_ERROR)
		c->error = true;
	if (f->inside == W_PARTS && !array)
		c->payload = true;
	return f->inside;
}

enum err
chunk_read(struct slice json, struct chunk *ret)
{
	enum where place[JSCAN_DEPTH_MAX + 1] = { W_ELSE };
	const struct fact *f = NULL;
	enum jscan_token t;
	struct jscan s;

	memset(ret, 0, sizeof *ret);
	jscan_init(&s, json);
	if (jscan_next(&s) != JSCAN_OBJECT)
		return ERR_SYNTAX;
	place[1] = W_ROOT;
	while ((t = jscan_next(&s)) != JSCAN_END && t != JSCAN_ERROR) {
		if (t == JSCAN_KEY) {
			f = find_fact(place[s.depth], s.text);
			continue;
		}
		if (t == JSCAN_OBJECT || t == JSCAN_ARRAY)
			place[s.depth] =
			    enter(ret, place[s.depth - 1], f, t == JSCAN_ARRAY);
		else if (t != JSCAN_OBJECT_END && t != JSCAN_ARRAY_END && f &&
		    f->take)
			f->take(ret, &s, t);
		else if (t == JSCAN_STRING && place[s.depth] == W_PARTS)
			ret->payload = true;
		f = NULL;
	}
	return t == JSCAN_END ? ERR_OK : ERR_SYNTAX;
}
