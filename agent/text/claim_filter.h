/*
 * The claim filter: no text that came from a model, a tool or a file may
 * say that a kernel is correct.  Only the ledger may.
 *
 * Whoever lists disguises (styles, scripts, look-alikes, marks, directions)
 * is always one short.  So nothing foreign is shown in anything but printable
 * ASCII: a disguise that needs another character is not drawn at all.  What is
 * left is judged as it will be shown, after every cut and join, with digits
 * for letters, letters spaced apart, and '?' for the letter that it may have
 * been.
 *
 * Secrets are no matter here: they are masked when a text comes (base/mask.h),
 * and what is made of a run's files must not depend on who makes it.
 */
#ifndef AGENT_CLAIM_FILTER_H
#define AGENT_CLAIM_FILTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CLAIM_WITHHELD "[withheld: it speaks of a verdict]"
#define CLAIM_NO_FIELD "[withheld]"

/*
 * Does a reader of these bytes see a claim: "verified" or "proved" close to
 * "correct" or "right", in either order, forwards or backwards?  There is no
 * exception: our own word for the opposite is not shown where this is asked.
 */
bool claim_is_made(const char *text, size_t len);

/* How often this thread has looked at a letter in search of a word, ever. */
uint64_t claim_letters_read(void);

/*
 * Foreign prose into anything that is shown: what is not printable ASCII
 * becomes a space (controls) or '?' (the rest, one for a run), at most
 * max_chars characters are kept (then "..."), and if what is left makes a
 * claim, or only says "verified", it is CLAIM_WITHHELD.  NULL gives "".  Owned.
 */
char *claim_clean(const char *text, size_t max_chars);

/*
 * The same between quotation marks, which it then holds none of: in a line of
 * ours nobody takes it for our word.  Owned.
 */
char *claim_quote(const char *text, size_t max_chars);

/*
 * A foreign name (a model, a route, an operator, a class, a case): letters,
 * digits and "._:/=@+-" and single spaces; the rest becomes '?'.  A name
 * that holds a word of a verdict is CLAIM_NO_FIELD: it would be read as ours.
 * NULL gives "".  Owned.
 */
char *claim_field(const char *text, size_t max_chars);

#endif
