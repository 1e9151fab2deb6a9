/*
 * Prose goes at once, until a fence or the member "source" begins the code.
 * Of code the statement that is being read is kept back, and goes when it is
 * over and none of the operator's words stood in it.  The code may stand in
 * JSON: its line ends are then a backslash and an n.
 */
#include "chaos/editfrom.h"

#include <string.h>

#define FENCE  "```"
#define SOURCE "\"source\""

/* Operators whose statements a word betrays. */
static const struct {
	const char *name;
	const char *const *words;
} rows[] = {
	/* sorted by name */
	{ "dtype_load", (const char *const[]){ "kf_load", NULL } },
	{ "eps_place", (const char *const[]){ "eps", NULL } },
	{ "gelu_tanh", (const char *const[]){ "erf", NULL } },
	{ "half_store", (const char *const[]){ "kf_store", NULL } },
	{ "rope_freq",
	    (const char *const[]){ "pow", "exp", "log", "base", "theta",
	        NULL } },
	{ "stride_swap", (const char *const[]){ "_stride", NULL } },
	{ "sync_drop", (const char *const[]){ "barrier", NULL } },
};

void
editfrom_init(struct editfrom *f, const char *operator_name)
{
	*f = (struct editfrom){ .words = NULL };
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
		if (strcmp(rows[i].name, operator_name) == 0)
			f->words = rows[i].words;
}

/* Does content[0..at] end with text? */
static bool
ends_with(struct slice content, size_t at, const char *text)
{
	size_t n = strlen(text);

	return at + 1 >= n && memcmp(content.p + at + 1 - n, text, n) == 0;
}

static bool
is_space(struct slice content, size_t at)
{
	char c = content.p[at];

	return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\\' ||
	    (c == 'n' && at > 0 && content.p[at - 1] == '\\');
}

static void
read_prose(struct editfrom *f, struct slice content, size_t at)
{
	f->is_fence = ends_with(content, at, FENCE);
	f->is_code = f->is_fence || ends_with(content, at, SOURCE);
	f->statement = at + 1;
	f->last = '\0';
}

/* The word must stand in the statement itself. */
static bool
is_word_here(const struct editfrom *f, struct slice content, size_t at)
{
	struct slice statement = { content.p + f->statement,
		content.n - f->statement };

	if (at < f->statement)
		return false;
	for (size_t i = 0; f->words && f->words[i]; i++)
		if (ends_with(statement, at - f->statement, f->words[i]))
			return true;
	return false;
}

static void
read_code(struct editfrom *f, struct slice content, size_t at)
{
	char c = content.p[at];

	/* A fence around JSON: its code is in its member. */
	if (f->is_fence && c == '{' && f->last == '\n') {
		f->is_code = false;
		f->statement = at + 1;
		return;
	}
	if (f->is_fence && f->last == '\0' && c != '\n')
		return;
	if (!f->words && c == '{' && f->last == ')') {
		f->is_reached = true;
		f->statement = at + 1;
	} else if (f->words && is_word_here(f, content, at))
		f->is_reached = true;
	else if (c == ';' || c == '{' || c == '}')
		f->statement = at + 1;
	if (!is_space(content, at) || f->last == '\0')
		f->last = c;
}

size_t
editfrom_read(struct editfrom *f, struct slice content)
{
	for (; f->read < content.n && !f->is_reached; f->read++) {
		if (f->is_code)
			read_code(f, content, f->read);
		else
			read_prose(f, content, f->read);
	}
	return f->statement;
}
