/*
 * JSON that another process wrote and that may be torn, foreign or edited:
 * what is not there reads as empty, what does not parse is passed over.  For
 * pages and views; what judges reads strictly (chained_journal.h, jfield.h).
 */
#ifndef BASE_JLENIENT_H
#define BASE_JLENIENT_H

#include <jansson.h>
#include <stddef.h>

/* A member's text; "" when it is none.  Borrowed from the object. */
const char *jlenient_text(const json_t *object, const char *key);

/*
 * The objects of a JSON-lines file, an array, owned; empty for a file that is
 * not there or longer than max_bytes.  A last line without its newline may
 * still be being written and is left out.  *ret_bad (NULL-safe): how many
 * lines are no JSON objects.
 */
json_t *jlenient_lines(const char *path, size_t max_bytes, size_t *ret_bad);

#endif
