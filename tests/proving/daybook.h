/*
 * What a run over days has judged, a line of JSON for each verdict, so that a
 * run that was stopped, however hard, goes on where it stood.
 *
 *	{"build":"3f2a91bc44d0","seed":"5c979ece","key":"12","verdict":...}
 *
 * The last line of a seed and key counts, and none of a seed before a line
 * that says "forget".  Each says which build judged, so that nobody takes
 * another one's verdicts for this one's.
 */
#ifndef TESTS_PROVING_DAYBOOK_H
#define TESTS_PROVING_DAYBOOK_H

#include "base/err.h"
#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#define DAYBOOK_KEY_MAX 256

struct daybook;

/*
 * Opens the file, or makes it; its folder is there.  build: who judges from
 * now on; NULL: this program, by a hash of its file.  A last line that was cut
 * off is forgotten.  ERR_SYNTAX: not a journal; ERR_EXISTS: another process
 * has it open.
 */
enum err daybook_open(const char *path, const char *build, struct daybook **ret,
    struct why *why);
void daybook_close(struct daybook *j); /* NULL-safe */

/* What was said last of a key under a seed, borrowed; NULL: nothing. */
json_t *daybook_find(const struct daybook *j, const char *seed,
    const char *key);
bool daybook_is_own(const struct daybook *j, const json_t *said);
/* A text of a line, borrowed; "" where it has none. */
const char *daybook_text(const json_t *said, const char *field);
double daybook_number(const json_t *said, const char *field);

/* Writes a line; takes fields over (NULL: nothing is written).  A disk that is full is told once, and the
 * run goes on. */
void daybook_add(struct daybook *j, const char *seed, const char *key,
    json_t *fields);
/* What was said under a seed counts no more: it is begun anew. */
void daybook_forget(struct daybook *j, const char *seed);
/* What was found counts for this run, as what is added does. */
void daybook_recall(struct daybook *j, const json_t *said);
/* "judged by build 3f2a91bc44d0 (this one): 120; by 90ab...: 4" */
void daybook_print(const struct daybook *j, FILE *out);

/* Work that is numbered: the key of a number is "12", or "12 of WORD". */
struct daybook_range {
	size_t first, n;
	const char *only; /* WORD, or NULL */
};
void daybook_key(const struct daybook_range *r, size_t i,
    char out[DAYBOOK_KEY_MAX]);
/* Whose numbers are to be judged: what was asked for, anew if all of them are
 * there; else the last line's seed, unless all of them are there; else the
 * fresh one.  j may be NULL. */
const char *daybook_seed(struct daybook *j, const struct daybook_range *r,
    const char *asked, const char *fresh);

#endif
