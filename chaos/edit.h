/*
 * A stage that edits chat completions as JSON: the whole body of a plain
 * answer, or each event of a stream.  The llm_* faults are this with another
 * edit.  (kernel_corrupt is not: it must leave every other byte alone.)
 */
#ifndef CHAOS_EDIT_H
#define CHAOS_EDIT_H

#include "chaos/stage.h"
#include <jansson.h>

struct edit {
	json_t *doc;    /* the completion, or one chunk of it */
	json_t *choice; /* its first choice; NULL: none */
	json_t *part;   /* the choice's message or delta; NULL: none */
	const void *conf;
	uint64_t text_bytes; /* content seen before this chunk */
};

/* Edits in place; false when it changed nothing. */
typedef bool edit_fn(struct edit *e);

/* Fires at the first change; bypassed if there was none. */
struct stage *edit_new(struct shot *s, struct exchange *x, edit_fn *fn);

#endif
