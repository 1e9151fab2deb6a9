/*
 * A chat completion as an OpenAI-compatible provider sends it, whole or as
 * the events of a stream.  Deterministic: id and time follow from the
 * request's identity.
 */
#ifndef CHAOS_SPEECH_CHAT_H
#define CHAOS_SPEECH_CHAT_H

#include "base/buf.h"
#include "base/err.h"
#include "base/slice.h"
#include <stdbool.h>
#include <stdint.h>

struct completion { /* borrowed */
	const char *id;
	const char *model;
	struct slice content;  /* UTF-8 */
	const char *tool;      /* it calls this tool; NULL: it talks */
	const char *arguments; /* of the tool: JSON text */
	size_t call; /* its number in the conversation; 0: the first */
	uint64_t prompt_bytes;
	bool has_usage; /* streams: a last chunk with usage */
};

/* The id of its tool call: a prefix and the call's number. */
#define COMPLETION_CALL_ID_BYTES 40
void completion_call_id(const struct completion *c, const char *prefix,
    char out[COMPLETION_CALL_ID_BYTES]);

/* Appends the JSON object. */
enum err completion_whole(const struct completion *c, struct buf *out);

/*
 * Calls on_event with each block of the stream, in order: a role, pieces of
 * the content, a finish reason, usage if asked, [DONE].
 */
void completion_stream(const struct completion *c,
    void (*on_event)(const char *raw, size_t n, void *arg), void *arg);

/* Appends {"error": {...}} as such a provider sends it. */
void completion_error(struct buf *out, const char *message, const char *type,
    const char *code);

#endif
