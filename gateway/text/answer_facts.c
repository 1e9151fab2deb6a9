/*
 * The place of a value in the document is a small state (`where`), and a row
 * says: in this place, under this name, stands that.  A container's row
 * gives the place inside it, a scalar's row the function that takes it.
 * Adding a fact is adding a row.
 */
#include "gateway/text/answer_facts.h"

#include "base/jscan.h"
#include "base/units.h"
#include <stdlib.h>
#include <string.h>

enum where {
	W_ELSE, /* nothing in here matters */
	W_ERROR,
	W_PARTS, /* a list that is payload when it is not empty */
	W_PART,  /* and whatever stands in it */
	W_USAGE,
	W_COUNTS, /* the same, of messages and responses */
	W_DETAILS,
	/* chat */
	W_ROOT,
	W_CHOICES,
	W_CHOICE,
	W_DELTA,
	/* messages */
	W_MESSAGES_ROOT,
	W_MESSAGE,
	W_BLOCKS,
	W_BLOCK, /* of content, whole or its beginning, or a delta of one */
	/* responses */
	W_RESPONSES_ROOT,
	W_RESPONSE,
	W_ITEMS,
	W_ITEM,
	W_ITEM_PARTS,
	W_ITEM_PART,
	/* embeddings */
	W_EMBEDDINGS_ROOT,
	W_VECTORS,
	W_NPLACES
};

typedef void take_fn(struct chunk *c, const struct jscan *s,
    enum jscan_token t);

static take_fn take_text, take_thought, take_odd, take_id, take_index,
    take_finish, take_error, take_in, take_out, take_cached, take_more_in,
    take_reused, take_event, take_kind, take_status;

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
}, counts_facts[] = {
	{ NAME("cache_creation_input_tokens"), W_ELSE, take_more_in },
	{ NAME("cache_read_input_tokens"), W_ELSE, take_reused },
	{ NAME("input_tokens"), W_ELSE, take_more_in },
	{ NAME("input_tokens_details"), W_DETAILS, NULL },
	{ NAME("output_tokens"), W_ELSE, take_out },
	{ { NULL, 0 }, W_ELSE, NULL },
}, messages_root_facts[] = {
	{ NAME("content"), W_BLOCKS, NULL },
	{ NAME("content_block"), W_BLOCK, NULL },
	{ NAME("delta"), W_BLOCK, NULL },
	{ NAME("error"), W_ERROR, take_error },
	{ NAME("id"), W_ELSE, take_id },
	{ NAME("message"), W_MESSAGE, NULL },
	{ NAME("stop_reason"), W_ELSE, take_finish },
	{ NAME("type"), W_ELSE, take_event },
	{ NAME("usage"), W_COUNTS, NULL },
	{ { NULL, 0 }, W_ELSE, NULL },
}, message_facts[] = {
	{ NAME("id"), W_ELSE, take_id },
	{ NAME("usage"), W_COUNTS, NULL },
	{ { NULL, 0 }, W_ELSE, NULL },
}, block_facts[] = {
	{ NAME("partial_json"), W_ELSE, take_odd },
	{ NAME("stop_reason"), W_ELSE, take_finish },
	{ NAME("text"), W_ELSE, take_text },
	{ NAME("thinking"), W_ELSE, take_thought },
	{ NAME("type"), W_ELSE, take_kind },
	{ { NULL, 0 }, W_ELSE, NULL },
}, responses_root_facts[] = {
	{ NAME("delta"), W_ELSE, take_odd },
	{ NAME("error"), W_ERROR, take_error },
	{ NAME("id"), W_ELSE, take_id },
	{ NAME("item"), W_ITEM, NULL },
	{ NAME("output"), W_ITEMS, NULL },
	{ NAME("response"), W_RESPONSE, NULL },
	{ NAME("status"), W_ELSE, take_finish },
	{ NAME("type"), W_ELSE, take_event },
	{ NAME("usage"), W_COUNTS, NULL },
	{ { NULL, 0 }, W_ELSE, NULL },
}, response_facts[] = {
	{ NAME("error"), W_ERROR, take_error },
	{ NAME("id"), W_ELSE, take_id },
	{ NAME("output"), W_ITEMS, NULL },
	{ NAME("status"), W_ELSE, take_status },
	{ NAME("usage"), W_COUNTS, NULL },
	{ { NULL, 0 }, W_ELSE, NULL },
}, item_facts[] = {
	{ NAME("content"), W_ITEM_PARTS, NULL },
	{ NAME("type"), W_ELSE, take_kind },
	{ { NULL, 0 }, W_ELSE, NULL },
}, item_part_facts[] = {
	{ NAME("refusal"), W_ELSE, take_odd },
	{ NAME("text"), W_ELSE, take_text },
	{ { NULL, 0 }, W_ELSE, NULL },
}, embeddings_root_facts[] = {
	{ NAME("data"), W_VECTORS, NULL },
	{ NAME("error"), W_ERROR, take_error },
	{ NAME("usage"), W_USAGE, NULL },
	{ { NULL, 0 }, W_ELSE, NULL },
}, *const facts[W_NPLACES] = {
	[W_COUNTS] = counts_facts,
	[W_MESSAGES_ROOT] = messages_root_facts,
	[W_MESSAGE] = message_facts,
	[W_BLOCK] = block_facts,
	[W_RESPONSES_ROOT] = responses_root_facts,
	[W_RESPONSE] = response_facts,
	[W_ITEM] = item_facts,
	[W_ITEM_PART] = item_part_facts,
	[W_EMBEDDINGS_ROOT] = embeddings_root_facts,
	[W_ROOT] = root_facts,
	[W_CHOICE] = choice_facts,
	[W_DELTA] = delta_facts,
	[W_USAGE] = usage_facts,
	[W_DETAILS] = details_facts,
};

