/*
 * What the client of a WebSocket says, on its way to the upstream: through the
 * stages of the faults that listen to it (stage.h), into the exchange's source.
 *
 *	client --> stage <-- ... --> stage --> source
 *
 * Items are BYTES and one END: clean for the client's own FIN, else what a
 * fault did.  A fault ends the conversation as a lost client would: the
 * upstream may say what it has to, within so long, and then both are closed.
 */
#ifndef CHAOS_WEBSOCKET_CLIENT_SIDE_H
#define CHAOS_WEBSOCKET_CLIENT_SIDE_H

#include "chaos/http/stage.h"
#include <stddef.h>

struct clientside;

/* To the source, past all stages; n 0: its FIN. */
void clientside_say(struct exchange *x, const char *p, size_t n);

struct clientside *clientside_new(struct exchange *x); /* borrowed */
void clientside_free(struct clientside *c); /* and its stages; NULL-safe */

void clientside_add(struct clientside *c, struct stage *st); /* taken */
/* What it says; n 0: its FIN. */
void clientside_bytes(struct clientside *c, const char *p, size_t n);

#endif
