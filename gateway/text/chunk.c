/*
 * The place of a value in the document is a small state (`where`), and a row
 * says: in this place, under this name, stands that.  A container's row
 * gives the place inside it, a scalar's row the function that takes it.
 * Adding a fact is adding a row.
 */
#include "gateway/text/chunk.h"

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
	W_NPLACES
};

typedef void take_fn(struct chunk *c, const struct jscan *s,
    enum jscan_token t);

static take_fn take_text, take_thought, take_odd, take_id, take_index,
    take_finish, take_error, take_in, take_out, take_cached;

#define NAME(text)                                                             \
	{                                                                      \
		(text), sizeof(text) - 1                                       \
	}

static const struct fact {
	struct slice name;
	enum where inside; /* when the value is an object or an array */
	take_fn *take;     /* when it is anything else */
} root_facts[] = {
	{ NAME("choices"), W_CHOICES, NULL },
	{ NAME("error"), W_ERROR, take_error },
	{ NAME("id"), W_ELSE, take_id },
	{ NAME("usage"), W_USAGE, NULL },
	{ { NULL, 0 }, W_ELSE, NULL },
}, choice_facts[] = {
	{ NAME("delta"), W_DELTA, NULL },
	{ NAME("finish_reason"), W_ELSE, take_finish },
	{ NAME("index"), W_ELSE, take_index },
	{ NAME("message"), W_DELTA, NULL },
	{ NAME("text"), W_ELSE, take_odd },
	{ { NULL, 0 }, W_ELSE, NULL },
}, delta_facts[] = {
	{ NAME("audio"), W_PARTS, NULL },
	{ NAME("content"), W_PARTS, take_text },
	{ NAME("function_call"), W_PARTS, NULL },
	{ NAME("reasoning"), W_PARTS, take_thought },
	{ NAME("reasoning_content"), W_PARTS, take_thought },
	{ NAME("refusal"), W_ELSE, take_odd },
	{ NAME("tool_calls"), W_PARTS, NULL },
	{ { NULL, 0 }, W_ELSE, NULL },
}, usage_facts[] = {
	{ NAME("completion_tokens"), W_ELSE, take_out },
	{ NAME("prompt_cache_hit_tokens"), W_ELSE, take_cached },
	{ NAME("prompt_tokens"), W_ELSE, take_in },
	{ NAME("prompt_tokens_details"), W_DETAILS, NULL },
	{ { NULL, 0 }, W_ELSE, NULL },
}, details_facts[] = {
	{ NAME("cached_tokens"), W_ELSE, take_cached },
	{ { NULL, 0 }, W_ELSE, NULL },
}, *const facts[W_NPLACES] = {
	[W_ROOT] = root_facts,
	[W_CHOICE] = choice_facts,
	[W_DELTA] = delta_facts,
	[W_USAGE] = usage_facts,
	[W_DETAILS] = details_facts,
};

static void
take_text(struct chunk *c, const struct jscan *s, enum jscan_token t)
{
	if (t != JSCAN_STRING || s->text.n == 0)
		return;
	c->is_odd |= c->text.n > 0; /* of two choices */
	c->text = s->text;
	c->payload = true;
}

static void
take_thought(struct chunk *c, const struct jscan *s, enum jscan_token t)
{
	c->payload |= t == JSCAN_STRING && s->text.n > 0;
}

static void
take_odd(struct chunk *c, const struct jscan *s, enum jscan_token t)
{
	if (t == JSCAN_STRING && s->text.n > 0)
		c->payload = c->is_odd = true;
}

static void
take_id(struct chunk *c, const struct jscan *s, enum jscan_token t)
{
	if (t == JSCAN_STRING)
		c->id = (struct slice){ s->text.p - 1, s->text.n + 2 };
}

static void
take_index(struct chunk *c, const struct jscan *s, enum jscan_token t)
{
	c->is_odd |= t != JSCAN_NUMBER || !slice_is(s->text, "0");
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
	for (const struct fact *f = facts[in]; f && f->name.n > 0; f++)
		if (f->name.n == name.n && f->name.p[0] == name.p[0] &&
		    memcmp(f->name.p, name.p, name.n) == 0)
			return f;
	return NULL;
}

/* What opening a container inside `in` tells, and where its inside is. */
static enum where
enter(struct chunk *c, enum where in, const struct fact *f, bool array)
{
	if (in == W_PARTS)
		c->payload = c->is_odd = true;
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
		c->payload = c->is_odd = true;
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
			ret->payload = ret->is_odd = true;
		f = NULL;
	}
	return t == JSCAN_END ? ERR_OK : ERR_SYNTAX;
}
