/*
 * What the two directions of a translated stream have in common.  Private to
 * translation_stream*.c.
 */
#ifndef GATEWAY_TRANSLATION_STREAM_PRIV_H
#define GATEWAY_TRANSLATION_STREAM_PRIV_H

#include "base/sse.h"
#include "gateway/translation/translation_priv.h"

#define TRANSLATION_BLOCKS_MAX 256
#define TRANSLATION_FINISH_MAX 40
#define TRANSLATION_NO_TOOL    (-1)

enum open_block { OPEN_NONE, OPEN_TEXT, OPEN_TOOL };

struct translation_stream {
	enum schema_kind to;
	uint64_t now_s;
	struct sse_parser *sse;
	struct buf *out; /* while it is fed */
	enum err e;
	bool is_over; /* its end, or that it failed, is told */
	char untold[TRANSLATION_WORD_MAX]; /* on what it failed here; "" */
	uint64_t said, unsaid, bytes;      /* pieces, and of them all */
	struct translation_guess guess;
	json_t *id, *model, *usage;          /* in the upstream's words */
	char finish[TRANSLATION_FINISH_MAX]; /* as well; "": not said */
	/* Towards chat: each block's call, and whether it had arguments. */
	int calls[TRANSLATION_BLOCKS_MAX], ncalls;
	bool has_arguments[TRANSLATION_BLOCKS_MAX];
	bool is_between; /* two blocks, or behind the last one */
	/* Towards messages. */
	bool is_begun, is_refused;
	enum open_block open;
	json_int_t block, call; /* the open one's, the last one's */
	json_t *call_id;        /* the last one's */
};

/* A piece of the answer, in said or in unsaid. */
void translation_stream_count_piece(struct translation_stream *s,
    uint64_t *pieces, const char *text);
/* Takes the tree. */
void translation_stream_put_event(struct translation_stream *s, json_t *event);
/* The stream has failed: the answer has what has no word, or says so itself. */
void translation_stream_put_untold(struct translation_stream *s,
    const char *what);
void translation_stream_pass_error(struct translation_stream *s,
    struct slice data);
/* What has been used, when the answer is at its end. */
json_t *translation_stream_usage_told(struct translation_stream *s);

/* Towards messages: a chunk; the end, where it is known, or is_done: where it is
 * one, though it was not said why. */
void translation_stream_take_chunk(struct translation_stream *s, json_t *chunk,
    const struct sse_item *item);
void translation_stream_finish_answer(struct translation_stream *s,
    bool is_done);

#endif
