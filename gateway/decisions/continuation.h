/*
 * What a client has of a streamed answer when its upstream fails: the text
 * that another target goes on from.
 *
 * Only text is gone on from.  A tool call half told, a refusal, parts or a
 * second choice cannot be: their story ends where it was cut, and the client
 * is told so.  Nor is an answer that has said why it ends: it is whole, whatever
 * becomes of the stream behind that.  A thought is no part of the text; a target that goes on does
 * not repeat it.
 *
 * Pure: events in, a request's members and rewritten events out.
 */
#ifndef GATEWAY_CONTINUATION_H
#define GATEWAY_CONTINUATION_H

#include "base/sse.h"
#include "gateway/text/answer_facts.h"
#include "gateway/text/continuation_way.h"
#include "gateway/text/request_peek.h"

#define CONTINUATION_MAX                                                       \
	((size_t)1 << 20) /* longer texts are not gone on from */
#define CONTINUATION_ID_MAX    160
#define CONTINUATION_EDITS_MAX 4

struct continuation {
	struct buf text; /* as it stands between a string's quotes */
	/* Of it: what the target was given that goes on, what of the white
	 * space behind that it has said again, where that ends. */
	size_t given, held, held_end;
	uint32_t half;   /* a character's, at the end of the text; 0: none */
	bool is_at_seam; /* the target has said nothing new yet */
	char id[CONTINUATION_ID_MAX]; /* the answer's, with quotes; "": none */
	uint64_t events;              /* with payload: tokens, about */
	uint64_t before;              /* of them, when somebody went on */
	/* The same as the upstreams counted, as far as they did: of those
	 * before, and of the present one; and the question. */
	uint64_t counted_before, counted, counted_in;
	uint64_t asked;   /* by the client, about */
	bool is_odd;      /* something besides text was told */
	bool is_finished; /* why it ends was told: nothing is missing of it */
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

bool continuation_can_go_on(const struct continuation *s);
/* The last block of messages has ended: what comes next nobody knows. */
bool continuation_is_between(const struct continuation *s);
/* Whether it could be a call: the request has tools. */
bool continuation_may_call(const struct peek *request);

/*
 * Whether the request ends with its client's question.  One that ends with an
 * assistant's words, or asks to go on from them, has a beginning of its own,
 * which nobody can tell from ours.
 */
bool continuation_is_question(const struct peek *request);

/* The edits that make of the client's request one for going on.  Texts are
 * appended to `room` (an empty buffer), which the edits borrow.  ERR_SYNTAX: it
 * cannot be asked so.  Where nothing but white space was told, the question is
 * asked as it was. */
enum err continuation_edits(struct continuation *s, enum continuation_way way,
    const struct peek *request, struct buf *room,
    struct peek_edit edits[CONTINUATION_EDITS_MAX], size_t *ret_n);

/*
 * An event of the target that goes on, as the client shall see it, appended
 * to out and noted: one answer has one id, and its usage counts what was told
 * before.  Events that say nothing new (a role, a thought, nothing) add
 * nothing.  ERR_SYNTAX: it does not go on from the text that the client has.
 */
enum err continuation_retell(struct continuation *s,
    const struct schema *schema, const struct chunk *chunk, struct slice data,
    struct buf *out);
/* The same of messages, whose blocks have numbers: in continuation_block.c.
 * said: the words of it that are new. */
enum err continuation_retell_block(struct continuation *s,
    const struct chunk *chunk, struct slice data, const struct buf *said,
    struct buf *out);

/* Tokens of those who spoke before: as they were counted, or about. */
uint64_t continuation_before(const struct continuation *s);

/* The seam, see continuation_seam.c: what of the text is given on; what of a
 * piece is new, appended to said.  ERR_SYNTAX: as above. */
void continuation_open_seam(struct continuation *s);
enum err continuation_pass_seam(struct continuation *s, struct slice content,
    struct buf *said);
/* The event with those words in the place of its own, appended to out. */
enum err continuation_put_said(const struct chunk *chunk, struct slice data,
    const struct buf *said, struct buf *out);

#endif
