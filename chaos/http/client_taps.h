/*
 * What leaves an exchange towards its client, byte by byte, past the taps of
 * the faults that act on bytes: an answer meets the same code as a TCP
 * connection does (toxic_tap.h).  The end of the answer waits behind its bytes.
 */
#ifndef CHAOS_CLIENT_TAPS_H
#define CHAOS_CLIENT_TAPS_H

#include "base/err.h"
#include "chaos/http/stage.h"
#include <stddef.h>

struct wire;

struct wire *wire_new(struct exchange *x);
void wire_free(struct wire *w); /* drops what waits; NULL-safe */

/* Puts the fault in the way, behind those before it. */
void wire_add(struct wire *w, struct shot *s);

/* The shot speaks of what was written so far, and the next `more` bytes: when
 * they have left, so has it. */
void wire_note(struct wire *w, struct shot *s, size_t more);

/* ERR_AGAIN as serve_write. */
enum err wire_bytes(struct wire *w, const void *p, size_t n);
/* By its length the answer is complete: a client may leave before its end. */
void wire_is_whole(struct wire *w);
/* Nobody listens any more: if the answer is whole, what waits for its end has
 * that now.  NULL-safe. */
void wire_over(struct wire *w);
/* The last thing; the exchange is finished when it has left.  CLEAN: the
 * bytes were a complete message. */
void wire_end(struct wire *w, enum item_end end);

#endif
