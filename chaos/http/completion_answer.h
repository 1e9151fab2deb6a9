/*
 * An answer that is ours to give: a completion, whole or as a stream, in the
 * API that the request speaks.
 */
#ifndef CHAOS_COMPLETION_ANSWER_H
#define CHAOS_COMPLETION_ANSWER_H

#include "chaos/text/speech_chat.h"

struct exchange;

/* What the model's answer is called, by the request's key. */
#define COMPLETION_ANSWER_ID_BYTES 40
void completion_answer_id(struct exchange *x,
    char out[COMPLETION_ANSWER_ID_BYTES]);

/* Answers the exchange; the request must be of a known API (facts_dialect).
 * ERR_SYNTAX: it cannot be said, and nothing was. */
enum err completion_answer_send(struct exchange *x, const struct completion *c);

#endif
