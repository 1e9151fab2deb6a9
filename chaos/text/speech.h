/*
 * How a whole answer and a stream are written in one model API: what the
 * stand-in says, in every dialect.  A dialect points to its speech; chat
 * completions are written by speech_chat.h, which has the shape of what is
 * said.  Deterministic, as completions are.
 */
#ifndef CHAOS_SPEECH_H
#define CHAOS_SPEECH_H

#include "chaos/text/speech_chat.h"
#include <jansson.h>

struct speech_out {
	void (*on_event)(const char *raw, size_t n, void *arg);
	void *arg;
};

struct speech {
	json_t *(*whole)(const struct completion *c); /* owned */
	void (
	    *stream)(const struct completion *c, const struct speech_out *out);
};

extern const struct speech speech_gemini, speech_messages, speech_ollama,
    speech_responses;

/* Appends the whole answer.  ERR_SYNTAX: it cannot be said (no UTF-8). */
enum err speech_whole(const struct speech *s, const struct completion *c,
    struct buf *out);

/* Sends v, which is taken: as an event named by its "type" where it has one
 * (Messages and Responses name them so), or as a line. */
void speech_event(const struct speech_out *out, json_t *v);
void speech_line(const struct speech_out *out, json_t *v);

/* Cuts the next piece off the front of *left; false: none is left. */
bool speech_piece(struct slice *left, struct slice *ret);

/* Four bytes a token. */
json_int_t speech_tokens(uint64_t bytes);
/* What it said, in tokens: text, or arguments. */
json_int_t speech_tokens_out(const struct completion *c);

#endif
