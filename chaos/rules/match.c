/*
 * Match terms by table: globs over texts, numbers that must be equal, flags.
 * To add one: a field, a row in the reader's table, a row beside its kind.
 */
#include "chaos/rules/match.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/http1.h"
#include "base/jfield.h"
#include "chaos/rules/glob.h"
#include "chaos/text/dialect.h"

#define FIELD(name, type, lo, hi)                                              \
	{                                                                      \
#name, type, 0, lo, hi, offsetof(struct raw, m.name), NULL     \
	}

struct raw {
	struct match m;
	bool stream, has_tools;
};

/* clang-format off */
static const struct jfield fields[] = {		/* sorted by key */
	FIELD(api,       JF_STRING, 1, 32),
	FIELD(attempt,   JF_INT,    1, 1e9),
	FIELD(body,      JF_STRING, 1, 256),
	{ "has_tools",   JF_BOOL, 0, 0, 0, offsetof(struct raw, has_tools), NULL },
	FIELD(header,    JF_OBJECT, 0, 0),
	FIELD(iteration, JF_INT,    1, 1e9),
	FIELD(metadata,  JF_OBJECT, 0, 0),
	FIELD(method,    JF_STRING, 1, 32),
	FIELD(model,     JF_STRING, 1, 256),
	FIELD(op,        JF_STRING, 1, 64),
	FIELD(path,      JF_STRING, 1, 256),
	{ "stream",      JF_BOOL, 0, 0, 0, offsetof(struct raw, stream), NULL },
	FIELD(turn,      JF_INT,    1, 1e6),
};
/* clang-format on */

#define NFIELDS COUNT(fields)

const struct jfield *
match_fields(size_t *n)
{
	*n = NFIELDS;
	return fields;
}

static struct slice body_of(struct facts *f);
static int64_t iteration_of(struct facts *f);
static int64_t attempt_of(struct facts *f);

static const struct {
	size_t offset;
	struct slice (*of)(struct facts *f);
} globs[] = {
	{ offsetof(struct match, api), facts_api },
	{ offsetof(struct match, method), facts_method },
	{ offsetof(struct match, op), facts_op },
	{ offsetof(struct match, path), facts_path },
	{ offsetof(struct match, model), facts_model },
	{ offsetof(struct match, body), body_of },
};

static const struct {
	size_t offset;
	int64_t (*of)(struct facts *f);
} numbers[] = {
	{ offsetof(struct match, attempt), attempt_of },
	{ offsetof(struct match, iteration), iteration_of },
	{ offsetof(struct match, turn), facts_turn },
};

static const struct {
	size_t offset;
	bool (*of)(struct facts *f);
} flags[] = {
	{ offsetof(struct match, stream), facts_stream },
	{ offsetof(struct match, has_tools), facts_has_tools },
};

static enum err
check_globs(json_t *object, const char *pointer, const char *key,
    struct why *why)
{
	bool is_header = strcmp(key, "header") == 0;
	const char *name;
	json_t *v;
	char found[128];

	json_object_foreach(object, name, v) {
		if (is_header && !http1_is_token(slice_of(name)))
			return why_set(why, ERR_SYNTAX,
			    "%s/%s: found the name \"%.60s\", expected a "
			    "header's",
			    pointer, key, name);
		if (json_is_string(v))
			continue;
		jfield_describe(v, found, sizeof found);
		return why_set(why, ERR_SYNTAX,
		    "%s/%s/%s: found %s, expected a string", pointer, key, name,
		    found);
	}
	return ERR_OK;
}

static enum err
check_api(const char *glob, const char *pointer, struct why *why)
{
	const struct dialect *d;

	for (size_t i = 0; (d = dialect_at(i)); i++)
		if (!glob || glob_match(glob, slice_of(d->name)))
			return ERR_OK;
	return why_set(why, ERR_SYNTAX,
	    "%s/api: found string \"%.40s\", expected chat, messages, "
	    "responses, gemini or ollama",
	    pointer, glob);
}

enum err
match_read(json_t *v, const char *pointer, struct match *ret, struct why *why)
{
	struct raw raw = { .m = { .stream = -1, .has_tools = -1 } };
	enum err e = ERR_OK;

	if (v)
		e = jfield_read(v, pointer, fields, NFIELDS, &raw, why);
	if (e == ERR_OK)
		e = check_api(raw.m.api, pointer, why);
	if (e == ERR_OK)
		e = check_globs(raw.m.header, pointer, "header", why);
	if (e == ERR_OK)
		e = check_globs(raw.m.metadata, pointer, "metadata", why);
	if (e != ERR_OK)
		return e;
	/* A flag has no value of its own for "not asked". */
	if (json_object_get(v, "stream"))
		raw.m.stream = raw.stream;
	if (json_object_get(v, "has_tools"))
		raw.m.has_tools = raw.has_tools;
	*ret = raw.m;
	return ERR_OK;
}

