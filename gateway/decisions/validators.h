/*
 * Whether an answer is good enough, by a rule's validators:
 *
 *	validators:
 *	  - {type: content}			not empty
 *	  - {type: tool_arguments}		JSON
 *	  - {type: finish}			not cut by length
 *	  - {type: keys, keys: [a, b]}		a JSON object with these keys
 *	  - {type: regex, pattern: "..."}	POSIX extended, found in it
 *
 * A new kind is a row of the table in validators.c.
 */
#ifndef GATEWAY_VALIDATORS_H
#define GATEWAY_VALIDATORS_H

#include "gateway/text/answer_content.h"
#include "gateway/text/conf_field.h"

struct validators;

/* Errors go to f; never NULL. */
struct validators *validators_read(const struct ynode *list,
    struct findings *f);
void validators_free(struct validators *v); /* NULL-safe */

/* The first that fails, by its name; NULL when the answer is good. */
const char *validators_run(const struct validators *v, const struct content *c);

#endif
