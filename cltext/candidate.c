/*
 * Two readers (candidate_file.c has the other), one end: whatever form a
 * candidate comes in, it passes candidate_check() before it leaves, so that
 * every candidate in the system has a source, an entry that is an identifier,
 * and one to three expressions for both sizes.
 *
 * Prose around an object is tolerated only when there is exactly one object
 * with our four keys: two would mean a guess.  The search tries a parse at
 * each `{"` outside the objects already found; the number of tries is capped,
 * so hostile text costs a bounded number of scans.
 */
#include "cltext/candidate.h"

#include "base/jfield.h"
#include "base/mem.h"
#include "base/slice.h"
#include "cltext/candidate_check.h"
#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define ANSWER_MAX     ((size_t)8 * CANDIDATE_SOURCE_MAX) /* escapes included */
#define EXPRESSION_MAX 256
#define ENTRY_MAX      128
#define TRIES_MAX      64

struct answer {
	const char *source, *entry;
	json_t *global, *local, *assumptions;
};

static const struct jfield answer_fields[] = {
	/* clang-format off */
	{ "source",      JF_STRING, JF_REQUIRED, 0, 0, offsetof(struct answer, source), NULL },
	{ "entry",       JF_STRING, JF_REQUIRED, 0, 0, offsetof(struct answer, entry), NULL },
	{ "global_size", JF_ARRAY,  JF_REQUIRED, 1, CANDIDATE_DIMS_MAX, offsetof(struct answer, global), NULL },
	{ "local_size",  JF_ARRAY,  JF_REQUIRED, 1, CANDIDATE_DIMS_MAX, offsetof(struct answer, local), NULL },
	{ "assumptions", JF_ARRAY,  0,           0, CANDIDATE_NOTES_MAX, offsetof(struct answer, assumptions), NULL },
	/* clang-format on */
};

static enum err find_object(const char *text, size_t len, json_t **ret,
    struct why *why);
static bool has_keys(json_t *o);
static enum err from_object(json_t *o, struct candidate *c, struct why *why);
static enum err read_sizes(json_t *array, const char *key,
    char *out[CANDIDATE_DIMS_MAX], struct why *why);
static enum err read_notes(json_t *array, struct candidate *c, struct why *why);

enum err
candidate_parse_answer(const char *text, size_t len, struct candidate *ret,
    struct why *why)
{
	struct candidate c = { 0 };
	struct why direct = { "" };
	json_t *o = NULL;
	enum err e;

	if (len > ANSWER_MAX)
		return why_set(why, ERR_SYNTAX,
		    "answer: %zu bytes: expected at most %zu", len, ANSWER_MAX);
	while (len > 0 && isspace((unsigned char)*text))
		text++, len--;
	if (len == 0)
		return why_set(why, ERR_SYNTAX,
		    "answer: empty: expected a JSON object");
	/* What was asked for, an object and nothing else, is tried first: only
	 * its error tells the model where its JSON is wrong. */
	e = jfield_parse("answer", text, len, &o, &direct);
	if (e != ERR_OK)
		e = find_object(text, len, &o, &direct);
	if (e != ERR_OK)
		return why_set(why, ERR_SYNTAX, "%s", direct.text);
	e = from_object(o, &c, why);
	json_decref(o);
	if (e != ERR_OK) {
		candidate_done(&c);
		return ERR_SYNTAX;
	}
	*ret = c;
	return ERR_OK;
}

/* The one object with our keys inside prose; *why comes in with what a
 * direct parse said. */
static enum err
find_object(const char *text, size_t len, json_t **ret, struct why *why)
{
	json_t *found = NULL, *o;
	json_error_t je;
	size_t tries = 0, i;

	for (i = 0; i < len && tries < TRIES_MAX; i++) {
		size_t j = i + 1;

		if (text[i] != '{')
			continue;
		while (j < len && isspace((unsigned char)text[j]))
			j++;
		if (j == len || text[j] != '"')
			continue;
		tries++;
		/* Prose may follow, so the end is not checked; a key that comes
		 * twice is refused, for one of the two would be lost without a
		 * word. */
		o = json_loadb(text + i, len - i,
		    JSON_REJECT_DUPLICATES | JSON_DISABLE_EOF_CHECK, &je);
		if (!o)
			continue;
		/* Behind what was read: an object inside another one is a part
		 * of it and no second answer. */
		i += (size_t)je.position - 1;
		if (has_keys(o) && found) {
			json_decref(o);
			json_decref(found);
			return why_set(why, ERR_SYNTAX,
			    "answer: two objects with a kernel: expected one");
		}
		if (has_keys(o))
			found = json_incref(o);
		json_decref(o);
	}
	/* What was not looked at may hold a second one. */
	if (i < len) {
		json_decref(found);
		return why_set(why, ERR_SYNTAX,
		    "answer: more than %d places that look like an object: "
		    "expected one",
		    TRIES_MAX);
	}
	if (!found)
		return why->text[0] ? ERR_SYNTAX
		                    : why_set(why, ERR_SYNTAX,
		                          "answer: no object with a kernel");
	*ret = found;
	return ERR_OK;
}

static bool
has_keys(json_t *o)
{
	return json_object_get(o, "source") && json_object_get(o, "entry") &&
	    json_object_get(o, "global_size") &&
	    json_object_get(o, "local_size");
}

