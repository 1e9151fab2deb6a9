/*
 * A request as rules see it.  Anything odd in it (a body that is no JSON,
 * metadata of the wrong type) is an absent fact, not an error: a chaos proxy
 * forwards what it does not understand.
 */
#include "chaos/rules/request_facts.h"

#include <stdlib.h>
#include <string.h>

#include "base/metadata_header.h"
#include "chaos/text/conversation.h"

#define META_HEADER "X-TFY-METADATA"

void
facts_init(struct facts *f, const char *proxy, const struct http1_head *head,
    struct slice body)
{
	*f = (struct facts){ .proxy = proxy, .head = head, .body = body };
}

void
facts_done(struct facts *f)
{
	json_decref(f->json);
	json_decref(f->meta);
	free(f->said_own);
	f->said_own = NULL;
	f->json = f->meta = NULL;
}

struct slice
facts_method(struct facts *f)
{
	return f->head->method;
}

struct slice
facts_path(struct facts *f)
{
	struct slice t = f->head->target;
	const char *query = t.n ? memchr(t.p, '?', t.n) : NULL;

	if (query)
		t.n = (size_t)(query - t.p);
	return t;
}

struct slice
facts_query(struct facts *f)
{
	struct slice t = f->head->target;
	size_t path = facts_path(f).n;

	return path < t.n ? (struct slice){ t.p + path + 1, t.n - path - 1 }
	                  : slice_of(NULL);
}

json_t *
facts_json(struct facts *f)
{
	if (!f->has_json && f->body.n)
		f->json = json_loadb(f->body.p, f->body.n,
		    JSON_REJECT_DUPLICATES, NULL);
	f->has_json = true;
	return f->json;
}

bool
facts_canon(struct facts *f, const struct canon_ignored *ignored,
    struct buf *ret)
{
	struct canon c;

	if (f->reading != FACTS_BY_TREE && canon_scan(f->body, ignored, &c)) {
		f->reading = FACTS_SCANNED;
		memcpy(f->known, c.known, sizeof f->known);
		*ret = c.text;
		return true;
	}
	f->reading = FACTS_BY_TREE;
	return false;
}

/* Was the body scanned?  Then f->known says what stands in it. */
static bool
is_scanned(struct facts *f)
{
	static const struct canon_ignored nothing = { NULL, 0 };
	struct buf text;

	if (f->reading == FACTS_UNREAD && facts_canon(f, &nothing, &text))
		buf_done(&text);
	return f->reading == FACTS_SCANNED;
}

struct slice
facts_header(struct facts *f, const char *name)
{
	const struct slice *v = http1_get(f->head, name);

	return v ? *v : slice_of(NULL);
}

struct slice
facts_meta(struct facts *f, const char *key)
{
	struct slice text = facts_header(f, META_HEADER);

	if (!f->has_meta && text.n)
		metadata_header_parse(text.p, text.n, &f->meta, NULL);
	f->has_meta = true;
	return slice_of(metadata_header_get(f->meta, key));
}

static struct slice
string_member(json_t *object, const char *key)
{
	return slice_of(json_string_value(json_object_get(object, key)));
}

struct slice
facts_asked_model(struct facts *f)
{
	struct slice raw;

	if (is_scanned(f)) {
		raw = f->known[CANON_MODEL];
		if (raw.n < 2 || raw.p[0] != '"')
			return slice_of(NULL);
		if (!memchr(raw.p, '\\', raw.n))
			return (struct slice){ raw.p + 1, raw.n - 2 };
	}
	return string_member(facts_json(f), "model");
}

static struct slice
last_segment(struct slice path)
{
	const char *slash = path.n ? memrchr(path.p, '/', path.n) : NULL;

	if (slash) {
		path.n -= (size_t)(slash + 1 - path.p);
		path.p = slash + 1;
	}
	return path;
}

struct slice
facts_model(struct facts *f)
{
	if (f->answer_model.n)
		return last_segment(f->answer_model);
	return last_segment(facts_asked_model(f));
}

struct slice
facts_op(struct facts *f)
{
	return facts_meta(f, "op");
}

struct slice
facts_iteration(struct facts *f)
{
	return facts_meta(f, "iteration");
}

const struct dialect *
facts_dialect(struct facts *f)
{
	return f->head ? dialect_find(facts_path(f)) : NULL;
}

struct slice
facts_api(struct facts *f)
{
	const struct dialect *d = facts_dialect(f);

	return slice_of(d ? d->name : NULL);
}

static struct slice
asked_stream(struct facts *f)
{
	json_t *v;

	if (is_scanned(f))
		return f->known[CANON_STREAM];
	v = json_object_get(facts_json(f), "stream");
	if (!json_is_boolean(v))
		return slice_of(NULL);
	return slice_of(json_is_true(v) ? "true" : "false");
}

bool
facts_stream(struct facts *f)
{
	static const char by_path[] = ":streamGenerateContent";
	const struct dialect *d = facts_dialect(f);
	struct slice path = facts_path(f), asked = asked_stream(f);

	/* Gemini says it in the path and has no such member. */
	if (path.n >= strlen(by_path) &&
	    memcmp(path.p + path.n - strlen(by_path), by_path,
	        strlen(by_path)) == 0)
		return true;
	if (d && d->streams_unasked && asked.n == 0)
		return true;
	return slice_is(asked, "true");
}

bool
facts_has_tools(struct facts *f)
{
	struct slice raw;
	size_t i = 1;

	if (is_scanned(f)) {
		raw = f->known[CANON_TOOLS];
		if (raw.n < 2 || raw.p[0] != '[')
			return false;
		while (strchr(" \t\r\n", raw.p[i]))
			i++;
		return raw.p[i] != ']';
	}
	return json_array_size(json_object_get(facts_json(f), "tools")) > 0;
}

int64_t
facts_turn(struct facts *f)
{
	struct conversation c;

	if (!facts_dialect(f))
		return 0;
	conversation_read(facts_json(f), &c);
	return (int64_t)c.turn;
}
