/*
 * Seeing what a reader sees.
 *
 * A text is reduced to its skeleton: letters in lower case, digits and signs
 * that pass for letters as those letters, '?' as itself, everything else
 * gone, so that spacing and punctuation hide nothing.  On the skeleton a word
 * is found by an automaton in which a '?' stands for one letter of the word
 * or for nothing.  At most CLAIM_GUESSES letters may be guessed: more is
 * what nobody can read.
 */
#include "agent/text/claim_filter.h"

#include "base/buf.h"
#include "base/mem.h"
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define CLAIM_GAP     24 /* skeleton letters between the two words */
#define CLAIM_GUESSES 2
#define CLAIM_TEXT    ((size_t)8 * 1024 * 1024)

/* ASCII that stands for another letter; l is taken for i as 1 is. */
static const char claim_letters[128] = {
	['0'] = 'o',
	['1'] = 'i',
	['3'] = 'e',
	['4'] = 'a',
	['5'] = 's',
	['7'] = 't',
	['!'] = 'i',
	['|'] = 'i',
	['@'] = 'a',
	['$'] = 's',
	['l'] = 'i',
	['L'] = 'i',
	['?'] = '?',
};

/* A claim is one of the first near one of the second. */
static const char *const claim_verbs[] = { "verif", "prove" };
static const char *const claim_results[] = { "correct", "right" };

/* A name that holds one of these is no name; l is written as i. */
static const char *const claim_words[] = { "verif", "correct", "prove", "right",
	"passed", "hoidout", "ciaim" };

static char
skeleton_letter(unsigned char c)
{
	if (c >= 0x80)
		return '?';
	if (claim_letters[c])
		return claim_letters[c];
	if (c >= 'A' && c <= 'Z')
		return (char)(c | 0x20);
	return (char)(c >= 'a' && c <= 'z' ? c : 0);
}

static void
skeleton(const char *text, size_t len, struct buf *out)
{
	for (size_t i = 0; i < len; i++) {
		char letter = skeleton_letter((unsigned char)text[i]);

		/* The bytes of one character, and a run of them, are one '?'.
		 */
		if (letter == '?' && out->len && out->data[out->len - 1] == '?')
			continue;
		if (letter)
			buf_addc(out, letter);
	}
}

/* For who wants to know that no text costs more than its length. */
static _Thread_local uint64_t letters_read;

/*
 * The next place behind which word stands in s from `from`; SIZE_MAX: none.
 * Bit i of at[g]: the first i letters were read with g of them guessed.
 */
static size_t
find_word(const struct buf *s, size_t from, const char *word)
{
	uint32_t end = 1U << strlen(word), at[CLAIM_GUESSES + 1];

	for (int g = 0; g <= CLAIM_GUESSES; g++)
		at[g] = 1;
	for (size_t i = from; i < s->len; i++) {
		bool guess = s->data[i] == '?';
		uint32_t fits = 0;

		letters_read++;
		for (size_t k = 0; word[k]; k++)
			if (word[k] == s->data[i])
				fits |= 1U << k;
		/* Downwards: at[g - 1] must still be that of the letter
		 * before. */
		for (int g = CLAIM_GUESSES; g >= 0; g--) {
			if (guess)
				at[g] |= g ? at[g - 1] << 1 : 0;
			else
				at[g] = (at[g] & fits) << 1 | 1;
			if (at[g] & end)
				return i + 1;
		}
	}
	return SIZE_MAX;
}

/* Does second follow first with no more than the gap between them? */
static bool
follows(const struct buf *s, const char *first, const char *second)
{
	size_t near = CLAIM_GAP + strlen(second) + CLAIM_GUESSES;
	size_t a = find_word(s, 0, first), b = 0;

	while (a != SIZE_MAX) {
		if (b != SIZE_MAX && b < a + 1)
			b = find_word(s, a, second);
		if (b == SIZE_MAX)
			return false;
		if (b <= a + near)
			return true;
		/* Nothing before b - near can be near it: each letter is
		 * walked over twice at most. */
		a = find_word(s, a > b - near ? a : b - near, first);
	}
	return false;
}

