/*
 * Reading LLVM's text.  Its printer is regular: an instruction is "%name =
 * opcode types and operands", a type is written out wherever it stands, a name
 * carries a sigil.  So words are enough; no parser is needed that could
 * disagree with LLVM's own about what it means.
 */
#include "lab/read/ir_text.h"

#include "base/units.h"
#include <string.h>

struct slice
ir_cut(const char *p, size_t n)
{
	return (struct slice){ p, n };
}

static bool
is_name_char(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	    (c >= '0' && c <= '9') || c == '_' || c == '.' || c == '$' ||
	    c == '-';
}

static bool
is_sigil(char c)
{
	return c == '%' || c == '@' || c == '!' || c == '#';
}

size_t
ir_find_word(struct slice s, const char *word)
{
	size_t n = strlen(word);

	for (size_t i = 0; i + n <= s.n; i++)
		if (memcmp(s.p + i, word, n) == 0 &&
		    (i == 0 ||
		        (!is_name_char(s.p[i - 1]) && !is_sigil(s.p[i - 1]))) &&
		    (i + n == s.n || !is_name_char(s.p[i + n])))
			return i + n;
	return 0;
}

struct slice
ir_name_at(struct slice s)
{
	size_t n = 0;

	while (n < s.n && is_name_char(s.p[n]))
		n++;
	return ir_cut(s.p, n);
}

struct slice
ir_from(struct slice s, const char *text)
{
	size_t n = strlen(text);

	for (size_t i = 0; i + n <= s.n; i++)
		if (memcmp(s.p + i, text, n) == 0)
			return ir_cut(s.p + i, s.n - i);
	return ir_cut(s.p + s.n, 0);
}

struct slice
ir_next_word(struct slice s, size_t *at)
{
	while (*at < s.n) {
		size_t from = *at;
		struct slice word = ir_name_at(ir_cut(s.p + from, s.n - from));

		*at += word.n > 0 ? word.n : 1;
		if (word.n > 0 && (from == 0 || !is_sigil(s.p[from - 1])))
			return word;
	}
	return ir_cut(s.p + s.n, 0);
}

/* Behind the blanks that an instruction begins with. */
static struct slice
unindented(struct slice line)
{
	while (line.n > 0 && *line.p == ' ')
		line = ir_cut(line.p + 1, line.n - 1);
	return line;
}

struct slice
ir_result(struct slice line)
{
	struct slice s = unindented(line), name;

	if (s.n == 0 || *s.p != '%')
		return ir_cut(s.p, 0);
	name = ir_name_at(ir_cut(s.p + 1, s.n - 1));
	if (!slice_begins(ir_cut(s.p + 1 + name.n, s.n - 1 - name.n), " = "))
		return ir_cut(s.p, 0);
	return ir_cut(s.p, name.n + 1);
}

struct slice
ir_operation(struct slice line)
{
	static const char *const marks[] = { "musttail ", "notail ", "tail " };
	struct slice s = unindented(line), result = ir_result(line), attached;

	if (result.n > 0)
		s = ir_cut(s.p + result.n + 3, s.n - result.n - 3);
	for (size_t i = 0; i < COUNT(marks); i++)
		if (slice_begins(s, marks[i]))
			s = ir_cut(s.p + strlen(marks[i]),
			    s.n - strlen(marks[i]));
	/* what is attached to it: lines, loops */
	attached = ir_from(s, ", !");
	return ir_cut(s.p, s.n - attached.n);
}

void
ir_blank_quotes(char *text)
{
	bool quoted = false;

	for (; *text && (*text != '\n' || quoted); text++) {
		if (*text == '"')
			quoted = !quoted;
		else if (quoted)
			*text = ' ';
	}
}

static uint64_t
scalar_bytes(struct slice type)
{
	static const struct {
		const char *name;
		uint64_t bytes;
	} rows[] = { { "i8", 1 }, { "i16", 2 }, { "half", 2 }, { "i32", 4 },
		{ "float", 4 } };

	for (size_t i = 0; i < COUNT(rows); i++)
		if (slice_begins(type, rows[i].name))
			return rows[i].bytes;
	return 8; /* i64, double, pointers; a struct's own arrays count there */
}

/* "[N x " or "<N x " at the start of s: N, and what follows in *s. */
static uint64_t
take_count(struct slice *s)
{
	uint64_t n = 0;
	size_t i = 1;

	while (i < s->n && s->p[i] >= '0' && s->p[i] <= '9') {
		n = n < IR_COUNT_MAX ? n * 10 + (uint64_t)(s->p[i] - '0') : n;
		i++;
	}
	if (i == 1 || i + 3 > s->n || memcmp(s->p + i, " x ", 3) != 0)
		return 0;
	*s = ir_cut(s->p + i + 3, s->n - i - 3);
	return n;
}

static bool
opens_type(struct slice s)
{
	return s.n > 0 && (*s.p == '[' || *s.p == '<');
}

uint64_t
ir_array_bytes(struct slice s)
{
	uint64_t most = 0;

	for (size_t i = 0; i < s.n; i++) {
		struct slice rest = ir_cut(s.p + i, s.n - i);
		uint64_t bytes = 1, n;

		if (!opens_type(rest) || !take_count(&rest))
			continue;
		rest = ir_cut(s.p + i, s.n - i);
		while (opens_type(rest) && (n = take_count(&rest)) > 0)
			bytes = bytes < IR_COUNT_MAX ? bytes * n : bytes;
		bytes *= scalar_bytes(rest);
		most = bytes > most ? bytes : most;
	}
	return most;
}

uint64_t
ir_number_after(struct slice s, const char *word)
{
	uint64_t most = 0;

	for (size_t at; (at = ir_find_word(s, word)) > 0;) {
		uint64_t n = 0;

		s = ir_cut(s.p + at, s.n - at);
		for (size_t i = 1; i < s.n && s.p[i] >= '0' && s.p[i] <= '9';
		     i++)
			n = n < IR_COUNT_MAX ? n * 10 + (uint64_t)(s.p[i] - '0')
			                     : n;
		most = n > most ? n : most;
	}
	return most;
}

uint64_t
ir_lanes(struct slice s)
{
	uint64_t most = 0, n;

	for (size_t i = 0; i < s.n; i++) {
		struct slice rest = ir_cut(s.p + i, s.n - i);

		if (*rest.p == '<' && (n = take_count(&rest)) > most)
			most = n;
	}
	return most;
}
