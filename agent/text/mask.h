/*
 * Secrets of this process: the key of the gateway, what the environment calls
 * a key, a token, a secret or a password, and the user part of a URL.  They
 * are taken out of every text that came from outside before it is kept, and
 * out of every file before it is written: a provider that echoes a key in an
 * error, a header or an answer must not make us publish it.
 *
 * A protocol's own words must stay what they are, though: in its messages only
 * strings that may quote others are masked, never a key, and no secret that
 * could be a word there.
 */
#ifndef AGENT_MASK_H
#define AGENT_MASK_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#define MASK_BYTES_MIN 8 /* a shorter secret is a word of the language */

/* Keeps a copy; NULL, short and known ones are passed over. */
void mask_add(const char *secret);
/* All that environ names so. */
void mask_add_environment(void);

/* Every secret in the n bytes of text becomes asterisks. */
void mask_bytes(char *text, size_t n);
void mask_text(char *text);

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
