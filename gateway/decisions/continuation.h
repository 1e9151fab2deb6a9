/*
 * What a client has of a streamed answer when its upstream fails: the text
 * that another target goes on from.
 *
 * Only text is gone on from.  A tool call half told, a refusal, parts or a
 * second choice cannot be: their story ends where it was cut, and the client
 * is told so.  A thought is no part of the text; a target that goes on does
 * not repeat it.
 *
 * Pure: events in, a request's members and rewritten events out.
 */
#ifndef GATEWAY_SPOKEN_H
#define GATEWAY_SPOKEN_H

#include "base/sse.h"
#include "gateway/text/chunk.h"
#include "gateway/text/peek.h"

#define CONTINUATION_MAX                                                       \
	((size_t)1 << 20) /* longer texts are not gone on from */
#define CONTINUATION_ID_MAX    160
#define CONTINUATION_EDITS_MAX 4

/* How a provider is asked to go on from a given text. */
enum continuation_way {
	CONTINUATION_NOT,      /* it cannot */
	CONTINUATION_DEEPSEEK, /* "prefix": true on the last message */
	CONTINUATION_PREFILL,  /* a last message of the assistant, no more */
	CONTINUATION_FINAL,    /* "continue_final_message": true */
	CONTINUATION_NWAYS
};

extern const char
    *const continuation_way_names[]; /* for cfield; NULL-terminated */

struct continuation {
	struct buf text; /* as it stands between a string's quotes */
	size_t trimmed;  /* bytes at its end that were not given on */
	char id[CONTINUATION_ID_MAX]; /* the answer's, with quotes; "": none */
	uint64_t events;              /* with payload: tokens, about */
	uint64_t before;              /* of them, when somebody went on */
	bool is_odd;                  /* something besides text was told */
	/* Of messages: the blocks that the client has, the last one open or
	 * not; whether the upstream's present one is not told, or will be once
	 * it says something. */
	uint64_t blocks;
	bool is_open, is_left_out, is_owed;
};

void continuation_init(struct continuation *s);
void continuation_done(struct continuation *s);
void continuation_clear(
    struct continuation *s); /* nothing has reached the client */

/* An event that the client gets as it came. */
void continuation_note(struct continuation *s, const struct chunk *chunk);
/* One that it gets retold: its words alone. */
void continuation_note_text(struct continuation *s, const struct chunk *chunk);

bool continuation_can_go_on(const struct continuation *s);

/*
 * Whether the request ends with its client's question.  One that ends with an
 * assistant's words, or asks to go on from them, has a beginning of its own,
 * which nobody can tell from ours.
 */
bool continuation_is_question(const struct peek *request);

/* The edits that make of the client's request one for going on.  Texts are
 * appended to `room` (an empty buffer), which the edits borrow.  Returns how
 * many; 0: it cannot be asked so. */
size_t continuation_edits(struct continuation *s, enum continuation_way way,
    const struct peek *request, struct buf *room,
    struct peek_edit edits[CONTINUATION_EDITS_MAX]);

/*
 * An event of the target that goes on, as the client shall see it, appended
 * to out: one answer has one id, and its usage counts what was told before.
 * Events that say nothing new (a role, a thought, nothing) add nothing.
 */
enum err continuation_retell(struct continuation *s,
    const struct schema *schema, const struct chunk *chunk, struct slice data,
    struct buf *out);
/* The same of messages, whose blocks have numbers: in continuation_block.c. */
enum err continuation_retell_block(struct continuation *s,
    const struct chunk *chunk, struct slice data, struct buf *out);
/* How many bytes of the content repeat what was held back of the text. */
size_t continuation_repeated(struct continuation *s, struct slice content);

#endif
