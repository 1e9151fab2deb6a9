/*
 * What another lab said of a candidate (run --lab), as it is kept and told:
 * its word, with who it was, and never a verdict of ours.
 *
 * A verdict is what our own lab found.  The other lab's word stands beside it
 * in a member of its own, "other_lab"; where ours found nothing wrong and the
 * other refuses, the attempt is given up with the class OPINION_CLASS: nobody
 * claims it, and nobody says that it was proved wrong.
 *
 * Its name, its version, its class and its message come from outside.  They are
 * masked, cut and filtered when they are taken, and once more when they are
 * read from a file that may be anybody's.
 */
#ifndef AGENT_OPINION_H
#define AGENT_OPINION_H

#include "agent/ledger/ledger.h"
#include <jansson.h>
#include <stdbool.h>

#define OPINION_KEY   "other_lab"
#define OPINION_CLASS "other_lab" /* of an attempt that ended by it alone */

#define OPINION_MORE 4 /* "..." of what was cut, and the end */

enum opinion_word {
	OPINION_NONE,     /* it was not asked, or said nothing that counts */
	OPINION_REFUSED,  /* it says that the candidate is wrong */
	OPINION_ACCEPTED, /* it says that it found nothing wrong */
	OPINION_NWORDS
};

/* Filtered: fit to be kept and shown, each for itself. */
struct opinion {
	enum opinion_word word;
	char name[40 + OPINION_MORE];
	char version[20 + OPINION_MORE];
	char url[100 + OPINION_MORE];
	char class[40 + OPINION_MORE]; /* why it refuses, as it says */
	char message[160 + OPINION_MORE];
};

/* "refused", "accepted"; "" for none. */
const char *opinion_word_name(enum opinion_word w);

/* From outside into one of its fields ("name", ...): masked, cut, filtered;
 * NULL gives "".  A URL loses its user part and its query. */
void opinion_take(struct opinion *o, const char *field, const char *text);

/* Owned; NULL for none. */
json_t *opinion_json(const struct opinion *o);
/* The OPINION_KEY of a ledger line; of anything else, none. */
void opinion_read(json_t *line, struct opinion *ret);

/* "NAME VERSION at URL", judged as it will be read.  Owned. */
char *opinion_who(const struct opinion *o);

/* Did the attempt end by another lab's word alone? */
bool opinion_ended(enum ledger_state s, const char *class);

#endif
