/*
 * How a text may write one byte of a secret that it quotes: as it is, as a
 * string of JSON or of a script escapes it ("\/", "\u002f", "\x2f", and those
 * escaped again), in percent-encoding ("%2F", "%252f"), as HTML does
 * ("&#x2F;", "&#47;", "&amp;"), and one within the other.
 *
 * What a text means is its reader's to know: each way to read it counts.
 */
#ifndef GATEWAY_LETTER_FORMS_H
#define GATEWAY_LETTER_FORMS_H

#include "base/slice.h"
#include <stdbool.h>

#define LETTER_FORMS_MAX   5  /* readings of one place */
#define LETTER_FORMS_BYTES 32 /* the longest that is looked for */

struct letter_form {
	char letter;
	size_t bytes; /* of the text, that are it */
};

/*
 * What the text may begin with, the plainest reading first; returns how many
 * there are, none for an empty text.  *ret_is_open: the text ends within an
 * escape, of which more may come.
 */
size_t letter_forms_read(struct slice text,
    struct letter_form ret[LETTER_FORMS_MAX], bool *ret_is_open);

/* How many bytes at the beginning of the text are that letter; 0: they are
 * not. */
size_t letter_forms_at(struct slice text, char letter, bool *ret_is_open);
/* And at its end, as long as they may be. */
size_t letter_forms_before(struct slice text, char letter);
/* How many bytes at its end are an escape that has not ended. */
size_t letter_forms_open(struct slice text);

/* Begins an escape. */
static inline bool
letter_forms_is_sign(char c)
{
	return c == '\\' || c == '%' || c == '&';
}

/* The same letter in either case, and in both alphabets of base64. */
static inline char
letter_forms_fold(char letter)
{
	if (letter >= 'A' && letter <= 'Z')
		return (char)(letter | 0x20);
	if (letter == '-')
		return '+';
	return (char)(letter == '_' ? '/' : letter);
}

#endif
