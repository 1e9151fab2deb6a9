/*
 * What a model has said, put together from a whole answer or from the events
 * of a stream that was held: the text, the tool calls' arguments, the end.
 */
#ifndef GATEWAY_ANSWER_CONTENT_H
#define GATEWAY_ANSWER_CONTENT_H

#include "base/buf.h"
#include "gateway/text/answer_facts.h"

#define CONTENT_TOOLS_MAX 32
#define CONTENT_MAX       (4U << 20)

struct content {
	struct buf text;
	struct buf tools[CONTENT_TOOLS_MAX]; /* arguments, by index */
	size_t ntools;
	char finish[CHUNK_FINISH_MAX];
};

void content_init(struct content *c);
void content_done(struct content *c);

/* What cannot be read adds nothing. */
void content_add_answer(struct content *c, struct slice json);
void content_add_events(struct content *c, struct slice stream);

#endif
