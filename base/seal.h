/*
 * An object that tells whether it was edited: its key `seal` is the SHA-256 of
 * all the rest.  Who edits the whole can seal it anew; who keeps the seal
 * elsewhere sees that.
 */
#ifndef BASE_SEAL_H
#define BASE_SEAL_H

#include <jansson.h>
#include <stdbool.h>

/* Seals o as it is now. */
void seal_put(json_t *o);
/* Is the seal there and right? */
bool seal_holds(json_t *o);

#endif
