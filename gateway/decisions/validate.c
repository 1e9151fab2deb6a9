/* See the header. */
#include "gateway/decisions/validate.h"

#include "base/mem.h"
#include <jansson.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>

#define VALIDATORS_MAX 16
#define REGEX_TEXT_MAX 65536 /* what a pattern is searched in */

struct validator {
	int kind;
	const struct ynode *keys; /* borrowed from the tree */
	const char *pattern;
	regex_t regex;
	bool has_regex;
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
	{ "pattern", CF_STRING,  false, 0, 0, offsetof(struct validator, pattern), NULL },
	{ "type",    CF_ENUM,    true,  0, 0, offsetof(struct validator, kind),    kind_names },
};
/* clang-format on */

static bool
has_content(const struct validator *v, const struct content *c)
{
	const char *text = c->text.data ? c->text.data : "";

	(void)v;
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
	char *text = xstrndup(c->text.data ? c->text.data : "", REGEX_TEXT_MAX);
	bool ok = v->has_regex && regexec(&v->regex, text, 0, NULL, 0) == 0;

	free(text);
	return ok;
}

/* ---- reading */

static void
read_one(struct validator *v, const struct ynode *n, struct findings *f)
{
	cfield_read(n, rows, sizeof rows / sizeof rows[0], v, f);
	if (kinds[v->kind].is_good == has_keys && !v->keys)
		findings_error(f, n, "the key keys is missing");
	if (kinds[v->kind].is_good != matches)
		return;
	if (!v->pattern)
		findings_error(f, n, "the key pattern is missing");
	else if (regcomp(&v->regex, v->pattern, REG_EXTENDED | REG_NOSUB) != 0)
		findings_error(f, n, "%s is not a regular expression",
		    v->pattern);
	else
		v->has_regex = true;
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
		if (v->rows[i].has_regex)
			regfree(&v->rows[i].regex);
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