static const enum where roots[SCHEMA_NKINDS] = {
	[SCHEMA_CHAT] = W_ROOT,
	[SCHEMA_MESSAGES] = W_MESSAGES_ROOT,
	[SCHEMA_RESPONSES] = W_RESPONSES_ROOT,
	[SCHEMA_EMBEDDINGS] = W_EMBEDDINGS_ROOT,
};

/* Where the things of a list stand. */
static const enum where inside_list[W_NPLACES] = {
	[W_CHOICES] = W_CHOICE,
	[W_BLOCKS] = W_BLOCK,
	[W_ITEMS] = W_ITEM,
	[W_ITEM_PARTS] = W_ITEM_PART,
};

/* Events that end a stream, or tell that it failed, or are about a block. */
static const struct {
	const char *type;
	bool is_error, is_last;
	enum chunk_block block;
} known_events[] = {
	{ "content_block_start", false, false, CHUNK_BLOCK_BEGINS },
	{ "content_block_stop", false, false, CHUNK_BLOCK_ENDS },
	{ "error", true, false, CHUNK_NO_BLOCK },
	{ "message_stop", false, true, CHUNK_NO_BLOCK },
	{ "response.completed", false, true, CHUNK_NO_BLOCK },
	{ "response.failed", true, false, CHUNK_NO_BLOCK },
	{ "response.incomplete", false, true, CHUNK_NO_BLOCK },
};

/* Parts of an answer that say nothing by being there. */
static const char *const quiet_kinds[] = { "input_json_delta", "message",
	"reasoning", "signature_delta", "text", "text_delta", "thinking",
	"thinking_delta" };

static void
take_text(struct chunk *c, const struct jscan *s, enum jscan_token t)
{
	if (t != JSCAN_STRING || s->text.n == 0)
		return;
	c->is_odd |= c->text.n > 0; /* of two choices */
	c->text = s->text;
	c->bytes += s->text.n;
	c->payload = true;
}

static void
take_thought(struct chunk *c, const struct jscan *s, enum jscan_token t)
{
	if (t != JSCAN_STRING || s->text.n == 0)
		return;
	c->payload = true;
	c->bytes += s->text.n;
}

