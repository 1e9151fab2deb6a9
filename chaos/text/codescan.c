/*
 * Two machines: one finds the code, the other walks over what in it is no
 * code.  Between them the escapes of JSON are undone.
 */
#include "chaos/text/codescan.h"

#include <string.h>

#define FENCE     "```"
#define SOURCE    "\"source\""
#define HEX_CHARS 4

enum place {
	PLACE_PROSE,
	PLACE_COLON,      /* behind "source" */
	PLACE_QUOTE,      /* behind its colon */
	PLACE_FENCE_LINE, /* in the line that opens a fence */
	PLACE_FENCE_TEXT, /* before its first character */
};

enum lexeme {
	LEX_CODE,
	LEX_LINE_COMMENT,
	LEX_BLOCK_COMMENT,
	LEX_DIRECTIVE,
	LEX_STRING,
	LEX_CHARACTER,
};

/* Does content[0..at] end with text? */
static bool
ends_with(struct slice content, size_t at, const char *text)
{
	size_t n = strlen(text);

	return at + 1 >= n && memcmp(content.p + at + 1 - n, text, n) == 0;
}

static bool
is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* ---- before the code */

static void
begin_code(struct codescan *s, bool is_json, size_t at)
{
	*s = (struct codescan){ .statement = at,
		.is_code = true,
		.is_json = is_json,
		.is_line_start = true };
}

/* True: content[at] is the first character of code. */
static bool
read_prose(struct codescan *s, struct slice content, size_t at)
{
	char c = content.p[at];

	s->statement = at + 1;
	if (s->place == PLACE_FENCE_LINE) {
		s->place = c == '\n' ? PLACE_FENCE_TEXT : PLACE_FENCE_LINE;
	} else if (s->place != PLACE_PROSE && is_space(c)) {
		return false;
	} else if (s->place == PLACE_FENCE_TEXT && c != '{') {
		begin_code(s, false, at);
		return true;
	} else if (s->place == PLACE_COLON && c == ':') {
		s->place = PLACE_QUOTE;
	} else if (s->place == PLACE_QUOTE && c == '"') {
		begin_code(s, true, at + 1);
	} else if (ends_with(content, at, FENCE)) {
		s->place = PLACE_FENCE_LINE;
	} else if (ends_with(content, at, SOURCE)) {
		s->place = PLACE_COLON;
	} else {
		s->place = PLACE_PROSE;
	}
	return false;
}

/* ---- in it */

static void
enter(struct codescan *s, enum lexeme l)
{
	s->lexeme = (int)l;
	s->last = '\0';
}

/* Where one begins; false: c is code. */
static bool
begins_other(struct codescan *s, char c)
{
	if (s->last == '/' && c == '/')
		enter(s, LEX_LINE_COMMENT);
	else if (s->last == '/' && c == '*')
		enter(s, LEX_BLOCK_COMMENT);
	else if (c == '"')
		enter(s, LEX_STRING);
	else if (c == '\'')
		enter(s, LEX_CHARACTER);
	else if (c == '#' && s->is_line_start)
		enter(s, LEX_DIRECTIVE);
	else
		return false;
	return true;
}

static bool
ends_other(const struct codescan *s, char c)
{
	switch ((enum lexeme)s->lexeme) {
	case LEX_LINE_COMMENT:
	case LEX_DIRECTIVE:
		return c == '\n' && s->last != '\\';
	case LEX_BLOCK_COMMENT:
		return s->last == '*' && c == '/';
	case LEX_STRING:
		return c == '"' && s->last != '\\';
	case LEX_CHARACTER:
		return c == '\'' && s->last != '\\';
	case LEX_CODE:
		break;
	}
	return false;
}

static enum codescan_step
close_brace(struct codescan *s)
{
	bool was_body = s->in_body;

	s->depth -= s->depth > 0;
	s->in_body = s->depth > 0;
	return was_body && !s->in_body ? SCAN_FUNCTION : SCAN_STATEMENT;
}

/* A character of code; brackets that do not fit end with the statement. */
static enum codescan_step
read_code(struct codescan *s, char c)
{
	if (c == '(')
		s->parens++;
	else if (c == ')')
		s->parens -= s->parens > 0;
	else if (c == ';' && s->parens == 0)
		return SCAN_STATEMENT;
	else if (c == '{') {
		s->parens = 0;
		s->depth++;
		s->in_body = true;
		return SCAN_STATEMENT;
	} else if (c == '}') {
		s->parens = 0;
		return close_brace(s);
	}
	return SCAN_NOTHING;
}

static enum codescan_step
read_char(struct codescan *s, char c)
{
	enum codescan_step step = SCAN_NOTHING;

	if (s->lexeme == LEX_CODE) {
		if (begins_other(s, c))
			return SCAN_NOTHING;
		step = read_code(s, c);
	} else if (ends_other(s, c)) {
		enter(s, LEX_CODE);
	} else if (s->last == '\\') {
		c = '\0'; /* that backslash is used up */
	}
	if (c == '\n')
		s->is_line_start = true;
	else if (!is_space(c))
		s->is_line_start = false;
	s->last = c;
	return step;
}

/* The character that an escape of JSON stands for, near enough. */
static char
unescape(struct codescan *s, char c)
{
	static const char from[] = "nrt\"\\/", to[] = "\n\r\t\"\\/";
	const char *hit = c ? strchr(from, c) : NULL;

	s->escaped = c == 'u' ? HEX_CHARS : 0;
	if (!hit)
		return '?';
	return to[hit - from];
}

static enum codescan_step
read_json(struct codescan *s, char c)
{
	if (s->skips_next) {
		s->skips_next = false;
		return read_char(s, unescape(s, c));
	}
	if (s->escaped > 0) {
		s->escaped--;
		return SCAN_NOTHING;
	}
	if (c == '"')
		return SCAN_OVER;
	s->skips_next = c == '\\';
	return s->skips_next ? SCAN_NOTHING : read_char(s, c);
}

enum codescan_step
codescan_read(struct codescan *s, struct slice content, size_t at)
{
	enum codescan_step step;

	if (!s->is_code && !read_prose(s, content, at))
		return SCAN_NOTHING;
	if (s->is_json)
		step = read_json(s, content.p[at]);
	else if (ends_with(content, at, "\n" FENCE))
		step = SCAN_OVER;
	else
		step = read_char(s, content.p[at]);
	if (step == SCAN_OVER)
		*s = (struct codescan){ .place = PLACE_PROSE };
	if (step != SCAN_NOTHING)
		s->statement = at + 1;
	return step;
}
