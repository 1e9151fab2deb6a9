/*
 * An answer that is ours to give: a completion, whole or as a stream, in the
 * API that the request speaks.
 */
#ifndef CHAOS_SAYING_H
#define CHAOS_SAYING_H

#include "chaos/text/completion.h"

struct exchange;

/* What the model's answer is called, by the request's key. */
#define SAYING_ID_BYTES 40
void saying_id(struct exchange *x, char out[SAYING_ID_BYTES]);

/* Answers the exchange; the request must be of a known API (facts_dialect).
 * ERR_SYNTAX: it cannot be said, and nothing was. */
enum err saying_send(struct exchange *x, const struct completion *c);

#endif