static void
take_odd(struct chunk *c, const struct jscan *s, enum jscan_token t)
{
	if (t != JSCAN_STRING || s->text.n == 0)
		return;
	c->payload = c->is_odd = true;
	c->bytes += s->text.n;
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
	unsigned n = 0;

	for (size_t i = 0; t == JSCAN_NUMBER && i < s->text.n; i++)
		if (n < CHOICE_SET_MAX)
			n = n * 10 + (unsigned)(s->text.p[i] - '0');
	c->choice = (uint8_t)(n < CHOICE_SET_MAX ? n : CHOICE_SET_MAX - 1);
	c->is_odd |= t != JSCAN_NUMBER || !slice_is(s->text, "0");
}

static void
take_finish(struct chunk *c, const struct jscan *s, enum jscan_token t)
{
	if (t != JSCAN_STRING)
		return;
	if (!jscan_unescape(s->text, c->finish, sizeof c->finish))
		memcpy(c->finish, "other", sizeof "other");
	c->choice_ends = c->finish[0] != '\0';
}

/* ---- choices, of which each ends by itself */

static void
end_choice(struct chunk *c)
{
	uint64_t bit = UINT64_C(1) << c->choice % 64;

	c->begun.bits[c->choice / 64] |= bit;
	if (c->choice_ends)
		c->ended.bits[c->choice / 64] |= bit;
	c->choice = 0;
	c->choice_ends = false;
}

void
choice_set_add(struct choice_set *s, const struct choice_set *more)
{
	for (size_t i = 0; i < CHOICE_SET_WORDS; i++)
		s->bits[i] |= more->bits[i];
}

bool
choice_set_holds(const struct choice_set *s, const struct choice_set *all)
{
	for (size_t i = 0; i < CHOICE_SET_WORDS; i++)
		if (all->bits[i] & ~s->bits[i])
			return false;
	return true;
}

uint64_t
choice_set_n(const struct choice_set *s)
{
	uint64_t n = 0;

	for (size_t i = 0; i < CHOICE_SET_WORDS; i++)
		n += (uint64_t)__builtin_popcountll(s->bits[i]);
	return n;
}

static void
take_error(struct chunk *c, const struct jscan *s, enum jscan_token t)
{
	(void)s;
	if (t != JSCAN_NULL)
		c->error = true;
}

static size_t
digits_of(struct slice text)
{
	size_t n = 0;

	while (n < text.n && text.p[n] >= '0' && text.p[n] <= '9')
		n++;
	return n;
}

/* Counts are digits, at most 15 of them, or null for none; anything else makes
 * the usage unreadable, and nobody is billed by it. */
static uint64_t
count_of(struct chunk *c, const struct jscan *s, enum jscan_token t)
{
	uint64_t v = 0;

	if (t == JSCAN_NULL)
		return 0;
	if (t != JSCAN_NUMBER || s->text.n > 15 ||
	    s->text.n != digits_of(s->text)) {
		c->is_uncountable = true;
		return 0;
	}
	for (size_t i = 0; i < s->text.n; i++)
		v = v * 10 + (uint64_t)(s->text.p[i] - '0');
	c->has_counts = true;
	return v;
}

static void
take_in(struct chunk *c, const struct jscan *s, enum jscan_token t)
{
	c->tokens_in = count_of(c, s, t);
	c->has_in |= t == JSCAN_NUMBER;
}

static void
take_out(struct chunk *c, const struct jscan *s, enum jscan_token t)
{
	c->tokens_out = count_of(c, s, t);
	c->has_out |= t == JSCAN_NUMBER;
}

static void
take_cached(struct chunk *c, const struct jscan *s, enum jscan_token t)
{
	c->tokens_cached = count_of(c, s, t);
}

/* Of a question that was partly known, some schemas count the parts. */
static void
take_more_in(struct chunk *c, const struct jscan *s, enum jscan_token t)
{
	c->tokens_in += count_of(c, s, t);
	c->has_in |= t == JSCAN_NUMBER;
}