static void
reverse(struct buf *s)
{
	for (size_t i = 0; i < s->len / 2; i++) {
		char c = s->data[i];

		s->data[i] = s->data[s->len - 1 - i];
		s->data[s->len - 1 - i] = c;
	}
}

static bool
pairs_up(const struct buf *s)
{
	for (size_t i = 0; i < COUNT(claim_verbs); i++)
		for (size_t k = 0; k < COUNT(claim_results); k++)
			if (follows(s, claim_verbs[i], claim_results[k]) ||
			    follows(s, claim_results[k], claim_verbs[i]))
				return true;
	return false;
}

static bool
says_verified(const struct buf *s)
{
	return find_word(s, 0, "verified") != SIZE_MAX;
}

/* "holdouts: 14, worst error 0.000 of its bound", as summaries say of what was
 * verified. */
static bool
says_evidence(const struct buf *s)
{
	return find_word(s, 0, "hoidout") != SIZE_MAX &&
	    find_word(s, 0, "worsterror") != SIZE_MAX;
}

static bool
says_word(const struct buf *s)
{
	for (size_t i = 0; i < COUNT(claim_words); i++)
		if (find_word(s, 0, claim_words[i]) != SIZE_MAX)
			return true;
	return false;
}

/* Is it so, read forwards or backwards? */
static bool
either_way(const char *text, size_t len, bool (*is)(const struct buf *s))
{
	struct buf s;
	bool found;

	buf_init(&s, CLAIM_TEXT);
	skeleton(text, len < CLAIM_TEXT ? len : CLAIM_TEXT, &s);
	found = is(&s);
	reverse(&s);
	found = found || is(&s);
	buf_done(&s);
	return found;
}

bool
claim_is_made(const char *text, size_t len)
{
	return either_way(text, len, pairs_up);
}

uint64_t
claim_letters_read(void)
{
	return letters_read;
}

/* ---- what is shown */

static bool
is_prose(unsigned char c)
{
	return c >= 0x20 && c < 0x7f;
}

static bool
is_name(unsigned char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	    (c >= '0' && c <= '9') || (c != 0 && strchr("._:/=@+- ", c));
}

/* Into printable ASCII of the characters allowed, cut. */
static char *
reduce(const char *text, size_t max_chars, bool (*may)(unsigned char c))
{
	struct buf out;

	buf_init(&out, CLAIM_TEXT);
	for (const char *p = text ? text : ""; *p; p++) {
		unsigned char c = (unsigned char)*p;
		char last = '\0';

		if (out.len > 0)
			last = out.data[out.len - 1];
		if (c < 0x20 || c == 0x7f)
			c = ' ';
		if (!may(c)) {
			/* The bytes of one character are not several letters
			 * that nobody saw. */
			if (last == '?')
				continue;
			c = '?';
		}
		if (out.len == max_chars) {
			buf_adds(&out, "...");
			break;
		}
		buf_addc(&out, (char)c);
	}
	return buf_take(&out);
}

static char *
withhold(char *shown, const char *instead)
{
	free(shown);
	return xstrdup(instead);
}

char *
claim_clean(const char *text, size_t max_chars)
{
	char *shown = reduce(text, max_chars, is_prose);
	size_t len = strlen(shown);

	return either_way(shown, len, pairs_up) ||
	        either_way(shown, len, says_verified) ||
	        either_way(shown, len, says_evidence)
	    ? withhold(shown, CLAIM_WITHHELD)
	    : shown;
}

char *
claim_quote(const char *text, size_t max_chars)
{
	char *shown = claim_clean(text, max_chars), *quoted;

	for (char *p = shown; *p; p++)
		if (*p == '"')
			*p = '\'';
	quoted = xasprintf("\"%s\"", shown);
	free(shown);
	return quoted;
}

char *
claim_field(const char *text, size_t max_chars)
{
	char *shown = reduce(text, max_chars, is_name);

	return either_way(shown, strlen(shown), says_word)
	    ? withhold(shown, CLAIM_NO_FIELD)
	    : shown;
}
