/*
 * Another text in the place of what the model said, in any dialect: the whole
 * answer, or the first piece of a stream, the other pieces gone.  Tool calls
 * go too.  All of the faults llm_empty, llm_refusal and llm_stale but which
 * text that is.
 */
#ifndef CHAOS_REPLACE_ANSWER_H
#define CHAOS_REPLACE_ANSWER_H

#include "chaos/faults/editstage.h"

struct telling {
	struct slice text; /* the new content */
	bool is_null;      /* content is null instead */
	bool is_nothing;   /* there is no answer at all in the list of them */
	bool is_refusal;   /* chat: the text is the member "refusal" */
	bool has_finish;   /* the finish reason is `finish`; else as it was, or
	                      that of a text when tool calls were taken out */
	enum dialect_word finish;
};

/* Which text; sets e->detail if it is NULL. */
typedef struct telling teller(struct edit *e);

/* NULL, and bypassed, as editstage_new(). */
struct stage *replace_answer_stage_new(struct shot *s, struct exchange *x,
    teller *tell);

#endif
