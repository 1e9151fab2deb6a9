/* Two layers: a string's escapes give bytes, and of these the other ones are
 * made.  Nobody writes more than a few of them into each other. */
#include "gateway/text/letter_forms.h"

#include "base/units.h"
#include <stdlib.h>
#include <string.h>

#define SLASHES_MAX 8
#define DIGITS_MAX  6
#define NONE        (-1)

struct reader {
	struct slice text;
	size_t at;
	bool is_open;
};

static int
digit_of(int c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return c >= 'A' && c <= 'F' ? c - 'A' + 10 : NONE;
}

static int
plain(struct reader *r)
{
	if (r->at < r->text.n)
		return (unsigned char)r->text.p[r->at++];
	r->is_open = true;
	return NONE;
}

/* So many digits, each read by that function. */
static int
hex(struct reader *r, int (*next)(struct reader *r), int digits)
{
	int value = 0, d;

	while (digits-- > 0) {
		if ((d = digit_of(next(r))) == NONE)
			return NONE;
		value = value * 16 + d;
	}
	return value;
}

/* A byte, where a string may escape it. */
static int
in_string(struct reader *r)
{
	int c = plain(r), slashes = 0;

	for (; c == '\\' && slashes < SLASHES_MAX; slashes++)
		c = plain(r);
	if (slashes > 0 && c == 'u')
		return hex(r, plain, 4);
	return slashes > 0 && c == 'x' ? hex(r, plain, 2) : c;
}

/* "#x2F;" or "amp;", behind its "&". */
static int
entity(struct reader *r)
{
	static const struct {
		const char *name;
		char letter;
	} rows[] = { { "amp", '&' }, { "apos", '\'' }, { "gt", '>' },
		{ "lt", '<' }, { "quot", '"' } };
	char word[DIGITS_MAX + 3] = "", *end;
	size_t n = 0;
	long value;
	int c;

	while ((c = in_string(r)) != ';') {
		if (c <= ' ' || c > '~' || n + 1 == sizeof word)
			return NONE;
		word[n++] = (char)c;
	}
	for (size_t i = 0; i < COUNT(rows); i++)
		if (strcmp(rows[i].name, word) == 0)
			return rows[i].letter;
	if (word[0] != '#')
		return NONE;
	value = (word[1] | 0x20) == 'x' ? strtol(word + 2, &end, 16)
	                                : strtol(word + 1, &end, 10);
	return *end ? NONE : (int)value;
}

size_t
letter_forms_read(struct slice text, struct letter_form ret[LETTER_FORMS_MAX],
    bool *ret_is_open)
{
	struct reader r = { text, 0, false };
	size_t n = 0;
	int c;

	*ret_is_open = false;
	if (text.n == 0)
		return 0;
	/* Almost always. */
	if (!letter_forms_is_sign(text.p[0])) {
		ret[0] = (struct letter_form){ text.p[0], 1 };
		return 1;
	}
	for (c = in_string(&r); c > 0 && c < 128 && n < LETTER_FORMS_MAX;) {
		ret[n++] = (struct letter_form){ (char)c, r.at };
		if (c != '%' && c != '&')
			break;
		c = c == '%' ? hex(&r, in_string, 2) : entity(&r);
	}
	*ret_is_open = r.is_open;
	return n;
}

size_t
letter_forms_at(struct slice text, char letter, bool *ret_is_open)
{
	struct letter_form forms[LETTER_FORMS_MAX];
	size_t n = letter_forms_read(text, forms, ret_is_open), found = 0;

	for (size_t i = 0; i < n; i++)
		if (letter_forms_fold(forms[i].letter) ==
		    letter_forms_fold(letter))
			found = forms[i].bytes;
	/* A backslash of the secret's own. */
	return !found && text.n > 0 && text.p[0] == letter ? 1 : found;
}

size_t
letter_forms_before(struct slice text, char letter)
{
	size_t most = text.n < LETTER_FORMS_BYTES ? text.n : LETTER_FORMS_BYTES;
	bool is_open;

	for (size_t n = most; n > 1; n--)
		if (letter_forms_is_sign(text.p[text.n - n]) &&
		    letter_forms_at((struct slice){ text.p + text.n - n, n },
		        letter, &is_open) == n)
			return n;
	return text.n > 0 &&
	    letter_forms_fold(text.p[text.n - 1]) == letter_forms_fold(letter);
}

size_t
letter_forms_open(struct slice text)
{
	size_t most = text.n < LETTER_FORMS_BYTES ? text.n : LETTER_FORMS_BYTES;
	struct letter_form forms[LETTER_FORMS_MAX];
	bool is_open;

	for (size_t n = most; n > 0; n--) {
		if (!letter_forms_is_sign(text.p[text.n - n]))
			continue;
		(void)letter_forms_read((struct slice){ text.p + text.n - n,
		                            n },
		    forms, &is_open);
		if (is_open)
			return n;
	}
	return 0;
}
