/*
 * Patterns come from a configuration and texts from a model, and both may be
 * bad enough together to keep a matcher busy for hours.  PCRE2 counts its
 * steps and its memory, and gives up; what it could not decide does not match.
 */
#define PCRE2_CODE_UNIT_WIDTH 8
#include "gateway/decisions/validators.h"

#include "base/mem.h"
#include <jansson.h>
#include <pcre2.h>
#include <stdlib.h>
#include <string.h>

#define VALIDATORS_MAX 16
#define REGEX_TEXT_MAX ((size_t)65536) /* what a pattern is searched in */
#define REGEX_STEPS    200000          /* some milliseconds */
#define REGEX_KIB      4096
#define PATTERN_MAX    4096
#define SHOWN_MAX      80 /* of a pattern that is none */
#define COMPILED_MAX   ((size_t)262144)

struct validator {
	int kind;
	const struct ynode *keys; /* borrowed from the tree */
	const char *pattern;
	pcre2_code *regex; /* owned; NULL: none */
};

struct validators {
	struct validator rows[VALIDATORS_MAX];
	size_t n;
};

typedef bool validate_fn(const struct validator *v, const struct content *c);

static validate_fn has_content, has_tool_json, is_finished, has_keys, matches;

static const struct {
	const char *name;
	validate_fn *is_good;
} kinds[] = {
	{ "content", has_content },
	{ "tool_arguments", has_tool_json },
	{ "finish", is_finished },
	{ "keys", has_keys },
	{ "regex", matches },
};

static const char *const kind_names[] = { "content", "tool_arguments", "finish",
	"keys", "regex", NULL };

/* clang-format off */
static const struct cfield rows[] = {
	{ "keys",    CF_STRINGS, false, 0, 0, offsetof(struct validator, keys),    NULL },
	{ "pattern", CF_TEXT,    false, 0, 0, offsetof(struct validator, pattern), NULL },
	{ "type",    CF_ENUM,    true,  0, 0, offsetof(struct validator, kind),    kind_names },
};
/* clang-format on */

static bool
has_content(const struct validator *v, const struct content *c)
{
	const char *text = c->text.data ? c->text.data : "";

	(void)v;
	/* A tool call needs no words. */
	return c->ntools > 0 || text[strspn(text, " \t\r\n")] != '\0';
}

static bool
is_json(const struct buf *b)
{
	json_t *root = b->data ? json_loadb(b->data, b->len, 0, NULL) : NULL;
	bool ok = root != NULL;

	json_decref(root);
	return ok;
}

static bool
has_tool_json(const struct validator *v, const struct content *c)
{
	(void)v;
	for (size_t i = 0; i < c->ntools; i++)
		if (!is_json(&c->tools[i]))
			return false;
	return true;
}

static bool
is_finished(const struct validator *v, const struct content *c)
{
	(void)v;
	return strcmp(c->finish, "length") != 0;
}

static bool
has_keys(const struct validator *v, const struct content *c)
{
	json_t *root = c->text.data
	    ? json_loadb(c->text.data, c->text.len, 0, NULL)
	    : NULL;
	bool ok = json_is_object(root);

	for (const struct ynode *n = v->keys ? v->keys->first : NULL; n;
	     n = n->next)
		ok = ok && json_object_get(root, n->text);
	json_decref(root);
	return ok;
}

static bool
matches(const struct validator *v, const struct content *c)
{
	const char *text = c->text.data ? c->text.data : "";
	size_t n = c->text.len < REGEX_TEXT_MAX ? c->text.len : REGEX_TEXT_MAX;
	pcre2_match_context *limits = pcre2_match_context_create(NULL);
	pcre2_match_data *found = pcre2_match_data_create(1, NULL);
	int rc = PCRE2_ERROR_NOMEMORY;

	/* The pattern is the operator's, the text a model's: steps and
	 * memory are bounded, and what passes a bound does not match. */
	if (v->regex && limits && found) {
		pcre2_set_match_limit(limits, REGEX_STEPS);
		pcre2_set_heap_limit(limits, REGEX_KIB);
		rc = pcre2_match(v->regex, (PCRE2_SPTR)text, n, 0, 0, found,
		    limits);
	}
	pcre2_match_data_free(found);
	pcre2_match_context_free(limits);
	return rc >= 0;
}

/* ---- reading */

static void
compile(struct validator *v, const struct ynode *n, struct findings *f)
{
	size_t size = 0, at, shown = strlen(v->pattern);
	int code = 0;

	/* No half letter is said. */
	if (shown > SHOWN_MAX)
		for (shown = SHOWN_MAX;
		     ((unsigned char)v->pattern[shown] & 0xc0U) == 0x80;)
			shown--;

	if (strlen(v->pattern) <= PATTERN_MAX)
		v->regex = pcre2_compile((PCRE2_SPTR)v->pattern,
		    PCRE2_ZERO_TERMINATED,
		    PCRE2_DOTALL | PCRE2_MATCH_INVALID_UTF, &code, &at, NULL);
	if (v->regex)
		pcre2_pattern_info(v->regex, PCRE2_INFO_SIZE, &size);
	if (size > COMPILED_MAX) {
		pcre2_code_free(v->regex);
		v->regex = NULL;
	}
	if (!v->regex)
		findings_error(f, n,
		    "%.*s is not a regular expression, or too big a one",
		    (int)shown, v->pattern);
}

static void
read_one(struct validator *v, const struct ynode *n, struct findings *f)
{
	cfield_read(n, rows, COUNT(rows), v, f);
	if (kinds[v->kind].is_good == has_keys && !v->keys)
		findings_error(f, n, "the key keys is missing");
	if (kinds[v->kind].is_good != matches)
		return;
	if (!v->pattern)
		findings_error(f, n, "the key pattern is missing");
	else
		compile(v, n, f);
}

struct validators *
validators_read(const struct ynode *list, struct findings *f)
{
	struct validators *v = xcalloc(1, sizeof *v);

	if (list->n > VALIDATORS_MAX) {
		findings_error(f, list, "more than %d validators",
		    VALIDATORS_MAX);
		return v;
	}
	for (const struct ynode *n = list->first; n; n = n->next)
		read_one(&v->rows[v->n++], n, f);
	return v;
}

void
validators_free(struct validators *v)
{
	if (!v)
		return;
	for (size_t i = 0; i < v->n; i++)
		pcre2_code_free(v->rows[i].regex);
	free(v);
}

const char *
validators_run(const struct validators *v, const struct content *c)
{
	for (size_t i = 0; i < v->n; i++)
		if (!kinds[v->rows[i].kind].is_good(&v->rows[i], c))
			return kinds[v->rows[i].kind].name;
	return NULL;
}