static const void *
member(const struct match *m, size_t offset)
{
	return (const char *)m + offset;
}

/* What is not there matches nothing, not even "*". */
static bool
globs_hold(const struct match *m, struct facts *f)
{
	for (size_t i = 0; i < COUNT(globs); i++) {
		const char *const *glob = member(m, globs[i].offset);
		struct slice value;

		if (!*glob) /* a connection has nothing to ask for */
			continue;
		value = globs[i].of(f);
		if (value.n == 0 || !glob_match(*glob, value))
			return false;
	}
	return true;
}

/* What is not there matches nothing, not even "*". */
static bool
is_there(json_t *glob, struct slice value)
{
	return value.p && glob_match(json_string_value(glob), value);
}

static bool
maps_hold(const struct match *m, struct facts *f)
{
	const char *name;
	json_t *v;

	json_object_foreach(m->header, name, v)
		if (!is_there(v, facts_header(f, name)))
			return false;
	json_object_foreach(m->metadata, name, v)
		if (!is_there(v, facts_meta(f, name)))
			return false;
	return true;
}

bool
match_asks_http(const struct match *m)
{
	for (size_t i = 0; i < COUNT(globs); i++) {
		const char *const *glob = member(m, globs[i].offset);

		if (*glob)
			return true;
	}
	return m->header || m->metadata || m->iteration || m->turn ||
	    m->stream >= 0 || m->has_tools >= 0;
}

bool
match_holds(const struct match *m, struct facts *f)
{
	for (size_t i = 0; i < COUNT(numbers); i++) {
		const int64_t *want = member(m, numbers[i].offset);

		if (*want && *want != numbers[i].of(f))
			return false;
	}
	for (size_t i = 0; i < COUNT(flags); i++) {
		const int *want = member(m, flags[i].offset);

		if (*want >= 0 && *want != (int)flags[i].of(f))
			return false;
	}
	return globs_hold(m, f) && maps_hold(m, f);
}

/* Whatever fits b fits a: the same glob, or b is one plain text. */
static bool
glob_covers(const char *a, const char *b)
{
	if (!a)
		return true;
	if (!b)
		return false;
	if (strspn(a, "*") == strlen(a))
		return true;
	return strcmp(a, b) == 0 ||
	    (!strpbrk(b, "*?") && glob_match(a, slice_of(b)));
}

static bool
map_covers(json_t *a, json_t *b)
{
	const char *name;
	json_t *v;

	/* Names are compared as they are spelled: where a header is spelled in
	 * two ways the answer is "no", which only costs a warning. */
	json_object_foreach(a, name, v)
		if (!glob_covers(json_string_value(v),
		        json_string_value(json_object_get(b, name))))
			return false;
	return true;
}

bool
match_covers(const struct match *a, const struct match *b)
{
	for (size_t i = 0; i < COUNT(numbers); i++) {
		const int64_t *mine = member(a, numbers[i].offset);
		const int64_t *other = member(b, numbers[i].offset);

		if (*mine && *mine != *other)
			return false;
	}
	for (size_t i = 0; i < COUNT(flags); i++) {
		const int *mine = member(a, flags[i].offset);
		const int *other = member(b, flags[i].offset);

		if (*mine >= 0 && *mine != *other)
			return false;
	}
	for (size_t i = 0; i < COUNT(globs); i++) {
		const char *const *mine = member(a, globs[i].offset);
		const char *const *other = member(b, globs[i].offset);

		if (!glob_covers(*mine, *other))
			return false;
	}
	return map_covers(a->header, b->header) &&
	    map_covers(a->metadata, b->metadata);
}

static struct slice
body_of(struct facts *f)
{
	return f->body;
}

static int64_t
attempt_of(struct facts *f)
{
	return (int64_t)f->attempt;
}

static int64_t
iteration_of(struct facts *f)
{
	struct slice s = facts_iteration(f);
	char text[16];

	snprintf(text, sizeof text, SLICE_FMT, SLICE_ARG(s));
	return strtoll(text, NULL, 10);
}
