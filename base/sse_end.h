/*
 * Where the event stream of a model ends: one rule for whoever reads one.
 *
 * [DONE] ends it whatever follows.  Some providers leave it out, so a finish
 * reason and then the end of the connection is a whole answer too; with
 * neither it was cut, however clean the connection closed.
 */
#ifndef BASE_SSE_END_H
#define BASE_SSE_END_H

#include "base/slice.h"

/* Is this event's data the [DONE] that ends a stream? */
bool sse_end_is_done(struct slice data);

/* The connection is at its end: had the answer come to its own? */
bool sse_end_is_whole(bool has_done, bool has_finish);

#endif
