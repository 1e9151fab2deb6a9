/*
 * The claim filter: no text that came from a model, a tool or a file may
 * say that a kernel is correct.  Only the ledger may.
 *
 * "Verified correct" can be written in any case, with spaces, underscores,
 * hyphens, punctuation, zero-width and combining marks, with letters of
 * other scripts and styles that look alike, with digits for letters, in the
 * other order, and backwards behind a direction override.  The filter looks
 * at what a reader would see, and rather withholds too much than too little.
 */
#ifndef AGENT_CLAIM_H
#define AGENT_CLAIM_H

#include <stdbool.h>
#include <stddef.h>

#define CLAIM_WITHHELD "[withheld: it speaks of a verdict]"

/*
 * Does a reader of these bytes see "verified" and "correct" together?  The
 * ledger's own word for the opposite, exactly "verified_incorrect", is no
 * claim.  Any bytes are allowed; what is not UTF-8 is passed over.
 */
bool claim_is_made(const char *text, size_t len);

/*
 * The one way for foreign text into anything that is shown: control and
 * format characters become spaces, bad UTF-8 becomes '?', at most max_chars
 * characters are kept (then "..."), and a text that makes a claim, or only
 * says "verified", is replaced by CLAIM_WITHHELD.  NULL gives "".  Owned.
 */
char *claim_clean(const char *text, size_t max_chars);

#endif