static enum err
from_object(json_t *o, struct candidate *c, struct why *why)
{
	struct answer a = { 0 };
	enum err e;

	e = jfield_read(o, "", answer_fields, COUNT(answer_fields), &a, why);
	if (e != ERR_OK)
		return e;
	/* No byte of it is lost: jansson takes no \u0000 unless it is asked
	 * to. */
	c->source = xstrdup(candidate_behind_mark(a.source, strlen(a.source)));
	c->entry = xstrdup(a.entry);
	c->ndims = json_array_size(a.global);
	if ((e = read_sizes(a.global, "global_size", c->global, why)) ||
	    (e = read_sizes(a.local, "local_size", c->local, why)) ||
	    (e = read_notes(a.assumptions, c, why)))
		return e;
	return candidate_check(c, json_array_size(a.local), why);
}

/* An expression is a string; a plain integer is one without doubt. */
static enum err
read_sizes(json_t *array, const char *key, char *out[CANDIDATE_DIMS_MAX],
    struct why *why)
{
	json_t *v;
	size_t i;

	json_array_foreach(array, i, v) {
		char found[64];

		if (json_is_string(v)) {
			out[i] = xstrdup(json_string_value(v));
		} else if (json_is_integer(v)) {
			out[i] =
			    xasprintf("%lld", (long long)json_integer_value(v));
		} else {
			jfield_describe(v, found, sizeof found);
			return why_set(why, ERR_SYNTAX,
			    "/%s/%zu: found %s, expected an expression", key, i,
			    found);
		}
	}
	return ERR_OK;
}

static enum err
read_notes(json_t *array, struct candidate *c, struct why *why)
{
	json_t *v;
	size_t i;

	json_array_foreach(array, i, v) {
		if (!json_is_string(v))
			return why_set(why, ERR_SYNTAX,
			    "/assumptions/%zu: expected a string", i);
		/* The table of fields has bounded their number. */
		c->assumptions[c->nassumptions++] =
		    xstrdup(json_string_value(v));
	}
	return ERR_OK;
}

static bool
is_line(const char *s)
{
	for (; *s; s++)
		if (iscntrl((unsigned char)*s))
			return false;
	return true;
}

const char *
candidate_behind_mark(const char *text, size_t len)
{
	static const char mark[] = { '\xef', '\xbb', '\xbf' };

	return len >= sizeof mark && memcmp(text, mark, sizeof mark) == 0
	    ? text + sizeof mark
	    : text;
}

/* What every candidate has, whichever way it came. */
enum err
candidate_check(const struct candidate *c, size_t nlocal, struct why *why)
{
	size_t bytes = strlen(c->source);

	if (bytes == 0 || bytes > CANDIDATE_SOURCE_MAX)
		return why_set(why, ERR_SYNTAX,
		    "source: %zu bytes: expected 1 to %d", bytes,
		    CANDIDATE_SOURCE_MAX);
	if (!c->entry)
		return why_set(why, ERR_SYNTAX,
		    "no line \"// entry: NAME\" at its top");
	if (c->ndims == 0)
		return why_set(why, ERR_SYNTAX,
		    "no line \"// global: EXPRESSION\" at its top");
	if (nlocal == 0)
		return why_set(why, ERR_SYNTAX,
		    "no line \"// local: EXPRESSION\" at its top");
	if (strlen(c->entry) > ENTRY_MAX ||
	    !slice_is_identifier(slice_of(c->entry)))
		return why_set(why, ERR_SYNTAX,
		    "entry: \"%.40s\": expected the name of a kernel",
		    c->entry);
	if (nlocal != c->ndims)
		return why_set(why, ERR_SYNTAX,
		    "local size: %zu dimension%s: expected %zu, as global size "
		    "has",
		    nlocal, nlocal == 1 ? "" : "s", c->ndims);
	/* Global and local by turns, so that the first dimension's faults are
	 * named first. */
	for (size_t i = 0; i < 2 * c->ndims; i++) {
		const char *s = i % 2 ? c->local[i / 2] : c->global[i / 2];

		if (!s || *s == '\0' || strlen(s) > EXPRESSION_MAX ||
		    !is_line(s))
			return why_set(why, ERR_SYNTAX,
			    "%s size %zu: expected one line of 1 to %d "
			    "characters",
			    i % 2 ? "local" : "global", i / 2, EXPRESSION_MAX);
	}
	return ERR_OK;
}

static json_t *
strings_json(char *const *items, size_t n)
{
	json_t *array = json_array();

	for (size_t i = 0; i < n; i++)
		json_array_append_new(array, json_string(items[i]));
	return array;
}

json_t *
candidate_to_json(const struct candidate *c)
{
	json_t *o = json_object();

	json_object_set_new(o, "source", json_string(c->source));
	json_object_set_new(o, "entry", json_string(c->entry));
	json_object_set_new(o, "global_size",
	    strings_json(c->global, c->ndims));
	json_object_set_new(o, "local_size", strings_json(c->local, c->ndims));
	if (c->nassumptions > 0)
		json_object_set_new(o, "assumptions",
		    strings_json(c->assumptions, c->nassumptions));
	return o;
}

void
candidate_done(struct candidate *c)
{
	if (!c)
		return;
	free(c->source);
	free(c->entry);
	for (size_t i = 0; i < CANDIDATE_DIMS_MAX; i++) {
		free(c->global[i]);
		free(c->local[i]);
	}
	for (size_t i = 0; i < c->nassumptions; i++)
		free(c->assumptions[i]);
	*c = (struct candidate){ 0 };
}
