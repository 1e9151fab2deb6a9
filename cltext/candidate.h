/*
 * A candidate kernel as text: kernel-contract.md section 1.
 *
 * Three forms, one struct: the JSON object that a model returns, that object
 * found inside prose or one fence, and a NAME.cl file whose header comments
 * carry the same facts.  Anything else is a parse failure, never a guess.
 */
#ifndef CLTEXT_CANDIDATE_H
#define CLTEXT_CANDIDATE_H

#include "base/err.h"
#include <jansson.h>
#include <stddef.h>

#define CANDIDATE_SOURCE_MAX 65536
#define CANDIDATE_DIMS_MAX   3
#define CANDIDATE_NOTES_MAX  16

struct candidate {
	char *source; /* owned, as all below; for a file: the whole file,
	                 but for a byte order mark */
	char *entry;
	size_t ndims;
	char *global[CANDIDATE_DIMS_MAX]; /* expressions */
	char *local[CANDIDATE_DIMS_MAX];
	size_t nassumptions;
	char *assumptions[CANDIDATE_NOTES_MAX];
};

/* A model's answer.  ERR_SYNTAX with the reason; *ret untouched. */
enum err candidate_parse_answer(const char *text, size_t len,
    struct candidate *ret, struct why *why);

/* A .cl file's text; name is for messages ("NAME:LINE: ..."). */
enum err candidate_parse_file(const char *name, const char *text, size_t len,
    struct candidate *ret, struct why *why);

/* The JSON object of section 1, and the .cl file with its header comments
 * (put in front unless the source already opens with them).  Both owned. */
json_t *candidate_to_json(const struct candidate *c);
char *candidate_to_file(const struct candidate *c);

void candidate_done(struct candidate *c); /* frees the fields; NULL-safe */

#endif
