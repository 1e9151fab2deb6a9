/*
 * Another text in the place of what the model said: the whole message, or the
 * first piece of a stream, the other pieces gone.  Tool calls go too.  What
 * the faults llm_empty, llm_refusal and llm_stale share.
 */
#ifndef CHAOS_RETELL_H
#define CHAOS_RETELL_H

#include "chaos/faults/editstage.h"

struct retell {
	struct edit edit; /* first: it is an editor's memory */
	bool is_told;
};

struct telling {
	struct slice text;  /* the new content */
	bool is_null;       /* content is null instead */
	bool is_refusal;    /* the text is the member "refusal" */
	const char *finish; /* the finish reason; NULL: as it was, or "stop"
	                       when tool calls were taken out */
};

enum edit_result retell_whole(struct retell *r, const struct telling *t,
    struct slice json, struct buf *out);
enum edit_result retell_event(struct retell *r, const struct telling *t,
    struct slice json, struct buf *out);

#endif
