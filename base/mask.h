/*
 * Secrets of this process: the key of the gateway, what the environment calls
 * a key, a token, a secret or a password, and the user part of a URL.  They
 * are taken out of every text that came from outside before it is kept, and
 * out of every file before it is written: a provider that echoes a key in an
 * error, a header or an answer must not make us publish it.
 *
 * A text that is cut before it is masked keeps all of a key but its end.  So
 * what came from outside is never cut by hand: mask_format() masks the whole
 * and cuts then, and err.h and log.h speak through it.  What others cut
 * before it came to us (a provider, a compiler in a child) holds parts of a
 * key: MASK_PART_MIN letters of one are masked wherever they stand, at a
 * text's end MASK_END_MIN.
 *
 * A protocol's own words must stay what they are, though: in its messages only
 * strings that may quote others are masked, never a key, and no secret that
 * could be a word there.
 */
#ifndef BASE_MASK_H
#define BASE_MASK_H

#include <jansson.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

#define MASK_BYTES_MIN 8 /* a shorter secret is a word of the language */
#define MASK_PART_MIN  8
#define MASK_END_MIN   4

/*
 * Keeps a copy.  false: it is masked nowhere, because kernels and our own
 * files could hold it for what it means: it is short, or of less than
 * MASK_WORD_MIN characters and a name as OpenCL C has them (get_global_id,
 * convert_float4) or a number.
 */
bool mask_add(const char *secret);
/* All that environ names so, but paths of files that are there. */
void mask_add_environment(void);

/* Every whole secret in the n bytes of text becomes asterisks: for what is
 * ours, or was masked when it came. */
void mask_bytes(char *text, size_t n);
void mask_text(char *text);
/* Whole secrets, and parts of them: for what came from outside. */
void mask_foreign(char *text);
/* The same for what is compiled, too: a part of a key stays where it is a word
 * as kernels have them, by mask_add()'s rule. */
void mask_answer(char *text);
/* The beginning of that one secret, known or not, where a text that was cut
 * ends with it. */
void mask_end(char *text, size_t n, const char *secret);

/* Formats the whole, takes out secrets and parts of them, and then cuts to
 * size. */
void mask_format(char *out, size_t size, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
void mask_vformat(char *out, size_t size, const char *fmt, va_list ap)
    __attribute__((format(printf, 3, 0)));

/* Is a secret within text? */
bool mask_holds(const char *text);

/* Is masked this text, with asterisks in place of some of it? */
bool mask_fits(const char *masked, const char *text);

/*
 * Every string value within v, none of its keys.  A secret of less than
 * MASK_VALUE_MIN bytes, or of letters and underscores alone and less than
 * MASK_WORD_MIN, may be a word of the protocol, of an operator, of a verdict
 * ("structuredContent"): masking it would hide no key and break the message.
 */
#define MASK_VALUE_MIN 12
#define MASK_WORD_MIN  24
void mask_json(json_t *v);

/* The URL without its user part, which becomes a secret.  Owned. */
char *mask_url(const char *url);

#endif
