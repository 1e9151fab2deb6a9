/*
 * One API in the words of another: a client of chat completions and a target
 * that speaks Anthropic's messages, and the other way round.
 *
 * A question goes over only when nothing of it is lost.  What the other side
 * has no word for is refused by its name, so that nobody gets an answer to
 * another question than the one asked; a member that says what the other side
 * does anyway (`n: 1`, `thinking: disabled`) is left out.
 *
 * Pure: bytes in, bytes out, time as an argument.  Trees of JSON are affordable
 * here, because only translated requests come by.
 *
 *	translation_json.c              trees that keep what answers say
 *	translation_chat_to_messages.c  chat's questions as messages
 *	translation_messages_to_chat.c  messages' questions as chat
 *	translation_answer.c            whole answers, both ways
 *	translation_stream.c            a stream's events, both ways
 */
#ifndef GATEWAY_TRANSLATION_H
#define GATEWAY_TRANSLATION_H

#include "base/buf.h"
#include "base/err.h"
#include "base/slice.h"
#include "gateway/text/answer_facts.h"
#include "gateway/text/continuation_way.h"
#include <stdbool.h>
#include <stdint.h>

/* Messages have to say a limit; this one where the client says none. */
#define TRANSLATION_MAX_TOKENS 4096

/* Whom a question is said to. */
struct translation_target {
	enum schema_kind kind;
	enum continuation_way way; /* how it goes on from a given text */
	/* Told: the client has begun the answer, so another way is another
	 * question. */
	bool is_begun;
};

/*
 * The question of one API in the words of the other, appended to out.
 * ERR_SYNTAX: *why names what cannot be said there.  ERR_TOOBIG.
 */
enum err translation_question(struct translation_target *to, struct slice body,
    struct buf *out, struct why *why);

/* Tokens, where the upstream does not count them: nothing is free for that. */
struct translation_guess {
	uint64_t in, out;
	bool is_told; /* it is what the client was told */
};

/* A whole answer, appended to out.  ERR_SYNTAX: it is none.  ERR_RANGE: it says
 * what the other API has no word for, *why what. */
enum err translation_answer(enum schema_kind to, struct slice body,
    uint64_t now_s, struct translation_guess *guess, struct buf *out,
    struct why *why);

/* What an error body of either API says, "" for nothing. */
void translation_error(struct slice body, char *message, size_t message_bytes,
    char *code, size_t code_bytes);

struct translation_stream;

/* tokens_in: a guess, as above. */
struct translation_stream *translation_stream_new(enum schema_kind to,
    uint64_t now_s, size_t event_bytes_max, uint64_t tokens_in);
void translation_stream_free(struct translation_stream *s);

/*
 * The upstream's bytes; what the client shall read is appended to out, whole
 * events alone.  An event that cannot be told becomes an error event of the
 * client's API, and what follows it nothing.  ERR_TOOBIG: an event is too
 * long, or out is full.
 */
enum err translation_stream_feed(struct translation_stream *s, const char *p,
    size_t n, struct buf *out);
/* The upstream has ended: what was held back, if the answer had come to its
 * end. */
enum err translation_stream_end(struct translation_stream *s, struct buf *out);
/* Counts what the upstream said that has no event of its own, thoughts. */
uint64_t translation_stream_unsaid(const struct translation_stream *s);
/* Counts all pieces of the answer, told or not. */
uint64_t translation_stream_made(const struct translation_stream *s);
/* The upstream has said why it ends, told or not yet. */
bool translation_stream_is_finished(const struct translation_stream *s);
/* What has come of an event that has not ended. */
struct slice translation_stream_pending(const struct translation_stream *s);
/* A block of the upstream's has ended, and none has begun behind it. */
bool translation_stream_is_between(const struct translation_stream *s);
/* What it said that has no word, on which the stream ends; "" for nothing. */
const char *translation_stream_untold(const struct translation_stream *s);
/* What the upstream has counted so far. */
void translation_stream_counted(const struct translation_stream *s,
    struct chunk *ret);

#endif