static void
take_reused(struct chunk *c, const struct jscan *s, enum jscan_token t)
{
	c->tokens_cached = count_of(c, s, t);
	c->tokens_in += c->tokens_cached;
}

static void
take_event(struct chunk *c, const struct jscan *s, enum jscan_token t)
{
	for (size_t i = 0; t == JSCAN_STRING && i < COUNT(known_events); i++)
		if (slice_is(s->text, known_events[i].type)) {
			c->error |= known_events[i].is_error;
			c->ends = known_events[i].is_last;
			c->block = known_events[i].block;
		}
}

/* A tool call, and whatever is younger than this file, is payload. */
static void
take_kind(struct chunk *c, const struct jscan *s, enum jscan_token t)
{
	for (size_t i = 0; i < COUNT(quiet_kinds); i++)
		if (slice_is(s->text, quiet_kinds[i]))
			return;
	if (t == JSCAN_STRING)
		c->payload = c->is_odd = true;
}

/* A stream's first events say that it is under way. */
static void
take_status(struct chunk *c, const struct jscan *s, enum jscan_token t)
{
	if (slice_is(s->text, "completed") || slice_is(s->text, "incomplete"))
		take_finish(c, s, t);
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
	if (in == W_PARTS || in == W_PART) {
		c->payload = c->is_odd = true;
		return W_PART;
	}
	if (in == W_VECTORS)
		c->payload = true;
	if (inside_list[in])
		return array ? W_ELSE : inside_list[in];
	if (!f)
		return W_ELSE;
	if (f->inside == W_CHOICES || f->inside == W_BLOCKS ||
	    f->inside == W_ITEMS || f->inside == W_VECTORS)
		c->choices = array;
	if (f->inside == W_USAGE || f->inside == W_COUNTS)
		c->has_usage = !array;
	if (f->inside == W_ERROR)
		c->error = true;
	if (f->inside == W_PARTS && !array)
		c->payload = c->is_odd = true;
	return f->inside;
}

enum err
chunk_read(const struct schema *schema, struct slice json, struct chunk *ret)
{
	uint8_t place[JSCAN_DEPTH_MAX + 2] = { W_ELSE }; /* enum where */
	const struct fact *f = NULL;
	enum jscan_token t;
	struct jscan s;

	memset(ret, 0, sizeof *ret);
	jscan_init(&s, json);
	if (jscan_next(&s) != JSCAN_OBJECT)
		return ERR_SYNTAX;
	place[1] = (uint8_t)roots[schema->kind];
	while ((t = jscan_next(&s)) != JSCAN_END && t != JSCAN_ERROR) {
		if (t == JSCAN_KEY) {
			f = find_fact(place[s.depth], s.text);
			continue;
		}
		if (t == JSCAN_OBJECT || t == JSCAN_ARRAY)
			place[s.depth] = (uint8_t)enter(ret, place[s.depth - 1],
			    f, t == JSCAN_ARRAY);
		else if (t == JSCAN_OBJECT_END &&
		    place[s.depth + 1] == W_CHOICE)
			end_choice(ret);
		else if (t != JSCAN_OBJECT_END && t != JSCAN_ARRAY_END && f &&
		    f->take)
			f->take(ret, &s, t);
		else if (t == JSCAN_STRING &&
		    (place[s.depth] == W_PARTS || place[s.depth] == W_PART))
			take_odd(ret, &s, t);
		f = NULL;
	}
	ret->has_counts &= ret->has_usage && !ret->is_uncountable;
	return t == JSCAN_END ? ERR_OK : ERR_SYNTAX;
}

static uint64_t
greater(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

void
chunk_add_usage(struct chunk *sum, const struct chunk *more)
{
	sum->has_usage = sum->has_counts = true;
	sum->has_in |= more->has_in;
	sum->has_out |= more->has_out;
	sum->tokens_in = greater(sum->tokens_in, more->tokens_in);
	sum->tokens_out = greater(sum->tokens_out, more->tokens_out);
	sum->tokens_cached = greater(sum->tokens_cached, more->tokens_cached);
}
