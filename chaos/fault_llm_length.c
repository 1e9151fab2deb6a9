/*
 * llm_length{bytes}: the content ends after so many bytes (never inside a
 * character) and the finish reason is `length`, as when max_tokens is met.
 */
#include "chaos/fault.h"

#include "chaos/edit.h"
#include "chaos/engine.h"

#define BYTES_MAX 1e9

struct conf {
	int64_t bytes;
};

static const struct jfield fields[] = {
	{ "bytes", JF_INT, JF_REQUIRED, 0, BYTES_MAX,
	    offsetof(struct conf, bytes), NULL },
};

static bool
cut_content(struct edit *e, uint64_t limit)
{
	json_t *content = json_object_get(e->part, "content");
	const char *text = json_string_value(content);
	size_t n = json_string_length(content);
	uint64_t left = limit > e->text_bytes ? limit - e->text_bytes : 0;
	size_t keep = left < n ? (size_t)left : n;

	if (keep == n)
		return false;
	while (keep > 0 && ((unsigned char)text[keep] & 0xc0) == 0x80)
		keep--;
	json_object_set_new(e->part, "content", json_stringn(text, keep));
	return true;
}

static bool
edit(struct edit *e)
{
	const struct conf *c = e->conf;
	uint64_t limit = (uint64_t)c->bytes;
	json_t *content = json_object_get(e->part, "content");
	bool is_over = e->text_bytes + json_string_length(content) > limit;
	bool is_cut = cut_content(e, limit);

	if (!is_over ||
	    !json_is_string(json_object_get(e->choice, "finish_reason")))
		return is_cut;
	json_object_set_new(e->choice, "finish_reason", json_string("length"));
	return true;
}

static struct stage *
on_answer(struct shot *s, struct exchange *x)
{
	return edit_new(s, x, edit);
}

const struct fault_type fault_llm_length = {
	.name = "llm_length",
	.about = "the content is cut as by max_tokens",
	.fields = fields,
	.nfields = sizeof fields / sizeof fields[0],
	.conf_bytes = sizeof(struct conf),
	.on_answer = on_answer,
};
